#include "lilyan/assemble/path_balance.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "lilyan/model/sums.hpp"

namespace lilyan {

PathBalance::PathBalance(const World& world) : world_(world), system_(world.system) {
  for (const auto& energy : system_.energies()) {
    known_.push_back(energy->abilities().path_rounding);
    unknown_ = unknown_ || (!known_.back() && (energy->kind() == EnergyKind::potential ||
                                               energy->kind() == EnergyKind::elastic));
  }
  unknown_ = anywhere(system_, unknown_);
  reach_.setZero(system_.dofs());
  gradient_.setZero(system_.dofs());
}

// Of an energy whose sums are not known: some units of its values, and of its forces along what they are
// multiplied with.
double PathBalance::estimate(const Energy& energy, const Step& step) {
  constexpr std::array<WeightedNode, 1> kHere{{{.theta = 0, .value = 1, .gradient = 1}}};
  const double terms =
      64 * kUnitRoundoff + rounding_of_sum(static_cast<std::size_t>(system_.dofs()));
  double sum = 0;
  for (const Vector* x : {step.x0, step.x1}) {
    gradient_.setZero();
    sum += terms * std::abs(energy.evaluate({.x0 = x->data(),
                                             .nodes = kHere,
                                             .gradient = gradient_.data(),
                                             .memory = world_.memory_of(energy)}));
    sum += terms * (gradient_.array().abs() * (reach_.array() + x->array().abs())).sum();
  }
  weight_ += gradient_.cwiseAbs().sum();
  return sum;
}

double PathBalance::stiffness(const Vector& x) const {
  double sum = 0;
  for (std::size_t k = 0; k < known_.size(); ++k) {
    if (known_[k] && system_.counts(*system_.energies()[k])) sum += known_[k]->stiffness(x.data());
  }
  return total(system_, sum);
}

// √(Σ m |x − x̄|² / Σ m) about the centre of mass; of a system that is not points in space, how far it moves.
double PathBalance::extent(const Vector& x) const {
  if (system_.dimension() != 3) return reach_.lpNorm<Eigen::Infinity>();
  return std::sqrt(spread(system_, x) / sum_by_mass(system_, [](int) { return 1.0; }));
}

RoundingFloor PathBalance::floor(const Step& step, double energy) {
  reach_ = step.d->cwiseAbs() + std::abs(step.h) * step.v0->cwiseAbs();
  weight_ = 0;
  double sum = 0;
  for (std::size_t k = 0; k < known_.size(); ++k) {
    const Energy& part = *system_.energies()[k];
    if (!system_.counts(part)) continue;
    if (known_[k]) {
      sum += known_[k]->path_rounding({.x0 = step.x0->data(),
                                       .d = step.d->data(),
                                       .x1 = step.x1->data(),
                                       .reach = reach_.data(),
                                       .rule = step.rule,
                                       .memory = world_.memory_of(part)});
    } else {
      sum += estimate(part, step);
    }
  }
  // The product of the mean force, summed up, with the displacement.
  const double product = sum_over(system_, [&](int first, int last) {
    const auto own = [&](const Vector& v) { return v.segment(first, last - first).array(); };
    return (own(reach_) * own(*step.mean_force).abs()).sum();
  });
  const double error =
      total(system_, sum) + std::abs(step.force_factor) * product *
                                rounding_of_sum(static_cast<std::size_t>(system_.dofs()));
  RoundingFloor floor{.error = error + step.other + (unknown_ ? kUnknown * energy : 0.0),
                      .ceiling = kMostOfEnergy * energy};
  if (floor.error > floor.ceiling) {
    floor.ceiling =
        std::max(floor.ceiling, 0.5 * kStrain * kStrain * stiffness(*step.x0) +
                                    kStrain * total(system_, weight_) * extent(*step.x0));
  }
  return floor;
}

}  // namespace lilyan
