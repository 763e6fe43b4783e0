// Vertices that a step carries through an obstacle.
#include "app/run/tunnelling.hpp"

#include <gtest/gtest.h>

#include "app/run/runner.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/core/drift.hpp"
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

TEST(Tunnelling, IsCounted) {
  // Four vertices at a time jump over the wall of 0.2 in steps of 2.
  const RunSummary fast = run_of(scene_with(kWall, 20));
  EXPECT_EQ(fast.passages, 8);
  EXPECT_NEAR(fast.longest_to_obstacle, 10, 0.1);
}

TEST(Tunnelling, SlowBodiesAreTurnedBack) {
  const RunSummary slow = run_of(scene_with(kWall, 1));
  EXPECT_EQ(slow.passages, 0);
  EXPECT_LT(slow.longest_to_obstacle, 1);
}

TEST(Tunnelling, IsSeenAsTheObstacleSeesIt) {
  // The body rests, the wall comes.
  const RunSummary swept = run_of(scene_with(
      std::string(kWall) +
          "motion = { easing = \"linear\", keys = [{ t = 0 }, { t = 1, shift = [-20, 0, 0] }] }\n",
      0));
  EXPECT_EQ(swept.passages, 8);
}

TEST(Tunnelling, PassingByIsNotThrough) {
  EXPECT_EQ(run_of(scene_with("kind = \"sphere\"\ncenter = [3, 5, 0]\nradius = 1\n", 20)).passages,
            0);
  EXPECT_EQ(
      run_of(scene_with("kind = \"sphere\"\ncenter = [3, 0, 0]\nradius = 1\n", 40)).passages > 0,
      true);
  // A half-space has no other side.
  EXPECT_FALSE(
      TunnelWatch(scene_with("kind = \"plane\"\nnormal = [-1, 0, 0]\npoint = [3, 0, 0]\n", 20))
          .wanted());
}

}  // namespace
}  // namespace lilyan::test::tunnelling_test
