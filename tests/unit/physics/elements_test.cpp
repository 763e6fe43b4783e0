// Springs, anchors, membranes, hinges and rods: derivatives, invariances, definiteness, discrete
// gradients.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "lilyan/base/error.hpp"
#include "lilyan/model/energy_discrete_gradient.hpp"
#include "lilyan/physics/energies.hpp"
#include "support/body.hpp"
#include "support/dense.hpp"
#include "support/difference.hpp"
#include "support/discrete.hpp"

namespace lilyan::test::elements_test {
namespace {

// Two triangles that share the edge 1–3, bent at rest, listed in no particular order.
Vector sheet() {
  Vector x(12);
  x << 0, 0, 0.1, 1.1, 0, 0, 1, 0.9, 0.35, 0, 1, -0.1;
  return x;
}
Vector flat_sheet() {
  Vector x(12);
  x << 0, 0, 0, 1.1, 0, 0, 1, 0.9, 0, 0, 1, 0;
  return x;
}
Vector straight_rod() {
  Vector x(12);
  x << 0, 0, 0, 1, 0, 0, 1.8, 0, 0, 2.9, 0, 0;
  return x;
}
const std::vector<std::array<int, 3>> kTriangles = {{3, 0, 1}, {2, 3, 1}};
const std::vector<Hinge> kHinges = {{3, 1, 2, 0}};
const std::vector<std::array<int, 3>> kCorners = {{3, 1, 0}, {2, 3, 1}};
const std::vector<std::array<int, 3>> kLine = {{0, 1, 2}, {1, 2, 3}};

struct Case {
  std::string name;
  std::function<std::unique_ptr<Energy>()> make;
  Vector rest;
  bool invariant = true;
};

std::vector<Spring> spring_pairs() {
  return {{0, 1, 1.3, 1.0}, {3, 1, 0.7, 1.2}, {2, 3, 2.0, 1.1}, {0, 2, 0.4, 0.0}};
}

std::vector<Case> cases() {
  return {{"hookean", [] { return springs(SpringKind::hookean, spring_pairs()); }, sheet()},
          {"stvk", [] { return springs(SpringKind::stvk, spring_pairs()); }, sheet()},
          {"membrane",
           [] {
             return membrane({1.3, 0.8}, sheet(), kTriangles);
           },
           sheet()},
          {"hinge", [] { return hinge_bending(0.4, sheet(), kHinges); }, sheet()},
          {"flat_hinge", [] { return hinge_bending(0.4, flat_sheet(), kHinges); }, flat_sheet()},
          {"rod", [] { return rod_bending(0.6, sheet(), kCorners); }, sheet()},
          {"straight_rod", [] { return rod_bending(0.6, straight_rod(), kLine); }, straight_rod()},
          {"anchors",
           [] {
             return anchors({{2, Vec3(1, 0, 0), 3}, {0, Vec3(0, 2, 1), 0.5}});
           },
           sheet(), false}};
}

class SmallElements : public ::testing::TestWithParam<Case> {
 protected:
  SmallElements() : system({1, 2, 1, 3}) { system.add(GetParam().make()); }
  // Near rest, well deformed, far from rest.
  [[nodiscard]] std::vector<Vector> shapes(int seed) const {
    std::mt19937 random(static_cast<unsigned>(seed));
    std::vector<Vector> all;
    for (const double size : {1e-3, 0.1, 0.25}) {
      for (int k = 0; k < 4; ++k) all.push_back(rest + random_vector(12, size, random));
    }
    return all;
  }
  System system;
  Vector rest = GetParam().rest;
};

TEST_P(SmallElements, GradientIsThatOfTheEnergy) {
  for (const Vector& x : shapes(1)) {
    const Vector g = gradient(system, x);
    for (int i = 0; i < 12; ++i) {
      const double slope =
          difference([&](double t) { return energy(system, x + t * Vector::Unit(12, i)); }, 1e-3);
      EXPECT_NEAR(g[i], slope, 1e-8) << i;
    }
  }
}

TEST_P(SmallElements, HessianIsThatOfTheGradient) {
  Assembler assembler(system);
  for (const Vector& x : shapes(2)) {
    const Matrix H = dense_hessian(assembler, x, Vector::Zero(12), kHere);
    Matrix expected(12, 12);
    for (int i = 0; i < 12; ++i) {
      expected.col(i) =
          difference([&](double t) { return gradient(system, x + t * Vector::Unit(12, i)); }, 5e-4);
    }
    EXPECT_LE((H - expected).norm(), 3e-8 * (1 + H.norm()));
  }
}

TEST_P(SmallElements, SumsOverTheNodesOfAPath) {
  const std::array<WeightedNode, 3> nodes{
      {{0.2, 0.3, -0.7, 0.4}, {0.9, 1.1, 0.5, 0.3}, {0.5, -0.2, 1.5, 0.1}}};
  Assembler assembler(system);
  const auto all = shapes(3);
  for (std::size_t k = 0; k + 1 < all.size(); ++k) {
    const Vector& x0 = all[k];
    const Vector d = all[k + 1] - x0;
    double value = 0;
    Vector g = Vector::Zero(12);
    Matrix H = Matrix::Zero(12, 12);
    for (const WeightedNode& n : nodes) {
      const Vector x = x0 + n.theta * d;
      value += n.value * energy(system, x);
      g += n.gradient * gradient(system, x);
      H += n.hessian * dense_hessian(assembler, x, Vector::Zero(12), kHere);
    }
    Vector sum(12);
    double total = 0;
    for (const double e : assembler.values_and_gradient(x0, &d, nodes, sum)) total += e;
    EXPECT_NEAR(total, value, 1e-13);
    EXPECT_LE((sum - g).norm(), 1e-13 * (1 + g.norm()));
    EXPECT_LE((dense_hessian(assembler, x0, d, nodes) - H).norm(), 1e-13 * (1 + H.norm()));
  }
}

TEST_P(SmallElements, NoNetForceAndNoTorque) {
  EXPECT_EQ(system.translation_invariant(), GetParam().invariant);
  EXPECT_EQ(system.rotation_invariant(), GetParam().invariant);
  if (!GetParam().invariant) return;
  for (const Vector& x : shapes(4)) {
    const Vector g = gradient(system, x);
    Vec3 force = Vec3::Zero();
    Vec3 torque = Vec3::Zero();
    for (int i = 0; i < 4; ++i) {
      force += g.segment<3>(3 * i);
      torque += Vec3(x.segment<3>(3 * i)).cross(g.segment<3>(3 * i));
    }
    EXPECT_LE(force.norm(), 1e-14 * (1 + g.norm()));
    EXPECT_LE(torque.norm(), 1e-14 * (1 + g.norm()));
  }
}

// Negative eigenvalues are raised to (1 − strength) e: at 1 the matrix is definite, and halfway the
// change is half of that.
TEST_P(SmallElements, ProjectionRaisesNegativeEigenvalues) {
  const std::array<WeightedNode, 2> nodes{{{0.2, 1, 1, 0.4}, {0.8, 1, 1, 0.6}}};
  Assembler assembler(system);
  std::mt19937 random(5);
  int indefinite = 0;
  for (int k = 0; k < 40; ++k) {
    const Vector x0 = (k % 2 ? 0.6 : 1.0) * rest + random_vector(12, 0.3, random);
    const Vector d = random_vector(12, k % 3 ? 0.2 : 0, random);
    const Matrix H = dense_hessian(assembler, x0, d, nodes);
    const Matrix full = dense_hessian(assembler, x0, d, nodes, 1);
    const Matrix half = dense_hessian(assembler, x0, d, nodes, 0.5);
    const double size = H.norm();
    const double lowest = Eigen::SelfAdjointEigenSolver<Matrix>(H).eigenvalues()[0];
    indefinite += lowest < -1e-9 * size;
    EXPECT_GE(Eigen::SelfAdjointEigenSolver<Matrix>(full).eigenvalues()[0], -1e-9 * size);
    EXPECT_GE(Eigen::SelfAdjointEigenSolver<Matrix>(full - H).eigenvalues()[0], -1e-9 * size);
    EXPECT_LE((half - 0.5 * (H + full)).norm(), 1e-12 * full.norm());
    if (lowest > 1e-9 * size) {
      EXPECT_EQ((full - H).norm(), 0);
    }
  }
  EXPECT_GE(indefinite, GetParam().name == "anchors" ? 0 : 5);
}

TEST_P(SmallElements, DiscreteGradientDoesTheWork) {
  const Discrete discrete(system);
  const auto all = shapes(6);
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const std::size_t j : {i, (i + 1) % all.size(), (5 * i + 3) % all.size()}) {
      for (const double share : {1.0, 1e-2, 1e-4, 1e-6, 1e-8}) {
        const Vector d = share * (all[j] - all[i]);
        const Vector g = discrete.gradient(all[i], d);
        const double change = energy(system, all[i] + d) - energy(system, all[i]);
        EXPECT_NEAR(g.dot(d), change, 2e-14) << share;
        const Vector middle = gradient(system, all[i] + 0.5 * d);
        EXPECT_LE((g - middle).norm(), 100 * d.squaredNorm() + 1e-9) << share;
        const Vector back = discrete.gradient(all[i] + d, -d);
        EXPECT_LE((g - back).norm(), 1e-9 * (1 + g.norm())) << share;
      }
    }
    EXPECT_LE((discrete.gradient(all[i], Vector::Zero(12)) - gradient(system, all[i])).norm(),
              1e-14);
  }
}

TEST_P(SmallElements, DiscreteGradientHasNoTorqueAboutTheMidpoint) {
  if (!GetParam().invariant) return;
  const Discrete discrete(system);
  const auto all = shapes(7);
  for (std::size_t i = 0; i < all.size(); ++i) {
    // With and without a large rotation of the end.
    for (const double angle : {0.0, 0.9}) {
      const Vector& x0 = all[i];
      Vector x1 = all[(i + 1) % all.size()];
      const Eigen::AngleAxisd turn(angle, Vec3(1, 2, -1).normalized());
      for (int v = 0; v < 4; ++v) {
        x1.segment<3>(3 * v) = (turn * Vec3(x1.segment<3>(3 * v))).eval();
      }
      const Vector d = x1 - x0;
      const Vector g = discrete.gradient(x0, d);
      EXPECT_NEAR(g.dot(d), energy(system, x1) - energy(system, x0), 2e-14);
      Vec3 force = Vec3::Zero();
      Vec3 torque = Vec3::Zero();
      for (int v = 0; v < 4; ++v) {
        force += g.segment<3>(3 * v);
        torque += Vec3(x0.segment<3>(3 * v) + 0.5 * d.segment<3>(3 * v)).cross(g.segment<3>(3 * v));
      }
      EXPECT_LE(force.norm(), 1e-13 * (1 + g.norm()));
      EXPECT_LE(torque.norm(), 1e-13 * (1 + g.norm()));
    }
  }
}

// A turn by a large angle with next to no deformation: the work is that little change of energy,
// also below the size where a correction can be computed, and the forces stay as large as at the
// start.
TEST_P(SmallElements, DiscreteGradientOfNearlyRigidSteps) {
  if (!GetParam().invariant) return;
  const Discrete discrete(system);
  std::mt19937 random(9);
  for (const Vector& x0 : shapes(9)) {
    const Vector u = random_vector(12, 1, random);
    for (const double size : {1e-2, 1e-4, 1e-6, 1e-7, 1e-9, 0.0}) {
      Vector x1 = x0 + size * u;
      const Eigen::AngleAxisd turn(0.9, Vec3(1, 2, -1).normalized());
      for (int v = 0; v < 4; ++v) {
        x1.segment<3>(3 * v) = (turn * Vec3(x1.segment<3>(3 * v))).eval();
      }
      const Vector g = discrete.gradient(x0, x1 - x0);
      EXPECT_NEAR(g.dot(x1 - x0), energy(system, x1) - energy(system, x0), 2e-13) << size;
      EXPECT_LE(g.norm(), 3 * gradient(system, x0).norm() + 100 * size + 1e-9) << size;
    }
  }
}

TEST_P(SmallElements, MatricesAndStressesOfAnIteration) {
  if (system.energies()[0]->abilities().discrete_gradient->stress_numbers() == 0) return;
  std::mt19937 random(10);
  for (const Vector& x0 : shapes(8)) {
    expect_balanced(system, x0, random_vector(12, 0.05, random), random_vector(12, 1, random));
  }
}

INSTANTIATE_TEST_SUITE_P(Energy, SmallElements, ::testing::ValuesIn(cases()),
                         [](const auto& p) { return p.param.name; });

TEST(Springs, EnergiesOfTheirDefinition) {
  System hookean({1, 1});
  hookean.add(springs(SpringKind::hookean, {{1, 0, 3.0, 2.0}}));
  System stvk({1, 1});
  stvk.add(springs(SpringKind::stvk, {{1, 0, 3.0, 2.0}}));
  Vector x = Vector::Zero(6);
  x[4] = 5;
  EXPECT_DOUBLE_EQ(energy(hookean, x), 0.5 * 3 * 9);
  EXPECT_DOUBLE_EQ(energy(stvk, x), 0.5 * 3 * 21 * 21);
}

TEST(Springs, OfLengthZeroHaveNoForce) {
  System system({1, 1});
  system.add(springs(SpringKind::hookean, {{0, 1, 3.0, 2.0}}));
  const Vector x = Vector::Ones(6);
  EXPECT_DOUBLE_EQ(energy(system, x), 6);
  EXPECT_EQ(gradient(system, x).norm(), 0);
  Assembler assembler(system);
  const Matrix H = dense_hessian(assembler, x, Vector::Zero(6), kHere, 1);
  EXPECT_TRUE(H.allFinite());
}

TEST(Springs, NonsenseIsRefused) {
  EXPECT_THROW(static_cast<void>(springs(SpringKind::stvk, {{1, 1, 1, 1}})), Error);
  EXPECT_THROW(static_cast<void>(springs(SpringKind::stvk, {{0, 1, 0, 1}})), Error);
  EXPECT_THROW(static_cast<void>(springs(SpringKind::stvk, {{0, 1, 1, -1}})), Error);
}

// A square sheet pulled to the stretches a and b: E = A (μ(G₁² + G₂²) + ½λ(G₁+G₂)²).
TEST(Membrane, EnergyOfAUniformStretch) {
  System system({1, 1, 1, 1});
  Vector rest(12);
  rest << 0, 0, 0, 2, 0, 0, 2, 2, 0, 0, 2, 0;
  system.add(membrane({1.5, 0.7}, rest, std::vector<std::array<int, 3>>{{0, 1, 2}, {2, 3, 0}}));
  Vector x = rest;
  for (int i = 0; i < 4; ++i) {
    x[3 * i] *= 1.2;
    x[3 * i + 1] *= 0.9;
  }
  const double g1 = 0.5 * (1.44 - 1);
  const double g2 = 0.5 * (0.81 - 1);
  EXPECT_NEAR(energy(system, x), 4 * (1.5 * (g1 * g1 + g2 * g2) + 0.35 * (g1 + g2) * (g1 + g2)),
              1e-14);
  EXPECT_THROW(static_cast<void>(membrane({1, 1}, Vector::Zero(9), kLine)), Error);
}

// A square sheet sheared by g along x: F = [1 g; 0 1], so G = ½[0 g; g g²].
TEST(Membrane, EnergyOfAUniformShear) {
  System system({1, 1, 1, 1});
  Vector rest(12);
  rest << 0, 0, 0, 2, 0, 0, 2, 2, 0, 0, 2, 0;
  system.add(membrane({1.5, 0.7}, rest, std::vector<std::array<int, 3>>{{0, 1, 2}, {2, 3, 0}}));
  Vector x = rest;
  const double g = 0.6;
  for (int i = 0; i < 4; ++i) x[3 * i] += g * rest[3 * i + 1];
  const double across = 0.5 * g;
  const double along = 0.5 * g * g;
  EXPECT_NEAR(energy(system, x),
              4 * (1.5 * (2 * across * across + along * along) + 0.35 * along * along), 1e-14);
}

// Two unit right triangles: |e| = √2, A = 1, so w = 6; folded by φ, E = ½k·6·φ².
TEST(HingeBending, EnergyOfAFold) {
  Vector rest(12);
  rest << 0, 0, 0, 1, 1, 0, 1, 0, 0, 0, 1, 0;
  System system({1, 1, 1, 1});
  system.add(hinge_bending(0.3, rest, std::vector<Hinge>{{0, 1, 2, 3}}));
  for (const double angle : {-3.0, -1.0, 0.2, 2.5}) {
    Vector x = rest;
    const Eigen::AngleAxisd turn(angle, Vec3(1, 1, 0).normalized());
    x.segment<3>(9) = (turn * Vec3(rest.segment<3>(9))).eval();
    EXPECT_NEAR(energy(system, x), 0.5 * 0.3 * 6 * angle * angle, 1e-13) << angle;
  }
  EXPECT_THROW(static_cast<void>(hinge_bending(1, Vector::Zero(12), kHinges)), Error);
}

// A rod bent by φ at one vertex, E = ½k(2tan(φ/2))²/l; at rest bent by φ₀ it resists |κ| − κ₀.
TEST(RodBending, EnergyOfACorner) {
  Vector straight(9);
  straight << -1, 0, 0, 0, 0, 0, 2, 0, 0;
  const auto bent = [&](double angle) {
    Vector x = straight;
    x.segment<3>(6) = 2 * Vec3(std::cos(angle), std::sin(angle), 0);
    return x;
  };
  const std::vector<std::array<int, 3>> corner = {{0, 1, 2}};
  System system({1, 1, 1});
  system.add(rod_bending(0.3, straight, corner));
  const double kappa = 2 * std::tan(0.35);
  EXPECT_NEAR(energy(system, straight), 0, 1e-15);
  EXPECT_NEAR(energy(system, bent(0.7)), 0.5 * 0.3 * kappa * kappa / 1.5, 1e-14);

  System arc({1, 1, 1});
  arc.add(rod_bending(0.3, bent(0.7), corner));
  EXPECT_NEAR(energy(arc, bent(0.7)), 0, 1e-15);
  const double change = 2 * std::tan(0.5) - kappa;
  EXPECT_NEAR(energy(arc, bent(1.0)), 0.5 * 0.3 * change * change / 1.5, 1e-6);
  EXPECT_NEAR(energy(arc, bent(-1.0)), energy(arc, bent(1.0)), 1e-15);
  EXPECT_TRUE(gradient(arc, straight).allFinite());
  EXPECT_THROW(static_cast<void>(rod_bending(1, Vector::Zero(9), corner)), Error);
}

}  // namespace
}  // namespace lilyan::test::elements_test
