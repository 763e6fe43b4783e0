#include "lilyan/core/drift.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "lilyan/core/share.hpp"

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
// The share of its band by which a quantity comes back where it has turned.
constexpr double kTurn = 0.25;

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

void Swings::add(double value) {
  if (!begun_) {
    begun_ = true;
    low_ = high_ = extreme_ = value;
    return;
  }
  if (high_ == low_) rising_ = value > low_;
  low_ = std::min(low_, value);
  high_ = std::max(high_, value);
  const double band = high_ - low_;
  if (band > 2 * band_) {
    band_ = band;
    turns_ = 0;
  }
  const double further = rising_ ? value - extreme_ : extreme_ - value;
  if (further >= 0) {
    extreme_ = value;
  } else if (-further > kTurn * band) {
    turns_ += 1;
    rising_ = !rising_;
    extreme_ = value;
  }
}

std::string_view name(Kept kept) {
  switch (kept) {
    case Kept::conserved: return "conserved";
    case Kept::bounded: return "bounded";
    case Kept::undecided: return "undecided";
    case Kept::drifts: break;
  }
  return "drifts";
}

void Deviation::add(double t, double deviation) {
  now = std::abs(deviation);
  worst = larger(worst, now);
  trend.add(t, deviation);
}

Kept Deviation::kept() const {
  if (worst_relative() <= kConserved) return Kept::conserved;
  // As it is for a deviation that is not a number.
  if (!(worst_relative() <= kMostOfBounded)) return Kept::drifts;
  if (trend.bounded()) return Kept::bounded;
  const bool few = swings * kFlat < 1;
  const bool as_a_wave = swings * std::abs(trend.drift()) <= trend.band();
  return promised_bounded && few && as_a_wave ? Kept::undecided : Kept::drifts;
}

namespace {

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
    : kept_(spin_invariant(system, initial.x)), start_(start) {
  energy_.promised_bounded = promised_bounded;
  const double potential = std::abs(start.of(EnergyKind::potential));
  if (system.dimension() != 3) {
    // Relative to the energy itself, unless that is nothing but the difference of its parts.
    const double parts = std::max(start.kinetic, potential);
    const double total = std::abs(start.total);
    energy_.scale = total > kNegligibleEnergy * parts ? total : parts;
    return;
  }
  const auto sum_of = [&](const auto& term) {
    return sum_over(system, [&](int first, int last) {
      double sum = 0;
      for (int i = first / 3; i < last / 3; ++i) {
        sum += system.vertex_masses()[static_cast<std::size_t>(i)] * term(i);
      }
      return sum;
    });
  };
  const double mass = sum_of([](int) { return 1.0; });
  Vec3 center;
  for (int c = 0; c < 3; ++c) center[c] = sum_of([&](int i) { return initial.x[3 * i + c]; });
  if (mass > 0) center /= mass;
  double radius = radius_about(system, initial.x, center);
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
    radius = radius_about(system, initial.x, center);
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
  motion_.add(at.kinetic);
  energy_.swings = motion_.count();
  energy_.add(t, at.total - start_.total - work);
  linear_.add(t, (at.linear_momentum - start_.linear_momentum).norm());
  angular_.add(t, (spin_of(at) - spin_).norm());
}

Vec3 DriftTracker::spin_of(const Invariants& at) const {
  const Vec3 all = at.angular_momentum - center_.cross(at.linear_momentum);
  return kept_.axis.isZero(0) ? all : Vec3(all.dot(kept_.axis) * kept_.axis);
}

}  // namespace lilyan
