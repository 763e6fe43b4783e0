// Searches along a line, on functions of one number.
#include "lilyan/solve/line_search.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "lilyan/solve/options.hpp"

namespace lilyan::test::line_search_test {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

struct Function final : Objective {
  std::function<double(double)> value, slope;
  double most = kInfinite;
  void evaluate(const Linearised&, Iterate& at) const override {
    at.value = value(at.z[0]);
    at.residual.setConstant(1, slope(at.z[0]));
    at.norm = std::abs(at.residual[0]);
  }
  void hessian(const Linearised&, const Vector&, double, std::vector<double>&) const override {}
  [[nodiscard]] Defect defect(const Vector&, const Vector&) const override { return {}; }
  [[nodiscard]] double norm(const Vector& g) const override { return g.norm(); }
  [[nodiscard]] Rounding rounding(const Vector&, double, const Vector&) const override {
    return {};
  }
  [[nodiscard]] double largest_step(const Vector&, const Vector&) const override { return most; }
};

struct Result {
  double length;
  double z;
};

// The search from 0 along 1, where errors of Φ and of its slope are bounded.
Result search(const Function& f, Objective::Rounding error, bool longer) {
  Iterate at, trial, scratch;
  for (Iterate* point : {&at, &trial, &scratch}) point->resize(1);
  const Linearised none;
  const auto evaluate = [&](Iterate& point) { f.evaluate(none, point); };
  const auto rounding = [&](double) { return error; };
  evaluate(at);
  const Vector direction = Vector::Ones(1);
  const Descent along{.objective = f,
                      .at = at,
                      .direction = direction,
                      .slope = at.residual[0],
                      .evaluate = evaluate,
                      .rounding = rounding};
  if (longer) {
    trial.z = direction;
    evaluate(trial);
    const double length = lengthen(along, trial, scratch);
    return {length, trial.z[0]};
  }
  const double length = backtrack(along, trial, scratch);
  return {length, trial.z[0]};
}

Function parabola(double minimum) {
  Function f;
  f.value = [=](double x) { return 0.5 * (x - minimum) * (x - minimum); };
  f.slope = [=](double x) { return x - minimum; };
  return f;
}

TEST(Backtrack, TakesAFullStepThatLowersEnough) {
  const Result r = search(parabola(1), {}, false);
  EXPECT_EQ(r.length, 1);
  EXPECT_EQ(r.z, 1);
}

TEST(Backtrack, GoesToTheMinimumOfAParabola) {
  const Result r = search(parabola(0.2), {}, false);
  EXPECT_NEAR(r.length, 0.2, 1e-15);
  EXPECT_EQ(r.z, r.length);
}

TEST(Backtrack, StaysWhereTheFunctionIsDefined) {
  Function f = parabola(1);
  f.value = [](double x) { return x < 0.1 ? -x : kInfinite; };
  f.slope = [](double) { return -1; };
  const Result r = search(f, {}, false);
  EXPECT_GT(r.length, 0);
  EXPECT_LT(r.z, 0.1);
  f = parabola(1);
  f.most = 0.25;
  EXPECT_EQ(search(f, {}, false).length, 0.25);
}

TEST(Backtrack, FindsNothingUphill) { EXPECT_EQ(search(parabola(-1), {}, false).length, 0); }

// An error bound that is far too large hides values that are right. What the slopes say is still true.
TEST(Backtrack, GoesOnWhereOnlyTheBoundIsLarge) {
  const Result r = search(parabola(0.2), {.value = 1e3, .gradient = 1e-9}, false);
  EXPECT_NEAR(r.length, 0.2, 1e-15);
  EXPECT_EQ(search(parabola(0.2), {.value = 1e3, .gradient = 1}, false).length, 0)
      << "the residual is rounding error itself";
  // Slopes let a step through that values would not.
  Function f = parabola(0.9);
  f.value = [](double x) { return 1e-3 * x; };
  EXPECT_EQ(search(f, {.value = 1, .gradient = 1e-9}, false).length, 1);
}

TEST(Lengthen, GoesOnWhileTheFunctionFallsAsSteeply) {
  const Result r = search(parabola(50), {}, true);
  EXPECT_NEAR(r.z, 50, 1e-12);
  EXPECT_EQ(r.z, r.length);
  EXPECT_EQ(search(parabola(1.5), {}, true).length, 1) << "half of the slope is gone";
}

// Its slopes promise more than its values hold.
TEST(Lengthen, DoesNotGoUp) {
  Function f;
  f.value = [](double x) { return x < 5 ? -x : 100; };
  f.slope = [](double) { return -1; };
  const Result r = search(f, {}, true);
  EXPECT_EQ(r.length, 1);
  EXPECT_EQ(r.z, 1);
  f.value = [](double x) { return x < 50 ? -x : kInfinite; };
  EXPECT_EQ(search(f, {}, true).length, 10);
  f.most = 9;
  EXPECT_EQ(search(f, {}, true).length, 1);
}

// ‖F‖ is one at 0 and two beyond: no step lowers it.
struct Rising final : Equation, MeritFunction {
  Slope slope;
  bool rounding_is_all = false;
  void evaluate(Iterate& at) override { at.norm = at.z[0] > 0 ? 2 : 1; }
  [[nodiscard]] Defect defect(const Iterate&) override { return {}; }
  [[nodiscard]] bool at_rounding(const Iterate&) override { return rounding_is_all; }
  [[nodiscard]] bool factorise(const Vector&, SolverWork&, NewtonTimes&) override { return true; }
  void solve(const Vector&, Vector&) override {}
  Slope begin_search(const Iterate&, const Vector&) override { return slope; }
  double change(double, const Iterate&, const Iterate&) override { return 0; }
  double rounding(const Iterate&, const Iterate&) override { return 1; }
};

// How many points a search in vain looks at.
int points_looked_at(Rising& f, bool by_merit) {
  int points = 0;
  Iterate at, trial;
  at.z = trial.z = Vector::Zero(1);
  f.evaluate(at);
  const Vector direction = Vector::Ones(1);
  const auto evaluate = [&](Iterate& point) {
    ++points;
    f.evaluate(point);
  };
  const RootSearch search{
      .equation = f, .at = at, .direction = direction, .trials = 60, .evaluate = evaluate};
  EXPECT_EQ(by_merit ? lower_merit(search, f, trial) : lower_norm(search, trial), 0);
  return points;
}

TEST(RootSearch, ShorterStepsAreNotTriedAtTheLevelOfRounding) {
  Rising f;
  EXPECT_EQ(points_looked_at(f, false), 60);
  f.rounding_is_all = true;
  EXPECT_EQ(points_looked_at(f, false), 1);
}

// Of a direction that is noise itself.
TEST(RootSearch, ShorterStepsAreNotTriedAlongNoise) {
  Rising f;
  f.slope = {.value = -1e-3};
  EXPECT_EQ(points_looked_at(f, true), 60);
  f.slope.noise = true;
  EXPECT_EQ(points_looked_at(f, true), 1);
  f.slope = {.value = 1e-3, .noise = true};
  EXPECT_EQ(points_looked_at(f, true), 1);
  f.slope.noise = false;
  EXPECT_EQ(points_looked_at(f, true), 0);
}

}  // namespace
}  // namespace lilyan::test::line_search_test
