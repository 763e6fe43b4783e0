#include "lilyan/core/drift.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>

namespace lilyan {
namespace {

// A momentum below this share of what the motion could carry counts as zero at the start.
constexpr double kNegligibleMomentum = 1e-3;
// So does an energy below this share of its parts.
constexpr double kNegligibleEnergy = 1e-3;

// The share of a band that a line through it may rise by while it counts as flat. A wave of n periods has
// a line that rises by up to 0.95/n of its band.
constexpr double kFlat = 0.2;
constexpr double kFewest = 10;  // values, below which nobody can tell

// Sum of the gravity forces' sizes.
double total_weight(const System& system, const State& state) {
  constexpr std::array<WeightedNode, 1> kHere{{{.theta = 0, .gradient = 1}}};
  Vector force = Vector::Zero(state.x.size());
  for (const auto& energy : system.energies()) {
    if (energy->kind() != EnergyKind::gravity) continue;
    (void)energy->evaluate(
        {.x0 = state.x.data(), .nodes = kHere, .want_value = false, .gradient = force.data()});
  }
  return Eigen::Map<const Eigen::Matrix3Xd>(force.data(), 3, force.size() / 3)
      .colwise()
      .norm()
      .sum();
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
    if (energy->kind() == EnergyKind::elastic) {
      sum += energy->evaluate({.x0 = x.data(), .nodes = kHere});
    }
  }
  return std::abs(sum);
}

}  // namespace

void Trend::add(double t, double value) {
  if (count_ == 0) {
    first_ = t;
    low_ = high_ = value;
  }
  last_ = t;
  low_ = std::min(low_, value);
  high_ = std::max(high_, value);
  count_ += 1;
  const double before = t - mean_t_;
  mean_t_ += before / count_;
  mean_ += (value - mean_) / count_;
  squares_ += before * (t - mean_t_);
  products_ += before * (value - mean_);
}

double Trend::drift() const { return squares_ > 0 ? products_ / squares_ * (last_ - first_) : 0; }

bool Trend::bounded() const { return count_ >= kFewest && std::abs(drift()) <= kFlat * band(); }

std::string_view name(Kept kept) {
  return kept == Kept::conserved ? "conserved" : kept == Kept::bounded ? "bounded" : "drifts";
}

void Deviation::add(double t, double deviation) {
  now = std::abs(deviation);
  worst = larger(worst, now);
  trend.add(t, deviation);
}

Kept Deviation::kept() const {
  if (worst_relative() <= kConserved) return Kept::conserved;
  return worst_relative() <= kMostOfBounded && trend.bounded() ? Kept::bounded : Kept::drifts;
}

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

DriftTracker::DriftTracker(const System& system, const State& initial, const Invariants& start)
    : kept_(spin_invariant(system, initial.x)), start_(start) {
  const double potential = std::abs(start.of(EnergyKind::potential));
  if (system.dimension() != 3) {
    // Relative to the energy itself, unless that is nothing but the difference of its parts.
    const double parts = std::max(start.kinetic, potential);
    const double total = std::abs(start.total);
    energy_.scale = total > kNegligibleEnergy * parts ? total : parts;
    return;
  }
  double mass = 0;
  Vec3 center = Vec3::Zero();
  for (int i = 0; i < system.vertices(); ++i) {
    const double m = system.vertex_masses()[static_cast<std::size_t>(i)];
    mass += m;
    center += m * initial.x.segment<3>(3 * i);
  }
  if (mass > 0) center /= mass;
  double radius = 0;
  for (int i = 0; i < system.vertices(); ++i) {
    radius = std::max(radius, (initial.x.segment<3>(3 * i) - center).norm());
  }
  energy_.scale =
      std::max({start.kinetic, std::abs(start.of(EnergyKind::elastic)), potential,
                total_weight(system, initial) * radius, rest_energy(system, initial, center)});
  // The choice of the origin is free only where the linear momentum is an invariant too, or all of it that
  // matters.
  if (!system.translation_invariant() && kept_.about != SpinInvariant::About::direction) {
    radius += center.norm();
    center.setZero();
  }
  if (kept_.at_point()) {
    center = kept_.point;
    radius = 0;
    for (int i = 0; i < system.vertices(); ++i) {
      radius = std::max(radius, (initial.x.segment<3>(3 * i) - center).norm());
    }
  }
  const double linear = std::sqrt(2 * mass * energy_.scale);
  const double angular = linear * radius;
  center_ = center;
  spin_ = spin_of(start);
  const double p = start.linear_momentum.norm();
  const double l = spin_.norm();
  linear_.scale = p > kNegligibleMomentum * linear ? p : linear;
  angular_.scale = l > kNegligibleMomentum * angular ? l : angular;
}

void DriftTracker::add(double t, const Invariants& at, double work) {
  // A body set in motion by forces is compared with the energy they gave it.
  if (work != 0) energy_.scale = std::max({energy_.scale, std::abs(work), at.kinetic});
  energy_.add(t, at.total - start_.total - work);
  linear_.add(t, (at.linear_momentum - start_.linear_momentum).norm());
  angular_.add(t, (spin_of(at) - spin_).norm());
}

Vec3 DriftTracker::spin_of(const Invariants& at) const {
  const Vec3 all = at.angular_momentum - center_.cross(at.linear_momentum);
  return kept_.axis.isZero(0) ? all : Vec3(all.dot(kept_.axis) * kept_.axis);
}

}  // namespace lilyan
