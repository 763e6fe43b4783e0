#include "lilyan/diagnose/invariants.hpp"

#include <gtest/gtest.h>

#include "support/body.hpp"

namespace lilyan::test {
namespace {

TEST(Invariants, TwoPointsByHand) {
  const System system({2, 3});
  State s{.x = Vector(6), .v = Vector(6)};
  s.x << 1, 0, 0, 0, 2, 1;
  s.v << 0, 3, 1, 1, 0, -1;
  const Invariants i = invariants(system, s);
  EXPECT_DOUBLE_EQ(i.kinetic, 0.5 * 2 * 10 + 0.5 * 3 * 2);
  EXPECT_EQ(i.linear_momentum, Vec3(3, 6, -1));
  // 2 (1,0,0)×(0,3,1) + 3 (0,2,1)×(1,0,−1) = 2 (0,−1,3) + 3 (−2,1,−2)
  EXPECT_EQ(i.angular_momentum, Vec3(-6, 1, 0));
  EXPECT_EQ(i.potential[0], 0);
  EXPECT_DOUBLE_EQ(i.total, i.kinetic);
}

TEST(Invariants, PotentialsAreBookedByKindAndAddUp) {
  const Body body({.mass = 2, .gravity = {0, -10, 0}});
  State s = body.at_rest();
  for (int i = 0; i < body.system.vertices(); ++i) {
    s.x[3 * i] *= 2;      // uniaxial stretch 2 of a volume of 2
    s.x[3 * i + 1] += 3;  // lifted by 3
  }
  s.v.setConstant(1);
  const Invariants i = invariants(body.system, s);
  EXPECT_NEAR(i.potential[static_cast<std::size_t>(EnergyKind::elastic)], 2 * 1.5 * 2.25, 1e-13);
  EXPECT_NEAR(i.potential[static_cast<std::size_t>(EnergyKind::gravity)], 2 * 10 * 3, 1e-13);
  EXPECT_NEAR(i.kinetic, 0.5 * 2 * 3, 1e-14);
  EXPECT_NEAR(i.total, 6.75 + 60 + 3, 1e-13);
  EXPECT_NEAR((i.linear_momentum - Vec3(2, 2, 2)).norm(), 0, 1e-14);
  // All at one velocity: L = M c×v with the centre of mass c = (0, 3, 0).
  EXPECT_NEAR((i.angular_momentum - Vec3(6, 0, -6)).norm(), 0, 1e-13);
}

TEST(Invariants, RigidSpin) {
  // A solid block about z: L = Σ m r² ω, K = ½ ω L.
  const Body body;
  State s = body.at_rest();
  double moment = 0;
  for (int i = 0; i < body.system.vertices(); ++i) {
    const Vec3 r = body.rest.segment<3>(3 * i);
    s.v.segment<3>(3 * i) = Vec3(0, 0, 2).cross(r);
    moment += body.system.vertex_masses()[i] * (r[0] * r[0] + r[1] * r[1]);
  }
  const Invariants i = invariants(body.system, s);
  EXPECT_NEAR(i.angular_momentum[2], 2 * moment, 1e-14);
  EXPECT_NEAR(i.kinetic, 2 * moment, 1e-14);
  EXPECT_NEAR(i.linear_momentum.norm(), 0, 1e-15);
}

}  // namespace
}  // namespace lilyan::test
