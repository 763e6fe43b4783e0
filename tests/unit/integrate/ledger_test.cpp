// The energy ledger: its terms add up to the change of energy, however badly the step was solved.
#include <gtest/gtest.h>

#include "lilyan/assemble/assembler.hpp"
#include "lilyan/integrate/integrator.hpp"
#include "support/body.hpp"
#include "support/schemes.hpp"

namespace lilyan::test {
namespace {

constexpr SolverOptions kLoose{.energy_tolerance = 1e-2, .velocity_tolerance = 1e-2};

BodyOptions heavy(const std::string& material) {
  return {.cells = {3, 1, 1},
          .material = material,
          .mu = 4,
          .lambda = 3,
          .gravity = {0.5, -2, 1},
          .fixed = {0, 1, 2, 3}};
}

// Size of the terms the ledger is a difference of, gravity included: what rounding is relative to.
double scale(const Invariants& i) {
  double s = i.kinetic;
  for (const double e : i.potential) s += std::abs(e);
  return s;
}

class LedgerOf : public ::testing::TestWithParam<Scheme> {};

TEST_P(LedgerOf, ClosesEvenWhenSolvedLoosely) {
  for (const char* material : {"stvk", "neo-hookean"}) {
    const Body body(heavy(material));
    State state = body.moving(1.1, 0.7);
    const auto integrator = make_integrator(body.system, GetParam(), kLoose);
    double worst_solver = 0;
    Ledger sum;
    Invariants first;
    for (int k = 0; k < 40; ++k) {
      // Explicit Euler explodes within a few of the others' steps.
      const double h = GetParam().label == "explicit-euler" ? 0.005 : 0.05;
      const StepReport r = integrator->step(state, h);
      ASSERT_TRUE(succeeded(r.status)) << material << ": " << describe(r.status);
      ASSERT_NEAR(r.after.total - r.before.total, r.ledger.total(), 1e-13 * scale(r.after))
          << material << " step " << k;
      EXPECT_EQ(r.ledger.work, 0);
      EXPECT_EQ(r.ledger.dissipation, 0);
      worst_solver = std::max(worst_solver, std::abs(r.ledger.solver) / r.before.total);
      if (k == 0) first = r.before;
      sum += r.ledger;
      if (k == 39) {
        EXPECT_NEAR(r.after.total - first.total, sum.total(), 1e-12 * scale(r.after));
      }
    }
    // The tolerance left the solver something to answer for, or the test would prove little.
    if (GetParam().solve == SolveKind::explicit_) {
      EXPECT_EQ(sum.solver, 0);
    } else {
      EXPECT_GT(worst_solver, 1e-7) << material;
    }
  }
}

// Where the guess is good enough as it is, nothing is solved, and the ledger must use the forces at
// the guess.
TEST_P(LedgerOf, ClosesWhenThereIsNothingToSolve) {
  const Body body(heavy("stvk"));
  State state = body.moving(1.1, 0.7);
  const auto integrator = make_integrator(body.system, GetParam(), kLoose);
  for (int k = 0; k < 10; ++k) {
    const StepReport r = integrator->step(state, 1e-4);
    ASSERT_TRUE(succeeded(r.status));
    ASSERT_EQ(r.iterations, 0);
    ASSERT_NEAR(r.after.total - r.before.total, r.ledger.total(), 1e-13 * scale(r.after));
  }
}

// For averaged forces everything but the solver's part is quadrature, and for StVK with two Gauss
// points there is none of that: what a loose solve does to the energy is the solver term alone.
TEST(LedgerOfAvf, LooseStvkChangesEnergyOnlyByTheSolver) {
  const Body body(heavy("stvk"));
  State state = body.moving(1.1, 0.7);
  const auto integrator = make_integrator(body.system, make_scheme("avf"), kLoose);
  for (int k = 0; k < 40; ++k) {
    const StepReport r = integrator->step(state, 0.05);
    ASSERT_NEAR(r.ledger.quadrature, 0, 1e-13 * scale(r.after));
    ASSERT_EQ(r.ledger.method, 0);
    ASSERT_NEAR(r.after.total - r.before.total, r.ledger.solver, 2e-13 * scale(r.after));
  }
}

// Q = E₁ − E₀ − Σ bᵢ ∇E(xᵢ)·Δx.
TEST(LedgerOfAvf, QuadratureTermIsTheDefectOfTheTheory) {
  const Body body(heavy("neo-hookean"));
  State state = body.moving(1.3, 1.5);
  const auto integrator = make_integrator(body.system, make_scheme("avf"), {});
  Assembler assembler(body.system);
  double largest = 0;
  for (int k = 0; k < 10; ++k) {
    const State start = state;
    const StepReport r = integrator->step(state, 0.1);
    const Vector d = state.x - start.x;
    const double g = 0.5 / std::sqrt(3);
    const std::array<WeightedNode, 2> nodes{{{0.5 - g, 0, 0.5, 0}, {0.5 + g, 0, 0.5, 0}}};
    Vector mean(d.size());
    assembler.gradient(start.x, &d, nodes, mean);
    double defect = -mean.dot(d);
    for (std::size_t e = 0; e < kEnergyKinds; ++e) {
      defect += r.after.potential[e] - r.before.potential[e];
    }
    EXPECT_NEAR(r.ledger.quadrature, defect, 1e-13 * scale(r.after));
    largest = std::max(largest, std::abs(defect));
  }
  EXPECT_GT(largest, 1e-8);
}

INSTANTIATE_TEST_SUITE_P(Integrate, LedgerOf, ::testing::ValuesIn(all_schemes()), test_name);

}  // namespace
}  // namespace lilyan::test
