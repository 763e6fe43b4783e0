// The pictures that a run of a small system writes, and in which formats.
#include "app/report/record/run_record.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "app/report/folder/result_folder.hpp"
#include "app/run/runner.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/conservation/drift.hpp"
#include "support/other_programs.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test::system_figures_test {
namespace {

namespace fs = std::filesystem;

const std::string kPendulum =
    "[integrator]\nmethod = \"stoermer-verlet\"\nstep = 0.05\nsteps = 20\n[system]\n"
    "kind = \"lagrangian\"\ncoordinates = [\"a\"]\nkinetic = \"a'^2/2\"\npotential = \"-cos(a)\"\n"
    "position = { a = 1 }\n";

// Returns the notes. `before_the_end` is called when all steps are done.
template <class F>
std::vector<std::string> run_into(const TempFolder& folder, const std::string& pictures,
                                  const F& before_the_end) {
  const Scene scene =
      load_scene(folder.write("s.toml", kPendulum + "[output]\npictures = " + pictures + "\n"));
  ResultFolder results(folder.path() / "out", scene);
  DriftTracker drift(*scene.system, scene.initial, invariants(*scene.system, scene.initial));
  const FinishedRun summary = run_scene(scene, drift, [&](const RunMoment& moment) {
    results.add(moment);
    return true;
  });
  before_the_end();
  results.finish(summary, summary.state, drift);
  return results.notes();
}

std::vector<std::string> run_into(const TempFolder& folder, const std::string& pictures) {
  return run_into(folder, pictures, [] {});
}

TEST(SystemFigures, PngFilesAreMadeFromSvgFilesThatStayOnlyWhenAskedFor) {
  const TempFolder folder;
  const TempFolder programs;
  make_program(programs, "rsvg-convert", "cat \"$5\" > \"$4\"\n");
  const ChangedPath path(programs.path().string() + ":/usr/bin:/bin");
  const fs::path out = folder.path() / "out";
  (void)run_into(folder, "[\"svg\", \"png\"]");
  EXPECT_EQ(read_text(out / "phase.png"), read_text(out / "phase.svg"));
  EXPECT_NE(read_text(out / "run.json").find("\"energy.png\""), std::string::npos);
  (void)run_into(folder, "[\"png\"]");
  EXPECT_TRUE(fs::exists(out / "phase.png"));
  EXPECT_FALSE(fs::exists(out / "phase.svg"));
  EXPECT_EQ(read_text(out / "run.json").find(".svg"), std::string::npos);
  (void)run_into(folder, "[\"svg\"]");
  EXPECT_FALSE(fs::exists(out / "phase.png")) << "what the run before wrote is removed";
  EXPECT_TRUE(fs::exists(out / "phase.svg"));
}

// The converter was there when the run began. Then it fails, or is gone.
TEST(SystemFigures, AConverterThatFailsAtTheEndCostsOnlyItsPictures) {
  for (const bool gone : {false, true}) {
    const TempFolder folder;
    const TempFolder programs;
    const fs::path out = folder.path() / "out";
    // It has to find the results in place.
    make_program(programs, "rsvg-convert",
                 "test -s run.json && test -s report.html || exit 7\n"
                 "case \"$5\" in *phase.svg) echo no memory left >&2; exit 3;; esac\n"
                 "cat \"$5\" > \"$4\"\n");
    const ChangedPath path(programs.path().string() + (gone ? "" : ":/usr/bin:/bin"));
    const std::vector<std::string> notes = run_into(folder, "[\"png\"]", [&] {
      if (gone) fs::remove(programs.path() / "rsvg-convert");
    });
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_NE(notes[0].find("phase.png"), std::string::npos) << notes[0];
    EXPECT_NE(notes[0].find(gone ? "install rsvg-convert" : "no memory left"), std::string::npos)
        << notes[0];
    const std::string json = read_text(out / "run.json");
    EXPECT_NE(json.find(gone ? "install rsvg-convert" : "no memory left"), std::string::npos);
    EXPECT_TRUE(fs::exists(out / "phase.svg")) << "the picture is not lost";
    EXPECT_NE(json.find("\"phase.svg\""), std::string::npos);
    EXPECT_NE(read_text(out / "report.html").find("phase.svg"), std::string::npos);
    EXPECT_EQ(fs::exists(out / "energy.png"), !gone);
    EXPECT_EQ(fs::exists(out / "energy.svg"), gone);
    EXPECT_EQ(json.find("\"energy.png\"") != std::string::npos, !gone);
  }
}

TEST(SystemFigures, ItsReportHasNoColumnsForWorkThatAnExplicitMethodDoesNotDo) {
  const TempFolder folder;
  (void)run_into(folder, "[]");
  const std::string html = read_text(folder.path() / "out" / "report.html");
  EXPECT_NE(html.find("<th>stepping</th>"), std::string::npos);
  EXPECT_EQ(html.find("<th>assembly</th>"), std::string::npos);
  EXPECT_EQ(html.find("linear solver"), std::string::npos);
}

// What the script of the report draws, by the class of its figure.
std::vector<nlohmann::json> data_of(const fs::path& folder, const std::string& kind) {
  const std::string html = read_text(folder / "report.html");
  std::vector<nlohmann::json> all;
  const std::string mark = "<script type=\"application/json\">";
  for (std::size_t at = 0;
       (at = html.find("<figure class=\"" + kind + "\">", at)) != std::string::npos;) {
    at = html.find(mark, at) + mark.size();
    all.push_back(nlohmann::json::parse(html.substr(at, html.find("</script>", at) - at)));
  }
  return all;
}

void run_text(const TempFolder& folder, const std::string& text) {
  const Scene scene = load_scene(folder.write("s.toml", text));
  ResultFolder results(folder.path() / "out", scene);
  DriftTracker drift(*scene.system, scene.initial, invariants(*scene.system, scene.initial));
  const FinishedRun summary = run_scene(scene, drift, [&](const RunMoment& moment) {
    results.add(moment);
    return true;
  });
  results.finish(summary, summary.state, drift);
}

// A pendulum that goes round and round is shown between −π and π; one that swings is left as it is.
TEST(SystemFigures, AnglesThatTurnAreWrapped) {
  const std::string head =
      "[integrator]\nmethod = \"stoermer-verlet\"\nstep = 0.05\nsteps = 400\n[system]\n"
      "kind = \"lagrangian\"\ncoordinates = [\"a\"]\n";
  const std::string pendulum = head + "kinetic = \"a'^2/2\"\npotential = \"-cos(a)\"\n";
  const auto portrait = [&](const std::string& text) {
    const TempFolder folder;
    run_text(folder, text);
    for (const nlohmann::json& chart : data_of(folder.path() / "out", "chart")) {
      if (chart["y_label"] == "a′") return chart;
    }
    return nlohmann::json();
  };
  const nlohmann::json turning = portrait(pendulum + "velocity = { a = 3 }\n");
  EXPECT_EQ(turning["x_label"], "a (mod 2π)");
  int breaks = 0;
  for (const nlohmann::json& x : turning["series"][0]["x"]) {
    if (x.is_null()) {
      ++breaks;
    } else {
      EXPECT_LE(std::abs(x.get<double>()), M_PI + 1e-4);
    }
  }
  EXPECT_GT(breaks, 3);
  const nlohmann::json swinging = portrait(pendulum + "velocity = { a = 1 }\n");
  EXPECT_EQ(swinging["x_label"], "a");
  // What flies away is no angle.
  const nlohmann::json free = portrait(head + "kinetic = \"a'^2/2\"\nvelocity = { a = 3 }\n");
  EXPECT_EQ(free["x_label"], "a");
}

TEST(SystemFigures, ALongRunShowsItsFirstPeriodsAndADensityOfTheRest) {
  const TempFolder folder;
  run_text(
      folder,
      "[integrator]\nmethod = \"stoermer-verlet\"\nstep = 0.1\nsteps = 60000\n[output]\nevery = "
      "100\n[system]\nkind = \"lagrangian\"\ncoordinates = [\"x\"]\nkinetic = \"x'^2/2\"\n"
      "potential = \"x^2/2\"\nposition = { x = 1 }\n");
  const std::vector<nlohmann::json> charts = data_of(folder.path() / "out", "chart");
  ASSERT_GE(charts.size(), 2U);
  EXPECT_TRUE(charts[0]["apart"]);
  EXPECT_TRUE(charts[0]["series"][0]["density"].is_null());
  EXPECT_NEAR(charts[0]["series"][0]["x"].back().get<double>(), 12 * 2 * M_PI, 2);
  EXPECT_FALSE(charts[1]["series"][0]["density"].is_null());
  EXPECT_NE(read_text(folder.path() / "out" / "trajectory.svg").find("class=\"density\""),
            std::string::npos);
}

TEST(SystemFigures, TheDrawingMovesInTheReport) {
  const TempFolder folder;
  run_text(folder, kPendulum +
                       "[[system.draw.rod]]\nfrom = [0, 0]\nto = [\"sin(a)\", \"-cos(a)\"]\n"
                       "[[system.draw.point]]\nat = [\"sin(a)\", \"-cos(a)\"]\n");
  const std::vector<nlohmann::json> motions = data_of(folder.path() / "out", "motion");
  ASSERT_EQ(motions.size(), 1U);
  const nlohmann::json& motion = motions[0];
  EXPECT_EQ(motion["rods"], 1);
  EXPECT_EQ(motion["t"].size(), 21U);
  EXPECT_EQ(motion["at"].size(), 21U * 6U);
  // The point is at the end of the rod, and both are 1 from its beginning.
  const double unit = motion["unit"];
  for (std::size_t k = 0; k < 21; ++k) {
    const auto at = [&](std::size_t i) { return motion["at"][6 * k + i].get<double>(); };
    EXPECT_EQ(at(0), at(4));
    EXPECT_NEAR(std::hypot(at(0) - at(2), at(1) - at(3)), unit, 2);
  }
}

TEST(SystemFigures, AMissingConverterIsSaidBeforeTheRun) {
  const TempFolder folder;
  const ChangedPath path(folder.path().string());
  EXPECT_THROW((void)run_into(folder, "[\"png\"]"), Error);
  EXPECT_FALSE(fs::exists(folder.path() / "out"));
  EXPECT_NO_THROW((void)run_into(folder, "[\"svg\"]"));
}

}  // namespace
}  // namespace lilyan::test::system_figures_test
