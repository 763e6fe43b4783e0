// Damping: R(v), its derivatives, and the impulses of explicit strain damping.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <array>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "lilyan/assemble/assembler.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/control/make_integrator.hpp"
#include "lilyan/method/method.hpp"
#include "lilyan/model/energy_abilities.hpp"
#include "lilyan/physics/damping.hpp"
#include "support/body.hpp"
#include "support/dense.hpp"
#include "support/dissipation.hpp"

namespace lilyan::test::dissipation_test {
namespace {

constexpr std::array<WeightedNode, 1> kHessianHere{{{.hessian = 1}}};
constexpr std::array<WeightedNode, 1> kValueHere{{{.value = 1}}};

// Compressed, so that its Hessian is indefinite.
State squeezed(const Body& body) { return body.moving(0.6); }

double dissipation(DissipationAssembler& assembler, const Vector& v, Vector& gradient) {
  gradient.setZero(v.size());
  return assembler.value_and_gradient(DissipationVelocity::path, v, 1, gradient);
}

TEST(Rayleigh, DerivativesOfDissipationMatchDifferences) {
  std::mt19937 random(1);
  for (const auto which : {DissipationVelocity::path, DissipationVelocity::end}) {
    Body body;
    body.system.add(std::make_unique<Rayleigh>(*body.system.energies()[0], 0.3, which));
    const Vector v = random_vector(body.system.dofs(), 1, random);
    expect_rate_derivatives(body.system, squeezed(body), 0.1, v, 1e-9);
  }
}

// R = ½ δ vᵀKv with K the Hessian at the start, whose elements have no negative eigenvalues.
TEST(Rayleigh, DampsByTheProjectedStiffnessAtTheStart) {
  Body body;
  const double delta = 0.3;
  body.system.add(std::make_unique<Rayleigh>(*body.system.energies()[0], delta));
  const State start = squeezed(body);
  Assembler assembler(body.system);
  const Vector still = Vector::Zero(body.system.dofs());
  const Matrix raw = dense_hessian(assembler, start.x, still, kHessianHere, 0);
  const Matrix k = dense_hessian(assembler, start.x, still, kHessianHere, 1);
  ASSERT_LT(Eigen::SelfAdjointEigenSolver<Matrix>(raw).eigenvalues()[0], -1e-3);
  DissipationAssembler damping(body.system);
  damping.begin_step(start, 0.1);
  std::mt19937 random(2);
  for (int n = 0; n < 5; ++n) {
    const Vector v = random_vector(body.system.dofs(), 1, random);
    Vector gradient;
    EXPECT_NEAR(dissipation(damping, v, gradient), 0.5 * delta * v.dot(k * v), 1e-12);
    EXPECT_LE((gradient - delta * (k * v)).norm(), 1e-12);
    EXPECT_GE(gradient.dot(v), 0);
  }
}

TEST(MassDamping, DerivativesOfDissipationMatchDifferences) {
  std::mt19937 random(3);
  Body body;
  const std::vector<int> some{1, 4, 5};
  std::vector<double> masses;
  for (const int i : some) {
    masses.push_back(body.system.vertex_masses()[static_cast<std::size_t>(i)]);
  }
  body.system.add(std::make_unique<MassDamping>(some, masses, 0.4));
  const Vector v = random_vector(body.system.dofs(), 1, random);
  expect_rate_derivatives(body.system, squeezed(body), 0.1, v, 1e-9);
  DissipationAssembler damping(body.system);
  damping.begin_step(squeezed(body), 0.1);
  Vector gradient;
  double expected = 0;
  for (std::size_t n = 0; n < some.size(); ++n) {
    expected += 0.5 * 0.4 * masses[n] * v.segment<3>(3 * some[n]).squaredNorm();
  }
  EXPECT_NEAR(dissipation(damping, v, gradient), expected, 1e-13);
}

TEST(ImplicitStrainDamping, DerivativesOfDissipationMatchDifferences) {
  std::mt19937 random(4);
  Body body;
  body.system.add(
      std::make_unique<ImplicitStrainDamping>(*body.system.energies()[0], 0.2, body.system.dofs()));
  const Vector v = random_vector(body.system.dofs(), 1, random);
  expect_rate_derivatives(body.system, squeezed(body), 0.1, v, 1e-8);
}

// (2) of strain.hpp: (k/h²) E of the shape x₀ + h v when x₀ is undeformed.
TEST(ImplicitStrainDamping, IsTheStrainEnergyOfTheStep) {
  std::mt19937 random(5);
  Body body;
  const Energy& elastic = *body.system.energies()[0];
  const double k = 0.2;
  const double h = 0.1;
  body.system.add(std::make_unique<ImplicitStrainDamping>(elastic, k, body.system.dofs()));
  const State start = squeezed(body);
  const Vector v = random_vector(body.system.dofs(), 1, random);
  const Vector end = start.x + h * v;
  DissipationAssembler damping(body.system);
  damping.begin_step(start, h);
  Vector gradient;
  const double energy = elastic.abilities().moving_rest->evaluate_from(
      start.x.data(), {.x0 = end.data(), .nodes = kValueHere});
  EXPECT_NEAR(dissipation(damping, v, gradient), k / (h * h) * energy, 1e-12);
}

TEST(KelvinVoigtDamping, DerivativesOfDissipationMatchDifferences) {
  std::mt19937 random(14);
  Body body;
  body.system.add(std::make_unique<KelvinVoigtDamping>(*body.system.energies()[0], body.rest, 0.2));
  const Vector v = random_vector(body.system.dofs(), 1, random);
  expect_rate_derivatives(body.system, squeezed(body), 0.1, v, 1e-8);
}

// (1) of damping.hpp. For StVK the power τ Ė:ℂ:Ė is that of its energy, with Ė for the strain.
TEST(KelvinVoigtDamping, TakesTheRateOfGreensStrain) {
  std::mt19937 random(15);
  Body body;
  const Energy& elastic = *body.system.energies()[0];
  const double tau = 0.2;
  const double h = 0.1;
  body.system.add(std::make_unique<KelvinVoigtDamping>(elastic, body.rest, tau));
  const State start = squeezed(body);
  const Vector d = random_vector(body.system.dofs(), 0.1, random);
  DissipationAssembler damping(body.system);
  damping.begin_step(start, h);
  EXPECT_GT(damping.renew(start, d, h).change, 0);
  EXPECT_EQ(damping.renew(start, d, h).change, 0);
  Vector gradient;
  const Vector u = d / h;
  const double rate = dissipation(damping, u, gradient);
  // The energy is quadratic in E: of a body at rest, E = h Ė, it is h² Ė:ℂ:Ė/2. Ė = (C₁ − C₀)/(2h) is not the
  // strain of any body here, so tet by tet.
  double expected = 0;
  for (const auto& tet : body.mesh.tets) {
    const auto F = [&](const Vector& x) {
      Eigen::Matrix3d now, rest;
      for (int a = 0; a < 3; ++a) {
        now.col(a) = x.segment<3>(3 * tet[a + 1]) - x.segment<3>(3 * tet[0]);
        rest.col(a) = body.rest.segment<3>(3 * tet[a + 1]) - body.rest.segment<3>(3 * tet[0]);
      }
      return std::pair<Eigen::Matrix3d, double>(now * rest.inverse(), rest.determinant() / 6);
    };
    const auto [F0, volume] = F(start.x);
    const Eigen::Matrix3d F1 = F(start.x + d).first;
    const Eigen::Matrix3d E = (F1.transpose() * F1 - F0.transpose() * F0) / (2 * h);
    expected += 0.5 * tau * volume * (2 * 1.0 * E.squaredNorm() + 1.0 * E.trace() * E.trace());
  }
  EXPECT_NEAR(rate, expected, 1e-12 * expected);
  EXPECT_NEAR(gradient.dot(u), 2 * expected, 1e-12 * expected);
  // No force and, about the middle of the step, no torque.
  Vec3 force = Vec3::Zero();
  Vec3 torque = Vec3::Zero();
  for (int i = 0; i < body.system.vertices(); ++i) {
    const Vec3 middle = (start.x + 0.5 * d).segment<3>(3 * i);
    force += gradient.segment<3>(3 * i);
    torque += middle.cross(Vec3(gradient.segment<3>(3 * i)));
  }
  EXPECT_LT(force.norm(), 1e-13 * gradient.norm());
  EXPECT_LT(torque.norm(), 1e-13 * gradient.norm());
}

// A stretched body that tumbles: damping stops its vibration, but not its turning.
TEST(KelvinVoigtDamping, KeepsBothMomentaAndNeverAddsEnergy) {
  for (const char* method : {"implicit-midpoint", "avf"}) {
    double last = 0;
    for (const double h : {0.05, 0.025}) {
      SCOPED_TRACE(method + (" " + std::to_string(h)));
      Body body;
      body.system.add(
          std::make_unique<KelvinVoigtDamping>(*body.system.energies()[0], body.rest, 0.05));
      State state = body.moving(1.4);
      const auto integrator = make_integrator(body.system, make_scheme(method), {});
      const Invariants start = invariants(body.system, state);
      double spin_error = 0;
      double dissipated = 0;
      for (int k = 0; k < static_cast<int>(std::lround(2 / h)); ++k) {
        const StepReport report = integrator->step(state, h);
        ASSERT_TRUE(succeeded(report.status));
        EXPECT_LE(report.ledger.dissipation, 0);
        dissipated += report.ledger.dissipation;
        spin_error =
            std::max(spin_error, (report.after.angular_momentum - start.angular_momentum).norm());
        EXPECT_NEAR(report.after.total - report.before.total, report.ledger.total(),
                    1e-12 * start.total);
      }
      const Invariants end = invariants(body.system, state);
      EXPECT_LT((end.linear_momentum - start.linear_momentum).norm(), 1e-12);
      EXPECT_LT(dissipated, -0.05 * start.total);
      if (std::string(method) == "implicit-midpoint") {
        EXPECT_LT(spin_error, 1e-10 * start.angular_momentum.norm());
      }
      // The same motion at any h.
      if (last != 0) {
        EXPECT_NEAR(dissipated / last, 1, 0.1);
      }
      last = dissipated;
    }
  }
}

// (1) of strain.hpp: −k ∇E of the shape x when the shape before was undeformed.
TEST(ExplicitStrainDamping, ImpulseIsTheGradientOfTheStrainEnergy) {
  std::mt19937 random(6);
  Body body;
  const Energy& elastic = *body.system.energies()[0];
  const double k = 0.2;
  const ExplicitStrainDamping damping(elastic, k);
  const Vector before = squeezed(body).x;
  const Vector x = before + random_vector(before.size(), 0.1, random);
  Vector impulse = Vector::Zero(x.size());
  damping.add(before.data(), x.data(), impulse.data());
  for (int n = 0; n < 4; ++n) {
    const Vector direction = random_vector(x.size(), 1, random).normalized();
    const double slope = difference(
        [&](double s) {
          const Vector there = x + s * direction;
          return elastic.abilities().moving_rest->evaluate_from(
              before.data(), {.x0 = there.data(), .nodes = kValueHere});
        },
        1e-3);
    EXPECT_NEAR(impulse.dot(direction), -k * slope, 1e-10);
  }
}

// What lags behind is that of the step being made, not of the first one.
TEST(Damping, StartsAnewInEveryStep) {
  std::mt19937 random(7);
  for (const bool strain : {false, true}) {
    Body body;
    const Energy& elastic = *body.system.energies()[0];
    if (strain) {
      body.system.add(std::make_unique<ImplicitStrainDamping>(elastic, 0.2, body.system.dofs()));
    } else {
      body.system.add(std::make_unique<Rayleigh>(elastic, 0.3));
    }
    const Vector v = random_vector(body.system.dofs(), 1, random);
    const State next = body.moving(1.4);
    DissipationAssembler damping(body.system);
    DissipationAssembler fresh(body.system);
    damping.begin_step(squeezed(body), 0.1);
    Vector gradient;
    const double before = dissipation(damping, v, gradient);
    damping.begin_step(next, 0.05);
    fresh.begin_step(next, 0.05);
    Vector expected;
    EXPECT_EQ(dissipation(damping, v, gradient), dissipation(fresh, v, expected));
    EXPECT_EQ(gradient, expected);
    EXPECT_NE(dissipation(damping, v, gradient), before);
  }
}

TEST(Damping, NegativeCoefficientsAreRefused) {
  const Body body;
  const Energy& elastic = *body.system.energies()[0];
  EXPECT_THROW(Rayleigh(elastic, -1), Error);
  EXPECT_THROW(MassDamping({0}, {1.0}, -1), Error);
  EXPECT_THROW(ExplicitStrainDamping(elastic, -1), Error);
  EXPECT_THROW(ImplicitStrainDamping(elastic, -1, body.system.dofs()), Error);
  EXPECT_THROW(KelvinVoigtDamping(elastic, body.rest, -1), Error);
}

}  // namespace
}  // namespace lilyan::test::dissipation_test
