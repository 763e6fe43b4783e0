#include "lilyan/assemble/assembler.hpp"

#include <algorithm>

#include "lilyan/core/fixed.hpp"
#include "lilyan/core/threads.hpp"

namespace lilyan {
namespace {

void set_zero(std::vector<double>& values) {
  constexpr std::size_t kChunk = 1 << 16;
  const std::size_t chunks = (values.size() + kChunk - 1) / kChunk;
  parallel_for(static_cast<int>(chunks), [&](int chunk) {
    const std::size_t first = kChunk * static_cast<std::size_t>(chunk);
    std::fill_n(values.data() + first, std::min(kChunk, values.size() - first), 0.0);
  });
}

}  // namespace

EnergyByKind Assembler::run(Evaluation at, EnergyPart part) const {
  EnergyByKind sum{};
  for (std::size_t k = 0; k < system_.energies().size(); ++k) {
    const Energy& energy = *system_.energies()[k];
    if (part != EnergyPart::all && energy.changes_between_steps() != (part == EnergyPart::changing))
      continue;
    if (at.hessian) {
      if (energy.stencils().size == 0) continue;
      at.slots = &slots_[k];
    }
    at.memory = world_.memory_of(energy);
    sum[static_cast<std::size_t>(energy.kind())] += energy.evaluate(at);
  }
  return sum;
}

EnergyByKind Assembler::values(const Vector& x0, const Vector* d,
                               std::span<const WeightedNode> nodes) const {
  return run({.x0 = x0.data(), .d = d ? d->data() : nullptr, .nodes = nodes});
}

EnergyByKind Assembler::values_and_gradient(const Vector& x0, const Vector* d,
                                            std::span<const WeightedNode> nodes, Vector& gradient,
                                            const PathMeanWeights* mean) const {
  gradient.setZero();
  const EnergyByKind sum = run({.x0 = x0.data(),
                                .d = d ? d->data() : nullptr,
                                .nodes = nodes,
                                .gradient = gradient.data(),
                                .mean = mean});
  stop_fixed(system_, gradient);
  return sum;
}

void Assembler::gradient(const Vector& x0, const Vector* d, std::span<const WeightedNode> nodes,
                         Vector& gradient) const {
  gradient.setZero();
  run({.x0 = x0.data(),
       .d = d ? d->data() : nullptr,
       .nodes = nodes,
       .want_value = false,
       .gradient = gradient.data()});
  stop_fixed(system_, gradient);
}

void Assembler::hessian(const Vector& x0, const Vector& d, std::span<const WeightedNode> nodes,
                        double projection, std::vector<double>& values,
                        const PathMeanWeights* mean) const {
  set_zero(values);
  run({.x0 = x0.data(),
       .d = d.data(),
       .nodes = nodes,
       .want_value = false,
       .hessian = values.data(),
       .projection = projection,
       .mean = mean});
}

EnergyByKind Assembler::add_part(EnergyPart part, const Vector& x,
                                 std::span<const WeightedNode> nodes, Vector* gradient) const {
  return run({.x0 = x.data(), .nodes = nodes, .gradient = gradient ? gradient->data() : nullptr},
             part);
}

const BlockPattern& Assembler::hessian_pattern() {
  if (!pattern_) {
    pattern_ = std::make_unique<BlockPattern>(world_);
    for (const auto& energy : system_.energies())
      slots_.push_back(pattern_->slots(world_.stencils(*energy)));
  }
  return *pattern_;
}

}  // namespace lilyan
