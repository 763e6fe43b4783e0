#include "lilyan/assemble/discrete_assembler.hpp"

#include <algorithm>
#include <string>

#include "lilyan/core/error.hpp"
#include "lilyan/core/fixed.hpp"

namespace lilyan {

DiscreteAssembler::DiscreteAssembler(const World& world, const FullPattern& pattern)
    : world_(world) {
  for (const auto& energy : world.system.energies()) {
    if (!energy->has_discrete_gradient()) {
      throw Error("one of the system's energies (" + std::string(name(energy->kind())) +
                  ") has no discrete gradient: the energy-momentum method cannot step it, use avf "
                  "or discrete-gradient");
    }
    slots_.push_back(pattern.slots(world.stencils(*energy)));
  }
}

void DiscreteAssembler::gradient(const Vector& x0, const Vector& d, double weight,
                                 Vector& gradient) const {
  gradient.setZero();
  for (const auto& energy : world_.system.energies()) {
    energy->discrete_gradient({.x0 = x0.data(),
                               .d = d.data(),
                               .gradient_weight = weight,
                               .gradient = gradient.data(),
                               .memory = world_.memory_of(*energy)});
  }
  stop_fixed(world_.system, gradient);
}

void DiscreteAssembler::jacobian(const Vector& x0, const Vector& d, double weight,
                                 std::span<double> values) const {
  std::ranges::fill(values, 0.0);
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    const Energy& energy = *world_.system.energies()[k];
    energy.discrete_gradient({.x0 = x0.data(),
                              .d = d.data(),
                              .jacobian_weight = weight,
                              .jacobian = values.data(),
                              .slots = &slots_[k],
                              .memory = world_.memory_of(energy)});
  }
}

}  // namespace lilyan
