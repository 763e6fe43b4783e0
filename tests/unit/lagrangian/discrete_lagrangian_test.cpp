#include "lilyan/lagrangian/discrete_lagrangian.hpp"

#include <gtest/gtest.h>

#include "lilyan/control/make_integrator.hpp"
#include "lilyan/numeric/quadrature.hpp"
#include "support/lagrangians.hpp"

namespace lilyan::discrete_lagrangian_test {
namespace {

TEST(DiscreteLagrangian, DerivativesAgreeWithDifferences) {
  const auto l = automatic_lagrangian<2>(test::Charge{});
  const DiscreteLagrangian d(*l, gauss(2).nodes, 0.1);
  const Vector a = Eigen::Vector2d(0.3, 0.1), b = Eigen::Vector2d(0.36, 0.05);
  const Vector d1 = d.D1(0, a, b), d2 = d.D2(0, a, b);
  for (int i = 0; i < 2; ++i) {
    const Vector e = 1e-6 * Vector::Unit(2, i);
    EXPECT_NEAR(d1[i], (d.value(0, a + e, b) - d.value(0, a - e, b)) / 2e-6, 1e-8);
    EXPECT_NEAR(d2[i], (d.value(0, a, b + e) - d.value(0, a, b - e)) / 2e-6, 1e-8);
  }
}

TEST(DiscreteLagrangian, StartsFromRest) {
  const auto l = automatic_lagrangian<1>(
      [](const auto& q, const auto& v) { return 0.5 * v[0] * v[0] + cos(q[0]); });
  for (const double c : {0.0, 0.5}) {
    for (const double p : {0.0, 1e-12, 1e-8}) {
      const DiscreteLagrangian d(*l, {{c, 1}}, 0.1);
      const auto end = d.advance(0, Vector::Constant(1, 1.0), Vector::Constant(1, p));
      EXPECT_NEAR(end.p[0], p - 0.1 * std::sin(1.0), 1e-3);
    }
  }
}

// The discrete Euler–Lagrange and the position–momentum form and the Hamilton–Pontryagin equations
// are the same motion.
TEST(DiscreteLagrangian, ThreeFormsAgree) {
  const double h = 0.05;
  for (const bool midpoint : {true, false}) {
    const Scheme scheme = midpoint ? make_scheme("implicit-midpoint")
                                   : make_scheme("hp-quadrature", {{"quadrature", "simpson"}});
    const std::vector<Node> nodes = midpoint ? gauss(1).nodes : simpson().nodes;
    const System system(automatic_lagrangian<2>(test::DoublePendulum{}));
    const DiscreteLagrangian discrete(*system.lagrangian(), nodes, h);
    State state = test::state_of({1.2, -0.5}, {0.1, 0.4});
    Vector p(2);
    system.lagrangian()->evaluate(0, state.x.data(), state.v.data(), {.v = p.data()});
    DiscreteLagrangian::Momentum at{state.x, p};
    Vector now;
    const auto integrator = make_integrator(system, scheme, {});
    for (int k = 0; k < 40; ++k) {
      now = at.q;
      at = discrete.advance(0, at.q, at.p);
      ASSERT_TRUE(succeeded(integrator->step(state, h).status));
      EXPECT_LE((state.x - at.q).norm(), 1e-12);
    }
    // From here on by positions alone.
    Vector q0 = now, q1 = at.q;
    for (int k = 0; k < 20; ++k) {
      Vector q2 = discrete.next(0, q0, q1);
      at = discrete.advance(0, at.q, at.p);
      EXPECT_LE((q2 - at.q).norm(), 1e-11);
      q0.swap(q1);
      q1.swap(q2);
    }
  }
}

}  // namespace
}  // namespace lilyan::discrete_lagrangian_test
