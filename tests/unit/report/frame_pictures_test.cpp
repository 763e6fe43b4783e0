// Pictures of runs that are done: one camera, frames by number, obstacles, and what cannot be
// drawn.
#include "app/report/report.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

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
      {run_into(folder, "bar", kBar)}, {.frames = "0,6,7", .output = folder.path() / "out"});
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
        write_frame_pictures(runs, {.frames = "0", .output = folder.path() / "out"}).files[0]);
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
                                          {.frames = "0", .output = folder.path() / "out"})
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

TEST(FramePictures, FramesByRange) {
  using Frames = std::vector<int>;
  EXPECT_EQ(named_frames("", 4), Frames{3});
  EXPECT_EQ(named_frames("all", 4), (Frames{0, 1, 2, 3}));
  EXPECT_EQ(named_frames("1-2", 4), (Frames{1, 2}));
  EXPECT_EQ(named_frames("2-9", 4), (Frames{2, 3}));
  EXPECT_EQ(named_frames("2-", 4), (Frames{2, 3}));
  EXPECT_EQ(named_frames("::3", 8), (Frames{0, 3, 6}));
  EXPECT_EQ(named_frames("2::3", 8), (Frames{2, 5}));
  EXPECT_EQ(named_frames("0,7,1-2", 4), (Frames{0, 7, 1, 2}));
  for (const char* bad : {"x", "-1", "1,", "::0", "1:2", "1-x", "1.5", " 1"}) {
    EXPECT_THROW((void)named_frames(bad, 4), Error) << bad;
  }
}

// The chunks of a PNG file: type and length.
std::vector<std::pair<std::string, std::uint32_t>> chunks(const std::string& png) {
  std::vector<std::pair<std::string, std::uint32_t>> all;
  for (std::size_t at = 8; at + 12 <= png.size();) {
    std::uint32_t length = 0;
    for (int k = 0; k < 4; ++k) {
      length = length << 8 | static_cast<unsigned char>(png[at + static_cast<std::size_t>(k)]);
    }
    all.emplace_back(png.substr(at + 4, 4), length);
    at += 12 + length;
  }
  return all;
}

TEST(Film, AnAnimatedPictureOfRunsSideBySide) {
  const TempFolder folder;
  const fs::path a = run_into(folder, "a", kBar);
  const fs::path b = run_into(folder, "b", kBar + "translate = [0, 2, 0]\n");
  int told = 0;
  const Film film = write_film({a, b}, {.output = folder.path() / "f.png", .size = {64, 48}},
                               [&](int done, int all) {
                                 EXPECT_EQ(done, ++told);
                                 EXPECT_EQ(all, 7);
                               });
  EXPECT_EQ(film.frames, 7);
  EXPECT_NEAR(film.rate, 50, 1e-9);  // steps of 0.02 s
  const std::string png = read_text(film.file);
  ASSERT_TRUE(png.starts_with("\x89PNG"));
  EXPECT_EQ(png.substr(16, 8), std::string("\0\0\0\x80\0\0\0\x30", 8));  // 128 by 48
  int controls = 0, later = 0;
  for (const auto& [type, length] : chunks(png)) {
    controls += type == "fcTL";
    later += type == "fdAT";
    if (type == "acTL") EXPECT_EQ(length, 8U);
    if (type == "fcTL") EXPECT_EQ(length, 26U);
  }
  EXPECT_EQ(controls, 7);
  EXPECT_EQ(later, 6);
  EXPECT_EQ(chunks(png).back().first, "IEND");
  // Every second frame, and a kind of film that there is none of.
  const auto quiet = [](int, int) {};
  EXPECT_EQ(write_film({a}, {.output = folder.path() / "g.png", .every = 2}, quiet).frames, 4);
  EXPECT_THROW((void)write_film({a}, {.output = folder.path() / "f.avi"}, quiet), Error);
}

TEST(Film, AFrameThatDoesNotChangeIsAPixel) {
  AnimatedPng animated(2, 10);
  Image image{20, 10, std::vector<std::uint8_t>(600, 7)};
  animated.add(image);
  animated.add(image);
  const std::string png = animated.finish();
  const auto all = chunks(png);
  ASSERT_EQ(all.size(), 7U);  // IHDR acTL fcTL IDAT fcTL fdAT IEND
  EXPECT_LT(all[5].second, 20U);
}

const std::string kSwing =
    "[integrator]\nmethod = \"stoermer-verlet\"\nstep = 0.1\nsteps = 8\n[system]\n"
    "kind = \"pendulum\"\n";

TEST(FramePictures, SmallSystemsAreDrawnAndFilmed) {
  const TempFolder folder;
  const fs::path run = run_into(folder, "swing", kSwing);
  const auto draw = [&](bool dark) {
    const FramePictures pictures = write_frame_pictures(
        {run}, {.frames = "0,8,9", .output = folder.path() / "out", .dark = dark});
    EXPECT_EQ(pictures.files.size(), 2U);
    EXPECT_EQ(pictures.missing, std::vector<std::string>{"swing-9"});
    return std::pair(read_text(pictures.files[0]), read_text(pictures.files[1]));
  };
  const auto light = draw(false);
  EXPECT_TRUE(light.first.starts_with("\x89PNG"));
  EXPECT_NE(light.first, light.second) << "it swings";
  EXPECT_NE(light.first, draw(true).first);
  const fs::path file = folder.path() / "film.png";
  const Film film = write_film({run}, {.output = file}, [](int, int) {});
  EXPECT_EQ(film.frames, 9);
  EXPECT_NE(read_text(file).find("acTL"), std::string::npos) << "it is an animation";
  EXPECT_EQ(write_film({run}, {.output = file, .every = 4}, [](int, int) {}).frames, 3);
}

TEST(FramePictures, WhatASmallSystemCannotShowIsSaid) {
  const TempFolder folder;
  const fs::path swing = run_into(folder, "swing", kSwing);
  const fs::path bar = run_into(folder, "bar", kBar);
  const fs::path bare =
      run_into(folder, "bare",
               "[integrator]\nstep = 0.1\nsteps = 2\n[system]\nkind = \"lagrangian\"\n"
               "coordinates = [\"q\"]\nkinetic = \"q'^2/2\"\n");
  const auto message = [&](const std::vector<fs::path>& runs, const Outlook& outlook) {
    try {
      (void)write_frame_pictures(runs, {.output = folder.path() / "out", .outlook = outlook});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message({swing, bar}, {}).find("cannot show both"), std::string::npos);
  EXPECT_NE(message({bare}, {}).find("[system.draw]"), std::string::npos);
  EXPECT_NE(message({swing}, {.from = Eigen::Vector3f::UnitX()}).find("--from"), std::string::npos);
}

// The same picture on a dark ground: its corner is dark.
TEST(FramePictures, BodiesOnADarkGround) {
  const TempFolder folder;
  const fs::path run = run_into(folder, "bar", kBar);
  const auto picture = [&](bool dark) {
    return read_text(
        write_frame_pictures({run}, {.frames = "0", .output = folder.path() / "out", .dark = dark})
            .files[0]);
  };
  EXPECT_NE(picture(false), picture(true));
}

}  // namespace
}  // namespace lilyan::test::frame_pictures_test
