#include <gtest/gtest.h>

#include "lilyan/control/make_integrator.hpp"
#include "lilyan/physics/energies.hpp"
#include "lilyan/physics/forces.hpp"
#include "lilyan/verify/measure.hpp"
#include "support/body.hpp"
#include "support/schemes.hpp"

namespace lilyan::test::compose_test {
namespace {

TEST(Composition, IsItsSubsteps) {
  const Body body;
  const Scheme scheme = make_scheme("suzuki", {{"base", "avf"}});
  State whole = body.moving(), parts = whole;
  const StepReport r = make_integrator(body.system, scheme, {})->step(whole, 0.1);
  ASSERT_TRUE(succeeded(r.status));
  const auto base = make_integrator(body.system, make_scheme("avf"), {});
  Ledger sum;
  for (const double f : std::get<CompositionTable>(scheme.table).fractions) {
    sum += base->step(parts, f * 0.1).ledger;
  }
  EXPECT_LE((whole.x - parts.x).norm(), 1e-15);
  EXPECT_EQ(r.substeps, 1);
  EXPECT_EQ(r.h, 0.1);
  EXPECT_EQ(whole.t, 0.1);
  EXPECT_EQ(whole.h_previous, 0.1);
  EXPECT_EQ(whole.x_previous, body.moving().x);
  EXPECT_EQ(whole.v_previous, body.moving().v);
  EXPECT_NEAR(r.ledger.total(), sum.total(), 1e-15);
  EXPECT_NEAR(r.after.total - r.before.total, r.ledger.total(), 1e-14);
}

// A substep that fails in the middle takes the whole step back.
TEST(Composition, FailureInTheMiddleRestoresTheStart) {
  const Body body({.mu = 100, .lambda = 100});
  State state = body.moving(1.5, 3);
  const State start = state;
  const Scheme scheme = make_scheme("yoshida", {{"base", "avf"}});
  const auto integrator = make_integrator(body.system, scheme, {.newton = {.max_iterations = 4}});
  const StepReport r = integrator->step(state, 0.3);
  ASSERT_FALSE(succeeded(r.status));
  EXPECT_EQ(state.x, start.x);
  EXPECT_EQ(state.v, start.v);
  EXPECT_EQ(state.t, start.t);
  EXPECT_EQ(state.h_previous, start.h_previous);
  EXPECT_EQ(r.ledger.total(), 0);
}

TEST(Composition, NeedsASymmetricBaseOfOrderTwo) {
  const auto complaint = [](const char* base) {
    try {
      static_cast<void>(make_scheme("yoshida", {{"base", base}}));
    } catch (const ParameterError& e) {
      return std::string(e.what());
    }
    return std::string("none");
  };
  EXPECT_NE(complaint("backward-euler").find("is not symmetric"), std::string::npos);
  EXPECT_NE(complaint("suzuki").find("is of order 4"), std::string::npos);
  EXPECT_NE(complaint("avg").find("did you mean 'avf'"), std::string::npos);
  EXPECT_EQ(complaint("energy-momentum"), "none");
}

// The number of points of an adaptive average follows the potential. If the points at which a force acts did
// so too, every substep would see another rule, and the order of a composition would be lost.
TEST(Composition, KeepsItsOrderWithForcesOverAdaptiveNodes) {
  // A mass on a spring needs one point.
  System system({1});
  system.add(anchors({{0, Vec3::Zero(), 1}}));
  system.add(std::make_unique<Drive>(Vec3(1, 0, 0), DriveTiming{.frequency = 0.5, .phase = 0.3}));
  const auto run = [&](const Scheme& scheme, int n) {
    const auto integrator = make_integrator(system, scheme, {});
    State state{.x = Vec3(1, 0, 0), .v = Vec3(0, 0.5, 0)};
    for (int k = 0; k < n; ++k) EXPECT_TRUE(succeeded(integrator->step(state, 2.0 / n).status));
    return state;
  };
  const State truth = run(make_scheme("gauss", {{"stages", 4.0}}), 200);
  const Scheme scheme =
      make_scheme("kahan-li", {{"order", 6.0}, {"base", "avf"}, {"quadrature", "auto"}});
  std::vector<double> log_h, log_error;
  for (const int n : {5, 10, 20}) {
    log_h.push_back(-std::log(n));
    log_error.push_back(std::log(state_distance(system, run(scheme, n), truth)));
  }
  EXPECT_NEAR(fit(log_h, log_error).slope, 6, 0.2);
}

// Two-step methods with steps of all sizes: coefficients of equal steps would give order one.
TEST(Bdf2, KeepsItsOrderWithVariableSteps) {
  const ProblemInstance& problem = verification_problem("henon-heiles");
  const auto run = [&](const Scheme& scheme, int n) {
    const auto integrator = make_integrator(*problem.system, scheme, {});
    State state = problem.initial;
    const double h = 2.0 / (3 * n);  // steps h, 2h, h, 2h, …
    for (int k = 0; k < 2 * n; ++k) {
      EXPECT_TRUE(succeeded(integrator->step(state, k % 2 ? 2 * h : h).status));
    }
    return state;
  };
  const State truth = run(make_scheme("blanes-moan", {{"order", 6.0}}), 500);
  std::vector<double> log_h, log_error;
  for (const int n : {40, 80, 160, 320}) {
    log_h.push_back(-std::log(n));
    log_error.push_back(
        std::log(state_distance(*problem.system, run(make_scheme("bdf2"), n), truth)));
  }
  EXPECT_NEAR(fit(log_h, log_error).slope, 2, 0.1);
}

}  // namespace
}  // namespace lilyan::test::compose_test
