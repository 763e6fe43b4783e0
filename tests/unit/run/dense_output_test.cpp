// Events and output between steps: found by shortened steps, which keep what the method keeps.
#include "app/run/dense_output.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numbers>
#include <sstream>

#include "app/report/folder/result_folder.hpp"
#include "app/run/runner.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/conservation/drift.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test::dense_output_test {
namespace {

// x = sin t, so that x passes through zero at multiples of π.
std::string oscillator(const std::string& more, const std::string& method = "gauss",
                       double step = 0.1, int steps = 200) {
  std::ostringstream text;
  text << "[integrator]\nmethod = \"" << method << "\"\nstep = " << step << "\nsteps = " << steps
       << "\n[system]\nkind = \"lagrangian\"\ncoordinates = \"x\"\nkinetic = \"x'^2/2\"\n"
       << "potential = \"x^2/2\"\nvelocity = { x = 1 }\nexact = { x = \"sin(t)\" }\n"
       << more;
  return text.str();
}

struct Ran {
  FinishedRun summary;
  std::vector<EventHit> events;
  std::vector<State> samples;
};

Ran run(const Scene& scene) {
  Ran ran;
  DriftTracker drift(*scene.system, scene.initial, invariants(*scene.system, scene.initial));
  ran.summary = run_scene(scene, drift, [&](const RunMoment& moment) {
    ran.events.insert(ran.events.end(), moment.events.begin(), moment.events.end());
    ran.samples.insert(ran.samples.end(), moment.samples.begin(), moment.samples.end());
    return true;
  });
  return ran;
}

Scene load(const std::string& text) {
  const TempFolder folder;
  return load_scene(folder.write("scene.toml", text));
}

TEST(Events, AreFoundInBothDirections) {
  const std::string event = "[[system.event]]\nname = \"zero\"\nzero = \"x\"\n";
  const Ran both = run(load(oscillator(event, "gauss", 0.1)));
  ASSERT_EQ(both.events.size(), 6u);  // π … 6π; at t = 0 it starts there
  for (std::size_t k = 0; k < 6; ++k) {
    // Late by the phase error of the method, at zero to the rounding of the time.
    const double t = (static_cast<double>(k) + 1) * std::numbers::pi;
    EXPECT_NEAR(both.events[k].state.t, t, 1.5e-7 * t);
    EXPECT_LE(std::abs(both.events[k].state.x[0]), 4e-15);
  }
  const Ran rising = run(load(oscillator(event + "direction = \"rising\"\n")));
  ASSERT_EQ(rising.events.size(), 3u);
  EXPECT_NEAR(rising.events[0].state.t, 2 * std::numbers::pi, 2e-6);
  EXPECT_EQ(run(load(oscillator(event + "direction = \"falling\"\n"))).events.size(), 3u);
  // The run itself is not changed by looking.
  const Ran without = run(load(oscillator("")));
  EXPECT_EQ(without.summary.state.x, both.summary.state.x);
}

// AVF keeps the energy at the event as well; a straight line between the steps would not.
TEST(Events, KeepTheInvariantsOfTheMethod) {
  const std::string text =
      oscillator("[[system.event]]\nname = \"zero\"\nzero = \"x - 0.3\"\n", "avf", 0.5, 100);
  const Scene scene = load(text);
  const Ran ran = run(scene);
  ASSERT_GE(ran.events.size(), 10u);
  for (const EventHit& hit : ran.events) {
    EXPECT_NEAR(invariants(*scene.system, hit.state).total, 0.5, 1e-14);
    EXPECT_NEAR(hit.state.x[0], 0.3, 1e-14);
  }
}

TEST(Events, AreInTheOrderOfTheirTimes) {
  const Ran ran = run(load(
      oscillator("[[system.event]]\nname = \"late\"\nzero = \"x - 0.95\"\ndirection = \"rising\"\n"
                 "[[system.event]]\nname = \"early\"\nzero = \"x - 0.9\"\ndirection = \"rising\"\n",
                 "gauss", 0.5, 4)));
  ASSERT_EQ(ran.events.size(), 2u);
  EXPECT_EQ(ran.events[0].event, 1);
  EXPECT_LT(ran.events[0].state.t, ran.events[1].state.t);
}

TEST(Events, CanEndTheRun) {
  const Scene scene =
      load(oscillator("[[system.event]]\nname = \"top\"\nzero = \"x'\"\nstop = true\n"
                      "[[system.event]]\nname = \"past\"\nzero = \"x' + 0.01\"\n"));
  const Ran ran = run(scene);
  EXPECT_EQ(ran.summary.end, RunEnd::event);
  EXPECT_NE(ran.summary.message.find("top"), std::string::npos);
  EXPECT_NEAR(ran.summary.t, std::numbers::pi / 2, 1e-6);
  EXPECT_EQ(ran.summary.state.t, ran.summary.t);
  EXPECT_EQ(ran.events.size(), 1u);  // what lies behind the end did not happen
  EXPECT_EQ(ran.summary.steps, 16);
}

// What friction takes up to the event, not what it would have taken in the whole step: with the
// force -0.8 v the velocity falls by 0.8 times the way.
TEST(Events, ThatEndTheRunEndItsLedger) {
  const Scene scene = load(
      "[integrator]\nmethod = \"implicit-midpoint\"\nstep = 0.5\nsteps = 9\n[system]\nkind = "
      "\"lagrangian\"\ncoordinates = \"x\"\nkinetic = \"x'^2/2\"\nvelocity = { x = 1 }\n"
      "dissipation = \"0.4*x'^2\"\n[[system.event]]\nname = \"far\"\nzero = \"x - 0.2\"\nstop = "
      "true\n");
  const Ran ran = run(scene);
  EXPECT_EQ(ran.summary.end, RunEnd::event);
  EXPECT_NEAR(ran.summary.ledger.dissipation, 0.5 * (0.84 * 0.84 - 1), 1e-12);
  EXPECT_NEAR(ran.summary.ledger.method, 0, 1e-12);
}

// With error control a step is two halves, and so is the shortened one.
TEST(Events, AreAtZeroUnderErrorControlToo) {
  const Scene scene =
      load("[step_control]\nkind = \"error\"\ntolerance = 1e-2\n" +
           oscillator("[[system.event]]\nname = \"zero\"\nzero = \"x\"\n", "avf", 0.1, 3000));
  const Ran ran = run(scene);
  ASSERT_GE(ran.events.size(), 80u);
  for (const EventHit& hit : ran.events) EXPECT_LE(std::abs(hit.state.x[0]), 1e-12);
}

TEST(Events, PolesAreNone) {
  const Scene scene = load(oscillator(
      "[[system.event]]\nname = \"pole\"\nzero = \"1/(x - 0.33)\"\n", "gauss", 0.1, 100));
  EXPECT_TRUE(run(scene).events.empty());
}

TEST(Samples, AreAtTheTimesAskedFor) {
  const Scene scene = load(oscillator("[output]\ninterval = 0.25\n", "gauss", 0.1, 100));
  const Ran ran = run(scene);
  ASSERT_EQ(ran.samples.size(), 40u);
  for (std::size_t k = 0; k < 40; ++k) {
    const double t = 0.25 * static_cast<double>(k + 1);
    EXPECT_NEAR(ran.samples[k].t, t, 1e-14);
    EXPECT_NEAR(ran.samples[k].x[0], std::sin(t), 5e-6);
  }
  // Also where steps are as they come.
  const Scene varied = load("[step_control]\nkind = \"error\"\ntolerance = 1e-6\n" +
                            oscillator("[output]\ninterval = 0.25\n", "stoermer-verlet", 0.1, 100));
  const Ran other = run(varied);
  ASSERT_EQ(other.samples.size(), 40u);
  for (std::size_t k = 0; k < 40; ++k) {
    EXPECT_NEAR(other.samples[k].x[0], std::sin(0.25 * static_cast<double>(k + 1)), 1e-3);
  }
}

TEST(Samples, TheLastStateIsInTheTrajectory) {
  const TempFolder folder;
  const Scene scene = load(oscillator("[output]\ninterval = 0.07\n", "gauss", 0.1, 3));
  ResultFolder results(folder.path() / "out", scene);
  DriftTracker drift(*scene.system, scene.initial, invariants(*scene.system, scene.initial));
  const FinishedRun summary = run_scene(scene, drift, [&](const RunMoment& moment) {
    results.add(moment);
    return true;
  });
  results.finish(summary, summary.state, drift);
  std::ifstream stream(folder.path() / "out" / "trajectory.csv");
  std::string line, last;
  while (std::getline(stream, line)) last = line;
  EXPECT_EQ(last.substr(0, 6), "3,0.30") << last;
}

TEST(Results, OfSmallSystemsHaveEventsPicturesAndInvariants) {
  const TempFolder folder;
  const auto into = folder.path() / "out";
  const Scene scene = load(oscillator(
      "[system.invariants]\nh = \"energy\"\n[[system.event]]\nname = \"low\"\nzero = \"x\"\n"
      "section = [\"x\", \"x'\"]\n[[system.plot]]\nname = \"circle\"\nx = \"x\"\ny = \"x'\"\nequal "
      "= true\n"));
  const auto run = [&](const Scene& of) {
    ResultFolder results(into, of);
    DriftTracker drift(*of.system, of.initial, invariants(*of.system, of.initial));
    const FinishedRun summary = run_scene(of, drift, [&](const RunMoment& moment) {
      results.add(moment);
      return true;
    });
    results.finish(summary, summary.state, drift);
    EXPECT_LE(results.watch().worst_error(), 1e-4);
    for (const auto& q : results.watch().invariants()) EXPECT_NEAR(q.deviation.worst, 0, 1e-12);
  };
  run(scene);
  run(scene);
  for (const char* name : {"trajectory", "phase", "energy", "circle", "section-low"}) {
    EXPECT_GT(std::filesystem::file_size(into / (std::string(name) + ".svg")), 500u) << name;
  }
  std::ifstream events(into / "events.csv");
  std::string line;
  std::getline(events, line);
  EXPECT_EQ(line, "event,t,x,v_x,energy_total,invariant_h");
  int rows = 0;
  while (std::getline(events, line)) ++rows;
  EXPECT_EQ(rows, 6);
  std::ifstream series(into / "series.csv");
  std::getline(series, line);
  EXPECT_NE(line.find(",invariant_h,exact_error"), std::string::npos);
  // A picture that the run did not write survives the next one.
  std::ofstream(into / "mine.png") << "mine";
  const Scene plain = load(oscillator("[output]\npictures = []\n"));
  run(plain);
  EXPECT_TRUE(std::filesystem::exists(into / "mine.png"));
  EXPECT_FALSE(std::filesystem::exists(into / "circle.svg"));
  EXPECT_FALSE(std::filesystem::exists(into / "events.csv"));
}

}  // namespace
}  // namespace lilyan::test::dense_output_test
