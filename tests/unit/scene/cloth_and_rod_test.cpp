// Cloth, rods, attachments and springs between bodies in scenes.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <string>

#include "app/scene/scene.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "support/paths.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test::cloth_and_rod_test {
namespace {

const std::string kHead = "[integrator]\nstep = 0.01\nsteps = 5\n";
const std::string kSheet =
    "[[body]]\nname = \"sheet\"\nshape = { kind = \"grid\", size = [4, 3], cells = [4, 3] }\n";
const std::string kRod =
    "[[body]]\nname = \"rod\"\nshape = { kind = \"line\", length = 2, segments = 4 }\n";
const std::string kStretch = "springs = { stretch = 5 }\n";

Scene load(const std::string& text) {
  const TempFolder folder;
  return load_scene(folder.write("s.toml", kHead + text));
}

double total_mass(const Scene& scene) {
  double total = 0;
  for (const double m : scene.system->vertex_masses()) total += m;
  return total;
}

Scene shipped(const std::string& name) {
  return load_scene(test::source_folder() / "scenes" / (name + ".toml"));
}

// Table 1 of Rojas, Liu and Kavan.
TEST(ClothAndRodScene, VerticesAndSpringsOfThePaper) {
  const Scene cloth = shipped("hanging-cloth");
  EXPECT_EQ(cloth.system->vertices(), 6400);
  EXPECT_EQ(cloth.bodies().springs, 31363U);
  const Scene sheet = shipped("sheet-wave");
  EXPECT_EQ(sheet.system->vertices(), 5061);
  EXPECT_EQ(sheet.bodies().springs, 24300U);
}

TEST(ClothAndRodScene, MassIsOfAreaAndLength) {
  EXPECT_NEAR(total_mass(load(kSheet + kStretch + "density = 0.5\n")), 6, 1e-12);
  EXPECT_NEAR(total_mass(load(kSheet + kStretch + "mass = 0.7\n")), 0.7, 1e-12);
  EXPECT_NEAR(total_mass(load(kRod + kStretch + "density = 0.5\n")), 1, 1e-12);
}

TEST(ClothAndRodScene, ElementsAndSpringsAreCounted) {
  const Scene scene = load(kSheet + "mass = 1\nsprings = { stretch = 5, bend = 1 }\n" + kRod +
                           "mass = 1\n" + kStretch + "bending = 0.1\n");
  EXPECT_EQ(scene.bodies().triangles.size(), 24U);
  EXPECT_EQ(scene.bodies().edges.size(), 4U);
  ASSERT_EQ(scene.bodies().edge_body.size(), 4U);
  EXPECT_EQ(scene.bodies().edge_body[0], 1);
  EXPECT_EQ(scene.bodies().edges[0][0], 20);  // behind the sheet's vertices
  // Sides 4·4 + 5·3, diagonals 12, every second vertex 4·3 + 5·2; the rod's 4.
  EXPECT_EQ(scene.bodies().springs, 31U + 12 + 12 + 10 + 4);
}

// Uniform stretch by s along x of unit cells: the springs along x, diagonals, and bend springs.
TEST(ClothAndRodScene, SpringEnergyOfAStretchedSheet) {
  const Scene scene =
      load(kSheet +
           "mass = 1\nsprings = { kind = \"hookean\", stretch = 5, shear = 2, "
           "bend = 3 }\ndeform = [{ kind = \"stretch\", factors = [1.5, 1, 1] }]\n");
  const double diagonal = std::sqrt(1 + 2.25) - std::sqrt(2.0);
  const double expected =
      16 * 0.5 * 5 * 0.25 + 12 * 0.5 * 2 * diagonal * diagonal + 12 * 0.5 * 3 * 1;
  EXPECT_NEAR(invariants(*scene.system, scene.initial).total, expected, 1e-12);
}

TEST(ClothAndRodScene, MembraneOfYoungsModulusIsInPlaneStress) {
  const Scene scene =
      load(kSheet +
           "mass = 1\nmaterial = { model = \"membrane-stvk\", young = 100, poisson = 0.25, "
           "thickness = 0.1 }\ndeform = [{ kind = \"stretch\", factors = [1.5, 1, 1] }]\n");
  const double g = 0.5 * (2.25 - 1);
  const double mu = 100 / 2.5;
  const double lambda = 100 * 0.25 / (1 - 0.0625);
  EXPECT_NEAR(invariants(*scene.system, scene.initial).total,
              12 * 0.1 * (mu + 0.5 * lambda) * g * g, 1e-9);
}

TEST(ClothAndRodScene, RestIsRestOfEveryEnergy) {
  const Scene scene = load(kSheet +
                           "mass = 1\nsprings = { stretch = 5, bend = 2 }\nbending = 0.3\n"
                           "material = { mu = 3, lambda = 2 }\nscale = 2\n"
                           "rotate = { axis = [1, 2, 3], angle = 50 }\ntranslate = [3, 2, 1]\n" +
                           kRod + kStretch + "mass = 1\nbending = 0.4\ntranslate = [9, 9, 9]\n");
  EXPECT_NEAR(invariants(*scene.system, scene.initial).total, 0, 1e-24);
  EXPECT_TRUE(scene.system->rotation_invariant());
}

TEST(ClothAndRodScene, RegionsFixAttachForceAndMoveThinBodies) {
  const Scene scene =
      load(kSheet + kStretch +
           "mass = 1\nvelocity = [1, 0, 0]\n"
           "[[body.fix]]\nslab = { axis = \"x\", from = 0, to = 0 }\n"
           "[[body.attach]]\nregion = { vertices = [9] }\nstiffness = 8\n"
           "[[body.deform]]\nkind = \"pull\"\nregion = { vertices = [18] }\nby = [0, 0, 1]\n"
           "[[body.force]]\nkind = \"drag\"\nrate = 0.1\nregion = { slab = { axis = \"y\", to = "
           "0.5 } }\n");
  EXPECT_EQ(scene.system->embedding().fixed_count(), 4);
  EXPECT_EQ(scene.initial.v[3 * 19], 1);
  EXPECT_EQ(scene.initial.v[0], 0);
  EXPECT_EQ(scene.initial.x[3 * 18 + 2], 1);
  EXPECT_EQ(scene.system->forces().size(), 1U);
  EXPECT_FALSE(scene.system->translation_invariant());
  // The anchor is at rest where the vertex starts, and holds it with its stiffness: moved across
  // the sheet, the springs there change by the fourth power of the distance only.
  const double before = invariants(*scene.system, scene.initial).total;
  State moved = scene.initial;
  moved.x[3 * 9 + 2] += 1e-3;
  EXPECT_NEAR(invariants(*scene.system, moved).total - before, 0.5 * 8 * 1e-6, 1e-10);
}

// The springs of an attachment have no strain that could be damped.
TEST(ClothAndRodScene, DampingOfStrainIsOfTheTetsAlone) {
  for (const char* model : {"kelvin-voigt", "strain", "strain-explicit"}) {
    const Scene scene = load(
        "[[body]]\nshape = { kind = \"bar\", size = [1, 1, 1], cells = [1, 1, 1] }\n"
        "mass = 1\nmaterial = { mu = 3, lambda = 3 }\n"
        "damping = { model = \"" +
        std::string(model) +
        "\", time = 0.1 }\n"
        "[[body.attach]]\nregion = { vertices = [0] }\nstiffness = 8\n");
    EXPECT_EQ(scene.system->energies().size(), 2U);
    EXPECT_EQ(scene.system->dissipations().size() + scene.system->impulses().size(), 1U) << model;
  }
}

TEST(ClothAndRodScene, SpringsBetweenBodies) {
  const std::string bodies =
      kSheet + kStretch + "mass = 1\n" + kRod + kStretch + "mass = 1\ntranslate = [0, 0, 2]\n";
  const Scene scene = load(bodies +
                           "[[spring]]\nbodies = [\"sheet\", \"rod\"]\nfrom = [-2, -1.5, 0]\n"
                           "to = [-1, 0, 2]\nstiffness = 3\nlength = 1\n"
                           "[[spring]]\nbodies = [\"rod\"]\nvertices = [0, 4]\nstiffness = 3\n"
                           "kind = \"stvk\"\n");
  EXPECT_EQ(scene.bodies().springs, 31U + 12 + 4 + 2);
  const double length = std::sqrt(1 + 1.5 * 1.5 + 4);
  EXPECT_NEAR(invariants(*scene.system, scene.initial).total, 0.5 * 3 * (length - 1) * (length - 1),
              1e-12);
}

// A body has the same energy whether another one comes before it or not.
TEST(ClothAndRodScene, EnergiesAreThoseOfTheirOwnBody) {
  const auto energy = [](const std::string& text) {
    const Scene scene = load(text);
    return invariants(*scene.system, scene.initial).total;
  };
  const std::string other =
      "[[body]]\nname = \"other\"\nmass = 1\nsprings = { stretch = 5 }\n"
      "shape = { kind = \"grid\", size = [4, 3], cells = [4, 3] }\ntranslate = [0, 9, 0]\n";
  const std::string bent =
      "mass = 1\n[[body.deform]]\nkind = \"pull\"\nby = [0, 0.2, 0.7]\nfalloff = 1.5\n"
      "region = { vertices = [2] }\n";
  for (const std::string& body :
       {kSheet + "material = { mu = 3, lambda = 2 }\n" + bent,
        kSheet + "material = { mu = 3, lambda = 2 }\nbending = 0.3\n" + bent,
        kSheet + kStretch + bent, kRod + kStretch + bent,
        kRod + kStretch + "bending = 4\n" + bent}) {
    const double alone = energy(body);
    EXPECT_GT(alone, 0.01);
    EXPECT_NEAR(energy(other + body), alone, 1e-12 * alone) << body;
  }
}

// Every vertex of a rod touches the triangles of a sheet, with friction where there is to be some.
TEST(ClothAndRodScene, RodsTouchSheets) {
  const std::string text =
      kSheet + kStretch + "mass = 1\n" + kRod + kStretch +
      "mass = 1\ntranslate = [0.01, 0.3, 0.06]\n[[contact]]\nstiffness = 50\nthickness = 0.1\n";
  const Scene scene = load(text);
  EXPECT_TRUE(scene.system->dissipations().empty());
  const double touching = invariants(*scene.system, scene.initial).of(EnergyKind::contact);
  EXPECT_GE(touching, 5 * 0.5 * 50 * 0.04 * 0.04 * (1 - 1e-12));
  EXPECT_EQ(load(text + "friction = 0.2\n").system->dissipations().size(), 1u);
}

TEST(ClothAndRodScene, ResolvedSceneGivesTheSameScene) {
  const TempFolder folder;
  const Scene scene =
      load(kSheet + "mass = 1\nsprings = { stretch = 5, bend = 2 }\n" + kRod + kStretch +
           "mass = 1\nbending = 0.4\n[[spring]]\nbodies = [\"sheet\", "
           "\"rod\"]\nvertices = [0, 1]\nstiffness = 2\n");
  const Scene again = load_scene(folder.write("again.toml", scene.resolved));
  EXPECT_EQ(again.bodies().springs, scene.bodies().springs);
  EXPECT_EQ((again.initial.x - scene.initial.x).norm(), 0);
  EXPECT_EQ(again.resolved, scene.resolved);
}

struct Mistake {
  std::string text;
  std::string says;
};

TEST(ClothAndRodScene, MistakesAreReported) {
  const std::string sheet = kSheet + "mass = 1\n";
  const std::string two = sheet + kStretch + kRod + kStretch + "mass = 1\n";
  const std::vector<Mistake> mistakes = {
      {sheet, "nothing holds 'sheet' together.*springs.*membrane-stvk"},
      {kRod + "mass = 1\nmaterial = { mu = 1, lambda = 1 }", "a rod has no 'material'"},
      {sheet + "springs = { stretch = -1 }", "must be positive"},
      {sheet + "springs = { stretch = 1, bend = -1 }", "must not be negative"},
      {sheet + "springs = { stretch = 1, bent = 1 }", "unknown key.*did you mean 'bend'"},
      {sheet + "springs = { kind = \"hook\", stretch = 1 }", "cannot be 'hook'"},
      {sheet + kStretch + "bending = 0", "must be positive"},
      {sheet + "kind = \"rod\"\n" + kStretch, "a rod is a 'line'"},
      {kRod + "kind = \"cloth\"\nmass = 1\n" + kStretch, "a cloth is a 'grid' or a mesh"},
      {kRod + "mass = 1\nsprings = { stretch = 1, shear = 1 }", "unknown key.*shear"},
      {"[[body]]\nshape = { kind = \"grid\", size = [1], cells = [1, 1] }\nmass = 1\n",
       "a list of 2 numbers"},
      {"[[body]]\nshape = { kind = \"grid\", size = [1, 1], cells = [1, 0] }\nmass = 1\n",
       "between 1 and 4000; entry 2"},
      {sheet + "material = { model = \"stvk\", mu = 1, lambda = 1 }", "cannot be 'stvk'"},
      {sheet + "material = { mu = 1 }", "lambda is missing"},
      {sheet + kStretch + "[[spring]]\nvertices = [0, 99]\nstiffness = 1", "99 is not a vertex"},
      {sheet + kStretch + "[[spring]]\nvertices = [3, 3]\nstiffness = 1", "two different vertices"},
      {sheet + kStretch + "[[spring]]\nstiffness = 1", "needs vertices"},
      {two + "[[spring]]\nvertices = [0, 1]\nstiffness = 1", "the scene has 2 bodies"},
      {two + "[[spring]]\nbodies = [\"sheet\", \"red\"]\nvertices = [0, 1]\nstiffness = 1",
       "no body 'red'.*did you mean 'rod'"},
      {two + "[[spring]]\nbodies = [\"sheet\", \"rod\"]\nvertices = [0, 7]\nstiffness = 1",
       "7 is not a vertex of 'rod', which has vertices 0 to 4"},
  };
  for (const Mistake& m : mistakes) {
    try {
      (void)load(m.text);
      ADD_FAILURE() << "accepted: " << m.text;
    } catch (const InputError& error) {
      EXPECT_TRUE(std::regex_search(error.what(), std::regex(m.says)))
          << error.what() << "\n  expected: " << m.says;
    }
  }
}

}  // namespace
}  // namespace lilyan::test::cloth_and_rod_test
