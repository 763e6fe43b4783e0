#include "lilyan/numeric/quadrature.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace lilyan::test::quadrature_test {
namespace {

double integral(const Quadrature& q, const auto& f) {
  double sum = 0;
  for (const Node& n : q.nodes) sum += n.weight * f(n.theta);
  return sum;
}

TEST(Gauss, IsExactToDegreeTwiceNMinusOneAndNoFurther) {
  for (int n = 1; n <= 64; ++n) {
    const Quadrature q = gauss(n);
    ASSERT_EQ(q.nodes.size(), static_cast<std::size_t>(n));
    ASSERT_EQ(q.degree, 2 * n - 1);
    for (int k = 0; k <= q.degree; ++k) {
      ASSERT_NEAR(integral(q, [&](double x) { return std::pow(x, k); }), 1.0 / (k + 1), 2e-15)
          << n << " points, degree " << k;
      // About the middle, where the monomials do not all look alike at high degree.
      const double centred = k % 2 ? 0.0 : 1.0 / (k + 1);
      ASSERT_NEAR(integral(q, [&](double x) { return std::pow(2 * x - 1, k); }), centred, 5e-15);
    }
    if (n <= 12) {  // beyond, the error of degree 2n is below rounding
      const double next = integral(q, [&](double x) { return std::pow(x, 2 * n); });
      // (n!)⁴ / ((2n+1) (2n)!²) is the error for x²ⁿ.
      const double error = std::exp(4 * std::lgamma(n + 1.0) - 2 * std::lgamma(2 * n + 1.0));
      EXPECT_NEAR(1.0 / (2 * n + 1) - next, error / (2 * n + 1), 1e-15 + 1e-6 * error) << n;
    }
  }
}

TEST(Gauss, NodesAreAscendingInsideAndSymmetric) {
  for (int n = 1; n <= 64; ++n) {
    const auto nodes = gauss(n).nodes;
    double weights = 0;
    for (int i = 0; i < n; ++i) {
      ASSERT_GT(nodes[i].theta, i == 0 ? 0 : nodes[i - 1].theta);
      ASSERT_LT(nodes[i].theta, 1);
      ASSERT_GT(nodes[i].weight, 0);
      ASSERT_NEAR(nodes[i].theta + nodes[n - 1 - i].theta, 1, 3e-16);
      ASSERT_NEAR(nodes[i].weight, nodes[n - 1 - i].weight, 1e-16);
      weights += nodes[i].weight;
    }
    ASSERT_NEAR(weights, 1, 1e-15);
  }
  EXPECT_NEAR(gauss(2).nodes[0].theta, 0.5 - 1 / (2 * std::sqrt(3)), 1e-16);
}

TEST(Lobatto, IsExactToDegreeTwiceNMinusThreeAndNoFurther) {
  for (int n = 2; n <= 64; ++n) {
    const Quadrature q = lobatto(n);
    ASSERT_EQ(q.nodes.size(), static_cast<std::size_t>(n));
    ASSERT_EQ(q.nodes.front().theta, 0);
    ASSERT_EQ(q.nodes.back().theta, 1);
    for (int i = 0; i < n; ++i) {
      if (i > 0) {
        ASSERT_GT(q.nodes[i].theta, q.nodes[i - 1].theta);
      }
      ASSERT_NEAR(q.nodes[i].theta + q.nodes[n - 1 - i].theta, 1, 3e-16);
      ASSERT_NEAR(q.nodes[i].weight, q.nodes[n - 1 - i].weight, 1e-16);
    }
    for (int k = 0; k <= q.degree; ++k) {
      const double centred = k % 2 ? 0.0 : 1.0 / (k + 1);
      ASSERT_NEAR(integral(q, [&](double x) { return std::pow(2 * x - 1, k); }), centred, 5e-15)
          << n << " points, degree " << k;
    }
    if (n <= 8) {
      const int next = q.degree + 1;
      EXPECT_GT(integral(q, [&](double x) { return std::pow(2 * x - 1, next); }),
                1.0 / (next + 1) + 1e-12);
    }
  }
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(lobatto(3).nodes[i].weight, simpson().nodes[i].weight, 1e-16);
    EXPECT_NEAR(lobatto(3).nodes[i].theta, simpson().nodes[i].theta, 1e-16);
  }
  EXPECT_EQ(lobatto(2).nodes[0].weight, trapezoid().nodes[0].weight);
}

TEST(TanhSinh, IntegratesWhatIsSingularAtTheEnds) {
  for (const int n : {2, 3, 40, 64, 160}) {
    const Quadrature q = tanh_sinh(n);
    ASSERT_EQ(q.nodes.size(), static_cast<std::size_t>(n));
    EXPECT_NEAR(integral(q, [](double) { return 1; }), 1, 1e-15);
    EXPECT_NEAR(integral(q, [](double x) { return x; }), 0.5, 1e-15) << "symmetric";
    for (const Node& node : q.nodes) {
      EXPECT_GT(node.theta, 0);
      EXPECT_LT(node.theta, 1);
    }
  }
  const auto logarithm = [](double x) { return std::log(x); };
  EXPECT_NEAR(integral(tanh_sinh(64), logarithm), -1, 1e-11);
  EXPECT_GT(std::abs(integral(gauss(64), logarithm) + 1), 1e-5);
  // Close to a pole, as an energy near J = 0 is.
  const auto pole = [](double x) { return 1e-4 / (x + 1e-4) / (x + 1e-4); };
  EXPECT_NEAR(integral(tanh_sinh(64), pole), 1 / 1.0001, 1e-7);
  EXPECT_NEAR(integral(tanh_sinh(128), pole), 1 / 1.0001, 1e-10);
  EXPECT_GT(std::abs(integral(gauss(64), pole) - 1 / 1.0001), 1e-4);
}

TEST(Simpson, IsExactToDegreeThreeAndNoFurther) {
  const Quadrature q = simpson();
  EXPECT_EQ(q.degree, 3);
  for (int k = 0; k <= 3; ++k) {
    EXPECT_NEAR(integral(q, [&](double x) { return std::pow(x, k); }), 1.0 / (k + 1), 2.3e-16);
  }
  EXPECT_GT(integral(q, [](double x) { return x * x * x * x; }) - 0.2, 0.005);
}

}  // namespace
}  // namespace lilyan::test::quadrature_test
