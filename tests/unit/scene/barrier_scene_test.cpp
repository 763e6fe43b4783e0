// Scenes in which nothing passes through anything: obstacles and contacts that give no stiffness.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/run/conservation.hpp"
#include "app/run/runner.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/control/make_integrator.hpp"
#include "lilyan/control/step_control.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test::barrier_scene_test {
namespace {

std::string head(const std::string& method, int steps) {
  return "[integrator]\nmethod = \"" + method +
         "\"\nstep = 0.0166667\nsteps = " + std::to_string(steps) + "\n";
}
const std::string kGravity = "[world]\ngravity = [0, -9.81, 0]\n";

std::string block(const std::string& name, const std::string& more) {
  return "[[body]]\nname = \"" + name +
         "\"\nshape = { kind = \"box\", size = [0.2, 0.2, 0.2], cells = [1, 1, 1] }\n"
         "density = 1000\nmaterial = { model = \"neo-hookean\", young = 1e5, poisson = 0.3 }\n" +
         more;
}

Scene load(const std::string& text) {
  const TempFolder folder;
  return load_scene(folder.write("scene.toml", text));
}

std::string fault(const std::string& text) {
  try {
    (void)load(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

struct Outcome {
  Kept energy;
  FinishedRun run;
  Invariants before;
};

Outcome run(const Scene& scene) {
  DriftTracker drift = follow_drift(scene);
  const Invariants before = invariants(*scene.system, scene.initial);
  FinishedRun summary = run_scene(scene, drift, [](const RunMoment&) { return true; });
  EXPECT_EQ(summary.end, RunEnd::finished) << summary.message;
  return {drift.energy().kept(), summary, before};
}

// A block falls onto each kind of obstacle, from a gap of 1 cm.
TEST(BarrierScene, ObstaclesOfEveryKindHoldAndKeepTheEnergy) {
  const std::vector<std::string> obstacles = {
      "kind = \"plane\"\n",
      "kind = \"sphere\"\ncenter = [0, -0.3, 0]\nradius = 0.3\n",
      "kind = \"capsule\"\nfrom = [-0.5, -0.1, 0]\nto = [0.5, -0.1, 0.05]\nradius = 0.1\n",
      "kind = \"box\"\ncenter = [0, -0.1, 0]\nsize = [0.3, 0.2, 0.3]\n",
      "kind = \"sphere\"\ncenter = [0, 1.79, 0]\nradius = 1.8\ninside = true\n",
      "kind = \"box\"\ncenter = [0, 1, 0]\nsize = [2, 2, 2]\ninside = true\n",
      "kind = \"capsule\"\nfrom = [0, 1.79, 0]\nto = [0, 3, 0]\nradius = 1.8\ninside = true\n"};
  for (const std::string& obstacle : obstacles) {
    const Scene scene =
        load(head("avf", 12) + kGravity +
             block("block", "translate = [0.01, 0.111, 0]\nvelocity = [0, -1, 0]\n") +
             "[[obstacle]]\n" + obstacle);
    const Outcome outcome = run(scene);
    EXPECT_EQ(outcome.energy, Kept::conserved) << obstacle;
    EXPECT_GT(outcome.run.gap.most_pairs, 0) << obstacle;
    EXPECT_GT(outcome.run.gap.smallest, 0.01) << obstacle;
    EXPECT_LT(outcome.run.gap.smallest, 1) << obstacle;
    // It is thrown back, and has not gone on falling.
    const double fallen = 0.2 * 1 + 0.5 * 9.81 * 0.04;
    EXPECT_GT(scene.initial.x[1], 0);
    EXPECT_LT(
        outcome.before.of(EnergyKind::gravity) - outcome.run.invariants.of(EnergyKind::gravity),
        0.8 * 8 * 9.81 * fallen)
        << obstacle;
  }
}

// An obstacle that moves does work, and the ledger has it.
TEST(BarrierScene, ObstaclesThatMovePush) {
  const Scene scene =
      load(head("avf", 20) + block("block", "") +
           "[[obstacle]]\nname = \"piston\"\nkind = \"box\"\ncenter = [-0.21, 0, 0]\n"
           "size = [0.2, 0.3, 0.3]\nmotion = { keys = [{ t = 0 }, { t = 0.3, shift = [0.4, 0, 0] "
           "}] }\n");
  const Outcome outcome = run(scene);
  EXPECT_EQ(outcome.energy, Kept::conserved);  // less the work
  EXPECT_GT(outcome.run.ledger.work, 0.5);
  EXPECT_NEAR(outcome.run.ledger.work, outcome.run.invariants.total - outcome.before.total,
              1e-9 * outcome.run.ledger.work);
  EXPECT_GT(outcome.run.invariants.linear_momentum[0], 1);
}

// What is far away takes no momentum from bodies that collide.
TEST(BarrierScene, MomentaAreKeptWhileObstaclesAreFar) {
  const Scene scene =
      load(head("energy-momentum", 10) + block("left", "velocity = [3, 0, 0]\n") +
           block("right", "translate = [0.26, 0.05, 0.03]\nvelocity = [-3, 0, 0]\n") +
           "[[obstacle]]\nkind = \"plane\"\npoint = [0, -5, 0]\n");
  const Outcome outcome = run(scene);
  EXPECT_GT(outcome.run.gap.most_pairs, 0);
  const Vec3 change = outcome.run.invariants.angular_momentum - outcome.before.angular_momentum;
  EXPECT_LE(change.norm(), 1e-11 * outcome.before.angular_momentum.norm());
}

// 11 degrees from the top of a sphere: friction of 1 holds, and without it the block slides off.
double speed_on_sphere(const std::string& friction) {
  const Scene scene = load(
      head("avf", 20) + "[world]\ngravity = [1.87, -9.63, 0]\n" +
      block("block",
            "translate = [0, 0.101, 0]\ndamping = { model = \"kelvin-voigt\", time = 0.02 }\n") +
      "[[obstacle]]\nkind = \"sphere\"\ncenter = [0, -10, 0]\nradius = 10\nfriction = " + friction +
      "\n");
  return run(scene).run.invariants.linear_momentum.norm() / 8;
}
TEST(BarrierScene, FrictionHoldsOnASphere) {
  EXPECT_LT(speed_on_sphere("1"), 0.1);
  EXPECT_GT(speed_on_sphere("0"), 0.5);
}

TEST(BarrierScene, BodiesTouchOnceThereIsATableOrAnObstacle) {
  const std::string two = head("avf", 8) + block("a", "velocity = [4, 0, 0]\n") +
                          block("b", "translate = [0.3, 0.02, 0.01]\n");
  const auto pairs = [](const std::string& text) { return run(load(text)).run.gap.most_pairs; };
  EXPECT_EQ(pairs(two), 0);
  EXPECT_GT(pairs(two + "[[contact]]\n"), 0);
  EXPECT_GT(pairs(two + "[[obstacle]]\nkind = \"plane\"\npoint = [0, -3, 0]\n"), 0);
  EXPECT_EQ(pairs(two + "[[contact]]\nexclude = [[\"b\", \"a\"]]\n"), 0);
  EXPECT_EQ(pairs(two + "[[contact]]\nbodies = [\"a\"]\n"), 0);
}

TEST(BarrierScene, MistakesAreNamed) {
  const std::string one = head("avf", 2) + block("block", "");
  const std::string two = one + block("other", "translate = [0.25, 0, 0]\n");
  const auto says = [](const std::string& text, const std::string& what) {
    const std::string found = fault(text);
    EXPECT_NE(found.find(what), std::string::npos) << found;
  };
  says(one + block("other", "translate = [0.1, 0.05, 0.01]\n") + "[[contact]]\n",
       "'other' at the start");
  says(
      one + "[[obstacle]]\nname = \"ball\"\nkind = \"sphere\"\ncenter = [0, 0, 0]\nradius = 0.15\n",
      "'ball' reaches into 'block' at the start");
  says(two + "[[contact]]\nexclude = [[\"block\", \"thing\"]]\n",
       "there is no body or obstacle 'thing'; there are block, other");
  says(two + "[[contact]]\nexclude = [\"block\"]\n", "a list of pairs of texts");
  says(two + "[[contact]]\nreach = -1\n", "must be positive");
  says(one +
           "[[obstacle]]\nkind = \"plane\"\npoint = [0, -1, 0]\n"
           "motion = { axis = [1, 0, 0], keys = [{ t = 0 }, { t = 1, angle = 90 }] }\n",
       "can move but not turn");
  says(head("rk4", 2) + block("block", "") + "[[obstacle]]\nkind = \"plane\"\npoint = [0, -1, 0]\n",
       "cannot keep bodies from passing through each other");
}

}  // namespace
}  // namespace lilyan::test::barrier_scene_test
