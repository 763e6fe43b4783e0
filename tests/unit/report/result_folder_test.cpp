// Result folders: what is written, that it can be read back, and what is never overwritten.
#include "app/report/folder/result_folder.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <sstream>

#include "app/run/runner.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/conservation/drift.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test::result_folder_test {
namespace {

constexpr const char* kScene =
    "[integrator]\nmethod = \"avf\"\nstep = 0.02\nsteps = 7\n[output]\nevery = 3\n"
    "[world]\ngravity = [0, -9.81, 0]\n"
    "[[body]]\nshape = { kind = \"bar\", size = [2, 1, 1], cells = [2, 1, 1] }\nmass = 1\n"
    "material = { mu = 30, lambda = 20 }\nvelocity = [1, 0, 0]\n"
    "deform = [{ kind = \"stretch\", factors = [1.3, 1, 1] }]\n";

struct Ran {
  Scene scene;
  FinishedRun summary;
  State last;
};

Ran run_into(const std::filesystem::path& folder, const std::filesystem::path& scene_file,
             const SceneChanges& changes = {}) {
  Ran ran{.scene = load_scene(scene_file, changes)};
  ResultFolder results(folder, ran.scene);
  DriftTracker drift(*ran.scene.system, ran.scene.initial,
                     invariants(*ran.scene.system, ran.scene.initial));
  ran.summary = run_scene(ran.scene, drift, [&](const RunMoment& moment) {
    results.add(moment);
    ran.last = moment.state;
    return true;
  });
  results.finish(ran.summary, ran.summary.state, drift);
  return ran;
}

std::vector<std::vector<double>> rows(const std::filesystem::path& csv) {
  std::ifstream stream(csv);
  std::string line;
  std::getline(stream, line);
  std::vector<std::vector<double>> result;
  while (std::getline(stream, line)) {
    std::stringstream cells(line);
    result.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');)
      result.back().push_back(std::stod(cell));
  }
  return result;
}

TEST(Results, SeriesHasTheDocumentedColumnsAndTheLedgerExplainsEveryChange) {
  const TempFolder folder;
  const auto out = folder.path() / "out";
  run_into(out, folder.write("s.toml", kScene));
  std::ifstream stream(out / "series.csv");
  std::string header;
  std::getline(stream, header);
  EXPECT_EQ(header,
            "step,t,energy_kinetic,energy_elastic,energy_gravity,energy_contact,"
            "energy_potential,energy_total,"
            "momentum_x,"
            "momentum_y,momentum_z,angular_momentum_x,angular_momentum_y,angular_momentum_z,"
            "ledger_solver,ledger_quadrature,ledger_work,ledger_dissipation,ledger_method,"
            "newton_iterations,quadrature_points,step_size");
  const auto table = rows(out / "series.csv");
  ASSERT_EQ(table.size(), 8u);
  for (std::size_t i = 0; i < table.size(); ++i) {
    ASSERT_EQ(table[i].size(), 22u);
    EXPECT_EQ(table[i][0], static_cast<double>(i));
    EXPECT_EQ(table[i][1], static_cast<double>(i) * 0.02);
    EXPECT_NEAR(table[i][2] + table[i][3] + table[i][4] + table[i][5] + table[i][6], table[i][7],
                1e-14 * std::abs(table[i][2]));
    if (i == 0) continue;
    double ledger = 0;
    for (int k = 14; k <= 18; ++k) ledger += table[i][k];
    EXPECT_NEAR(table[i][7] - table[i - 1][7], ledger, 1e-13 * table[0][7]);
    EXPECT_GT(table[i][19], 0);
    EXPECT_EQ(table[i][21], 0.02);
  }
}

TEST(Results, VariableStepsHaveTheirSizesInTheSeries) {
  const TempFolder folder;
  const auto out = folder.path() / "out";
  for (const char* kind : {"error", "reversible"}) {
    const Ran ran = run_into(out, folder.write("s.toml", kScene),
                             {.settings = {std::string("step_control.kind=") + kind,
                                           "integrator.steps=50", "output.every=1000"}});
    ASSERT_EQ(ran.summary.end, RunEnd::finished) << ran.summary.message;
    const auto table = rows(out / "series.csv");
    ASSERT_EQ(table.size(), static_cast<std::size_t>(ran.summary.steps) + 1);
    EXPECT_EQ(table[0][21], 0);
    double shortest = 1, longest = 0;
    for (std::size_t i = 1; i < table.size(); ++i) {
      EXPECT_NEAR(table[i][1] - table[i - 1][1], table[i][21], 1e-14);
      shortest = std::min(shortest, table[i][21]);
      longest = std::max(longest, table[i][21]);
      double ledger = 0;
      for (int k = 14; k <= 18; ++k) ledger += table[i][k];
      EXPECT_NEAR(table[i][7] - table[i - 1][7], ledger, 1e-13 * table[0][7]);
    }
    EXPECT_EQ(table.back()[1], 1.0);
    EXPECT_EQ(ran.summary.shortest_step, shortest);
    EXPECT_EQ(ran.summary.longest_step, longest);
    EXPECT_LT(shortest, 0.9 * longest);
    const std::string json = read_text(out / "run.json");
    EXPECT_NE(json.find(std::string("\"kind\": \"") + kind), std::string::npos);
    EXPECT_NE(json.find("\"rejected_steps\": "), std::string::npos);
    EXPECT_EQ(json.find("steps_asked"), std::string::npos);
    // The last frame is that of the end, though no multiple of output.every.
    EXPECT_NE(read_text(out / "run.pvd").find("timestep=\"1\""), std::string::npos);
  }
}

TEST(Results, AToleranceOutOfReachSaysSo) {
  const TempFolder folder;
  const Ran ran = run_into(folder.path() / "out", folder.write("s.toml", kScene),
                           {.settings = {"step_control.kind=error", "step_control.tolerance=1e-8",
                                         "step_control.min_step=0.01"}});
  EXPECT_EQ(ran.summary.end, RunEnd::failed);
  EXPECT_EQ(
      ran.summary.message,
      "step 1 (t = 0, h = 0.01) was less accurate than step_control.tolerance asks, also with "
      "a step of 0.01, the shortest allowed");
}

TEST(Results, SkippedRowsAreSummedIntoTheNext) {
  const TempFolder folder;
  const auto scene = folder.write("s.toml", kScene);
  run_into(folder.path() / "all", scene, {.settings = {"integrator.method=newmark"}});
  run_into(folder.path() / "some", scene,
           {.settings = {"integrator.method=newmark", "output.series_every=3"}});
  const auto all = rows(folder.path() / "all" / "series.csv");
  const auto some = rows(folder.path() / "some" / "series.csv");
  ASSERT_EQ(some.size(), 4u);  // 0, 3, 6 and the last, 7
  EXPECT_EQ(some[1][0], 3);
  EXPECT_EQ(some[3][0], 7);
  EXPECT_EQ(some[3], all[7]);
  EXPECT_NEAR(some[1][17], all[1][17] + all[2][17] + all[3][17], 1e-15);
  EXPECT_EQ(some[1][19], all[1][19] + all[2][19] + all[3][19]);
}

TEST(Results, FramesHoldThePositionsBitForBit) {
  const TempFolder folder;
  const auto out = folder.path() / "out";
  const Ran ran = run_into(out, folder.write("s.toml", kScene));
  for (const char* frame : {"000000", "000003", "000006", "000007"}) {
    EXPECT_TRUE(std::filesystem::exists(out / "frames" / (std::string(frame) + ".vtu")));
  }
  const std::string vtu = read_text(out / "frames" / "000007.vtu");
  const std::size_t data = vtu.find("encoding=\"raw\">\n_") + std::strlen("encoding=\"raw\">\n_");
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, vtu.data() + data, sizeof bytes);
  ASSERT_EQ(bytes, static_cast<std::uint64_t>(ran.last.x.size()) * sizeof(double));
  EXPECT_EQ(0, std::memcmp(vtu.data() + data + sizeof bytes, ran.last.x.data(), bytes));
  const std::string pvd = read_text(out / "run.pvd");
  EXPECT_NE(pvd.find("file=\"frames/000007.vtu\""), std::string::npos);
  EXPECT_TRUE(pvd.ends_with("</Collection>\n</VTKFile>\n"));
}

TEST(Results, AFailedRunKeepsWhatItHad) {
  const TempFolder folder;
  const auto out = folder.path() / "out";
  // Far beyond the stability limit of an explicit method: overflows after a few steps.
  const Ran ran = run_into(out, folder.write("s.toml", kScene),
                           {.settings = {"integrator.method=stoermer-verlet", "integrator.step=5",
                                         "solver.on_failure=stop"}});
  EXPECT_EQ(ran.summary.end, RunEnd::failed);
  EXPECT_NE(ran.summary.message.find("not finite"), std::string::npos);
  EXPECT_EQ(rows(out / "series.csv").size(), static_cast<std::size_t>(ran.summary.steps) + 1);
  EXPECT_NE(read_text(out / "run.json").find("\"status\": \"failed\""), std::string::npos);
}

TEST(Results, ARunCutShortBetweenRowsAndFramesKeepsItsLastState) {
  const TempFolder folder;
  const auto out = folder.path() / "out";
  const Scene scene =
      load_scene(folder.write("s.toml", kScene),
                 {.settings = {"output.every=100", "output.series_every=100"}, .steps = 50});
  ResultFolder results(out, scene);
  DriftTracker drift(*scene.system, scene.initial, invariants(*scene.system, scene.initial));
  const FinishedRun summary = run_scene(scene, drift, [&](const RunMoment& moment) {
    results.add(moment);
    return moment.step < 5;
  });
  results.finish(summary, summary.state, drift);
  EXPECT_EQ(summary.end, RunEnd::interrupted);
  const auto table = rows(out / "series.csv");
  ASSERT_EQ(table.size(), 2u);
  EXPECT_EQ(table[1][0], 5);
  EXPECT_TRUE(std::filesystem::exists(out / "frames" / "000005.vtu"));
  EXPECT_NE(read_text(out / "run.json").find("\"status\": \"interrupted\""), std::string::npos);
}

TEST(Results, ReplacesEarlierResultsButNothingElse) {
  const TempFolder folder;
  const auto scene_file = folder.write("s.toml", kScene);
  const auto out = folder.path() / "out";
  run_into(out, scene_file);
  std::ofstream(out / "notes.txt") << "mine";
  run_into(out, scene_file, {.steps = 3});
  EXPECT_EQ(read_text(out / "notes.txt"), "mine");
  EXPECT_FALSE(std::filesystem::exists(out / "frames" / "000007.vtu"));
  EXPECT_EQ(rows(out / "series.csv").size(), 4u);

  const auto foreign = folder.path() / "foreign";
  std::filesystem::create_directories(foreign);
  std::ofstream(foreign / "series.csv") << "precious";
  const Scene scene = load_scene(scene_file);
  EXPECT_THROW(ResultFolder(foreign, scene), Error);
  EXPECT_EQ(read_text(foreign / "series.csv"), "precious");
}

TEST(ResultFolder, AValueThatIsNotFiniteFailsTheRunByStepAndColumn) {
  const TempFolder folder;
  const auto file =
      folder.write("s.toml",
                   "[integrator]\nmethod = \"stoermer-verlet\"\nstep = 0.1\nsteps = 20\n"
                   "[system]\nkind = \"lagrangian\"\ncoordinates = [\"x\"]\n"
                   "lagrangian = \"x'^2/2 - x^2/2\"\nposition = { x = 1 }\n"
                   "invariants = { lost = \"sqrt(x)\" }\n[output]\nseries_every = 7\n");
  const Ran ran = run_into(folder.path() / "out", file);
  EXPECT_EQ(ran.summary.end, RunEnd::failed);
  EXPECT_NE(ran.summary.message.find("step 16"), std::string::npos) << ran.summary.message;
  EXPECT_NE(ran.summary.message.find("invariant_lost is not a number"), std::string::npos)
      << ran.summary.message;
}

// How deep a falling box is in the floor, in every row; where rows are left out, the deepest since the row before.
TEST(ResultFolder, SeriesHasTheDepthOfContact) {
  const TempFolder folder;
  const auto file = folder.write("s.toml",
                                 "[integrator]\nstep = 0.01\nsteps = 60\n[world]\ngravity = [0, "
                                 "-9.81, 0]\n[[body]]\nshape = { "
                                 "kind = \"box\", size = [1, 1, 1], cells = [1, 1, 1] }\nmass = "
                                 "1\nmaterial = { mu = 1e4, lambda = 1e4 }\n"
                                 "translate = [0, 0.55, 0]\n[[obstacle]]\nkind = "
                                 "\"plane\"\nstiffness = 2000\nthickness = 0.01\n");
  Ran ran = run_into(folder.path() / "all", file, {});
  const auto all = rows(folder.path() / "all" / "series.csv");
  std::vector<double> depth;
  DriftTracker drift(*ran.scene.system, ran.scene.initial,
                     invariants(*ran.scene.system, ran.scene.initial));
  run_scene(ran.scene, drift, [&](const RunMoment& moment) {
    double deepest = 0;
    for (Eigen::Index i = 1; i < moment.state.x.size(); i += 3) {
      deepest = std::max(deepest, 0.01 - moment.state.x[i]);
    }
    depth.push_back(deepest);
    return true;
  });
  ASSERT_EQ(all.size(), depth.size());
  for (std::size_t k = 0; k < all.size(); ++k) EXPECT_DOUBLE_EQ(all[k].back(), depth[k]) << k;
  const double worst = *std::ranges::max_element(depth);
  EXPECT_GT(worst, 0.005);
  EXPECT_EQ(depth[0], 0);
  run_into(folder.path() / "some", file, {.settings = {"output.series_every=15"}});
  const auto some = rows(folder.path() / "some" / "series.csv");
  ASSERT_EQ(some.size(), 5u);
  for (std::size_t k = 1; k < some.size(); ++k) {
    const auto begin = depth.begin() + static_cast<std::ptrdiff_t>(15 * (k - 1) + 1);
    EXPECT_DOUBLE_EQ(some[k].back(), *std::max_element(begin, begin + 15)) << k;
  }
  EXPECT_NE(read_text(folder.path() / "all/run.json").find("\"contact_depth\""), std::string::npos);
  EXPECT_TRUE(read_text(folder.path() / "all/series.csv").find("step_size,contact_depth\n") !=
              std::string::npos);
}

}  // namespace
}  // namespace lilyan::test::result_folder_test
