#include "lilyan/integrate/step/torque_correction.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "lilyan/core/classes.hpp"
#include "lilyan/core/share.hpp"
#include "lilyan/integrate/step/potential_cache.hpp"

namespace lilyan {
namespace {

constexpr int kMostSolves = 40;       // of the iteration for (1)
constexpr int kRenewAfter = 8;        // of them with one matrix, if they do not converge fast
constexpr double kFast = 1e-3;        // contraction that these are expected to reach
constexpr double kDiverged = 100;     // growth of the residual
constexpr double kStalled = 1e-10;    // relative velocity error that may be rounding
constexpr double kGoodEnough = 1e-9;  // one that the projection may take the rest of
constexpr double kMayBeLast = 100;
constexpr double kNoShape = 1e-12;  // ‖w‖ relative to ‖d‖: the step is rigid
constexpr double kWorthReporting = 1e-10;
constexpr double kRounding = 1e-13;
constexpr double kAccuracy = 1e-3;  // of iterative solutions
constexpr double kRegular = 1e-12;
// Bounds of s in (3).
constexpr double kLeastScale = 0.1;
constexpr double kMostScale = 10;

Vec3 at(const Vector& v, int vertex) { return v.segment<3>(3 * static_cast<Eigen::Index>(vertex)); }

bool internal(const Energy& energy) {
  return energy.translation_invariant() && energy.rotation_invariant();
}

// a·Mb
double dot(const System& system, const Vector& a, const Vector& b) {
  return parallel_sum_over(system, [&](int first, int last) {
    const auto part = [&](auto& v) { return v.segment(first, last - first).array(); };
    return (part(system.mass()) * part(a) * part(b)).sum();
  });
}

}  // namespace

bool FreeTorqueEquation::evaluate(const Vector& d, Vector& residual) {
  objective_.linearise(d);
  return std::isfinite(objective_.evaluate(d, residual));
}

TorqueCorrection::TorqueCorrection(const Assembler& assembler, int multipliers)
    : assembler_(assembler), system_(assembler.system()) {
  const World& world = assembler.world();
  std::vector<int> parent = separate_classes(system_.vertices());
  for (const auto& energy : system_.energies()) {
    if (!internal(*energy)) {
      external_.push_back(energy.get());
    } else if (energy->changes_between_steps()) {
      contacts_.push_back(energy.get());
    } else {
      connect(world.stencils(*energy), parent);
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
    (inside ? bodies_ : clusters_).dissipations[k] = 1;
    (inside ? bodies_ : clusters_).dissipates = true;
  }
  bodies_.groups = TorqueGroups(system_, parent);
  if (!contacts_.empty() || clusters_.dissipates) {
    for (const Energy* energy : contacts_) connect(world.stencils(*energy), parent);
    for (std::size_t k = 0; k < system_.dissipations().size(); ++k) {
      if (clusters_.dissipations[k] != 0) {
        connect(system_.dissipations()[k]->stencils(world.memory), parent);
      }
    }
    clusters_.groups = TorqueGroups(system_, parent);
  }

  const int n = system_.dofs();
  for (Vector* v : {&d_, &scratch_, &bodies_.gradient, &bodies_.force, &clusters_.gradient,
                    &clusters_.force, &carried_to_}) {
    v->setZero(n);
  }
  for (Vector* v :
       {&residual_, &left_, &minimiser_, &direction_, &last_z_, &last_direction_, &best_}) {
    v->setZero(n + multipliers);
  }
  for (auto* all : {&iterates_, &directions_}) {
    for (Vector& v : *all) v.setZero(n + multipliers);
  }
  carried_.assign(bodies_.groups.size(), Vec3::Zero());
  next_carried_ = carried_;
  nodes_.reserve(256);
}

void TorqueCorrection::find_gradients(const Step& step, TorqueEquation& equation, const Vector& z) {
  StepObjective& objective = equation.objective();
  d_ = z.head(d_.size());
  nodes_.clear();
  PathMeanWeights mean;
  bodies_.gradient = objective.weighted_gradients();
  for (const Node& node : step.nodes) {
    const double weight = h_ * h_ * node.weight;
    nodes_.push_back({.theta = node.theta, .gradient = weight});
    mean.weight += weight;
    if (node.theta == 0) bodies_.gradient += weight * step.start_gradient;
  }
  const auto add = [&](const std::vector<const Energy*>& energies, Vector& sum) {
    sum.setZero();
    for (const Energy* energy : energies) {
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
  if (!clusters_.groups.empty()) add(contacts_, clusters_.gradient);
  for (Level* level : {&bodies_, &clusters_}) {
    if (level->dissipates) objective.add_dissipation_of(level->dissipations, d_, level->gradient);
  }
  equation.add_constraints(z, bodies_.gradient);
}

// About the centre, with what the step before has left.
Vec3 TorqueCorrection::torque(const Level& level, std::size_t group, const Vector& d,
                              const Frame& frame) const {
  Vec3 sum = Vec3::Zero();
  level.groups.each(level.groups[group], [&](int i, double) {
    sum += (at(*x0_, i) + 0.5 * at(d, i) - frame.centre).cross(at(level.gradient, i));
  });
  level.groups.add_up({numbers(sum)});
  if (&level == &bodies_ && carries_) sum += 0.5 * h_ * carried_[group];
  return sum;
}

void TorqueCorrection::find_force(const Vector& d, Level& level) const {
  const auto middle = [&](int i) -> Vec3 { return at(*x0_, i) + 0.5 * at(d, i); };
  const auto displacement = [&](int i) -> Vec3 { return at(d, i); };
  level.force.setZero();
  for (std::size_t g = 0; g < level.groups.size(); ++g) {
    const Group& group = level.groups[g];
    if (group.symmetry.turns() == Symmetry::Turns::none) continue;
    const Frame frame = level.groups.frame(group, middle, displacement);
    if (frame.rest <= kNoShape * kNoShape * frame.square) continue;
    const Vec3 omega = frame.inverse * torque(level, g, d, frame);
    // (M (ω×r))·d is ω times the angular momentum of d, J ω_d; the directions in which J has no
    // inverse have no part in ω.
    const double c = omega.dot(frame.inertia * frame.spin) / frame.rest;
    level.groups.each(group, [&](int i, double m) {
      const Vec3 r = middle(i) - frame.centre;
      const Vec3 w = displacement(i) - frame.mean - frame.spin.cross(r);
      level.force.segment<3>(3 * i) = m * (omega.cross(r) - c * w);  // (2)
    });
  }
}

double TorqueCorrection::find_left(const Step& step, TorqueEquation& equation, const Vector& z,
                                   const Vector& residual) {
  find_gradients(step, equation, z);
  find_force(d_, bodies_);
  left_ = residual;
  left_.head(d_.size()) -= bodies_.force;
  if (!clusters_.groups.empty()) {
    find_force(d_, clusters_);
    left_.head(d_.size()) -= clusters_.force;
  }
  return equation.norm(left_);
}

double TorqueCorrection::slack(const SolverOptions& options) {
  constexpr double kCoarse = 1e-4;  // relative velocity error
  return std::max(1.0, kCoarse / std::max(options.velocity_tolerance, kEpsilon));
}

bool TorqueCorrection::correct(const Step& step, TorqueEquation& equation, Vector& z,
                               Vector& residual, StepReport& report) {
  x0_ = &step.start.x;
  h_ = step.h;
  bodies_.groups.find_symmetries(*x0_);
  clusters_.groups.find_symmetries(*x0_);
  const bool elsewhere = carried_to_.size() > 0 && !PotentialCache::same(carried_to_, *x0_);
  if (carries_ && anywhere(system_, elsewhere)) carries_ = false;
  minimiser_ = z;
  // Of a step that is solved several times only the last solve counts.
  report.spin = {.solves = report.spin.solves};
  const Outcome outcome = solve(step, equation, z, residual, report);
  if (outcome == Outcome::failed) {
    z = minimiser_;
    return false;
  }
  if (outcome == Outcome::nearly) report.status = StepStatus::round_off;
  ++report.spin.corrected;
  solved_ = true;
  d_ = z.head(d_.size());
  residual_ = residual;
  return true;
}

void TorqueCorrection::give_up(const Step& step, TorqueEquation& equation, const Vector& z,
                               const Vector& residual, StepReport& report) {
  find_left(step, equation, z, residual);
  bodies_.force.setZero();
  clusters_.force.setZero();
  report.residual = std::max(report.residual, equation.velocity_error());
  solved_ = false;
  d_ = z.head(d_.size());
  residual_ = residual;
}

TorqueCorrection::Outcome TorqueCorrection::solve(const Step& step, TorqueEquation& equation,
                                                  Vector& z, Vector& residual, StepReport& report) {
  const auto evaluate = [&] {
    const bool defined = equation.evaluate(z, residual);
    ++report.solver_work.evaluations;
    const double norm = find_left(step, equation, z, residual);
    return defined ? norm : std::numeric_limits<double>::infinity();
  };
  double norm = find_left(step, equation, z, residual);
  const double first = norm;
  double last = norm;
  double best = norm;
  double best_error = 1;
  double renewed_at = norm;
  best_ = z;
  bool renew = false;
  bool renewed = false;
  int known = 0;  // iterates with this matrix
  for (int k = 0; k < kMostSolves; ++k) {
    const bool lost = !std::isfinite(norm) || norm > kDiverged * first;
    if (lost && renewed) break;
    if (!renewed && (lost || (known >= kRenewAfter && norm > kFast * renewed_at))) {
      // The matrix may be to blame: once more from the best iterate, with its own.
      z = best_;
      norm = evaluate();
      renewed_at = norm;
      renew = renewed = true;
      known = 0;
    }
    const double defect = equation.defect(z, left_);
    if (!(defect > 1)) return Outcome::solved;
    if (norm <= best) {
      best = norm;
      best_error = equation.velocity_error();
      best_ = z;
      if (best_error <= kStalled && known > 1 && norm > 0.5 * last) break;
    }
    if (!equation.solve(
            z, left_,
            {.renew = renew, .accuracy = kAccuracy, .last = kAccuracy * defect < kMayBeLast},
            direction_, report.solver_work)) {
      if (renewed) break;
      known = kRenewAfter;
      renewed_at = 0;
      continue;
    }
    renew = false;
    ++report.spin.solves;
    mix(known++, z);
    last = norm;
    norm = evaluate();
  }
  if (!(best_error <= kGoodEnough)) return Outcome::failed;
  z = best_;
  (void)evaluate();
  (void)equation.defect(z, left_);
  return Outcome::nearly;
}

// The directions p at the last iterates are nearly linear in them: the combination of iterates whose
// directions cancel best, and its direction on top.
void TorqueCorrection::mix(int known, Vector& z) {
  if (known > 0) {
    const auto slot = static_cast<std::size_t>((known - 1) % kDepth);
    iterates_[slot] = z - last_z_;
    directions_[slot] = direction_ - last_direction_;
  }
  last_z_ = z;
  last_direction_ = direction_;
  z += direction_;
  const int count = std::min(known, kDepth);
  if (count == 0) return;
  using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kDepth, kDepth>;
  using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kDepth, 1>;
  Small gram(count, count);
  SmallVector right(count);
  for (int i = 0; i < count; ++i) {
    const Vector& a = directions_[static_cast<std::size_t>(i)];
    for (int j = 0; j <= i; ++j) {
      gram(i, j) = gram(j, i) = dot(system_, a, directions_[static_cast<std::size_t>(j)]);
    }
    right[i] = dot(system_, a, last_direction_);
  }
  // Each difference counts alike, and those that say the same share what they say.
  const SmallVector size = gram.diagonal().cwiseSqrt();
  for (int i = 0; i < count; ++i) {
    if (!(size[i] > 0)) return;
    right[i] /= size[i];
    for (int j = 0; j < count; ++j) gram(i, j) /= size[i] * size[j];
    gram(i, i) += kRegular;
  }
  const SmallVector share = Eigen::LDLT<Small>(gram).solve(right);
  for (int i = 0; i < count; ++i) {
    const double gamma = share[i] / size[i];
    const auto k = static_cast<std::size_t>(i);
    if (std::isfinite(gamma)) z -= gamma * (iterates_[k] + directions_[k]);
  }
}

double TorqueCorrection::project(const Vector& x1, Vector& v1, StepReport& report,
                                 std::span<const double> left_by_constraint) {
  projected_ = 0;
  will_carry_ = false;
  std::ranges::fill(next_carried_, Vec3::Zero());
  const double before = kinetic_energy(v1);
  const auto middle = [&](int i) -> Vec3 { return at(*x0_, i) + 0.5 * at(d_, i); };
  const auto displacement = [&](int i) -> Vec3 { return at(d_, i); };
  double largest = 0;
  double carried = 0;
  for (Level* level : {&bodies_, &clusters_}) {
    const bool bodies = level == &bodies_;
    for (std::size_t g = 0; g < level->groups.size(); ++g) {
      const Group& group = level->groups[g];
      if (group.symmetry.turns() == Symmetry::Turns::none) continue;
      const Frame frame = level->groups.frame(group, middle, displacement);
      // What the step gave and should not have given. Residuals are the bodies' affair.
      Due due;
      level->groups.each(group, [&](int i, double) {
        const Vec3 force =
            bodies ? Vec3(at(residual_, i) - at(clusters_.force, i)) : at(clusters_.force, i);
        due.angular += (middle(i) - frame.centre).cross(force);
        if (bodies) due.linear += force;
        if (bodies) due.energy += force.dot(at(d_, i));
      });
      level->groups.add_up({numbers(due.linear), numbers(due.angular), numbers(due.energy)});
      due.angular -= torque(*level, g, d_, frame);
      due.linear *= 2 / h_;
      due.angular *= 2 / h_;
      due.energy *= 2 / (h_ * h_);
      for (std::size_t k = 0; bodies && k < left_by_constraint.size(); ++k) {
        if (level->groups.of_constraint(k) == static_cast<int>(g)) {
          due.energy += left_by_constraint[k];
        }
      }
      if (!group.symmetry.shifts_everywhere()) due.linear = group.symmetry.shifts() * due.linear;
      due.angular -= 0.5 * frame.mean.cross(due.linear);  // the centre has moved on
      const Projection done = project_group(*level, group, due, x1, v1);
      largest = std::max(largest, done.size);
      // What is left of a step that was solved is rounding error.
      if (solved_ || done.share == 1) continue;
      if (bodies) next_carried_[g] = (done.share - 1) * due.angular;
      will_carry_ = will_carry_ || bodies;
      carried = std::max(carried, (1 - done.share) * done.whole);
    }
  }
  if (largest > kWorthReporting) {
    ++report.spin.projected;
    report.spin.largest_projection = std::max(report.spin.largest_projection, largest);
  }
  if (carried > kWorthReporting) {
    ++report.spin.carried;
    report.spin.largest_carry = std::max(report.spin.largest_carry, carried);
  }
  refresh(system_, v1);
  projected_ = kinetic_energy(v1) - before;
  return projected_;
}

// As much of the angular momentum that is due as the energy of the deformation can pay for.
TorqueCorrection::Projection TorqueCorrection::project_group(const Level& level, const Group& group,
                                                             const Due& due, const Vector& x1,
                                                             Vector& v1) const {
  const auto position = [&](int i) -> Vec3 { return at(x1, i); };
  const auto velocity = [&](int i) -> Vec3 { return at(v1, i); };
  const Frame frame = level.groups.frame(group, position, velocity);
  if (frame.square == 0) return {};
  Vec3 turn = -(frame.inverse * due.angular);
  const Vec3 push = -due.linear / frame.mass;
  // Twice the energies that are to be paid: for the linear part, and for a share of the angular part.
  const double fixed = 2 * due.energy + frame.mass * push.dot(2 * frame.mean + push);
  const double linear = 2 * turn.dot(frame.inertia * frame.spin);
  const double quadratic = turn.dot(frame.inertia * turn);
  const auto scale = [&](double share) {
    return 1 - (fixed + share * (linear + share * quadratic)) / frame.rest;  // s², by (3)
  };
  const auto fits = [&](double share) {
    return scale(share) >= kLeastScale * kLeastScale && scale(share) <= kMostScale * kMostScale;
  };
  Projection result{.whole = std::sqrt(quadratic / frame.square)};
  if (!(frame.rest > kNoShape * kNoShape * frame.square) || !fits(0)) {
    // Nothing to take it from; rounding errors are not worth it.
    if (result.whole > kRounding) result.share = 0;
    return result;
  }
  if (!fits(1)) {
    double most = 1;
    result.share = 0;
    for (int k = 0; k < 40; ++k) {
      const double middle = 0.5 * (result.share + most);
      (fits(middle) ? result.share : most) = middle;
    }
  }
  turn *= result.share;
  const double s = std::sqrt(scale(result.share));
  result.size =
      std::max(std::abs(s - 1) * std::sqrt(frame.rest / frame.square), result.share * result.whole);
  level.groups.each(group, [&](int i, double) {
    const Vec3 r = position(i) - frame.centre;
    const Vec3 w = velocity(i) - frame.mean - frame.spin.cross(r);
    v1.segment<3>(3 * i) += push + turn.cross(r) + (s - 1) * w;
  });
  return result;
}

double TorqueCorrection::kinetic_energy(const Vector& v) const { return 0.5 * dot(system_, v, v); }

void TorqueCorrection::commit(const Vector& x1) {
  carries_ = will_carry_;
  will_carry_ = false;
  if (!carries_) return;
  carried_.swap(next_carried_);
  carried_to_ = x1;
}

void TorqueCorrection::archive(Archive& a) {
  a(carries_, carried_);
  Archive::require(carried_.size() == bodies_.groups.size());
  if (system_.share()) {
    // Other numbers of processes may go on from here, with other vertices.
    if (a.loading()) carried_to_.resize(0);
    return;
  }
  a(carried_to_);
  Archive::require(carried_to_.size() == system_.dofs());
}

void TorqueCorrection::take_over(const TorqueCorrection& from) {
  if (from.carried_.size() != carried_.size()) return;
  carries_ = from.carries_;
  carried_ = from.carried_;
  carried_to_ = from.carried_to_;
}

}  // namespace lilyan
