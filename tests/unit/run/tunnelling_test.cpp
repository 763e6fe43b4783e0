// Vertices that a step carries through an obstacle.
#include "app/run/tunnelling.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "app/run/runner.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/conservation/drift.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test::tunnelling_test {
namespace {

// A block of eight vertices, one unit wide, that flies along x towards an obstacle.
Scene scene_with(const std::string& obstacle, double speed) {
  const TempFolder folder;
  return load_scene(folder.write(
      "s.toml",
      "[integrator]\nmethod = \"implicit-midpoint\"\nstep = 0.1\nsteps = 4\n"
      "[[body]]\nmass = 1\nmaterial = { mu = 30, lambda = 20 }\n"
      "shape = { kind = \"box\", size = [1, 1, 1], cells = [1, 1, 1] }\nvelocity = [" +
          std::to_string(speed) + ", 0, 0]\n[[obstacle]]\nstiffness = 1000\n" + obstacle));
}

RunSummary run_of(const Scene& scene) {
  DriftTracker drift(*scene.system, scene.initial, invariants(*scene.system, scene.initial));
  return run_scene(scene, drift, [](const RunMoment&) { return true; });
}

constexpr const char* kWall = "kind = \"box\"\ncenter = [3, 0, 0]\nsize = [0.2, 9, 9]\n";

constexpr const char* kFloor = "kind = \"plane\"\nnormal = [-1, 0, 0]\npoint = [3, 0, 0]\n";

TEST(Tunnelling, IsCounted) {
  // Four vertices at a time jump over the wall of 0.2 in steps of 2.
  const RunSummary fast = run_of(scene_with(kWall, 20));
  EXPECT_EQ(fast.passages.through_obstacles, 8);
  EXPECT_NEAR(fast.passages.longest_step, 10, 0.1);
}

TEST(Tunnelling, SlowBodiesAreTurnedBack) {
  const RunSummary slow = run_of(scene_with(kWall, 1));
  EXPECT_EQ(slow.passages.through_obstacles, 0);
  EXPECT_LT(slow.passages.longest_step, 1);
}

TEST(Tunnelling, IsSeenAsTheObstacleSeesIt) {
  // The body rests, the wall comes.
  const RunSummary swept = run_of(scene_with(
      std::string(kWall) +
          "motion = { easing = \"linear\", keys = [{ t = 0 }, { t = 1, shift = [-20, 0, 0] }] }\n",
      0));
  EXPECT_EQ(swept.passages.through_obstacles, 8);
}

TEST(Tunnelling, PassingByIsNotThrough) {
  EXPECT_EQ(run_of(scene_with("kind = \"sphere\"\ncenter = [3, 5, 0]\nradius = 1\n", 20))
                .passages.through_obstacles,
            0);
  EXPECT_EQ(run_of(scene_with("kind = \"sphere\"\ncenter = [3, 0, 0]\nradius = 1\n", 40))
                    .passages.through_obstacles > 0,
            true);
  // A half-space has no other side.
  EXPECT_EQ(run_of(scene_with(kFloor, 20)).passages.through_obstacles, 0);
}

TEST(Depth, IsTheLargestOfAnyStep) {
  for (const double speed : {0.1, 12.0}) {
    const Scene scene = scene_with(kFloor, speed);
    DriftTracker drift(*scene.system, scene.initial, invariants(*scene.system, scene.initial));
    double deepest = 0;
    const RunSummary summary = run_scene(scene, drift, [&](const RunMoment& moment) {
      for (Eigen::Index i = 0; i < moment.state.x.size(); i += 3) {
        deepest = std::max(deepest, moment.state.x[i] - 3);
      }
      return true;
    });
    EXPECT_EQ(deepest > 0, speed > 1);
    EXPECT_DOUBLE_EQ(summary.contact.deepest, deepest);
    EXPECT_DOUBLE_EQ(summary.contact.deepest_share, deepest);  // its size is 1
  }
}

// Two plates of four by four cells that fly at each other along z, each at that speed. Their vertices do not meet.
Scene plates(double speed, const std::string& contact) {
  const TempFolder folder;
  const auto plate = [](double z, double shift, double v) {
    return "[[body]]\nmass = 1\nmaterial = { mu = 300, lambda = 200 }\n"
           "shape = { kind = \"box\", size = [2, 2, 0.2], cells = [4, 4, 1] }\ntranslate = [" +
           std::to_string(shift) + ", " + std::to_string(shift) + ", " + std::to_string(z) +
           "]\nvelocity = [0, 0, " + std::to_string(v) + "]\n";
  };
  return load_scene(folder.write(
      "s.toml", "[integrator]\nmethod = \"implicit-midpoint\"\nstep = 0.1\nsteps = 4\n" +
                    plate(-0.5, 0, speed) + plate(0.5, 0.13, -speed) + "[[contact]]\n" + contact));
}

TEST(Tunnelling, OfBodiesThroughEachOtherIsCounted) {
  const std::string thin = "stiffness = 100\nthickness = 0.05\n";
  // In one step of 4 each passes all of the other: of the 25 vertices of a side those below the other plate, which is
  // shifted by half a cell, are four by four.
  const RunSummary fast = run_of(plates(20, thin));
  EXPECT_EQ(fast.passages.through_bodies, 4 * 16);
  // Slowly, contact turns them back.
  EXPECT_EQ(run_of(plates(0.5, "stiffness = 1000\nthickness = 0.1\n")).passages.through_bodies, 0);
  // No more than a distance of contact in a step, but with more energy than it has.
  EXPECT_GT(run_of(plates(1.5, "stiffness = 0.1\nthickness = 0.05\n")).passages.through_bodies, 0);
  // Without a contact bodies may pass through each other.
  EXPECT_EQ(run_of(scene_with(kWall, 1)).passages.through_bodies, 0);
}

}  // namespace
}  // namespace lilyan::test::tunnelling_test
