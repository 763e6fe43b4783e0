// Energies, gradients and discrete gradients of a whole system, with dense Jacobians.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <array>
#include <vector>

#include "lilyan/assemble/assembler.hpp"
#include "lilyan/model/energy_discrete_gradient.hpp"
#include "support/dense.hpp"
#include "support/difference.hpp"

namespace lilyan::test {

inline constexpr std::array<WeightedNode, 1> kHere{{{0, 1, 1, 1}}};

inline double energy(const World& world, const Vector& x) {
  double sum = 0;
  for (const double e : Assembler(world).values(x, nullptr, kHere)) sum += e;
  return sum;
}

inline Vector gradient(const World& world, const Vector& x) {
  Vector g(x.size());
  Assembler(world).gradient(x, nullptr, kHere, g);
  return g;
}

// ∇̄E, and the matrices of iterations for it (BalanceEvaluation in model/energy.hpp).
struct Discrete {
  explicit Discrete(const World& of)
      : world(of), assembler(world), half(assembler.hessian_pattern()) {}
  [[nodiscard]] Vector gradient(const Vector& x0, const Vector& d) const {
    Vector g = Vector::Zero(x0.size());
    for (const auto& energy : world.system.energies()) {
      energy->abilities().discrete_gradient->discrete_gradient(
          {.x0 = x0.data(),
           .d = d.data(),
           .gradient = g.data(),
           .memory = world.memory_of(*energy)});
    }
    world.system.embedding().pull_back(g);
    return g;
  }
  // The matrix at d, about the stress of the last renewal.
  [[nodiscard]] Matrix matrix(const Vector& x0, const Vector& d, double projection = 0) {
    std::vector<double> values(static_cast<std::size_t>(half.storage()), -7.0);
    assembler.hessian(x0, d, kMiddle, projection, values, &kOverStrain);
    return dense(half, values);
  }
  void renew(const Vector& x0, const Vector* d, const Vector* y, double stiffening = 1) {
    const std::vector<double> all(world.system.energies().size(), stiffening);
    assembler.renew_stress(x0, d, y, all);
  }
  // ½ K(σ) w, over the free degrees of freedom: what the matrix loses with the stress, which is forgotten.
  [[nodiscard]] Vector geometric(const Vector& x0, const Vector& d, const Vector& w) {
    const Matrix all = matrix(x0, d);
    assembler.forget_stress();
    return (all - matrix(x0, d)) * free_part(half, w);
  }
  // By differences of the gradient, over the free degrees of freedom.
  [[nodiscard]] Matrix differences(const Vector& x0, const Vector& d, double step) const {
    Matrix m(half.dofs(), half.dofs());
    for (int c = 0; c < half.dofs(); ++c) {
      m.col(c) = difference(
          [&](double t) {
            return free_part(half, gradient(x0, d + t * Vector::Unit(d.size(), half.dof(c))));
          },
          step);
    }
    return m;
  }
  static constexpr std::array<WeightedNode, 1> kMiddle{
      {{.theta = 0.5, .gradient = 1, .hessian = 0.5}}};
  static constexpr PathMeanWeights kOverStrain{.weight = 1, .over_strain = true};
  World world;
  Assembler assembler;
  const BlockPattern& half;
};

// Of energies with a stress: the matrix is the Jacobian where the step begins; without the elastic part it is
// that of the stress; and a direction renews the stress as going along it does.
inline void expect_balanced(const World& world, const Vector& x0, const Vector& y,
                            const Vector& w) {
  Discrete discrete(world);
  const Vector still = Vector::Zero(x0.size());
  discrete.renew(x0, nullptr, nullptr);
  const Matrix J = discrete.differences(x0, still, 1e-4);
  EXPECT_LE((discrete.matrix(x0, still) - J).norm(), 1e-7 * J.norm());
  const Matrix raised = discrete.matrix(x0, still, 1);
  EXPECT_GE(Eigen::SelfAdjointEigenSolver<Matrix>(raised).eigenvalues()[0], -1e-9 * J.norm());
  const Vector plain = discrete.geometric(x0, still, w);

  const double step = 1e-4;
  const auto ahead = [&](double t) {
    const Vector d = t * y;
    discrete.renew(x0, &d, nullptr);
    return discrete.geometric(x0, still, w);
  };
  const Vector slope = (ahead(step) - ahead(-step)) / (2 * step);
  discrete.renew(x0, &still, &y, 1.5);
  const Vector renewed = discrete.geometric(x0, still, w);
  EXPECT_LE((renewed - plain - 1.5 * slope).norm(), 1e-6 * (renewed.norm() + plain.norm()));

  discrete.renew(x0, &y, nullptr, 0);
  const Vector product = discrete.matrix(x0, y) * free_part(discrete.half, w);
  const Vector moved = discrete.geometric(x0, y, w);
  EXPECT_LE((product - moved).norm(), 1e-13 * moved.norm());
  // The elastic part, too, is a quadratic form of the strain in the middle of the step.
  discrete.renew(x0, &y, nullptr, 2);
  const Matrix twice = discrete.matrix(x0, y);
  discrete.renew(x0, &y, nullptr, 1);
  const Matrix once = discrete.matrix(x0, y);
  discrete.renew(x0, &y, nullptr, 0);
  EXPECT_LE((twice + discrete.matrix(x0, y) - 2 * once).norm(), 1e-12 * once.norm());
}

}  // namespace lilyan::test
