// Damping: R(v), its derivatives, and the impulses of explicit strain damping.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <array>
#include <memory>
#include <random>
#include <vector>

#include "lilyan/assemble/assembler.hpp"
#include "lilyan/core/error.hpp"
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
  const double energy =
      elastic.evaluate_from(start.x.data(), {.x0 = end.data(), .nodes = kValueHere});
  EXPECT_NEAR(dissipation(damping, v, gradient), k / (h * h) * energy, 1e-12);
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
          return elastic.evaluate_from(before.data(), {.x0 = there.data(), .nodes = kValueHere});
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
}

}  // namespace
}  // namespace lilyan::test::dissipation_test
