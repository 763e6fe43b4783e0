// What methods promise holds on the constraint manifold too: order, symplecticity, energy,
// momentum, symmetry, and the constraints themselves, of positions and velocities, to rounding.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "lilyan/assemble/invariants.hpp"
#include "lilyan/control/make_integrator.hpp"
#include "lilyan/lagrangian/problem.hpp"
#include "lilyan/physics/constraints.hpp"
#include "lilyan/physics/small_potential.hpp"
#include "lilyan/step/constrained.hpp"
#include "lilyan/verify/measure.hpp"
#include "support/body.hpp"
#include "support/schemes.hpp"

namespace lilyan::test::constraint_test {
namespace {

std::vector<Scheme> constrained_schemes() {
  std::vector<Scheme> chosen;
  for (const Scheme& s : all_schemes()) {
    if (supports_constraints(s)) chosen.push_back(s);
  }
  return chosen;
}

// Two masses on a chain of rods from the origin, so that constraints share a vertex, with a spring
// of energy ¼|x₁ − a|⁴ from the outer one to a point.
struct DoublePendulum {
  System system{{1.0, 0.7}};
  State start;
  DoublePendulum() {
    system.add(std::make_unique<Gravity>(Vec3(0, 0, -1), std::vector{1.0, 0.7}));
    system.add(std::make_unique<SmallPotential>(
        2, 3, [](const double* q, double* gradient, double* hessian) {
          const Vec3 r = Vec3(q[3], q[4], q[5]) - Vec3(0.2, 0.7, -1);
          const double rr = r.squaredNorm();
          if (gradient) {
            for (int c = 0; c < 3; ++c) gradient[c] = 0, gradient[3 + c] = rr * r[c];
          }
          if (hessian) {
            Eigen::Map<Eigen::Matrix<double, 6, 6>> h(hessian);
            h.setZero();
            h.bottomRightCorner<3, 3>() = 2 * r * r.transpose() + rr * Eigen::Matrix3d::Identity();
          }
          return rr * rr / 4;
        }));
    system.add(std::make_unique<DistanceConstraint>(0, Vec3(0, 0, 0), 1.0));
    system.add(std::make_unique<DistanceConstraint>(0, 1, 0.5));
    start.x.resize(6);
    start.x << 0.6, 0, -0.8, 0.6, 0.3, -0.4;
    start.v.resize(6);
    // Normal to the first rod; the second's difference normal to it.
    start.v << 0.4, 0.5, 0.3, 0.4 - 0.6, 0.5 + 0.4, 0.3 - 0.3;
  }
};

class Constrained : public ::testing::TestWithParam<Scheme> {
 protected:
  void print(const char* what, double value) const {
    std::printf("    %-34s %s %.2e\n", GetParam().label.c_str(), what, value);
  }
};

// The planar pendulum in its angle, by an independent method of order six.
TEST_P(Constrained, OrderOnThePlanarPendulum) {
  constexpr double kTime = 2, kAngle = 70, kSpeed = 0.8;
  const ProblemInstance angle =
      make_problem("pendulum", parameters({{"angle", kAngle}, {"speed", kSpeed}}));
  const auto fine = make_integrator(*angle.system, make_scheme("yoshida", {{"order", 6.0}}), {});
  State exact = angle.initial;
  for (int k = 0; k < 2000; ++k) fine->step(exact, kTime / 2000);
  const double q = exact.x[0], w = exact.v[0];
  const Vec3 x(std::sin(q), 0, -std::cos(q));
  const Vec3 v = w * Vec3(std::cos(q), 0, std::sin(q));

  const ProblemInstance point = make_problem(
      "spherical-pendulum", parameters({{"angle", kAngle}, {"speed", kSpeed}, {"spin", 0.0}}));
  std::vector<double> log_h, log_error;
  const bool high = GetParam().claims.order > 4;
  for (const int steps : {40, 60, 80, 120}) {
    const int n = high ? steps / 4 : steps;
    const auto integrator = make_integrator(*point.system, GetParam(), {});
    State state = point.initial;
    for (int k = 0; k < n; ++k) ASSERT_TRUE(succeeded(integrator->step(state, kTime / n).status));
    log_h.push_back(std::log(kTime / n));
    log_error.push_back(std::log(std::hypot((state.x - x).norm(), (state.v - v).norm())));
  }
  const double order = fit(log_h, log_error).slope;
  std::printf("    %-34s order %.3f, smallest error %.1e\n", GetParam().label.c_str(), order,
              std::exp(log_error.back()));
  EXPECT_NEAR(order, GetParam().claims.order, high ? 0.6 : 0.2);
}

TEST_P(Constrained, KeepsConstraintsAndEnergyOverTenThousandSteps) {
  DoublePendulum p;
  const auto integrator = make_integrator(p.system, GetParam(), {});
  State state = p.start;
  double g = 0, rate = 0, exact = 0, closes = 0;
  std::vector<double> t, H;
  double first = 0;
  // Long enough for the method's own errors to be seen above rounding.
  const double h = GetParam().claims.order == 8 ? 0.04 : 0.01;
  for (int k = 0; k < 10000; ++k) {
    const StepReport r = integrator->step(state, h);
    ASSERT_TRUE(succeeded(r.status)) << describe(r.status) << " at step " << k;
    if (k == 0) first = r.before.total;
    const Vec3 a = state.x.head<3>(), b = state.x.tail<3>() - a;
    const Vec3 va = state.v.head<3>(), vb = state.v.tail<3>() - va;
    g = std::max({g, std::abs(a.squaredNorm() - 1) / 2, std::abs(b.squaredNorm() - 0.25) / 2});
    rate = std::max({rate, std::abs(a.dot(va)), std::abs(b.dot(vb))});
    exact = std::max(exact, std::abs(r.after.total - first));
    closes = std::max(closes, std::abs(r.after.total - r.before.total - r.ledger.total()));
    t.push_back(state.t);
    H.push_back(r.after.total);
  }
  const Fit line = fit(t, H);
  print("|g|", g);
  print("|Gv|", rate);
  print("|H-H0|", exact);
  print("drift/band", std::abs(line.slope * state.t) / line.band);
  EXPECT_LE(g, 2e-15);
  EXPECT_LE(rate, 5e-15);
  EXPECT_LE(closes, 1e-14);
  if (GetParam().claims.energy == EnergyBehaviour::exact) {
    EXPECT_LE(exact, 1e-12);
  } else {
    EXPECT_LE(line.band, 0.1);
    EXPECT_LE(std::abs(line.slope * state.t), 0.1 * line.band);
    EXPECT_GE(exact, 1e-11);
  }
}

TEST_P(Constrained, Symmetry) {
  DoublePendulum p;
  const auto integrator = make_integrator(p.system, GetParam(), {});
  State state = p.start;
  ASSERT_TRUE(succeeded(integrator->step(state, 0.2).status));
  EXPECT_GT(distance(p.system, state, p.start), 0.1);
  ASSERT_TRUE(succeeded(integrator->step(state, -0.2).status));
  const double back = distance(p.system, state, p.start);
  print("there and back", back);
  EXPECT_NEAR(state.t, 0, 1e-15);
  if (GetParam().claims.symmetric) {
    EXPECT_LE(back, 2e-13);
  } else {
    EXPECT_GE(back, 1e-4);
  }
}

// ∮ p·dq over a closed curve of states on the manifold, whose derivative by the curve's parameter
// is taken spectrally: exact up to rounding for a curve that is resolved.
double circulation(const System& system, const std::vector<State>& curve) {
  const int n = static_cast<int>(curve.size());
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    Vector derivative = Vector::Zero(system.dofs());
    for (int j = 0; j < n; ++j) {
      if (i == j) continue;
      const double angle = std::numbers::pi * (i - j) / n;
      derivative += ((i - j) % 2 == 0 ? 0.5 : -0.5) / std::tan(angle) * curve[j].x;
    }
    sum += system.mass().product(curve[i].v, derivative);
  }
  return sum * 2 * std::numbers::pi / n;
}

TEST_P(Constrained, SymplecticOnTheManifold) {
  const ProblemInstance p = make_problem("spherical-pendulum");
  constexpr int kPoints = 128;
  std::vector<State> curve;
  for (int i = 0; i < kPoints; ++i) {
    const double s = 2 * std::numbers::pi * i / kPoints;
    const double polar = 1.2 + 0.3 * std::cos(s), azimuth = 0.4 * std::sin(s);
    const Vec3 e(std::sin(polar) * std::cos(azimuth), std::sin(polar) * std::sin(azimuth),
                 -std::cos(polar));
    const Vec3 w(0.5 + 0.3 * std::sin(s + 1), 0.4 * std::cos(s), 0.6 + 0.2 * std::cos(2 * s));
    State state;
    state.x = e;
    state.v = w.cross(e);
    curve.push_back(state);
  }
  const double before = circulation(*p.system, curve);
  const auto integrator = make_integrator(*p.system, GetParam(), {});
  for (State& state : curve) {
    for (int k = 0; k < 4; ++k) ASSERT_TRUE(succeeded(integrator->step(state, 0.25).status));
  }
  const double change = std::abs(circulation(*p.system, curve) - before);
  ASSERT_GT(std::abs(before), 0.05);
  print("change of the circulation", change);
  if (GetParam().claims.symplectic) {
    EXPECT_LE(change, 1e-11);
  } else {
    EXPECT_GE(change, 1e-6);
  }
}

// About the vertical. AVF keeps it here as well: a rod's averaged gradient is along the middle of
// the step, as is the momentum's.
TEST_P(Constrained, AngularMomentumOfTheSphericalPendulum) {
  const ProblemInstance p = make_problem("spherical-pendulum", {{"speed", 0.3}});
  const double first = invariants(*p.system, p.initial).angular_momentum.z();
  const auto integrator = make_integrator(*p.system, GetParam(), {});
  State state = p.initial;
  double worst = 0;
  for (int k = 0; k < 2000; ++k) {
    const StepReport r = integrator->step(state, 0.1);
    ASSERT_TRUE(succeeded(r.status));
    worst = std::max(worst, std::abs(r.after.angular_momentum.z() - first));
  }
  print("angular momentum", worst);
  EXPECT_LE(worst, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Verify, Constrained, ::testing::ValuesIn(constrained_schemes()),
                         test_name);

// At a large step for a long time, where a scheme that leaves the velocity's normal part to itself
// has it at 0.012.
TEST(ConstrainedAvf, VelocityStaysTangentAtLargeSteps) {
  const ProblemInstance p =
      make_problem("spherical-pendulum", parameters({{"angle", 120.0}, {"spin", 0.0}}));
  const auto integrator = make_integrator(*p.system, make_scheme("avf"), {});
  State state = p.initial;
  double rate = 0, energy = 0;
  const double first = invariants(*p.system, p.initial).total;
  for (int k = 0; k < 20000; ++k) {
    const StepReport r = integrator->step(state, 0.2);
    ASSERT_TRUE(succeeded(r.status)) << describe(r.status) << " at step " << k;
    rate = std::max(rate, std::abs(state.x.dot(state.v)));
    energy = std::max(energy, std::abs(r.after.total - first));
  }
  std::printf("    h = 0.2, 20000 steps: |Gv| %.1e, |H-H0| %.1e\n", rate, energy);
  EXPECT_LE(rate, 2e-15);
  EXPECT_LE(energy, 1e-12);
}

}  // namespace
}  // namespace lilyan::test::constraint_test
