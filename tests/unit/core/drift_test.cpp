// The scales that deviations are measured against must not depend on where the origin is.
#include "lilyan/core/drift.hpp"

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

TEST(Trend, ALineThroughValues) {
  Trend trend;
  for (int k = 0; k <= 100; ++k) trend.add(5 + 0.1 * k, 3 - 0.2 * k);
  EXPECT_NEAR(trend.drift(), -20, 1e-12);
  EXPECT_NEAR(trend.band(), 20, 1e-12);
  EXPECT_FALSE(trend.bounded());
}

// A wave of n periods that begins at its mean is the worst case: its line rises by 0.95/n of the band.
TEST(Trend, WavesAreBoundedWhereSeveralAreSeen) {
  const auto wave = [](double periods, double slope) {
    Trend trend;
    for (int k = 0; k <= 1000; ++k) {
      const double t = 1e-3 * k;
      trend.add(t, std::sin(2 * std::numbers::pi * periods * t) + slope * t);
    }
    return trend;
  };
  EXPECT_FALSE(wave(1, 0).bounded());
  EXPECT_TRUE(wave(6, 0).bounded());
  EXPECT_NEAR(wave(6, 0).drift(), -0.95 * 2 / 6, 0.01);
  EXPECT_FALSE(wave(6, 3).bounded());
  EXPECT_FALSE(wave(6, -1).bounded());
}

TEST(Trend, AFewValuesSayNothing) {
  Trend trend;
  for (int k = 0; k < 9; ++k) trend.add(k, k % 2);
  EXPECT_FALSE(trend.bounded());
}

TEST(Deviation, HasThreeVerdicts) {
  const auto verdict = [](double size, double slope) {
    Deviation d{.scale = 2};
    for (int k = 0; k < 1000; ++k) d.add(k, size * std::sin(0.5 * k) + slope * k);
    return d.kept();
  };
  EXPECT_EQ(verdict(1e-9, 0), Kept::conserved);
  EXPECT_EQ(verdict(1e-3, 0), Kept::bounded);
  EXPECT_EQ(verdict(1e-3, 1e-5), Kept::drifts);
  EXPECT_EQ(verdict(0.9, 0), Kept::drifts);  // that much is not kept, whatever it looks like
  Deviation nan{.scale = 1};
  for (int k = 0; k < 20; ++k) nan.add(k, std::nan(""));
  EXPECT_EQ(nan.kept(), Kept::drifts);
}

TEST(Swings, CountsThoseThatAreLargeBesideTheBand) {
  const auto count = [](double periods, double ripple) {
    Swings swings;
    for (int k = 0; k <= 10000; ++k) {
      const double t = 2 * std::numbers::pi * 1e-4 * k;
      swings.add(3 - std::cos(periods * t) + ripple * std::sin(400 * t));
    }
    return swings.count();
  };
  EXPECT_EQ(count(0.4, 0), 0);
  EXPECT_NEAR(count(1, 0), 1, 0.5);
  EXPECT_NEAR(count(7, 0), 7, 0.5);
  EXPECT_NEAR(count(1, 0.05), 1, 0.5);  // a ripple does not count,
  EXPECT_GT(count(1, 1), 100);          // a wave does
  Swings line;
  for (int k = 0; k < 1000; ++k) line.add(-2.0 * k);
  EXPECT_EQ(line.count(), 0);
}

// Below five swings a method that promises a band is not said to leave it for what a wave could do as well.
TEST(Deviation, IsUndecidedWhereAPromisedBandCannotBeToldFromADrift) {
  const auto verdict = [](bool promised, double periods, double slope) {
    Deviation d{.scale = 1, .promised_bounded = promised, .swings = periods};
    for (int k = 0; k <= 1000; ++k) {
      const double t = 1e-3 * k;
      d.add(t, 1e-4 * (std::sin(2 * std::numbers::pi * periods * t) + slope * t));
    }
    return d.kept();
  };
  for (const double periods : {0.1, 0.3, 0.7, 1.0, 2.0, 3.0, 4.0}) {
    EXPECT_EQ(verdict(true, periods, 0), Kept::undecided) << periods;
    EXPECT_EQ(verdict(false, periods, 0), Kept::drifts) << periods;
  }
  EXPECT_EQ(verdict(true, 0.5, 0), Kept::bounded);  // there and back
  EXPECT_EQ(verdict(true, 6, 0), Kept::bounded);
  EXPECT_EQ(verdict(false, 6, 0), Kept::bounded);
  // A line that rises by more than waves could is a drift, whatever was promised.
  EXPECT_EQ(verdict(true, 2, 20), Kept::drifts);
  EXPECT_EQ(verdict(true, 6, 3), Kept::drifts);
  EXPECT_EQ(verdict(true, 50, 3), Kept::drifts);
  Deviation large{.scale = 1, .promised_bounded = true};
  for (int k = 0; k <= 100; ++k) large.add(k, 0.01 * k);
  EXPECT_EQ(large.kept(), Kept::drifts);
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

}  // namespace
}  // namespace lilyan::test::drift_test
