// What the parser says about mistakes, and where.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/expression.hpp"
#include "support/mutate.hpp"

namespace lilyan::test::parse_error_test {
namespace {

struct Mistake {
  std::string text;
  std::size_t position;
  std::string part;  // of the message
};

void expect_mistakes(const std::vector<Mistake>& mistakes) {
  Expressions e;
  e.scope.set_list("empty", 0, {});
  for (const Mistake& m : mistakes) {
    try {
      (void)e.read(m.text);
      ADD_FAILURE() << "accepted: " << m.text;
    } catch (const ExpressionError& error) {
      EXPECT_EQ(error.position(), m.position) << m.text << ": " << error.what();
      EXPECT_NE(std::string(error.what()).find(m.part), std::string::npos)
          << m.text << ": " << error.what();
    }
  }
}

TEST(ExpressionErrors, Signs) {
  expect_mistakes({
      {"", 0, "empty"},
      {"  \n", 0, "empty"},
      {"x +", 3, "ends where a value is expected"},
      {"x + * y", 4, "expected a value, found '*'"},
      {"*x", 0, "expected a value"},
      {"x ** 2", 2, "write ^ for a power"},
      {"2**3", 1, "write ^"},
      {"x ^", 3, "ends"},
      {"x y", 2, "written with *: x*y"},
      {"2x", 1, "written with *: 2*x"},
      {"1 + 2e*x", 5, "2*e"},
      {"2(x + 1)", 1, "2*("},
      {"(x)(y)", 3, ")*("},
      {"x 2", 2, "x*2"},
      {"1.5.2", 3, "1.5*.2"},
      {"sin(x)y", 6, ")*y"},
      {"x = 3", 2, "unexpected character '='"},
      {"x $ y", 2, "unexpected character '$'"},
      {".", 0, "unexpected character '.'"},
      {"1e999", 0, "1e999 is too large"},
      {"x + 1e99999", 4, "too large"},
      {"x < y", 2, "condition of if"},
      {"x, y", 1, "unexpected ','"},
      {"'x", 0, "a prime can only follow a name"},
      {"(x)'", 3, "a prime can only follow a name"},
  });
}

TEST(ExpressionErrors, Parentheses) {
  expect_mistakes({
      {"(x + y", 6, "expected ')', found the end"},
      {"x)", 1, "')' without a '('"},
      {"sin(x", 5, "expected ')'"},
      {"sin x", 0, "'sin' is a function and needs arguments: sin(...)"},
      {"()", 1, "expected a value, found ')'"},
      {"(x]", 2, "expected ')', found ']'"},
      {"q[1", 3, "expected ']', found the end"},
      {"q[1)", 3, "expected ']', found ')'"},
      {"q[]", 2, "expected a value, found ']'"},
      {"[x]", 0, "expected a value, found '['"},
  });
}

TEST(ExpressionErrors, CharactersNotBytes) {
  expect_mistakes({
      {"2*θ", 2, "unexpected character 'θ'; names are made of"},
      {"θ", 0, "'θ'"},
      {"x·y", 1, "'·'; write * for a product"},
      {"x − y", 2, "write - for a minus"},
      {"x + 𝒙", 4, "'𝒙'"},
      {"x + \xff", 4, "'\\xff'"},
      {"x + \xce", 4, "'\\xce'"},
      {std::string("x + \0", 5), 4, "'\\x00'"},
  });
}

TEST(ExpressionErrors, Names) {
  expect_mistakes({
      {"2*thetta'", 2, "unknown name 'thetta''; did you mean 'theta''?"},
      {"1 + theta", 4, "did you mean 'theta''?"},
      {"length_of_rod", 0, "expected one of:"},
      {"cosine(x)", 0, "unknown function 'cosine'"},
      {"sinn(x)", 0, "did you mean 'sin'?"},
      {"x(3)", 0, "'x' is not a function; a product must be written with *: x*(...)"},
      {"pi(3)", 0, "pi*(...)"},
      {"x''", 0, "unknown name 'x'''"},
      {"e", 0, "unknown name 'e'"},
      {"sin'", 0, "unknown name 'sin''"},
  });
}

TEST(ExpressionErrors, ListsAndIndices) {
  expect_mistakes({
      {"1 + q", 4, "'q' is a list and needs an index, from 1 to 3"},
      {"q'", 0, "'q'' is a list"},
      {"x[1]", 0, "'x' is a single value and has no index"},
      {"q[4]", 2, "index 4 of 'q' is out of bounds, from 1 to 3"},
      {"2*q[0]'", 4, "index 0 of 'q'' is out of bounds, from 1 to 3"},
      {"empty[0]", 6, "list is empty"},
      {"q[x]", 2, "an index must be a constant"},
      {"q[1.5]", 2, "an index must be a whole number"},
      {"q[0/0]", 2, "whole number"},
      {"q[1e300]", 2, "whole number"},
      {"r[1]", 0, "unknown name 'r'"},
      {"sum(i, 1, 3, q[i + 1])", 15, "index 4 of 'q'"},
  });
}

TEST(ExpressionErrors, Calls) {
  expect_mistakes({
      {"sin()", 0, "sin takes 1 argument, 0 given"},
      {"1 + sin(x, y)", 4, "sin takes 1 argument, 2 given"},
      {"atan2(x)", 0, "atan2 takes 2 arguments, 1 given"},
      {"atan2(x,)", 8, "expected a value"},
      {"if(x < 1, 2)", 0, "expected if(condition, a, b)"},
      {"if(x < 1, 2, 3, 4)", 0, "expected if(condition, a, b)"},
      {"if(x, 1, 2)", 4, "expected a comparison"},
      {"if(x < y < z, 1, 2)", 9, "condition of if"},
      {"if", 0, "needs arguments"},
      {"sum(i, 1, 3)", 0, "expected sum(index, first, last, term)"},
      {"product(i, 1, 2, x, y)", 0, "expected product(index, first, last, factor)"},
      {"sum(1, 1, 3, x)", 4, "expected a name for the index"},
      {"sum(x, 1, 3, x)", 4, "'x' has a meaning already"},
      {"sum(q, 1, 3, 1)", 4, "'q' has a meaning already"},
      {"sum(sin, 1, 3, 1)", 4, "'sin' has a meaning already"},
      {"sum(i, 1, 2, sum(i, 1, 2, i))", 17, "'i' has a meaning already"},
      {"sum(i, x, 3, 1)", 7, "the first index must be a constant"},
      {"sum(i, 1, 2.5, 1)", 10, "the last index must be a whole number"},
      {"sum(i, 1, 3, i) + i", 18, "unknown name 'i'"},
      {"sum(i, 1, 3, j)", 13, "unknown name 'j'"},
  });
}

TEST(ExpressionErrors, Limits) {
  const std::string nested = std::string(100000, '(') + "x";
  std::string powers = "x", exact = "x";
  for (int i = 0; i < 100000; ++i) powers += "^x";
  for (int i = 0; i < 199; ++i) exact = "(" + exact + ")";
  expect_mistakes({
      {nested, 200, "200 levels"},
      {powers, 400, "200 levels"},
      {"1 + sum(i, 1, 100000000, i)", 4, "terms are too many"},
      {"1 + sum(i, 1, 1000, sum(j, 1, 1000, sum(k, 1, 1000, 1)))", 4, "too large"},
      {"1 + sum(i, 1, 1000, sum(j, 1, 1000, sin(x*i + j)))", 4, "too large"},
  });
  Expressions e;
  EXPECT_NO_THROW((void)e.read(exact));
  EXPECT_NO_THROW((void)e.read(std::string(100000, '-') + "x"));
}

TEST(ExpressionErrors, Pointing) {
  EXPECT_EQ(point_at("2*x + 3y", 7), "2*x + 3y\n       ^");
  EXPECT_EQ(point_at("θ·x", 2), "θ·x\n ^");
  EXPECT_EQ(point_at("θ·x", 4), "θ·x\n  ^");
  EXPECT_EQ(point_at("x +", 3), "x +\n   ^");
  EXPECT_EQ(point_at("", 0), "\n^");
  EXPECT_EQ(point_at("x", 99), "x\n ^");
  EXPECT_EQ(point_at("x +\n\ty $ z\n+ 1", 7), " y $ z\n   ^");
  const std::string shown = point_at(std::string(300, 'a') + "$" + std::string(300, 'b'), 300);
  EXPECT_EQ(shown, "..." + std::string(50, 'a') + "$" + std::string(49, 'b') + "...\n" +
                       std::string(53, ' ') + "^");
}

// Bytes and words at random: a value or ExpressionError, never anything else.
TEST(ExpressionErrors, RandomTexts) {
  const std::vector<std::string> words = {
      "x",  "y",  "q",   "[",    "]",        "(",  ")",      "+",       "-",   "*",    "/", "^",
      ",",  "'",  "<",   "<=",   "1",        "2",  "0",      "3.5",     "1e9", "sum(", "i", "i,",
      "1,", "3,", "if(", "sin(", "product(", "pi", "atan2(", "kepler(", "θ",   "\xff", " ", "**"};
  Dice dice(5);
  for (int repeat = 0; repeat < 20000; ++repeat) {
    std::string text;
    for (std::size_t n = dice.below(20); n > 0; --n) {
      text += dice.below(10) == 0 ? std::string(1, static_cast<char>(dice.below(256)))
                                  : words[dice.below(words.size())];
    }
    Expressions e;
    try {
      const ExpressionNode f = e.read(text);
      (void)run(e.graph, {f}, std::vector<double>(Expressions::kVariables, 0.5));
    } catch (const ExpressionError& error) {
      ASSERT_LE(error.position(), text.size()) << text;
      (void)point_at(text, error.position());
    }
  }
}

}  // namespace
}  // namespace lilyan::test::parse_error_test
