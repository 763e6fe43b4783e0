#include "lilyan/assemble/dissipation_assembler.hpp"

#include <algorithm>

#include "lilyan/core/fixed.hpp"

namespace lilyan {

DissipationAssembler::DissipationAssembler(const World& world)
    : world_(world), system_(world.system), lagged_(system_.dissipations().size()) {
  if (!empty()) scratch_.setZero(system_.dofs());
}

bool DissipationAssembler::any(DissipationVelocity which) const {
  return std::ranges::any_of(system_.dissipations(),
                             [&](const auto& r) { return r->velocity() == which; });
}

StepStart DissipationAssembler::step_start(const State& start, double h) const {
  return {.t = start.t, .h = h, .x = start.x.data(), .v = start.v.data(), .memory = world_.memory};
}

void DissipationAssembler::begin_step(const State& start, double h) {
  for (std::size_t k = 0; k < lagged_.size(); ++k) {
    system_.dissipations()[k]->begin_step(step_start(start, h), lagged_[k]);
  }
}

double DissipationAssembler::renew(const State& start, const Vector& d, double h) {
  double change = 0;
  for (std::size_t k = 0; k < lagged_.size(); ++k) {
    change = std::max(change,
                      system_.dissipations()[k]->renew(step_start(start, h), d.data(), lagged_[k]));
  }
  return change;
}

double DissipationAssembler::value_and_gradient(DissipationVelocity which, const Vector& v,
                                                double weight, Vector& gradient) {
  double value = 0;
  scratch_.setZero();
  for (std::size_t k = 0; k < lagged_.size(); ++k) {
    const Dissipation& r = *system_.dissipations()[k];
    if (r.velocity() != which) continue;
    value += r.evaluate(lagged_[k],
                        {.v = v.data(), .gradient = scratch_.data(), .memory = world_.memory});
  }
  stop_fixed(system_, scratch_);
  gradient += weight * scratch_;
  return value;
}

void DissipationAssembler::add_hessian(DissipationVelocity which, const Vector& v, double weight,
                                       double projection, const BlockPattern& pattern,
                                       std::vector<double>& values) {
  if (slots_.empty()) {
    for (const auto& r : system_.dissipations())
      slots_.push_back(pattern.slots(r->stencils(world_.memory)));
  }
  for (std::size_t k = 0; k < lagged_.size(); ++k) {
    const Dissipation& r = *system_.dissipations()[k];
    if (r.velocity() != which) continue;
    r.evaluate(lagged_[k], {.v = v.data(),
                            .hessian_weight = weight,
                            .hessian = values.data(),
                            .slots = &slots_[k],
                            .projection = projection,
                            .memory = world_.memory});
  }
}

double DissipationAssembler::driven_power(DissipationVelocity which, const Vector& v) {
  double power = 0;
  const bool prescribed = !empty() && !system_.motions().empty();
  if (prescribed) scratch_.setZero();
  for (std::size_t k = 0; k < lagged_.size(); ++k) {
    const Dissipation& r = *system_.dissipations()[k];
    if (r.velocity() != which) continue;
    power += r.driven_power(lagged_[k], {.v = v.data(), .memory = world_.memory});
    if (!prescribed) continue;
    r.evaluate(lagged_[k], {.v = v.data(), .gradient = scratch_.data(), .memory = world_.memory});
  }
  if (!prescribed) return power;
  for (const auto& motion : system_.motions()) {
    for (const int i : motion->vertices()) {
      power -= scratch_.segment<3>(3 * i).dot(v.segment<3>(3 * i));
    }
  }
  return power;
}

}  // namespace lilyan
