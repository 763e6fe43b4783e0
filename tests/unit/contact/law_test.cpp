#include "lilyan/contact/law.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <utility>

#include "support/difference.hpp"

namespace lilyan::law_test {
namespace {

constexpr double kStiffness = 30;

double energy(double d) { return 0.5 * kStiffness * std::pow(std::fmin(d, 0), 2); }

// Ways in and out, all inside, all outside, from the surface and to it.
constexpr std::array<std::pair<double, double>, 8> kWays{{{-0.3, -0.1},
                                                          {0.2, -0.3},
                                                          {-0.2, 0.4},
                                                          {0.1, 0.3},
                                                          {0, -0.2},
                                                          {-0.2, 0},
                                                          {1e-3, -0.5},
                                                          {-1e-3, 0.5}}};

// Its force does the work that the energy changes by.
TEST(PenaltyMean, IsTheDifferenceQuotient) {
  for (const auto& [from, to] : kWays) {
    const PenaltyMean mean = penalty_mean(kStiffness, from, to);
    EXPECT_NEAR(mean.first * (to - from), energy(to) - energy(from), 1e-14) << from << " " << to;
  }
}

TEST(PenaltyMean, DerivativesMatchDifferences) {
  for (const auto& [from, to] : kWays) {
    if (to == 0) continue;  // another branch begins there
    const double step = 1e-5;
    const PenaltyMean mean = penalty_mean(kStiffness, from, to);
    const auto of = [start = from](double d) { return penalty_mean(kStiffness, start, d); };
    EXPECT_NEAR(mean.first, test::difference([&](double s) { return of(to + s).value; }, step),
                1e-8);
    EXPECT_NEAR(mean.second, test::difference([&](double s) { return of(to + s).first; }, step),
                1e-6);
  }
}

// Of d = |x| − 1, whose ∇²d = (I − n nᵀ)/|x|.
TEST(Penalty, DerivativesMatchDifferences) {
  using V = Eigen::Vector3d;
  const auto of = [](const V& x) {
    const V n = x.normalized();
    const double d = x.norm() - 1;
    const Eigen::Matrix3d bent = (Eigen::Matrix3d::Identity() - n * n.transpose()) / x.norm();
    return penalty(kStiffness, d, n, d * bent);
  };
  const V x(0.3, -0.2, 0.5);
  const LocalDerivatives<3> here = of(x);
  EXPECT_NEAR(here.value, energy(x.norm() - 1), 1e-14);
  EXPECT_EQ(penalty(kStiffness, x.norm() - 1, V(x.normalized())).gradient, here.gradient);
  for (int i = 0; i < 3; ++i) {
    const V e = V::Unit(i);
    const double step = 1e-5;
    EXPECT_NEAR(here.gradient[i],
                test::difference([&](double s) { return of(x + s * e).value; }, step), 1e-8);
    const V change = test::difference([&](double s) { return of(x + s * e).gradient; }, step);
    EXPECT_LE((here.hessian.col(i) - change).norm(), 1e-7);
  }
}

}  // namespace
}  // namespace lilyan::law_test
