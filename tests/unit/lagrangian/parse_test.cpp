// Expressions from text: precedence, sums, indices, and random ones there and back.
#include "lilyan/lagrangian/parse.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "support/expression.hpp"
#include "support/mutate.hpp"

namespace lilyan::test::parse_test {
namespace {

TEST(ExpressionParse, Numbers) {
  Expressions e;
  const std::vector<std::pair<std::string, double>> numbers = {{"1", 1},
                                                               {"1.5", 1.5},
                                                               {".5", 0.5},
                                                               {"1e-3", 1e-3},
                                                               {"2E+2", 200},
                                                               {"1.", 1},
                                                               {"007", 7},
                                                               {"1e-400", 0},
                                                               {"1e-9999", 0},
                                                               {"0.1", 0.1},
                                                               {" 3\t\n", 3},
                                                               {"1e308", 1e308},
                                                               {"pi", std::numbers::pi}};
  for (const auto& [text, value] : numbers) {
    EXPECT_EQ(e.graph.constant_value(e.read(text)), value) << text;
  }
}

TEST(ExpressionParse, PrecedenceAndAssociativity) {
  Expressions e;
  const double x = 1.7, y = -0.6, z = 2.3;
  const std::vector<std::pair<std::string, double>> table = {
      {"x + y*z", x + y * z},
      {"(x + y)*z", (x + y) * z},
      {"x - y - z", x - y - z},
      {"x - (y - z)", x - (y - z)},
      {"x/y/z", x / y / z},
      {"x/(y/z)", x / (y / z)},
      {"x/y*z", x / y * z},
      {"x*y/z", x * y / z},
      {"-x^2", -(x * x)},
      {"(-x)^2", x * x},
      {"-x*y", -x * y},
      {"x*-y", x * -y},
      {"x - -y", x + y},
      {"x + +y", x + y},
      {"--x", x},
      {"-+-+-x", -x},
      {"2^-3", 0.125},
      {"2^-2^2", 1.0 / 16},
      {"2^3^2", 512},
      {"(2^3)^2", 64},
      {"2*x^2", 2 * (x * x)},
      {"2^x*y", std::pow(2, x) * y},
      {"x^2/2", x * x / 2},
      {"-2^2", -4},
      {"3 - 2^2*-1", 7},
      {"sin(x)^2 + cos(x)^2", std::pow(std::sin(x), 2) + std::pow(std::cos(x), 2)},
      {"if(x < y + 5, x + 1, 2)*2", (x + 1) * 2},
      {"if(x + y > z, 1, 2)", 2},
  };
  for (const auto& [text, value] : table) EXPECT_DOUBLE_EQ(e.at(text, {x, y, z}), value) << text;
}

TEST(ExpressionParse, NamesPrimesAndIndices) {
  Expressions e;
  const std::vector<double> at = {1, 2, 3, 10, 20, 30, 100, 200, 300, 7};
  EXPECT_EQ(e.at("q[1]", at), 10);
  EXPECT_EQ(e.at("q[1 + 2*1]", at), 30);
  EXPECT_EQ(e.at("q[2]'", at), 200);
  EXPECT_EQ(e.at("q'[2]", at), 200);
  EXPECT_EQ(e.at("q[2]'^2", at), 40000);
  EXPECT_EQ(e.at("theta'*2", at), 14);
  EXPECT_EQ(e.at(" x\n+\ty ", at), 3);
  e.scope.set("e", e.graph.constant(0.2));
  EXPECT_EQ(e.at("2*e", at), 0.4);
}

TEST(ExpressionParse, SumsAndProducts) {
  Expressions e;
  const std::vector<double> at = {2, 3, 0, 10, 20, 30, 1, 2, 3};
  EXPECT_EQ(e.at("sum(i, 1, 4, i^2)", at), 30);
  EXPECT_EQ(e.at("product(i, 1, 5, i)", at), 120);
  EXPECT_EQ(e.at("sum(i, 1, 3, q[i]*q[i]')", at), 140);
  EXPECT_EQ(e.at("sum(i, 1, 3 - 1, q[i+1] - q[i])", at), 20);
  EXPECT_EQ(e.at("sum(i, 1, 3, sum(j, i, 3, i*j))", at), 25);
  EXPECT_EQ(e.at("sum(i, 1, 2, x) + sum(i, 1, 2, y)", at), 10);
  EXPECT_EQ(e.at("sum(i, -2, 2, i^3 + x)", at), 10);
  EXPECT_EQ(e.at("sum(i, 1, 0, x) + 5", at), 5);
  EXPECT_EQ(e.at("product(i, 3, 1, x)", at), 1);
  double reference = 0;
  for (int k = 1; k <= 1000; ++k) reference += 1.0 / (k * k);
  EXPECT_NEAR(e.at("sum(k, 1, 1000, 1/k^2)", at), reference, 1e-14);
  EXPECT_EQ(e.at("q[max(1, 2)]", at), 20);
}

// What is not used is read for its syntax, but its indices may lie outside.
TEST(ExpressionParse, UnusedPartsMayLieOutside) {
  Expressions e;
  const std::vector<double> at = {2, 3, 0, 10, 20, 30};
  EXPECT_EQ(e.at("sum(i, 4, 3, q[i] + q[i/2])", at), 0);
  EXPECT_EQ(e.at("sum(i, 1, 3, if(i < 3, q[i+1], 0))", at), 50);
  EXPECT_EQ(e.at("sum(i, 1, 3, if(i >= 3, 0, q[i+1] + sum(j, 1, 2, q[j + i - 1])))", at), 50 + 80);
  EXPECT_THROW(e.at("sum(i, 4, 3, unknown)"), ExpressionError);
  EXPECT_THROW(e.at("sum(i, 4, 3, q[i)"), ExpressionError);
  EXPECT_THROW(e.at("if(1 < 2, x, q[7](3))"), ExpressionError);
}

TEST(ExpressionScope, Names) {
  Expressions e;
  for (const char* name :
       {"sin", "pi", "if", "sum", "product", "2x", "", "a b", "x", "q", "'", "θ"}) {
    EXPECT_THROW(e.scope.set(name, 0), Error) << name;
  }
  EXPECT_THROW(e.scope.set_list("x", 0, {}), Error);
  e.scope.set("sin_1''", 0);
  EXPECT_TRUE(e.scope.has("sin_1''"));
  EXPECT_EQ(e.scope.names(),
            (std::vector<std::string>{"q", "q'", "sin_1''", "theta'", "x", "y", "z"}));
}

// A random expression: its text and its value, computed on the way.
struct Sample {
  std::string text;
  double value;
};

std::string exact(double x) {
  std::array<char, 40> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.17g", x);
  return buffer.data();
}

Sample random_leaf(Dice& dice, const std::vector<double>& at) {
  const std::size_t i = dice.below(4);
  if (i < 3) return {std::string(1, "xyz"[i]), at[i]};
  const double c = static_cast<double>(1 + dice.below(1000)) / 64;
  return {exact(c), c};
}

Sample random_sample(Dice& dice, const std::vector<double>& at, int depth) {
  if (depth == 0) return random_leaf(dice, at);
  const Sample a = random_sample(dice, at, depth - 1 - static_cast<int>(dice.below(depth)));
  const Sample b = random_sample(dice, at, depth - 1 - static_cast<int>(dice.below(depth)));
  const std::string A = "(" + a.text + ")", B = "(" + b.text + ")";
  switch (dice.below(12)) {
    case 0: return {A + "+" + B, a.value + b.value};
    case 1: return {A + " - " + B, a.value - b.value};
    case 2: return {A + "*" + B, a.value * b.value};
    case 3: return {A + " / (2 + " + B + "^2)", a.value / (2 + b.value * b.value)};
    case 4: return {"-" + A, -a.value};
    case 5: return {"sin" + A, std::sin(a.value)};
    case 6: return {"sqrt(1 + " + A + "^2)", std::sqrt(1 + a.value * a.value)};
    case 7:
      return {"atan2(" + a.text + ", 3 + " + B + "^2)", std::atan2(a.value, 3 + b.value * b.value)};
    case 8: return {"max(" + a.text + "," + b.text + ")", std::max(a.value, b.value)};
    case 9:
      return {"if(" + a.text + " < 0.7, " + b.text + ", tanh" + A + ")",
              a.value < 0.7 ? b.value : std::tanh(a.value)};
    case 10: return {"sin" + A + "^2", std::sin(a.value) * std::sin(a.value)};
    default: return {"exp(-" + A + "^2)", std::exp(-(a.value * a.value))};
  }
}

TEST(ExpressionParse, RandomExpressionsThereAndBack) {
  Dice dice(11);
  const std::vector<double> at = {0.37, -1.21, 2.05};
  for (int i = 0; i < 3000; ++i) {
    const Sample s = random_sample(dice, at, 1 + static_cast<int>(dice.below(7)));
    Expressions e;
    EXPECT_NEAR(e.at(s.text, at), s.value, 1e-13 * (1 + std::abs(s.value))) << s.text;
  }
}

}  // namespace
}  // namespace lilyan::test::parse_test
