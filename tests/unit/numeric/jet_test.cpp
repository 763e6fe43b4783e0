// Values with derivatives: against closed forms and against differences.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "lilyan/numeric/jet.hpp"
#include "support/difference.hpp"

namespace lilyan::test::jet_test {
namespace {

using std::abs;
using std::acos;
using std::asin;
using std::atan;
using std::atan2;
using std::cos;
using std::exp;
using std::log;
using std::pow;
using std::sin;
using std::sqrt;
using std::tan;

using Point = std::array<double, 3>;
using J = Jet2<3>;
using J1 = Jet1<3>;

// The same formula for numbers and for jets.
struct Formula {
  std::string name;
  std::function<double(const Point&)> number;
  std::function<J(const std::array<J, 3>&)> jet;
  std::function<J1(const std::array<J1, 3>&)> jet1;
};

#define FORMULA(NAME, EXPRESSION)                                   \
  Formula {                                                         \
    NAME, [](const Point& x) -> double { return EXPRESSION; },      \
        [](const std::array<J, 3>& x) -> J { return EXPRESSION; },  \
        [](const std::array<J1, 3>& x) -> J1 { return EXPRESSION; } \
  }

std::vector<Formula> formulas() {
  return {
      FORMULA("sum", 2.0 * x[0] + x[1] - 3.0 + (1.0 - x[2]) * 0.5 + (-x[0]) + (x[1] + 2.0)),
      FORMULA("product", x[0] * x[1] * x[2] * x[0]),
      FORMULA("quotient", x[0] * x[1] / (x[2] + 2.0 * x[0])),
      FORMULA("one_over", 3.0 / (x[0] * x[1]) + x[2] / 7.0),
      FORMULA("sqrt", sqrt(x[0] * x[0] + 2.0 * x[1] * x[2])),
      FORMULA("exp", exp(x[0] * x[1] - x[2])),
      FORMULA("log", log(x[0] + x[1] * x[2])),
      FORMULA("trigonometric", sin(x[0] * x[1]) + cos(x[1] * x[2]) + tan(0.3 * x[0] * x[2])),
      FORMULA("inverse", asin(0.2 * x[0] * x[1]) + acos(0.2 * x[2] * x[1]) + atan(x[0] * x[2])),
      FORMULA("atan2", atan2(x[0] * x[1] - x[2], x[2] - 2.0 * x[0])),
      FORMULA("pow", pow(x[0] * x[1] + x[2], 2.5)),
      FORMULA("abs", abs(x[0] * x[1] - 4.0 * x[2]) * abs(x[0] * x[1])),
      FORMULA("branch", (x[0] * x[1] < 10.0 * x[2] ? x[0] * x[0] : x[1])),
  };
}

#undef FORMULA

TEST(Jet, DerivativesAreThoseOfDifferences) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> between(0.6, 1.4);
  for (const Formula& f : formulas()) {
    for (int trial = 0; trial < 5; ++trial) {
      const Point at = {between(random), between(random), between(random)};
      const J jet = f.jet(J::variables(at));
      const J1 first = f.jet1(J1::variables(at));
      EXPECT_NEAR(jet.value, f.number(at), 1e-14 * (1 + std::abs(jet.value))) << f.name;
      EXPECT_NEAR(jet.value, first.value, 1e-14 * (1 + std::abs(jet.value))) << f.name;
      for (int i = 0; i < 3; ++i) {
        const auto along = [&](double t) {
          Point p = at;
          p[static_cast<std::size_t>(i)] += t;
          return p;
        };
        const auto k = static_cast<std::size_t>(i);
        const double slope = difference([&](double t) { return f.number(along(t)); }, 1e-3);
        EXPECT_NEAR(jet.gradient[k], slope, 1e-9 * (1 + std::abs(slope))) << f.name << " " << i;
        EXPECT_NEAR(first.gradient[k], jet.gradient[k], 1e-14 * (1 + std::abs(slope))) << f.name;
        for (int j = 0; j < 3; ++j) {
          const double bend = difference(
              [&](double t) {
                return f.jet(J::variables(along(t))).gradient[static_cast<std::size_t>(j)];
              },
              1e-3);
          EXPECT_NEAR(jet.hessian(i, j), bend, 3e-8 * (1 + std::abs(bend)))
              << f.name << " " << i << " " << j;
          EXPECT_EQ(jet.hessian(i, j), jet.hessian(j, i));
        }
      }
    }
  }
}

TEST(Jet, CompoundAssignments) {
  const auto x = Jet2<2>::variables({2.0, 3.0});
  Jet2<2> f = x[0];
  f += x[1];  // x + y
  f *= x[0];  // x² + xy
  f -= x[1];  // x² + xy − y
  f /= x[1];  // x²/y + x − 1
  f *= 2.0;
  f /= 4.0;  // half of it
  EXPECT_DOUBLE_EQ(f.value, 0.5 * (4.0 / 3 + 2 - 1));
  EXPECT_DOUBLE_EQ(f.gradient[0], 0.5 * (4.0 / 3 + 1));
  EXPECT_DOUBLE_EQ(f.gradient[1], 0.5 * (-4.0 / 9));
  EXPECT_DOUBLE_EQ(f.hessian(0, 0), 0.5 * (2.0 / 3));
  EXPECT_DOUBLE_EQ(f.hessian(0, 1), 0.5 * (-4.0 / 9));
  EXPECT_DOUBLE_EQ(f.hessian(1, 1), 0.5 * (8.0 / 27));
}

TEST(Jet, ComparesByValue) {
  const auto x = Jet2<2>::variables({2.0, 3.0});
  EXPECT_TRUE(x[0] < x[1]);
  EXPECT_TRUE(x[0] <= 2.0);
  EXPECT_TRUE(3.0 == x[1]);
  EXPECT_TRUE(x[1] > 2.5);
  EXPECT_FALSE(x[0] != 2.0);
}

// The whole circle, also where y/x is not finite.
TEST(Jet, Atan2OverTheWholeCircle) {
  for (int k = 0; k < 16; ++k) {
    const double angle = -3 + 0.4 * k;
    const auto t = Jet2<1>::variables({angle});
    const auto back = atan2(sin(t[0]), cos(t[0]));
    EXPECT_NEAR(back.gradient[0], 1, 1e-15);
    EXPECT_NEAR(back.hessian(0, 0), 0, 1e-15);
  }
}

}  // namespace
}  // namespace lilyan::test::jet_test
