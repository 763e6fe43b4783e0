// Compiled programs: the same for one system and for eight at once, small, and sound.
#include "lilyan/lagrangian/program.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/expression.hpp"

namespace lilyan::test::program_test {
namespace {

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(std::isnan(x) ? NAN : x); }

TEST(ExpressionProgram, EightSystemsGiveTheBitsOfOne) {
  Expressions e;
  std::vector<ExpressionNode> nodes;
  for (const std::string text : {"x + y",
                                 "x - y",
                                 "x*y",
                                 "x/y",
                                 "-x",
                                 "x*y + z",
                                 "x*y - z",
                                 "z - x*y",
                                 "x^y",
                                 "x^2.5",
                                 "min(x, y)",
                                 "max(x, y)",
                                 "abs(x)",
                                 "sign(x)",
                                 "if(x < y, z, x)",
                                 "if(x <= y, z, x)",
                                 "atan2(x, y)",
                                 "kepler(x, y)",
                                 "sn(x, y)",
                                 "cn(x, y)",
                                 "dn(x, y)",
                                 "pi",
                                 "x"}) {
    nodes.push_back(e.read(text));
  }
  for (const NamedFunction& f : named_functions()) {
    if (argument_count(f.operation) == 1) nodes.push_back(e.graph.apply(f.operation, nodes.back()));
    if (argument_count(f.operation) == 1) nodes.push_back(e.read(std::string(f.name) + "(x)"));
  }
  for (const ExpressionNode n :
       gradient(e.graph, e.read("if(x > 0, sqrt(x), x^3)"), std::vector{0})) {
    nodes.push_back(n);
  }
  const Program program(e.graph, nodes);
  ASSERT_EQ(program.input_count(), 3);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> x = {-1.5, 0.0, 0.3, 1.0, 2.5, -0.4, nan, 0.9};
  const std::vector<double> y = {0.5, 0.2, -0.3, 1.0, 0.7, -0.4, 1.0, nan};
  const std::vector<double> z = {1, -2, 3, 0.1, 0, 7, 1, -1e300};
  std::vector<Pack> inputs(3), outputs(nodes.size()), scratch(program.scratch_size());
  for (int lane = 0; lane < kLanes; ++lane) {
    inputs[0][lane] = x[lane];
    inputs[1][lane] = y[lane];
    inputs[2][lane] = z[lane];
  }
  program.run(inputs.data(), outputs.data(), scratch.data());
  for (int lane = 0; lane < kLanes; ++lane) {
    const std::vector<double> one = run(e.graph, nodes, {x[lane], y[lane], z[lane]});
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      EXPECT_EQ(bits(outputs[i][lane]), bits(one[i])) << "output " << i << ", lane " << lane;
    }
  }
}

TEST(ExpressionProgram, NothingDeadAndProductsWithTheirSums) {
  Expressions e;
  (void)e.read("sin(x)*cos(y)*tan(z)");
  EXPECT_EQ(Program(e.graph, std::vector{e.read("x*y + z")}).instruction_count(), 1);
  EXPECT_EQ(Program(e.graph, std::vector{e.read("x*y - z")}).instruction_count(), 1);
  EXPECT_EQ(Program(e.graph, std::vector{e.read("z - x*y")}).instruction_count(), 1);
  // Needed by itself too.
  EXPECT_EQ(Program(e.graph, std::vector{e.read("x*y + z"), e.read("x*y")}).instruction_count(), 2);
  EXPECT_EQ(Program(e.graph, std::vector{e.read("(x*y + z)*(x*y)")}).instruction_count(), 3);
  EXPECT_EQ(Program(e.graph, std::vector{e.read("x"), e.read("2")}).instruction_count(), 0);
}

TEST(ExpressionProgram, RegistersAreUsedAgain) {
  Expressions e;
  std::string text = "x";
  for (int i = 0; i < 100; ++i) text = "sin(" + text + ")*y";
  const Program program(e.graph, std::vector{e.read(text)});
  EXPECT_EQ(program.instruction_count(), 200);
  EXPECT_LE(program.scratch_size(), 4);
}

TEST(ExpressionProgram, OutputsMayRepeatAndBeInputsOrConstants) {
  Expressions e;
  const ExpressionNode f = e.read("x*y + 1");
  const std::vector<ExpressionNode> outputs = {f, e.read("x"), f, e.read("2"),
                                               e.read("sin(x*y+1)")};
  const std::vector<double> values = run(e.graph, outputs, {3, 4, 0});
  EXPECT_EQ(values, (std::vector<double>{13, 3, 13, 2, std::sin(13.0)}));
  const Program none(e.graph, std::vector<ExpressionNode>{});
  EXPECT_EQ(none.output_count(), 0);
  EXPECT_EQ(none.input_count(), 0);
  none.run(static_cast<const double*>(nullptr), nullptr, nullptr);
}

// A fused multiply–add would leave the rounding error of one product.
TEST(ExpressionProgram, DifferenceOfEqualProductsIsZero) {
  Expressions e;
  EXPECT_EQ(e.at("x*x - y*y", {0.1, 0.1}), 0);
  EXPECT_EQ(e.at("x*z - y*z + 0*x", {1.1, 1.1, 0.3}), 0);
}

TEST(ExpressionProgram, TwentyThousandTermsOfText) {
  std::string text = "x";
  for (int i = 1; i < 20000; ++i) text += (i % 2 == 0 ? " + " : " - ") + std::to_string(i) + "*x*y";
  Expressions e;
  EXPECT_DOUBLE_EQ(e.at(text, {2, 1}), 2 - 2 * 10000.0);
  std::string product = "x";
  for (int i = 1; i < 20000; ++i) product += i % 2 == 0 ? "*x" : "/x";
  EXPECT_DOUBLE_EQ(e.at(product, {1.5}), 1);
}

}  // namespace
}  // namespace lilyan::test::program_test
