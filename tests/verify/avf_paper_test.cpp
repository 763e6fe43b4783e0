// Figures 2 and 3 of Rojas, Liu, Kavan: root finders get stuck where the AVF minimiser does not.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <functional>

#include "lilyan/assemble/pattern.hpp"
#include "lilyan/control/make_integrator.hpp"
#include "lilyan/lagrangian/problem.hpp"
#include "lilyan/solve/newton.hpp"
#include "lilyan/solve/root.hpp"
#include "support/difference.hpp"
#include "support/schemes.hpp"

namespace lilyan::test::avf_paper_test {
namespace {

// A few equations with a Jacobian by differences, for the library's root finder.
class SmallEquation final : public Equation {
 public:
  using Function = std::function<Vector(const Vector&)>;
  explicit SmallEquation(Function f) : f_(std::move(f)) {}

  [[nodiscard]] Vector value(const Vector& z) const { return f_(z); }
  void evaluate(Iterate& at) override {
    at.residual = f_(at.z);
    at.norm = at.residual.norm();
  }
  bool factorise(const Vector& d, SolverWork& work, NewtonTimes&) override {
    ++work.factorisations;
    jacobian_ = jacobian(d);
    return jacobian_.determinant() != 0;
  }
  void solve(const Vector& residual, Vector& direction) override {
    direction = -jacobian_.partialPivLu().solve(residual);
  }
  Defect defect(const Iterate& at) override { return {.share = at.norm / 1e-12}; }
  bool at_rounding(const Iterate& at) override { return at.norm <= 1e-13; }

  [[nodiscard]] Eigen::MatrixXd jacobian(const Vector& at) const {
    Eigen::MatrixXd J(at.size(), at.size());
    for (int c = 0; c < at.size(); ++c) {
      J.col(c) =
          difference([&](double t) { return f_(at + t * Vector::Unit(at.size(), c)); }, 1e-4);
    }
    return J;
  }

 private:
  Function f_;
  Eigen::MatrixXd jacobian_;
};

struct Found {
  StepStatus status;
  Vector at;
  double residual;
};

Found find_root(SmallEquation& equation, const Vector& start) {
  RootFinder finder(start.size(), {});
  Iterate at{.z = start};
  const NewtonResult r = finder.solve(equation, at, 200);
  return {r.status, at.z, at.residual.norm()};
}

// Figure 2: E = 128x⁴, unit mass, x₀ = −1.10, v₀ = 12.25.
constexpr double kX0 = -1.10;
constexpr double kV0 = 12.25;
double quartic(double x) { return 128 * x * x * x * x; }
double hamiltonian(double x, double v) { return 0.5 * v * v + quartic(x); }

// Two equations a(x, v) = 0 of the paper: Gonzalez's midpoint discrete gradient (1996, equation
// 3.5) of the Hamiltonian over phase space, z = (x, v),
//   z₁ = z₀ + h J ∇̄H,   ∇̄H = ∇H(z½) + [(H₁ − H₀ − ∇H(z½)·Δz)/|Δz|²] Δz.
SmallEquation phase_space_step(double h) {
  return SmallEquation([h](const Vector& z) {
    const Eigen::Vector2d change(z[0] - kX0, z[1] - kV0);
    const Eigen::Vector2d middle(0.5 * (z[0] + kX0), 0.5 * (z[1] + kV0));
    Eigen::Vector2d g(512 * std::pow(middle[0], 3), middle[1]);
    const double defect = hamiltonian(z[0], z[1]) - hamiltonian(kX0, kV0) - g.dot(change);
    g += defect / change.squaredNorm() * change;
    return Vector(Eigen::Vector2d(change[0] - h * g[1], change[1] + h * g[0]));
  });
}

ProblemInstance figure2() {
  return make_problem("polynomial", parameters({{"c4", 128.0}, {"x", kX0}, {"v", kV0}}));
}

double relative_energy_error(const Vector& z) {
  return std::abs(hamiltonian(z[0], z[1]) / hamiltonian(kX0, kV0) - 1);
}

// The paper's claim, with its numbers (the caption's h = 0.003 is a slip for the text's 0.033: at
// 0.003 there is no such minimum). |a|² has a local minimum at (1.081, 12.316) with |a| = 1.786,
// where the energy is 4.5 % off, and from constant velocity the root finder ends beside it.
TEST(AvfPaperFigure2, TheRootFinderInPhaseSpaceIsStuckAtTheLargeStep) {
  SmallEquation equation = phase_space_step(0.033);
  const Vector minimum = Eigen::Vector2d(1.08085, 12.31557);
  const Vector a = equation.value(minimum);
  EXPECT_NEAR(a.norm(), 1.786, 1e-3);
  EXPECT_LE((equation.jacobian(minimum).transpose() * a).norm(), 1e-3);
  EXPECT_NEAR(relative_energy_error(minimum), 0.0454, 1e-3);
  for (const double radius : {1e-3, 1e-2, 0.1}) {
    for (int k = 0; k < 32; ++k) {
      const double angle = k * 2 * M_PI / 32;
      const Vector around =
          equation.value(minimum + radius * Eigen::Vector2d(std::cos(angle), std::sin(angle)));
      EXPECT_GT(around.norm(), a.norm()) << radius << " " << k;
    }
  }
  const Found found = find_root(equation, Eigen::Vector2d(kX0 + 0.033 * kV0, kV0));
  std::printf("    h=0.033: %s at (%.3f, %.3f), |a| = %.3f\n",
              std::string(describe(found.status)).c_str(), found.at[0], found.at[1],
              found.residual);
  EXPECT_FALSE(succeeded(found.status));
  EXPECT_LE((found.at - minimum).norm(), 0.5);
  EXPECT_GE(found.residual, a.norm());
}

// Of a grid of starts the root finder fails from a sixth at the large step. At the small one it
// gives up from eight that lie far away, creeping along the curve where its Jacobian is
// singular, which is not a minimum: there |a|² has a slope.
TEST(AvfPaperFigure2, TheRootFinderInPhaseSpaceSucceedsAtTheSmallStep) {
  const auto failures = [](double h) {
    SmallEquation equation = phase_space_step(h);
    const Found first = find_root(equation, Eigen::Vector2d(kX0 + h * kV0, kV0));
    if (h < 0.01) {
      EXPECT_TRUE(succeeded(first.status));
      EXPECT_LE(relative_energy_error(first.at), 1e-12);
    }
    int stuck = 0;
    for (double x = -1.95; x < 2; x += 0.1) {
      for (double v = -29; v < 60; v += 4) {
        const Found f = find_root(equation, Eigen::Vector2d(x, v));
        if (h < 0.01 && !succeeded(f.status)) {
          const Vector a = equation.value(f.at);
          EXPECT_GT((equation.jacobian(f.at).transpose() * a).norm(), 0.1 * a.norm());
        }
        stuck += !succeeded(f.status);
      }
    }
    return stuck;
  };
  const int large = failures(0.033), small = failures(0.0066);
  std::printf("    of 920 starts the root finder fails from %d at h = 0.033, %d at 0.0066\n", large,
              small);
  EXPECT_GE(large, 90);
  EXPECT_LE(small, 9);
}

// The minimiser succeeds at both; and so do the discrete gradients of this library, which are taken
// of E over positions only. In one dimension that is the difference quotient: the same equation as
// AVF's, with the derivative 1 + ½h²·128 (3x₁² + 2x₀x₁ + x₀²) ≥ 1, so that |F|² has no minimum but
// the root. What is stuck in figure 2 is the correction along (Δx, Δv), not root finding as such.
TEST(AvfPaperFigure2, TheMinimiserSucceedsAtBothSteps) {
  for (const double h : {0.033, 0.0066}) {
    double root = 0;
    for (const char* method : {"avf", "discrete-gradient", "energy-momentum"}) {
      const ProblemInstance p = figure2();
      State state = p.initial;
      const auto integrator = make_integrator(*p.system, make_scheme(method), {});
      const StepReport r = integrator->step(state, h);
      EXPECT_TRUE(succeeded(r.status)) << method << ", h = " << h << ": " << describe(r.status);
      EXPECT_NEAR(r.after.total, r.before.total, 1e-13 * r.before.total) << method;
      if (root != 0) {
        EXPECT_NEAR(state.x[0], root, 1e-13);
      }
      root = state.x[0];
    }
  }
}

// Figure 3: E = 10x + 1500(x²−1)², x₀ = 0.6, v₀ = −9, h = 0.04. F(x) is the AVF equation and g its
// integral, both over the end position x.
constexpr double kStep = 0.04;
constexpr double kStart = 0.6;
constexpr double kSpeed = -9;
double F(double x) {
  const double quotient = 10 + 1500 * (x * x + kStart * kStart - 2) * (x + kStart);
  return x - kStart - kStep * kSpeed + 0.5 * kStep * kStep * quotient;
}

TEST(AvfPaperFigure3, TheSquareOfFHasAMinimumThatIsNoRoot) {
  int roots = 0, minima = 0;
  double minimum = 0, root = 0;
  constexpr double e = 1e-3;
  for (double x = -3; x < 3; x += e) {
    if (F(x) * F(x + e) <= 0) {
      ++roots;
      root = x;
    }
    if (std::abs(F(x)) < std::abs(F(x - e)) && std::abs(F(x)) < std::abs(F(x + e)) &&
        std::abs(F(x)) > 0.1) {
      ++minima;
      minimum = x;
    }
  }
  std::printf("    root at %.3f, spurious minimum of F² at %.3f with F = %.3f\n", root, minimum,
              F(minimum));
  EXPECT_EQ(roots, 1);
  EXPECT_NEAR(root, 1.102, 2e-3);  // "close to x = 1.0"
  EXPECT_EQ(minima, 1);
  EXPECT_GT(minimum, -1.5);
  EXPECT_LT(minimum, -0.5);
}

TEST(AvfPaperFigure3, RootFinderStaysInItAndTheMinimiserDoesNot) {
  const ProblemInstance p = make_problem(
      "polynomial",
      parameters({{"c1", 10.0}, {"c2", -3000.0}, {"c4", 1500.0}, {"x", kStart}, {"v", kSpeed}}));
  // The program's own AVF step, whose guess x₀ + h v₀ = 0.24 is left of a hill of g.
  State state = p.initial;
  const auto avf = make_integrator(*p.system, make_scheme("avf"), {});
  const StepReport r = avf->step(state, kStep);
  ASSERT_TRUE(succeeded(r.status)) << describe(r.status);
  EXPECT_NEAR(F(state.x[0]), 0, 1e-12);
  EXPECT_NEAR(state.x[0], 1.102, 2e-3);

  SmallEquation equation([](const Vector& x) { return Vector::Constant(1, F(x[0])); });
  // g as an objective for the same Newton that takes the steps, from any start.
  class Merit final : public Objective {
   public:
    void evaluate(const Linearised&, Iterate& at) const override {
      at.residual[0] = F(at.z[0]);
      const double s = at.z[0], a = kStart;
      // ∫ of the quotient: (x²+a²−2)(x+a) = x³ + a x² + (a²−2) x + a³ − 2a
      const double inner =
          s * s * s * s / 4 + a * s * s * s / 3 + (a * a - 2) * s * s / 2 + (a * a * a - 2 * a) * s;
      at.value =
          0.5 * s * s - (a + kStep * kSpeed) * s + 0.5 * kStep * kStep * (10 * s + 1500 * inner);
    }
    void hessian(const Linearised&, const Vector& x, double projection,
                 std::vector<double>& values) const override {
      const double s = x[0], a = kStart;
      const double force = 0.5 * kStep * kStep * 1500 * (3 * s * s + 2 * a * s + a * a - 2);
      values[0] = 1 + (force < 0 ? (1 - projection) * force : force);
    }
    [[nodiscard]] Defect defect(const Vector&, const Vector& g) const override {
      return {.share = std::abs(g[0]) / 1e-11};
    }
    [[nodiscard]] double norm(const Vector& g) const override { return std::abs(g[0]); }
    [[nodiscard]] Rounding rounding(const Vector&, double, const Vector&) const override {
      return {1e-15, 1e-14};
    }
  };
  Merit merit;
  const BlockPattern pattern(*p.system);
  Newton newton(pattern, {});
  int stuck = 0, right = 0;
  for (double start = -3; start <= 3; start += 0.05) {
    const Found found = find_root(equation, Vector::Constant(1, start));
    if (succeeded(found.status)) {
      ++right;
      EXPECT_NEAR(found.at[0], 1.102, 2e-3) << start;
    } else {
      ++stuck;
      EXPECT_NEAR(found.at[0], -0.756, 0.05) << start;
      EXPECT_GT(found.residual, 0.5);
    }
    Iterate at{.z = Vector::Constant(1, start)};
    Linearised none;
    const NewtonResult minimised = newton.minimise(merit, none, at);
    EXPECT_TRUE(succeeded(minimised.status)) << start << ": " << describe(minimised.status);
    EXPECT_NEAR(at.z[0], 1.102, 2e-3) << start;
  }
  std::printf("    of 121 starts in [−3, 3] the root finder fails from %d, the minimiser from 0\n",
              stuck);
  EXPECT_GE(stuck, 10);
  EXPECT_GE(right, 10);
}

}  // namespace
}  // namespace lilyan::test::avf_paper_test
