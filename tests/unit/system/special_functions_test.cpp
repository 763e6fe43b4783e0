// Elliptic functions and Kepler's equation: identities, limits and published values.
#include "lilyan/system/special_functions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace lilyan::test {
namespace {

TEST(SpecialFunctions, JacobiIdentitiesForAnyParameter) {
  for (const double m : {-30.0, -1.0, -0.1, 0.0, 0.3, 0.9, 0.999999, 1.0, 2.5}) {
    for (const double u : {-7.5, -1.2, 0.0, 0.4, 3.0, 25.0}) {
      const JacobiElliptic j = jacobi_elliptic(u, m);
      EXPECT_NEAR(j.sn * j.sn + j.cn * j.cn, 1, 1e-13) << u << " " << m;
      EXPECT_NEAR(m * j.sn * j.sn + j.dn * j.dn, 1, 1e-12) << u << " " << m;
    }
  }
}

TEST(SpecialFunctions, JacobiLimitsAndQuarterPeriod) {
  EXPECT_NEAR(jacobi_elliptic(0.7, 0).sn, std::sin(0.7), 1e-15);
  EXPECT_NEAR(jacobi_elliptic(0.7, 1).sn, std::tanh(0.7), 1e-15);
  EXPECT_NEAR(jacobi_elliptic(0.7, 1).dn, 1 / std::cosh(0.7), 1e-15);
  for (const double m : {-3.0, 0.2, 0.95}) {
    const double K = complete_elliptic_k(m);
    EXPECT_NEAR(jacobi_elliptic(K, m).sn, 1, 1e-14) << m;
    EXPECT_NEAR(jacobi_elliptic(K, m).cn, 0, 1e-14) << m;
  }
  // Abramowitz & Stegun, example 16.4 (sn at u = 0.20, m = 0.81).
  EXPECT_NEAR(jacobi_elliptic(0.2, 0.81).sn, 0.19762, 1e-5);
}

TEST(SpecialFunctions, EllipticIntegral) {
  EXPECT_DOUBLE_EQ(complete_elliptic_k(0), std::numbers::pi / 2);
  EXPECT_NEAR(complete_elliptic_k(0.5), 1.8540746773013719, 1e-15);
  EXPECT_NEAR(complete_elliptic_k(-1), 1.3110287771460599, 1e-15);
  EXPECT_TRUE(std::isinf(complete_elliptic_k(1)));
  EXPECT_TRUE(std::isnan(complete_elliptic_k(1.1)));
}

TEST(SpecialFunctions, OutsideOfTheirDomainNotANumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {nan, infinity, -infinity}) {
    EXPECT_TRUE(std::isnan(jacobi_elliptic(bad, 0.5).sn));
    EXPECT_TRUE(std::isnan(jacobi_elliptic(0.5, bad).dn));
    EXPECT_TRUE(std::isnan(eccentric_anomaly(bad, 0.5)));
    EXPECT_TRUE(std::isnan(eccentric_anomaly(0.5, bad)));
  }
  EXPECT_TRUE(std::isnan(eccentric_anomaly(0.5, 1.01)));
  EXPECT_TRUE(std::isnan(complete_elliptic_k(nan)));
}

TEST(SpecialFunctions, KeplersEquation) {
  for (const double e : {-0.5, 0.0, 0.1, 0.6, 0.9, 0.99, 0.999999, 1.0}) {
    for (double E = -9.5; E < 9.6; E += 0.19) {
      const double M = E - e * std::sin(E);
      // A rounding of M moves E by this much.
      const double rounding = 4e-16 * (1 + std::abs(E)) / (1 - e * std::cos(E));
      EXPECT_NEAR(eccentric_anomaly(M, e), E, 4 * rounding + 1e-15) << e << " " << E;
    }
  }
}

// E³/6 = M to first order: with cancellation in E − sin E not one digit would be right.
TEST(SpecialFunctions, KeplersEquationNearAParabola) {
  for (const double M : {1e-30, 1e-20, 1e-12}) {
    EXPECT_NEAR(eccentric_anomaly(M, 1) / std::cbrt(6 * M), 1, 1e-7) << M;
    EXPECT_EQ(eccentric_anomaly(-M, 1), -eccentric_anomaly(M, 1)) << M;
  }
  EXPECT_EQ(eccentric_anomaly(0, 1), 0);
  EXPECT_EQ(eccentric_anomaly(0, 0.5), 0);
  EXPECT_NEAR(eccentric_anomaly(std::numbers::pi, 0.7), std::numbers::pi, 1e-15);
}

}  // namespace
}  // namespace lilyan::test
