// Energy of materials whose forces are not polynomials, under AVF.
#include <gtest/gtest.h>

#include "lilyan/control/make_integrator.hpp"
#include "lilyan/verify/measure.hpp"
#include "support/body.hpp"

namespace lilyan::test::energy_test {
namespace {

// For materials that are not polynomial the energy error falls with the number
// of Gauss points, exponentially, down to the solver's tolerance.
TEST(AvfNeoHookean, EnergyErrorFallsWithTheNumberOfPoints) {
  const Body body({.cells = {4, 1, 1}, .material = "neo-hookean", .mu = 10, .lambda = 10});
  double previous = 1;
  for (const double points : {1.0, 2.0, 3.0, 4.0, 6.0}) {
    const Scheme scheme = make_scheme("avf", {{"points", points}});
    const EnergyMotion r = energy_motion(body.system, body.moving(1.4, 3), scheme, 1.0 / 30, 20);
    ASSERT_TRUE(r.completed);
    std::printf("    %-30s %.1e\n", scheme.label.c_str(), r.worst);
    if (points < 6) {
      EXPECT_LE(r.worst, previous / 10) << points;
      EXPECT_GE(r.worst, 1e-13) << "nothing left to see the next improve on";
    } else {
      EXPECT_LE(r.worst, 1e-12);
    }
    previous = r.worst;
  }
}

// With `auto` the error is what was asked for, whatever that is, with no more points than it takes.
TEST(AvfNeoHookean, AutoKeepsTheEnergyToTheTolerance) {
  const Body body({.cells = {4, 1, 1}, .material = "neo-hookean", .mu = 10, .lambda = 10});
  const Scheme scheme = make_scheme("avf", {{"quadrature", "auto"}});
  int previous_points = 0;
  for (const double tolerance : {1e-4, 1e-7, 1e-10, 1e-13}) {
    const auto integrator = make_integrator(body.system, scheme, {.energy_tolerance = tolerance});
    State state = body.moving(1.4, 3);
    double largest = 0;
    int most = 0, solves = 0;
    for (int k = 0; k < 100; ++k) {
      const StepReport r = integrator->step(state, 1.0 / 30);
      ASSERT_TRUE(succeeded(r.status));
      const double scale = std::max(r.before.kinetic, r.before.of(EnergyKind::elastic));
      largest = std::max(largest, std::abs(r.ledger.quadrature) / scale);
      most = std::max(most, r.nodes);
      solves += r.nodes;
    }
    std::printf("    tolerance %.0e: quadrature %.1e, at most %d points, %.2f on average\n",
                tolerance, largest, most, solves / 100.0);
    EXPECT_LE(largest, 1.5 * tolerance);
    EXPECT_GE(largest, 1e-6 * tolerance) << "more points than it takes";
    EXPECT_GE(most, previous_points);
    EXPECT_LE(most, 10);
    previous_points = most;
  }
  EXPECT_GE(previous_points, 4);
}

}  // namespace
}  // namespace lilyan::test::energy_test
