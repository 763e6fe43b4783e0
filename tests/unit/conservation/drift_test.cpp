// The scales that deviations are measured against must not depend on where the origin is.
#include "lilyan/conservation/drift.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "app/run/conservation.hpp"
#include "app/run/runner.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test::drift_test {
namespace {

struct Worst {
  double energy, linear, angular;
};

Worst run(const std::string& body, const std::string& gravity, const std::string& method) {
  const TempFolder folder;
  const Scene scene = load_scene(folder.write(
      "s.toml", "[integrator]\nmethod = \"" + method + "\"\nstep = 0.05\nsteps = 20\n" +
                    "[world]\ngravity = " + gravity +
                    "\n[[body]]\nmass = 2\nmaterial = { mu = 50, lambda = 50 }\n" +
                    "shape = { kind = \"bar\", size = [2, 1, 1], cells = [2, 1, 1] }\n" + body));
  DriftTracker drift(*scene.system, scene.initial, invariants(*scene.system, scene.initial));
  run_scene(scene, drift, [](const RunMoment&) { return true; });
  return {drift.energy().worst_relative(), drift.linear_momentum().worst_relative(),
          drift.angular_momentum().worst_relative()};
}

const std::string kStretch = "deform = [{ kind = \"stretch\", factors = [1.3, 1, 1] }]\n";

TEST(Drift, OfEnergyDoesNotDependOnTheHeightAboveGravitysZero) {
  const std::string g = "[0, -9.81, 0]";
  const double here = run(kStretch, g, "backward-euler").energy;
  const double high = run(kStretch + "translate = [0, 1e5, 0]\n", g, "backward-euler").energy;
  EXPECT_GT(here, 1e-2);
  EXPECT_NEAR(high, here, 1e-6 * here);
}

TEST(Drift, OfAngularMomentumDoesNotDependOnTheOrigin) {
  const std::string spin = kStretch + "angular_velocity = [0, 0, 2]\nvelocity = [100, 0, 0]\n";
  const double here = run(spin, "[0, 0, 0]", "avf").angular;
  const double far = run(spin + "translate = [0, 1e5, 0]\n", "[0, 0, 0]", "avf").angular;
  EXPECT_GT(here, 1e-5);
  EXPECT_NEAR(far, here, 1e-3 * here);
}

TEST(Drift, OfABodyAtRestIsNotMadeOfRoundingErrors) {
  const Worst worst = run("rotate = { axis = [1, 2, 3], angle = 37 }\n", "[0, 0, 0]", "avf");
  EXPECT_LT(worst.energy, 1e-12);
  EXPECT_LT(worst.linear, 1e-9);
  EXPECT_LT(worst.angular, 1e-9);
}

// A body that the start has pressed into an obstacle, without gravity, is thrown off by the energy of contact.
TEST(Drift, OfABodyPressedIntoAnObstacleIsComparedWithTheEnergyOfContact) {
  const std::string pressed =
      "[[obstacle]]\nkind = \"plane\"\npoint = [0, 0.2, 0]\nstiffness = 100\n";
  const double kept = run(pressed, "[0, 0, 0]", "avf").energy;
  const double lost = run(pressed, "[0, 0, 0]", "backward-euler").energy;
  EXPECT_LT(kept, 1e-12);
  EXPECT_GT(lost, 1e-2);
  EXPECT_LT(lost, 1);
}

// Symplectic methods promise a band, the others do not; a force or a damping takes the promise away.
TEST(Drift, IsUndecidedInShortRunsOfSymplecticMethodsOnly) {
  const auto verdict = [](const std::string& method, int steps, const std::string& more = "") {
    const TempFolder folder;
    const Scene scene = load_scene(folder.write(
        "s.toml", "[integrator]\nmethod = \"" + method + "\"\nstep = 0.05\nsteps = " +
                      std::to_string(steps) + "\n[system]\nkind = \"lagrangian\"\n" +
                      "coordinates = [\"a\"]\nkinetic = \"a'^2/2\"\npotential = \"1 - cos(a)\"\n" +
                      "position = { a = 0.8 }\n" + more));
    DriftTracker drift = follow_drift(scene);
    run_scene(scene, drift, [](const RunMoment&) { return true; });
    return drift.energy().kept();
  };
  for (const char* method :
       {"stoermer-verlet", "implicit-midpoint", "symplectic-euler-a", "newmark"}) {
    for (const int steps : {5, 15, 20, 31}) {
      EXPECT_EQ(verdict(method, steps), Kept::undecided) << method << " " << steps;
    }
    for (int steps = 40; steps < 400; steps += 20) {
      EXPECT_NE(verdict(method, steps), Kept::drifts) << method << " " << steps;
    }
    EXPECT_EQ(verdict(method, 2000), Kept::bounded) << method;
  }
  for (const char* method : {"explicit-euler", "backward-euler", "bdf2"}) {
    for (const int steps : {5, 15, 31, 60, 2000}) {
      EXPECT_EQ(verdict(method, steps), Kept::drifts) << method << " " << steps;
    }
  }
  EXPECT_EQ(verdict("rk4", 20000), Kept::drifts);
  EXPECT_EQ(verdict("stoermer-verlet", 15, "force = { a = \"-0.01*a'\" }\n"), Kept::drifts);
}

// A body that turns about one fixed vertex, or about the line through two, keeps that much of its angular
// momentum, wherever the vertices are; about three that are not on a line it keeps none.
TEST(Drift, KnowsTheAngularMomentumAboutFixedVertices) {
  const std::string spin = kStretch + "angular_velocity = [1, 0, 2]\ntranslate = [3, 1, 2]\n";
  const auto fixed = [&](const char* vertices) {
    if (std::string(vertices).empty()) return spin;
    return spin + "fix = [{ vertices = " + vertices + " }]\n";
  };
  for (const char* vertices : {"[3]", "[0, 1]"}) {
    EXPECT_GT(run(fixed(vertices), "[0, 0, 0]", "avf").angular, 1e-6) << vertices;
    EXPECT_LT(run(fixed(vertices), "[0, 0, 0]", "energy-momentum").angular, 1e-11) << vertices;
  }
  const auto kept = [&](const char* vertices, const char* gravity) {
    const TempFolder folder;
    const Scene scene = load_scene(folder.write(
        "s.toml", std::string("[integrator]\nstep = 0.05\nsteps = 1\n[world]\ngravity = ") +
                      gravity + "\n[[body]]\nmass = 2\nmaterial = { mu = 50, lambda = 50 }\n" +
                      "shape = { kind = \"bar\", size = [2, 1, 1], cells = [2, 1, 1] }\n" +
                      fixed(vertices)));
    return spin_invariant(*scene.system, scene.initial.x).about;
  };
  using About = SpinInvariant::About;
  EXPECT_EQ(kept("[3]", "[0, 0, 0]"), About::point);
  EXPECT_EQ(kept("[0, 1]", "[0, 0, 0]"), About::axis);
  EXPECT_EQ(kept("[0, 4, 8]", "[0, 0, 0]"), About::axis);
  EXPECT_EQ(kept("[0, 1, 5]", "[0, 0, 0]"), About::nothing);
  // With gravity, the part about the vertical.
  EXPECT_EQ(kept("[3]", "[0, -1, 0]"), About::axis);
  EXPECT_EQ(kept("[0, 1]", "[0, -1, 0]"), About::nothing);
  EXPECT_EQ(kept("", "[0, -1, 0]"), About::direction);
}

// On a circle kinetic and potential energy exchange nothing, and a hundredth of the kinetic energy counts. What is
// shown is a share of a size that means something.
TEST(Drift, IsShownAsAShareOfTheWholeKineticEnergy) {
  const auto size = [](double start) {
    Deviation d;
    d.start = start;
    d.exchanges(1e-2 * 0.5, 0, SizeOf::part_of_kinetic);
    return d.size();
  };
  EXPECT_EQ(size(0).of, SizeOf::kinetic);
  EXPECT_DOUBLE_EQ(size(0).value, 0.5);
  EXPECT_EQ(size(1).of, SizeOf::start);
  EXPECT_EQ(size(1e8).of, SizeOf::kinetic);
  EXPECT_DOUBLE_EQ(size(1e8).value, 0.5);
}

}  // namespace
}  // namespace lilyan::test::drift_test
