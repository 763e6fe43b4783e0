#include "lilyan/lagrangian/automatic.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <functional>

#include "support/lagrangians.hpp"

namespace lilyan::automatic_test {
namespace {

using Matrix = Eigen::MatrixXd;

// All derivatives of a Lagrangian against central differences.
void expect_derivatives(const Lagrangian& l, const Vector& q, const Vector& v, double t) {
  const Eigen::Index n = q.size();
  Vector by_q(n), by_v(n);
  double by_t = 0;
  Matrix qq(n, n), qv(n, n), vv(n, n);
  const LagrangianDerivatives all{.q = by_q.data(),
                                  .v = by_v.data(),
                                  .t = &by_t,
                                  .qq = qq.data(),
                                  .qv = qv.data(),
                                  .vv = vv.data()};
  const double value = l.evaluate(t, q.data(), v.data(), all);
  EXPECT_DOUBLE_EQ(value, l.evaluate(t, q.data(), v.data(), {}));
  const double e = 1e-5;
  const auto gradients = [&](const Vector& at_q, const Vector& at_v) {
    Vector both(2 * n);
    l.evaluate(t, at_q.data(), at_v.data(), {.q = both.data(), .v = both.data() + n});
    return both;
  };
  const auto L = [&](double at_t, const Vector& at_q, const Vector& at_v) {
    return l.evaluate(at_t, at_q.data(), at_v.data(), {});
  };
  EXPECT_NEAR(by_t, (L(t + e, q, v) - L(t - e, q, v)) / (2 * e), 1e-8);
  for (Eigen::Index j = 0; j < n; ++j) {
    const Vector d = e * Vector::Unit(n, j);
    EXPECT_NEAR(by_q[j], (L(t, q + d, v) - L(t, q - d, v)) / (2 * e), 1e-8);
    EXPECT_NEAR(by_v[j], (L(t, q, v + d) - L(t, q, v - d)) / (2 * e), 1e-8);
    const Vector along_q = (gradients(q + d, v) - gradients(q - d, v)) / (2 * e);
    const Vector along_v = (gradients(q, v + d) - gradients(q, v - d)) / (2 * e);
    EXPECT_LE((qq.col(j) - along_q.head(n)).norm(), 1e-8);
    EXPECT_LE((qv.col(j) - along_v.head(n)).norm(), 1e-8);
    EXPECT_LE((vv.col(j) - along_v.tail(n)).norm(), 1e-8);
  }
}

TEST(AutomaticLagrangian, DerivativesAgreeWithDifferences) {
  const Vector q2 = Eigen::Vector2d(0.7, -0.4), v2 = Eigen::Vector2d(0.3, 1.1);
  expect_derivatives(*automatic_lagrangian<2>(test::DoublePendulum{}), q2, v2, 0);
  expect_derivatives(*automatic_lagrangian<2>(test::Charge{}), q2, v2, 0);
  expect_derivatives(*automatic_lagrangian<1>(test::ShakenPendulum{}), Vector::Constant(1, 0.7),
                     Vector::Constant(1, -0.2), 0.3);
}

TEST(AutomaticForce, DerivativesAgreeWithDifferences) {
  const auto force = automatic_force<2>([](const auto& q, const auto& v, const auto& t) {
    return std::array{-0.3 * v[0] * v[0] * v[0] + q[1] * t, sin(q[0] * v[1])};
  });
  const auto rayleigh = rayleigh_force<2>([](const auto& q, const auto& v) {
    return 0.5 * (1.0 + q[0] * q[0]) * v[0] * v[0] + pow(v[1], 4);
  });
  EXPECT_FALSE(force->dissipates());
  EXPECT_TRUE(rayleigh->dissipates());
  const Vector q = Eigen::Vector2d(0.7, -0.4), v = Eigen::Vector2d(0.3, 1.1);
  for (const Force* f : {force.get(), rayleigh.get()}) {
    Matrix by_q = Matrix::Zero(2, 2), by_v = Matrix::Zero(2, 2);
    ASSERT_TRUE(f->add_derivatives(0.2, q.data(), v.data(), by_q.data(), by_v.data()));
    const double e = 1e-5;
    const auto F = [&](const Vector& at_q, const Vector& at_v) {
      Vector sum = Vector::Zero(2);
      f->add(0.2, at_q.data(), at_v.data(), sum.data());
      return sum;
    };
    for (int j = 0; j < 2; ++j) {
      const Vector d = e * Vector::Unit(2, j);
      EXPECT_LE((by_q.col(j) - (F(q + d, v) - F(q - d, v)) / (2 * e)).norm(), 1e-8);
      EXPECT_LE((by_v.col(j) - (F(q, v + d) - F(q, v - d)) / (2 * e)).norm(), 1e-8);
    }
  }
}

TEST(AutomaticConstraint, JacobianAgreesWithDifferences) {
  const auto g = automatic_constraint<3, 2>("curve", [](const auto& q) {
    return std::array{q[0] * q[0] + q[1] * q[1] - 1.0, q[2] - sin(q[0] * q[1])};
  });
  const Vector q = Eigen::Vector3d(0.6, 0.8, 0.2);
  Eigen::Matrix<double, 2, 3, Eigen::RowMajor> jacobian;
  Vector value(2), plus(2), minus(2);
  g->evaluate(q.data(), value.data(), jacobian.data());
  EXPECT_NEAR(value[0], 0, 1e-15);
  for (int j = 0; j < 3; ++j) {
    const Vector d = 1e-5 * Vector::Unit(3, j);
    const Vector after = q + d, before = q - d;
    g->evaluate(after.data(), plus.data(), nullptr);
    g->evaluate(before.data(), minus.data(), nullptr);
    EXPECT_LE((jacobian.col(j) - (plus - minus) / 2e-5).norm(), 1e-9);
  }
}

}  // namespace
}  // namespace lilyan::automatic_test
