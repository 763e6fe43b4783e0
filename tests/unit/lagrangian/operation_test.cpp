// Values of every operator and function, against the standard library's.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "support/expression.hpp"

namespace lilyan::test::operation_test {
namespace {

struct Unary {
  std::string name;
  std::function<double(double)> value;
};

struct Binary {
  std::string form;
  std::function<double(double, double)> value;
};

const std::vector<double> kPoints = {-2.5, -1, -0.7, -0.1, 0, 1e-3, 0.3, 0.99, 1, 2, 7.25};

void expect_same(double found, double expected, const std::string& what) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(found)) << what;
  } else {
    EXPECT_DOUBLE_EQ(found, expected) << what;
  }
}

TEST(ExpressionOperation, FunctionsOfOneArgument) {
  const auto sign = [](double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0; };
  const std::vector<Unary> functions = {
      {"sin", [](double x) { return std::sin(x); }},
      {"cos", [](double x) { return std::cos(x); }},
      {"tan", [](double x) { return std::tan(x); }},
      {"asin", [](double x) { return std::asin(x); }},
      {"acos", [](double x) { return std::acos(x); }},
      {"atan", [](double x) { return std::atan(x); }},
      {"sinh", [](double x) { return std::sinh(x); }},
      {"cosh", [](double x) { return std::cosh(x); }},
      {"tanh", [](double x) { return std::tanh(x); }},
      {"exp", [](double x) { return std::exp(x); }},
      {"log", [](double x) { return std::log(x); }},
      {"sqrt", [](double x) { return std::sqrt(x); }},
      {"abs", [](double x) { return std::abs(x); }},
      {"sign", sign},
      {"ellint_k", [](double m) {
         if (m > 1) return std::numeric_limits<double>::quiet_NaN();
         if (m == 1) return std::numeric_limits<double>::infinity();
         return m >= 0 ? std::comp_ellint_1(std::sqrt(m))
                       : std::comp_ellint_1(std::sqrt(-m / (1 - m))) / std::sqrt(1 - m);
       }}};
  std::set<std::string> tested = {"atan2", "min", "max", "sn", "cn", "dn", "kepler"};
  Expressions e;
  for (const Unary& f : functions) {
    tested.insert(f.name);
    for (const double x : kPoints) {
      const std::string what = f.name + " at " + std::to_string(x);
      expect_same(e.at(f.name + "(x)", {x}), f.value(x), what);
      const auto folded =
          e.graph.constant_value(e.read(f.name + "(0 + " + std::to_string(x) + ")"));
      ASSERT_TRUE(folded) << what;
      expect_same(*folded, f.value(std::stod(std::to_string(x))), "folded " + what);
    }
  }
  for (const NamedFunction& f : named_functions())
    EXPECT_TRUE(tested.contains(std::string(f.name)));
}

TEST(ExpressionOperation, OperatorsAndFunctionsOfTwoArguments) {
  const std::vector<Binary> functions = {
      {"x + y", [](double x, double y) { return x + y; }},
      {"x - y", [](double x, double y) { return x - y; }},
      {"x*y", [](double x, double y) { return x * y; }},
      {"x/y", [](double x, double y) { return x / y; }},
      {"x^y", [](double x, double y) { return std::pow(x, y); }},
      {"atan2(x, y)", [](double x, double y) { return std::atan2(x, y); }},
      {"min(x, y)", [](double x, double y) { return std::min(x, y); }},
      {"max(x, y)", [](double x, double y) { return std::max(x, y); }},
      {"if(x < y, 3, x)", [](double x, double y) { return x < y ? 3 : x; }},
      {"if(x <= y, 3, x)", [](double x, double y) { return x <= y ? 3 : x; }},
      {"if(x > y, 3, x)", [](double x, double y) { return x > y ? 3 : x; }},
      {"if(x >= y, 3, x)", [](double x, double y) { return x >= y ? 3 : x; }},
      {"x*y + 3", [](double x, double y) { return x * y + 3; }},
      {"x*y - 3", [](double x, double y) { return x * y - 3; }},
      {"3 - x*y", [](double x, double y) { return 3 - x * y; }}};
  Expressions e;
  for (const Binary& f : functions) {
    for (const double x : kPoints) {
      for (const double y : kPoints) {
        const std::string what = f.form + " at " + std::to_string(x) + ", " + std::to_string(y);
        expect_same(e.at(f.form, {x, y}), f.value(x, y), what);
      }
    }
  }
}

// Constant exponents, which builders turn into products and roots.
TEST(ExpressionOperation, Powers) {
  Expressions e;
  for (const std::string p :
       {"0",  "1",   "2",   "3",   "7",    "15",   "16",  "17",   "40",  "-1",  "-2",
        "-5", "-20", "0.5", "1.5", "-0.5", "-1.5", "2.5", "-8.5", "0.3", "-1.7"}) {
    for (const double x : kPoints) {
      const double expected = std::pow(x, std::stod(p));
      const double found = e.at("x^(" + p + ")", {x});
      const std::string what = std::to_string(x) + "^" + p;
      if (std::isfinite(expected)) {
        EXPECT_NEAR(found, expected, 4e-15 * std::abs(expected)) << what;
      } else {
        expect_same(found, expected, what);
      }
    }
  }
}

}  // namespace
}  // namespace lilyan::test::operation_test
