// The energy–momentum method over long runs at large steps: energy, linear and angular momentum
// together, at thirteen digits, every step solved whole.
#include <gtest/gtest.h>

#include <filesystem>

#include "app/scene/scene.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/control/make_integrator.hpp"
#include "lilyan/lagrangian/problem.hpp"
#include "support/body.hpp"
#include "support/paths.hpp"
#include "support/schemes.hpp"

namespace lilyan::test::energy_momentum_test {
namespace {

struct Outcome {
  double energy = 0, linear = 0, angular = 0;  // worst relative change
  double elastic_swing = 0;                    // relative to the total energy
  int failed = 0, iterations = 0;
};

Outcome run(const System& system, State state, const Scheme& scheme, double h, int steps) {
  Outcome outcome;
  const auto integrator = make_integrator(system, scheme, {});
  const Invariants first = invariants(system, state);
  double least = first.of(EnergyKind::elastic), most = least;
  for (int k = 0; k < steps; ++k) {
    const StepReport r = integrator->step(state, h);
    if (!succeeded(r.status)) {
      ++outcome.failed;
      return outcome;
    }
    outcome.iterations += r.solver_work.iterations;
    outcome.energy = std::max(outcome.energy, std::abs(r.after.total / first.total - 1));
    outcome.linear =
        std::max(outcome.linear, (r.after.linear_momentum - first.linear_momentum).norm() /
                                     first.linear_momentum.norm());
    outcome.angular =
        std::max(outcome.angular, (r.after.angular_momentum - first.angular_momentum).norm() /
                                      first.angular_momentum.norm());
    least = std::min(least, r.after.of(EnergyKind::elastic));
    most = std::max(most, r.after.of(EnergyKind::elastic));
  }
  outcome.elastic_swing = (most - least) / first.total;
  std::printf("    %s: energy %.1e, linear %.1e, angular %.1e; %.2f iterations per step\n",
              scheme.label.c_str(), outcome.energy, outcome.linear, outcome.angular,
              static_cast<double>(outcome.iterations) / steps);
  return outcome;
}

void expect_conserved(const Outcome& outcome) {
  EXPECT_EQ(outcome.failed, 0);
  EXPECT_LE(outcome.energy, 1e-11);
  EXPECT_LE(outcome.linear, 1e-11);
  EXPECT_LE(outcome.angular, 1e-11);
  EXPECT_GE(outcome.elastic_swing, 0.005) << "a rigid spin proves little";
}

// scenes/spinning-bar.toml, with cells and material of one's own.
Scene spinning_bar(const std::string& cells, const std::string& material) {
  return load_scene(
      test::source_folder() / "scenes" / "spinning-bar.toml",
      {.settings = {"body.0.shape.cells=" + cells, "body.0.material.model=" + material}});
}

TEST(EnergyMomentum, SpinningBarKeepsEverything) {
  const Scene scene = spinning_bar("[20, 4, 4]", "stvk");
  expect_conserved(
      run(*scene.system, scene.initial, make_scheme("energy-momentum"), 1.0 / 30, 1000));
}

TEST(EnergyMomentum, SpinningNeoHookeanBarKeepsEverything) {
  const Scene scene = spinning_bar("[10, 2, 2]", "neo-hookean");
  expect_conserved(
      run(*scene.system, scene.initial, make_scheme("energy-momentum"), 1.0 / 30, 1000));
}

// Strongly stretched, so that the correction of the stress is at work in most elements.
TEST(EnergyMomentum, StretchedNeoHookeanBodyKeepsEverything) {
  const Body body({.cells = {4, 1, 1}, .material = "neo-hookean", .mu = 10, .lambda = 10});
  expect_conserved(
      run(body.system, body.moving(1.4, 3), make_scheme("energy-momentum"), 1.0 / 30, 1000));
}

// What the others lose on the same bar: AVF angular momentum, midpoint energy.
TEST(EnergyMomentum, NoOtherMethodKeepsBoth) {
  const Scene scene = spinning_bar("[10, 2, 2]", "stvk");
  const Outcome avf = run(*scene.system, scene.initial, make_scheme("avf"), 1.0 / 30, 300);
  EXPECT_LE(avf.energy, 1e-11);
  EXPECT_GE(avf.angular, 1e-6);
  const Outcome midpoint =
      run(*scene.system, scene.initial, make_scheme("implicit-midpoint"), 1.0 / 30, 300);
  EXPECT_LE(midpoint.angular, 1e-11);
  EXPECT_GE(midpoint.energy, 1e-4);
}

// A single point in a central field: the discrete gradient is taken in |x|².
TEST(EnergyMomentum, KeplerOrbitKeepsEnergyAndAngularMomentum) {
  const ProblemInstance p = make_problem("kepler");
  State state = p.initial;
  const Invariants first = invariants(*p.system, state);
  const auto integrator = make_integrator(*p.system, make_scheme("energy-momentum"), {});
  double energy = 0, angular = 0;
  for (int k = 0; k < 2000; ++k) {
    const StepReport r = integrator->step(state, 0.05);
    ASSERT_TRUE(succeeded(r.status)) << k << ": " << describe(r.status);
    energy = std::max(energy, std::abs(r.after.total - first.total));
    angular = std::max(angular, (r.after.angular_momentum - first.angular_momentum).norm());
  }
  std::printf("    kepler: energy %.1e, angular %.1e\n", energy, angular);
  EXPECT_LE(energy, 1e-12);
  EXPECT_LE(angular, 1e-12);
}

}  // namespace
}  // namespace lilyan::test::energy_momentum_test
