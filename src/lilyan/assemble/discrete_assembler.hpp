// Sums of discrete gradients and their Jacobians over all energies of a system.
#pragma once

#include <span>
#include <vector>

#include "lilyan/assemble/full_pattern.hpp"
#include "lilyan/core/energy.hpp"
#include "lilyan/core/types.hpp"
#include "lilyan/core/world.hpp"

namespace lilyan {

class DiscreteAssembler {
 public:
  // World and pattern must outlive this. Throws Error when an energy has no discrete gradient.
  DiscreteAssembler(const World& world, const FullPattern& pattern);

  // gradient = weight ∇̄E(x₀, d); zero at fixed vertices.
  void gradient(const Vector& x0, const Vector& d, double weight, Vector& gradient) const;
  // values (one per entry of the pattern) = weight ∂∇̄E/∂d over the free vertices.
  void jacobian(const Vector& x0, const Vector& d, double weight, std::span<double> values) const;

 private:
  World world_;
  std::vector<FullBlockSlots> slots_;
};

}  // namespace lilyan
