#include "lilyan/conservation/drift.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "lilyan/model/sums.hpp"

namespace lilyan {
namespace {

// A momentum below this share of what the motion could carry counts as zero at the start.
constexpr double kNegligibleMomentum = 1e-3;

// The largest change that a part of a quantity has made to or from its value now.
double change(Course::Range& range, double now) {
  range.add(now, now);
  return std::max(now - range.low, range.high - now);
}

// Sum of the gravity forces' sizes.
double total_weight(const System& system, const State& state) {
  constexpr std::array<WeightedNode, 1> kHere{{{.theta = 0, .gradient = 1}}};
  Vector force = Vector::Zero(state.x.size());
  for (const auto& energy : system.energies()) {
    if (energy->kind() != EnergyKind::gravity) continue;
    (void)energy->evaluate(
        {.x0 = state.x.data(), .nodes = kHere, .want_value = false, .gradient = force.data()});
  }
  return sum_over(system, [&](int first, int last) {
    return Eigen::Map<const Eigen::Matrix3Xd>(force.data() + first, 3, (last - first) / 3)
        .colwise()
        .norm()
        .sum();
  });
}

// Elastic energy of a uniform strain of one in a million. A body at rest, whose own energies are
// nothing but rounding errors, is compared with it.
double rest_energy(const System& system, const State& state, const Vec3& center) {
  constexpr std::array<WeightedNode, 1> kHere{{{.theta = 0, .value = 1}}};
  Vector x = state.x;
  for (int i = 0; i < system.vertices(); ++i) {
    x.segment<3>(3 * i) += 1e-6 * (x.segment<3>(3 * i) - center);
  }
  double sum = 0;
  for (const auto& energy : system.energies()) {
    if (energy->kind() == EnergyKind::elastic && system.counts(*energy)) {
      sum += energy->evaluate({.x0 = x.data(), .nodes = kHere});
    }
  }
  return std::abs(total(system, sum));
}

// The largest distance of a vertex from a point.
double radius_about(const System& system, const Vector& x, const Vec3& center) {
  double radius = 0;
  for (int i = 0; i < system.vertices(); ++i) {
    radius = std::max(radius, (x.segment<3>(3 * i) - center).norm());
  }
  return largest(system, radius);
}

}  // namespace

SpinInvariant spin_invariant(const System& system, const Vector& x) {
  using About = SpinInvariant::About;
  if (system.rotation_invariant()) return {.about = About::any_point};
  const Symmetry symmetry = system.symmetry(x);
  switch (symmetry.turns()) {
    case Symmetry::Turns::none: break;
    case Symmetry::Turns::about_axis:
      return {.about = symmetry.pinned() ? About::axis : About::direction,
              .point = symmetry.point(),
              .axis = symmetry.axis()};
    case Symmetry::Turns::all: return {.about = About::point, .point = symmetry.point()};
  }
  return {};
}

const char* describe_spin(const SpinInvariant& spin) {
  switch (spin.about) {
    case SpinInvariant::About::point: return "angular momentum about the fixed point";
    case SpinInvariant::About::axis: return "angular momentum about the fixed axis";
    case SpinInvariant::About::direction: return "angular momentum about the free axis";
    default: return "angular momentum";
  }
}

DriftTracker::DriftTracker(const System& system, const State& initial, const Invariants& start,
                           bool promised_bounded)
    : system_(&system),
      kept_(spin_invariant(system, initial.x)),
      in_space_(system.dimension() == 3),
      start_(start) {
  energy_.promised_bounded = promised_bounded;
  if (!in_space_) {
    energy_.start = std::abs(start.total);
    slowest_.assign(initial.v.data(), initial.v.data() + initial.v.size());
    fastest_ = slowest_;
    add(initial, start);
    return;
  }
  const double mass = sum_by_mass(system, [](int) { return 1.0; });
  Vec3 center;
  for (int c = 0; c < 3; ++c) {
    center[c] = sum_by_mass(system, [&](int i) { return initial.x[3 * i + c]; });
  }
  if (mass > 0) center /= mass;
  double radius = radius_about(system, initial.x, center);
  energy_.exchanges(start.kinetic, 0, SizeOf::initial_kinetic);
  energy_.exchanges(std::abs(start.of(EnergyKind::elastic)), 0, SizeOf::initial_elastic);
  energy_.exchanges(std::abs(start.of(EnergyKind::contact)), 0, SizeOf::initial_contact);
  energy_.exchanges(total_weight(system, initial) * radius, 0, SizeOf::fall);
  // (Of a body that is deformed already it is little more than the elastic energy.)
  const double strained = rest_energy(system, initial, center);
  if (strained > 2 * energy_.exchange) energy_.exchanges(strained, 0, SizeOf::strain);
  mass_ = mass;
  arm_ = center.norm() + radius;
  // The choice of the origin is free only where the linear momentum is an invariant too, or all of it that
  // matters.
  if (!system.translation_invariant() && kept_.about != SpinInvariant::About::direction) {
    radius += center.norm();
    center.setZero();
  }
  if (kept_.at_point()) {
    center = kept_.point;
    radius = radius_about(system, initial.x, center);
  }
  const double energy = std::max(energy_.exchange, std::abs(start.of(EnergyKind::potential)));
  const double linear = std::sqrt(2 * mass * energy);
  const double angular = linear * radius;
  center_ = center;
  spin_ = spin_of(start);
  const auto compare = [](Deviation& momentum, double size, double most) {
    const bool much = size > kNegligibleMomentum * most;
    momentum.exchanges(much ? size : most, 0, much ? SizeOf::start : SizeOf::motion);
  };
  compare(linear_, start.linear_momentum.norm(), linear);
  compare(angular_, spin_.norm(), angular);
  add(initial, start);
}

namespace {

// Of a small system: v·∂L/∂v − L is the energy, and −L that at rest.
double kinetic_energy(const System& system, const State& state, const Vector& v) {
  const Lagrangian* lagrangian = system.lagrangian();
  if (!lagrangian) return 0.5 * system.mass().square(v);
  Vector momentum(v.size());
  const Vector rest = Vector::Zero(v.size());
  const double at_v =
      lagrangian->evaluate(state.t, state.x.data(), v.data(), {.v = momentum.data()});
  const double at_rest = lagrangian->evaluate(state.t, state.x.data(), rest.data(), {});
  return momentum.dot(v) - at_v + at_rest;
}

// Leaves of a motion the coordinates that nothing else feels: where masses depend on the position, an angle that
// turns on a circle keeps something from falling.
void leave_unfelt(const Lagrangian& lagrangian, const State& state, Vector& uniform) {
  Vector alone = Vector::Zero(uniform.size());
  Vector at_rest(uniform.size()), felt(uniform.size());
  lagrangian.evaluate(state.t, state.x.data(), alone.data(), {.q = at_rest.data()});
  for (Eigen::Index i = 0; i < uniform.size(); ++i) {
    if (uniform[i] == 0) continue;
    alone[i] = uniform[i];
    lagrangian.evaluate(state.t, state.x.data(), alone.data(), {.q = felt.data()});
    alone[i] = 0;
    if (felt != at_rest) uniform[i] = 0;
  }
}

}  // namespace

// The uniform motion of a small system: each coordinate's is in the middle of the velocities that it has had.
void DriftTracker::leave_out_uniform_motion(const State& state) {
  const Eigen::Index n = state.v.size();
  const Eigen::Map<const Vector> slowest(slowest_.data(), n);
  const Eigen::Map<const Vector> fastest(fastest_.data(), n);
  Vector uniform = 0.5 * (slowest + fastest);
  if (const Lagrangian* lagrangian = system_->lagrangian()) {
    leave_unfelt(*lagrangian, state, uniform);
  }
  const double rest = std::abs(kinetic_energy(*system_, state, state.v - uniform));
  energy_.exchanges(kPartOfKinetic * rest, kPartOfKinetic * grown_, SizeOf::part_of_kinetic);
  // A large velocity that changes a little is rounded in each step, and may be so in the same direction.
  for (Eigen::Index i = 0; i < n; ++i) {
    if (slowest[i] == fastest[i]) uniform[i] = 0;
  }
  carried_ = std::max(carried_, std::abs(kinetic_energy(*system_, state, uniform)));
}

// How large the energy's parts and terms are at this moment.
void DriftTracker::measure(const State& state, const Invariants& at, double deviation,
                           double work) {
  const double steps = energy_.course.count();
  double terms = std::abs(at.kinetic);
  for (const double e : at.potential) terms += std::abs(e);
  largest_terms_ = std::max(largest_terms_, terms);
  energy_.rounding = rounding_of(largest_terms_, steps) + rounded_ +
                     steps * std::numeric_limits<double>::epsilon() * carried_;
  // A body set in motion by forces is compared with the energy they gave it.
  if (work != 0) energy_.exchanges(std::abs(work), 0, SizeOf::work);
  grown_ = std::max(grown_, deviation);
  if (in_space_) {
    if (work != 0) energy_.exchanges(at.kinetic, grown_, SizeOf::kinetic);
    const double kinetic = change(kinetic_, at.kinetic);
    // A planet's potential has an arbitrary zero as well.
    if (const double e = at.of(EnergyKind::potential); e != 0) {
      energy_.exchanges(kinetic, grown_);
      energy_.exchanges(change(potential_, e), grown_);
    }
    const double linear = std::sqrt(2 * mass_ * std::max(kinetic_.high, 0.0));
    linear_.rounding = rounding_of(linear, steps);
    angular_.rounding = rounding_of(linear * arm_, steps);
    return;
  }
  energy_.exchanges(change(kinetic_, at.kinetic), grown_);
  energy_.exchanges(change(potential_, at.of(EnergyKind::potential)), grown_);
  for (std::size_t i = 0; i < slowest_.size(); ++i) {
    const double v = state.v[static_cast<Eigen::Index>(i)];
    slowest_[i] = std::min(slowest_[i], v);
    fastest_[i] = std::max(fastest_[i], v);
  }
  // In the first 64 moments, then in 32 of each twice as many.
  const auto seen = static_cast<unsigned long>(steps);
  if (seen >= 64 && seen % (std::bit_floor(seen) / 32) != 0) return;
  leave_out_uniform_motion(state);
}

void DriftTracker::add(const State& state, const Invariants& at, double work, double rounding) {
  rounded_ += rounding;
  const double t = state.t;
  const double deviation = at.total - start_.total - work;
  measure(state, at, deviation, work);
  energy_.add_motion(t, at.kinetic);
  energy_.add(t, deviation);
  linear_.add(t, (at.linear_momentum - start_.linear_momentum).norm());
  angular_.add(t, (spin_of(at) - spin_).norm());
}

Vec3 DriftTracker::spin_of(const Invariants& at) const {
  const Vec3 all = at.angular_momentum - center_.cross(at.linear_momentum);
  return kept_.axis.isZero(0) ? all : Vec3(all.dot(kept_.axis) * kept_.axis);
}

}  // namespace lilyan
