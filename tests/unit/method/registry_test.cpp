#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "lilyan/method/method.hpp"
#include "support/schemes.hpp"

namespace lilyan::test {
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
    for (const ParameterSpec& p : m.parameters) {
      EXPECT_TRUE(p.standard.has_value()) << m.name << " " << p.name;
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
  refused("energy-momentum", "predictor", std::string("oracle"));
  refused("discrete-gradient", "predictor", 2.0);
}

class Tables : public ::testing::TestWithParam<Scheme> {};

// Consistency of the end rule and the order conditions, read off the table itself.
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
    return;
  }
  if (const auto* g = std::get_if<DiscreteGradientTable>(&s.table)) {
    // All the coefficients are in the equation itself; only the symmetries depend on the table.
    EXPECT_EQ(s.solve, SolveKind::root);
    EXPECT_EQ(s.claims.energy, EnergyBehaviour::exact);
    EXPECT_EQ(s.claims.angular_momentum, g->by_element);
    EXPECT_EQ(s.claims.linear_momentum, g->by_element);
    return;
  }
  const auto& t = std::get<MinimisationTable>(s.table);
  EXPECT_EQ(s.solve, SolveKind::minimisation);
  EXPECT_NEAR(t.displacement + t.velocity, 1, 1e-14);
  double beta = 0, end = 0;
  for (const Node& n : t.nodes) {
    EXPECT_GE(n.theta, 0);
    EXPECT_LE(n.theta, 1);
    EXPECT_NE(n.weight, 0) << "a node without weight is not solved for";
    beta += n.weight;
  }
  for (const Node& n : t.end_forces) end += n.weight;
  // In a uniform force field the velocity must change by h a, exactly:
  // v₁ − v₀ = displacement Σβ h a + Σw h a.
  EXPECT_NEAR(t.displacement * beta + end, 1, 1e-14);
  // The position changes by h v₀ + Σβ h² a, with Σβ = ½ for second order.
  if (s.claims.order >= 2) {
    EXPECT_NEAR(beta, 0.5, 1e-14);
  }
  if (t.averages_force) {
    EXPECT_EQ(t.displacement, 2);
    EXPECT_TRUE(t.end_forces.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Method, Tables, ::testing::ValuesIn(all_schemes()), test_name);

// The rows of the theory's table.
TEST(TableRows, AsTheTheorySays) {
  const auto table = [](const std::string& name, const Parameters& p = {}) {
    return std::get<MinimisationTable>(make_scheme(name, p).table);
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
}

}  // namespace
}  // namespace lilyan::test
