// The shared graph: one node for equal expressions, simplifications, queries.
#include "lilyan/lagrangian/graph.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lilyan/base/error.hpp"
#include "support/expression.hpp"

namespace lilyan::test::graph_test {
namespace {

TEST(ExpressionGraph, EqualExpressionsAreOneNode) {
  Expressions e;
  const std::vector<std::pair<std::string, std::string>> pairs = {{"x*y", "y*x"},
                                                                  {"x + y", "y + x"},
                                                                  {"sin(x)*2", "2*sin(x)"},
                                                                  {"x + 0", "x"},
                                                                  {"0 + x", "x"},
                                                                  {"x - 0", "x"},
                                                                  {"1*x", "x"},
                                                                  {"x/1", "x"},
                                                                  {"0*x", "0"},
                                                                  {"0/x", "0"},
                                                                  {"x - x", "0"},
                                                                  {"x + x", "2*x"},
                                                                  {"x^1", "x"},
                                                                  {"x^0", "1"},
                                                                  {"x^2", "x*x"},
                                                                  {"x^4", "(x^2)^2"},
                                                                  {"x^-1", "1/x"},
                                                                  {"x^0.5", "sqrt(x)"},
                                                                  {"--x", "x"},
                                                                  {"-(x - y)", "y - x"},
                                                                  {"x + -y", "x - y"},
                                                                  {"x - -y", "x + y"},
                                                                  {"-x + y", "y - x"},
                                                                  {"(-x)*(-y)", "x*y"},
                                                                  {"(-x)*y", "-(x*y)"},
                                                                  {"x/(-y)", "-(x/y)"},
                                                                  {"0 - x", "-x"},
                                                                  {"-1*x", "-x"},
                                                                  {"x/4", "0.25*x"},
                                                                  {"2*(3*x)", "6*x"},
                                                                  {"0.5*(x + x)", "x"},
                                                                  {"-(3*x)", "(-3)*x"},
                                                                  {"2 + 3*4", "14"},
                                                                  {"if(1 < 2, x, y)", "x"},
                                                                  {"if(x < 2, y, y)", "y"},
                                                                  {"sin(1 - 1)", "0"}};
  for (const auto& [left, right] : pairs) EXPECT_EQ(e.read(left), e.read(right)) << left;
}

TEST(ExpressionGraph, WhatIsNotExactStaysAsItIs) {
  Expressions e;
  EXPECT_NE(e.read("3*(5*x)"), e.read("15*x"));
  EXPECT_NE(e.read("x/3"), e.read("(1/3)*x"));
  EXPECT_NE(e.read("x/x"), e.read("1"));
  EXPECT_NE(e.read("x - y"), e.read("y - x"));
}

TEST(ExpressionGraph, ConstantsFoldAsTheyWouldBeComputed) {
  Expressions e;
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(e.graph.constant_value(e.read("1/0")), infinity);
  EXPECT_EQ(e.graph.constant_value(e.read("-1/0")), -infinity);
  EXPECT_TRUE(std::isnan(*e.graph.constant_value(e.read("0/0"))));
  EXPECT_TRUE(std::isnan(*e.graph.constant_value(e.read("0*(1/0)"))));
  EXPECT_TRUE(std::isnan(*e.graph.constant_value(e.read("1/0 - 1/0"))));
  EXPECT_TRUE(std::isnan(*e.graph.constant_value(e.read("log(-1)"))));
  // A NaN is one node too, or a graph would grow by asking.
  EXPECT_EQ(e.read("0/0"), e.read("0/0"));
}

TEST(ExpressionGraph, InfiniteAndNotANumberPassThrough) {
  Expressions e;
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double x : {infinity, -infinity, nan, 0.0}) {
    for (const std::string f :
         {"x + 1", "2*x", "x/2", "x/3", "x^2", "x^3", "-x", "x - 1", "3 - x"}) {
      const double y = e.at(f, {x});
      EXPECT_EQ(std::isnan(y), std::isnan(x)) << f;
      EXPECT_EQ(std::isinf(y), std::isinf(x)) << f;
    }
  }
  EXPECT_EQ(e.at("1/x", {0}), infinity);
  EXPECT_TRUE(std::isnan(e.at("x/x", {0})));
  EXPECT_EQ(e.at("0*x", {nan}), 0);  // accepted: see graph.hpp
}

TEST(ExpressionGraph, Variables) {
  Expressions e;
  const ExpressionNode f = e.read("x*sin(z) + 0*y + q[2]'");
  EXPECT_EQ(e.graph.variables(f), (std::set<int>{0, 2, 7}));
  EXPECT_TRUE(e.graph.depends(f, 2));
  EXPECT_FALSE(e.graph.depends(f, 1));
  EXPECT_TRUE(e.graph.variables(e.read("1 + pi")).empty());
  EXPECT_THROW(e.graph.variable(-1), Error);
}

TEST(ExpressionGraph, ReachableComeInOrderOnce) {
  Expressions e;
  const ExpressionNode f = e.read("(x + y)*(x + y)*sin(x + y)");
  const std::vector<ExpressionNode> nodes = e.graph.reachable({&f, 1});
  EXPECT_TRUE(std::is_sorted(nodes.begin(), nodes.end()));
  EXPECT_EQ(nodes.size(), 6);  // x, y, x + y, its square, its sine, the product
  EXPECT_EQ(nodes.back(), f);
}

// 1 + 2⁻⁵³·n: from left to right every term is lost, by halves almost none is.
TEST(ExpressionGraph, LongSumsByHalves) {
  ExpressionGraph g;
  std::vector<ExpressionNode> terms;
  std::vector<double> values;
  for (int i = 0; i < 4096; ++i) {
    terms.push_back(g.variable(i));
    values.push_back(i == 0 ? 1 : 0x1p-53);
  }
  EXPECT_NEAR(run(g, {g.sum(terms)}, values)[0], 1 + 4095 * 0x1p-53, 8 * 0x1p-53);
  EXPECT_EQ(g.sum({}), g.constant(0));
  EXPECT_EQ(g.product({}), g.constant(1));
}

}  // namespace
}  // namespace lilyan::test::graph_test
