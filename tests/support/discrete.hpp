// Energies, gradients and discrete gradients of a whole system, with dense Jacobians.
#pragma once

#include <array>
#include <vector>

#include "lilyan/assemble/assembler.hpp"
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

struct Discrete {
  explicit Discrete(const World& world) : half(world), full(half), assembler(world, full) {}
  [[nodiscard]] Vector gradient(const Vector& x0, const Vector& d) const {
    Vector g(x0.size());
    assembler.gradient(x0, d, 1, g);
    return g;
  }
  [[nodiscard]] Matrix jacobian(const Vector& x0, const Vector& d) const {
    std::vector<double> values(static_cast<std::size_t>(full.entries()), -7.0);
    assembler.jacobian(x0, d, 1, values);
    Matrix m = Matrix::Zero(full.dofs(), full.dofs());
    for (int c = 0; c < full.dofs(); ++c) {
      for (int k = full.column_start()[c]; k < full.column_start()[c + 1]; ++k) {
        m(full.row()[k], c) += values[k];
      }
    }
    return m;
  }
  // By differences of the gradient, over the free degrees of freedom.
  [[nodiscard]] Matrix differences(const Vector& x0, const Vector& d, double step) const {
    Matrix m(full.dofs(), full.dofs());
    for (int c = 0; c < full.dofs(); ++c) {
      m.col(c) = difference(
          [&](double t) {
            return free_part(half, gradient(x0, d + t * Vector::Unit(d.size(), half.dof(c))));
          },
          step);
    }
    return m;
  }
  BlockPattern half;
  FullPattern full;
  DiscreteAssembler assembler;
};

}  // namespace lilyan::test
