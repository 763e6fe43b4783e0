// Conservation with every material of the registry: AVF's energy with as many points as each step
// needs, or with the number the registry calls exact; energy and angular momentum of the
// energy–momentum method.
#include <gtest/gtest.h>

#include "lilyan/assemble/invariants.hpp"
#include "lilyan/control/make_integrator.hpp"
#include "lilyan/step/capabilities.hpp"
#include "lilyan/verify/measure.hpp"
#include "support/body.hpp"
#include "support/schemes.hpp"
#include "support/unit_tet.hpp"

namespace lilyan::test::material_test {
namespace {

class MaterialMotion : public ::testing::TestWithParam<std::string> {
 protected:
  const MaterialInfo& info = *find_material(GetParam());
  const Body body{{.cells = {3, 1, 1}, .material = GetParam(), .mu = 10, .lambda = 10}};
};

// Pressed to half its length and let go, spinning.
TEST_P(MaterialMotion, AutomaticAvfKeepsTheEnergy) {
  const Scheme scheme = make_scheme("avf", {{"quadrature", "auto"}});
  const EnergyMotion r = energy_motion(body.system, body.moving(0.5, 3), scheme, 1.0 / 30, 60);
  std::printf("    %s: %.1e\n", GetParam().c_str(), r.worst);
  EXPECT_TRUE(r.completed);
  EXPECT_LE(r.worst, 1e-10);
}

// Thrown together at steps so long that every power of the displacement shows.
TEST_P(MaterialMotion, AvfIsExactWithTheStatedPointsAndNotWithFewer) {
  const int points = exact_points(info);
  if (points == 0) GTEST_SKIP() << "not a polynomial";
  const auto worst = [&](int n) {
    const Scheme scheme = make_scheme("avf", {{"points", static_cast<double>(n)}});
    const EnergyMotion r = energy_motion(body.system, body.moving(0.3, 8), scheme, 0.1, 30);
    EXPECT_TRUE(r.completed) << n;
    std::printf("    %s, %d points: %.1e\n", GetParam().c_str(), n, r.worst);
    return r.worst;
  };
  EXPECT_LE(worst(points), 1e-12);
  EXPECT_GE(worst(points - 1), 1e-8);
}

TEST_P(MaterialMotion, EnergyMomentumKeepsEnergyAndMomenta) {
  const auto integrator = make_integrator(body.system, make_scheme("energy-momentum"), {});
  State state = body.moving(1.4, 3);
  const Invariants first = invariants(body.system, state);
  double energy = 0, angular = 0, least = 1e300, most = 0;
  for (int k = 0; k < 50; ++k) {
    const StepReport r = integrator->step(state, 1.0 / 30);
    ASSERT_TRUE(succeeded(r.status)) << k << ": " << describe(r.status);
    energy = std::max(energy, std::abs(r.after.total / first.total - 1));
    angular = std::max(angular, (r.after.angular_momentum - first.angular_momentum).norm() /
                                    first.angular_momentum.norm());
    least = std::min(least, r.after.of(EnergyKind::elastic));
    most = std::max(most, r.after.of(EnergyKind::elastic));
  }
  std::printf("    %s: energy %.1e, angular momentum %.1e\n", GetParam().c_str(), energy, angular);
  EXPECT_LE(energy, 1e-11);
  EXPECT_LE(angular, 1e-11);
  EXPECT_GE(most - least, 0.05 * first.total) << "a rigid spin proves little";
}

// The same for a body on the other side of flatness: mirrored, and on its way back.
TEST_P(MaterialMotion, EnergyMomentumKeepsThemForInvertedElements) {
  if (!info.inverts) GTEST_SKIP() << "does not invert";
  const auto integrator = make_integrator(body.system, make_scheme("energy-momentum"), {});
  State state = body.moving(-0.5, 3);
  const Invariants first = invariants(body.system, state);
  double energy = 0, angular = 0;
  for (int k = 0; k < 10; ++k) {
    const StepReport r = integrator->step(state, 0.002);
    ASSERT_TRUE(succeeded(r.status)) << k << ": " << describe(r.status);
    energy = std::max(energy, std::abs(r.after.total / first.total - 1));
    angular = std::max(angular, (r.after.angular_momentum - first.angular_momentum).norm() /
                                    first.angular_momentum.norm());
    for (const auto& t : body.mesh.tets) {
      ASSERT_LT(orientation(state.x, t) * orientation(body.rest, t), 0) << "nothing to see";
    }
  }
  std::printf("    %s: energy %.1e, angular momentum %.1e\n", GetParam().c_str(), energy, angular);
  EXPECT_LE(energy, 1e-11);
  EXPECT_LE(angular, 1e-11);
}

INSTANTIATE_TEST_SUITE_P(Verify, MaterialMotion, ::testing::ValuesIn(material_names()),
                         material_test_name);

}  // namespace
}  // namespace lilyan::test::material_test
