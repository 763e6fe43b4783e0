// Every mistake in a scene gives one message with its place, what was found and what was expected.
#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "app/scene/scene.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test::scene_errors_test {
namespace {

struct Mistake {
  std::string name;
  std::string scene;
  std::string where;       // "line:column", or empty for the file as a whole
  std::string says;        // regular expression the complaint must contain
  std::size_t faults = 1;  // in all
};

void PrintTo(const Mistake& m, std::ostream* out) { *out << m.name; }

// A valid scene of ten lines, into which the mistakes are made.
std::string scene(const std::string& integrator = "step = 0.01\nsteps = 2",
                  const std::string& body = "mass = 1",
                  const std::string& material = "mu = 1, lambda = 1") {
  return "[integrator]\n" + integrator +
         "\n\n[[body]]\nshape = { kind = \"bar\", size = [1, 1, 1], cells = [1, 1, 1] }\n" +
         "material = { " + material + " }\n" + body + "\n";
}

class SceneMistakes : public testing::TestWithParam<Mistake> {};

TEST_P(SceneMistakes, AreReportedWithTheirPlace) {
  const TempFolder folder;
  folder.write("flat.mesh",
               "MeshVersionFormatted 2\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n"
               "1 1 0 0\nTetrahedra\n1\n1 2 3 4 0\nEnd\n");
  folder.write("inverted.mesh",
               "MeshVersionFormatted 2\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n"
               "0 0 1 0\nTetrahedra\n1\n2 1 3 4 0\nEnd\n");
  folder.write("twice.mesh",
               "MeshVersionFormatted 2\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n"
               "0 0 1 0\nTetrahedra\n2\n1 2 3 4 0\n2 3 1 4 0\nEnd\n");
  folder.write("tet.obj",
               "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  folder.write("short.txt", "0 0 0\n1 0 0\n");
  folder.write("words.txt", "0 0 0\n1 zero 0\n");
  const auto file = folder.write("scene.toml", GetParam().scene);
  try {
    (void)load_scene(file);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_TRUE(std::regex_search(text, std::regex(GetParam().says))) << text;
    if (!GetParam().where.empty()) {
      EXPECT_NE(text.find("scene.toml:" + GetParam().where + ":"), std::string::npos) << text;
    }
    // Whoever asks for all faults gets this one, and none that only follows from it.
    const std::vector<InputError> faults = scene_faults(file);
    EXPECT_EQ(std::ranges::count(faults, text, [](const InputError& f) { return f.what(); }), 1);
    EXPECT_EQ(faults.size(), GetParam().faults);
  }
}

const std::string kMesh =
    "[integrator]\nstep = 0.01\nsteps = 1\n[[body]]\nmass = 1\nmaterial = { mu = 1, lambda = 1 }\n";

INSTANTIATE_TEST_SUITE_P(
    All, SceneMistakes,
    testing::Values(
        Mistake{"not_toml", "[integrator\nstep = 1\n", "1:12", "not valid TOML"},
        Mistake{"empty", "", "", "'integrator.steps' is missing", 2},
        Mistake{"unknown_key", scene("step = 0.01\nsteps = 2\nstpes = 3"), "4:1",
                "unknown key 'integrator.stpes'; did you mean 'steps'"},
        Mistake{"misspelt_required_key", scene("stepp = 0.01\nsteps = 2"), "2:1",
                "unknown key 'integrator.stepp'; did you mean 'step'"},
        Mistake{"misspelt_section", "[intgrator]\nstep = 0.01\nsteps = 2\n", "1:2",
                "unknown key 'intgrator'; did you mean 'integrator'", 2},
        Mistake{"too_many_cells",
                "[integrator]\nstep = 1\nsteps = 1\n[[body]]\nmass = 1\n"
                "shape = { kind = \"box\", size = [1, 1, 1], cells = [1000, 1000, 1000] }\n",
                "6:51", "6e.09 tets"},
        Mistake{"four_tets_per_cell",
                "[integrator]\nstep = 1\nsteps = 1\n[[body]]\nmass = 1\nshape = { kind = \"box\", "
                "size = [1, 1, 1], cells = [1, 1, 1], tets_per_cell = 4 }\n",
                "6:78", "between 5 and 6, not 4"},
        Mistake{"no_material",
                "[integrator]\nstep = 1\nsteps = 1\n[[body]]\nmass = 1\n"
                "shape = { kind = \"box\", size = [1, 1, 1], cells = [1, 1, 1] }\n",
                "4:1", "'body1' has no material"},
        Mistake{"surface_as_a_solid", kMesh + "mesh = \"tet.obj\"\nkind = \"solid\"\n", "7:8",
                "tet.obj is a surface and cannot be a solid: fill it with tets first, with "
                "./lilyan mesh tetrahedralize tet.obj tet.vtu"},
        Mistake{"surface_with_a_solids_material",
                "[integrator]\nstep = 1\nsteps = 1\n[[body]]\nmass = 1\nmesh = \"tet.obj\"\n"
                "material = { model = \"stvk\", mu = 1, lambda = 1 }\n",
                "6:8", "cannot have stvk, a material of solids: fill it with tets"},
        Mistake{"unknown_section", scene() + "[integrater]\nx = 1\n", "9:2",
                "unknown key 'integrater'; did you mean 'integrator'"},
        Mistake{"wrong_type", scene("step = \"fast\"\nsteps = 2"), "2:8",
                "'integrator.step' must be a number, not the text \"fast\""},
        Mistake{"fractional_steps", scene("step = 0.01\nsteps = 2.5"), "3:9",
                "must be a whole number, not 2.5"},
        Mistake{"negative_step", scene("step = -0.01\nsteps = 2"), "2:8",
                "must be positive, not -0.01"},
        Mistake{"infinite_step", scene("step = inf\nsteps = 2"), "2:8", "finite"},
        Mistake{"unknown_method", scene("method = \"avff\"\nstep = 0.01\nsteps = 2"), "2:10",
                "unknown method 'avff'; did you mean 'avf'"},
        Mistake{"alpha_out_of_range", scene("method = \"hp\"\nalpha = 1.5\nstep = 0.01\nsteps = 2"),
                "3:9", "alpha must be in \\[0, 1\\], not 1.5"},
        Mistake{"parameter_of_another_method",
                scene("method = \"hp\"\npoints = 2\nstep = 0.01\nsteps = 2"), "3:10",
                "'points' is a parameter of 'avf', not of 'hp'"},
        Mistake{"steps_and_duration", scene("step = 0.01\nsteps = 2\nduration = 1"), "4:12",
                "not both"},
        Mistake{"negative_mass", scene("step = 1\nsteps = 1", "mass = -3"), "8:8",
                "'body.0.mass' must be positive, not -3"},
        Mistake{"no_mass", scene("step = 1\nsteps = 1", ""), "", "'body.0.mass' is missing"},
        Mistake{"mass_and_density", scene("step = 1\nsteps = 1", "mass = 1\ndensity = 1"), "9:11",
                "not both"},
        Mistake{"no_stiffness", scene("step = 1\nsteps = 1", "mass = 1", "model = \"stvk\""), "",
                "stiffness is missing"},
        Mistake{"unknown_material",
                scene("step = 1\nsteps = 1", "mass = 1", "model = \"stvkk\", mu = 1, lambda = 1"),
                "7:22", "did you mean 'stvk'"},
        Mistake{"bad_poisson", scene("step = 1\nsteps = 1", "mass = 1", "young = 1, poisson = 0.5"),
                "7:35", "poisson must be above"},
        Mistake{"no_body", "[integrator]\nstep = 1\nsteps = 1\n", "", "nothing to simulate"},
        Mistake{"unknown_system",
                "[integrator]\nstep = 1\nsteps = 1\n[system]\nkind = \"pendulm\"\n", "5:8",
                "did you mean 'pendulum'"},
        Mistake{"system_value",
                "[integrator]\nstep = 1\nsteps = 1\n[system]\nkind = \"pendulum\"\nmass = -1\n",
                "6:8", "mass must be positive"},
        Mistake{"system_and_body",
                "[integrator]\nstep = 1\nsteps = 1\n[system]\nkind = \"kepler\"\n[world]\n", "",
                "a \\[system\\] has no 'world'"},
        Mistake{"unknown_step_control", scene() + "[step_control]\nkind = \"eror\"\n", "10:8",
                "'step_control.kind' cannot be 'eror'; did you mean 'error'"},
        Mistake{"reversible_without_symmetry",
                scene("method = \"backward-euler\"\nstep = 0.01\nsteps = 2") +
                    "[step_control]\nkind = \"reversible\"\n",
                "11:8", "need a symmetric method, which backward-euler is not; these are: avf, "},
        Mistake{"tolerance_of_fixed_steps", scene() + "[step_control]\ntolerance = 1e-3\n", "10:13",
                "'tolerance' is for error-controlled steps; these are fixed"},
        Mistake{"exponent_of_error_control",
                scene() + "[step_control]\nkind = \"error\"\nexponent = 1\n", "11:12",
                "'exponent' is for reversible steps; these are error"},
        Mistake{"exponent_above_four",
                scene() + "[step_control]\nkind = \"reversible\"\nexponent = 4.01\n", "11:12",
                "exponent must be at most 4: steps would vanish"},
        Mistake{"exponent_not_finite",
                scene() + "[step_control]\nkind = \"reversible\"\nexponent = inf\n", "11:12",
                "must be a finite number"},
        Mistake{"negative_tolerance",
                scene() + "[step_control]\nkind = \"error\"\ntolerance = -1\n", "11:13",
                "must be positive, not -1"},
        Mistake{"max_step_below_first",
                scene() + "[step_control]\nkind = \"error\"\nmax_step = 1e-3\n", "11:12",
                "must not be below the first step, 0.01"},
        Mistake{"min_step_above_first",
                scene() + "[step_control]\nkind = \"error\"\nmin_step = 1\n", "11:12",
                "must not be above the first step, 0.01"},
        Mistake{"misspelt_step_control_key",
                scene() + "[step_control]\nkind = \"error\"\ntolerence = 1\n", "11:1",
                "unknown key 'step_control.tolerence'; did you mean 'tolerance'"},
        Mistake{"missing_mesh", kMesh + "mesh = \"nowhere.msh\"\n", "7:8",
                "there is no file 'nowhere.msh'"},
        Mistake{"flat_tet", kMesh + "mesh = \"flat.mesh\"\n", "7:8", "tet 0 .*has no volume"},
        Mistake{"inverted_tet", kMesh + "mesh = \"inverted.mesh\"\n", "7:8",
                "tet 0 .*is inverted.*-0.1667"},
        Mistake{"same_tet_twice", kMesh + "mesh = \"twice.mesh\"\n", "7:8",
                "tet 1 .*is the same as tet 0"},
        Mistake{"mesh_and_shape", scene("step = 1\nsteps = 1", "mass = 1\nmesh = \"a.msh\""), "",
                "not both"},
        Mistake{"short_list", scene("step = 1\nsteps = 1", "mass = 1\nvelocity = [1, 2]"), "9:12",
                "list of three numbers, not a list of 2"},
        Mistake{"word_in_list", scene("step = 1\nsteps = 1", "mass = 1\nvelocity = [1, 2, \"x\"]"),
                "9:19", "entry 3 is the text \"x\""},
        Mistake{"vertex_out_of_range",
                scene("step = 1\nsteps = 1", "mass = 1\nfix = [{ vertices = [0, 8] }]"), "9:25",
                "8 is not a vertex: the body has vertices 0 to 7"},
        Mistake{"empty_region",
                scene("step = 1\nsteps = 1",
                      "mass = 1\nfix = [{ ball = { center = [9, 9, 9], radius = 1 } }]"),
                "9:17", "contains no vertex.*-0.5"},
        Mistake{"no_region_kind", scene("step = 1\nsteps = 1", "mass = 1\nfix = [{ bal = 3 }]"),
                "9:10", "did you mean 'ball'"},
        Mistake{"unknown_deformation",
                scene("step = 1\nsteps = 1", "mass = 1\ndeform = [{ kind = \"twits\" }]"), "9:20",
                "did you mean 'twist'"},
        Mistake{"too_few_positions",
                scene("step = 1\nsteps = 1", "mass = 1\npositions = \"short.txt\""), "",
                "short.txt:2: 2 lines for a body of 8 vertices"},
        Mistake{"word_in_positions",
                scene("step = 1\nsteps = 1", "mass = 1\npositions = \"words.txt\""), "",
                "words.txt:2: expected three numbers, found 'zero 0'"},
        Mistake{"constraint_kind", scene() + "[[constraint]]\nkind = \"distanc\"\n", "10:8",
                "did you mean 'distance'"},
        Mistake{"constraint_between",
                scene() + "[[constraint]]\nkind = \"distance\"\nbetween = [0, 8]\n", "11:15",
                "8 is not a vertex: the body has vertices 0 to 7"},
        Mistake{"constraint_one_end",
                scene() + "[[constraint]]\nkind = \"distance\"\nbetween = [3]\n", "11:11",
                "must be two vertices, not 1"},
        Mistake{"constraint_no_ends", scene() + "[[constraint]]\nkind = \"distance\"\n", "9:1",
                "needs between = \\[i, j\\], or 'vertex' and 'point'"},
        Mistake{"constraint_body", scene() + "[[constraint]]\nkind = \"plane\"\nbody = \"bod1\"\n",
                "11:8", "there is no body 'bod1'; did you mean 'body1'"},
        Mistake{"constraint_normal",
                scene() + "[[constraint]]\nkind = \"plane\"\nvertices = [0]\nnormal = [0, 0, 0]\n",
                "12:10", "must not be zero"},
        Mistake{"constraint_length",
                scene() + "[[constraint]]\nkind = \"distance\"\nbetween = [0, 1]\nlength = 1.1\n",
                "9:1", "constraint 0 .*does not hold at the start: g = -0.105"},
        Mistake{"constraint_plane_misses",
                scene() + "[[constraint]]\nkind = \"plane\"\nvertices = [0]\nnormal = [0, 0, 1]\n"
                          "point = [0, 0, 1]\n",
                "9:1", "off by a distance of about 1.5"},
        Mistake{"constraint_twice",
                scene() + "[[constraint]]\nkind = \"distance\"\nbetween = [0, 1]\n"
                          "[[constraint]]\nkind = \"distance\"\nbetween = [1, 0]\n",
                "12:1", "constraint 1 .*is redundant: it follows from constraint 0"},
        Mistake{"constraint_contradicts",
                scene() + "[[constraint]]\nkind = \"distance\"\nbetween = [0, 1]\n"
                          "[[constraint]]\nkind = \"distance\"\nbetween = [0, 1]\nlength = 2\n",
                "12:1", "constraint 1 .*contradicts constraint 0"},
        Mistake{"body_name_twice",
                scene("step = 1\nsteps = 1", "mass = 1\nname = \"a\"") +
                    "[[body]]\nmass = 1\nname = \"a\"\nmaterial = { mu = 1, lambda = 1 }\n"
                    "shape = { kind = \"bar\", size = [1, 1, 1], cells = [1, 1, 1] }\n",
                "12:8", "there already is a body 'a'"},
        Mistake{"body_name_of_default",
                scene("step = 1\nsteps = 1", "mass = 1\nname = \"body2\"") +
                    "[[body]]\nmass = 1\nmaterial = { mu = 1, lambda = 1 }\n"
                    "shape = { kind = \"bar\", size = [1, 1, 1], cells = [1, 1, 1] }\n",
                "10:1", "there already is a body 'body2'"},
        Mistake{"constraint_velocity",
                scene("step = 0.01\nsteps = 2", "mass = 1\nvelocity = [0, 0, 2]") +
                    "[[constraint]]\nkind = \"plane\"\nvertices = [0]\nnormal = [0, 0, 1]\n",
                "10:1", "part along its gradient is 2.*world.project_velocities"},
        Mistake{"constraint_method",
                scene("step = 0.01\nsteps = 2\nmethod = \"newmark\"") +
                    "[[constraint]]\nkind = \"distance\"\nbetween = [0, 1]\n",
                "4:10", "newmark.* cannot keep constraints; methods that can: avf"},
        Mistake{"constraint_quadrature",
                scene("step = 0.01\nsteps = 2\nmethod = \"avf\"\nquadrature = \"trapezoid\"") +
                    "[[constraint]]\nkind = \"distance\"\nbetween = [0, 1]\n",
                "4:10", "needs a quadrature that keeps the energy exactly, of degree 3"},
        Mistake{"constraint_in_system",
                "[integrator]\nstep = 1\nsteps = 1\n[system]\nkind = \"kepler\"\n"
                "[[constraint]]\nkind = \"plane\"\n",
                "6:1", "a \\[system\\] has no 'constraint'"},
        Mistake{"system_method",
                "[integrator]\nstep = 1\nsteps = 1\nmethod = \"rk4\"\n[system]\n"
                "kind = \"spherical-pendulum\"\n",
                "4:10", "rk4 cannot keep constraints"},
        Mistake{"inverted_start",
                scene("step = 1\nsteps = 1",
                      "mass = 1\ndeform = [{ kind = \"stretch\", factors = [-1, 1, 1] }]",
                      "model = \"neo-hookean\", mu = 1, lambda = 1"),
                "", "is infinite"}),
    [](const auto& mistake) { return mistake.param.name; });

TEST(SceneSettings, PointAtTheOption) {
  const TempFolder folder;
  const auto file = folder.write("scene.toml", scene());
  const auto complaint = [&](const std::string& setting) -> std::string {
    try {
      (void)load_scene(file, {.settings = {setting}});
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(complaint("integrator.step=0.5"), "accepted");
  EXPECT_EQ(complaint("integrator.method=newmark"), "accepted");
  EXPECT_NE(complaint("integrator.step=-1").find("--set integrator.step=-1: "), std::string::npos);
  EXPECT_NE(complaint("integrator.stepp=1").find("did you mean 'step'"), std::string::npos);
  EXPECT_NE(complaint("body.0.material={mu=-1, lambda=1}").find("--set body.0.material="),
            std::string::npos);
  EXPECT_NE(complaint("nonsense").find("expected key=value"), std::string::npos);
  EXPECT_NE(complaint("body.3.mass=1").find("a list of 1 entries"), std::string::npos);
  EXPECT_NE(complaint("integrator.step.x=1").find("is a value, not a table"), std::string::npos);
}

// In the order of the file, with no more than one can see: the region of the second body depends on
// its shape, and the contact on both.
TEST(SceneFaults, AreAllNamedAtOnce) {
  const TempFolder folder;
  const auto file =
      folder.write("scene.toml",
                   "[integrator]\n"
                   "method = \"avff\"\n"
                   "step = -1\n"
                   "stepz = 3\n"
                   "[solver]\n"
                   "tolerance = \"small\"\n"
                   "threads = -1\n"
                   "[output]\n"
                   "up = \"x\"\n"
                   "reprot = true\n"
                   "[[body]]\n"
                   "mass = \"heavy\"\n"
                   "materiall = { mu = 1, lambda = 1 }\n"
                   "shape = { kind = \"bar\", size = [2, 1], cells = [2, 1, 1] }\n"
                   "[[body]]\n"
                   "mass = 1\n"
                   "material = { mu = 1, lambda = 1 }\n"
                   "shape = { kind = \"bar\", size = [-9, 1, 1], cells = [2, 1, 1] }\n"
                   "fix = [{ ball = { center = [8, 0, 0], radius = 0.1 } }]\n"
                   "[[obstacle]]\n"
                   "kind = \"plane\"\n"
                   "stiffness = 0\n"
                   "kid = 3\n"
                   "[[obstacle]]\n"
                   "kind = \"plain\"\n"
                   "stiffness = 1\n"
                   "[[contact]]\n"
                   "stiffness = 1\n"
                   "thickness = 100\n");
  std::vector<std::string> found;
  for (const InputError& fault : scene_faults(file)) {
    found.push_back(std::to_string(fault.where().line) + ": " + fault.message());
  }
  const std::vector<std::string> expected = {
      "2: unknown method 'avff'; did you mean 'avf'?",
      "3: 'integrator.step' must be positive, not -1",
      "4: unknown key 'integrator.stepz'; did you mean 'steps'?",
      "6: 'solver.tolerance' must be a number, not the text \"small\"",
      "7: 'solver.threads' must be between 0 and 1024, not -1",
      "9: 'output.up' cannot be 'x'; did you mean 'y'?",
      "10: unknown key 'output.reprot'; did you mean 'report'?",
      "12: 'body.0.mass' must be a number, not the text \"heavy\"",
      "13: unknown key 'body.0.materiall'; did you mean 'material'?",
      "14: 'body.0.shape.size' must be a list of three numbers, not a list of 2",
      "18: 'size' must be three positive numbers",
      "22: 'obstacle.0.stiffness' must be positive, not 0",
      "23: unknown key 'obstacle.0.kid'; did you mean 'kind'?",
      "25: 'obstacle.1.kind' cannot be 'plain'; did you mean 'plane'?"};
  EXPECT_EQ(found, expected);
}

TEST(SceneFaults, OfAFileThatCannotBeParsedThereIsOne) {
  const TempFolder folder;
  EXPECT_EQ(scene_faults(folder.write("a.toml", "[integrator\nstep = \n")).size(), 1U);
  EXPECT_EQ(scene_faults(folder.write("b.toml", scene())).size(), 0U);
  EXPECT_EQ(scene_faults("no-such.toml").size(), 1U);
}

}  // namespace
}  // namespace lilyan::test::scene_errors_test
