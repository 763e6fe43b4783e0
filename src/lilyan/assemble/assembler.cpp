#include "lilyan/assemble/assembler.hpp"

#include <algorithm>
#include <string>

#include "lilyan/base/error.hpp"
#include "lilyan/model/energy_abilities.hpp"
#include "lilyan/model/energy_discrete_gradient.hpp"
#include "lilyan/model/sums.hpp"
#include "lilyan/parallel/share.hpp"
#include "lilyan/parallel/threads.hpp"

namespace lilyan {
namespace {

void set_values_to_zero(std::vector<double>& values) {
  constexpr std::size_t kChunk = 1 << 16;
  const std::size_t chunks = (values.size() + kChunk - 1) / kChunk;
  parallel_for(static_cast<int>(chunks), [&](int chunk) {
    const std::size_t first = kChunk * static_cast<std::size_t>(chunk);
    std::fill_n(values.data() + first, std::min(kChunk, values.size() - first), 0.0);
  });
}

}  // namespace

EnergyByKind Assembler::run(Evaluation at, EnergyPart part, bool beside_mass) const {
  EnergyByKind sum{};
  for (std::size_t k = 0; k < system_.energies().size(); ++k) {
    const Energy& energy = *system_.energies()[k];
    if (part == EnergyPart::beside_strain) {
      if (averages_strain(k)) continue;
    } else if (part != EnergyPart::all &&
               energy.changes_between_steps() != (part == EnergyPart::moving)) {
      continue;
    }
    if (at.hessian) {
      if (energy.stencils().size == 0) continue;
      at.slots = &slots_[k];
      at.lent_mass = beside_mass && !lent_mass_[k].empty() ? lent_mass_[k].data() : nullptr;
    }
    at.memory = world_.memory_of(energy);
    if (at.mean && at.mean->over_strain && averages_strain(k)) {
      run_over_strain(k, at);
      continue;
    }
    const double value = energy.evaluate(at);
    if (system_.counts(energy)) sum[static_cast<std::size_t>(energy.kind())] += value;
  }
  if (!system_.share()) return sum;
  if (at.want_value) system_.share()->ranks().sum(sum);
  if (at.gradient) system_.share()->refresh(at.gradient, 3);
  return sum;
}

bool Assembler::has_strain(const Energy& energy) {
  return energy.rotation_invariant() && energy.abilities().discrete_gradient;
}

void Assembler::run_over_strain(std::size_t k, const Evaluation& at) const {
  const Energy& energy = *system_.energies()[k];
  if (at.gradient) {
    energy.abilities().discrete_gradient->discrete_gradient({.x0 = at.x0,
                                                             .d = at.d,
                                                             .gradient_weight = at.mean->weight,
                                                             .gradient = at.gradient,
                                                             .memory = at.memory});
    // What a rule has at the start is known, and counted elsewhere.
    if (at.mean->start != 0) {
      const WeightedNode known{.gradient = -at.mean->start};
      (void)energy.evaluate({.x0 = at.x0,
                             .nodes = {&known, 1},
                             .want_value = false,
                             .gradient = at.gradient,
                             .memory = at.memory});
    }
  }
  if (!at.hessian) return;
  if (energy.abilities().discrete_gradient->stress_numbers() == 0) {
    const WeightedNode middle{.theta = 0.5, .hessian = 0.5 * at.mean->weight};
    Evaluation there = at;
    there.nodes = {&middle, 1};
    there.mean = nullptr;
    (void)energy.evaluate(there);
    return;
  }
  energy.abilities().discrete_gradient->balance({.task = BalanceEvaluation::Task::matrix,
                                                 .x0 = at.x0,
                                                 .d = at.d,
                                                 .stress = stress_[k].data(),
                                                 .stiffening = stiffening_[k],
                                                 .weight = at.mean->weight,
                                                 .hessian = at.hessian,
                                                 .slots = at.slots,
                                                 .projection = at.projection,
                                                 .lent_mass = at.lent_mass,
                                                 .memory = at.memory});
}

void Assembler::renew_stress(const Vector& x0, const Vector* d, const Vector* y,
                             std::span<const double> stiffening) {
  const auto& energies = system_.energies();
  if (stress_.empty()) {
    for (const auto& energy : energies) {
      stress_.emplace_back(
          has_strain(*energy) ? energy->abilities().discrete_gradient->stress_numbers() : 0);
    }
  }
  stiffening_.assign(stiffening.begin(), stiffening.end());
  for (std::size_t k = 0; k < energies.size(); ++k) {
    if (stress_[k].empty() || !averages_strain(k)) continue;
    energies[k]->abilities().discrete_gradient->balance({.task = BalanceEvaluation::Task::renew,
                                                         .x0 = x0.data(),
                                                         .d = d ? d->data() : nullptr,
                                                         .along = y ? y->data() : nullptr,
                                                         .renewed = stress_[k].data(),
                                                         .stiffening = stiffening[k],
                                                         .memory = world_.memory_of(*energies[k])});
  }
}

void Assembler::forget_stress() {
  for (std::vector<double>& of_energy : stress_) std::ranges::fill(of_energy, 0.0);
}

EnergyByKind Assembler::values(const Vector& x0, const Vector* d,
                               std::span<const WeightedNode> nodes, bool from_start) const {
  return run(
      {.x0 = x0.data(), .d = d ? d->data() : nullptr, .nodes = nodes, .from_start = from_start});
}

void Assembler::lengths(const Vector& x, Vector& lengths) const {
  lengths.setZero();
  const auto size = static_cast<std::size_t>(lengths.size());
  for (const auto& energy : system_.energies()) {
    energy->raise_lengths(x.data(), system_.dimension(), world_.memory_of(*energy),
                          {lengths.data(), size});
  }
}

EnergyByKind Assembler::values_and_gradient(const Vector& x0, const Vector* d,
                                            std::span<const WeightedNode> nodes, Vector& gradient,
                                            const PathMeanWeights* mean, bool from_start) const {
  gradient.setZero();
  const EnergyByKind sum = run({.x0 = x0.data(),
                                .d = d ? d->data() : nullptr,
                                .nodes = nodes,
                                .gradient = gradient.data(),
                                .mean = mean,
                                .from_start = from_start});
  system_.embedding().pull_back(gradient);
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
  system_.embedding().pull_back(gradient);
}

void Assembler::hessian(const Vector& x0, const Vector& d, std::span<const WeightedNode> nodes,
                        double projection, std::vector<double>& values, const PathMeanWeights* mean,
                        bool beside_mass, EnergyPart part) const {
  set_values_to_zero(values);
  run({.x0 = x0.data(),
       .d = d.data(),
       .nodes = nodes,
       .want_value = false,
       .hessian = values.data(),
       .projection = projection,
       .mean = mean},
      part, beside_mass);
}

EnergyByKind Assembler::add_part(EnergyPart part, const Vector& x,
                                 std::span<const WeightedNode> nodes, Vector* gradient) const {
  return run({.x0 = x.data(), .nodes = nodes, .gradient = gradient ? gradient->data() : nullptr},
             part);
}

// Where several processes share the system, tets of a vertex are in two energies, one of which another
// process counts; and of those at a copy some are not here at all. A tet is to be lent the same mass in
// every process, or they would disagree on its Hessian: each energy has a share of a vertex's mass, by the
// volume that its tets have there, and volumes are those that the vertex's owner knows.
std::vector<double> Assembler::mass_to_lend(const Energy& energy) const {
  std::vector<double> mass(system_.vertex_masses().begin(), system_.vertex_masses().end());
  const EnergyDensity* own = energy.abilities().density;
  if (!system_.share() || !own) return mass;
  const auto n = static_cast<std::size_t>(system_.vertices());
  const Vector x = Vector::Zero(system_.dofs());
  std::vector<double> unused(n), volume(n), all(n);
  own->add_energies(x.data(), unused, volume);
  for (const auto& e : system_.energies()) {
    const EnergyDensity* part = e->abilities().density;
    if (part) part->add_energies(x.data(), unused, all);
  }
  system_.share()->refresh(all.data(), 1);
  for (std::size_t i = 0; i < n; ++i) mass[i] *= all[i] > 0 ? volume[i] / all[i] : 0.0;
  return mass;
}

const BlockPattern& Assembler::hessian_pattern() {
  if (pattern_ && stencils_version_ == world_.stencils_version()) return *pattern_;
  stencils_version_ = world_.stencils_version();
  if (pattern_) {
    pattern_->grow(world_);
  } else {
    pattern_ = std::make_unique<BlockPattern>(world_);
    for (const auto& energy : system_.energies()) {
      std::vector<double>& lent = lent_mass_.emplace_back();
      if (const LendsMass* lends = energy->abilities().lends_mass) {
        lent = lends->lend_mass(mass_to_lend(*energy));
      }
    }
  }
  slots_.clear();
  for (const auto& energy : system_.energies()) {
    slots_.push_back(pattern_->slots(world_.stencils(*energy)));
  }
  return *pattern_;
}

DissipationAssembler::DissipationAssembler(const World& world)
    : world_(world), system_(world.system), lagged_(system_.dissipations().size()) {
  if (!empty()) scratch_.setZero(system_.dofs());
}

bool DissipationAssembler::any(DissipationVelocity which) const {
  return std::ranges::any_of(system_.dissipations(),
                             [&](const auto& r) { return r->velocity() == which; });
}

StepStart DissipationAssembler::step_start(const State& start, double h) const {
  return {.t = start.t,
          .h = h,
          .x = start.x.data(),
          .v = start.v.data(),
          .memory = world_.memory,
          .keeps_spin = system_.rotation_invariant(),
          .turns = turns_.value_or(false),
          .share = system_.share()};
}

void DissipationAssembler::begin_step(const State& start, double h) {
  if (!turns_ && !empty()) turns_ = system_.symmetry(start.x).turns() != Symmetry::Turns::none;
  for (std::size_t k = 0; k < lagged_.size(); ++k) {
    system_.dissipations()[k]->begin_step(step_start(start, h), lagged_[k]);
  }
}

DissipationAssembler::Renewal DissipationAssembler::renew(const State& start, const Vector& d,
                                                          double h) {
  Renewal renewal;
  for (std::size_t k = 0; k < lagged_.size(); ++k) {
    const Dissipation& r = *system_.dissipations()[k];
    const double own = r.renew(step_start(start, h), d.data(), lagged_[k]);
    if (!system_.counts(r)) continue;
    renewal.change = std::max(renewal.change, own);
    if (r.must_settle(step_start(start, h))) renewal.unsettled = std::max(renewal.unsettled, own);
  }
  return renewal;
}

double DissipationAssembler::value_and_gradient(DissipationVelocity which, const Vector& v,
                                                double weight, Vector& gradient,
                                                std::span<const char> chosen) {
  double value = 0;
  scratch_.setZero();
  for (std::size_t k = 0; k < lagged_.size(); ++k) {
    const Dissipation& r = *system_.dissipations()[k];
    if (r.velocity() != which || (!chosen.empty() && chosen[k] == 0)) continue;
    const double own = r.evaluate(
        lagged_[k], {.v = v.data(), .gradient = scratch_.data(), .memory = world_.memory});
    if (system_.counts(r)) value += own;
  }
  refresh(system_, scratch_);
  system_.embedding().pull_back(scratch_);
  gradient += weight * scratch_;
  return total(system_, value);
}

void DissipationAssembler::add_hessian(DissipationVelocity which, const Vector& v, double weight,
                                       double projection, const BlockPattern& pattern,
                                       std::vector<double>& values, std::span<const char> without) {
  if (slots_.empty() || stencils_version_ != world_.stencils_version()) {
    stencils_version_ = world_.stencils_version();
    slots_.clear();
    for (const auto& r : system_.dissipations())
      slots_.push_back(pattern.slots(r->stencils(world_.memory)));
  }
  for (std::size_t k = 0; k < lagged_.size(); ++k) {
    const Dissipation& r = *system_.dissipations()[k];
    if (r.velocity() != which || (!without.empty() && without[k] != 0)) continue;
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
    const double own = r.driven_power(lagged_[k], {.v = v.data(), .memory = world_.memory});
    if (system_.counts(r)) power += own;
    if (!prescribed) continue;
    r.evaluate(lagged_[k], {.v = v.data(), .gradient = scratch_.data(), .memory = world_.memory});
  }
  if (empty()) return 0;
  if (!prescribed) return total(system_, power);
  return total(system_, power) - prescribed_product(system_, scratch_, v);
}

}  // namespace lilyan
