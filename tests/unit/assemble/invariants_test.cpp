#include "lilyan/assemble/invariants.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <random>
#include <vector>

#include "support/body.hpp"

namespace lilyan::test::invariants_test {
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

// Packs and what is left over beside them, for any number of vertices.
TEST(Invariants, OfAnyNumberOfVertices) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> u(-1, 1);
  for (int n = 1; n < 40; ++n) {
    std::vector<double> masses;
    for (int i = 0; i < n; ++i) masses.push_back(1.5 + u(random));
    const System system(masses);
    Vector x(3 * n), v(3 * n);
    for (double& e : x) e = u(random);
    for (double& e : v) e = u(random);
    double kinetic = 0;
    Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
    for (int i = 0; i < n; ++i) {
      const Vec3 q = x.segment<3>(3 * i);
      const Vec3 w = v.segment<3>(3 * i);
      const double m = masses[static_cast<std::size_t>(i)];
      kinetic += 0.5 * m * w.squaredNorm();
      linear += m * w;
      angular += m * q.cross(w);
    }
    const Invariants at = invariants(system, x, v, {1, 2, 3, 4});
    EXPECT_NEAR(at.kinetic, kinetic, 1e-14 * n);
    EXPECT_NEAR(at.total, kinetic + 10, 1e-14 * n);
    EXPECT_LE((at.linear_momentum - linear).norm(), 1e-14 * n);
    EXPECT_LE((at.angular_momentum - angular).norm(), 1e-14 * n);
  }
}

}  // namespace
}  // namespace lilyan::test::invariants_test
