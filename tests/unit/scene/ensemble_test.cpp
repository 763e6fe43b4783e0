// Many initial conditions of a small system: which there are, that each runs as it would alone, and what is
// wrong with a table.
#include <gtest/gtest.h>

#include <cmath>

#include "app/report/folder/result_folder.hpp"
#include "app/run/ensemble.hpp"
#include "app/run/runner.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/conservation/drift.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test::ensemble_test {
namespace {

const std::string kHead =
    "[integrator]\nmethod = \"yoshida\"\nstep = 0.1\nsteps = 200\n[system]\n"
    "kind = \"lagrangian\"\n";
const std::string kHenon =
    kHead +
    "coordinates = [\"x\", \"y\"]\nkinetic = \"(x'^2 + y'^2)/2\"\n"
    "potential = \"(x^2 + y^2)/2 + x^2*y - y^3/3\"\n"
    "[system.parameters]\nE = 0.1\n[system.position]\ny = 0.1\n[system.velocity]\nx = 0.3\n"
    "[[system.event]]\nname = \"c\"\nzero = \"x\"\ndirection = \"rising\"\n"
    "section = [\"y\", \"y'\"]\n";

Scene scene_of(const std::string& text, const std::vector<std::string>& settings = {}) {
  const TempFolder folder;
  return load_scene(folder.write("scene.toml", text), {.settings = settings, .steps = {}});
}

std::string error_of(const std::string& table) {
  try {
    (void)scene_of(kHenon + "[[system.ensemble]]\n" + table);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Ensemble, ListsBelongTogetherAndRangesMultiply) {
  const Scene lists = scene_of(kHenon +
                               "[[system.ensemble]]\nposition.y = [0.2, \"2*E\", -0.1]\n"
                               "velocity.y = [0.1, 0.2, 0.3]\nvelocity.x = 0.05\n");
  ASSERT_EQ(lists.small().orbits.size(), 3U);
  EXPECT_EQ(lists.small().orbits[1].x, Vector::Unit(2, 1) * 0.2);
  EXPECT_EQ(lists.small().orbits[2].v[1], 0.3);
  EXPECT_EQ(lists.small().orbits[2].v[0], 0.05);
  const Scene grid = scene_of(kHenon +
                              "[[system.ensemble]]\n"
                              "position.y = { from = -0.2, to = 0.2, count = 5 }\n"
                              "velocity.y = { from = 0, to = 0.1, count = 2 }\n"
                              "[[system.ensemble]]\nposition.x = 0.2\n");
  ASSERT_EQ(grid.small().orbits.size(), 11U);
  EXPECT_EQ(grid.small().orbits[0].x[1], -0.2);
  EXPECT_NEAR(grid.small().orbits[3].x[1], 0.1, 1e-15);
  EXPECT_EQ(grid.small().orbits[9].x[1], 0.2);
  EXPECT_EQ(grid.small().orbits[9].v[1], 0.1);
  EXPECT_EQ(grid.small().orbits[9].v[0], 0.3) << "as in the scene's own state";
  EXPECT_EQ(grid.small().orbits[10].x[0], 0.2);
}

TEST(Ensemble, AllHaveTheEnergyThatIsAskedFor) {
  const Scene scene =
      scene_of(kHenon +
               "[[system.ensemble]]\nposition.y = { from = -1, to = 1, count = 21 }\n"
               "energy = \"E\"\nsolve = \"x'\"\n");
  EXPECT_GT(scene.small().orbits.size(), 5U);
  EXPECT_LT(scene.small().orbits.size(), 21U) << "some points cannot have it";
  ASSERT_EQ(scene.remarks.size(), 1U);
  EXPECT_NE(scene.remarks[0].find("of 21 points"), std::string::npos) << scene.remarks[0];
  for (const State& s : scene.small().orbits) {
    EXPECT_NEAR(invariants(*scene.system, s).total, 0.1, 1e-14);
    EXPECT_GE(s.v[0], 0);
  }
}

TEST(Ensemble, RandomPointsAreThoseOfTheirSeed) {
  const std::string table =
      "[[system.ensemble]]\nrandom = 20\nposition.y = { from = -1, to = 1 }\n"
      "velocity.y = { from = -0.3, to = 0.3 }\nenergy = \"E\"\nsolve = \"x'\"\n";
  const Scene a = scene_of(kHenon + table);
  const Scene b = scene_of(kHenon + table);
  const Scene c = scene_of(kHenon + table, {"system.ensemble.0.seed=2"});
  ASSERT_EQ(a.small().orbits.size(), 20U);
  ASSERT_EQ(c.small().orbits.size(), 20U);
  for (std::size_t k = 0; k < 20; ++k) {
    EXPECT_EQ(a.small().orbits[k].x, b.small().orbits[k].x);
    EXPECT_NE(a.small().orbits[k].x, c.small().orbits[k].x);
    EXPECT_NEAR(invariants(*a.system, a.small().orbits[k]).total, 0.1, 1e-14);
  }
}

// A built-in system has no formulas of its own.
TEST(Ensemble, BuiltInSystemsHaveThemToo) {
  const Scene scene = scene_of(
      "[integrator]\nstep = 0.1\nsteps = 3\n[system]\nkind = \"pendulum\"\n"
      "[[system.ensemble]]\nposition.angle = [0.5, 1]\n[[system.ensemble]]\nposition.angle = 0\n"
      "energy = \"3\"\n");
  ASSERT_EQ(scene.small().orbits.size(), 3U);
  EXPECT_EQ(scene.small().orbits[1].x[0], 1);
}

TEST(Ensemble, WhatIsWrongIsSaidWithItsPlace) {
  const auto expect = [](const std::string& table, const std::string& words) {
    const std::string error = error_of(table);
    EXPECT_NE(error.find(words), std::string::npos) << table << "\n" << error;
    EXPECT_NE(error.find("scene.toml:"), std::string::npos) << error;
  };
  expect("positoin.y = 1\n", "position");
  expect("", "what differs");
  expect("position.z = 1\n", "unknown key 'system.ensemble.0.position.z'");
  expect("position.y = { from = 0, to = 1 }\n", "count");
  expect("position.y = { from = 0, to = 1, count = 1 }\n", "count");
  expect("position.y = { from = 0, to = 1, cuont = 3 }\n", "count");
  expect("position.y = { form = 0, to = 1, count = 3 }\n", "from");
  expect("position.y = []\n", "no values");
  expect("position.y = \"1 +\"\n", "");
  expect("position.y = \"1/0\"\n", "inf");
  expect("position.y = [1, 2]\nvelocity.y = [1, 2, 3]\n", "point by point");
  expect(
      "position.y = { from = 0, to = 1, count = 40 }\nvelocity.y = { from = 0, to = 1, count = 40 "
      "}\n",
      "at most 1000");
  expect("position.y = 0.1\nseed = 3\n", "random");
  expect("random = 0\nposition.y = { from = 0, to = 1 }\n", "random");
  expect("random = 3\nposition.y = { from = 0, to = 1, count = 3 }\n", "count");
  expect("random = 3\nposition.y = [1, 2]\n", "ranges");
  expect("position.y = 0.1\nsolve = \"x'\"\n", "energy");
  expect("position.y = 0.1\nenergy = 0.1\n", "solve");
  expect("position.y = 0.1\nenergy = 0.1\nsolve = \"x\"\n", "solve");
  expect("velocity.x = 0.1\nenergy = 0.1\nsolve = \"x'\"\n", "given by");
  expect("position.y = 5.0\nenergy = -1000\nsolve = \"x'\"\n", "cannot have the energy");
  expect("random = 3\nposition.y = { from = 5, to = 6 }\nenergy = -1000\nsolve = \"x'\"\n",
         "only 0");
  expect("position.y = { from = 5, to = 6, count = 3 }\nenergy = -1000\nsolve = \"x'\"\n",
         "no point");
}

TEST(Ensemble, OrbitsMustKeepToConstraints) {
  const std::string rod =
      kHead +
      "coordinates = [\"x\", \"y\"]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = \"y\"\n"
      "constraint = \"x^2 + y^2 - 1\"\n[system.position]\nx = 1\n[[system.ensemble]]\n";
  EXPECT_THROW(
      (void)scene_of(rod + "position.y = 0.5\n", {"integrator.method=\"implicit-midpoint\""}),
      InputError);
}

// Each orbit is, to the last bit, what it is as the only one.
TEST(Ensemble, OrbitsDoNotDisturbEachOther) {
  for (const std::string method : {"yoshida", "implicit-midpoint", "bdf2", "rk4"}) {
    const std::string setting = "integrator.method=\"" + method + "\"";
    const Scene scene = scene_of(
        kHenon + "[[system.ensemble]]\nposition.y = [0.2, -0.1]\nvelocity.x = [0.25, 0.2]\n",
        {setting});
    DriftTracker drift(*scene.system, scene.initial, invariants(*scene.system, scene.initial));
    SceneRun run(scene, drift);
    std::size_t events = 0;
    while (!run.done()) {
      const auto moment = run.step();
      ASSERT_TRUE(moment);
      events += moment->ensemble->events(1).size();
    }
    const Scene alone =
        scene_of(kHenon, {setting, "system.position.y=-0.1", "system.velocity.x=0.2"});
    DriftTracker its_drift(*alone.system, alone.initial, invariants(*alone.system, alone.initial));
    std::size_t its_events = 0;
    const FinishedRun summary = run_scene(alone, its_drift, [&](const RunMoment& moment) {
      its_events += moment.events.size();
      return true;
    });
    EXPECT_EQ(run.ensemble()->state(1).x, summary.state.x) << method;
    EXPECT_EQ(run.ensemble()->state(1).v, summary.state.v) << method;
    EXPECT_EQ(events, its_events) << method;
    EXPECT_GT(events, 1U);
    EXPECT_EQ(run.finish().orbits[1].energy.worst, its_drift.energy().worst);
    EXPECT_EQ(run.finish().orbits[1].start, "y = -0.1, x' = 0.2");
  }
}

std::vector<std::string> files_of(const std::filesystem::path& folder) {
  return {read_text(folder / "orbits.csv"), read_text(folder / "orbit-events.csv"),
          read_text(folder / "section-c.svg"), read_text(folder / "series.csv")};
}

// A run into a folder that is interrupted and goes on writes what one without a break writes.
TEST(Ensemble, ResultsGoOnFromACheckpoint) {
  const TempFolder folder;
  const std::filesystem::path file = folder.write(
      "s.toml",
      kHenon + "[[system.ensemble]]\nposition.y = [0.2, -0.1]\nvelocity.x = [0.25, 0.2]\n");
  const Scene scene = load_scene(file);
  const auto go = [&](const char* name, int steps, std::string& saved) {
    DriftTracker drift(*scene.system, scene.initial, invariants(*scene.system, scene.initial));
    SceneRun run(scene, drift);
    const bool resumed = !saved.empty();
    ResultFolder results(folder.path() / name, scene, resumed ? Opening::resumed : Opening::fresh);
    if (resumed) {
      Archive a{std::string_view(saved)};
      a(run, results);
      a.require_end();
    } else {
      results.add(run.start());
    }
    for (int k = 0; k < steps && !run.done(); ++k) results.add(*run.step());
    if (!run.done()) {
      Archive a(&saved);
      a(run, results);
      return;
    }
    results.finish(run.finish(), run.state(), drift);
  };
  std::string none, saved;
  go("whole", 1000, none);
  go("parts", 77, saved);
  ASSERT_FALSE(saved.empty());
  go("parts", 1000, saved);
  EXPECT_EQ(files_of(folder.path() / "whole"), files_of(folder.path() / "parts"));
  const std::string orbits = read_text(folder.path() / "whole" / "orbits.csv");
  EXPECT_EQ(std::count(orbits.begin(), orbits.end(), '\n'), 1 + 3 * 201);
  const std::string json = read_text(folder.path() / "whole" / "run.json");
  EXPECT_NE(json.find("\"worst_orbit\""), std::string::npos);
}

// One that cannot go on stands still, and is named.
TEST(Ensemble, AnOrbitThatFailsLeavesTheOthers) {
  const Scene scene = scene_of(
      kHead +
      "coordinates = [\"x\"]\nkinetic = \"x'^2/2\"\npotential = \"x^2/2 - 50*log(5 - x)\"\n"
      "[[system.ensemble]]\nposition.x = [4.99, 0.5]\nvelocity.x = [300, 0]\n");
  DriftTracker drift(*scene.system, scene.initial, invariants(*scene.system, scene.initial));
  SceneRun run(scene, drift);
  while (!run.done()) ASSERT_TRUE(run.step());
  const RunSummary& summary = run.finish();
  EXPECT_EQ(summary.end, RunEnd::finished);
  EXPECT_FALSE(summary.orbits[0].failed.empty());
  EXPECT_TRUE(summary.orbits[1].failed.empty());
  EXPECT_EQ(summary.orbits[1].steps, 200);
}

}  // namespace
}  // namespace lilyan::test::ensemble_test
