#include "lilyan/step/stage_equation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lilyan/model/sums.hpp"
#include "lilyan/step/external_forces.hpp"

namespace lilyan {

StageWorkspace::StageWorkspace(Assembler& sums, const SolverOptions& options)
    : assembler(sums),
      system(sums.system()),
      energy_tolerance(options.energy_tolerance),
      velocity_tolerance(options.velocity_tolerance),
      dissipation(sums.world()),
      lengths(system.dofs()) {
  nodes.reserve(64);
  if (!forced()) return;
  for (Vector* v : {&point_x, &point_v, &scratch}) v->setZero(system.dofs());
}

void StageWorkspace::begin_step(const State& start, double h, const TimeSpan& forces_see) {
  span = forces_see;
  assembler.follow_stencils();
  dissipation.begin_step(start, h);
}

void StageWorkspace::add_forces(double t, const Vector& x, const Vector& v, double weight,
                                Vector& sum) {
  lilyan::add_forces(system, span, t, x, v, weight, scratch, sum);
}

void StageWorkspace::add_dissipation(const Vector& v, Vector& sum) {
  if (dissipation.empty()) return;
  for (const auto which : {DissipationVelocity::path, DissipationVelocity::end}) {
    dissipation.value_and_gradient(which, v, -1, sum);
  }
}

double StageWorkspace::driven_power(const Vector& v) {
  return dissipation.driven_power(DissipationVelocity::path, v) +
         dissipation.driven_power(DissipationVelocity::end, v);
}

StageEquation::StageEquation(StageWorkspace& work, const StageTerms& terms)
    : work_(&work),
      terms_(terms),
      forced_(!work.system.forces().empty() && !terms.force_nodes.empty()) {
  terms_.velocity_weight = terms.velocity_weight != 0 ? std::abs(terms.velocity_weight) : 1.0;
  work.has_lengths = false;
  const double hh = terms.h * terms.h;
  work.nodes.resize(terms.nodes.size());
  for (std::size_t i = 0; i < terms.nodes.size(); ++i) {
    const auto [theta, beta] = terms.nodes[i];
    work.nodes[i] = {.theta = theta,
                     .value = hh * beta / theta,
                     .gradient = hh * beta,
                     .hessian = hh * beta * theta};
  }
}

StageEquation StageEquation::averaging_strain(bool over_strain) const {
  StageEquation other = *this;
  if (other.terms_.mean) other.terms_.mean->over_strain = over_strain;
  return other;
}

double StageEquation::dissipation_velocity(DissipationVelocity which, const Vector& d) const {
  const bool end = which == DissipationVelocity::end && terms_.end_weight > 0;
  const double weight = end ? terms_.end_weight : terms_.path_weight;
  const Vector* known = end ? terms_.end_velocity : terms_.path_velocity;
  work_->point_v = (weight / terms_.h) * d;
  if (known) work_->point_v += *known;
  return weight;
}

template <class Function>
void StageEquation::each_dissipation(const Vector& d, Function function) const {
  if (work_->dissipation.empty() || terms_.dissipation_weight == 0) return;
  for (const auto which : {DissipationVelocity::path, DissipationVelocity::end}) {
    if (work_->dissipation.any(which)) function(which, dissipation_velocity(which, d));
  }
}

double StageEquation::driven_power(const Vector& d) const {
  double power = 0;
  each_dissipation(d, [&](DissipationVelocity which, double) {
    power += work_->dissipation.driven_power(which, work_->point_v);
  });
  return power;
}

void StageEquation::add_dissipation_of(std::span<const char> chosen, const Vector& d,
                                       Vector& sum) const {
  const double weight = terms_.h * terms_.h * terms_.dissipation_weight;
  each_dissipation(d, [&](DissipationVelocity which, double) {
    work_->dissipation.value_and_gradient(which, work_->point_v, weight, sum, chosen);
  });
}

void StageEquation::path_point(const Vector& d, double theta) const {
  work_->point_x = *terms_.x0 + theta * d;
  if (theta == 0 && terms_.start_velocity) {
    work_->point_v = *terms_.start_velocity;
    return;
  }
  work_->point_v = (terms_.path_weight / terms_.h) * d;
  if (terms_.path_velocity) work_->point_v += *terms_.path_velocity;
}

void StageEquation::add_path_forces(const Vector& d, std::span<const Node> nodes,
                                    Vector& sum) const {
  for (const auto& [theta, weight] : nodes) {
    path_point(d, theta);
    work_->add_forces(terms_.t0 + theta * terms_.time * terms_.h, work_->point_x, work_->point_v,
                      weight, sum);
  }
}

void StageEquation::add_damping(const Linearised& forces, Vector& diagonal) const {
  if (forced_) diagonal += (terms_.h * terms_.h) * forces.damping;
}

bool StageEquation::linearise(const Vector& d, Linearised& forces) const {
  if (!forced_) return false;
  forces.about = d;
  forces.force.setZero(d.size());
  forces.damping.setZero(d.size());
  add_path_forces(d, terms_.force_nodes, forces.force);
  for (const auto& [theta, beta] : terms_.force_nodes) {
    if (theta == 0 && terms_.start_velocity) continue;
    path_point(d, theta);
    lilyan::add_damping(work_->system, terms_.t0 + theta * terms_.time * terms_.h, work_->point_x,
                        work_->point_v, beta * terms_.path_weight / terms_.h, work_->scratch,
                        forces.damping);
  }
  // Backwards in time damping would make Φ concave; it only speeds up the solve.
  forces.damping = forces.damping.cwiseMax(0.0);
  return true;
}

void StageEquation::evaluate(const Linearised& forces, Iterate& at) const {
  const System& system = work_->system;
  const Vector& d = at.z;
  const Vector& target = *terms_.target;
  const double hh = terms_.h * terms_.h;
  Vector& gradient = at.residual;
  gradient.resize(d.size());
  at.potential.resize(d.size());
  at.value = at.terms = 0;
  const auto add = [&](double term) {
    at.value += term;
    at.terms += std::abs(term);
  };
  if (work_->nodes.empty()) {
    at.potential.setZero();
  } else {
    for (const double e : work_->assembler.values_and_gradient(*terms_.x0, &d, work_->nodes,
                                                               at.potential, mean(), true)) {
      add(e);
    }
  }
  add(0.5 * parallel_sum_over(system, [&](int first, int last) {
        const auto part = part_of(first, last);
        system.mass().apply(part(d) - part(target), part(gradient), first);
        const double twice = (part(d) - part(target)).dot(part(gradient));
        part(gradient) += part(at.potential);
        return twice;
      }));
  refresh(system, gradient);
  if (forced_) {
    gradient.array() +=
        hh * (forces.damping.array() * (d - forces.about).array() - forces.force.array());
    add(hh * sum_over(system, [&](int first, int last) {
          const auto part = [&](auto& v) { return v.segment(first, last - first); };
          const auto moved = (part(d) - part(forces.about)).array();
          return 0.5 * (part(forces.damping).array() * moved.square()).sum() -
                 part(forces.force).dot(part(d));
        }));
  }
  if (work_->forced()) at.dissipation.setZero(d.size());
  if (!work_->dissipation.empty()) {
    const double weight = hh * terms_.dissipation_weight;
    each_dissipation(d, [&](DissipationVelocity which, double factor) {
      add(weight * (terms_.h / factor) *
          work_->dissipation.value_and_gradient(which, work_->point_v, -1, at.dissipation));
    });
    gradient -= weight * at.dissipation;
  }
  // Rounding may leave prescribed motion a residual.
  system.embedding().pull_back(gradient);
}

double StageEquation::largest_step(const Vector& /*d*/, const Vector& direction) const {
  const WorldMemory* memory = work_->assembler.world().memory;
  return memory ? memory->largest_step(direction.data()) : std::numeric_limits<double>::infinity();
}

bool StageEquation::free_start(Vector& d) const {
  const WorldMemory* memory = work_->assembler.world().memory;
  return memory && memory->free_start(terms_.x0->data(), d.data());
}

int StageEquation::find_walls(const Vector& d, const Vector& direction) const {
  WorldMemory* memory = work_->assembler.world().stepped;
  if (!memory) return 0;
  double weight = 0;
  for (const WeightedNode& node : work_->nodes) weight += node.hessian;
  const int changes = memory->find_walls(
      {.x0 = terms_.x0->data(), .d = d.data(), .along = direction.data(), .weight = weight});
  if (changes > 0) work_->assembler.follow_stencils();
  return changes;
}

void StageEquation::add_walls(Vector& residual) const {
  work_->assembler.world().stepped->add_walls(residual.data());
  work_->system.embedding().pull_back(residual);
}

void StageEquation::forget_walls() const {
  if (WorldMemory* memory = work_->assembler.world().stepped) memory->forget_walls();
}

const Vector& StageEquation::lengths() const {
  if (!work_->has_lengths) work_->assembler.lengths(*terms_.x0, work_->lengths);
  work_->has_lengths = true;
  return work_->lengths;
}

void StageEquation::hessian(const Linearised& forces, const Vector& d, double projection,
                            std::vector<double>& values) const {
  hessian(forces, d, projection, EnergyPart::all, {}, values);
}

void StageEquation::hessian_beside_strain(const Linearised& forces, const Vector& d,
                                          std::span<const char> without,
                                          std::vector<double>& values) const {
  hessian(forces, d, 0, EnergyPart::beside_strain, without, values);
}

void StageEquation::hessian(const Linearised& forces, const Vector& d, double projection,
                            EnergyPart part, std::span<const char> without,
                            std::vector<double>& values) const {
  const BlockPattern& pattern = work_->assembler.hessian_pattern();
  if (work_->nodes.empty()) {
    std::ranges::fill(values, 0.0);
  } else {
    work_->assembler.hessian(*terms_.x0, d, work_->nodes, projection, values, mean(), true, part);
  }
  each_dissipation(d, [&](DissipationVelocity which, double factor) {
    work_->dissipation.add_hessian(which, work_->point_v,
                                   terms_.h * terms_.dissipation_weight * factor, projection,
                                   pattern, values, without);
  });
  const double hh = terms_.h * terms_.h;
  pattern.add_mass(work_->system.mass(), hh, forced_ ? &forces.damping : nullptr, values);
}

double StageEquation::norm(const Vector& gradient) const {
  return std::sqrt(parallel_sum_over(work_->system, [&](int first, int last) {
    return work_->system.mass().inverse_square(gradient.segment(first, last - first), first);
  }));
}

double StageEquation::dot(const Vector& a, const Vector& b) const {
  return parallel_sum_over(work_->system, [&](int first, int last) {
    return a.segment(first, last - first).dot(b.segment(first, last - first));
  });
}

Defect StageEquation::defect(const Vector& d, const Vector& gradient) const {
  const double h = terms_.h;
  const double kinetic = 0.5 * mass_square(work_->system, d) / (h * h);
  const double scale = std::max(terms_.energy_scale, kinetic);
  const double residual = norm(gradient);
  if (residual == 0) return {};
  const double velocity = terms_.velocity_weight / std::abs(h) * residual / std::sqrt(2 * scale);
  // ½(v₀+v₁) is u up to the order of the step: the ledger's solver term.
  const double power = dot(d, gradient);
  const double energy = terms_.velocity_weight / (h * h) * std::abs(power) / scale;
  const double worst =
      std::max(energy / work_->energy_tolerance, velocity / work_->velocity_tolerance);
  return {.share = std::isnan(worst) ? std::numeric_limits<double>::infinity() : worst,
          .velocity = velocity};
}

// The numbers that forces are computed from are known to a relative ε; the Hessian turns that into an error of
// the gradient, and with these numbers once more into one of Φ (which also bounds the cancellation between
// the terms of an energy density: its stiffness times the square of an element's size). The sum Φ adds the
// rounding of its terms. How far away the origin is does not matter: x₀ is the same throughout a step.
Objective::Rounding StageEquation::rounding(const Vector& d, double terms,
                                            const Vector& diagonal) const {
  constexpr double kRelative = 4 * kEpsilon;
  const Vector& lengths = this->lengths();
  const auto sum = [&](const auto& term) {
    return sum_over(work_->system, [&](int first, int last) {
      const auto part = part_of(first, last);
      const auto size = part(lengths) + part(d).cwiseAbs();
      return term(part(diagonal).cwiseAbs().cwiseProduct(size), size, first);
    });
  };
  const double value =
      sum([](const auto& error, const auto& size, int) { return error.dot(size); });
  const double square = sum([&](const auto& error, const auto&, int first) {
    return work_->system.mass().inverse_square(error, first);
  });
  return {.value = kRelative * (value + terms), .gradient = kRelative * std::sqrt(square)};
}

bool small_beside(const System& system, const Vector& x0, double left, double change) {
  constexpr double kOfChange = 1e-6;
  constexpr double kOfBody = 1e-8;
  if (left <= kOfChange * change) return true;
  return left <= kOfBody * std::sqrt(spread(system, x0));
}

// The rest of the gradient is an impulse that nobody gave. It displaces by M⁻¹ gradient, and the forces of
// the step by d − y.
bool StageEquation::rounding_is_harmless(const Vector& d, const Vector& gradient) const {
  const double change = std::sqrt(sum_over(work_->system, [&](int first, int last) {
    const auto part = part_of(first, last);
    return work_->system.mass().square(part(d) - part(*terms_.target), first);
  }));
  return small_beside(work_->system, *terms_.x0, norm(gradient), change);
}

}  // namespace lilyan
