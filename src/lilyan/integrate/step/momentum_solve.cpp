#include "lilyan/integrate/step/momentum_solve.hpp"

#include <Eigen/Geometry>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "lilyan/core/classes.hpp"
#include "lilyan/core/energy_discrete_gradient.hpp"
#include "lilyan/core/fixed.hpp"
#include "lilyan/core/share.hpp"

namespace lilyan {
namespace {

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
constexpr double kNearlyRigid = 0.1;     // share of the rest of d in its turning part
constexpr double kLeastCosine = 0.3;
constexpr double kNoShape = 1e-12;  // ‖w‖ relative to ‖d‖: the step is rigid
constexpr double kRounding = 4 * kEpsilon;
constexpr double kSingular = 1e-10;
constexpr double kSoftAccuracy = 1e-3;  // of iterative solutions
// Iterative solutions for stiff bodies give the balanced stress, whose errors act on the inertia as many times as
// sound crosses the body in a step. Beyond so many times the rounding of a matrix in single precision does, too.
constexpr double kBalancedAccuracy = 0.3;
constexpr double kLeastAccuracy = 1e-8;
constexpr double kMostAccuracy = 1e-2;
constexpr double kManyCrossings = 300;
constexpr double kMayBeLast = 100;

Vec3 at(const Vector& v, int vertex) { return v.segment<3>(3 * static_cast<Eigen::Index>(vertex)); }

bool internal(const Energy& energy) {
  return energy.translation_invariant() && energy.rotation_invariant();
}

// √(v·Mv)
double size_of(const System& system, const Vector& v) {
  return std::sqrt(parallel_sum_over(system, [&](int first, int last) {
    const auto part = [&](const Vector& u) { return u.segment(first, last - first).array(); };
    return (part(system.mass()) * part(v).square()).sum();
  }));
}

// The rotation that the displacement of a rigid step makes of its middle (of a whole turn by α the one by α/2).
Eigen::Matrix3d half_turn(const Vec3& spin) {
  const double length = spin.norm();
  if (length == 0) return Eigen::Matrix3d::Identity();
  return Eigen::AngleAxisd(std::atan(0.5 * length), spin / length).toRotationMatrix();
}

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

// Stretching a body along an axis, u = (x − x̄) along it, has the curvature u·Ku = (λ+2μ)V = ρc²V, and the inertia
// u·Mu = m x_rms²: the square root of their quotient is c over the body's length, but for a factor, whatever the
// energies and the mesh are. Taken along the longest axis of the three.
void MomentumSolve::find_rates(const State& start) {
  constexpr double kStretch = 1e-4;
  const double lengths =
      std::sqrt(12.0);  // the length of a bar by the root mean square of positions
  const std::size_t count = bodies_.groups.size();
  rates_.assign(count, 0);
  const auto position = [&](int i) -> Vec3 { return at(start.x, i); };
  const auto none = [](int) -> Vec3 { return Vec3::Zero(); };
  std::vector<Frame> frames(count);
  std::vector<double> longest(count, 0);
  for (std::size_t g = 0; g < count; ++g) {
    frames[g] = bodies_.groups.frame(bodies_.groups[g], position, none);
  }
  for (int axis = 0; axis < 3; ++axis) {
    motion_.setZero();
    std::vector<double> inertia(count, 0);
    for (std::size_t g = 0; g < count; ++g) {
      bodies_.groups.each(bodies_.groups[g], [&](int i, double m) {
        const double along = position(i)[axis] - frames[g].centre[axis];
        motion_[3 * Eigen::Index{i} + axis] = along;
        inertia[g] += m * along * along;
      });
      bodies_.groups.add_up({numbers(inertia[g])});
    }
    refresh(system_, motion_);
    image_.setZero();
    for (const double sign : {1.0, -1.0}) {
      scratch_ = start.x + (sign * kStretch) * motion_;
      d_.setZero();
      for (const auto& energy : system_.energies()) {
        if (!internal(*energy) || energy->changes_between_steps()) continue;
        constexpr WeightedNode kHere{.gradient = 1};
        (void)energy->evaluate({.x0 = scratch_.data(),
                                .nodes = {&kHere, 1},
                                .want_value = false,
                                .gradient = d_.data()});
      }
      image_ += (sign / (2 * kStretch)) * d_;
    }
    for (std::size_t g = 0; g < count; ++g) {
      double curvature = 0;
      bodies_.groups.each(bodies_.groups[g],
                          [&](int i, double) { curvature += at(motion_, i).dot(at(image_, i)); });
      bodies_.groups.add_up({numbers(curvature)});
      if (!(inertia[g] > longest[g])) continue;
      longest[g] = inertia[g];
      rates_[g] = std::sqrt(std::max(0.0, curvature) / inertia[g]) / lengths;
    }
  }
  // An energy takes one kind of mean in all the bodies that it has: that of the stiffest.
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::vector<int>& bodies : bodies_of_) {
      double most = 0;
      for (const int g : bodies) most = std::max(most, rates_[static_cast<std::size_t>(g)]);
      for (const int g : bodies) {
        changed = changed || rates_[static_cast<std::size_t>(g)] < most;
        rates_[static_cast<std::size_t>(g)] = most;
      }
    }
  }
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

bool MomentumSolve::predict(const Step& step, MomentumEquation& equation, Vector& z) {
  const Vector& v0 = step.start.v;
  const auto position = [&](int i) -> Vec3 { return at(*x0_, i); };
  const auto velocity = [&](int i) -> Vec3 { return at(v0, i); };
  const auto guess = [&](double going_on, Vector& to) {
    to = z;
    to.head(d_.size()) = h_ * v0;
    for (std::size_t g = 0; g < bodies_.groups.size(); ++g) {
      const Group& group = bodies_.groups[g];
      if (group.symmetry.turns() == Symmetry::Turns::none) continue;
      const Frame frame = bodies_.groups.frame(group, position, velocity);
      const Eigen::Matrix3d half = half_turn(h_ * frame.spin);
      const Eigen::Matrix3d turn = half * half;
      bodies_.groups.each(group, [&](int i, double) {
        const Vec3 r = position(i) - frame.centre;
        const Vec3 u = velocity(i) - frame.mean - frame.spin.cross(r);
        to.segment<3>(3 * i) = h_ * frame.mean + turn * (r + (going_on * h_) * u) - r;
      });
    }
    if (system_.share()) {
      scratch_ = to.head(d_.size());
      refresh(system_, scratch_);
      to.head(d_.size()) = scratch_;
    }
    const bool defined = equation.evaluate(to, direction_);
    const double norm = equation.norm(direction_);
    return defined && std::isfinite(norm) ? norm : std::numeric_limits<double>::infinity();
  };
  const double first = guess(1, start_);
  const double second = guess(0, other_);
  z = second < first ? other_ : start_;
  // Dissipation that depends on the step knows it from there.
  if (!system_.dissipations().empty()) {
    scratch_ = z.head(d_.size());
    (void)equation.objective().renew(step.start, scratch_, h_);
  }
  return std::isfinite(std::min(first, second));
}

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

// (4). A torque that may be rounding error has no force.
void MomentumSolve::find_force(const Vector& d, Level& level) const {
  const auto middle = [&](int i) -> Vec3 { return at(*x0_, i) + 0.5 * at(d, i); };
  const auto displacement = [&](int i) -> Vec3 { return at(d, i); };
  level.force.setZero();
  for (std::size_t g = 0; g < level.groups.size(); ++g) {
    const Group& group = level.groups[g];
    if (level.has_torque[g] == 0 || group.symmetry.turns() == Symmetry::Turns::none) continue;
    const Frame frame = level.groups.frame(group, middle, displacement);
    if (frame.rest <= kNoShape * kNoShape * frame.square) continue;
    Vec3 torque = Vec3::Zero();
    double terms = 0;
    level.groups.each(group, [&](int i, double) {
      const Vec3 r = middle(i) - frame.centre;
      const Vec3 force = at(level.gradient, i);
      torque += r.cross(force);
      terms += r.norm() * force.norm();
    });
    level.groups.add_up({numbers(torque), numbers(terms)});
    if (torque.norm() <= kRounding * terms) continue;
    const Vec3 omega = frame.inverse * torque;
    // (M (ω×r))·d is ω times the angular momentum of d, Θ ω_d; the directions in which Θ has no
    // inverse have no part in ω.
    const double c = omega.dot(frame.inertia * frame.spin) / frame.rest;
    level.groups.each(group, [&](int i, double m) {
      const Vec3 r = middle(i) - frame.centre;
      const Vec3 w = displacement(i) - frame.mean - frame.spin.cross(r);
      level.force.segment<3>(3 * i) = m * (omega.cross(r) - c * w);
    });
  }
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

void MomentumSolve::find_turns(const Vector& d) {
  const auto middle = [&](int i) -> Vec3 { return at(*x0_, i) + 0.5 * at(d, i); };
  const auto displacement = [&](int i) -> Vec3 { return at(d, i); };
  for (std::size_t g = 0; g < bodies_.groups.size(); ++g) {
    const Group& group = bodies_.groups[g];
    turns_[g].setIdentity();
    body_stiffening_[g] = 1;
    if (group.symmetry.turns() == Symmetry::Turns::none || bodies_.has_torque[g] != 0) continue;
    const Frame frame = bodies_.groups.frame(group, middle, displacement);
    const double turning = frame.square - frame.mass * frame.mean.squaredNorm();
    if (!(frame.rest <= kNearlyRigid * kNearlyRigid * turning)) continue;
    turns_[g] = half_turn(frame.spin);
    body_stiffening_[g] = 1 / std::max(kLeastCosine, 0.5 * (turns_[g].trace() - 1));
  }
  for (std::size_t k = 0; k < bodies_of_.size(); ++k) {
    stiffening_[k] = 1;
    for (const int body : bodies_of_[k]) {
      stiffening_[k] = std::max(stiffening_[k], body_stiffening_[static_cast<std::size_t>(body)]);
    }
  }
}

// image = J w, but for the elastic part.
void MomentumSolve::apply_inertia(const Vector& w, Vector& image) const {
  if (beside_) {
    const BlockPattern& pattern = assembler_.hessian_pattern();
    image.setZero();
    for (int c = 0; c < pattern.dofs(); ++c) {
      const int j = pattern.dof(c);
      for (int k = pattern.column_start()[c]; k < pattern.column_end(c); ++k) {
        const int i = pattern.dof(pattern.row()[k]);
        image[i] += beside_hessian_[k] * w[j];
        if (i != j) image[j] += beside_hessian_[k] * w[i];
      }
    }
  } else {
    image = system_.mass().cwiseProduct(w);
  }
  assembler_.add_geometric(w, 0.5 * h_ * h_, image);
}

void MomentumSolve::correct_rigidly(const Step& /*step*/, MomentumEquation& equation,
                                    const Vector& d, const Vector& left, Vector& direction) {
  const std::size_t count = bodies_.groups.size();
  const auto middle = [&](int i) -> Vec3 { return at(*x0_, i) + 0.5 * at(d, i); };
  const auto end = [&](int i) -> Vec3 { return at(*x0_, i) + at(d, i); };
  auto& middles = rigid_.middles;
  auto& ends = rigid_.ends;
  auto& turning = rigid_.turning;
  auto& missing = rigid_.missing;
  auto& matrix = rigid_.matrix;
  if (beside_) {
    beside_hessian_.resize(static_cast<std::size_t>(assembler_.hessian_pattern().storage()));
    equation.objective().hessian_beside_strain(d, bodies_.dissipations, beside_hessian_);
  }
  for (std::size_t g = 0; g < count; ++g) {
    const Group& group = bodies_.groups[g];
    const auto none = [](int) -> Vec3 { return Vec3::Zero(); };
    middles[g] = bodies_.groups.frame(group, middle, none);
    ends[g] = bodies_.groups.frame(group, end, none);
    switch (group.symmetry.turns()) {
      case Symmetry::Turns::none: turning[g].setZero(); break;
      case Symmetry::Turns::about_axis:
        turning[g] = group.symmetry.axis() * group.symmetry.axis().transpose();
        break;
      case Symmetry::Turns::all: turning[g].setIdentity(); break;
    }
    bodies_.groups.each(group, [&](int i, double) {
      direction.segment<3>(3 * i) = turns_[g] * Vec3(direction.segment<3>(3 * i));
    });
  }
  // Force and torque that a body's vertices have together, as far as they belong to rigid motions of it.
  const auto total = [&](std::size_t g, const Vector& v) {
    Vec3 force = Vec3::Zero();
    Vec3 torque = Vec3::Zero();
    bodies_.groups.each(bodies_.groups[g], [&](int i, double) {
      force += at(v, i);
      torque += (middle(i) - middles[g].centre).cross(at(v, i));
    });
    bodies_.groups.add_up({numbers(force), numbers(torque)});
    Vec6 result;
    result << bodies_.groups[g].symmetry.shifts() * force, turning[g] * torque;
    return result;
  };
  const auto add_motion = [&](std::size_t g, const Vec3& shift, const Vec3& spin, Vector& v) {
    bodies_.groups.each(bodies_.groups[g], [&](int i, double) {
      v.segment<3>(3 * i) += shift + spin.cross(end(i) - ends[g].centre);
    });
  };

  motion_ = direction.head(d_.size());
  refresh(system_, motion_);
  apply_inertia(motion_, image_);
  scratch_ = left.head(d_.size());
  for (std::size_t g = 0; g < count; ++g) missing[g] = -total(g, scratch_) - total(g, image_);
  for (int k = 0; k < 6; ++k) {
    Vec3 shift = Vec3::Zero();
    Vec3 spin = Vec3::Zero();
    (k < 3 ? shift : spin)[k % 3] = 1;
    motion_.setZero();
    for (std::size_t g = 0; g < count; ++g) {
      add_motion(g, bodies_.groups[g].symmetry.shifts() * shift, turning[g] * spin, motion_);
    }
    refresh(system_, motion_);
    apply_inertia(motion_, image_);
    for (std::size_t g = 0; g < count; ++g) matrix[g].col(k) = total(g, image_);
  }
  motion_.setZero();
  for (std::size_t g = 0; g < count; ++g) {
    // Rotations in units in which they move the vertices as far as translations do.
    const double inertia = ends[g].inertia.trace();
    const double radius = std::sqrt(inertia / ends[g].mass);
    Vec6 scale = Vec6::Ones();
    scale.tail<3>().setConstant(radius > 0 ? 1 / radius : 0.0);
    const Mat6 scaled = scale.asDiagonal() * matrix[g] * scale.asDiagonal();
    Eigen::CompleteOrthogonalDecomposition<Mat6> solver;
    solver.setThreshold(kSingular);
    solver.compute(scaled);
    const Vec6 a = scale.cwiseProduct(solver.solve(scale.cwiseProduct(missing[g])));
    if (!a.allFinite()) continue;
    add_motion(g, bodies_.groups[g].symmetry.shifts() * a.head<3>(), turning[g] * a.tail<3>(),
               motion_);
  }
  motion_ += direction.head(d_.size());
  refresh(system_, motion_);
  direction.head(d_.size()) = motion_;
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
