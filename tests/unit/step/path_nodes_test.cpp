// How the number of points of an adaptive quadrature is chosen, and that a step whose mean force cannot be
// integrated fails rather than lose energy.
#include "lilyan/step/path_nodes.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "app/scene/scene.hpp"
#include "lilyan/assemble/tet_kernel.hpp"
#include "lilyan/control/make_integrator.hpp"
#include "lilyan/control/step_control.hpp"
#include "lilyan/physics/constraints.hpp"
#include "support/body.hpp"
#include "support/schemes.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test::path_nodes_test {
namespace {

using Accuracy = PathNodes::Accuracy;

// Goes on until the step is judged; `error` is a function of the number of points.
template <class Error>
Accuracy judge(PathNodes& nodes, double tolerance, Error error, const RoundingFloor& floor = {},
               double plateau = 0) {
  nodes.begin_step();
  while (true) {
    const Accuracy accuracy = nodes.judge(
        error(nodes.count()), tolerance, [&] { return floor; }, plateau);
    if (accuracy != Accuracy::needs_more) return accuracy;
  }
}

TEST(PathNodes, SlowConvergenceIsNotRounding) {
  // Gauss near J → 0 gains a factor of 1.2 a point.
  PathNodes nodes;
  const auto slow = [](int n) { return 0.4 * std::pow(1.2, -n); };
  EXPECT_EQ(judge(nodes, 1e-9, slow), Accuracy::reached);
  EXPECT_LE(slow(nodes.used()), 1e-9);
}

TEST(PathNodes, WhatStaysFarAboveTheToleranceIsMissed) {
  PathNodes nodes;
  EXPECT_EQ(judge(nodes, 1e-14, [](int) { return 1e-3; }), Accuracy::missed);
  EXPECT_EQ(nodes.used(), PathNodes::kMost);
  // Steady, and yet above what rounding can be.
  const RoundingFloor floor{.error = 1e-12, .ceiling = 1};
  EXPECT_EQ(judge(
                nodes, 1e-14, [](int) { return 1.01e-12; }, floor),
            Accuracy::missed);
  EXPECT_EQ(judge(nodes, 1e-14, [](int) { return std::nan(""); }), Accuracy::missed);
  // The step after it begins with few points again.
  EXPECT_LE(nodes.count(), PathNodes::kMostGauss);
}

TEST(PathNodes, WhatStaysBelowTheRoundingFloorIsReached) {
  PathNodes nodes;
  const RoundingFloor floor{.error = 1e-14, .ceiling = 1};
  int tries = 0;
  const auto noise = [&](int) { return (++tries % 2 == 0 ? 1 : 2) * 3e-15; };
  EXPECT_EQ(judge(nodes, 1e-16, noise, floor), Accuracy::reached);
  EXPECT_EQ(tries, 3);
  // The steps that follow need not find this out again. Now and then one tries with fewer points.
  tries = 0;
  for (int k = 0; k < 100; ++k) {
    EXPECT_EQ(judge(nodes, 1e-16, noise, floor), Accuracy::reached);
  }
  EXPECT_LE(tries, 110);
}

// A floor is no tolerance: where more points make the error smaller, it gets them.
TEST(PathNodes, WhatMorePointsMakeSmallerIsNotRounding) {
  PathNodes nodes;
  const RoundingFloor floor{.error = 1e-6, .ceiling = 1};
  const auto fast = [](int n) { return std::pow(10.0, -n); };
  EXPECT_EQ(judge(nodes, 1e-14, fast, floor), Accuracy::reached);
  EXPECT_LE(fast(nodes.used()), 1e-14);
}

// Of energies that do not say how they round: the error of a mean that has converged is that of the energy itself.
TEST(PathNodes, WhatNoNumberOfPointsChangesIsRounding) {
  PathNodes nodes;
  int tries = 0;
  const auto steady = [&](int n) { return ++tries, 7e-12 * (1 + 0.02 / n); };
  EXPECT_EQ(judge(nodes, 1e-14, steady, {}, 1e-9), Accuracy::reached);
  EXPECT_EQ(tries, 3);
  EXPECT_EQ(judge(
                nodes, 1e-14, [](int) { return 1.01e-9; }, {}, 1e-9),
            Accuracy::missed);
  const auto slow = [](int n) { return 1e-10 * std::pow(1.2, -n); };
  EXPECT_EQ(judge(nodes, 1e-16, slow, {}, 1e-9), Accuracy::reached);
  EXPECT_LE(slow(nodes.used()), 1e-16) << "not by its size alone";
}

TEST(PathNodes, WhatRoundingHidesIsDrowned) {
  PathNodes nodes;
  EXPECT_EQ(judge(nodes, 1e-14, [](int) { return 3e-6; }, {.error = 1e-5, .ceiling = 1e-6}),
            Accuracy::drowned);
  EXPECT_EQ(judge(nodes, 1e-14, [](int) { return 3e-6; }, {.error = 1e-5, .ceiling = 1e-4}),
            Accuracy::reached);
}

TEST(PathNodes, GrowsByWhatTheRateAsksFor) {
  PathNodes nodes;
  int tries = 0;
  const auto fast = [&](int n) { return ++tries, std::pow(10.0, -n); };
  EXPECT_EQ(judge(nodes, 2e-11, fast), Accuracy::reached);
  EXPECT_EQ(nodes.used(), 11);
  EXPECT_EQ(tries, 4) << "2 and 3 points, twice as many, then what is missing";
}

// J along the path of a tet is a cubic, which may fall below zero between any two nodes.
TEST(FallsToZero, SeesWhatNodesDoNot) {
  // (θ − ½)² minus a little, divided by its value at the start: positive at both ends and at Gauss's nodes.
  EXPECT_TRUE(falls_to_zero(0.25 - 1e-4, -1, 1, 0));
  EXPECT_FALSE(falls_to_zero(0.25 + 1e-4, -1, 1, 0));
  EXPECT_TRUE(falls_to_zero(1, -2, 0, 0)) << "at the end";
  EXPECT_TRUE(falls_to_zero(-0.1, 2, 0, 0)) << "at the start";
  EXPECT_FALSE(falls_to_zero(1, -0.9, 0, 0));
  std::mt19937 random(3);
  std::uniform_real_distribution<double> d(-3, 3);
  for (int k = 0; k < 2000; ++k) {
    const std::array<double, 4> c = {std::abs(d(random)), d(random), d(random), d(random)};
    double least = c[0];
    for (int i = 0; i <= 2000; ++i) {
      const double t = i / 2000.0;
      least = std::min(least, ((c[3] * t + c[2]) * t + c[1]) * t + c[0]);
    }
    if (std::abs(least) > 1e-4) {
      EXPECT_EQ(falls_to_zero(c[0], c[1], c[2], c[3]), least < 0) << k;
    }
  }
}

// Two axes shrink through zero one after the other: J is positive at both ends and at both of Gauss's nodes.
TEST(FallsToZero, BlocksPathsOfMaterialsWithABarrier) {
  const std::vector<Node> rule = gauss(2).nodes;
  std::vector<WeightedNode> nodes;
  for (const Node& n : rule) nodes.push_back({.theta = n.theta, .value = n.weight});
  const auto energy = [&](const char* material, double first, double second) {
    const Body body({.material = material});
    Vector d = Vector::Zero(body.rest.size());
    for (int i = 0; i < body.system.vertices(); ++i) {
      d[3 * i] = -body.rest[3 * i] / first;
      d[3 * i + 1] = -body.rest[3 * i + 1] / second;
    }
    return body.system.energies()[0]->evaluate(
        {.x0 = body.rest.data(), .d = d.data(), .nodes = nodes});
  };
  for (const char* material : {"neo-hookean", "neo-hookean-log", "mooney-rivlin"}) {
    EXPECT_TRUE(std::isinf(energy(material, 0.4, 0.6))) << material;
    EXPECT_TRUE(std::isfinite(energy(material, 4, 6))) << material;
  }
  EXPECT_TRUE(std::isfinite(energy("stvk", 0.4, 0.6)));
}

// A bar squeezed to a small part of its length flies apart. Its energy is kept, or the run stops.
struct Squeeze {
  const char* material;
  double to;
  double h;
};

class SqueezedBar : public ::testing::TestWithParam<Squeeze> {};

TEST_P(SqueezedBar, KeepsItsEnergyOrStops) {
  const auto [material, to, h] = GetParam();
  Body body(
      {.size = {2, 0.5, 0.5}, .cells = {3, 2, 2}, .material = material, .mu = 50, .lambda = 30});
  State state = body.at_rest();
  for (int i = 0; i < body.system.vertices(); ++i) state.x[3 * i] *= to;
  Parameters automatic;
  automatic.set("quadrature", "auto");
  const auto integrator =
      make_integrator(body.system, make_scheme("avf", automatic), {.energy_tolerance = 1e-12});
  double first = 0;
  int steps = 0;
  for (; steps < 10; ++steps) {
    const StepReport report = step_with_halving(*integrator, state, h, 6);
    if (steps == 0) first = report.before.total;
    if (!succeeded(report.status)) break;
    ASSERT_NEAR(report.after.total, first, 1e-9 * first) << "step " << steps + 1;
  }
  // What is known to work goes on doing so.
  EXPECT_EQ(steps, 10);
}

INSTANTIATE_TEST_SUITE_P(
    Barriers, SqueezedBar, ::testing::ValuesIn([] {
      std::vector<Squeeze> all;
      for (const char* m : {"neo-hookean", "neo-hookean-log", "mooney-rivlin"}) {
        for (const double to : {0.02, 0.1}) {
          for (const double h : {1.0 / 300, 1.0 / 30, 0.1}) {
            all.push_back({m, to, h});
          }
        }
      }
      return all;
    }()));

// A body so light that rounding errors of its forces are as large as its weight.
TEST(DrownedInRounding, IsAFailedStep) {
  for (const double mass : {1e-16, 1e-15}) {
    Body body({.mu = 100, .lambda = 100, .mass = mass, .gravity = {0, -9.81, 0}});
    const auto integrator = make_integrator(body.system, make_scheme("implicit-midpoint"), {});
    State state = body.at_rest();
    StepReport report;
    for (int k = 0; k < 5 && succeeded(report.status); ++k)
      report = integrator->step(state, 1.0 / 30);
    EXPECT_EQ(report.status, StepStatus::drowned_in_rounding) << mass;
  }
  // At rest nothing happens, and rounding is all there is: that is fine.
  for (const char* method :
       {"implicit-midpoint", "energy-momentum", "discrete-gradient", "gauss"}) {
    Body still({.mu = 1e6, .lambda = 1e6, .mass = 1});
    const auto integrator = make_integrator(still.system, make_scheme(method), {});
    State state = still.at_rest();
    EXPECT_TRUE(succeeded(integrator->step(state, 1.0 / 30).status)) << method;
  }
  EXPECT_THROW(Body({.mass = 1e-160}), Error);
}

// Equations that are not minimised have the same ceiling.
TEST(DrownedInRounding, IsAFailedStepOfRootFindsToo) {
  for (const char* method : {"discrete-gradient", "gauss", "held"}) {
    const bool held = std::string(method) == "held";
    Body body({.mu = 100, .lambda = 100, .mass = 1e-16, .gravity = {0, -9.81, 0}});
    if (held) body.system.add(std::make_unique<PointConstraint>(0, Vec3(body.rest.head<3>())));
    const auto integrator =
        make_integrator(body.system, make_scheme(held ? "implicit-midpoint" : method), {});
    State state = body.at_rest();
    StepReport report;
    for (int k = 0; k < 5 && succeeded(report.status); ++k)
      report = integrator->step(state, 1.0 / 30);
    EXPECT_EQ(report.status, StepStatus::drowned_in_rounding) << method;
  }
}
// The zero of a potential is arbitrary, and tolerances do not grow with it.
TEST(AdaptiveAverage, DoesNotTakeTheZeroOfAPotentialForEnergy) {
  const TempFolder folder;
  for (const char* zero : {"0", "1e6", "-1e7"}) {
    const Scene scene = load_scene(folder.write(
        "s.toml", std::string("[integrator]\nmethod = \"avf\"\nstep = 0.1\nsteps = 400\n[system]\n"
                              "kind = \"lagrangian\"\ncoordinates = [\"x\"]\n"
                              "kinetic = \"x'^2/2\"\npotential = \"1 - cos(x) + ") +
                      zero + "\"\n[system.position]\nx = 1.5\n"));
    const auto integrator = make_integrator(*scene.system, scene.settings.scheme, {});
    State state = scene.initial;
    const auto energy = [&] { return state.v.squaredNorm() / 2 - std::cos(state.x[0]); };
    const double start = energy();
    double worst = 0;
    for (int k = 0; k < 400; ++k) {
      ASSERT_TRUE(succeeded(integrator->step(state, 0.1).status)) << zero << " " << k;
      worst = std::max(worst, std::abs(energy() - start));
    }
    // The energies that a step compares are known to 1e-16 of the zero.
    EXPECT_LE(worst, std::max(1e-12, 400 * 2e-16 * std::abs(std::stod(zero)) / 10)) << zero;
  }
}

// With forces, and masses that are not constant, the energy's balance is no measure of the mean: steps failed.
TEST(AdaptiveAverage, KeepsTheOrderOfGeneralLagrangiansUnderForces) {
  const TempFolder folder;
  const auto file = folder.write(
      "s.toml",
      "[integrator]\nmethod = \"yoshida\"\nbase = \"avf\"\nquadrature = \"auto\"\norder = 6\n"
      "step = 0.1\nduration = 2\n"
      "[system]\nkind = \"lagrangian\"\ncoordinates = [\"a\", \"b\"]\n"
      "kinetic = \"a'^2*(2 + cos(b))/2 + b'^2/2 + a'*b'*sin(a)/3\"\n"
      "potential = \"a^2/2 + (a - b)^4/4\"\n[system.position]\na = 1\nb = -0.5\n"
      "[system.force]\na = \"0.7*cos(2*t) - 0.3*a'\"\nb = \"0.4*sin(a)*cos(t)\"\n");
  std::vector<Vector> ends;
  for (const int halvings : {0, 1, 2, 4}) {
    const Scene scene = load_scene(file);
    const auto integrator = make_integrator(*scene.system, scene.settings.scheme, {});
    State state = scene.initial;
    const int steps = 20 << halvings;
    for (int k = 0; k < steps; ++k) {
      ASSERT_TRUE(succeeded(integrator->step(state, 2.0 / steps).status)) << steps;
    }
    ends.push_back(state.x);
  }
  const double first = (ends[0] - ends[3]).norm();
  const double second = (ends[1] - ends[3]).norm();
  const double third = (ends[2] - ends[3]).norm();
  EXPECT_NEAR(std::log2(first / second), 6, 0.5);
  EXPECT_NEAR(std::log2(second / third), 6, 0.5);
}

}  // namespace
}  // namespace lilyan::test::path_nodes_test
