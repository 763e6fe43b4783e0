// The scene everything is about: the bunny of the AVF paper at a step of 0.033 s.
#include <gtest/gtest.h>

#include <filesystem>

#include "app/run/runner.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/conservation/drift.hpp"
#include "support/paths.hpp"

namespace lilyan::test::bunny_test {
namespace {

struct Outcome {
  RunSummary summary;
  double start = 0;
  double end = 0;
  double worst = 0;  // |ΔE|/E₀
};

Outcome run_bunny(const std::string& method, int steps) {
  const Scene scene = load_scene(test::source_folder() / "scenes" / "bunny.toml",
                                 {.settings = {"integrator.method=" + method}, .steps = steps});
  DriftTracker drift(*scene.system, scene.initial, invariants(*scene.system, scene.initial));
  Outcome outcome{.start = drift.start().total};
  outcome.summary = run_scene(scene, drift, [&](const RunMoment& moment) {
    outcome.end = moment.invariants.total;
    return true;
  });
  outcome.worst = drift.energy().worst_relative();
  return outcome;
}

// Every step converged as asked, none in pieces: the methods are judged, not the solver.
void expect_solved(const Outcome& outcome, int steps) {
  EXPECT_EQ(outcome.summary.end, RunEnd::finished);
  EXPECT_EQ(outcome.summary.steps, steps);
  EXPECT_EQ(outcome.summary.halved_steps, 0);
}

TEST(Bunny, AvfKeepsTheEnergyOverAllFramesOfThePaper) {
  const Outcome outcome = run_bunny("avf", 310);
  expect_solved(outcome, 310);
  EXPECT_LE(outcome.worst, 1e-12);
  EXPECT_LE(outcome.summary.worst_imbalance, 1e-14 * outcome.start);
}

TEST(Bunny, MidpointExplodes) {
  const Outcome outcome = run_bunny("implicit-midpoint", 25);
  expect_solved(outcome, 25);
  EXPECT_GT(outcome.end, 30 * outcome.start);
}

TEST(Bunny, NewmarkExplodes) {
  const Outcome outcome = run_bunny("newmark", 25);
  expect_solved(outcome, 25);
  EXPECT_GT(outcome.end, 5 * outcome.start);
}

TEST(Bunny, BackwardEulerLosesMostOfTheEnergy) {
  const Outcome outcome = run_bunny("backward-euler", 25);
  expect_solved(outcome, 25);
  EXPECT_LT(outcome.end, 0.05 * outcome.start);
}

}  // namespace
}  // namespace lilyan::test::bunny_test
