#include "lilyan/diagnose/drift.hpp"

#include <algorithm>
#include <cmath>

namespace lilyan {
namespace {

// A momentum below this share of what the motion could carry counts as zero at the start.
constexpr double kNegligible = 1e-3;

void update(Deviation& deviation, double now) {
  deviation.now = now;
  deviation.worst = std::max(deviation.worst, now);
}

}  // namespace

DriftTracker::DriftTracker(const System& system, const State& initial, const Invariants& start)
    : start_(start) {
  Vec3 center = Vec3::Zero();
  for (int i = 0; i < system.vertices(); ++i) {
    const double m = system.vertex_masses()[static_cast<std::size_t>(i)];
    mass_ += m;
    center += m * initial.x.segment<3>(3 * i);
  }
  if (mass_ > 0) center /= mass_;
  for (int i = 0; i < system.vertices(); ++i) {
    radius_ = std::max(radius_, (initial.x.segment<3>(3 * i) - center).norm());
  }
  const double elastic = start.potential[static_cast<std::size_t>(EnergyKind::elastic)];
  const double scale = std::max({std::abs(start.total), start.kinetic, std::abs(elastic)});
  started_at_rest_ = scale == 0;
  set_scales(scale);
}

void DriftTracker::set_scales(double energy_scale) {
  energy_.scale = energy_scale;
  const double linear = std::sqrt(2 * mass_ * energy_scale);
  const double angular = linear * radius_;
  const double p = start_.linear_momentum.norm();
  const double l = start_.angular_momentum.norm();
  linear_.scale = p > kNegligible * linear ? p : linear;
  angular_.scale = l > kNegligible * angular ? l : angular;
}

void DriftTracker::add(const Invariants& at) {
  if (started_at_rest_ && at.kinetic > energy_.scale) set_scales(at.kinetic);
  update(energy_, std::abs(at.total - start_.total));
  update(linear_, (at.linear_momentum - start_.linear_momentum).norm());
  update(angular_, (at.angular_momentum - start_.angular_momentum).norm());
}

}  // namespace lilyan
