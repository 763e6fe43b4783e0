// Pictures of runs that are done: one camera, frames by number, obstacles, and what cannot be
// drawn.
#include "app/report/report.hpp"

#include <gtest/gtest.h>

#include "app/report/result_folder.hpp"
#include "app/run/runner.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/core/drift.hpp"
#include "lilyan/core/error.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test::frame_pictures_test {
namespace {

namespace fs = std::filesystem;

const std::string kBar =
    "[integrator]\nstep = 0.02\nsteps = 6\n[[body]]\nmass = 1\nvelocity = [3, 0, 0]\n"
    "material = { mu = 30, lambda = 20 }\n"
    "shape = { kind = \"bar\", size = [2, 1, 1], cells = [2, 1, 1] }\n";

fs::path run_into(const TempFolder& folder, const std::string& name, const std::string& text) {
  const Scene scene = load_scene(folder.write("s.toml", text));
  ResultFolder results(folder.path() / name, scene);
  DriftTracker drift(*scene.system, scene.initial, invariants(*scene.system, scene.initial));
  results.finish(run_scene(scene, drift,
                           [&](const RunMoment& moment) {
                             results.add(moment);
                             return true;
                           }),
                 drift);
  return folder.path() / name;
}

TEST(FramePictures, FramesAreNamedAndThoseThatAreMissingToo) {
  const TempFolder folder;
  const FramePictures pictures = write_frame_pictures(
      {run_into(folder, "bar", kBar)}, {.frames = {0, 6, 7}, .output = folder.path() / "out"});
  EXPECT_EQ(pictures.files, (std::vector<fs::path>{folder.path() / "out" / "bar-0.png",
                                                   folder.path() / "out" / "bar-6.png"}));
  EXPECT_EQ(pictures.missing, std::vector<std::string>{"bar-7"});
  EXPECT_TRUE(read_text(pictures.files[0]).starts_with("\x89PNG"));
  // The bar moves, the camera does not.
  EXPECT_NE(read_text(pictures.files[0]), read_text(pictures.files[1]));
}

TEST(FramePictures, OneCameraForAllRuns) {
  const TempFolder folder;
  const fs::path a = run_into(folder, "a", kBar);
  const fs::path b = run_into(folder, "b", kBar + "translate = [9, 0, 0]\n");
  const auto first = [&](const std::vector<fs::path>& runs) {
    return read_text(
        write_frame_pictures(runs, {.frames = {0}, .output = folder.path() / "out"}).files[0]);
  };
  const std::string alone = first({a});
  EXPECT_EQ(alone, first({a}));
  EXPECT_NE(alone, first({a, b}));  // has to have the other in sight as well
}

TEST(FramePictures, TheOutlookDecides) {
  const TempFolder folder;
  const fs::path run = run_into(folder, "bar", kBar);
  const auto seen = [&](const Outlook& outlook) {
    return read_text(
        write_frame_pictures({run}, {.output = folder.path() / "out", .outlook = outlook})
            .files[0]);
  };
  const std::string usual = seen({});
  EXPECT_NE(usual, seen({.from = Eigen::Vector3f(1, 0, 0)}));
  EXPECT_NE(usual, seen({.zoom = 2}));
}

TEST(FramePictures, ObstaclesOfTheSceneAreSeen) {
  const TempFolder folder;
  const auto picture = [&](const std::string& text) {
    return read_text(write_frame_pictures({run_into(folder, "bar", text)},
                                          {.frames = {0}, .output = folder.path() / "out"})
                         .files[0]);
  };
  EXPECT_NE(picture(kBar), picture(kBar + "[[obstacle]]\nkind = \"plane\"\npoint = [0, -2, 0]\n"
                                          "stiffness = 100\n"));
}

TEST(FramePictures, ASceneThatCannotBeReadIsSaid) {
  const TempFolder folder;
  const fs::path run = run_into(folder, "bar", kBar);
  folder.write("bar/scene.resolved.toml", "[integrator]\nstep = -1\n");
  const FramePictures pictures = write_frame_pictures({run}, {.output = folder.path() / "out"});
  EXPECT_EQ(pictures.files.size(), 1U);
  ASSERT_EQ(pictures.warnings.size(), 1U);
  EXPECT_NE(pictures.warnings[0].find("step"), std::string::npos);
}

TEST(FramePictures, WhatIsNotARunIsRefused) {
  const TempFolder folder;
  EXPECT_THROW((void)write_frame_pictures({folder.path()}, {.output = folder.path() / "out"}),
               InputError);
}

}  // namespace
}  // namespace lilyan::test::frame_pictures_test
