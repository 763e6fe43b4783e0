// Signs of determinants against rational numbers, which have no rounding error.
#include "app/files/exact_predicates.hpp"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <random>

namespace lilyan::test::exact_predicates_test {
namespace {

using Rational = boost::multiprecision::cpp_rational;

int reference(const PlanePoint& a, const PlanePoint& b, const PlanePoint& c) {
  const auto d = [&](const PlanePoint& p, std::size_t k) {
    return Rational(p[k]) - Rational(a[k]);
  };
  return Rational(d(b, 0) * d(c, 1) - d(b, 1) * d(c, 0)).sign();
}

int reference(const SpacePoint& a, const SpacePoint& b, const SpacePoint& c, const SpacePoint& p) {
  const auto d = [&](const SpacePoint& x, std::size_t k) {
    return Rational(x[k]) - Rational(a[k]);
  };
  Rational sum = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t i = (k + 1) % 3;
    const std::size_t j = (k + 2) % 3;
    sum += (d(b, i) * d(c, j) - d(b, j) * d(c, i)) * d(p, k);
  }
  return sum.sign();
}

// Counts the signs, so that a test can say that it has met all of them.
struct Signs {
  std::array<int, 3> count{};
  void add(int sign) { ++count[static_cast<std::size_t>(sign + 1)]; }
};

template <class Point, class Make>
Signs compare(int rounds, const Make& make) {
  Signs signs;
  for (int round = 0; round < rounds; ++round) {
    const auto p = make();
    int expected = 0;
    int found = 0;
    if constexpr (std::tuple_size_v<Point> == 3) {
      expected = reference(p[0], p[1], p[2], p[3]);
      found = side_of(p[0], p[1], p[2], p[3]);
    } else {
      expected = reference(p[0], p[1], p[2]);
      found = turn_of(p[0], p[1], p[2]);
    }
    EXPECT_EQ(found, expected) << "round " << round;
    if (found != expected) break;
    signs.add(expected);
  }
  return signs;
}

TEST(ExactPredicates, HaveTheSignsTheySay) {
  EXPECT_EQ(turn_of({0, 0}, {1, 0}, {0, 1}), 1);
  EXPECT_EQ(turn_of({0, 0}, {0, 1}, {1, 0}), -1);
  EXPECT_EQ(turn_of({0, 0}, {1, 1}, {2, 2}), 0);
  EXPECT_EQ(side_of({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}), 1);
  EXPECT_EQ(side_of({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, -1}), -1);
  EXPECT_EQ(side_of({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {5, 7, 0}), 0);
}

// One unit in the last place beside a line or a plane, where rounding hides it.
TEST(ExactPredicates, SeeOneDigit) {
  const double next = std::nextafter(0.5, 1.0);
  EXPECT_EQ(turn_of({12, 12}, {24, 24}, {0.5, next}), 1);
  EXPECT_EQ(turn_of({12, 12}, {24, 24}, {next, 0.5}), -1);
  EXPECT_EQ(turn_of({12, 12}, {24, 24}, {next, next}), 0);
  EXPECT_EQ(side_of({12, 12, 0}, {24, 24, 0}, {18, 18, 7}, {0.5, next, 3}), -1);
  EXPECT_EQ(side_of({12, 12, 0}, {24, 24, 0}, {18, 18, 7}, {next, 0.5, 3}), 1);
  EXPECT_EQ(side_of({12, 12, 0}, {24, 24, 0}, {18, 18, 7}, {next, next, 3}), 0);
}

TEST(ExactPredicates, OnAGridAsRationalNumbers) {
  std::mt19937 random(1);
  std::uniform_int_distribution<int> pick(-2, 2);
  // A tenth is no number in binary: what lies in one plane on paper need not do so in double precision.
  for (const double unit : {1.0, 0.1, 1e-60, 1e60}) {
    const Signs flat = compare<PlanePoint>(3000, [&] {
      std::array<PlanePoint, 3> p;
      for (auto& x : p) x = {unit * pick(random), unit * pick(random)};
      return p;
    });
    const Signs space = compare<SpacePoint>(3000, [&] {
      std::array<SpacePoint, 4> p;
      for (auto& x : p) x = {unit * pick(random), unit * pick(random), unit * pick(random)};
      return p;
    });
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_GT(flat.count[k], 300);
      EXPECT_GT(space.count[k], 300);
    }
  }
}

// A point of the plane of three others, rounded, and moved by some of its last digits.
TEST(ExactPredicates, NearlyInOnePlaneAsRationalNumbers) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> real(-1, 1);
  std::uniform_int_distribution<int> digits(-2, 2);
  for (const double away : {0.0, 1.0, 1e6, 1e12}) {
    const Signs space = compare<SpacePoint>(4000, [&] {
      std::array<SpacePoint, 4> p;
      for (std::size_t i = 0; i < 3; ++i) {
        for (double& x : p[i]) x = away + real(random);
      }
      const double s = real(random);
      const double t = real(random);
      for (std::size_t k = 0; k < 3; ++k) {
        double x = p[0][k] + s * (p[1][k] - p[0][k]) + t * (p[2][k] - p[0][k]);
        for (int n = digits(random); n != 0; n += n < 0 ? 1 : -1) x = std::nextafter(x, n * 1e300);
        p[3][k] = x;
      }
      return p;
    });
    EXPECT_GT(space.count[0], 1000);
    EXPECT_GT(space.count[2], 1000);
    const Signs flat = compare<PlanePoint>(4000, [&] {
      std::array<PlanePoint, 3> p;
      for (std::size_t i = 0; i < 2; ++i) p[i] = {away + real(random), away + real(random)};
      const double s = real(random);
      for (std::size_t k = 0; k < 2; ++k) {
        double x = p[0][k] + s * (p[1][k] - p[0][k]);
        for (int n = digits(random); n != 0; n += n < 0 ? 1 : -1) x = std::nextafter(x, n * 1e300);
        p[2][k] = x;
      }
      return p;
    });
    EXPECT_GT(flat.count[0], 1000);
    EXPECT_GT(flat.count[2], 1000);
  }
}

// Products of three such numbers are beyond the range of double precision, at both ends.
TEST(ExactPredicates, OfAnySizeAsRationalNumbers) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> real(-1, 1);
  for (const int widest : {20, 200, 1000, 1073}) {
    std::uniform_int_distribution<int> exponent(-widest, std::min(widest, 1023));
    const auto number = [&] { return std::ldexp(real(random), exponent(random)); };
    const Signs space = compare<SpacePoint>(500, [&] {
      std::array<SpacePoint, 4> p;
      for (auto& x : p) x = {number(), number(), number()};
      // The middle of two others, up to rounding, so that the last digits decide.
      for (std::size_t k = 0; k < 3; ++k) p[3][k] = p[1][k] / 2 + p[2][k] / 2;
      return p;
    });
    EXPECT_GT(space.count[0] + space.count[2], 100) << widest;
    const Signs flat = compare<PlanePoint>(500, [&] {
      std::array<PlanePoint, 3> p;
      for (auto& x : p) x = {number(), number()};
      return p;
    });
    EXPECT_GT(flat.count[0] + flat.count[2], 300) << widest;
  }
}

TEST(ExactPredicates, ChangeTheirSignsWithTheOrder) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> real(-1, 1);
  for (int round = 0; round < 1000; ++round) {
    std::array<SpacePoint, 3> p;
    for (auto& x : p) x = {real(random), real(random), real(random)};
    SpacePoint d{};
    for (std::size_t k = 0; k < 3; ++k) d[k] = (p[0][k] + p[1][k] + p[2][k]) / 3;
    const int side = side_of(p[0], p[1], p[2], d);
    EXPECT_EQ(side_of(p[1], p[0], p[2], d), -side);
    EXPECT_EQ(side_of(p[1], p[2], p[0], d), side);
    EXPECT_EQ(side_of(p[0], p[1], d, p[2]), -side);
  }
}

}  // namespace
}  // namespace lilyan::test::exact_predicates_test
