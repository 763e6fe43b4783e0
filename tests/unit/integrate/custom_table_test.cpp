// The interpreter reads any table, not only the registry's: HP with Simpson's quadrature has nodes
// at both ends and in the middle, and end forces at the same places.
#include <gtest/gtest.h>

#include "lilyan/diagnose/invariants.hpp"
#include "lilyan/integrate/integrator.hpp"
#include "lilyan/method/quadrature.hpp"
#include "support/body.hpp"
#include "support/symplectic.hpp"

namespace lilyan::test {
namespace {

// Theory, section 1: nodes (c, b(1−c)), p₁ = M u − h Σ b c ∇E.
Scheme hp(const Quadrature& q) {
  MinimisationTable table{.displacement = 1, .velocity = 0};
  for (const Node& n : q.nodes) {
    if (n.theta != 1) table.nodes.push_back({n.theta, n.weight * (1 - n.theta)});
    if (n.theta != 0) table.end_forces.push_back({n.theta, n.weight * n.theta});
  }
  return {.label = "hp(quadrature)", .table = table};
}

class HpQuadrature : public ::testing::TestWithParam<int> {
 protected:
  const Scheme scheme = hp(GetParam() == 0 ? simpson() : gauss(GetParam()));
};

TEST_P(HpQuadrature, ConservesMomenta) {
  const Body body;
  State state = body.moving();
  const auto integrator = make_integrator(body.system, scheme, {});
  const Invariants first = invariants(body.system, state);
  for (int k = 0; k < 100; ++k) {
    ASSERT_TRUE(succeeded(integrator->step(state, 0.05).status));
    const Invariants now = invariants(body.system, state);
    ASSERT_LE((now.angular_momentum - first.angular_momentum).norm(),
              1e-12 * first.angular_momentum.norm());
    ASSERT_LE((now.linear_momentum - first.linear_momentum).norm(),
              1e-12 * first.linear_momentum.norm());
  }
}

TEST_P(HpQuadrature, IsSymplectic) {
  const Body body;
  const auto integrator = make_integrator(body.system, scheme, {});
  EXPECT_LE(symplectic_defect(body.system, *integrator, body.moving(), 0.1), 1e-8);
}

// A wrong end rule would still run; what it does to the energy gives it away.
TEST_P(HpQuadrature, LedgerCloses) {
  const Body body({.gravity = {0, -1, 0}, .fixed = {0}});
  State state = body.moving();
  const auto integrator =
      make_integrator(body.system, scheme, {.energy_tolerance = 1e-2, .velocity_tolerance = 1e-2});
  for (int k = 0; k < 20; ++k) {
    const StepReport r = integrator->step(state, 0.05);
    ASSERT_TRUE(succeeded(r.status));
    ASSERT_NEAR(r.after.total - r.before.total, r.ledger.total(), 1e-13 * (1 + r.after.kinetic));
  }
}

INSTANTIATE_TEST_SUITE_P(Integrate, HpQuadrature, ::testing::Values(0, 1, 2, 3), [](const auto& p) {
  return p.param == 0 ? std::string("simpson") : "gauss" + std::to_string(p.param);
});

// One Gauss point is HP(½).
TEST(HpQuadratureOnePoint, IsTheMidpointRule) {
  const Body body;
  State a = body.moving(), b = a;
  const auto one = make_integrator(body.system, hp(gauss(1)), {});
  const auto two = make_integrator(body.system, make_scheme("implicit-midpoint"), {});
  for (int k = 0; k < 10; ++k) {
    one->step(a, 0.05);
    two->step(b, 0.05);
  }
  EXPECT_LE(distance(body.system, a, b), 1e-11);
}

}  // namespace
}  // namespace lilyan::test
