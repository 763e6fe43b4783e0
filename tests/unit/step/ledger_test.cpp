// The energy ledger: its terms add up to the change of energy, however badly the step was solved and
// whatever acts on the system. No term is computed as what the others leave, so each of these tests
// fails when one of them is dropped or has the wrong sign.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lilyan/assemble/assembler.hpp"
#include "lilyan/assemble/constraint_set.hpp"
#include "lilyan/control/make_integrator.hpp"
#include "lilyan/physics/constraints.hpp"
#include "lilyan/physics/damping.hpp"
#include "lilyan/physics/forces.hpp"
#include "lilyan/physics/rigid_motion.hpp"
#include "lilyan/step/capabilities.hpp"
#include "support/body.hpp"
#include "support/lagrangians.hpp"
#include "support/schemes.hpp"

namespace lilyan::test::ledger_test {
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
    ASSERT_EQ(r.solver_work.iterations, 0);
    ASSERT_NEAR(r.after.total - r.before.total, r.ledger.total(), 1e-13 * scale(r.after));
  }
}

void add_forces(Body& body) {
  body.system.add(std::make_unique<Drag>(body.system.mass(), 0.5));
  Vector amplitude = Vector::Zero(body.system.dofs());
  for (int i = 0; i < body.system.vertices(); ++i) amplitude[3 * i + 2] = 0.05;
  body.system.add(std::make_unique<Drive>(amplitude, DriveTiming{.frequency = 0.4}));
}

void add_damping(Body& body) {
  body.system.add(std::make_unique<Rayleigh>(*body.system.energies()[0], 0.05));
}

void add_script(Body& body) {
  const RigidMotion motion({{.t = 0}, {.t = 0.3, .shift = Vec3(0.1, 0.3, 0), .angle = 0.8}},
                           Vec3::UnitX(), Vec3(-1, 0, 0), Easing::smooth, false);
  body.system.add(std::make_unique<ScriptedVertices>(std::vector{0, 1, 2, 3}, body.rest, motion));
}

// Steps of a scheme, each of which must balance; the sum of its ledgers.
Ledger balanced_steps(const System& system, const Scheme& scheme, State state,
                      const SolverOptions& options) {
  const auto integrator = make_integrator(system, scheme, options);
  const double h = scheme.label == "explicit-euler" ? 0.002 : 0.02;
  Ledger sum;
  for (int k = 0; k < 15; ++k) {
    const StepReport r = integrator->step(state, h);
    EXPECT_TRUE(succeeded(r.status)) << describe(r.status) << " step " << k;
    if (!succeeded(r.status)) break;
    EXPECT_NEAR(r.after.total - r.before.total, r.ledger.total(), 2e-13 * scale(r.after))
        << "step " << k;
    sum += r.ledger;
  }
  return sum;
}

TEST_P(LedgerOf, ClosesUnderForcesDampingAndScripts) {
  int tested = 0;
  for (int loads = 1; loads < 8; ++loads) {
    const bool forces = (loads & 1) != 0, damping = (loads & 2) != 0, script = (loads & 4) != 0;
    BodyOptions options = heavy("neo-hookean");
    if (script) options.fixed.clear();
    Body body(options);
    if (forces) add_forces(body);
    if (damping) add_damping(body);
    if (script) add_script(body);
    if (!reason_unsupported(body.system, GetParam()).empty()) continue;
    ++tested;
    SCOPED_TRACE(loads);
    State state = body.at_rest();
    state.v = body.moving(1.1, 0.5).v;
    for (const SolverOptions& solver : {SolverOptions{}, kLoose}) {
      const Ledger sum = balanced_steps(body.system, GetParam(), state, solver);
      EXPECT_EQ(std::abs(sum.work) > 1e-12, forces || script);
      if (damping) {
        EXPECT_LT(sum.dissipation, -1e-6);
      } else {
        EXPECT_EQ(sum.dissipation, 0);
      }
    }
  }
  EXPECT_GE(tested, 1);
}

// A body held by a rod between two of its vertices.
TEST(LedgerOfConstraints, Closes) {
  int tested = 0;
  for (int loads = 0; loads < 8; ++loads) {
    const bool forces = (loads & 1) != 0, damping = (loads & 2) != 0, script = (loads & 4) != 0;
    BodyOptions options = heavy("neo-hookean");
    options.fixed.clear();
    Body body(options);
    const int last = body.system.vertices() - 1;
    const double length = (body.rest.segment<3>(3 * last) - body.rest.segment<3>(18)).norm();
    body.system.add(std::make_unique<DistanceConstraint>(6, last, length));
    if (forces) add_forces(body);
    if (damping) add_damping(body);
    if (script) add_script(body);
    State state = body.at_rest();
    state.v = body.moving(1.1, 0.5).v;
    project_velocities(body.system, state);
    for (const Scheme& scheme : all_schemes()) {
      if (!reason_unsupported(body.system, scheme).empty()) continue;
      ++tested;
      SCOPED_TRACE(fmt::format("{}, loads {}", scheme.label, loads));
      for (const SolverOptions& solver : {SolverOptions{}, kLoose}) {
        const Ledger sum = balanced_steps(body.system, scheme, state, solver);
        EXPECT_EQ(std::abs(sum.work) > 1e-12, forces || script);
        EXPECT_EQ(sum.dissipation < 0, damping);
      }
    }
  }
  EXPECT_GE(tested, 40);
}

// A pendulum on a shaken support that is pushed and slowed down. The method's part is small beside
// the work, so that work of the wrong sign would show even where the sum is right.
TEST(LedgerOfLagrangians, ClosesWithForcesAndExplicitTime) {
  System shaken(automatic_lagrangian<1>(ShakenPendulum{}));
  for (const bool forced : {false, true}) {
    if (forced) {
      shaken.add(rayleigh_force<1>([](const auto&, const auto& v) { return 0.1 * v[0] * v[0]; }));
      shaken.add(automatic_force<1>([](const auto& q, const auto&, const auto& t) {
        return std::array{0.2 * cos(t) + 0.0 * q[0]};
      }));
    }
    int tested = 0;
    for (const Scheme& scheme : all_schemes()) {
      if (!reason_unsupported(shaken, scheme).empty()) continue;
      ++tested;
      SCOPED_TRACE(scheme.label);
      const auto integrator = make_integrator(shaken, scheme, {});
      State state = state_of({0.9}, {0.1});
      Ledger sum;
      double work = 0;  // sum of its absolute values
      for (int k = 0; k < 100; ++k) {
        const StepReport r = integrator->step(state, 0.01);
        ASSERT_TRUE(succeeded(r.status)) << describe(r.status);
        ASSERT_NEAR(r.after.total - r.before.total, r.ledger.total(), 1e-14) << "step " << k;
        sum += r.ledger;
        work += std::abs(r.ledger.work);
      }
      EXPECT_EQ(sum.dissipation < -1e-3, forced);
      EXPECT_GT(work, 0.05);
      EXPECT_LE(std::abs(sum.method + sum.quadrature), 0.05 * work);
    }
    EXPECT_GE(tested, 15);
  }
}

// Kicks of constraints at the start of a step and the projection at its end are booked too.
TEST(LedgerOfLagrangians, ClosesWithConstraints) {
  // A spherical pendulum in polar coordinates of space: r, θ from below, φ.
  System polar(automatic_lagrangian<3>([](const auto& q, const auto& v) {
    return 0.5 * (v[0] * v[0] + q[0] * q[0] * v[1] * v[1] +
                  q[0] * q[0] * sin(q[1]) * sin(q[1]) * v[2] * v[2]) +
           q[0] * cos(q[1]);
  }));
  polar.add(automatic_constraint<3>("length", [](const auto& q) { return q[0] * q[0] - 1.0; }));
  int tested = 0;
  for (const Scheme& scheme : all_schemes()) {
    if (!reason_unsupported(polar, scheme).empty()) continue;
    ++tested;
    SCOPED_TRACE(scheme.label);
    const auto integrator = make_integrator(polar, scheme, {});
    State state = state_of({1, 1.0, 0}, {0, 0.1, 0.7});
    for (int k = 0; k < 100; ++k) {
      const StepReport r = integrator->step(state, 0.05);
      ASSERT_TRUE(succeeded(r.status)) << describe(r.status);
      ASSERT_NEAR(r.after.total - r.before.total, r.ledger.total(), 1e-14) << "step " << k;
    }
  }
  EXPECT_GE(tested, 5);
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
  const auto integrator = make_integrator(body.system, make_scheme("avf", {{"points", 2.0}}), {});
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
}  // namespace lilyan::test::ledger_test
