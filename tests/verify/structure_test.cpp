// Symplecticity, symmetry and momenta of every scheme, in both directions: what is claimed holds to
// rounding, and what is not claimed is clearly absent.
#include <gtest/gtest.h>

#include "lilyan/diagnose/invariants.hpp"
#include "lilyan/integrate/integrator.hpp"
#include "support/body.hpp"
#include "support/schemes.hpp"
#include "support/symplectic.hpp"

namespace lilyan::test {
namespace {

class Structure : public ::testing::TestWithParam<Scheme> {
 protected:
  void print(const char* what, double value) const {
    std::printf("    %-30s %s %.1e\n", GetParam().label.c_str(), what, value);
  }
  const Body body;
};

TEST_P(Structure, Symplectic) {
  const auto integrator = make_integrator(body.system, GetParam(), {});
  const double defect = symplectic_defect(body.system, *integrator, body.moving(), 0.1);
  print("symplectic defect", defect);
  if (GetParam().claims.symplectic) {
    EXPECT_LE(defect, 1e-8);
  } else {
    EXPECT_GE(defect, 1e-3);
  }
}

TEST_P(Structure, Symmetric) {
  const auto integrator = make_integrator(body.system, GetParam(), {});
  State state = body.moving();
  const State start = state;
  ASSERT_TRUE(succeeded(integrator->step(state, 0.1).status));
  EXPECT_GT(distance(body.system, state, start), 0.1);
  ASSERT_TRUE(succeeded(integrator->step(state, -0.1).status));
  const double back = distance(body.system, state, start);
  print("there and back", back);
  EXPECT_NEAR(state.t, 0, 1e-15);
  if (GetParam().claims.symmetric) {
    EXPECT_LE(back, 1e-11);
  } else {
    EXPECT_GE(back, 1e-4);
  }
}

TEST_P(Structure, Momenta) {
  const auto integrator = make_integrator(body.system, GetParam(), {});
  State state = body.moving();
  const Invariants first = invariants(body.system, state);
  double linear = 0, angular = 0;
  for (int k = 0; k < 200; ++k) {
    const StepReport r = integrator->step(state, 0.05);
    ASSERT_TRUE(succeeded(r.status)) << describe(r.status);
    linear = std::max(linear, (r.after.linear_momentum - first.linear_momentum).norm());
    angular = std::max(angular, (r.after.angular_momentum - first.angular_momentum).norm());
  }
  linear /= first.linear_momentum.norm();
  angular /= first.angular_momentum.norm();
  print("linear momentum", linear);
  print("angular momentum", angular);
  EXPECT_EQ(GetParam().claims.linear_momentum, linear <= 1e-12);
  if (GetParam().claims.angular_momentum) {
    EXPECT_LE(angular, 1e-11);
  } else {
    EXPECT_GE(angular, 1e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(Verify, Structure, ::testing::ValuesIn(all_schemes()), test_name);

}  // namespace
}  // namespace lilyan::test
