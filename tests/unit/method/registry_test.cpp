#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "lilyan/method/method.hpp"
#include "lilyan/step/table_plan.hpp"
#include "support/schemes.hpp"

namespace lilyan::test::registry_test {
namespace {

std::string complaint(const std::string& method, const Parameters& p) {
  try {
    static_cast<void>(make_scheme(method, p));
  } catch (const ParameterError& e) {
    return e.parameter() + "|" + e.what();
  }
  return "no complaint";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(MethodRegistry, NamesAndAliasesAreUnique) {
  std::set<std::string> seen;
  for (const std::string& n : method_names()) EXPECT_TRUE(seen.insert(n).second) << n;
  std::set<std::string> labels;
  for (const Method& m : methods()) {
    EXPECT_TRUE(labels.insert(make_scheme(m.name).label).second) << m.name;
  }
  EXPECT_GE(methods().size(), 8U);
}

TEST(MethodRegistry, EveryMethodIsFoundAndMakesWithDefaults) {
  for (const Method& m : methods()) {
    EXPECT_EQ(find_method(m.name), &m);
    for (const std::string& a : m.aliases) EXPECT_EQ(find_method(a), &m);
    EXPECT_FALSE(m.summary.empty());
    EXPECT_FALSE(m.citation.empty());
    EXPECT_FALSE(m.use.empty()) << m.name;
    for (const ParameterSpec& p : m.parameters) {
      // Where the default is not a value, the text says what it is.
      EXPECT_TRUE(p.default_value.has_value() || contains(p.meaning, "default: "))
          << m.name << " " << p.name;
      EXPECT_FALSE(p.meaning.empty());
    }
    EXPECT_NO_THROW(static_cast<void>(make_scheme(m.name))) << m.name;
  }
  EXPECT_EQ(find_method("perpetuum-mobile"), nullptr);
}

TEST(MethodRegistry, ErrorsSuggestTheNearestName) {
  EXPECT_TRUE(contains(complaint("avg", {}), "did you mean 'avf'"));
  EXPECT_TRUE(contains(complaint("stormer-verlet", {}), "did you mean 'stoermer-verlet'"));
  EXPECT_TRUE(contains(complaint("zzzzzzzzzzzz", {}), "expected one of: "));
  EXPECT_TRUE(contains(complaint("hp", parameters({{"alhpa", 0.5}})), "did you mean 'alpha'"));
  EXPECT_EQ(complaint("hp", parameters({{"alhpa", 0.5}})).substr(0, 6), "alhpa|");
  EXPECT_TRUE(
      contains(complaint("backward-euler", parameters({{"alpha", 1.0}})), "none is expected here"));
  EXPECT_TRUE(contains(complaint("avf", parameters({{"quadrature", std::string("simson")}})),
                       "did you mean 'simpson'"));
}

TEST(MethodRegistry, WrongTypesAndValuesOutOfRangeAreRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refused = [](const std::string& method, const std::string& name,
                          const ParameterValue& value) {
    Parameters p;
    p.set(name, value);
    EXPECT_EQ(complaint(method, p).substr(0, name.size() + 1), name + "|") << method;
  };
  for (const double bad : {-0.1, 1.1, nan}) {
    refused("hp", "alpha", bad);
    refused("newmark", "gamma", bad);
  }
  for (const double bad : {0.0, -0.1, 0.51, nan}) refused("newmark", "beta", bad);
  for (const double bad : {0.0, -1.0, 65.0, 2.5, 1e9, nan}) refused("avf", "points", bad);
  refused("avf", "points", std::string("two"));
  refused("avf", "quadrature", 2.0);
  refused("hp", "alpha", std::string("half"));
  refused("discrete-gradient", "predictor", std::string("oracle"));
  refused("discrete-gradient", "predictor", 2.0);
}

class Tables : public ::testing::TestWithParam<Scheme> {};

// What can be read off every table of its kind; the order conditions are in tests/verify.
TEST_P(Tables, AreConsistent) {
  const Scheme& s = GetParam();
  if (const auto* e = std::get_if<ExplicitTable>(&s.table)) {
    EXPECT_EQ(s.solve, SolveKind::explicit_);
    double drift = 0, kick = 0;
    for (const auto& stage : e->stages) {
      (stage.kind == ExplicitTable::Stage::Kind::drift ? drift : kick) += stage.weight;
    }
    EXPECT_NEAR(drift, 1, 1e-15);
    EXPECT_NEAR(kick, 1, 1e-15);
  } else if (const auto* c = std::get_if<CompositionTable>(&s.table)) {
    double sum = 0;
    for (std::size_t i = 0; i < c->fractions.size(); ++i) {
      sum += c->fractions[i];
      EXPECT_EQ(c->fractions[i], c->fractions[c->fractions.size() - 1 - i]);
    }
    EXPECT_NEAR(sum, 1, 1e-15);
    EXPECT_EQ(s.solve, c->base->solve);
  } else if (const auto* t = std::get_if<MinimisationTable>(&s.table)) {
    // A constant force changes the velocity by h times the acceleration.
    EXPECT_NEAR(TablePlan(*t).force_share, 1, 1e-14);
    bool solves = false;
    int number = 0;
    for (const Stage& stage : t->stages) {
      ++number;
      for (const Node& n : stage.nodes) {
        EXPECT_GE(n.theta, 0);
        EXPECT_LE(n.theta, 1);
        EXPECT_NE(n.weight, 0) << "a node without weight is not solved for";
        solves = solves || n.theta != 0;
      }
      for (const auto* known : {&stage.target, &stage.velocity}) {
        for (const Known& k : *known) EXPECT_LT(k.point, number) << "not known yet";
      }
      // At rest, or in uniform motion without forces, nothing changes.
      double at_rest = stage.displacement;
      for (const Known& k : stage.velocity) at_rest += k.velocity;
      if (t->stages.size() == 1) {
        EXPECT_NEAR(at_rest, 1, 1e-14);
      }
    }
    const SolveKind kind = t->keeps_angular_momentum ? SolveKind::root : SolveKind::minimisation;
    EXPECT_EQ(s.solve, solves ? kind : SolveKind::explicit_);
    if (t->averages_force) {
      ASSERT_EQ(t->stages.size(), 1U);
      EXPECT_EQ(t->stages[0].displacement, 2);
      EXPECT_TRUE(t->stages[0].end_forces.empty());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Method, Tables, ::testing::ValuesIn(all_schemes()), test_name);

// The coefficients as the sources print them.
TEST(TableRows, AsPublished) {
  const auto table = [](const std::string& name, const Parameters& p = {}) {
    return std::get<MinimisationTable>(make_scheme(name, p).table).stages.back();
  };
  EXPECT_EQ(table("backward-euler").nodes[0].weight, 1);
  EXPECT_EQ(table("hp", parameters({{"alpha", 0.25}})).nodes[0].theta, 0.25);
  EXPECT_EQ(table("hp", parameters({{"alpha", 0.25}})).nodes[0].weight, 0.75);
  EXPECT_DOUBLE_EQ(table("hp", parameters({{"alpha", 0.25}})).displacement, 4.0 / 3);
  EXPECT_EQ(table("avf").nodes.size(), 2U);
  EXPECT_DOUBLE_EQ(table("avf").nodes[1].weight, 0.25);
  EXPECT_EQ(table("avf", parameters({{"quadrature", std::string("simpson")}})).nodes.size(), 3U);
  EXPECT_EQ(table("newmark").nodes[0].theta, 0);
  EXPECT_EQ(table("newmark").nodes[0].weight, 0.25);
  const auto bdf2 = std::get<MultistepTable>(make_scheme("bdf2").table).at_ratio(1).stages[0];
  EXPECT_DOUBLE_EQ(bdf2.nodes[0].weight, 4.0 / 9);
  EXPECT_DOUBLE_EQ(bdf2.target[0].velocity, 8.0 / 9);
  EXPECT_DOUBLE_EQ(bdf2.target[1].velocity, -2.0 / 9);
  EXPECT_DOUBLE_EQ(bdf2.target[1].position, -1.0 / 3);
  EXPECT_DOUBLE_EQ(bdf2.displacement, 1.5);
  const double delta = (2 - std::sqrt(2.0)) / 2;
  EXPECT_DOUBLE_EQ(table("tr-bdf2").nodes[0].weight, delta * delta);
}

}  // namespace
}  // namespace lilyan::test::registry_test
