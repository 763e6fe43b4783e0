// The pictures that a run of a small system writes, and in which formats.
#include "app/report/system_figures.hpp"

#include <gtest/gtest.h>

#include "app/run/result_folder.hpp"
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

void run_into(const TempFolder& folder, const std::string& pictures) {
  const Scene scene =
      load_scene(folder.write("s.toml", kPendulum + "[output]\npictures = " + pictures + "\n"));
  ResultFolder results(folder.path() / "out", scene);
  DriftTracker drift(*scene.system, scene.initial, invariants(*scene.system, scene.initial));
  results.finish(run_scene(scene, drift,
                           [&](const RunMoment& moment) {
                             results.add(moment);
                             return true;
                           }),
                 drift);
}

TEST(SystemFigures, PngFilesAreMadeFromSvgFilesThatStayOnlyWhenAskedFor) {
  const TempFolder folder;
  const TempFolder programs;
  make_program(programs, "rsvg-convert", "cat \"$5\" > \"$4\"\n");
  const ChangedPath path(programs.path().string() + ":/usr/bin:/bin");
  const fs::path out = folder.path() / "out";
  run_into(folder, "[\"svg\", \"png\"]");
  EXPECT_EQ(read_text(out / "phase.png"), read_text(out / "phase.svg"));
  EXPECT_NE(read_text(out / "run.json").find("\"energy.png\""), std::string::npos);
  run_into(folder, "[\"png\"]");
  EXPECT_TRUE(fs::exists(out / "phase.png"));
  EXPECT_FALSE(fs::exists(out / "phase.svg"));
  EXPECT_EQ(read_text(out / "run.json").find(".svg"), std::string::npos);
  run_into(folder, "[\"svg\"]");
  EXPECT_FALSE(fs::exists(out / "phase.png")) << "what the run before wrote is removed";
  EXPECT_TRUE(fs::exists(out / "phase.svg"));
}

TEST(SystemFigures, AMissingConverterIsSaidBeforeTheRun) {
  const TempFolder folder;
  const ChangedPath path(folder.path().string());
  EXPECT_THROW(run_into(folder, "[\"png\"]"), Error);
  EXPECT_FALSE(fs::exists(folder.path() / "out"));
  EXPECT_NO_THROW(run_into(folder, "[\"svg\"]"));
}

}  // namespace
}  // namespace lilyan::test::system_figures_test
