// Newton's method on functions whose minimisers are known.
#include "lilyan/solve/newton.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "lilyan/assemble/pattern.hpp"
#include "support/body.hpp"

namespace lilyan::test::newton_test {
namespace {

// Φ(d) = Σ f(dᵢ) with the AVF paper's Figure 3 double well f(x) = 10x + 1500(x²−1)² plus its
// inertia: 800 (x − 0.24)² for each degree of freedom. With `wall` it is infinite for x ≤ wall.
class Wells final : public Objective {
 public:
  explicit Wells(const BlockPattern& pattern) : pattern_(pattern) {}
  double tolerance = 1e-9;
  double wall = -std::numeric_limits<double>::infinity();
  double quantum = 0;  // values are whole multiples of it
  mutable int infinite_evaluations = 0;

  static double f(double x) {
    return 10 * x + 1500 * std::pow(x * x - 1, 2) + 800 * std::pow(x - 0.24, 2);
  }
  static double slope(double x) { return 10 + 6000 * x * (x * x - 1) + 1600 * (x - 0.24); }
  static double curvature(double x) { return 6000 * (3 * x * x - 1) + 1600; }

  void evaluate(const Linearised&, Iterate& at) const override {
    const Vector& d = at.z;
    double sum = 0;
    for (int i = 0; i < d.size(); ++i) {
      sum += d[i] > wall ? f(d[i]) : std::numeric_limits<double>::infinity();
      at.residual[i] = slope(d[i]);
    }
    if (!std::isfinite(sum)) ++infinite_evaluations;
    at.value = quantum > 0 ? quantum * std::round(sum / quantum) : sum;
  }
  void hessian(const Linearised&, const Vector& d, double projection,
               std::vector<double>& values) const override {
    std::fill(values.begin(), values.end(), 0.0);
    for (int c = 0; c < pattern_.dofs(); ++c) {
      const double k = curvature(d[c]);
      values[pattern_.column_start()[c]] = k < 0 ? (1 - projection) * k + 1e-3 : k;
    }
  }
  [[nodiscard]] Defect defect(const Vector&, const Vector& g) const override {
    return {.share = g.norm() / tolerance};
  }
  [[nodiscard]] double norm(const Vector& g) const override { return g.norm(); }
  [[nodiscard]] Rounding rounding(const Vector& d, double, const Vector& diagonal) const override {
    const auto error = diagonal.array().abs() * d.array().abs();
    return {.value = 1e-15 * (error * d.array().abs()).sum(),
            .gradient = 1e-15 * error.matrix().norm()};
  }

 private:
  const BlockPattern& pattern_;
};

class NewtonMethod : public ::testing::TestWithParam<Definiteness> {
 protected:
  System system{{1, 1}};
  BlockPattern pattern{system};
  std::mt19937 random{8};
  Iterate at;
  Linearised none;
};

TEST_P(NewtonMethod, ReachesAMinimiserFromAnywhere) {
  int fixes = 0;
  for (int k = 0; k < 300; ++k) {
    Wells wells(pattern);
    Newton newton(pattern, {.definiteness = GetParam()});
    at.z = random_vector(6, 3, random);
    const NewtonResult r = newton.minimise(wells, none, at);
    ASSERT_EQ(r.status, StepStatus::converged) << describe(r.status);
    fixes += r.work.definiteness_fixes;
    ASSERT_LE(at.residual.norm(), 1e-9);
    for (const double x : at.z) {
      ASSERT_LE(std::abs(Wells::slope(x)), 1e-9);
      ASSERT_GT(Wells::curvature(x), 0) << "a maximum or saddle at " << x;
    }
    ASSERT_GE(r.work.factorisations, 1);
    ASSERT_GE(r.work.evaluations, r.work.iterations + 1);
    ASSERT_LE(r.work.iterations, 60);
  }
  EXPECT_GT(fixes, 100);  // the starts were hard enough to need them
}

// The last Newton steps converge quadratically, so a tight tolerance costs few iterations.
TEST_P(NewtonMethod, ConvergesFastNearTheMinimum) {
  Wells wells(pattern);
  Newton newton(pattern, {.definiteness = GetParam(), .reuse_factor = false});
  at.z = Vector::Constant(6, 1.1);
  const NewtonResult r = newton.minimise(wells, none, at);
  ASSERT_EQ(r.status, StepStatus::converged);
  EXPECT_LE(r.work.iterations, 6);
  EXPECT_EQ(r.work.factorisations, r.work.iterations);
  EXPECT_LE(r.work.evaluations, r.work.iterations + 2);  // two for the guess and half of it
  EXPECT_EQ(r.work.definiteness_fixes, 0);
}

// Values that have lost all digits, as those of 1 − cos x have near 0, tell nothing; gradients do.
TEST_P(NewtonMethod, ValuesThatAreRoundingErrorsAreNotBelieved) {
  for (const double offset : {0.31, 0.37, 0.43, 0.5, 0.62, 0.74}) {
    Wells wells(pattern);
    wells.quantum = 0.1;
    Newton newton(pattern, {.definiteness = GetParam(), .reuse_factor = false});
    at.z.resize(6);
    for (int i = 0; i < 6; ++i) at.z[i] = 0.925 + 0.02 * std::sin(i + 10 * offset);
    const NewtonResult r = newton.minimise(wells, none, at);
    EXPECT_EQ(r.status, StepStatus::converged) << describe(r.status);
    EXPECT_LE(r.work.iterations, 6);
    for (const double x : at.z) EXPECT_LE(std::abs(Wells::slope(x)), 1e-9);
  }
}

// Φ = Σ √(1 + d²), from where Newton's full steps lead farther and farther away, with values that nobody knows.
class Hyperbolas final : public Objective {
 public:
  double gradient_rounding = 1e-15;
  explicit Hyperbolas(const BlockPattern& pattern) : pattern_(pattern) {}
  void evaluate(const Linearised&, Iterate& at) const override {
    at.value = 0;
    for (int i = 0; i < at.z.size(); ++i) at.residual[i] = at.z[i] / std::hypot(1, at.z[i]);
  }
  void hessian(const Linearised&, const Vector& d, double,
               std::vector<double>& values) const override {
    std::fill(values.begin(), values.end(), 0.0);
    for (int c = 0; c < pattern_.dofs(); ++c) {
      values[pattern_.column_start()[c]] = std::pow(1 + d[c] * d[c], -1.5);
    }
  }
  [[nodiscard]] Defect defect(const Vector&, const Vector& g) const override {
    return {.share = g.norm() / 1e-9};
  }
  [[nodiscard]] double norm(const Vector& g) const override { return g.norm(); }
  [[nodiscard]] Rounding rounding(const Vector&, double, const Vector&) const override {
    return {.value = 1e300, .gradient = gradient_rounding};
  }

 private:
  const BlockPattern& pattern_;
};

// Where a bound of their error makes noise of all values the slopes decide. They do not let a step through that makes
// things worse, and a shorter one may help.
TEST_P(NewtonMethod, SlopesDecideWhereValuesMayBeNoise) {
  const Hyperbolas objective(pattern);
  Newton newton(pattern, {.definiteness = GetParam(), .reuse_factor = false});
  at.z = Vector::Constant(6, 2);
  const NewtonResult r = newton.minimise(objective, none, at);
  EXPECT_EQ(r.status, StepStatus::converged) << describe(r.status);
  EXPECT_LE(at.z.norm(), 1e-8);
}

// With a residual that is rounding error itself there is nothing left to gain.
TEST_P(NewtonMethod, ShorterStepsAreNotTriedAtRounding) {
  Hyperbolas objective(pattern);
  objective.gradient_rounding = 10;
  Newton newton(pattern, {.definiteness = GetParam(), .reuse_factor = false});
  at.z = Vector::Constant(6, 2);
  const NewtonResult r = newton.minimise(objective, none, at);
  EXPECT_EQ(r.status, StepStatus::round_off) << describe(r.status);
  EXPECT_EQ(at.z, Vector::Constant(6, 2));
  EXPECT_LE(r.work.evaluations, 4);
}

TEST_P(NewtonMethod, ReusingTheFactorSavesFactorisations) {
  Wells wells(pattern);
  Newton newton(pattern, {.definiteness = GetParam(), .reuse_factor = true});
  at.z = Vector::Constant(6, 1.02);
  const NewtonResult r = newton.minimise(wells, none, at);
  ASSERT_EQ(r.status, StepStatus::converged);
  EXPECT_LT(r.work.factorisations, r.work.iterations);
  EXPECT_LE(at.residual.norm(), 1e-9);
}

// Just beyond the inflection, where the curvature is small, Newton's first steps are far too long:
// some lead across the wall.
TEST_P(NewtonMethod, InfiniteRegionsAreRejected) {
  int met = 0;
  for (int k = 0; k < 100; ++k) {
    Wells wells(pattern);
    wells.wall = 0.6;  // the hump between the wells lies beyond
    Newton newton(pattern, {.definiteness = GetParam()});
    at.z = Vector::Constant(6, 0.601) + 0.05 * random_vector(6, 1, random).cwiseAbs();
    const NewtonResult r = newton.minimise(wells, none, at);
    ASSERT_EQ(r.status, StepStatus::converged) << describe(r.status);
    for (const double x : at.z) ASSERT_GT(x, 0.6);
    met += wells.infinite_evaluations;
  }
  EXPECT_GT(met, 10);  // the wall was in the way
}

// An infinite guess is pulled towards zero until it is finite.
TEST_P(NewtonMethod, InfiniteGuessIsPulledBack) {
  Wells wells(pattern);
  wells.wall = -0.01;
  Newton newton(pattern, {.definiteness = GetParam()});
  at.z = Vector::Constant(6, -1);
  const NewtonResult r = newton.minimise(wells, none, at);
  EXPECT_EQ(r.status, StepStatus::converged);
  EXPECT_GT(wells.infinite_evaluations, 3);
  for (const double x : at.z) EXPECT_NEAR(Wells::slope(x), 0, 1e-9);
}

TEST_P(NewtonMethod, NowhereFiniteIsReported) {
  Wells wells(pattern);
  wells.wall = 10;
  Newton newton(pattern, {.definiteness = GetParam()});
  at.z = Vector::Constant(6, 1);
  EXPECT_EQ(newton.minimise(wells, none, at).status, StepStatus::non_finite);
}

TEST_P(NewtonMethod, IterationLimitIsReported) {
  Wells wells(pattern);
  Newton newton(pattern, {.max_iterations = 2, .definiteness = GetParam()});
  at.z = Vector::Constant(6, 3);
  const NewtonResult r = newton.minimise(wells, none, at);
  EXPECT_EQ(r.status, StepStatus::not_converged);
  EXPECT_EQ(r.work.iterations, 2);
}

TEST_P(NewtonMethod, ImpossibleToleranceEndsAtRoundOff) {
  int round_off = 0;
  for (int k = 0; k < 50; ++k) {
    Wells wells(pattern);
    wells.tolerance = 1e-300;
    Newton newton(pattern, {.definiteness = GetParam()});
    at.z = random_vector(6, 3, random);
    const NewtonResult r = newton.minimise(wells, none, at);
    // A residual of exactly zero is possible, and converged.
    ASSERT_TRUE(succeeded(r.status)) << describe(r.status);
    round_off += r.status == StepStatus::round_off;
    ASSERT_LE(r.work.iterations, 100);
    ASSERT_LE(at.residual.norm(), 1e-10);
  }
  EXPECT_GE(round_off, 25);
}

TEST_P(NewtonMethod, StartingAtTheMinimumDoesNothing) {
  Wells wells(pattern);
  Newton newton(pattern, {.definiteness = GetParam()});
  at.z = Vector::Constant(6, 1.1);
  ASSERT_EQ(newton.minimise(wells, none, at).status, StepStatus::converged);
  const Vector before = at.z;
  const NewtonResult r = newton.minimise(wells, none, at);
  EXPECT_EQ(r.work.iterations, 0);
  EXPECT_EQ(r.work.factorisations, 0);
  EXPECT_LE(r.work.evaluations, 2);
  EXPECT_EQ(at.z, before);
}

INSTANTIATE_TEST_SUITE_P(Solve, NewtonMethod,
                         ::testing::Values(Definiteness::project, Definiteness::shift),
                         [](const auto& p) { return std::string(name(p.param)); });

}  // namespace
}  // namespace lilyan::test::newton_test
