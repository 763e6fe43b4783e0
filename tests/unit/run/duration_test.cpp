// A run ends at the time that was asked for, to the last bit.
#include <gtest/gtest.h>

#include <string>

#include "app/run/conservation.hpp"
#include "app/run/runner.hpp"
#include "app/scene/scene.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test::duration_test {
namespace {

FinishedRun run(const std::string& integrator) {
  const TempFolder folder;
  const Scene scene = load_scene(folder.write(
      "s.toml", "[integrator]\nmethod = \"avf\"\n" + integrator +
                    "[system]\nkind = \"lagrangian\"\ncoordinates = [\"x\"]\n"
                    "kinetic = \"x'^2/2\"\npotential = \"x^2/2\"\nposition = { x = 1 }\n"));
  DriftTracker drift = follow_drift(scene);
  return run_scene(scene, drift, [](const RunMoment&) { return true; });
}

TEST(Duration, IsHitByStepsThatDivideIt) {
  ASSERT_NE(3 * 0.1, 0.3);
  const FinishedRun whole = run("step = 0.1\nduration = 0.3\n");
  EXPECT_EQ(whole.steps, 3);
  EXPECT_EQ(whole.t, 0.3);
  EXPECT_EQ(whole.state.t, 0.3);
  EXPECT_EQ(whole.longest_step, 0.1);
  EXPECT_EQ(whole.shortest_step, 0.1);
  EXPECT_EQ(run("step = 0.1\nduration = 0.7\n").t, 0.7);
}

TEST(Duration, IsHitByStepsThatDoNotDivideIt) {
  EXPECT_EQ(run("step = 0.1\nduration = 0.33\n").t, 0.33);
}

// Where only their number is given, they end where it says.
TEST(Duration, FollowsFromTheNumberOfSteps) {
  EXPECT_EQ(run("step = 0.1\nsteps = 3\n").t, 3 * 0.1);
}

}  // namespace
}  // namespace lilyan::test::duration_test
