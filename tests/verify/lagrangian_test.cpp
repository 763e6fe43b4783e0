// What methods keep of their claims on Lagrangians that are not ½vᵀMv − E: a double pendulum (mass
// depends on the position) and a charge in a magnetic field (terms linear in the velocity).
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <string_view>

#include "lilyan/assemble/invariants.hpp"
#include "lilyan/control/make_integrator.hpp"
#include "lilyan/step/capabilities.hpp"
#include "lilyan/verify/measure.hpp"
#include "support/lagrangians.hpp"
#include "support/schemes.hpp"

namespace lilyan::lagrangian_test {
namespace {

using Matrix = Eigen::MatrixXd;

struct Case {
  const char* name;
  System system;
  State start;
};

const std::array<Case, 2>& cases() {
  static const std::array<Case, 2> all{
      Case{"double pendulum", System(automatic_lagrangian<2>(test::DoublePendulum{})),
           test::state_of({1.1, -0.6}, {0.2, 0.5})},
      Case{"charge", System(automatic_lagrangian<2>(test::Charge{})),
           test::state_of({0.8, 0.1}, {-0.2, 0.6})}};
  return all;
}

State run(const System& system, const Scheme& scheme, State state, double h, int steps) {
  const auto integrator = make_integrator(system, scheme, {});
  for (int k = 0; k < steps; ++k) {
    const StepReport report = integrator->step(state, h);
    if (!succeeded(report.status)) {
      ADD_FAILURE() << scheme.label << ": " << describe(report.status);
      break;
    }
  }
  return state;
}

std::vector<Scheme> general_schemes() {
  std::vector<Scheme> all;
  for (Scheme& s : schemes_to_verify()) {
    if (reason_unsupported(cases()[0].system, s).empty()) all.push_back(std::move(s));
  }
  return all;
}

class GeneralLagrangian : public ::testing::TestWithParam<Scheme> {};

INSTANTIATE_TEST_SUITE_P(Methods, GeneralLagrangian, ::testing::ValuesIn(general_schemes()),
                         test::test_name);

TEST(GeneralLagrangians, MostMethodsCanStepThem) {
  EXPECT_GE(general_schemes().size(), 20u);
  const std::string reason = reason_unsupported(cases()[0].system, make_scheme("newmark"));
  EXPECT_NE(reason.find("newmark"), std::string::npos);
}

TEST_P(GeneralLagrangian, HasItsOrder) {
  const Scheme& scheme = GetParam();
  for (const Case& c : cases()) {
    const State exact =
        run(c.system, make_scheme("gauss", {{"stages", 4.0}}), c.start, 2.0 / 200, 200);
    std::vector<double> sizes, errors;
    // Coarse steps show the high orders; to those of low order the motion is too fast for them.
    const double coarsest = scheme.claims.order > 4 ? 5 : 16;
    for (double count = coarsest; count < 400; count *= 1.4) {
      const int steps = static_cast<int>(count);
      const double error =
          state_distance(c.system, run(c.system, scheme, c.start, 2.0 / steps, steps), exact);
      if (error < 5e-12) break;
      sizes.push_back(std::log(2.0 / steps));
      errors.push_back(std::log(error));
    }
    // The finest that are not rounding error.
    constexpr std::size_t kPoints = 4;
    ASSERT_GE(sizes.size(), kPoints) << c.name;
    sizes.erase(sizes.begin(), sizes.end() - kPoints);
    errors.erase(errors.begin(), errors.end() - kPoints);
    const double order = fit(sizes, errors).slope;
    EXPECT_GE(order, 0.95 * scheme.claims.order - 0.2) << c.name;
    // At order eight rounding errors are reached at steps that are too coarse to show more.
    if (scheme.claims.order < 8) {
      EXPECT_LE(order, scheme.claims.order + 0.5) << c.name;
    }
  }
}

// On a Lagrangian of constant masses the general step is the method's own.
TEST_P(GeneralLagrangian, IsTheSeparableStepForConstantMasses) {
  const auto separable = lagrangian_system<2>(test::TwoWells{});
  const System general(automatic_lagrangian<2>(test::TwoWells{}));
  const State start = test::state_of({0.4, -0.2}, {0.3, 0.5});
  const State a = run(*separable, GetParam(), start, 0.1, 60);
  const State b = run(general, GetParam(), start, 0.1, 60);
  EXPECT_LE((a.x - b.x).norm() + (a.v - b.v).norm(), 1e-11);
}

// In the coordinates (q, p).
TEST_P(GeneralLagrangian, IsSymplecticWhereItSaysSo) {
  const Scheme& scheme = GetParam();
  for (const Case& c : cases()) {
    const auto map = [&](const Vector& qp) {
      // From (q, p) to velocities by Newton's method: both Lagrangians are quadratic in them.
      State s{.x = qp.head(2), .v = Vector::Zero(2)};
      Vector p(2), residual(2);
      Matrix qq(2, 2), qv(2, 2), vv(2, 2);
      for (int k = 0; k < 3; ++k) {
        c.system.lagrangian()->evaluate(
            0, s.x.data(), s.v.data(),
            {.v = p.data(), .qq = qq.data(), .qv = qv.data(), .vv = vv.data()});
        residual = qp.tail(2) - p;
        s.v += vv.lu().solve(residual);
      }
      const State end = run(c.system, scheme, s, 0.2, 2);
      Vector out(4);
      out.head(2) = end.x;
      c.system.lagrangian()->evaluate(0, end.x.data(), end.v.data(), {.v = out.data() + 2});
      return out;
    };
    Vector at(4);
    at.head(2) = c.start.x;
    c.system.lagrangian()->evaluate(0, c.start.x.data(), c.start.v.data(), {.v = at.data() + 2});
    Matrix J(4, 4), omega = Matrix::Zero(4, 4);
    for (int j = 0; j < 4; ++j) {
      const Vector e = 1e-4 * Vector::Unit(4, j);
      // Fourth-order differences.
      J.col(j) = (8 * (map(at + e) - map(at - e)) - (map(at + 2 * e) - map(at - 2 * e))) / 12e-4;
    }
    omega.topRightCorner(2, 2).setIdentity();
    omega.bottomLeftCorner(2, 2) = -Matrix::Identity(2, 2);
    const double defect = (J.transpose() * omega * J - omega).cwiseAbs().maxCoeff();
    if (scheme.claims.symplectic) {
      EXPECT_LE(defect, 1e-8) << c.name;
    } else {
      EXPECT_GE(defect, 1e-8) << c.name;
    }
  }
}

TEST_P(GeneralLagrangian, IsSymmetricWhereItSaysSo) {
  const Scheme& scheme = GetParam();
  for (const Case& c : cases()) {
    const State there = run(c.system, scheme, c.start, 0.2, 1);
    const State back = run(c.system, scheme, there, -0.2, 1);
    const double distance = state_distance(c.system, back, c.start);
    if (scheme.claims.symmetric) {
      EXPECT_LE(distance, 1e-12) << c.name;
    } else {
      EXPECT_GE(distance, 1e-9) << c.name;
    }
  }
}

// The average vector field conserves the energy of any Lagrangian when it has enough points.
TEST(GeneralLagrangians, AvfConservesEnergy) {
  const Scheme scheme = make_scheme("avf", {{"quadrature", "auto"}});
  for (const Case& c : cases()) {
    State state = c.start;
    const auto integrator = make_integrator(c.system, scheme, {});
    const double before = invariants(c.system, state).total;
    double worst = 0;
    int points = 0;
    for (int k = 0; k < 500; ++k) {
      const StepReport report = integrator->step(state, 0.25);
      ASSERT_TRUE(succeeded(report.status));
      worst = std::max(worst, std::abs(report.after.total - before));
      points = std::max(points, report.nodes);
    }
    EXPECT_LE(worst, 2e-13 * std::max(1.0, std::abs(before))) << c.name;
    EXPECT_GE(points, 3) << c.name;
  }
}

// Where the Lagrangian depends on time, or forces act, the ledger says where the energy went.
TEST(GeneralLagrangians, TheLedgerBalances) {
  System shaken(automatic_lagrangian<1>(test::ShakenPendulum{}));
  shaken.add(rayleigh_force<1>([](const auto&, const auto& v) { return 0.1 * v[0] * v[0]; }));
  shaken.add(automatic_force<1>([](const auto& q, const auto&, const auto& t) {
    return std::array{0.2 * cos(t) + 0.0 * q[0]};
  }));
  for (const auto& [method, bound] :
       {std::pair{"avf", 1e-5}, std::pair{"implicit-midpoint", 1e-4}, std::pair{"gauss", 1e-7}}) {
    State state = test::state_of({0.9}, {0.1});
    const auto integrator = make_integrator(shaken, make_scheme(method), {});
    Ledger sum;
    const double before = invariants(shaken, state).total;
    double after = before;
    for (int k = 0; k < 400; ++k) {
      const StepReport report = integrator->step(state, 0.02);
      ASSERT_TRUE(succeeded(report.status));
      sum += report.ledger;
      after = report.after.total;
      EXPECT_LE(report.ledger.dissipation, 0);
    }
    EXPECT_NEAR(after - before, sum.total(), 1e-12);
    EXPECT_LT(sum.dissipation, -0.05);
    // What the method itself adds is small: the work is booked where it belongs.
    EXPECT_LE(std::abs(sum.method + sum.quadrature), bound) << method;
  }
}

// A spherical pendulum in polar coordinates of space with its length as a constraint, against the
// same in two angles.
TEST(GeneralLagrangians, ConstraintsAreKept) {
  const auto polar = [](const auto& q, const auto& v) {  // r, θ from below, φ
    return 0.5 * (v[0] * v[0] + q[0] * q[0] * v[1] * v[1] +
                  q[0] * q[0] * sin(q[1]) * sin(q[1]) * v[2] * v[2]) +
           q[0] * cos(q[1]);
  };
  const auto angles = [](const auto& q, const auto& v) {
    return 0.5 * (v[0] * v[0] + sin(q[0]) * sin(q[0]) * v[1] * v[1]) + cos(q[0]);
  };
  System constrained(automatic_lagrangian<3>(polar));
  constrained.add(
      automatic_constraint<3>("length", [](const auto& q) { return q[0] * q[0] - 1.0; }));
  const System reduced(automatic_lagrangian<2>(angles));
  EXPECT_TRUE(reduced.lagrangian()->cyclic(1));
  const State start = test::state_of({1, 1.0, 0}, {0, 0.1, 0.7});
  const State fewer = test::state_of({1.0, 0}, {0.1, 0.7});
  const State exact = run(reduced, make_scheme("gauss", {{"stages", 3.0}}), fewer, 0.01, 200);
  std::vector<double> sizes, errors;
  for (int steps = 40; steps <= 320; steps *= 2) {
    const State end = run(constrained, make_scheme("implicit-midpoint"), start, 2.0 / steps, steps);
    EXPECT_NEAR(end.x[0], 1, 1e-14);
    EXPECT_NEAR(end.v[0], 0, 1e-13);
    sizes.push_back(std::log(2.0 / steps));
    errors.push_back(std::log((end.x.tail(2) - exact.x).norm() + (end.v.tail(2) - exact.v).norm()));
  }
  EXPECT_NEAR(fit(sizes, errors).slope, 2, 0.1);
  // The momentum of the cyclic angle is kept exactly, energy is bounded.
  const State end = run(constrained, make_scheme("stoermer-verlet"), start, 0.05, 2000);
  EXPECT_NEAR(std::pow(std::sin(end.x[1]), 2) * end.v[2], std::pow(std::sin(1.0), 2) * 0.7, 1e-11);
  EXPECT_NEAR(invariants(constrained, end).total, invariants(constrained, start).total, 1e-2);
  // Methods that have no such step say so.
  EXPECT_NE(reason_unsupported(constrained, make_scheme("avf")).find("constraints"),
            std::string::npos);
  EXPECT_THROW((void)run(constrained, make_scheme("implicit-midpoint"),
                         test::state_of({1.1, 1.0, 0}, {0, 0.1, 0.7}), 0.1, 1),
               Error);
}

// A Legendre transform that is not linear: L = −√(1 − v²) − ½q² (relativistic).
TEST(GeneralLagrangians, RelativisticOscillator) {
  const System system(automatic_lagrangian<1>([](const auto& q, const auto& v) {
    return -1.0 * sqrt(1.0 - v[0] * v[0]) - 0.5 * q[0] * q[0];
  }));
  const State start = test::state_of({3}, {0});
  const auto integrator = make_integrator(system, make_scheme("gauss"), {});
  State state = start;
  double worst = 0;
  for (int k = 0; k < 4000; ++k) {
    const StepReport report = integrator->step(state, 0.02);
    ASSERT_TRUE(succeeded(report.status)) << k;
    EXPECT_LT(std::abs(state.v[0]), 1);
    worst = std::max(worst, std::abs(report.after.total - invariants(system, start).total));
  }
  EXPECT_LE(worst, 1e-5);
}

// Without inertia there is no velocity to be found.
TEST(GeneralLagrangians, MissingInertiaFails) {
  const System system(automatic_lagrangian<2>([](const auto& q, const auto& v) {
    return 0.5 * (v[0] + v[1]) * (v[0] + v[1]) - q[0] * q[0] - q[1] * q[1];
  }));
  State state = test::state_of({1, 0}, {0, 0});
  const auto integrator = make_integrator(system, make_scheme("rk4"), {});
  EXPECT_FALSE(succeeded(integrator->step(state, 0.1).status));
  EXPECT_EQ(state.x, test::state_of({1, 0}, {0, 0}).x);
}

// Coordinates that do not know of each other move as if they were alone, however heavy the other
// is.
TEST(GeneralLagrangians, LightCoordinatesBesideHeavyOnes) {
  const auto end = [](double mass, const char* method) {
    const System system(automatic_lagrangian<2>([mass](const auto& q, const auto& v) {
      return 0.5 * mass * v[0] * v[0] + 0.5 * (1.0 + 0.3 * sin(q[1])) * v[1] * v[1] + cos(q[1]);
    }));
    // (By itself avf takes as many points as the energy of both together needs.)
    const Parameters points =
        std::string_view(method) == "avf" ? Parameters{{"points", 2.0}} : Parameters{};
    return run(system, make_scheme(method, points), test::state_of({0, 1}, {1, 0}), 0.1, 300).x[1];
  };
  for (const char* method : {"gauss", "implicit-midpoint", "rk4", "avf", "stoermer-verlet"}) {
    const double alone = end(1, method);
    for (const double mass : {1e-8, 1e8, 1e14}) {
      EXPECT_NEAR(end(mass, method), alone, 1e-10) << method << " beside " << mass;
    }
  }
}

// A constrained system at rest stays there.
TEST(GeneralLagrangians, RestStaysAtRest) {
  System system(automatic_lagrangian<2>([](const auto& q, const auto& v) {
    return 0.5 * (v[0] * v[0] + v[1] * v[1]) * (1.0 + q[1] * q[1]) - 9.81 * q[1];
  }));
  system.add(automatic_constraint<2>(
      "circle", [](const auto& q) { return q[0] * q[0] + q[1] * q[1] - 1.0; }));
  for (const char* method : {"implicit-midpoint", "stoermer-verlet", "hp", "yoshida"}) {
    const State end = run(system, make_scheme(method), test::state_of({0, -1}, {0, 0}), 0.1, 50);
    EXPECT_LE((end.x - Eigen::Vector2d(0, -1)).norm() + end.v.norm(), 1e-12) << method;
  }
}

}  // namespace
}  // namespace lilyan::lagrangian_test
