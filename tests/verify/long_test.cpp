// Kharevych et al. 2006, figure 2: an elastic rod of 160 tets over 2 million steps of HP(0).
#include <gtest/gtest.h>

#include <array>

#include "lilyan/control/make_integrator.hpp"
#include "lilyan/verify/measure.hpp"
#include "support/body.hpp"

namespace lilyan::test::long_test {
namespace {

// 8×2×2 cubes of five tets each, alternately mirrored so that diagonals of shared faces agree:
// exactly 160.
TetMesh five_tet_rod() {
  TetMesh mesh = block({4, 1, 1}, {8, 2, 2});
  mesh.tets.clear();
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 2; ++j) {
      for (int k = 0; k < 2; ++k) {
        const bool mirrored = (i + j + k) % 2 != 0;
        const auto corner = [&](int a, int b, int c) {
          return ((i + (mirrored ? 1 - a : a)) * 3 + j + b) * 3 + k + c;
        };
        const std::array<int, 4> even = {corner(0, 0, 0), corner(1, 1, 0), corner(1, 0, 1),
                                         corner(0, 1, 1)};
        mesh.tets.push_back(even);
        mesh.tets.push_back({corner(1, 0, 0), even[0], even[1], even[2]});
        mesh.tets.push_back({corner(0, 1, 0), even[0], even[1], even[3]});
        mesh.tets.push_back({corner(0, 0, 1), even[0], even[2], even[3]});
        mesh.tets.push_back({corner(1, 1, 1), even[1], even[2], even[3]});
      }
    }
  }
  return mesh;
}

TEST(LongRun, TwoMillionStepsOfSymplecticEulerKeepEnergyAndMomenta) {
  constexpr int kSteps = 2'000'000;
  constexpr double h = 0.004;
  const Body body(five_tet_rod(), {.mu = 1, .lambda = 1, .mass = 4});
  ASSERT_EQ(body.mesh.tets.size(), 160U);
  // A slow drift only: thousands of lengths away, positions would be known to fewer digits and the
  // angular momentum about the origin with them.
  State state = body.moving(1.25, 0.5, 1e-2);
  const auto integrator = make_integrator(body.system, make_scheme("symplectic-euler-b"), {});

  std::vector<double> t, H;
  Invariants first;
  double linear = 0, angular = 0, most_elastic = 0, least_elastic = 1e9;
  for (int k = 0; k < kSteps; ++k) {
    const StepReport r = integrator->step(state, h);
    ASSERT_TRUE(succeeded(r.status));
    if (k == 0) first = r.before;
    if (k % 100 != 0) continue;
    t.push_back(state.t);
    H.push_back(r.after.total / first.total);
    linear = std::max(linear, (r.after.linear_momentum - first.linear_momentum).norm());
    angular = std::max(angular, (r.after.angular_momentum - first.angular_momentum).norm());
    most_elastic = std::max(most_elastic, r.after.potential[0]);
    least_elastic = std::min(least_elastic, r.after.potential[0]);
  }
  linear /= first.linear_momentum.norm();
  angular /= first.angular_momentum.norm();
  const Fit line = fit(t, H);
  const double drift = line.slope * state.t;
  std::printf(
      "    t = %.0f: drift %+.1e, band %.1e, linear %.1e, angular %.1e, elastic %.3f..%.3f "
      "of %.3f\n",
      state.t, drift, line.band, linear, angular, least_elastic, most_elastic, first.total);
  EXPECT_NEAR(state.t, 8000, 1e-6);
  // The motion is a strong vibration, not a rigid spin.
  EXPECT_GT(most_elastic - least_elastic, 0.05 * first.total);
  EXPECT_LE(line.band, 0.005);
  EXPECT_LE(std::abs(drift), 0.02 * line.band);
  EXPECT_LE(linear, 1e-11);
  EXPECT_LE(angular, 1e-11);
}

}  // namespace
}  // namespace lilyan::test::long_test
