// Every small system's potential has the derivatives it says it has, and the symmetries.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <random>

#include "lilyan/assemble/invariants.hpp"
#include "lilyan/control/make_integrator.hpp"
#include "lilyan/lagrangian/expression_model.hpp"
#include "lilyan/lagrangian/problem.hpp"
#include "support/dense.hpp"
#include "support/difference.hpp"
#include "support/schemes.hpp"

namespace lilyan::test::problem_test {
namespace {

TEST(Problems, DerivativesAgreeWithDifferences) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> spread(-0.3, 0.3);
  for (const Problem& problem : problems()) {
    const ProblemInstance p = make_problem(problem.name);
    Assembler assembler(*p.system);
    const int n = p.system->dofs();
    Vector x = p.initial.x;
    Vector d(n);
    for (double& e : x) e += spread(random);
    for (double& e : d) e = spread(random);
    const std::array<WeightedNode, 2> nodes{{{0.3, 0.7 / 0.3, 0.7, 0.7 * 0.3}, {1, 0.2, 0.2, 0.2}}};
    const auto sum = [&](const Vector& at) {
      double s = 0;
      for (const double e : assembler.values(x, &at, nodes)) s += e;
      return s;
    };
    Vector g(n);
    assembler.values_and_gradient(x, &d, nodes, g);
    const Eigen::MatrixXd H = dense_hessian(assembler, x, d, nodes);
    for (int i = 0; i < n; ++i) {
      const Vector e = Vector::Unit(n, i);
      EXPECT_NEAR(g[i], difference([&](double t) { return sum(d + t * e); }, 2e-4), 1e-9)
          << problem.name;
      const Vector column = difference(
          [&](double t) {
            Vector out(n);
            const Vector at = d + t * e;
            assembler.values_and_gradient(x, &at, nodes, out);
            return out;
          },
          2e-4);
      EXPECT_LE((H.col(i) - column).norm(), 1e-8) << problem.name;
    }
    // Fully projected: no negative eigenvalue, and nothing changed where there was none.
    const Eigen::MatrixXd projected = dense_hessian(assembler, x, d, nodes, 1);
    const double least = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(H).eigenvalues().minCoeff();
    EXPECT_GE(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(projected).eigenvalues().minCoeff(),
              -1e-12);
    if (least > 0) {
      EXPECT_LE((projected - H).norm(), 1e-12);
    } else {
      EXPECT_GE((projected - H).norm(), std::abs(least) / 2);
    }
  }
}

// A problem that scenes also write down as text is the same system there.
TEST(Problems, AreTheSameSystemsAsTheirTexts) {
  struct Text {
    const char* problem;
    std::vector<const char*> coordinates;
    const char* potential;
  };
  for (const Text& text : {
           Text{"pendulum", {"theta"}, "1 - cos(theta)"},
           Text{"henon-heiles", {"x", "y"}, "(x^2 + y^2)/2 + x^2*y - y^3/3"},
           Text{"polynomial", {"x"}, "x^4/4"},
       }) {
    ExpressionModel model;
    std::string kinetic = "0";
    for (const char* name : text.coordinates) {
      model.add_coordinate(name);
      kinetic += "+" + std::string(name) + "'^2/2";
    }
    model.finish_coordinates();
    model.set_kinetic(kinetic);
    model.set_potential(text.potential);
    const std::unique_ptr<System> written = model.make_system();
    const ProblemInstance p = make_problem(text.problem);
    EXPECT_EQ(p.system->mass().diagonal(), written->mass().diagonal()) << text.problem;
    Assembler one(*p.system), other(*written);
    const int n = p.system->dofs();
    const std::array<WeightedNode, 1> here{{{0, 1, 1, 1}}};
    for (const double shift : {-0.7, 0.0, 0.4}) {
      const Vector x = p.initial.x.array() + shift;
      const Vector d = Vector::Zero(n);
      Vector g(n), h(n);
      one.values_and_gradient(x, &d, here, g);
      other.values_and_gradient(x, &d, here, h);
      EXPECT_LE((g - h).norm(), 1e-15) << text.problem;
      EXPECT_NEAR(invariants(*p.system, {.x = x, .v = d}).total,
                  invariants(*written, {.x = x, .v = d}).total, 1e-15)
          << text.problem;
      EXPECT_LE((dense_hessian(one, x, d, here) - dense_hessian(other, x, d, here)).norm(), 1e-14)
          << text.problem;
    }
  }
}

// From rest at acos(−0.4) the period is 4 K(0.7).
TEST(Problems, PendulumHasItsPeriod) {
  const double period = 8.301452541169877;
  const ProblemInstance p =
      make_problem("pendulum", parameters({{"angle", std::acos(-0.4) * 180 / std::numbers::pi}}));
  State state = p.initial;
  const auto verlet = make_integrator(*p.system, make_scheme("stoermer-verlet"), {});
  for (int k = 0; k < 200000; ++k) verlet->step(state, period / 200000);
  EXPECT_NEAR(state.x[0], p.initial.x[0], 1e-9);
  EXPECT_NEAR(state.v[0], 0, 1e-8);
}

TEST(Problems, KeplerComesRound) {
  const ProblemInstance p = make_problem("kepler");
  const Invariants at = invariants(*p.system, p.initial);
  EXPECT_NEAR(at.total, -0.5, 1e-15);
  EXPECT_NEAR(at.angular_momentum.z(), 0.8, 1e-15);
  EXPECT_TRUE(p.system->rotation_invariant());
  EXPECT_FALSE(p.system->translation_invariant());
  State state = p.initial;
  const auto verlet = make_integrator(*p.system, make_scheme("stoermer-verlet"), {});
  for (int k = 0; k < 400000; ++k) verlet->step(state, 2 * std::numbers::pi / 400000);
  EXPECT_LE((state.x - p.initial.x).norm(), 1e-7);
}

TEST(Problems, ValuesOutOfRangeAreRefused) {
  EXPECT_THROW(make_problem("pendulum", parameters({{"mass", -1.0}})), ParameterError);
  EXPECT_THROW(make_problem("pendulum", parameters({{"lenght", 1.0}})), ParameterError);
  EXPECT_THROW(make_problem("kepler", parameters({{"eccentricity", 1.0}})), ParameterError);
  EXPECT_THROW(make_problem("nowhere"), ParameterError);
}

}  // namespace
}  // namespace lilyan::test::problem_test
