// What a run keeps of energy and momenta.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <string>

#include "lilyan/control/make_integrator.hpp"
#include "lilyan/control/step_control.hpp"

namespace lilyan::test {

// Angular momentum of some of the vertices about a point.
inline Vec3 spin_about(const System& system, const State& s, const Vec3& point, int first,
                       int last) {
  Vec3 sum = Vec3::Zero();
  for (int i = first; i < last; ++i) {
    if (system.embedding().fixed(i)) continue;
    sum += system.vertex_masses()[static_cast<std::size_t>(i)] *
           (s.x.segment<3>(3 * i) - point).cross(s.v.segment<3>(3 * i));
  }
  return sum;
}
inline Vec3 spin_about(const System& system, const State& s, const Vec3& point) {
  return spin_about(system, s, point, 0, system.vertices());
}

struct RunKept {
  double energy = 0;  // all relative to their first values
  double linear = 0;
  double angular = 0;
  double imbalance = 0;
};

// Largest changes over a run; the energy less the work done and dissipated. A step that fails may be halved.
inline RunKept run_kept(const System& system, State& state, const Scheme& scheme, double h,
                        int steps, const Vec3& point = Vec3::Zero(),
                        const SolverOptions& options = {}, int halvings = 0) {
  const auto integrator = make_integrator(system, scheme, options);
  RunKept kept;
  const Vec3 spin = spin_about(system, state, point);
  Invariants first;
  double given = 0;
  for (int k = 0; k < steps; ++k) {
    const StepReport r = step_with_halving(*integrator, state, h, halvings);
    EXPECT_TRUE(succeeded(r.status)) << scheme.label << " step " << k << ": " << describe(r.status);
    if (!succeeded(r.status)) break;
    if (k == 0) first = r.before;
    given += r.ledger.work + r.ledger.dissipation;
    const double size = first.scale();
    const double p = std::sqrt(2 * size * system.mass().diagonal().sum() / 3);
    kept.energy = std::max(kept.energy, std::abs(r.after.total - first.total - given) / size);
    kept.linear =
        std::max(kept.linear, (r.after.linear_momentum - first.linear_momentum).norm() / p);
    kept.angular =
        std::max(kept.angular, (spin_about(system, state, point) - spin).norm() / spin.norm());
    kept.imbalance = std::max(kept.imbalance,
                              std::abs(r.after.total - r.before.total - r.ledger.total()) / size);
  }
  return kept;
}

inline void expect_kept(const RunKept& kept, const std::string& what) {
  EXPECT_LE(kept.energy, 1e-12) << what;
  EXPECT_LE(kept.linear, 1e-12) << what;
  EXPECT_LE(kept.angular, 1e-12) << what;
  EXPECT_LE(kept.imbalance, 1e-13) << what;
}

}  // namespace lilyan::test
