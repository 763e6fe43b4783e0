// What MomentumSolve knows of rigid motions: how fast sound crosses a body, the rigid start of a step, forces against a
// torque, and the rigid correction of a direction.
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "lilyan/model/energy_discrete_gradient.hpp"
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
  sound_.rates.assign(count, 0);
  const auto position = [&](int i) -> Vec3 { return at(start.x, i); };
  const auto none = [](int) -> Vec3 { return Vec3::Zero(); };
  std::vector<Frame> frames(count);
  std::vector<double> longest(count, 0);
  for (std::size_t g = 0; g < count; ++g) {
    frames[g] = bodies_.groups.frame(bodies_.groups[g], position, none);
  }
  for (int axis = 0; axis < 3; ++axis) {
    work_.motion.setZero();
    std::vector<double> inertia(count, 0);
    for (std::size_t g = 0; g < count; ++g) {
      bodies_.groups.each(bodies_.groups[g], [&](int i, double m) {
        const double along = position(i)[axis] - frames[g].centre[axis];
        work_.motion[3 * Eigen::Index{i} + axis] = along;
        inertia[g] += m * along * along;
      });
      bodies_.groups.add_up({numbers(inertia[g])});
    }
    refresh(system_, work_.motion);
    work_.image.setZero();
    for (const double sign : {1.0, -1.0}) {
      work_.scratch = start.x + (sign * kStretch) * work_.motion;
      work_.d.setZero();
      for (const auto& energy : system_.energies()) {
        if (!internal(*energy) || energy->changes_between_steps()) continue;
        constexpr WeightedNode kHere{.gradient = 1};
        (void)energy->evaluate({.x0 = work_.scratch.data(),
                                .nodes = {&kHere, 1},
                                .want_value = false,
                                .gradient = work_.d.data()});
      }
      work_.image += (sign / (2 * kStretch)) * work_.d;
    }
    for (std::size_t g = 0; g < count; ++g) {
      double curvature = 0;
      bodies_.groups.each(bodies_.groups[g], [&](int i, double) {
        curvature += at(work_.motion, i).dot(at(work_.image, i));
      });
      bodies_.groups.add_up({numbers(curvature)});
      if (!(inertia[g] > longest[g])) continue;
      longest[g] = inertia[g];
      sound_.rates[g] = std::sqrt(std::max(0.0, curvature) / inertia[g]) / lengths;
    }
  }
  share_rates();
}

// An energy takes one kind of mean in all the bodies that it has: that of the stiffest.
void MomentumSolve::share_rates() {
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::vector<int>& bodies : energies_.bodies_of) {
      double most = 0;
      for (const int g : bodies) most = std::max(most, sound_.rates[static_cast<std::size_t>(g)]);
      for (const int g : bodies) {
        changed = changed || sound_.rates[static_cast<std::size_t>(g)] < most;
        sound_.rates[static_cast<std::size_t>(g)] = most;
      }
    }
  }
}

bool MomentumSolve::predict(const Step& step, MomentumEquation& equation, Iterate& iterate) {
  const Vector& v0 = step.start.v;
  const auto position = [&](int i) -> Vec3 { return at(*here_.x0, i); };
  const auto velocity = [&](int i) -> Vec3 { return at(v0, i); };
  const auto guess = [&](double going_on, Iterate& start) {
    Vector& to = start.z;
    to = iterate.z;
    to.head(work_.d.size()) = here_.h * v0;
    for (std::size_t g = 0; g < bodies_.groups.size(); ++g) {
      const Group& group = bodies_.groups[g];
      if (group.symmetry.turns() == Symmetry::Turns::none) continue;
      const Frame frame = bodies_.groups.frame(group, position, velocity);
      const Eigen::Matrix3d half = half_turn(here_.h * frame.spin);
      const Eigen::Matrix3d turn = half * half;
      bodies_.groups.each(group, [&](int i, double) {
        const Vec3 r = position(i) - frame.centre;
        const Vec3 u = velocity(i) - frame.mean - frame.spin.cross(r);
        to.segment<3>(3 * i) = here_.h * frame.mean + turn * (r + (going_on * here_.h) * u) - r;
      });
    }
    if (system_.share()) {
      work_.scratch = to.head(work_.d.size());
      refresh(system_, work_.scratch);
      to.head(work_.d.size()) = work_.scratch;
    }
    const bool defined = equation.evaluate(start);
    const double norm = equation.norm(start.residual);
    return defined && std::isfinite(norm) ? norm : std::numeric_limits<double>::infinity();
  };
  const double first = guess(1, work_.start);
  const double second = guess(0, work_.other);
  iterate.z = second < first ? work_.other.z : work_.start.z;
  // Dissipation that depends on the step knows it from there.
  if (!system_.dissipations().empty()) {
    work_.scratch = iterate.z.head(work_.d.size());
    (void)equation.stage().workspace().renew(step.start, work_.scratch, here_.h);
  }
  return std::isfinite(std::min(first, second));
}

// (4). A torque that may be rounding error has no force.
void MomentumSolve::find_force(const Vector& d, Level& level) const {
  const auto middle = [&](int i) -> Vec3 { return at(*here_.x0, i) + 0.5 * at(d, i); };
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
  const auto middle = [&](int i) -> Vec3 { return at(*here_.x0, i) + 0.5 * at(d, i); };
  const auto displacement = [&](int i) -> Vec3 { return at(d, i); };
  for (std::size_t g = 0; g < bodies_.groups.size(); ++g) {
    const Group& group = bodies_.groups[g];
    rigid_.turns[g].setIdentity();
    rigid_.stiffening[g] = 1;
    if (group.symmetry.turns() == Symmetry::Turns::none || bodies_.has_torque[g] != 0) continue;
    const Frame frame = bodies_.groups.frame(group, middle, displacement);
    const double turning = frame.square - frame.mass * frame.mean.squaredNorm();
    if (!(frame.rest <= kNearlyRigid * kNearlyRigid * turning)) continue;
    rigid_.turns[g] = half_turn(frame.spin);
    rigid_.stiffening[g] = 1 / std::max(kLeastCosine, 0.5 * (rigid_.turns[g].trace() - 1));
  }
  for (std::size_t k = 0; k < energies_.bodies_of.size(); ++k) {
    energies_.stiffening[k] = 1;
    for (const int body : energies_.bodies_of[k]) {
      energies_.stiffening[k] =
          std::max(energies_.stiffening[k], rigid_.stiffening[static_cast<std::size_t>(body)]);
    }
  }
}

// image = J w, but for the elastic part and what goes with it.
void MomentumSolve::apply_inertia(const Vector& w, Vector& image) const {
  if (energies_.beside) {
    const BlockPattern& pattern = assembler_.hessian_pattern();
    image.setZero();
    for (int c = 0; c < pattern.dofs(); ++c) {
      const int j = pattern.dof(c);
      for (int k = pattern.column_start()[c]; k < pattern.column_end(c); ++k) {
        const int i = pattern.dof(pattern.row()[k]);
        image[i] += work_.beside[k] * w[j];
        if (i != j) image[j] += work_.beside[k] * w[i];
      }
    }
  } else {
    system_.mass().apply(w, image);
  }
}

// n: what is left at d, without forces that have no torque about the middle of the step.
void MomentumSolve::find_turning_forces(const MomentumEquation& equation, const Vector& d,
                                        const Iterate& at) {
  Vector& without = work_.scratch;
  without.setZero();
  for (std::size_t k = 0; k < energies_.over_strain.size(); ++k) {
    if (energies_.over_strain[k] == 0 || energies_.bodies_of[k].empty()) continue;
    const Energy& energy = *system_.energies()[k];
    energy.abilities().discrete_gradient->discrete_gradient(
        {.x0 = here_.x0->data(),
         .d = d.data(),
         .gradient_weight = 0.5 * here_.h * here_.h,
         .gradient = without.data(),
         .memory = assembler_.world().memory_of(energy)});
  }
  if (renews_) equation.stage().add_dissipation_of(bodies_.dissipations, d, without);
  rigid_.forces = at.residual.head(d.size()) - without;
}

// Where bodies are in the middle and at the end of a step by d, and which turns they are free to make.
void MomentumSolve::find_frames(const Vector& d) {
  const auto middle = [&](int i) -> Vec3 { return at(*here_.x0, i) + 0.5 * at(d, i); };
  const auto end = [&](int i) -> Vec3 { return at(*here_.x0, i) + at(d, i); };
  const auto none = [](int) -> Vec3 { return Vec3::Zero(); };
  for (std::size_t g = 0; g < bodies_.groups.size(); ++g) {
    const Group& group = bodies_.groups[g];
    rigid_.middles[g] = bodies_.groups.frame(group, middle, none);
    rigid_.ends[g] = bodies_.groups.frame(group, end, none);
    Eigen::Matrix3d& turning = rigid_.turning[g];
    switch (group.symmetry.turns()) {
      case Symmetry::Turns::none: turning.setZero(); break;
      case Symmetry::Turns::about_axis:
        turning = group.symmetry.axis() * group.symmetry.axis().transpose();
        break;
      case Symmetry::Turns::all: turning.setIdentity(); break;
    }
  }
}

// Force and torque that a body's vertices have together in a step by d, as far as they belong to rigid motions of
// it, and where they are displaced by `moved` from there, what becomes of the torque of n.
MomentumSolve::Vec6 MomentumSolve::total_of(std::size_t body, const Vector& d, const Vector& forces,
                                            const Vector* moved) const {
  const Group& group = bodies_.groups[body];
  Vec3 force = Vec3::Zero();
  Vec3 torque = Vec3::Zero();
  bodies_.groups.each(group, [&](int i, double) {
    const Vec3 middle = at(*here_.x0, i) + 0.5 * at(d, i);
    force += at(forces, i);
    torque += (middle - rigid_.middles[body].centre).cross(at(forces, i));
    if (moved) torque += 0.5 * at(*moved, i).cross(at(rigid_.forces, i));
  });
  bodies_.groups.add_up({numbers(force), numbers(torque)});
  Vec6 result;
  result << group.symmetry.shifts() * force, rigid_.turning[body] * torque;
  return result;
}

// motion += a rigid motion of a body, as far as it is free to make it, at the end of a step by d.
void MomentumSolve::add_motion(std::size_t body, const Vector& d, const Vec6& rates,
                               Vector& motion) const {
  const Group& group = bodies_.groups[body];
  const Vec3 shift = group.symmetry.shifts() * rates.head<3>();
  const Vec3 spin = rigid_.turning[body] * rates.tail<3>();
  bodies_.groups.each(group, [&](int i, double) {
    const Vec3 end = at(*here_.x0, i) + at(d, i);
    motion.segment<3>(3 * i) += shift + spin.cross(end - rigid_.ends[body].centre);
  });
}

void MomentumSolve::correct_rigidly(const MomentumEquation& equation, const Vector& d,
                                    const Iterate& here, Vector& direction) {
  const std::size_t count = bodies_.groups.size();
  if (energies_.beside) {
    work_.beside.resize(static_cast<std::size_t>(assembler_.hessian_pattern().storage()));
    equation.stage().hessian_beside_strain(equation.forces(), d, bodies_.dissipations,
                                           work_.beside);
  }
  find_frames(d);
  find_turning_forces(equation, d, here);
  for (std::size_t g = 0; g < count; ++g) {
    bodies_.groups.each(bodies_.groups[g], [&](int i, double) {
      direction.segment<3>(3 * i) = rigid_.turns[g] * Vec3(direction.segment<3>(3 * i));
    });
  }
  work_.motion = direction.head(work_.d.size());
  refresh(system_, work_.motion);
  apply_inertia(work_.motion, work_.image);
  work_.scratch = here.residual.head(work_.d.size());
  for (std::size_t g = 0; g < count; ++g) {
    rigid_.missing[g] =
        -total_of(g, d, work_.scratch, nullptr) - total_of(g, d, work_.image, &work_.motion);
  }
  for (int k = 0; k < 6; ++k) {
    work_.motion.setZero();
    for (std::size_t g = 0; g < count; ++g) add_motion(g, d, Vec6::Unit(k), work_.motion);
    refresh(system_, work_.motion);
    apply_inertia(work_.motion, work_.image);
    for (std::size_t g = 0; g < count; ++g) {
      rigid_.matrix[g].col(k) = total_of(g, d, work_.image, &work_.motion);
    }
  }
  work_.motion.setZero();
  for (std::size_t g = 0; g < count; ++g) {
    // Rotations in units in which they move the vertices as far as translations do.
    const Frame& end = rigid_.ends[g];
    const double radius = std::sqrt(end.inertia.trace() / end.mass);
    Vec6 scale = Vec6::Ones();
    scale.tail<3>().setConstant(radius > 0 ? 1 / radius : 0.0);
    const Mat6 scaled = scale.asDiagonal() * rigid_.matrix[g] * scale.asDiagonal();
    Eigen::CompleteOrthogonalDecomposition<Mat6> solver;
    solver.setThreshold(kSingular);
    solver.compute(scaled);
    const Vec6 a = scale.cwiseProduct(solver.solve(scale.cwiseProduct(rigid_.missing[g])));
    if (a.allFinite()) add_motion(g, d, a, work_.motion);
  }
  work_.motion += direction.head(work_.d.size());
  refresh(system_, work_.motion);
  direction.head(work_.d.size()) = work_.motion;
}

}  // namespace lilyan
