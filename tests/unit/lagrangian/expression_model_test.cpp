#include "lilyan/lagrangian/expression_model.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "lilyan/base/error.hpp"
#include "lilyan/control/make_integrator.hpp"
#include "lilyan/lagrangian/expression_parts.hpp"
#include "lilyan/lagrangian/expression_text.hpp"
#include "support/dense.hpp"
#include "support/lagrangians.hpp"

namespace lilyan::expression_model_test {
namespace {

ExpressionModel double_pendulum() {
  ExpressionModel m;
  m.add_coordinate("a");
  m.add_coordinate("b");
  m.finish_coordinates();
  m.set_kinetic("a'^2 + b'^2/2 + a'*b'*cos(a - b)");
  m.set_potential("-(2*cos(a) + cos(b))");
  return m;
}

// n masses on a line with springs that are not linear.
ExpressionModel chain(int n) {
  ExpressionModel m;
  m.add_parameter("n", n);
  m.add_coordinates("x", 1, n);
  m.finish_coordinates();
  m.set_kinetic("sum(i, 1, n, (1 + i/n)*x[i]'^2/2)");
  m.set_potential(
      "sum(i, 1, n - 1, (x[i+1] - x[i])^2/2 + (x[i+1] - x[i])^4/4) + x[1]^2 - cos(x[n])");
  return m;
}

Eigen::MatrixXd hessian_of(const System& system, const Vector& x, double projection = 0) {
  constexpr std::array<WeightedNode, 1> kHere{{{.theta = 1, .hessian = 1}}};
  Assembler assembler(system);
  return test::dense_hessian(assembler, x, Vector::Zero(x.size()), kHere, projection);
}

TEST(ExpressionModel, AgreesWithTheSameInCpp) {
  ExpressionModel m = double_pendulum();
  const auto system = m.make_system();
  EXPECT_FALSE(m.separable());
  ASSERT_NE(system->lagrangian(), nullptr);
  const auto same = automatic_lagrangian<2>(test::DoublePendulum{});
  const Vector q = Eigen::Vector2d(0.7, -0.4), v = Eigen::Vector2d(0.3, 1.1);
  Vector q1(2), v1(2), q2(2), v2(2);
  Eigen::Matrix2d a[3], b[3];
  double t1 = 1, t2 = 1;
  const double l1 = system->lagrangian()->evaluate(
      0, q.data(), v.data(), {q1.data(), v1.data(), &t1, a[0].data(), a[1].data(), a[2].data()});
  const double l2 = same->evaluate(
      0, q.data(), v.data(), {q2.data(), v2.data(), &t2, b[0].data(), b[1].data(), b[2].data()});
  EXPECT_NEAR(l1, l2, 1e-15);
  EXPECT_LE((q1 - q2).norm() + (v1 - v2).norm(), 1e-14);
  for (int k = 0; k < 3; ++k) EXPECT_LE((a[k] - b[k]).norm(), 1e-14);
  EXPECT_EQ(t1, 0);
}

TEST(ExpressionModel, ConstantMassesAreFound) {
  ExpressionModel m = chain(5);
  const auto system = m.make_system();
  EXPECT_TRUE(m.separable());
  EXPECT_EQ(system->lagrangian(), nullptr);
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(system->mass().diagonal()[i], 1 + (i + 1) / 5.0, 1e-15);
  EXPECT_TRUE(m.conserved_momenta().empty());
}

TEST(ExpressionModel, LagrangianAsAWholeIsTakenApart) {
  ExpressionModel m;
  m.add_coordinate("x");
  m.add_coordinate("y");
  m.finish_coordinates();
  m.set_lagrangian("(x'^2 + 2*y'^2)/2 - cosh(y)");
  const auto system = m.make_system();
  EXPECT_TRUE(m.separable());
  EXPECT_EQ(m.conserved_momenta(), std::vector<int>{0});
  const Vector q = Eigen::Vector2d(3, 0.5);
  Vector g = Vector::Zero(2);
  const std::array<WeightedNode, 1> here{{{.value = 1, .gradient = 1}}};
  const double e =
      system->energies()[0]->evaluate({.x0 = q.data(), .nodes = here, .gradient = g.data()});
  EXPECT_NEAR(e, std::cosh(0.5), 1e-15);
  EXPECT_NEAR(g[1], std::sinh(0.5), 1e-15);
}

// Sparse Hessians of many coordinates (more than a small potential takes), and of few.
TEST(ExpressionPotential, DerivativesAgreeWithDifferences) {
  for (const int n : {1, 2, 3, 40}) {
    ExpressionModel m = chain(n);
    const auto system = m.make_system();
    ASSERT_TRUE(m.separable());
    const Energy& e = *system->energies()[0];
    Vector x(n), g = Vector::Zero(n), plus(n), minus(n);
    for (int i = 0; i < n; ++i) x[i] = std::sin(3.0 * i + 1);
    const std::array<WeightedNode, 1> here{{{.value = 1, .gradient = 1, .hessian = 1}}};
    e.evaluate({.x0 = x.data(), .nodes = here, .gradient = g.data()});
    const Eigen::MatrixXd h = hessian_of(*system, x);
    for (int i = 0; i < n; ++i) {
      const double step = 1e-5;
      Vector a = x, b = x;
      a[i] += step;
      b[i] -= step;
      plus.setZero();
      minus.setZero();
      const double ea = e.evaluate({.x0 = a.data(), .nodes = here, .gradient = plus.data()});
      const double eb = e.evaluate({.x0 = b.data(), .nodes = here, .gradient = minus.data()});
      EXPECT_NEAR(g[i], (ea - eb) / (2 * step), 1e-7);
      EXPECT_LE((h.col(i) - (plus - minus) / (2 * step)).norm(), 1e-7) << n;
    }
  }
}

TEST(ExpressionPotential, RaisedHessiansArePositive) {
  for (const int n : {2, 40, 200}) {
    ExpressionModel m;
    m.add_parameter("n", n);
    m.add_coordinates("x", 1, n);
    m.finish_coordinates();
    m.set_kinetic("sum(i, 1, n, x[i]'^2/2)");
    m.set_potential("sum(i, 1, n - 1, cos(x[i+1] - x[i])) - sum(i, 1, n, x[i]^2)");
    const auto system = m.make_system();
    const Vector x = Vector::LinSpaced(n, 0, 1);
    EXPECT_LT(hessian_of(*system, x).selfadjointView<Eigen::Lower>().eigenvalues()[0], 0);
    EXPECT_GE(hessian_of(*system, x, 1).selfadjointView<Eigen::Lower>().eigenvalues()[0], -1e-12);
  }
}

TEST(ExpressionModel, DissipationGoesWhereItCan) {
  // Of velocities alone and constant masses: into the minimisation.
  ExpressionModel m = chain(3);
  m.set_dissipation("sum(i, 1, n, x[i]'^2)/5 + (x[2]' - x[1]')^2");
  auto system = m.make_system();
  EXPECT_TRUE(m.separable());
  EXPECT_EQ(system->dissipations().size(), 1u);
  EXPECT_TRUE(system->forces().empty());
  // That of places as well is a force of the general step.
  ExpressionModel other = chain(3);
  other.set_dissipation("x[1]^2*x[1]'^2");
  system = other.make_system();
  EXPECT_FALSE(other.separable());
  ASSERT_EQ(system->forces().size(), 1u);
  EXPECT_TRUE(system->forces()[0]->dissipates());
}

// A Rayleigh function and the same force as an expression are the same motion.
TEST(ExpressionModel, RayleighFunctionsAreForces) {
  ExpressionModel a = chain(3), b = chain(3);
  a.set_dissipation("sum(i, 1, n, x[i]'^2)/5 + (x[2]' - x[1]')^2");
  b.add_force(0, "-2*x[1]'/5 - 2*(x[1]' - x[2]')");
  b.add_force(1, "-2*x[2]'/5 - 2*(x[2]' - x[1]')");
  b.add_force(2, "-2*x[i]'/5", 3);
  const auto with_r = a.make_system(), with_f = b.make_system();
  State s = test::state_of({0.3, -0.2, 0.5}, {0, 1, 0}), t = s;
  const auto one = make_integrator(*with_r, make_scheme("implicit-midpoint"), {});
  const auto two = make_integrator(*with_f, make_scheme("implicit-midpoint"), {});
  for (int k = 0; k < 50; ++k) {
    ASSERT_TRUE(succeeded(one->step(s, 0.05).status));
    ASSERT_TRUE(succeeded(two->step(t, 0.05).status));
  }
  EXPECT_LE((s.x - t.x).norm() + (s.v - t.v).norm(), 1e-11);
}

TEST(ExpressionModel, ConservedMomentaNeedThatNothingActs) {
  const auto polar = [] {
    ExpressionModel m;
    m.add_coordinate("r");
    m.add_coordinate("phi");
    m.finish_coordinates();
    m.set_kinetic("(r'^2 + r^2*phi'^2)/2");
    m.set_potential("-1/r");
    return m;
  };
  ExpressionModel free = polar();
  (void)free.make_system();
  EXPECT_EQ(free.conserved_momenta(), std::vector<int>{1});
  ExpressionModel pushed = polar();
  pushed.add_force(1, "0.1");
  (void)pushed.make_system();
  EXPECT_TRUE(pushed.conserved_momenta().empty());
  ExpressionModel damped = polar();
  damped.set_dissipation("phi'^2");
  (void)damped.make_system();
  EXPECT_TRUE(damped.conserved_momenta().empty());
  ExpressionModel bound = polar();
  bound.add_constraint("r - phi");
  (void)bound.make_system();
  EXPECT_TRUE(bound.conserved_momenta().empty());
}

TEST(ExpressionModel, MistakesAreRefused) {
  ExpressionModel m;
  m.add_coordinate("x");
  m.add_coordinate("y");
  m.finish_coordinates();
  EXPECT_THROW(m.add_constraint("x'"), Error);
  EXPECT_THROW(m.add_constraint("x - t"), Error);
  EXPECT_THROW(m.add_constraint("1"), Error);
  EXPECT_THROW(m.set_kinetic("x'^2 + z"), ExpressionError);
  EXPECT_THROW(m.set_kinetic("p_x"), ExpressionError);
  m.set_kinetic("x'^2/2");
  EXPECT_THROW((void)m.make_system(), Error);  // y has no inertia
  ExpressionModel empty;
  EXPECT_THROW(empty.finish_coordinates(), Error);
  ExpressionModel taken;
  taken.add_parameter("x", 1);
  taken.add_coordinate("x");
  EXPECT_THROW(taken.finish_coordinates(), Error);
}

TEST(ExpressionModel, MomentaAndEnergyHaveNames) {
  ExpressionModel m = double_pendulum();
  (void)m.make_system();
  const ExpressionEvaluator e(m.graph(),
                              std::vector{m.parse("p_a"), m.parse("energy"), m.parse("a*v_b + t")});
  const double q[] = {0.7, -0.4}, v[] = {0.3, 1.1};
  const double* out = e.run(2, q, v, 2);
  EXPECT_NEAR(out[0], 2 * 0.3 + 1.1 * std::cos(1.1), 1e-15);
  EXPECT_NEAR(out[1],
              0.09 + 1.1 * 1.1 / 2 + 0.33 * std::cos(1.1) - 2 * std::cos(0.7) - std::cos(0.4),
              1e-15);
  EXPECT_NEAR(out[2], 0.7 * 1.1 + 2, 1e-15);
}

}  // namespace
}  // namespace lilyan::expression_model_test
