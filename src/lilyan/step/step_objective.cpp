#include "lilyan/step/step_objective.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "lilyan/model/fixed.hpp"
#include "lilyan/model/sums.hpp"
#include "lilyan/parallel/threads.hpp"

namespace lilyan {

StepObjective::StepObjective(Assembler& assembler, const SolverOptions& options)
    : assembler_(assembler),
      system_(assembler.system()),
      mass_(system_.mass()),
      energy_tolerance_(options.energy_tolerance),
      velocity_tolerance_(options.velocity_tolerance),
      target_(mass_.size()),
      gradients_(Vector::Zero(mass_.size())),
      dissipation_(assembler.world()),
      lengths_(mass_.size()) {
  nodes_.reserve(64);
  if (system_.forces().empty() && dissipation_.empty()) return;
  dissipated_.setZero(mass_.size());
  for (Vector* v : {&linearised_, &forces_, &damping_, &point_x_, &point_v_, &scratch_}) {
    v->setZero(mass_.size());
  }
}

void StepObjective::prepare(const Step& step) {
  step_ = step;
  has_lengths_ = false;
  step_.velocity_weight = step.velocity_weight != 0 ? std::abs(step.velocity_weight) : 1.0;
  const double hh = step.h * step.h;
  nodes_.resize(step.nodes.size());
  for (std::size_t i = 0; i < step.nodes.size(); ++i) {
    const auto [theta, beta] = step.nodes[i];
    nodes_[i] = {.theta = theta,
                 .value = hh * beta / theta,
                 .gradient = hh * beta,
                 .hessian = hh * beta * theta};
  }
  forced_ = !system_.forces().empty() && !step.force_nodes.empty();
  if (forces_.size() > 0) forces_.setZero();
  if (dissipated_.size() > 0) dissipated_.setZero();
}

double StepObjective::dissipation_velocity(DissipationVelocity which, const Vector& d) {
  const bool end = which == DissipationVelocity::end && step_.end_weight > 0;
  const double weight = end ? step_.end_weight : step_.path_weight;
  const Vector* known = end ? step_.end_velocity : step_.path_velocity;
  point_v_ = (weight / step_.h) * d;
  if (known) point_v_ += *known;
  return weight;
}

template <class Function>
void StepObjective::each_dissipation(const Vector& d, Function function) {
  if (dissipation_.empty() || step_.dissipation_weight == 0) return;
  for (const auto which : {DissipationVelocity::path, DissipationVelocity::end}) {
    if (dissipation_.any(which)) function(which, dissipation_velocity(which, d));
  }
}

double StepObjective::driven_power(const Vector& d) {
  double power = 0;
  each_dissipation(d, [&](DissipationVelocity which, double) {
    power += dissipation_.driven_power(which, point_v_);
  });
  return power;
}

double StepObjective::driven_power_at(const Vector& v) {
  return dissipation_.driven_power(DissipationVelocity::path, v) +
         dissipation_.driven_power(DissipationVelocity::end, v);
}

void StepObjective::add_dissipation(const Vector& v, Vector& sum) {
  if (dissipation_.empty()) return;
  for (const auto which : {DissipationVelocity::path, DissipationVelocity::end}) {
    dissipation_.value_and_gradient(which, v, -1, sum);
  }
}

void StepObjective::add_dissipation_of(std::span<const char> chosen, const Vector& d, Vector& sum) {
  const double weight = step_.h * step_.h * step_.dissipation_weight;
  each_dissipation(d, [&](DissipationVelocity which, double) {
    dissipation_.value_and_gradient(which, point_v_, weight, sum, chosen);
  });
}

void StepObjective::path_point(const Vector& d, double theta) {
  point_x_ = *step_.x0 + theta * d;
  if (theta == 0 && step_.start_velocity) {
    point_v_ = *step_.start_velocity;
    return;
  }
  point_v_ = (step_.path_weight / step_.h) * d;
  if (step_.path_velocity) point_v_ += *step_.path_velocity;
}

void StepObjective::add_path_forces(const Vector& d, std::span<const Node> nodes, Vector& sum) {
  for (const auto& [theta, weight] : nodes) {
    path_point(d, theta);
    add_forces(system_, span_, step_.t0 + theta * step_.time * step_.h, point_x_, point_v_, weight,
               scratch_, sum);
  }
}

bool StepObjective::linearise(const Vector& d) {
  if (!forced_) return false;
  linearised_ = d;
  forces_.setZero();
  damping_.setZero();
  add_path_forces(d, step_.force_nodes, forces_);
  for (const auto& [theta, beta] : step_.force_nodes) {
    if (theta == 0 && step_.start_velocity) continue;
    path_point(d, theta);
    add_damping(system_, step_.t0 + theta * step_.time * step_.h, point_x_, point_v_,
                beta * step_.path_weight / step_.h, scratch_, damping_);
  }
  // Backwards in time damping would make Φ concave; it only speeds up the solve.
  damping_ = damping_.cwiseMax(0.0);
  return true;
}

double StepObjective::evaluate(const Vector& d, Vector& gradient) {
  double value = 0;
  double terms = 0;
  if (nodes_.empty()) {
    gradients_.setZero();
  } else {
    const EnergyByKind potential = assembler_.values_and_gradient(
        *step_.x0, &d, nodes_, gradients_, step_.mean ? &*step_.mean : nullptr, true);
    for (const double e : potential) {
      value += e;
      terms += std::abs(e);
    }
  }
  const double kinetic =
      0.5 * parallel_sum_over(system_, [&](int first, int last) {
        const auto part = [&](auto& v) { return v.segment(first, last - first); };
        part(gradient).array() = part(mass_).array() * (part(d) - part(target_)).array();
        const double twice = (part(d) - part(target_)).dot(part(gradient));
        part(gradient) += part(gradients_);
        return twice;
      });
  value += kinetic;
  terms += kinetic;
  refresh(system_, gradient);
  if (forced_) {
    const double hh = step_.h * step_.h;
    gradient.array() += hh * (damping_.array() * (d - linearised_).array() - forces_.array());
    const double work =
        hh * sum_over(system_, [&](int first, int last) {
          const auto part = [&](auto& v) { return v.segment(first, last - first); };
          const auto moved = (part(d) - part(linearised_)).array();
          return 0.5 * (part(damping_).array() * moved.square()).sum() - part(forces_).dot(part(d));
        });
    value += work;
    terms += std::abs(work);
  }
  if (!dissipation_.empty()) {
    dissipated_.setZero();
    const double weight = step_.h * step_.h * step_.dissipation_weight;
    each_dissipation(d, [&](DissipationVelocity which, double factor) {
      const double dissipated = weight * (step_.h / factor) *
                                dissipation_.value_and_gradient(which, point_v_, -1, dissipated_);
      value += dissipated;
      terms += std::abs(dissipated);
    });
    gradient -= weight * dissipated_;
  }
  // Rounding may leave prescribed motion a residual.
  stop_fixed(system_, gradient);
  terms_ = terms;
  return value;
}

const Vector& StepObjective::lengths() const {
  if (!has_lengths_) assembler_.lengths(*step_.x0, lengths_);
  has_lengths_ = true;
  return lengths_;
}

void StepObjective::hessian(const Vector& d, double projection, std::vector<double>& values) {
  hessian(d, projection, EnergyPart::all, {}, values);
}

void StepObjective::hessian_beside_strain(const Vector& d, std::span<const char> without,
                                          std::vector<double>& values) {
  hessian(d, 0, EnergyPart::beside_strain, without, values);
}

void StepObjective::hessian(const Vector& d, double projection, EnergyPart part,
                            std::span<const char> without, std::vector<double>& values) {
  const BlockPattern& pattern = assembler_.hessian_pattern();
  if (nodes_.empty()) {
    std::ranges::fill(values, 0.0);
  } else {
    assembler_.hessian(*step_.x0, d, nodes_, projection, values,
                       step_.mean ? &*step_.mean : nullptr, true, part);
  }
  each_dissipation(d, [&](DissipationVelocity which, double factor) {
    dissipation_.add_hessian(which, point_v_, step_.h * step_.dissipation_weight * factor,
                             projection, pattern, values, without);
  });
  const double hh = step_.h * step_.h;
  parallel_ranges(pattern.dofs(), [&](int first, int last) {
    for (int c = first; c < last; ++c) {
      const int dof = pattern.dof(c);
      values[pattern.column_start()[c]] += mass_[dof] + (forced_ ? hh * damping_[dof] : 0.0);
    }
  });
}

double StepObjective::norm(const Vector& gradient) const {
  return std::sqrt(parallel_sum_over(system_, [&](int first, int last) {
    const auto part = [&](auto& v) { return v.segment(first, last - first).array(); };
    return (part(gradient).square() / part(mass_)).sum();
  }));
}

double StepObjective::dot(const Vector& a, const Vector& b) const {
  return parallel_sum_over(system_, [&](int first, int last) {
    return a.segment(first, last - first).dot(b.segment(first, last - first));
  });
}

double StepObjective::defect(const Vector& d, const Vector& gradient) {
  const double h = step_.h;
  const auto sum = [&](const auto& term) {
    return parallel_sum_over(system_, [&](int first, int last) {
      return term([&](auto& v) { return v.segment(first, last - first).array(); });
    });
  };
  const double kinetic =
      0.5 * sum([&](auto part) { return (part(mass_) * part(d).square()).sum(); }) / (h * h);
  const double scale = std::max(step_.energy_scale, kinetic);
  const double residual = norm(gradient);
  if (residual == 0) {
    velocity_error_ = 0;
    return 0;
  }
  velocity_error_ = step_.velocity_weight / std::abs(h) * residual / std::sqrt(2 * scale);
  // ½(v₀+v₁) is u up to the order of the step: the ledger's solver term.
  const double power = sum([&](auto part) { return (part(d) * part(gradient)).sum(); });
  const double energy_error = step_.velocity_weight / (h * h) * std::abs(power) / scale;
  const double worst =
      std::max(energy_error / energy_tolerance_, velocity_error_ / velocity_tolerance_) / slack_;
  return std::isnan(worst) ? std::numeric_limits<double>::infinity() : worst;
}

// The numbers that forces are computed from are known to a relative ε; the Hessian turns that into an error of
// the gradient, and with these numbers once more into one of Φ (which also bounds the cancellation between
// the terms of an energy density: its stiffness times the square of an element's size). The sum Φ adds the
// rounding of its terms. How far away the origin is does not matter: x₀ is the same throughout a step.
Objective::Rounding StepObjective::rounding(const Vector& d, const Vector& diagonal) const {
  constexpr double kRelative = 4 * kEpsilon;
  const Vector& lengths = this->lengths();
  const auto sum = [&](const auto& term) {
    return sum_over(system_, [&](int first, int last) {
      const auto part = [&](const Vector& v) { return v.segment(first, last - first).array(); };
      const auto size = part(lengths) + part(d).abs();
      return term(part(diagonal).abs() * size, size, part(mass_));
    });
  };
  const auto value = [](const auto& error, const auto& size, const auto&) {
    return (error * size).sum();
  };
  const auto square = [](const auto& error, const auto&, const auto& mass) {
    return (error.square() / mass).sum();
  };
  return {.value = kRelative * (sum(value) + terms_),
          .gradient = kRelative * std::sqrt(sum(square))};
}

bool small_beside(const System& system, const Vector& x0, double left, double change) {
  constexpr double kOfChange = 1e-6;
  constexpr double kOfBody = 1e-8;
  if (left <= kOfChange * change) return true;
  const Vector& mass = system.mass();
  const int n = system.dimension();
  double extent = 0;
  for (int axis = 0; axis < n; ++axis) {
    const auto sum = [&](const auto& term) {
      return sum_over(system, [&](int first, int last) {
        return term([&](const Vector& v) {
          return Eigen::Map<const Vector, 0, Eigen::InnerStride<>>(
                     v.data() + first + axis, (last - first) / n, Eigen::InnerStride<>(n))
              .array();
        });
      });
    };
    const double centre = sum([&](auto along) { return (along(mass) * along(x0)).sum(); }) /
                          sum([&](auto along) { return along(mass).sum(); });
    extent += sum([&](auto along) { return (along(mass) * (along(x0) - centre).square()).sum(); });
  }
  return left <= kOfBody * std::sqrt(extent);
}

// The rest of the gradient is an impulse that nobody gave. It displaces by M⁻¹ gradient, and the forces of
// the step by d − y.
bool StepObjective::rounding_is_harmless(const Vector& d, const Vector& gradient) const {
  const double change = std::sqrt(sum_over(system_, [&](int first, int last) {
    const auto part = [&](const Vector& v) { return v.segment(first, last - first).array(); };
    return (part(mass_) * (part(d) - part(target_)).square()).sum();
  }));
  return small_beside(system_, *step_.x0, norm(gradient), change);
}

}  // namespace lilyan
