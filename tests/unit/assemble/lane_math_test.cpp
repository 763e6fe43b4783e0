#include "lilyan/numeric/lane_math.hpp"

#include <gtest/gtest.h>

#include <random>

namespace lilyan::test::lane_math_test {
namespace {

// Distance from the exact value in units of the last place of the nearest double.
double ulps(double value, long double exact) {
  const double nearest = static_cast<double>(exact);
  const double unit = std::nextafter(std::abs(nearest), INFINITY) - std::abs(nearest);
  return static_cast<double>(std::abs(static_cast<long double>(value) - exact) / unit);
}

template <class P, class Lanes, class Exact>
double worst(const Lanes& f, const Exact& exact, const std::vector<double>& at) {
  double most = 0;
  for (std::size_t k = 0; k + kLanes <= at.size(); k += kLanes) {
    for (int part = 0; part < kLanes; part += lanes_of<P>) {
      const double* from = at.data() + k + static_cast<std::size_t>(part);
      const P y = f(load<P>(from));
      for (int i = 0; i < lanes_of<P>; ++i) most = std::max(most, ulps(y[i], exact(from[i])));
    }
  }
  return most;
}

template <class Lanes, class Exact>
void expect_accurate(const Lanes& f, const Exact& exact, const std::vector<double>& at) {
  EXPECT_LE((worst<PackOf<8>>(f, exact, at)), 2);
  EXPECT_LE((worst<PackOf<4>>(f, exact, at)), 2);
  EXPECT_LE((worst<PackOf<2>>(f, exact, at)), 2);
}

// Evenly over [−most, most], over all magnitudes below, and next to multiples of `step`, where
// sines and cosines vanish and reductions cancel.
std::vector<double> arguments(double most, double step) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> at;
  for (int k = 0; k < 200000; ++k) {
    at.push_back(most * uniform(random));
    at.push_back(uniform(random) * std::exp2(16 * uniform(random)));
    const double near = step * std::round(most / step * uniform(random));
    at.push_back(std::clamp(near, -most, most));
    at.push_back(std::clamp(std::nextafter(near, 0), -most, most));
  }
  return at;
}

const auto kSin = [](const auto& x) { return sin(x); };
const auto kCos = [](const auto& x) { return cos(x); };
const auto kExp = [](const auto& x) { return exp(x); };
const auto kExactSin = [](long double x) { return std::sin(x); };
const auto kExactCos = [](long double x) { return std::cos(x); };
const auto kExactExp = [](long double x) { return std::exp(x); };

TEST(LaneMath, SineAndCosine) {
  const std::vector<double> at = arguments(1e5, M_PI_2);
  expect_accurate(kSin, kExactSin, at);
  expect_accurate(kCos, kExactCos, at);
}

TEST(LaneMath, FarAwayArguments) {
  const std::vector<double> at = {1.5e5, -1e300, 3e7, 0.5, 1e22, -1e5, 1e5, 7e4};
  expect_accurate(kSin, kExactSin, at);
  expect_accurate(kCos, kExactCos, at);
}

TEST(LaneMath, Exponential) { expect_accurate(kExp, kExactExp, arguments(708, M_LN2)); }

TEST(LaneMath, SpecialValues) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const Pack x = {0.0, -0.0, inf, -inf, nan, 710, -746, -745};
  const Pack e = exp(x), s = sin(x), c = cos(x);
  EXPECT_EQ(e[0], 1);
  EXPECT_EQ(e[2], inf);
  EXPECT_EQ(e[3], 0);
  EXPECT_TRUE(std::isnan(e[4]));
  EXPECT_EQ(e[5], inf);
  EXPECT_EQ(e[6], 0);
  EXPECT_EQ(e[7], std::exp(-745.0));
  EXPECT_EQ(s[0], 0);
  EXPECT_TRUE(std::isnan(s[2]) && std::isnan(s[4]) && std::isnan(c[3]));
  EXPECT_EQ(c[0], 1);
}

}  // namespace
}  // namespace lilyan::test::lane_math_test
