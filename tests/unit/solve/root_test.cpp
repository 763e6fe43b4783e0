// Newton's method for roots, on equations small enough to know the answer.
#include "lilyan/solve/root.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace lilyan::test::root_test {
namespace {

// One equation f(x) = 0 with its derivative.
class Scalar : public Equation {
 public:
  using Function = std::function<double(double)>;
  Scalar(Function f, Function slope) : f_(std::move(f)), slope_(std::move(slope)) {}

  void evaluate(Iterate& at) override {
    at.residual[0] = f_(at.z[0]);
    at.norm = std::abs(at.residual[0]);
  }
  bool factorise(const Vector& z, SolverWork& work, NewtonTimes&) override {
    ++work.factorisations;
    derivative_ = slope_(z[0]);
    return derivative_ != 0;
  }
  void solve(const Vector& residual, Vector& direction) override {
    direction[0] = -residual[0] / derivative_;
  }
  Defect defect(const Iterate& at) override {
    return {.share = std::abs(at.residual[0]) / tolerance};
  }
  bool at_rounding(const Iterate& at) override { return std::abs(at.residual[0]) <= round_off; }

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
  Iterate at{.z = Vector::Constant(1, start)};
  const NewtonResult r = finder.solve(equation, at, limit);
  return {r, at.z[0], at.residual[0]};
}

Scalar square_root_of_two() {
  return {[](double x) { return x * x - 2; }, [](double x) { return 2 * x; }};
}

TEST(RootFinder, ConvergesQuadratically) {
  Scalar equation = square_root_of_two();
  equation.tolerance = 1e-15;
  const Outcome o = solve(equation, 1.5);
  EXPECT_TRUE(succeeded(o.result.status));
  EXPECT_LE(o.result.work.iterations, 5);
  EXPECT_EQ(o.result.work.factorisations, o.result.work.iterations);
  EXPECT_NEAR(o.x, std::sqrt(2), 1e-15);
  EXPECT_EQ(o.residual, o.x * o.x - 2);
}

TEST(RootFinder, ReusesTheFactorWhileThatContractsFast) {
  Scalar equation = square_root_of_two();
  const Outcome o = solve(equation, 1.5, true);
  EXPECT_TRUE(succeeded(o.result.status));
  EXPECT_LT(o.result.work.factorisations, o.result.work.iterations);
  EXPECT_NEAR(o.x, std::sqrt(2), 1e-14);
}

// Full Newton steps on atan diverge from here.
TEST(RootFinder, LineSearchGlobalises) {
  Scalar equation([](double x) { return std::atan(x); }, [](double x) { return 1 / (1 + x * x); });
  const Outcome o = solve(equation, 20);
  EXPECT_TRUE(succeeded(o.result.status));
  EXPECT_NEAR(o.x, 0, 1e-13);
  EXPECT_GT(o.result.work.evaluations, o.result.work.iterations + 1);
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
  EXPECT_EQ(early.result.work.iterations, 2);
}

// A residual that cannot get smaller is a success where rounding explains it, and only there.
TEST(RootFinder, StallsAtRoundingLevelAreTold) {
  const auto noisy = [](double x) { return x > 1 ? x - 1 + 1e-9 : x - 1 - 1e-9; };
  Scalar equation(noisy, [](double) { return 1.0; });
  equation.round_off = 1e-8;
  const Outcome stalled = solve(equation, 3);
  EXPECT_EQ(stalled.result.status, StepStatus::round_off);
  EXPECT_EQ(stalled.residual, noisy(stalled.x));  // not of the trial that did not help
  equation.round_off = 1e-10;
  EXPECT_EQ(solve(equation, 3).result.status, StepStatus::no_descent);
}

// A full step with an old factor that does not help is tried again with a new one, and only then
// shortened.
TEST(RootFinder, OldFactorsAreRenewedBeforeStepsAreShortened) {
  // Close to the root the slope is ten times that of farther away.
  const auto bent = [](double x) { return x > 0.5 ? x - 0.45 : 10 * (x - 0.445); };
  Scalar equation(bent, [](double x) { return x > 0.5 ? 1.0 : 10.0; });
  const Outcome o = solve(equation, 1, true);
  EXPECT_TRUE(succeeded(o.result.status));
  EXPECT_NEAR(o.x, 0.445, 1e-14);
  EXPECT_EQ(o.result.work.iterations, 3);
  EXPECT_EQ(o.result.work.factorisations, 2);
  EXPECT_EQ(o.result.work.evaluations, 4);
}

// ∇Φ = 0 for Φ = ¼x⁴ − ½x², which has a maximum at 0 and minima at ±1, with |Φ″| for the Hessian.
class DoubleWell final : public Scalar, private MeritFunction {
 public:
  explicit DoubleWell(bool search_for_minimum)
      : Scalar(
            [](double x) { return x * x * x - x; },
            [=](double x) { return search_for_minimum ? std::abs(3 * x * x - 1) : 3 * x * x - 1; }),
        minimum_(search_for_minimum) {}
  void evaluate(Iterate& at) override {
    Scalar::evaluate(at);
    at.value = 0.25 * std::pow(at.z[0], 4) - 0.5 * at.z[0] * at.z[0];
  }
  MeritFunction* merit() override { return minimum_ ? this : nullptr; }

 private:
  Slope begin_search(const Iterate& at, const Vector& direction) override {
    return {.value = at.residual[0] * direction[0]};
  }
  double change(double, const Iterate& at, const Iterate& trial) override {
    return trial.value - at.value;
  }
  double rounding(const Iterate&, const Iterate&) override { return 1e-16; }
  bool minimum_;
};

TEST(RootFinder, LowersAMeritFunctionWhereThereIsOne) {
  DoubleWell plain(false);
  EXPECT_NEAR(solve(plain, 0.3).x, 0, 1e-12);
  DoubleWell guided(true);
  const Outcome o = solve(guided, 0.3);
  EXPECT_TRUE(succeeded(o.result.status)) << describe(o.result.status);
  EXPECT_NEAR(o.x, 1, 1e-12);
  // A guess is pulled back while that lowers Φ, which it does down to 1.25.
  const Outcome far = solve(guided, 20, false, 0);
  EXPECT_EQ(far.result.status, StepStatus::not_converged);
  EXPECT_EQ(far.x, 1.25);
}

// F that takes something as constant about the point where it is: x² − c with c = 2 renewed.
class Renewed final : public Equation {
 public:
  void evaluate(Iterate& at) override {
    at.residual[0] = at.z[0] * here_ - 2;
    at.norm = std::abs(at.residual[0]);
  }
  Arrival arrive(const Vector& z) override {
    if (z[0] < lost_below) return Arrival::singular;
    here_ = z[0];
    return Arrival::changed;
  }
  bool factorise(const Vector& z, SolverWork&, NewtonTimes&) override {
    slope_ = 2 * z[0];
    return true;
  }
  void solve(const Vector& residual, Vector& direction) override {
    direction[0] = -residual[0] / slope_;
  }
  Defect defect(const Iterate& at) override { return {.share = std::abs(at.residual[0]) / 1e-14}; }
  bool at_rounding(const Iterate&) override { return false; }
  StepStatus singular() const override { return StepStatus::singular_constraints; }
  double lost_below = 0;

 private:
  double here_ = 1, slope_ = 0;
};

TEST(RootFinder, EquationsAreToldWhereTheSearchArrives) {
  Renewed equation;
  RootFinder finder(1, {.reuse_factor = false});
  Iterate at{.z = Vector::Constant(1, 1.5)};
  const NewtonResult r = finder.solve(equation, at, 50);
  EXPECT_EQ(r.status, StepStatus::converged);
  EXPECT_NEAR(at.z[0], std::sqrt(2), 1e-14);
  EXPECT_LE(r.work.iterations, 6);
  equation.lost_below = 1.45;
  at.z[0] = 1.5;
  EXPECT_EQ(finder.solve(equation, at, 50).status, StepStatus::singular_constraints);
}

}  // namespace
}  // namespace lilyan::test::root_test
