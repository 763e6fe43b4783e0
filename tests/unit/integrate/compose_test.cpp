#include <gtest/gtest.h>

#include "lilyan/integrate/integrator.hpp"
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
  Body body({.material = "neo-hookean", .mu = 10, .lambda = 10});
  Vector push = Vector::Zero(body.rest.size());
  for (int i = 0; i < body.system.vertices(); ++i) push[3 * i + 1] = body.rest[3 * i];
  body.system.add(std::make_unique<Drive>(push, DriveTiming{.frequency = 1, .phase = 0.3}));
  const auto run = [&](const Scheme& scheme, int n) {
    const auto integrator = make_integrator(body.system, scheme, {});
    State state = body.moving(1.1, 0.5);
    for (int k = 0; k < n; ++k) EXPECT_TRUE(succeeded(integrator->step(state, 0.5 / n).status));
    return state;
  };
  const Scheme scheme =
      make_scheme("kahan-li", {{"order", 6.0}, {"base", "avf"}, {"quadrature", "auto"}});
  const State truth = run(make_scheme("gauss", {{"stages", 4.0}}), 60);
  std::vector<double> log_h, log_error;
  for (const int n : {4, 6, 8, 12}) {
    log_h.push_back(-std::log(n));
    log_error.push_back(std::log(state_distance(body.system, run(scheme, n), truth)));
  }
  EXPECT_GT(fit(log_h, log_error).slope, 5);
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
