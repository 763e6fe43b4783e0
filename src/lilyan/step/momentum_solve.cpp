#include "lilyan/step/momentum_solve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lilyan/model/energy_discrete_gradient.hpp"
#include "lilyan/model/fixed.hpp"
#include "lilyan/parallel/classes.hpp"
#include "lilyan/step/momentum_parts.hpp"

namespace lilyan {
namespace {

using momentum_parts::at;
using momentum_parts::internal;
using momentum_parts::kRounding;
using momentum_parts::size_of;

constexpr int kMostSolves = 60;
constexpr int kMostSetbacks = 12;     // of the iteration: directions that have grown
constexpr double kLeastShare = 0.02;  // of a direction, after some of these
constexpr double kGrown = 2;          // what is a setback
constexpr int kMatrixLasts = 8;       // solves with AVF's matrix that do not converge fast
constexpr double kFast = 1e-3;        // contraction that these are expected to reach
// Directions of Anderson's mixing do not shrink every time. After so many that have not halved the best one it
// is rounding error that is left, if it is as small as this, and otherwise there is no end to be seen.
constexpr int kPatience = 8;
constexpr int kMostPatience = 16;
constexpr double kMayBeRounding = 1e-9;  // relative velocity error
constexpr double kStiff = 0.7;           // the part of a body that sound crosses in a step
constexpr double kSoftAccuracy = 1e-3;   // of iterative solutions
// Iterative solutions for stiff bodies give the balanced stress, whose errors act on the inertia as many times as
// sound crosses the body in a step. Beyond so many times the rounding of a matrix in single precision does, too.
constexpr double kBalancedAccuracy = 0.3;
constexpr double kLeastAccuracy = 1e-8;
constexpr double kMostAccuracy = 1e-2;
constexpr double kManyCrossings = 300;
constexpr double kMayBeLast = 100;

}  // namespace

bool FreeMomentumEquation::evaluate(const Vector& d, Vector& residual) {
  objective_.linearise(d);
  return std::isfinite(objective_.evaluate(d, residual));
}

MomentumSolve::MomentumSolve(Assembler& assembler, const SolverOptions& options, int multipliers)
    : assembler_(assembler),
      system_(assembler.system()),
      options_(options),
      mixing_(system_, system_.dofs() + multipliers) {
  const World& world = assembler.world();
  std::vector<int> parent = separate_classes(system_.vertices());
  for (std::size_t k = 0; k < system_.energies().size(); ++k) {
    const Energy& energy = *system_.energies()[k];
    if (!internal(energy)) {
      external_.push_back(k);
    } else if (energy.changes_between_steps()) {
      if (!Assembler::has_strain(energy)) contacts_.push_back(k);
    } else {
      connect(world.stencils(energy), parent);
    }
  }
  connect_constraints(system_, parent);
  // Damping within bodies; friction between them.
  bodies_.dissipations.assign(system_.dissipations().size(), 0);
  clusters_.dissipations = bodies_.dissipations;
  for (std::size_t k = 0; k < system_.dissipations().size(); ++k) {
    const Dissipation& dissipation = *system_.dissipations()[k];
    if (!dissipation.keeps_angular_momentum()) continue;
    const bool inside = within_groups(dissipation.stencils(world.memory), parent);
    Level& level = inside ? bodies_ : clusters_;
    level.dissipations[k] = 1;
    level.dissipates = true;
  }
  renews_ = !system_.dissipations().empty() &&
            std::ranges::find(bodies_.dissipations, 0) == bodies_.dissipations.end();
  bodies_.groups = TorqueGroups(system_, parent);
  for (const auto& energy : system_.energies()) {
    std::vector<int>& bodies = bodies_of_.emplace_back();
    if (!internal(*energy) || energy->changes_between_steps()) continue;
    for (const int i : world.stencils(*energy).vertices) {
      const int body = bodies_.groups.of_vertex(i);
      if (body >= 0 && (bodies.empty() || bodies.back() != body)) bodies.push_back(body);
    }
    std::ranges::sort(bodies);
    bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  }
  if (!contacts_.empty() || clusters_.dissipates) {
    for (const std::size_t k : contacts_) {
      connect(world.stencils(*system_.energies()[k]), parent);
    }
    for (std::size_t k = 0; k < system_.dissipations().size(); ++k) {
      if (clusters_.dissipations[k] != 0) {
        connect(system_.dissipations()[k]->stencils(world.memory), parent);
      }
    }
    clusters_.groups = TorqueGroups(system_, parent);
    clusters_.has_torque.assign(clusters_.groups.size(), 1);
    clusters_.any_torque = !clusters_.groups.empty();
  }

  const int n = system_.dofs();
  for (Vector* v : {&d_, &scratch_, &raw_, &motion_, &image_, &bodies_.gradient, &bodies_.force,
                    &clusters_.gradient, &clusters_.force}) {
    v->setZero(n);
  }
  for (Vector* v : {&best_, &best_direction_, &direction_, &start_, &other_}) {
    v->setZero(n + multipliers);
  }
  const std::size_t count = bodies_.groups.size();
  turns_.resize(count);
  stiff_.resize(count);
  rigid_.middles.resize(count);
  rigid_.ends.resize(count);
  rigid_.turning.resize(count);
  rigid_.missing.resize(count);
  rigid_.matrix.resize(count);
  body_stiffening_.assign(bodies_.groups.size(), 1);
  bodies_.has_torque.assign(bodies_.groups.size(), 1);
  stiffening_.assign(system_.energies().size(), 1);
  over_strain_.assign(system_.energies().size(), 0);
  nodes_.reserve(256);
}

double MomentumSolve::slack() const {
  constexpr double kCoarse = 1e-4;  // relative velocity error
  return std::max(1.0, kCoarse / std::max(options_.velocity_tolerance, kEpsilon));
}

bool MomentumSolve::begin(const Step& step, Means means) {
  x0_ = &step.start.x;
  h_ = step.h;
  has_lengths_ = false;
  if (rates_.empty()) find_rates(step.start);
  bool all_strain = true;
  bool no_strain = true;
  for (std::size_t g = 0; g < stiff_.size(); ++g) {
    const bool own = rates_[g] * std::abs(h_) > kStiff;
    stiff_[g] = means == Means::own ? own : means == Means::strain;
    (own ? no_strain : all_strain) = false;
    bodies_.has_torque[g] = stiff_[g] == 0 || !bodies_.groups[g].constraints.empty();
  }
  if ((means == Means::strain && all_strain) || (means == Means::path && no_strain)) return false;
  means_ = means;
  any_strain_ = false;
  only_strain_ = true;
  beside_ = !system_.dissipations().empty() || !system_.forces().empty();
  for (std::size_t k = 0; k < over_strain_.size(); ++k) {
    const Energy& energy = *system_.energies()[k];
    const std::vector<int>& bodies = bodies_of_[k];
    over_strain_[k] = Assembler::has_strain(energy) &&
                      (bodies.empty() || stiff_[static_cast<std::size_t>(bodies.front())] != 0);
    if (over_strain_[k] != 0) {
      any_strain_ = any_strain_ || !bodies.empty();
      continue;
    }
    only_strain_ = false;
    if (energy.stencils().size > 0) beside_ = true;
    for (const int body : bodies) bodies_.has_torque[static_cast<std::size_t>(body)] = 1;
  }
  crossings_ = 0;
  for (std::size_t g = 0; g < stiff_.size(); ++g) {
    if (stiff_[g] != 0) crossings_ = std::max(crossings_, rates_[g] * std::abs(h_));
  }
  bodies_.any_torque = std::ranges::find(bodies_.has_torque, 1) != bodies_.has_torque.end();
  assembler_.average_strain(over_strain_);
  bodies_.groups.find_symmetries(*x0_);
  clusters_.groups.find_symmetries(*x0_);
  return true;
}

double MomentumSolve::prescribed_work(const Vector& d, std::span<const Node> rule) {
  nodes_.clear();
  for (const Node& node : rule) nodes_.push_back({.theta = node.theta, .gradient = node.weight});
  const PathMeanWeights mean{.weight = 1};
  motion_.setZero();
  for (std::size_t k = 0; k < over_strain_.size(); ++k) {
    const Energy& energy = *system_.energies()[k];
    const EnergyMemory* memory = assembler_.world().memory_of(energy);
    if (over_strain_[k] != 0) {
      energy.abilities().discrete_gradient->discrete_gradient(
          {.x0 = x0_->data(), .d = d.data(), .gradient = motion_.data(), .memory = memory});
    } else {
      (void)energy.evaluate({.x0 = x0_->data(),
                             .d = d.data(),
                             .nodes = nodes_,
                             .want_value = false,
                             .gradient = motion_.data(),
                             .mean = &mean,
                             .memory = memory});
    }
  }
  return prescribed_product(system_, motion_, d);
}

void MomentumSolve::archive(Archive& a) { a(rates_); }

void MomentumSolve::find_gradients(const Step& step, MomentumEquation& equation, const Vector& z) {
  StepObjective& objective = equation.objective();
  nodes_.clear();
  PathMeanWeights mean;
  bodies_.gradient = objective.weighted_gradients();
  for (const Node& node : step.nodes) {
    const double weight = h_ * h_ * node.weight;
    nodes_.push_back({.theta = node.theta, .gradient = weight});
    mean.weight += weight;
    if (node.theta == 0) bodies_.gradient += weight * step.start_gradient;
  }
  const auto add = [&](const std::vector<std::size_t>& energies, Vector& sum) {
    sum.setZero();
    for (const std::size_t k : energies) {
      const Energy* energy = system_.energies()[k].get();
      if (over_strain_[k] != 0) {
        energy->abilities().discrete_gradient->discrete_gradient(
            {.x0 = x0_->data(),
             .d = d_.data(),
             .gradient_weight = mean.weight,
             .gradient = sum.data(),
             .memory = assembler_.world().memory_of(*energy)});
        continue;
      }
      (void)energy->evaluate({.x0 = x0_->data(),
                              .d = d_.data(),
                              .nodes = nodes_,
                              .want_value = false,
                              .gradient = sum.data(),
                              .mean = &mean,
                              .memory = assembler_.world().memory_of(*energy)});
    }
    bodies_.gradient -= sum;
  };
  if (!external_.empty()) add(external_, scratch_);
  if (clusters_.any_torque) add(contacts_, clusters_.gradient);
  for (Level* level : {&bodies_, &clusters_}) {
    if (level->dissipates) objective.add_dissipation_of(level->dissipations, d_, level->gradient);
  }
  equation.add_constraints(z, bodies_.gradient);
}

double MomentumSolve::find_left(const Step& step, MomentumEquation& equation, const Vector& z,
                                Vector& residual) {
  d_ = z.head(d_.size());
  if (bodies_.any_torque || clusters_.any_torque) find_gradients(step, equation, z);
  for (Level* level : {&bodies_, &clusters_}) {
    if (!level->any_torque) continue;
    find_force(d_, *level);
    residual.head(d_.size()) -= level->force;
  }
  return equation.norm(residual);
}

// Displacements as small as this are rounding errors: the numbers that forces are computed from are lengths within
// the bodies.
double MomentumSolve::rounding_of(const Vector& z) {
  if (!has_lengths_) {
    assembler_.lengths(*x0_, scratch_);
    lengths_ = size_of(system_, scratch_);
    has_lengths_ = true;
  }
  scratch_ = z.head(d_.size());
  return kRounding * (lengths_ + size_of(system_, scratch_));
}

// With AVF's matrix, or at last a new one that is kept as well: Anderson's mixing takes the directions of one and
// the same linear map. The residual may grow for a while.
StepStatus MomentumSolve::solve_soft(const Step& step, MomentumEquation& equation, Vector& z,
                                     Vector& residual, StepReport& report) {
  constexpr int kMost = 40;
  constexpr double kDiverged = 100;  // growth of the residual
  constexpr double kGoodEnough = 1e-11;
  const auto evaluate = [&] {
    const bool defined = equation.evaluate(z, residual);
    ++report.solver_work.evaluations;
    const double norm = find_left(step, equation, z, residual);
    return defined && std::isfinite(norm) ? norm : std::numeric_limits<double>::infinity();
  };
  const auto finish = [&](StepStatus status) {
    if (succeeded(status)) report.residual = std::max(report.residual, equation.velocity_error());
    return status;
  };
  double norm = evaluate();
  const double first = norm;
  double last = norm;
  double best = norm;
  double best_error = 1;
  double renewed_at = norm;
  best_ = z;
  bool renew = false;
  bool renewed = false;
  int known = 0;                                          // iterates with this matrix
  double size = std::numeric_limits<double>::infinity();  // of the last direction
  bool at_rounding = false;
  mixing_.forget();
  for (int k = 0; k < std::min(kMost, options_.newton.max_iterations); ++k) {
    if (options_.newton.stop_asked()) return StepStatus::stopped;
    const bool lost = !std::isfinite(norm) || norm > kDiverged * first;
    if (lost && renewed) break;
    if (!renewed && (lost || (known >= kMatrixLasts && norm > kFast * renewed_at))) {
      // The matrix may be to blame: once more from the best iterate, with its own.
      z = best_;
      norm = evaluate();
      renewed_at = norm;
      renew = renewed = true;
      known = 0;
      mixing_.forget();
    }
    const double defect = equation.defect(z, residual);
    if (!(defect > equation.target())) return finish(StepStatus::converged);
    if (norm <= best) {
      best = norm;
      best_error = equation.velocity_error();
      best_ = z;
      if (best_error <= kGoodEnough && known > 1 && norm > 0.5 * last) break;
    }
    // Of a body at rest there is nothing else to be found.
    at_rounding = size <= rounding_of(z) && norm > 0.5 * last;
    if (at_rounding) break;
    if (!equation.solve(z, residual,
                        {.renew = renew,
                         .accuracy = kSoftAccuracy,
                         .last = kSoftAccuracy * defect < kMayBeLast},
                        direction_, report.solver_work)) {
      if (renewed) break;
      known = kMatrixLasts;
      renewed_at = 0;
      continue;
    }
    renew = false;
    ++report.solver_work.iterations;
    scratch_ = direction_.head(d_.size());
    size = size_of(system_, scratch_);
    mixing_.advance(direction_, 1, z);
    ++known;
    last = norm;
    norm = evaluate();
  }
  if (!at_rounding && !(best_error <= kGoodEnough)) return StepStatus::not_converged;
  z = best_;
  (void)evaluate();
  if (!(equation.defect(z, residual) > 1)) return finish(StepStatus::converged);
  if (at_rounding && !(best_error <= kGoodEnough)) {
    scratch_ = d_ - h_ * step.start.v;
    if (!small_beside(system_, *x0_, size, size_of(system_, scratch_))) {
      return StepStatus::drowned_in_rounding;
    }
  }
  return finish(equation.closed() ? StepStatus::round_off : StepStatus::not_converged);
}

StepStatus MomentumSolve::solve(const Step& step, From from, MomentumEquation& equation, Vector& z,
                                Vector& residual, StepReport& report) {
  if (!any_strain_) return solve_soft(step, equation, z, residual, report);
  const bool balanced = from == From::rigid;
  bool fresh = balanced;  // a matrix for every direction
  mixing_.forget();
  double share = 1;
  double best = std::numeric_limits<double>::infinity();  // size of the smallest direction
  double best_error = best;                               // and as a relative velocity
  double halved = best;                                   // when it last was half of what it was
  int since = 0;                                          // directions after that
  double first = best;
  int setbacks = 0;
  int solves = 0;
  bool last = false;  // the point at hand is as good as it gets
  double velocity_error = std::numeric_limits<double>::infinity();
  if (balanced) {
    std::ranges::fill(stiffening_, 1.0);
    assembler_.renew_stress(*x0_, nullptr, nullptr, stiffening_);
  }
  const auto evaluate = [&] {
    if (balanced && renews_) {
      d_ = z.head(d_.size());
      (void)equation.objective().renew(step.start, d_, h_);
    }
    const bool defined = equation.evaluate(z, residual);
    ++report.solver_work.evaluations;
    const double norm = find_left(step, equation, z, residual);
    return defined && std::isfinite(norm);
  };
  const auto finish = [&](StepStatus status) {
    if (succeeded(status)) {
      report.residual =
          std::max(report.residual, std::min(velocity_error, equation.velocity_error()));
    }
    return status;
  };
  const auto go_back = [&] {
    share *= 0.5;
    if (share < kLeastShare || ++setbacks > kMostSetbacks) return false;
    z = best_ + share * best_direction_;
    mixing_.forget();
    return true;
  };
  const double accuracy = std::clamp(kBalancedAccuracy / crossings_, kLeastAccuracy, kMostAccuracy);
  const int most = std::min(kMostSolves, options_.newton.max_iterations);
  while (solves < most) {
    if (options_.newton.stop_asked()) return finish(StepStatus::stopped);
    if (!evaluate()) {
      if (std::isfinite(best)) {
        if (!go_back()) return finish(StepStatus::no_descent);
      } else {
        if (++setbacks > kMostSetbacks) return finish(StepStatus::non_finite);
        scratch_ = z.head(d_.size());
        scale_free(system_, 0.5, scratch_);
        z.head(d_.size()) = scratch_;
      }
      continue;
    }
    const double defect = equation.defect(z, residual);
    if (!(defect > 1)) return finish(StepStatus::converged);
    if (last && equation.closed()) {
      if (velocity_error <= options_.velocity_tolerance) return finish(StepStatus::converged);
      scratch_ = d_ - h_ * step.start.v;
      return finish(small_beside(system_, *x0_, best, size_of(system_, scratch_))
                        ? StepStatus::round_off
                        : StepStatus::drowned_in_rounding);
    }
    if (balanced) find_turns(d_);
    if (!equation.solve(z, residual,
                        {.renew = fresh,
                         .accuracy = balanced ? accuracy : 1e-3,
                         .last = !balanced,
                         .all_digits = crossings_ > kManyCrossings},
                        direction_, report.solver_work)) {
      return finish(StepStatus::not_definite);
    }
    ++solves;
    ++report.solver_work.iterations;
    if (balanced) {
      raw_ = direction_.head(d_.size());
      correct_rigidly(step, equation, d_, residual, direction_);
    }
    scratch_ = direction_.head(d_.size());
    const double size = size_of(system_, scratch_);
    const double kinetic = 0.5 * std::pow(size_of(system_, d_) / h_, 2);
    const double speed = std::sqrt(2 * std::max(step.scale, kinetic));
    velocity_error = 2 / std::abs(h_) * size / speed;
    if (!std::isfinite(size)) return finish(StepStatus::not_definite);
    const double floor = rounding_of(z);
    if (size < best) {
      best = size;
      best_error = velocity_error;
      best_ = z;
      best_direction_ = direction_;
    }
    ++since;
    if (best <= 0.5 * halved) {
      halved = best;
      since = 0;
    }
    if (velocity_error <= options_.velocity_tolerance || size <= floor) {
      last = true;
    } else if (since >= kPatience && best_error <= kMayBeRounding) {
      z = best_;
      velocity_error = best_error;
      last = true;
      continue;
    } else if (since >= kMostPatience) {
      return finish(StepStatus::not_converged);
    }
    // (What grows by so little may be rounding error.)
    if (size > kGrown * best && !last && best_error > kMayBeRounding) {
      if (!fresh) {
        // The matrix may be to blame: on from the best iterate, with its own.
        z = best_;
        fresh = true;
        mixing_.forget();
        best = halved = std::numeric_limits<double>::infinity();
        since = 0;
        d_ = z.head(d_.size());
        std::ranges::fill(stiffening_, 1.0);
        assembler_.renew_stress(*x0_, &d_, nullptr, stiffening_);
        continue;
      }
      if (!go_back()) return finish(StepStatus::no_descent);
      continue;
    }
    if (solves == 1) first = size;
    if (!fresh && solves >= kMatrixLasts && size > kFast * first) fresh = true;
    if (balanced) {
      assembler_.renew_stress(*x0_, &d_, &raw_, stiffening_);
    } else if (fresh) {
      assembler_.renew_stress(*x0_, &d_, nullptr, stiffening_);
    }
    mixing_.advance(direction_, share, z);
  }
  return finish(StepStatus::not_converged);
}

}  // namespace lilyan
