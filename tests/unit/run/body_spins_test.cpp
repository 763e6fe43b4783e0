// Each body keeps an angular momentum of its own while it is apart from the others.
#include "app/run/body_spins.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "app/run/conservation.hpp"
#include "app/run/runner.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test::body_spins_test {
namespace {

const std::string kBody =
    "mass = 1\nmaterial = { mu = 50, lambda = 30 }\n"
    "shape = { kind = \"bar\", size = [1, 0.6, 0.6], cells = [2, 1, 1] }\n"
    "deform = [{ kind = \"stretch\", factors = [1.2, 1, 1] }]\n";
const std::string kTwo = "[[body]]\nname = \"left\"\n" + kBody +
                         "angular_velocity = [0, 1, 4]\nvelocity = [1, 0, 0]\n"
                         "[[body]]\nname = \"right\"\n" +
                         kBody +
                         "angular_velocity = [2, 0, -3]\nvelocity = [-1, 0, 0]\n"
                         "translate = [2.5, 0.3, 0.1]\n";
const std::string kContact = "[[contact]]\nstiffness = 400\nthickness = 0.1\n";

struct Result {
  RunSummary summary;
  std::vector<Verdict> verdicts;
};

Result run(const std::string& parts, const std::string& method, int steps = 40,
           const std::string& gravity = "[0, 0, 0]") {
  const TempFolder folder;
  const Scene scene =
      load_scene(folder.write("s.toml", "[integrator]\nmethod = \"" + method +
                                            "\"\nstep = 0.05\nsteps = " + std::to_string(steps) +
                                            "\n[world]\ngravity = " + gravity + "\n" + parts));
  DriftTracker drift(*scene.system, scene.initial, invariants(*scene.system, scene.initial));
  Result r;
  r.summary = run_scene(scene, drift, [](const RunMoment&) { return true; });
  EXPECT_EQ(r.summary.end, RunEnd::finished) << r.summary.message;
  r.verdicts = verdicts(*scene.system, r.summary, drift);
  return r;
}

// In free fall, too.
TEST(BodySpins, OfBodiesThatDoNotTouch) {
  for (const char* gravity : {"[0, 0, 0]", "[1, -5, 2]"}) {
    const Result plain = run(kTwo, "avf", 40, gravity);
    const Result kept = run(kTwo, "energy-momentum", 40, gravity);
    ASSERT_EQ(kept.summary.bodies.size(), 2U);
    EXPECT_EQ(kept.summary.bodies[0].name, "left");
    EXPECT_EQ(kept.summary.bodies[1].name, "right");
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_GT(plain.summary.bodies[k].angular.worst_relative(), 1e-6);
      EXPECT_LE(kept.summary.bodies[k].angular.worst_relative(), 1e-12);
      EXPECT_EQ(kept.summary.bodies[k].steps_apart, 40);
      EXPECT_NEAR(kept.summary.bodies[k].now, kept.summary.bodies[k].initial, 1e-12);
    }
    EXPECT_NE(plain.verdicts.back().kept, Kept::conserved);
    EXPECT_EQ(kept.verdicts.back().kept, Kept::conserved);
    EXPECT_NE(kept.verdicts.back().text.find("each of 2 bodies while apart"), std::string::npos)
        << kept.verdicts.back().text;
  }
}

// What is changed by hand between two steps is no error either.
TEST(BodySpins, OfBodiesThatAreTurnedByHand) {
  const TempFolder folder;
  const Scene scene = load_scene(folder.write(
      "s.toml", "[integrator]\nmethod = \"energy-momentum\"\nstep = 0.05\nsteps = 10\n" + kTwo));
  DriftTracker drift = follow_drift(scene);
  SceneRun run(scene, drift, nullptr);
  for (int k = 0; k < 5; ++k) ASSERT_TRUE(run.step());
  run.editable_state().v *= 1.5;
  run.state_changed();
  for (int k = 0; k < 5; ++k) ASSERT_TRUE(run.step());
  for (const BodySpins::Body& body : run.finish().bodies) {
    EXPECT_LE(body.angular.worst_relative(), 1e-12) << body.name;
    EXPECT_EQ(body.steps_apart, 5) << body.name;
  }
}

// Bodies that meet give each other some, which is no error of the method.
TEST(BodySpins, OfBodiesThatMeet) {
  const Result met = run(kTwo + kContact, "energy-momentum", 120);
  ASSERT_EQ(met.summary.bodies.size(), 2U);
  for (const BodySpins::Body& body : met.summary.bodies) {
    EXPECT_GT(body.steps_apart, 20);  // half of them after the contact
    EXPECT_LT(body.steps_apart, 115);
    EXPECT_GT(std::abs(body.now - body.initial), 1e-3);
    EXPECT_LE(body.angular.worst_relative(), 1e-11) << body.name;
  }
}

// Two bars graze each other within one step, which is solved in halves: neither at its start nor at its end, nor on
// the straight way between, do they touch.
TEST(BodySpins, OfBodiesThatMeetAndPartWithinAStep) {
  const TempFolder folder;
  const std::string bar =
      "shape = { kind = \"bar\", size = [0.03, 0.005, 0.005], cells = [6, 2, 2] }\n"
      "density = 1100\nmaterial = { model = \"neo-hookean\", young = 1e9, poisson = 0.3 }\n";
  const auto file = folder.write(
      "s.toml",
      "[integrator]\nmethod = \"energy-momentum\"\nstep = 0.016666666666666666\nsteps = 10\n"
      "[[body]]\nname = \"a\"\n" +
          bar + "velocity = [0, 0.015, 0]\nangular_velocity = [0, 0, 5]\n[[body]]\nname = \"b\"\n" +
          bar + "translate = [0.006, 0.01, 0]\n[[contact]]\nstiffness_per_area = 3.3e5\n" +
          "thickness = 0.002\n");
  const Scene scene = load_scene(file);
  DriftTracker drift(*scene.system, scene.initial, invariants(*scene.system, scene.initial));
  const RunSummary summary = run_scene(scene, drift, [](const RunMoment&) { return true; });
  ASSERT_GT(summary.halved_steps, 0);
  ASSERT_EQ(summary.bodies.size(), 2U);
  for (const BodySpins::Body& body : summary.bodies) {
    EXPECT_GT(std::abs(body.now - body.initial), 1e-8) << body.name;
    EXPECT_GT(body.steps_apart, 3) << body.name;
    EXPECT_LE(body.angular.worst_relative(), 1e-10) << body.name;
  }
}

// About a point that a constraint holds all of it, with gravity the part about the vertical; on three points
// there is nothing to keep.
TEST(BodySpins, OfBodiesThatAreHeld) {
  const auto scene = [](const std::string& vertices, const std::string& gravity) {
    return run(
        kTwo + "[[constraint]]\nkind = \"point\"\nbody = \"left\"\nvertices = " + vertices + "\n",
        "energy-momentum", 30, gravity + "\nproject_velocities = true");
  };
  for (const char* gravity : {"[0, 0, 0]", "[0, -3, 0]"}) {
    const Result one = scene("[3]", gravity);
    ASSERT_EQ(one.summary.bodies.size(), 2U) << gravity;
    EXPECT_GT(one.summary.bodies[0].initial, 1e-2) << gravity;
    EXPECT_LE(one.summary.bodies[0].angular.worst_relative(), 1e-11) << gravity;
    const Result three = scene("[0, 3, 5]", gravity);
    ASSERT_EQ(three.summary.bodies.size(), 1U) << gravity;
    EXPECT_EQ(three.summary.bodies[0].name, "right");
  }
}

// A bar of eight points at its corners and four at its middle, by hand: how it flies does not matter.
TEST(BodySpins, AreAboutTheCentreOfMass) {
  const auto spin = [](const std::string& flight) {
    const std::string body = "[[body]]\n" + kBody + "angular_velocity = [0, 0, 2]\n";
    const Result r = run(body + flight + body + "translate = [5, 0, 0]\n", "avf", 1);
    EXPECT_EQ(r.summary.bodies.size(), 2U);
    return r.summary.bodies.at(0).initial;
  };
  const double still = spin("");
  EXPECT_NEAR(spin("velocity = [3, -2, 8]\ntranslate = [0, 4, 1]\n"), still, 1e-12);
  // Between the bar with all of its mass at its corners, 1.2 long and 0.6 wide, and half of that.
  const double corners = 2 * (0.6 * 0.6 + 0.3 * 0.3);
  EXPECT_LT(still, corners);
  EXPECT_GT(still, corners / 2);
}

TEST(BodySpins, OfOneBodyAreItsOwn) {
  EXPECT_TRUE(run("[[body]]\n" + kBody, "energy-momentum", 2).summary.bodies.empty());
  const std::string spring =
      "[[spring]]\nbodies = [\"left\", \"right\"]\nvertices = [11, 0]\nstiffness = 10\n";
  EXPECT_TRUE(run(kTwo + spring, "energy-momentum", 2).summary.bodies.empty());
  const std::string floor =
      "[[obstacle]]\nkind = \"plane\"\npoint = [0, -9, 0]\nnormal = [0, 1, 0]\nstiffness = 100\n";
  EXPECT_TRUE(run(kTwo + floor, "energy-momentum", 2).summary.bodies.empty());
}

}  // namespace
}  // namespace lilyan::test::body_spins_test
