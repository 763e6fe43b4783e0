// What MomentumSolve knows of rigid motions: how fast sound crosses a body, the rigid start of a step, forces against a
// torque, and the rigid correction of a direction.
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "lilyan/step/momentum_parts.hpp"
#include "lilyan/step/momentum_solve.hpp"

namespace lilyan {
namespace {

using momentum_parts::at;
using momentum_parts::half_turn;
using momentum_parts::internal;
using momentum_parts::kRounding;

constexpr double kNearlyRigid = 0.1;  // share of the rest of d in its turning part
constexpr double kLeastCosine = 0.3;
constexpr double kNoShape = 1e-12;  // ‖w‖ relative to ‖d‖: the step is rigid
constexpr double kSingular = 1e-10;

}  // namespace

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

}  // namespace lilyan
