// Forces that begin and end at given moments, and runs that end at a given time.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "lilyan/control/make_integrator.hpp"
#include "lilyan/control/step_control.hpp"
#include "lilyan/physics/constraints.hpp"
#include "lilyan/physics/forces.hpp"
#include "lilyan/step/capabilities.hpp"
#include "support/schemes.hpp"

namespace lilyan::test::jumping_force_test {
namespace {

constexpr double kMass = 2;
constexpr double kEnd = 1.2;

// L = ½ m v²
class FreeMotion final : public Lagrangian {
 public:
  [[nodiscard]] int dofs() const override { return 1; }
  double evaluate(double /*t*/, const double* /*q*/, const double* v,
                  const LagrangianDerivatives& to) const override {
    if (to.q) *to.q = 0;
    if (to.v) *to.v = kMass * *v;
    if (to.t) *to.t = 0;
    if (to.qq) *to.qq = 0;
    if (to.qv) *to.qv = 0;
    if (to.vv) *to.vv = kMass;
    return 0.5 * kMass * *v * *v;
  }
  [[nodiscard]] bool depends_on_time() const override { return false; }
  [[nodiscard]] bool cyclic(int /*coordinate*/) const override { return true; }
};

enum class Kind { point, on_plane, lagrangian };

System make_system(Kind kind) {
  if (kind == Kind::lagrangian) return System(std::make_unique<FreeMotion>());
  System system({kMass});
  if (kind == Kind::on_plane) {
    system.add(std::make_unique<PlaneConstraint>(0, Vec3::Zero(), Vec3::UnitY()));
  }
  return system;
}

// The velocity that a push of `timing` has given to a mass at rest by the time kEnd; not a number where the
// method cannot step the system.
double final_velocity(Kind kind, const Scheme& scheme, const DriveTiming& timing, int steps,
                      bool counted) {
  System system = make_system(kind);
  Vector amplitude = Vector::Zero(system.dofs());
  amplitude[0] = kMass;
  system.add(std::make_unique<Drive>(amplitude, timing));
  if (!reason_unsupported(system, scheme).empty()) return std::nan("");
  const auto integrator = make_integrator(system, scheme, {});
  State state{.x = Vector::Zero(system.dofs()), .v = Vector::Zero(system.dofs())};
  const double h = kEnd / steps;
  for (int k = 0; k < steps; ++k) {
    const StepReport report = integrator->step(state, h);
    EXPECT_TRUE(succeeded(report.status)) << describe(report.status);
    if (counted) state.t = (k + 1) * h;
  }
  return state.v[0];
}

double exact_velocity(const DriveTiming& timing) {
  const double from = std::max(timing.from, 0.0);
  const double until = std::min(timing.until, kEnd);
  if (timing.frequency == 0) return std::cos(timing.phase) * (until - from);
  const double rate = 2 * std::numbers::pi * timing.frequency;
  return (std::sin(rate * until + timing.phase) - std::sin(rate * from + timing.phase)) / rate;
}

int order(const Scheme& scheme) {
  return scheme.claims.forced_order > 0 ? scheme.claims.forced_order : scheme.claims.order;
}

class JumpsUnder : public ::testing::TestWithParam<Scheme> {};

// Ends of steps miss 0.3 and 0.7 by rounding errors, to either side. The third push ends within a step.
TEST_P(JumpsUnder, ConstantPushGivesItsImpulse) {
  for (const Kind kind : {Kind::point, Kind::on_plane, Kind::lagrangian}) {
    for (const bool counted : {false, true}) {
      for (const auto& [from, until] :
           {std::pair{0.3, 0.7}, std::pair{-1.0, 0.6}, std::pair{0.4, 0.777}, std::pair{0.5, 5.0},
            std::pair{0.63, 0.66}}) {
        const DriveTiming timing{.from = from, .until = until};
        const double v = final_velocity(kind, GetParam(), timing, 12, counted);
        if (std::isnan(v)) continue;
        EXPECT_NEAR(v, exact_velocity(timing), 1e-13)
            << static_cast<int>(kind) << ", from " << from << " until " << until;
      }
    }
  }
}

// A push that swings: the jumps do not lower the order, wherever they are.
TEST_P(JumpsUnder, SwingingPushKeepsTheOrder) {
  for (const Kind kind : {Kind::point, Kind::on_plane, Kind::lagrangian}) {
    for (const auto& [from, until] : {std::pair{0.3, 0.7}, std::pair{0.31, 0.73}}) {
      const DriveTiming timing{.frequency = 0.4, .phase = 0.5, .from = from, .until = until};
      const auto error = [&](int steps) {
        return std::abs(final_velocity(kind, GetParam(), timing, steps, true) -
                        exact_velocity(timing));
      };
      const double coarse = error(12);
      if (std::isnan(coarse)) continue;
      // Three halvings: where jumps lie within their steps makes errors uneven.
      EXPECT_LE(error(96), 2.5 * std::pow(8.0, -order(GetParam())) * coarse + 1e-14)
          << static_cast<int>(kind) << ", from " << from << ": " << coarse;
    }
  }
}

// Steps back in time see what steps forward have seen.
TEST_P(JumpsUnder, StepsBackTakeTheImpulseBack) {
  System system = make_system(Kind::point);
  Vector amplitude = Vector::Zero(3);
  amplitude[0] = kMass;
  system.add(std::make_unique<Drive>(amplitude, DriveTiming{.from = 0.3, .until = 0.72}));
  const auto integrator = make_integrator(system, GetParam(), {});
  State state{.t = kEnd, .x = Vector::Zero(3), .v = Vector::Zero(3)};
  for (int k = 12; k > 0; --k) {
    ASSERT_TRUE(succeeded(integrator->step(state, -0.1).status));
    state.t = (k - 1) * 0.1;
  }
  EXPECT_NEAR(state.v[0], -0.42, 1e-13);
}

INSTANTIATE_TEST_SUITE_P(Methods, JumpsUnder, ::testing::ValuesIn(all_schemes()), test_name);

// A force that says when it jumps, and no more: it is seen from the right side all the same.
class Switched final : public Force {
 public:
  void add(double t, const double* /*x*/, const double* /*v*/, double* force) const override {
    if (t > 0.3 && t < 0.7) force[0] += kMass;
  }
  [[nodiscard]] std::span<const double> jumps() const override { return jumps_; }

 private:
  std::vector<double> jumps_{0.3, 0.7};
};

TEST(JumpingForce, NeedsOnlySayWhenItJumps) {
  for (const std::string method : {"stoermer-verlet", "yoshida", "bdf2", "rk4", "newmark"}) {
    System system = make_system(Kind::point);
    system.add(std::make_unique<Switched>());
    const auto integrator = make_integrator(system, make_scheme(method), {});
    State state{.x = Vector::Zero(3), .v = Vector::Zero(3)};
    for (int k = 0; k < 12; ++k) ASSERT_TRUE(succeeded(integrator->step(state, 0.1).status));
    EXPECT_NEAR(state.v[0], 0.4, 1e-13) << method;
  }
}

struct Ending {
  double duration;
  int steps;
  double last;  // two steps are as long
};

TEST(FixedSteps, EndWhereTheyAreToldTo) {
  System system({1.0}, 1);
  const auto integrator = make_integrator(system, make_scheme("stoermer-verlet"), {});
  for (const auto& [duration, steps, last] :
       std::vector<Ending>{{1, 10, 0.1},
                           {0.3, 3, 0.1},
                           {0.99999999999, 10, (0.99999999999 - 0.8) / 2},
                           {1.0000000001, 10, (1.0000000001 - 0.8) / 2},
                           {0.9999, 10, (0.9999 - 0.8) / 2},
                           {1.0001, 11, (1.0001 - 0.9) / 2},
                           {1.05, 11, 0.075},
                           {0.1000000001, 1, 0.1000000001},
                           {0.06, 1, 0.06}}) {
    SCOPED_TRACE(duration);
    const auto control =
        make_step_control(*integrator, system, make_scheme("stoermer-verlet"), {.step = 0.1});
    State state{.x = Vector::Zero(1), .v = Vector::Ones(1)};
    std::vector<double> lengths;
    while (state.t < duration && lengths.size() < 100) {
      lengths.push_back(control->step(state, duration).h);
    }
    EXPECT_EQ(state.t, duration);
    ASSERT_EQ(lengths.size(), static_cast<std::size_t>(steps));
    for (int k = 0; k < steps; ++k) {
      EXPECT_NEAR(lengths[static_cast<std::size_t>(k)], k + 2 < steps ? 0.1 : last, 2e-16);
    }
    EXPECT_NEAR(state.x[0], duration, 1e-15);
    EXPECT_EQ(count_steps(duration, 0.1, 4 * kEpsilon * duration).steps, steps);
  }
}

TEST(FixedSteps, WholeNumbersOfStepsAreEqualToTheLastBit) {
  for (const int n : {3, 7, 10, 300, 60000, 1000000}) {
    for (const double h : {0.1, 1.0 / 60, 0.033, 1e-5}) {
      const double duration = std::stod(fmt::format("{:.15g}", n * h));  // as somebody writes it
      const StepCount count = count_steps(duration, h, 4 * kEpsilon * duration);
      EXPECT_EQ(count.steps, n) << h;
    }
  }
  EXPECT_TRUE(count_steps(2.5, 0.1, 4 * kEpsilon * 2.5).equal);
  EXPECT_FALSE(count_steps(0.99999999999, 0.1, 4 * kEpsilon).equal);
}

}  // namespace
}  // namespace lilyan::test::jumping_force_test
