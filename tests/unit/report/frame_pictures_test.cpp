// Pictures of runs that are done: one camera, frames by number, obstacles, and what cannot be
// drawn.
#include "app/report/film/frame_pictures.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <numbers>
#include <utility>

#include "app/files/vtu.hpp"
#include "app/report/film/film.hpp"
#include "app/report/folder/result_folder.hpp"
#include "app/report/picture/drawn_motion.hpp"
#include "app/run/frames.hpp"
#include "app/run/runner.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/conservation/drift.hpp"
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
  const FinishedRun run = run_scene(scene, drift, [&](const RunMoment& moment) {
    results.add(moment);
    return true;
  });
  results.finish(run, run.state, drift);
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

// Names in the order of a shell are put in order; others stay as they were given.
TEST(Film, TheOrderOfRuns) {
  const TempFolder folder;
  const auto ordered = [&](const std::vector<std::string>& names) {
    std::vector<fs::path> folders;
    for (const std::string& name : names) folders.push_back(folder.path() / name);
    std::vector<std::string> result;
    for (const fs::path& f : in_natural_order(folders)) result.push_back(f.filename().string());
    return result;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(ordered({"run-1", "run-10", "run-2"}), (Names{"run-1", "run-2", "run-10"}));
  EXPECT_EQ(ordered({"h=0.025", "h=0.05", "h=0.1"}), (Names{"h=0.025", "h=0.05", "h=0.1"}));
  EXPECT_EQ(ordered({"h=0.1", "h=0.05"}), (Names{"h=0.1", "h=0.05"}));
  EXPECT_EQ(ordered({"b", "a", "c"}), (Names{"b", "a", "c"}));
  EXPECT_EQ(ordered({"newmark", "avf"}), (Names{"newmark", "avf"}));
  folder.write("table.csv", "method,folder\nnewmark,newmark\navf,avf\nhp,hp\n");
  EXPECT_EQ(ordered({"avf", "hp", "newmark"}), (Names{"newmark", "avf", "hp"}));
}

TEST(Film, CaptionsTellRunsApart) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(captions({"x/a", "x/b"}, {"avf", "hp"}), (Names{"avf", "hp"}));
  EXPECT_EQ(captions({"x/a", "x/b"}, {"avf", "avf"}), (Names{"a", "b"}));
  EXPECT_EQ(captions({"x/a", "y/a"}, {"avf", "avf"}), (Names{"x/a", "y/a"}));
  EXPECT_EQ(captions({"x/a"}, {"avf"}), Names{""});
  // Letters are drawn in the corner, within the picture, whatever the text is.
  for (const PictureSize size :
       {PictureSize{480, 360}, PictureSize{100, 300}, PictureSize{2000, 1500}}) {
    for (const std::string text :
         {"backward-euler", "h=0.05, ρ∞=0.5", "a name that is as long as the whole of this line"}) {
      Image image{size.width, size.height, {}};
      image.rgb.assign(
          3 * static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height), 250);
      const Image before = image;
      const Caption caption(text, size);
      caption.draw(image, false);
      EXPECT_EQ(caption.empty(), image.rgb == before.rgb);
      EXPECT_FALSE(size.width == 480 && caption.empty());
      std::size_t dark = 0;
      for (const std::uint8_t c : image.rgb) dark += c < 100;
      EXPECT_TRUE(caption.empty() || dark > 20) << text;
      // The right edge stays free.
      for (int y = 0; y < size.height; ++y) {
        EXPECT_EQ(image.rgb[3 * static_cast<std::size_t>((y + 1) * size.width) - 1], 250);
      }
    }
  }
  EXPECT_TRUE(Caption("avf", {48, 36}).empty());
}

// The whole way of bodies that fly apart is in sight, in the last frame as in the first.
TEST(Film, TheWholeMotionIsInSight) {
  const TempFolder folder;
  const std::string apart =
      "[integrator]\nstep = 0.02\nsteps = 60\n"
      "[[body]]\nmass = 1\nvelocity = [9, 0, 0]\nmaterial = { mu = 3000, lambda = 2000 }\n"
      "shape = { kind = \"bar\", size = [1, 1, 1], cells = [1, 1, 1] }\n"
      "[[body]]\nmass = 1\nvelocity = [-9, 4, 0]\nmaterial = { mu = 3000, lambda = 2000 }\n"
      "shape = { kind = \"bar\", size = [1, 1, 1], cells = [1, 1, 1] }\ntranslate = [-2, 0, 0]\n";
  const fs::path run = run_into(folder, "apart", apart);
  // What is drawn in a picture, as left, right, top and bottom in pixels.
  const std::vector<ListedFrame> listed = listed_frames(run);
  ASSERT_EQ(listed.size(), 61U);
  std::vector<float> all, outermost;
  const Eigen::Vector3f up = Eigen::Vector3f::UnitY();
  for (const ListedFrame& frame : listed) {
    const VtuContent content = read_vtu(frame.file);
    std::vector<float> points;
    for (const std::array<double, 3>& p : content.points) {
      for (const double x : p) points.push_back(static_cast<float>(x));
    }
    add_outermost(points, up, 0.75F, {}, outermost);
    all.insert(all.end(), points.begin(), points.end());
  }
  EXPECT_LT(outermost.size(), all.size());
  const Camera camera = framing(outermost, up, 0.75F, {});
  float right = 0, high = 0;
  for (std::size_t i = 0; i + 2 < all.size(); i += 3) {
    const Projected p = camera.project({all[i], all[i + 1], all[i + 2]});
    right = std::max(right, std::abs(p.x));
    high = std::max(high, std::abs(p.y));
  }
  EXPECT_LT(right, 0.95);
  EXPECT_LT(high, 0.75 * 0.95);
  EXPECT_GT(std::max(right, high / 0.75F), 0.85);
  // And in the pictures: both bodies are seen in the last frame, away from the edges.
  const FramePictures pictures =
      write_frame_pictures({run}, {.frames = "0,60", .output = folder.path() / "out"});
  const FramePictures alone =
      write_frame_pictures({run}, {.frames = "0", .output = folder.path() / "first"});
  EXPECT_NE(read_text(pictures.files[0]), read_text(alone.files[0])) << "the camera went back";
}

TEST(Film, FfmpegIsLookedForBeforeAnythingIsDrawn) {
  const TempFolder folder;
  const fs::path run = run_into(folder, "bar", kBar);
  const char* const path = std::getenv("PATH");
  const std::string before = path ? path : "";
  setenv("PATH", folder.path().c_str(), 1);
  int drawn = 0;
  for (const char* name : {"f.mp4", "f.gif", "f.webm", "f.webp"}) {
    try {
      (void)write_film({run}, {.output = folder.path() / name}, [&](int, int) { ++drawn; });
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("needs FFmpeg"), std::string::npos) << error.what();
    }
  }
  EXPECT_EQ(drawn, 0);
  EXPECT_EQ(write_film({run}, {.output = folder.path() / "new/f.png"}, [](int, int) {}).frames, 7);
  setenv("PATH", before.c_str(), 1);
}

// A motion that goes steadily on is seen to its end, and one that has exploded is not.
TEST(Film, SystemsThatLeaveAreInSight) {
  const auto box = [](const std::function<float(float)>& way) {
    DrawnMotion motion;
    motion.parts.trails = 1;
    for (int k = 0; k <= 200; ++k) {
      const float t = 0.1F * static_cast<float>(k);
      motion.times.push_back(static_cast<double>(t));
      motion.at.insert(motion.at.end(), {way(t), 0.1F * std::sin(t)});
    }
    const DrawnMotion* const one = &motion;
    return box_of({&one, 1});
  };
  EXPECT_NEAR(box([](float t) { return 3 * t; }).right, 60, 1e-3);
  EXPECT_NEAR(box([](float t) { return t * t; }).right, 400, 1e-2);
  EXPECT_LT(box([](float t) { return std::exp(t); }).right, 1e4);  // of 5e8
  EXPECT_LT(box([](float t) { return t < 15 ? std::sin(t) : 1e6F * t; }).right, 20);
}

TEST(Film, AFastMotionIsShownSlowly) {
  const auto rate = [](double each) {
    DrawnMotion motion;
    motion.parts.trails = 1;
    for (int k = 0; k <= 480; ++k) {
      motion.times.push_back(0.5 * k);
      motion.at.insert(motion.at.end(), {static_cast<float>(std::cos(each * k)), 0});
    }
    return motion.rate(30);
  };
  EXPECT_EQ(rate(2 * std::numbers::pi / 100), 30);        // 3.3 s for a period
  EXPECT_NEAR(rate(2 * std::numbers::pi / 12), 12, 0.3);  // one second
  EXPECT_EQ(rate(0), 30);
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
