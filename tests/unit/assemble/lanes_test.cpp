// The functions of whole packs against the standard library's of more digits.
#include "lilyan/numeric/lanes.hpp"

#include <gtest/gtest.h>

#include <random>

namespace lilyan::test::lanes_test {
namespace {

// Distance in units in the last place of the expected value.
double ulps(double actual, long double expected) {
  const double rounded = static_cast<double>(expected);
  const double unit = std::abs(std::nextafter(rounded, 2 * rounded) - rounded);
  return actual == rounded ? 0 : static_cast<double>(std::abs(actual - expected)) / unit;
}

// From 1e-300 to 1e300, and closer and closer to 1 from both sides.
std::vector<double> positive_numbers() {
  std::mt19937 random(8);
  std::uniform_real_distribution<double> d(-1, 1);
  std::vector<double> all;
  for (int k = 0; k < 8000; ++k) {
    all.push_back(std::pow(10, 300 * d(random)));
    all.push_back(std::exp(d(random)));
    all.push_back(1 + d(random) * std::pow(10, -16 * std::abs(d(random))));
  }
  for (const double x : {1.0, 2.0, 0.5, std::sqrt(0.5), std::sqrt(2.0), 0x1p-1022, 1e308, 1.5}) {
    all.push_back(x);
    all.push_back(std::nextafter(x, 0));
    all.push_back(std::nextafter(x, 1e308));
    all.push_back(8 * x / 8);
  }
  return all;
}

template <class Function>
double worst_ulps(const std::vector<double>& at, const Function& f) {
  double worst = 0;
  for (std::size_t k = 0; k + kLanes <= at.size(); k += kLanes) {
    Pack x;
    for (int i = 0; i < kLanes; ++i) x[i] = at[k + static_cast<std::size_t>(i)];
    worst = std::max(worst, f(x));
  }
  return worst;
}

TEST(Lanes, LogarithmIsThatOfTheLibrary) {
  const double worst = worst_ulps(positive_numbers(), [](const Pack& x) {
    const Pack r = log(x);
    double w = 0;
    for (int i = 0; i < kLanes; ++i)
      w = std::max(w, ulps(r[i], std::log(static_cast<long double>(x[i]))));
    return w;
  });
  std::printf("    log: %.2f units in the last place\n", worst);
  EXPECT_LE(worst, 1);
}

TEST(Lanes, LogarithmOutsideOfItsRange) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Pack x = {0.0, -0.0, -1.0, -kInfinity, kInfinity, 5e-324, 1e-310, std::nan("")};
  const Pack r = log(x);
  EXPECT_EQ(r[0], -kInfinity);
  EXPECT_EQ(r[1], -kInfinity);
  EXPECT_TRUE(std::isnan(r[2]));
  EXPECT_TRUE(std::isnan(r[3]));
  EXPECT_EQ(r[4], kInfinity);
  EXPECT_NEAR(r[5], std::log(5e-324), 1e-12);
  EXPECT_NEAR(r[6], std::log(1e-310), 1e-12);
  EXPECT_TRUE(std::isnan(r[7]));
}

TEST(Lanes, InverseCubeRoot) {
  std::vector<double> at = positive_numbers();
  std::erase_if(at, [](double x) { return x < 0x1p-1022; });
  const double worst = worst_ulps(at, [](const Pack& x) {
    const Pack r = inverse_cube_root(x);
    double w = 0;
    for (int i = 0; i < kLanes; ++i)
      w = std::max(w, ulps(r[i], 1 / std::cbrt(static_cast<long double>(x[i]))));
    return w;
  });
  std::printf("    x^(-1/3): %.2f units in the last place\n", worst);
  EXPECT_LE(worst, 1);
  const Pack bad = inverse_cube_root(Pack{0.0, -1.0, -1e-300, std::nan(""), 8.0, 27.0, 1.0, 64.0});
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(std::isnan(bad[i])) << i;
  EXPECT_NEAR(bad[4], 0.5, 1e-16);
  EXPECT_NEAR(bad[5], 1.0 / 3, 1e-16);
  EXPECT_EQ(bad[6], 1.0);
}

TEST(Lanes, AnyLane) {
  const Pack x = {1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_TRUE(any_lane(x > 7.0));
  EXPECT_FALSE(any_lane(x > 8.0));
}

}  // namespace
}  // namespace lilyan::test::lanes_test
