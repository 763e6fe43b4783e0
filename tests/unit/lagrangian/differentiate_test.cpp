// Symbolic derivatives: against differences, against automatic differentiation, and their cost.
#include "lilyan/lagrangian/differentiate.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "lilyan/base/error.hpp"
#include "lilyan/numeric/jet.hpp"
#include "support/difference.hpp"
#include "support/expression.hpp"

namespace lilyan::test::differentiate_test {
namespace {

const std::vector<int> kXyz = {0, 1, 2};

// Value, gradient and full second derivatives by x, y, z.
struct Derivatives {
  double value = 0;
  std::vector<double> gradient;
  std::array<std::array<double, 3>, 3> hessian{};
};

Derivatives derivatives(Expressions& e, const std::string& text, std::vector<double> at) {
  at.resize(Expressions::kVariables, 0);
  const ExpressionNode f = e.read(text);
  Derivatives d;
  d.value = run(e.graph, {f}, at)[0];
  d.gradient = run(e.graph, gradient(e.graph, f, kXyz), at);
  for (const DerivativeEntry& entry : hessian(e.graph, f, kXyz)) {
    EXPECT_GE(entry.row, entry.column);
    const double value = run(e.graph, {entry.node}, at)[0];
    d.hessian[entry.row][entry.column] = d.hessian[entry.column][entry.row] = value;
  }
  return d;
}

const std::vector<std::string> kTexts = {
    "x + 2*y - 3*z",
    "x*y*z",
    "x*x*x - y^5*z + z^17",
    "x/(y*z + 1)",
    "x^2.5*y^-1.5",
    "x^y",
    "2^x - x^-3",
    "sin(x*y) + cos(y/z) - tan(z/2)",
    "asin(x/3)*acos(y/3) + atan(z*x)",
    "atan2(x, y*z)",
    "sinh(x)*cosh(y) + tanh(z*x)",
    "exp(-x*y)*log(z + x)",
    "sqrt(x^2 + y^2 + z^2)",
    "1/sqrt((x - y)^2 + z^2)",
    "abs(x - 3)*y^2 + sign(x - y)*z^2",
    "min(x*y, z^3) + max(x^2, y*z)",
    "if(x < y, x^2*z, y^3*z)*x",
    "if(x*y >= z, sin(x), exp(y)) + if(z > 1, z^3, x*y)",
    "sn(x*y, 0.3) + cn(z, 0.7)*dn(x, -0.4)",
    "ellint_k(0.5)*x^2",
    "kepler(x + y, 0.3*z)",
    "kepler(x, 0.5)^2*y",
    "sum(i, 1, 5, sin(i*x)*y^i)/product(i, 1, 4, z + i)",
    "((x*y + z)^3 + x)^0.5",
    "-(-x - y)*-z",
};

TEST(ExpressionDerivatives, AgainstDifferences) {
  std::mt19937 random(8);  // with this seed no point is so near a kink that differences cross it
  std::uniform_real_distribution<double> draw(0.4, 1.3);
  Expressions e;
  for (const std::string& text : kTexts) {
    for (int repeat = 0; repeat < 8; ++repeat) {
      const std::vector<double> at = {draw(random), draw(random), draw(random)};
      const Derivatives d = derivatives(e, text, at);
      for (int i = 0; i < 3; ++i) {
        const auto moved = [&](double t) {
          std::vector<double> p = at;
          p[i] += t;
          return derivatives(e, text, p);
        };
        const double slope = difference([&](double t) { return moved(t).value; }, 3e-4);
        EXPECT_NEAR(d.gradient[i], slope, 1e-8 * (1 + std::abs(slope))) << text << " by " << i;
        EXPECT_NEAR(run(e.graph, {derivative(e.graph, e.read(text), i)}, at)[0], d.gradient[i],
                    1e-12 * (1 + std::abs(slope)))
            << text << " forward by " << i;
        for (int j = 0; j < 3; ++j) {
          const double second = difference([&](double t) { return moved(t).gradient[j]; }, 3e-4);
          EXPECT_NEAR(d.hessian[i][j], second, 1e-8 * (1 + std::abs(second)))
              << text << " by " << i << " and " << j;
        }
      }
    }
  }
}

using J = Jet2<3>;
struct Twin {
  std::string text;
  std::function<J(const J&, const J&, const J&)> jet;
};

TEST(ExpressionDerivatives, AgainstAutomaticDifferentiation) {
  using Jr = const J&;
  const std::vector<Twin> twins = {
      {"x*y/z - sqrt(x + y)", [](Jr x, Jr y, Jr z) { return x * y / z - sqrt(x + y); }},
      {"sin(x)*cos(y)*tan(z)", [](Jr x, Jr y, Jr z) { return sin(x) * cos(y) * tan(z); }},
      {"exp(x*y)*log(z)", [](Jr x, Jr y, Jr z) { return exp(x * y) * log(z); }},
      {"asin(x/2) + acos(y/2)*atan(z)",
       [](Jr x, Jr y, Jr z) { return asin(x / 2.0) + acos(y / 2.0) * atan(z); }},
      {"atan2(x*y, z)", [](Jr x, Jr y, Jr z) { return atan2(x * y, z); }},
      {"(x*y)^2.3 + z^-4", [](Jr x, Jr y, Jr z) { return pow(x * y, 2.3) + pow(z, -4.0); }},
      {"(x^2 + y^2)^(-3/2)*abs(z - 2)",
       [](Jr x, Jr y, Jr z) { return pow(x * x + y * y, -1.5) * abs(z - 2.0); }},
      {"x^y*z", [](Jr x, Jr y, Jr z) { return exp(y * log(x)) * z; }}};
  std::mt19937 random(3);
  std::uniform_real_distribution<double> draw(0.3, 1.5);
  Expressions e;
  for (const Twin& twin : twins) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      const std::array at = {draw(random), draw(random), draw(random)};
      const auto v = J::variables(at);
      const J expected = twin.jet(v[0], v[1], v[2]);
      const Derivatives found = derivatives(e, twin.text, {at.begin(), at.end()});
      EXPECT_NEAR(found.value, expected.value, 1e-13 * (1 + std::abs(expected.value)));
      for (int i = 0; i < 3; ++i) {
        const double g = expected.gradient[i];
        EXPECT_NEAR(found.gradient[i], g, 1e-12 * (1 + std::abs(g))) << twin.text;
        for (int j = 0; j < 3; ++j) {
          const double h = expected.hessian(i, j);
          EXPECT_NEAR(found.hessian[i][j], h, 1e-11 * (1 + std::abs(h))) << twin.text;
        }
      }
    }
  }
}

TEST(ExpressionDerivatives, PowersAtZero) {
  Expressions e;
  for (int n = 0; n <= 20; ++n) {
    const Derivatives d = derivatives(e, "x^" + std::to_string(n), {0});
    EXPECT_EQ(d.gradient[0], n == 1 ? 1 : 0) << n;
    EXPECT_EQ(d.hessian[0][0], n == 2 ? 2 : 0) << n;
    // The exponent an input rather than a number.
    const Derivatives v = derivatives(e, "x^y", {0, static_cast<double>(n)});
    EXPECT_EQ(v.gradient[0], n == 1 ? 1 : 0) << n;
  }
  EXPECT_EQ(derivatives(e, "x^1.5", {0}).gradient[0], 0);
  EXPECT_EQ(derivatives(e, "x^y", {0, 2.5}).gradient[1], 0);
  EXPECT_EQ(derivatives(e, "x^3", {-2}).gradient[0], 12);
  EXPECT_EQ(derivatives(e, "x^21", {-1}).hessian[0][0], -420);
}

// The branch that is not chosen may be infinite or not a number, and so may its derivatives.
TEST(ExpressionDerivatives, UnchosenBranchesDoNotMatter) {
  Expressions e;
  const Derivatives root = derivatives(e, "if(x > 0, sqrt(x)*y, x^2)", {-1, 2});
  EXPECT_EQ(root.value, 1);
  EXPECT_EQ(root.gradient, (std::vector<double>{-2, 0, 0}));
  EXPECT_EQ(root.hessian[0][0], 2);
  EXPECT_EQ(root.hessian[1][0], 0);
  const Derivatives pole = derivatives(e, "z*if(x < 1, 3*x, log(1 - 1/(x - 1)^2)*y)", {1, 5, 2});
  EXPECT_TRUE(std::isnan(pole.value) || std::isinf(pole.value));
  const Derivatives well = derivatives(e, "z*if(x <= 1, 3*x, log(x - 1)*y/(x - 1))", {1, 5, 2});
  EXPECT_EQ(well.gradient, (std::vector<double>{6, 0, 3}));
  EXPECT_EQ(well.hessian[2][0], 3);
  EXPECT_EQ(well.hessian[0][0], 0);
  // A shared part below both branches, and nested choices.
  const Derivatives nested =
      derivatives(e, "if(x > 0, if(y > 0, sqrt(x)*sqrt(y), sqrt(x)), x*y)^2", {4, -1});
  EXPECT_EQ(nested.gradient, (std::vector<double>{1, 0, 0}));
  EXPECT_EQ(nested.hessian[0][0], 0);
  // The gradient of the gradient by reverse accumulation too.
  const ExpressionNode slope = gradient(e.graph, e.read("if(x > 0, sqrt(x), x^3)"), kXyz)[0];
  const std::vector<ExpressionNode> again = gradient(e.graph, slope, kXyz);
  EXPECT_EQ(run(e.graph, again, {-1, 0, 0})[0], -6);
  EXPECT_EQ(run(e.graph, again, {4, 0, 0})[0], -0.25 / 8);
}

TEST(ExpressionDerivatives, ZeroWhereNothingDepends) {
  Expressions e;
  const ExpressionNode zero = e.graph.constant(0);
  const std::vector<ExpressionNode> g = gradient(e.graph, e.read("sin(x) + 3"), kXyz);
  EXPECT_EQ(g[1], zero);
  EXPECT_EQ(g[2], zero);
  EXPECT_EQ(derivative(e.graph, e.read("sign(x)"), 0), zero);
  EXPECT_EQ(gradient(e.graph, e.read("2"), kXyz), (std::vector<ExpressionNode>(3, zero)));
  EXPECT_EQ(gradient(e.graph, e.read("y"), kXyz)[1], e.graph.constant(1));
  EXPECT_TRUE(hessian(e.graph, e.read("x + 2*y"), kXyz).empty());
  const auto entries = hessian(e.graph, e.read("x*y + z^2"), kXyz);
  ASSERT_EQ(entries.size(), 2);  // (y, x) and (z, z)
  EXPECT_EQ(entries[0].row, 1);
  EXPECT_EQ(entries[0].column, 0);
  EXPECT_EQ(entries[1].row, 2);
  EXPECT_EQ(entries[1].column, 2);
}

TEST(ExpressionDerivatives, JacobianOfSeveral) {
  Expressions e;
  const std::vector<ExpressionNode> f = {e.read("x*y"), e.read("z"), e.read("x*y"), e.read("7")};
  const auto entries = jacobian(e.graph, f, std::vector{2, 0});
  ASSERT_EQ(entries.size(), 3);
  const auto is = [&](int i, int row, int column, const std::string& text) {
    return entries[i].row == row && entries[i].column == column && entries[i].node == e.read(text);
  };
  EXPECT_TRUE(is(0, 1, 0, "1"));
  EXPECT_TRUE(is(1, 0, 1, "y"));
  EXPECT_TRUE(is(2, 2, 1, "y"));
}

TEST(ExpressionDerivatives, MissingOnesAreReportedOnlyWhereNeeded) {
  Expressions e;
  for (const std::string f : {"sn(x, y)", "cn(x, y)", "dn(x, y)", "ellint_k(y)*x"}) {
    EXPECT_NO_THROW((void)gradient(e.graph, e.read(f), std::vector{0, 2})) << f;
    EXPECT_NO_THROW((void)derivative(e.graph, e.read(f), 0)) << f;
    EXPECT_THROW((void)gradient(e.graph, e.read(f), std::vector{1}), Error) << f;
    EXPECT_THROW((void)derivative(e.graph, e.read(f), 1), Error) << f;
  }
  try {
    (void)derivative(e.graph, e.read("sn(x, y)"), 1);
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("sn"), std::string::npos) << error.what();
  }
}

// A chain of n springs: the gradient has a fixed multiple of the potential's nodes, whatever n.
TEST(ExpressionDerivatives, GradientsAreCheap) {
  for (const int n : {10, 100, 1000}) {
    ExpressionGraph g;
    ExpressionScope scope;
    std::vector<ExpressionNode> q;
    std::vector<int> variables;
    for (int i = 0; i < n; ++i) {
      q.push_back(g.variable(i));
      variables.push_back(i);
    }
    scope.set_list("q", 1, q);
    const std::string last = std::to_string(n);
    // The last factor ties every variable to every other.
    const ExpressionNode f = parse(
        g, "sum(i, 1, " + last + " - 1, (q[i+1] - q[i])^4)*exp(sum(i, 1, " + last + ", sin(q[i])))",
        scope);
    const std::size_t size = g.reachable({&f, 1}).size();
    const std::vector<ExpressionNode> slopes = gradient(g, f, variables);
    EXPECT_LT(g.reachable(slopes).size(), 4 * size) << n;
  }
}

TEST(ExpressionDerivatives, LongChains) {
  constexpr int kTerms = 20000;
  ExpressionGraph g;
  ExpressionNode f = g.constant(0);
  std::vector<int> variables;
  std::vector<double> at;
  for (int i = 0; i < kTerms; ++i) {
    f = g.add(g.apply(Operation::sin, f),
              g.power(g.variable(i), g.constant(2)));  // as deep as it is long
    variables.push_back(i);
    at.push_back(0.001 * i);
  }
  EXPECT_TRUE(g.depends(f, 0));
  EXPECT_EQ(g.variables(f).size(), kTerms);
  const std::vector<double> slopes = run(g, gradient(g, f, variables), at);
  EXPECT_EQ(slopes.back(), 2 * at.back());
  EXPECT_NE(derivative(g, f, 0), g.constant(0));
}

// Second derivatives of a long sum: as many as its terms have, and quickly.
TEST(ExpressionDerivatives, HessianOfALongChainOfSprings) {
  constexpr int kCount = 5000;
  ExpressionGraph g;
  ExpressionScope scope;
  std::vector<ExpressionNode> q;
  std::vector<int> variables;
  for (int i = 0; i < kCount; ++i) {
    q.push_back(g.variable(i));
    variables.push_back(i);
  }
  scope.set_list("q", 1, q);
  const ExpressionNode f = parse(g, "sum(i, 1, 4999, cos(q[i+1] - q[i]))", scope);
  EXPECT_EQ(hessian(g, f, variables).size(), 2 * kCount - 1);
}

}  // namespace
}  // namespace lilyan::test::differentiate_test
