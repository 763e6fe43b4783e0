// The pictures that a run of a small system writes, and in which formats.
#include "app/report/run_record.hpp"

#include <gtest/gtest.h>

#include "app/report/result_folder.hpp"
#include "app/run/runner.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/core/drift.hpp"
#include "lilyan/core/error.hpp"
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
  const RunSummary summary = run_scene(scene, drift, [&](const RunMoment& moment) {
    results.add(moment);
    return true;
  });
  before_the_end();
  results.finish(summary, drift);
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

TEST(SystemFigures, AMissingConverterIsSaidBeforeTheRun) {
  const TempFolder folder;
  const ChangedPath path(folder.path().string());
  EXPECT_THROW((void)run_into(folder, "[\"png\"]"), Error);
  EXPECT_FALSE(fs::exists(folder.path() / "out"));
  EXPECT_NO_THROW((void)run_into(folder, "[\"svg\"]"));
}

}  // namespace
}  // namespace lilyan::test::system_figures_test
