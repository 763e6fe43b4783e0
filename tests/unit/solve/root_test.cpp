// Newton's method for roots, on equations small enough to know the answer.
#include "lilyan/solve/root.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace lilyan::test {
namespace {

// One equation f(x) = 0 with its derivative.
class Scalar final : public Equation {
 public:
  using Function = std::function<double(double)>;
  Scalar(Function f, Function slope) : f_(std::move(f)), slope_(std::move(slope)) {}

  void evaluate(const Vector& d, Vector& residual) override { residual[0] = f_(d[0]); }
  bool factorise(const Vector& d) override {
    derivative_ = slope_(d[0]);
    return derivative_ != 0;
  }
  void solve(const Vector& residual, Vector& direction) override {
    direction[0] = -residual[0] / derivative_;
  }
  double defect(const Vector&, const Vector& residual) override {
    return std::abs(residual[0]) / tolerance;
  }
  [[nodiscard]] double norm(const Vector& residual) const override { return std::abs(residual[0]); }
  [[nodiscard]] double rounding(const Vector&) const override { return round_off; }

  double tolerance = 1e-14;
  double round_off = 1e-15;

 private:
  Function f_, slope_;
  double derivative_ = 0;
};

struct Outcome {
  NewtonResult result;
  double x;
  double residual;
};

Outcome solve(Scalar& equation, double start, bool reuse = false, int limit = 50) {
  RootFinder finder(1, {.reuse_factor = reuse});
  Vector x = Vector::Constant(1, start);
  const NewtonResult r = finder.solve(equation, x, limit);
  return {r, x[0], finder.residual()[0]};
}

Scalar square_root_of_two() {
  return {[](double x) { return x * x - 2; }, [](double x) { return 2 * x; }};
}

TEST(RootFinder, ConvergesQuadratically) {
  Scalar equation = square_root_of_two();
  equation.tolerance = 1e-15;
  const Outcome o = solve(equation, 1.5);
  EXPECT_TRUE(succeeded(o.result.status));
  EXPECT_LE(o.result.iterations, 5);
  EXPECT_EQ(o.result.factorisations, o.result.iterations);
  EXPECT_NEAR(o.x, std::sqrt(2), 1e-15);
  EXPECT_EQ(o.residual, o.x * o.x - 2);
}

TEST(RootFinder, ReusesTheFactorWhileThatContractsFast) {
  Scalar equation = square_root_of_two();
  const Outcome o = solve(equation, 1.5, true);
  EXPECT_TRUE(succeeded(o.result.status));
  EXPECT_LT(o.result.factorisations, o.result.iterations);
  EXPECT_NEAR(o.x, std::sqrt(2), 1e-14);
}

// Full Newton steps on atan diverge from here.
TEST(RootFinder, LineSearchGlobalises) {
  Scalar equation([](double x) { return std::atan(x); }, [](double x) { return 1 / (1 + x * x); });
  const Outcome o = solve(equation, 20);
  EXPECT_TRUE(succeeded(o.result.status));
  EXPECT_NEAR(o.x, 0, 1e-13);
  EXPECT_GT(o.result.evaluations, o.result.iterations + 1);
}

TEST(RootFinder, GuessesWhereNothingIsDefinedArePulledBack) {
  Scalar equation([](double x) { return std::log(1 - x) + 1; },
                  [](double x) { return -1 / (1 - x); });
  const Outcome o = solve(equation, 7);
  EXPECT_TRUE(succeeded(o.result.status));
  EXPECT_NEAR(o.x, 1 - std::exp(-1), 1e-13);
  Scalar nowhere([](double) { return NAN; }, [](double) { return 1.0; });
  EXPECT_EQ(solve(nowhere, 1).result.status, StepStatus::non_finite);
}

TEST(RootFinder, FailuresAreNamed) {
  // x² + 1 has no root: the minimum of its square is at 0.
  Scalar rootless([](double x) { return x * x + 1; }, [](double x) { return 2 * x; });
  const Outcome stuck = solve(rootless, 0.7);
  EXPECT_FALSE(succeeded(stuck.result.status));
  EXPECT_NEAR(stuck.x, 0, 0.1);
  Scalar flat([](double) { return 1.0; }, [](double) { return 0.0; });
  EXPECT_EQ(solve(flat, 1).result.status, StepStatus::no_descent);
  Scalar equation = square_root_of_two();
  const Outcome early = solve(equation, 50, false, 2);
  EXPECT_EQ(early.result.status, StepStatus::not_converged);
  EXPECT_EQ(early.result.iterations, 2);
}

// A residual that cannot get smaller is a success where rounding explains it, and only there.
TEST(RootFinder, StallsAtRoundingLevelAreTold) {
  const auto noisy = [](double x) { return x > 1 ? x - 1 + 1e-9 : x - 1 - 1e-9; };
  Scalar equation(noisy, [](double) { return 1.0; });
  equation.round_off = 1e-8;
  EXPECT_EQ(solve(equation, 3).result.status, StepStatus::round_off);
  equation.round_off = 1e-10;
  EXPECT_EQ(solve(equation, 3).result.status, StepStatus::no_descent);
}

}  // namespace
}  // namespace lilyan::test
