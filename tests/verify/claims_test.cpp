// Every claim of every method and variant, measured both ways: what is claimed holds, and what is
// not claimed is clearly absent. The measurements are the library's (lilyan verify).
#include <gtest/gtest.h>

#include "lilyan/control/make_integrator.hpp"
#include "lilyan/verify/measure.hpp"
#include "lilyan/verify/verification.hpp"
#include "support/schemes.hpp"

namespace lilyan::test::claims_test {
namespace {

class Claim : public ::testing::TestWithParam<Scheme> {
 protected:
  static void expect(const Check& check) {
    std::printf("    %-36s %-30s claimed %-11s measured %s\n", GetParam().label.c_str(),
                check.property.c_str(), check.claimed.c_str(), check.measured.c_str());
    EXPECT_TRUE(check.passed) << check.property << ": claimed " << check.claimed << ", measured "
                              << check.measured;
  }
  static void expect(const std::vector<Check>& checks) {
    for (const Check& check : checks) expect(check);
  }
};

TEST_P(Claim, OrderConditions) { expect(check_order_conditions(GetParam())); }
TEST_P(Claim, Order) { expect(check_order(GetParam())); }
TEST_P(Claim, ForcedOrder) { expect(check_forced_order(GetParam())); }
TEST_P(Claim, Symplectic) { expect(check_symplectic(GetParam())); }
TEST_P(Claim, Symmetric) { expect(check_symmetric(GetParam())); }
TEST_P(Claim, Momenta) { expect(check_momenta(GetParam())); }
TEST_P(Claim, Energy) { expect(check_energy(GetParam())); }

INSTANTIATE_TEST_SUITE_P(Verify, Claim, ::testing::ValuesIn(all_schemes()), test_name);

// The verification itself can fail: a method that claims more, or less, than it has.
TEST(Verification, FindsFalseClaims) {
  const auto failures = [](const Scheme& scheme) {
    std::string text;
    for (const Check& c : verify(scheme).checks) {
      if (!c.passed) text += c.property + ";";
    }
    return text;
  };
  Scheme midpoint = make_scheme("implicit-midpoint");
  EXPECT_EQ(failures(midpoint), "");
  Scheme other = midpoint;
  other.claims.order = 3;
  EXPECT_NE(failures(other).find("order conditions"), std::string::npos);
  EXPECT_NE(failures(other).find("order on henon-heiles"), std::string::npos);
  other = midpoint;
  other.claims.symplectic = false;
  EXPECT_EQ(failures(other), "symplectic, by the Jacobian;symplectic, by ∮p·dq;");
  other = midpoint;
  other.claims.symmetric = false;
  EXPECT_EQ(failures(other), "symmetric;");
  other = midpoint;
  other.claims.angular_momentum = false;
  EXPECT_EQ(failures(other), "angular momentum;");
  other = midpoint;
  other.claims.energy = EnergyBehaviour::exact;
  EXPECT_EQ(failures(other), "energy;what is exact, of a stiff body;");
  other = midpoint;
  other.claims.forced_order = 1;
  EXPECT_EQ(failures(other), "order with drag and drive;");
  other = make_scheme("avf");
  other.claims.symplectic = true;
  other.claims.angular_momentum = true;
  EXPECT_EQ(failures(other),
            "symplectic, by the Jacobian;symplectic, by ∮p·dq;angular momentum;"
            "what is exact, of a stiff body;");
}

// A slip in a coefficient shows in the order conditions alone.
TEST(OrderConditions, SeeASlipInATable) {
  Scheme scheme = make_scheme("blanes-moan", {{"order", 6.0}});
  EXPECT_EQ(order_by_conditions(scheme), 6);
  auto table = std::get<ExplicitTable>(scheme.table);
  table.stages[2].weight += 1e-8;
  scheme.table = table;
  EXPECT_EQ(order_by_conditions(scheme), 0);
  scheme = make_scheme("yoshida", {{"order", 8.0}});
  auto composition = std::get<CompositionTable>(scheme.table);
  composition.fractions[1] += 1e-8;
  composition.fractions[13] += 1e-8;
  composition.fractions[7] -= 2e-8;
  scheme.table = composition;
  EXPECT_EQ(order_by_conditions(scheme), 2);
  // BDF2's coefficients are those of its steps' ratio: with others it loses an order.
  scheme = make_scheme("bdf2");
  EXPECT_EQ(order_by_conditions(scheme), 2);
  auto multistep = std::get<MultistepTable>(scheme.table);
  multistep.at_ratio = [](double) {
    return std::get<MultistepTable>(make_scheme("bdf2").table).at_ratio(1);
  };
  scheme.table = multistep;
  EXPECT_LT(order_by_conditions(scheme).value(), 2);
}

// Methods that are the same under two names must give the same motion.
TEST(SameMethods, GiveTheSameMotion) {
  const ProblemInstance& body = verification_problem("body");
  const auto run = [&](const Scheme& scheme) {
    State state = body.initial;
    const auto integrator = make_integrator(*body.system, scheme, {});
    for (int k = 0; k < 40; ++k) EXPECT_TRUE(succeeded(integrator->step(state, 0.02).status));
    return state;
  };
  const auto same = [&](const Scheme& a, const Scheme& b, double tolerance = 1e-11) {
    EXPECT_LE(state_distance(*body.system, run(a), run(b)), tolerance)
        << a.label << " and " << b.label;
  };
  const auto hp = [](double alpha) { return make_scheme("hp", {{"alpha", alpha}}); };
  same(hp(0), make_scheme("symplectic-euler-b"));
  same(hp(1), make_scheme("symplectic-euler-a"));
  same(hp(0.5), make_scheme("implicit-midpoint"));
  same(make_scheme("hp-quadrature", {{"quadrature", "trapezoid"}}), make_scheme("stoermer-verlet"));
  same(make_scheme("hp-quadrature", {{"quadrature", "gauss"}, {"points", 1.0}}), hp(0.5));
  same(make_scheme("avf", {{"points", 1.0}}), make_scheme("implicit-midpoint"));
  same(make_scheme("avf", {{"quadrature", "trapezoid"}}), make_scheme("newmark"));
  same(make_scheme("gauss", {{"stages", 1.0}}), make_scheme("implicit-midpoint"));
  // All integrate cubic forces exactly.
  same(make_scheme("avf"), make_scheme("avf", {{"quadrature", "simpson"}}));
  same(make_scheme("avf"), make_scheme("avf", {{"points", 3.0}}));
  same(make_scheme("avf"), make_scheme("avf", {{"quadrature", "auto"}}));
  // Near its limits HP(α) tends to the explicit methods.
  same(hp(1e-9), hp(0), 1e-7);
}

}  // namespace
}  // namespace lilyan::test::claims_test
