// What scenes mean: placement, mass, deformation, regions, per-vertex files, the resolved scene.
#include "app/scene/scene.hpp"
#include "lilyan/lagrangian/problem.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numbers>
#include <string>
#include <vector>

#include "lilyan/assemble/invariants.hpp"
#include "support/paths.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test::scene_test {
namespace {

constexpr const char* kHead = "[integrator]\nstep = 0.01\nsteps = 5\n";

Scene load(const std::string& body, const std::string& extra = "") {
  const TempFolder folder;
  return load_scene(folder.write(
      "s.toml", std::string(kHead) + extra +
                    "[[body]]\nshape = { kind = \"bar\", size = [2, 1, 1], cells = [2, 1, 1] }\n"
                    "material = { mu = 3, lambda = 2 }\n" +
                    body));
}

TEST(Scene, MassIsLumpedFromTotalOrDensity) {
  for (const char* mass : {"mass = 6", "density = 3"}) {
    const Scene scene = load(mass);
    double total = 0;
    for (const double m : scene.system->vertex_masses()) total += m;
    EXPECT_NEAR(total, 6, 1e-12);
  }
}

// Of a cube cut into five tets, the even corners belong to the one in the middle (a third of the
// volume) and to three others (a sixth each), the odd ones to one.
TEST(Scene, BoxesMayHaveFiveTetsPerCell) {
  const TempFolder folder;
  const auto masses = [&](const std::string& cut) {
    const Scene scene = load_scene(
        folder.write("s.toml", std::string(kHead) +
                                   "[[body]]\nmass = 24\nmaterial = { mu = 3, lambda = 2 }\n"
                                   "shape = { kind = \"box\", size = [1, 1, 1], cells = [1, 1, 1]" +
                                   cut + " }\n"));
    return std::vector<double>(scene.system->vertex_masses().begin(),
                               scene.system->vertex_masses().end());
  };
  const std::vector<double> five = masses(", tets_per_cell = 5");
  ASSERT_EQ(five.size(), 8U);
  EXPECT_NEAR(five[0], 5, 1e-12);
  EXPECT_NEAR(five[1], 1, 1e-12);
  EXPECT_NEAR(masses(", tets_per_cell = 6")[0], 6, 1e-12);
  EXPECT_EQ(masses(", tets_per_cell = 6"), masses(""));
}

TEST(Scene, PlacesByScaleThenRotationThenTranslation) {
  const Scene scene = load(
      "mass = 1\nscale = 2\nrotate = { axis = [0, 0, 1], angle = 90 }\ntranslate = [10, 0, 0]");
  // Corner (−1, −½, −½) → (−2, −1, −1) → (1, −2, −1) → (11, −2, −1).
  EXPECT_LT((scene.initial.x.head<3>() - Vec3(11, -2, -1)).norm(), 1e-12);
  // The placed shape is the rest shape.
  EXPECT_NEAR(invariants(*scene.system, scene.initial).total, 0, 1e-12);
}

TEST(Scene, StretchGivesTheEnergyOfTheStretchedBar) {
  const Scene scene = load("mass = 1\ndeform = [{ kind = \"stretch\", factors = [1.5, 1, 1] }]");
  // G = diag(½(1.5²−1), 0, 0) everywhere: ψ = (μ + λ/2) G₁₁², volume 2.
  const double g = 0.5 * (1.5 * 1.5 - 1);
  EXPECT_NEAR(invariants(*scene.system, scene.initial).total, 2 * (3 + 1) * g * g, 1e-12);
}

TEST(Scene, TwistTurnsTheEndsAgainstEachOther) {
  const Scene scene = load("mass = 1\ndeform = [{ kind = \"twist\", axis = \"x\", angle = 90 }]");
  const double c = std::sqrt(0.5);
  // At x = −1 turned by −45°, at x = +1 by +45°: (y, z) = (−½, −½) goes to (−c, 0) and (0, −c).
  EXPECT_LT((scene.initial.x.head<3>() - Vec3(-1, -c, 0)).norm(), 1e-12);
  EXPECT_LT((scene.initial.x.segment<3>(3 * 8) - Vec3(1, 0, -c)).norm(), 1e-12);
}

TEST(Scene, PullMovesTheRegionAndFadesOut) {
  const Scene scene = load(
      "mass = 1\n[[body.deform]]\nkind = \"pull\"\nby = [0, 0, 1]\nfalloff = 2\n"
      "region = { slab = { axis = \"x\", from = 1 } }\n");
  const auto z = [&](int vertex) { return scene.initial.x[3 * vertex + 2]; };
  EXPECT_DOUBLE_EQ(z(8), -0.5 + 1);    // in the region
  EXPECT_DOUBLE_EQ(z(4), -0.5 + 0.5);  // half-way
  EXPECT_DOUBLE_EQ(z(0), -0.5);        // at the falloff's end
}

// 3s² − 2s³, s from one in the region to zero at the falloff's end.
TEST(Scene, PullFadesOutSmoothly) {
  const Scene scene = load(
      "mass = 1\n[[body.deform]]\nkind = \"pull\"\nby = [0, 0, 1]\nfalloff = 4\n"
      "region = { slab = { axis = \"x\", from = 1 } }\n");
  const auto z = [&](int vertex) { return scene.initial.x[3 * vertex + 2]; };
  EXPECT_DOUBLE_EQ(z(4), -0.5 + 27 / 32.0);
  EXPECT_DOUBLE_EQ(z(0), -0.5 + 0.5);
}

TEST(Scene, RegionsOfEveryKind) {
  const auto fixed = [](const std::string& region) {
    const Scene scene = load("mass = 1\nfix = [{ " + region + " }]");
    std::vector<int> vertices;
    for (int i = 0; i < scene.system->vertices(); ++i) {
      if (scene.system->embedding().fixed(i)) vertices.push_back(i);
    }
    return vertices;
  };
  // Four vertices each at x = −1, 0 and 1.
  const std::vector<int> right{8, 9, 10, 11};
  EXPECT_EQ(fixed("half_space = { point = [0.5, 0, 0], normal = [2, 0, 0] }"), right);
  EXPECT_EQ(fixed("ball = { center = [1, 0, 0], radius = 0.8 }"), right);
  EXPECT_EQ(fixed("box = { min = [0.5, -1, -1], max = [1, 1, 1] }"), right);
  EXPECT_EQ(fixed("slab = { axis = \"x\", from = 0.6 }"), right);
  EXPECT_EQ(fixed("vertices = [8, 9, 10, 11]"), right);
  EXPECT_EQ(fixed("all = true").size(), 12u);
}

// The keys of a region stand in a table of their own or beside the others.
TEST(Scene, RegionsWithOrWithoutATableOfTheirOwn) {
  const std::string end = "slab = { axis = \"x\", from = 1 }";
  const auto both = [&](const std::string& before, const std::string& after) {
    const Scene inside = load("mass = 1\n" + before + "region = { " + end + " }" + after);
    const Scene beside = load("mass = 1\n" + before + end + after);
    EXPECT_EQ(inside.system->embedding().fixed_count(), beside.system->embedding().fixed_count())
        << before;
    EXPECT_EQ(inside.bodies().springs, beside.bodies().springs) << before;
    EXPECT_EQ(inside.initial.x, beside.initial.x) << before;
    return beside.system->embedding().fixed_count();
  };
  EXPECT_EQ(both("fix = [{ ", " }]"), 4);
  both("attach = [{ stiffness = 2, ", " }]");
  both("force = [{ kind = \"drag\", rate = 1, ", " }]");
  both("deform = [{ kind = \"pull\", by = [0, 0, 1], ", " }]");
  both("script = [{ keys = [{ t = 0 }, { t = 1, shift = [1, 0, 0] }], ", " }]");
  EXPECT_THROW((void)load("mass = 1\nfix = [{ all = true, region = { all = true } }]"), InputError);
  EXPECT_THROW((void)load("mass = 1\nfix = [{ all = true, stifness = 1 }]"), InputError);
}

TEST(Scene, FailedStepsAreHalvedUnlessToldToStop) {
  EXPECT_EQ(load("mass = 1").settings.max_halvings, 6);
  EXPECT_EQ(load("mass = 1", "[solver]\nmax_halvings = 3\n").settings.max_halvings, 3);
  const Scene stops = load("mass = 1", "[solver]\non_failure = \"stop\"\n");
  EXPECT_EQ(stops.settings.max_halvings, 0);
  EXPECT_EQ(stops.settings.control.max_halvings, 0);
}

TEST(Scene, SpinsAboutTheCentreOfMass) {
  const Scene scene =
      load("mass = 4\ntranslate = [5, 0, 0]\nvelocity = [1, 0, 0]\nangular_velocity = [0, 0, 2]");
  const Invariants at = invariants(*scene.system, scene.initial);
  EXPECT_LT((at.linear_momentum - Vec3(4, 0, 0)).norm(), 1e-12);
  // Relative to the centre: a vertex at (−1, −½) moves with 2 (½, −1).
  EXPECT_LT((scene.initial.v.head<3>() - Vec3(1 + 1, -2, 0)).norm(), 1e-12);
}

TEST(Scene, FixesRegionsAndStopsThem) {
  const Scene scene =
      load("mass = 1\nvelocity = [1, 1, 1]\nfix = [{ slab = { from = 0, to = 0 } }]");
  EXPECT_EQ(scene.system->embedding().fixed_count(), 4);
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(scene.system->embedding().fixed(i), i < 4);
    EXPECT_EQ(scene.initial.v.segment<3>(3 * i).isZero(0), i < 4);
  }
}

TEST(Scene, ReadsPositionsAndVelocitiesPerVertex) {
  const TempFolder folder;
  std::string positions = "# twelve vertices\n";
  std::string velocities;
  for (int i = 0; i < 12; ++i) {
    // No three of them on a line, no four in a plane.
    positions += std::to_string(i) + ".25 " + std::to_string(i * i) + " " +
                 std::to_string(i * i * i) + "\n\n";
    velocities += "0, " + std::to_string(i) + ", 0\r\n";
  }
  folder.write("x.txt", positions);
  folder.write("v.txt", velocities);
  const Scene scene = load_scene(folder.write(
      "s.toml", std::string(kHead) +
                    "[[body]]\nshape = { kind = \"bar\", size = [2, 1, 1], cells = [2, 1, 1] }\n"
                    "material = { mu = 3, lambda = 2 }\nmass = 1\npositions = \"x.txt\"\n"
                    "velocities = \"v.txt\"\n"));
  EXPECT_EQ(scene.initial.x[3 * 7], 7.25);
  EXPECT_EQ(scene.initial.x[3 * 7 + 2], 343);
  EXPECT_EQ(scene.initial.v[3 * 11 + 1], 11);
}

TEST(Scene, SeveralBodiesShareOneSystem) {
  const Scene scene = load(
      "mass = 1\n[[body]]\nname = \"ball\"\nshape = { kind = \"ball\", radius = 1, cells = 2 }\n"
      "mass = 2\nmaterial = { model = \"neo-hookean\", young = 10, poisson = 0.3 }\n"
      "translate = [9, 0, 0]\n",
      "[world]\ngravity = [0, 0, -10]\n");
  EXPECT_EQ(scene.bodies().names, (std::vector<std::string>{"body1", "ball"}));
  EXPECT_EQ(scene.system->vertices(), 12 + 27);
  EXPECT_EQ(scene.bodies().tets.size(), 12u + 48u);
  EXPECT_EQ(scene.bodies().tet_body.front(), 0);
  EXPECT_EQ(scene.bodies().tet_body.back(), 1);
  EXPECT_EQ(scene.system->energies().size(), 3u);
  EXPECT_FALSE(scene.system->translation_invariant());
}

TEST(Scene, StepsFromDurationAndFromOutside) {
  const TempFolder folder;
  const auto file = folder.write("s.toml",
                                 "[integrator]\nstep = 0.1\nduration = 2.5\n[[body]]\nmass = 1\n"
                                 "shape = { kind = \"bar\", size = [1, 1, 1], cells = [1, 1, 1] }\n"
                                 "material = { mu = 1, lambda = 1 }\n");
  EXPECT_EQ(load_scene(file).settings.steps, 25);
  EXPECT_EQ(load_scene(file, {.steps = 7}).settings.steps, 7);
}

TEST(Scene, OneToleranceStandsForBoth) {
  const TempFolder folder;
  const auto file = folder.write("s.toml",
                                 "[integrator]\nstep = 0.1\nsteps = 3\n"
                                 "[system]\nkind = \"kepler\"\n");
  const auto tolerances = [&](std::vector<std::string> settings) {
    const SolverOptions s = load_scene(file, {.settings = std::move(settings)}).settings.solver;
    return std::pair{s.energy_tolerance, s.velocity_tolerance};
  };
  EXPECT_EQ(tolerances({}), (std::pair{1e-14, 1e-13}));
  EXPECT_EQ(tolerances({"solver.tolerance=1e-6"}), (std::pair{1e-6, 10 * 1e-6}));
  EXPECT_EQ(tolerances({"solver.energy_tolerance=1e-8"}), (std::pair{1e-8, 10 * 1e-8}));
  EXPECT_EQ(tolerances({"solver.velocity_tolerance=1e-5"}), (std::pair{1e-14, 1e-5}));
  EXPECT_EQ(tolerances({"solver.tolerance=1e-6", "solver.energy_tolerance=1e-8",
                        "solver.velocity_tolerance=1e-4"}),
            (std::pair{1e-8, 1e-4}));
}

TEST(Scene, StepControlRunsForATimeAndIsResolved) {
  const TempFolder folder;
  const std::string system = "[system]\nkind = \"kepler\"\n";
  const auto file = folder.write("s.toml",
                                 "[integrator]\nmethod = \"stoermer-verlet\"\nstep = 0.1\n"
                                 "duration = 2.53\n[step_control]\nkind = \"reversible\"\n"
                                 "exponent = 0.5\nmax_step = 0.7\n" +
                                     system);
  const Scene scene = load_scene(file);
  EXPECT_TRUE(scene.settings.variable_steps());
  EXPECT_EQ(scene.settings.duration, 2.53);  // not rounded to whole steps
  EXPECT_EQ(scene.settings.control.exponent, 0.5);
  EXPECT_EQ(scene.settings.control.max_step, 0.7);
  EXPECT_FALSE(scene.settings.control.min_step.has_value());
  EXPECT_EQ(scene.settings.control.step, 0.1);
  EXPECT_EQ(scene.settings.control.max_halvings, scene.settings.max_halvings);
  const Scene again = load_scene(folder.write("again.toml", scene.resolved));
  EXPECT_EQ(again.resolved, scene.resolved);
  EXPECT_EQ(again.settings.control.kind, StepControlKind::reversible);
  EXPECT_EQ(again.settings.control.max_step, 0.7);
  EXPECT_EQ(again.settings.duration, 2.53);

  EXPECT_EQ(load_scene(file, {.steps = 7}).settings.duration, 7 * 0.1);
  // Keys of the scene's kind do not hinder another from outside.
  const Scene other =
      load_scene(file, {.settings = {"step_control.kind=error", "step_control.tolerance=1e-5"}});
  EXPECT_EQ(other.settings.control.tolerance, 1e-5);
  EXPECT_EQ(other.resolved.find("exponent"), std::string::npos);
  const Scene fixed = load_scene(file, {.settings = {"step_control.kind=fixed"}});
  EXPECT_FALSE(fixed.settings.variable_steps());
  EXPECT_EQ(fixed.settings.duration, 2.53);
  EXPECT_EQ(fixed.settings.steps, 26);  // the last two are shorter
}

// Every shipped scene loads, and its resolved form is a scene that means the same.
TEST(Scene, ResolvedFormOfEveryShippedSceneMeansTheSame) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(test::source_folder() / "scenes")) {
    if (entry.path().extension() != ".toml") continue;
    SCOPED_TRACE(entry.path().filename().string());
    const Scene scene = load_scene(entry.path());
    const TempFolder folder;
    const Scene again = load_scene(folder.write("again.toml", scene.resolved));
    EXPECT_EQ(again.initial.x, scene.initial.x);
    EXPECT_EQ(again.initial.v, scene.initial.v);
    EXPECT_EQ(again.settings.scheme.label, scene.settings.scheme.label);
    EXPECT_EQ(again.settings.step, scene.settings.step);
    EXPECT_EQ(again.settings.steps, scene.settings.steps);
    EXPECT_EQ(again.settings.duration, scene.settings.duration);
    EXPECT_EQ(again.settings.control.kind, scene.settings.control.kind);
    EXPECT_EQ(again.settings.control.max_step, scene.settings.control.max_step);
    EXPECT_EQ(again.system->embedding().fixed_count(), scene.system->embedding().fixed_count());
    EXPECT_EQ(invariants(*again.system, again.initial).total,
              invariants(*scene.system, scene.initial).total);
    EXPECT_EQ(again.resolved, scene.resolved);
    ++count;
  }
  EXPECT_GE(count, 6);
}

TEST(Scene, ConstraintsTakeTheirLengthFromTheStart) {
  const TempFolder folder;
  const auto file = folder.write(
      "s.toml", std::string(kHead) +
                    "[world]\nproject_velocities = true\n"
                    "[[body]]\nname = \"a\"\nmass = 1\nmaterial = { mu = 3, lambda = 2 }\n"
                    "shape = { kind = \"bar\", size = [2, 1, 1], cells = [2, 1, 1] }\n"
                    "velocity = [1, 2, 3]\n"
                    "[[body]]\nname = \"b\"\nmass = 1\nmaterial = { mu = 3, lambda = 2 }\n"
                    "shape = { kind = \"box\", size = [1, 1, 1], cells = [1, 1, 1] }\n"
                    "translate = [5, 0, 0]\n"
                    "[[constraint]]\nkind = \"distance\"\nbody = \"a\"\nother_body = \"b\"\n"
                    "between = [11, 0]\n"
                    "[[constraint]]\nkind = \"distance\"\nbody = \"a\"\nvertex = 0\n"
                    "point = [-1, -0.5, 2.5]\n"
                    "[[constraint]]\nkind = \"plane\"\nbody = \"b\"\nnormal = [1, 0, 0]\n"
                    "region = { slab = { axis = \"x\", from = 1 } }\n");
  const Scene scene = load_scene(file);
  const auto constraints = scene.system->constraints();
  ASSERT_EQ(constraints.size(), 6U);
  EXPECT_EQ(constraints[0]->name(), "distance between vertices 11 and 12");
  EXPECT_EQ(constraints[1]->name(), "distance of vertex 0 from [-1, -0.5, 2.5]");
  EXPECT_NEAR(constraints[1]->scale(), 9, 1e-12);  // length²
  EXPECT_NE(constraints[2]->name().find("vertex 16 on the plane through [5.5, "), std::string::npos)
      << constraints[2]->name();
  // Velocities were projected, and what was resolved loads to the same.
  EXPECT_NEAR(scene.initial.v[2], 0, 1e-12);
  EXPECT_GT(scene.initial.v.head<3>().norm(), 1);
  const Scene again = load_scene(folder.write("r.toml", scene.resolved));
  EXPECT_EQ(again.resolved, scene.resolved);
  EXPECT_EQ((again.initial.v - scene.initial.v).norm(), 0);
}

TEST(Scene, KeepsMaterialAndDampingOfTheFirstBody) {
  const Scene plain = load("mass = 6");
  ASSERT_TRUE(plain.bodies().material.has_value());
  EXPECT_EQ(plain.bodies().material->mu, 3);
  EXPECT_EQ(plain.bodies().material->lambda, 2);
  ASSERT_TRUE(plain.bodies().damping.has_value());
  EXPECT_EQ(plain.bodies().damping->mass, 0);
  EXPECT_EQ(plain.bodies().damping->stiffness, 0);
  const Scene damped = load("mass = 6\ndamping = { mass = 0.5, stiffness = 0.25 }\n");
  EXPECT_EQ(damped.bodies().damping->mass, 0.5);
  EXPECT_EQ(damped.bodies().damping->stiffness, 0.25);
  const Scene strain = load("mass = 6\ndamping = { model = \"strain\", time = 0.1 }\n");
  EXPECT_EQ(strain.bodies().damping->stiffness, 0);

  const TempFolder folder;
  const std::string cloth =
      "[[body]]\nmass = 1\nshape = { kind = \"grid\", size = [1, 1], cells = [2, 2] }\n";
  const auto of = [&](const std::string& text) {
    return load_scene(folder.write("s.toml", kHead + text));
  };
  EXPECT_EQ(of(cloth + "material = { mu = 5, lambda = 4 }\n").bodies().material->lambda, 4);
  EXPECT_FALSE(
      of(cloth + "material = { young = 5, poisson = 0.3 }\n").bodies().material.has_value());
  EXPECT_FALSE(of(cloth + "springs = { stretch = 5 }\n").bodies().material.has_value());
  const Scene system = of("[system]\nkind = \"pendulum\"\n");
  EXPECT_FALSE(system.bodies().material.has_value());
  EXPECT_FALSE(system.bodies().damping.has_value());
}

// Each parameter of each small system may be given alone: none is a misspelling of another.
TEST(SceneSystem, EveryParameterCanStandAlone) {
  const TempFolder folder;
  for (const Problem& problem : problems()) {
    for (const ParameterSpec& p : problem.parameters) {
      const double value =
          std::get<double>(*p.default_value) + (p.name == "eccentricity" ? 0.1 : 1);
      const auto file = folder.write(
          "s.toml",
          "[integrator]\nstep = 0.1\nsteps = 1\nmethod = \"stoermer-verlet\"\n[system]\nkind = \"" +
              problem.name + "\"\n" + p.name + " = " + std::to_string(value) + "\n");
      EXPECT_NO_THROW(static_cast<void>(load_scene(file))) << problem.name << " " << p.name;
    }
  }
}

// A method exchanged from outside does not choke on values meant for the scene's own.
TEST(SceneSettings, ExchangedMethodsIgnoreWhatTheyDoNotUnderstand) {
  const TempFolder folder;
  const auto file = folder.write("s.toml",
                                 "[integrator]\nstep = 0.1\nsteps = 1\nmethod = "
                                 "\"avf\"\nquadrature = \"auto\"\n[system]\nkind = "
                                 "\"pendulum\"\n");
  EXPECT_EQ(load_scene(file).settings.scheme.label, "avf(auto)");
  EXPECT_EQ(
      load_scene(file, {.settings = {"integrator.method=hp-quadrature"}}).settings.scheme.label,
      "hp-quadrature(simpson)");
  EXPECT_EQ(load_scene(file, {.settings = {"integrator.method=rk4"}}).settings.scheme.label, "rk4");
  EXPECT_THROW(static_cast<void>(load_scene(file, {.settings = {"integrator.method=hp-quadrature",
                                                                "integrator.quadrature=auto"}})),
               InputError);
}

}  // namespace
}  // namespace lilyan::test::scene_test
