// Elliptic functions and Kepler's equation: identities, limits and published values.
#include "lilyan/lagrangian/operation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace lilyan::test::special_functions_test {
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

// To the last digits, for large arguments and near m = 1 as well. The values are those of mpmath with
// 40 digits, rounded.
TEST(SpecialFunctions, JacobiToTheLastDigits) {
  struct Value {
    double u, m, sn, cn, dn;
  };
  constexpr double kUlp = std::numeric_limits<double>::epsilon();
  for (const auto& [u, m, sn, cn, dn] : {
           Value{0.7, 0.3, 0.6323047763108646, 0.7747197363269298, 0.9381136396814302},
           Value{3, 0.5, 0.6300289982420332, -0.776571607370589, 0.8952830450126206},
           Value{59.9, 0.1464466094067262, 0.8752632752444197, 0.48364677090663094,
                 0.9422363461096933},
           Value{20, 0.9999, -0.9993072591942634, 0.03721561126260363, 0.03853392299619978},
           Value{12, 0.999999999999, 0.9999999999247471, 1.2268080807356347e-05,
                 1.2308768605102403e-05},
           Value{100, 0.81, -0.332365840854689, 0.9431505435681812, 0.9542126009148558},
           Value{1.5, 1e-08, 0.997494986351268, 0.07073720523235098, 0.9999999950250188},
       }) {
    const JacobiElliptic j = jacobi_elliptic(u, m);
    EXPECT_NEAR(j.sn / sn, 1, kUlp) << u << " " << m;
    EXPECT_NEAR(j.cn / cn, 1, kUlp) << u << " " << m;
    EXPECT_NEAR(j.dn / dn, 1, kUlp) << u << " " << m;
  }
  // Through DLMF 22.17 in double precision.
  for (const auto& [u, m, sn, cn, dn] : {
           Value{2.5, -3.0, -0.3556326110129365, -0.9346258320761959, 1.1744886811066488},
           Value{0.9, 2.5, 0.6083703815327518, 0.7936532485120275, 0.27333806391396537},
           Value{30, -0.25, 0.30790478375225233, 0.9514171767119189, 1.0117812703170486},
       }) {
    const JacobiElliptic j = jacobi_elliptic(u, m);
    EXPECT_NEAR(j.sn / sn, 1, 200 * kUlp) << u << " " << m;
    EXPECT_NEAR(j.cn / cn, 1, 200 * kUlp) << u << " " << m;
    EXPECT_NEAR(j.dn / dn, 1, 200 * kUlp) << u << " " << m;
  }
}

TEST(SpecialFunctions, EllipticIntegralToTheLastDigits) {
  for (const auto& [m, K] : {
           std::pair{1e-10, 1.5707963268341665},
           std::pair{0.3, 1.713889448178791},
           std::pair{0.81, 2.2805491384227703},
           std::pair{0.9999, 5.991589340507051},
           std::pair{0.999999999999, 15.201815980070121},
           std::pair{-3.0, 1.0782578237498217},
           std::pair{-1e6, 0.00829404781659062},
       }) {
    EXPECT_NEAR(complete_elliptic_k(m) / K, 1, std::numeric_limits<double>::epsilon()) << m;
  }
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
}  // namespace lilyan::test::special_functions_test
