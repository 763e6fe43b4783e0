#include "app/view/replay.hpp"

#include <gtest/gtest.h>

#include "app/report/folder/result_folder.hpp"
#include "app/run/runner.hpp"
#include "app/scene/scene.hpp"
#include "app/view/picture.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/conservation/drift.hpp"
#include "lilyan/contact/obstacle_contact.hpp"
#include "support/view.hpp"

namespace lilyan::test::replay_test {
namespace {

// A result folder of the bar, as `lilyan run` leaves it.
void run_into(const std::filesystem::path& folder, const Scene& scene) {
  ResultFolder results(folder, scene);
  DriftTracker drift(*scene.system, scene.initial, invariants(*scene.system, scene.initial));
  const FinishedRun summary = run_scene(scene, drift, [&](const RunMoment& moment) {
    results.add(moment);
    return true;
  });
  results.finish(summary, summary.state, drift);
}

TEST(Replay, ShowsTheFramesAndRowsOfAFolder) {
  const TempFolder folder;
  const std::filesystem::path file = folder.write("bar.toml", std::string(kBar) + kObstacles);
  run_into(folder.path() / "out", load_scene(file, {.settings = {"output.every=5"}}));
  const auto replay = view::make_replay({2, 7}, {"out", {}}, folder.path() / "out");
  EXPECT_EQ(replay->info().method_name, "avf");
  EXPECT_EQ(replay->info().steps, 12);
  EXPECT_EQ(replay->info().step, 0.02);
  EXPECT_TRUE(replay->info().replay);
  EXPECT_EQ(replay->info().obstacles.size(), 3U);
  const PlainRun plain(file);
  std::vector<double> rows;
  view::PaneMoment moment = replay->start();
  for (const std::size_t step : {0U, 5U, 10U, 12U}) {
    ASSERT_TRUE(moment.picture);
    const SeenFrame frame(*moment.picture);
    EXPECT_EQ(frame.pane, 2U);
    EXPECT_EQ(frame.run, 7U);
    EXPECT_EQ(frame.frame, step);
    EXPECT_DOUBLE_EQ(frame.t, plain.states[step].t);
    for (std::size_t i = 0; i < 3 * frame.vertices; ++i) {
      EXPECT_EQ(frame.x(i), static_cast<float>(plain.states[step].x[static_cast<Eigen::Index>(i)]));
    }
    rows.insert(rows.end(), moment.row.begin(), moment.row.end());
    EXPECT_EQ(rows.size(), (step + 1) * plain.rows[0].size());
    EXPECT_EQ(moment.done, step == 12);
    if (step == 12) expect_obstacles_at_end(frame);
    if (!moment.done) moment = replay->step();
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i], plain.rows[i / plain.rows[0].size()][i % plain.rows[0].size()]);
  }
}

TEST(Replay, ShowsWhatHoldsBodiesAndWhatWasKept) {
  const TempFolder folder;
  const std::filesystem::path file = folder.write("bar.toml", std::string(kBar) + kTies);
  run_into(folder.path() / "out", load_scene(file, {.settings = {"output.every=12"}}));
  const auto replay = view::make_replay({0, 1}, {"out", {}}, folder.path() / "out");
  const PlainRun plain(file);
  view::PaneMoment moment = replay->start();
  EXPECT_EQ(replay->info().links.size(), 3U);
  expect_ties(SeenFrame(*moment.picture), plain.states[0]);
  EXPECT_TRUE(moment.verdicts.empty());
  moment = replay->step();
  ASSERT_TRUE(moment.done);
  expect_ties(SeenFrame(*moment.picture), plain.states[12]);
  ASSERT_EQ(moment.verdicts.size(), 3U);
  EXPECT_EQ(moment.verdicts[0].kept, Kept::conserved);
  EXPECT_TRUE(moment.verdicts[0].text.starts_with("energy conserved"));
  EXPECT_FALSE(moment.verdicts[1].kept);
}

TEST(Replay, ARunThatFailedIsShownAsSuch) {
  const TempFolder folder;
  run_into(folder.path() / "out", load_scene(folder.write("bar.toml", std::string(kBar))));
  folder.write("out/run.json",
               R"({"status":"failed","message":"it would not go","step_size":0.02})");
  const auto replay = view::make_replay({0, 1}, {"out", {}}, folder.path() / "out");
  view::PaneMoment moment = replay->start();
  while (!moment.done) {
    EXPECT_EQ(moment.failed, "");
    moment = replay->step();
  }
  EXPECT_EQ(moment.failed, "it would not go");
}

TEST(Replay, FramesCanBeShownWithoutTheScene) {
  const TempFolder folder;
  const Scene scene = load_scene(folder.write("bar.toml", std::string(kBar) + kObstacles), {});
  run_into(folder.path() / "out", scene);
  folder.write("out/scene.resolved.toml", "[[obstacle]]\nkind = 7\n");
  const auto replay = view::make_replay({0, 1}, {"out", {}}, folder.path() / "out");
  EXPECT_TRUE(replay->info().obstacles.empty());
  const view::PaneMoment moment = replay->start();
  ASSERT_TRUE(moment.picture);
  EXPECT_EQ(SeenFrame(*moment.picture).obstacles(), 0U);
}

// Plays a folder of the pair to its end: what was told, put together.
struct Played {
  explicit Played(const std::filesystem::path& folder)
      : replay(view::make_replay({1, 3}, {"out", {}}, folder)) {
    for (view::PaneMoment moment = replay->start();; moment = replay->step()) {
      EXPECT_EQ(moment.failed, "");
      if (!moment.picture) return;
      frames.emplace_back(*moment.picture);
      rows.insert(rows.end(), moment.row.begin(), moment.row.end());
      path.insert(path.end(), moment.path.begin(), moment.path.end());
      sections.insert(sections.end(), moment.sections.begin(), moment.sections.end());
      sections_then.push_back(sections.size() / 3);
      interrupted = moment.interrupted;
      if (moment.done) return;
    }
  }
  std::unique_ptr<view::Pane> replay;
  std::vector<SeenFrame> frames;
  std::vector<double> rows, path, sections;
  std::vector<std::size_t> sections_then;  // points up to each frame
  bool interrupted = false;
};

TEST(Replay, ShowsSmallSystems) {
  const TempFolder folder;
  const std::filesystem::path file = folder.write("pair.toml", kPair);
  run_into(folder.path() / "out", load_scene(file, {}));
  const Played played(folder.path() / "out");
  const view::PaneInfo& info = played.replay->info();
  EXPECT_TRUE(info.system);
  EXPECT_EQ(info.coordinates, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(info.vertices, 2);
  EXPECT_EQ(info.steps, 20);
  EXPECT_EQ(info.method_name, "stoermer-verlet");
  EXPECT_EQ(played.replay->mesh(), nullptr);
  const PlainRun plain(file);
  ASSERT_EQ(played.frames.size(), plain.states.size());
  std::vector<double> rows, path;
  for (std::size_t i = 0; i < plain.states.size(); ++i) {
    EXPECT_EQ(played.frames[i].frame, i);
    EXPECT_EQ(played.frames[i].t, plain.states[i].t);
    EXPECT_EQ(played.frames[i].q(0), plain.states[i].x[0]);
    EXPECT_EQ(played.frames[i].q(3), plain.states[i].v[1]);
    rows.insert(rows.end(), plain.rows[i].begin(), plain.rows[i].end());
    view::add_to_path(plain.states[i], path);
  }
  EXPECT_EQ(played.rows, rows);
  EXPECT_EQ(played.path, path);
}

TEST(Replay, PathsHaveTheStatesThatWereWritten) {
  const TempFolder folder;
  const std::filesystem::path file = folder.write("pair.toml", kPair);
  run_into(folder.path() / "out", load_scene(file, {.settings = {"output.every=6"}}));
  const Played played(folder.path() / "out");
  EXPECT_EQ(played.frames.size(), 5U);  // 0, 6, 12, 18, 20
  const PlainRun plain(file);
  std::vector<double> path;
  for (const std::size_t i : {0U, 6U, 12U, 18U, 20U}) view::add_to_path(plain.states[i], path);
  EXPECT_EQ(played.path, path);
}

// The points of sections come with the frames, as they do while a run goes on; those of further orbits too.
TEST(Replay, SectionsFillAgain) {
  const std::string text =
      "[integrator]\nmethod = \"stoermer-verlet\"\nstep = 0.1\nsteps = 200\n[output]\nevery = 50\n"
      "[system]\nkind = \"lagrangian\"\ncoordinates = [\"x\"]\nkinetic = \"x'^2/2\"\n"
      "potential = \"x^2/2\"\nposition = { x = 1 }\n"
      "[[system.event]]\nname = \"none\"\nzero = \"x - 100\"\n"
      "[[system.event]]\nname = \"up\"\nzero = \"x\"\ndirection = \"rising\"\n"
      "section = [\"t\", \"x'\"]\n";
  for (const bool several : {false, true}) {
    const TempFolder folder;
    const std::string more = several ? "[[system.ensemble]]\nposition.x = [2, 3]\n" : "";
    run_into(folder.path() / "out", load_scene(folder.write("s.toml", text + more)));
    const Played played(folder.path() / "out");
    ASSERT_EQ(played.replay->info().sections.size(), 1U);
    EXPECT_EQ(played.replay->info().sections[0].name, "up");
    // The mass comes through the middle at 3π/2, 7π/2 and 11π/2, with the speed of its amplitude.
    const std::size_t orbits = several ? 3 : 1;
    ASSERT_EQ(played.sections.size(), 9 * orbits);
    EXPECT_EQ(played.sections_then,
              (std::vector<std::size_t>{0, orbits, orbits, 2 * orbits, 3 * orbits}));
    // All orbits of a harmonic spring come at one time, in an order that rounding decides.
    std::vector<int> points(orbits, 0);
    for (std::size_t i = 0; i < 3 * orbits; ++i) {
      const double orbit = played.sections[3 * i];
      ++points.at(static_cast<std::size_t>(orbit));
      EXPECT_NEAR(played.sections[3 * i + 1], 4.71 + 6.28 * static_cast<double>(i / orbits), 0.1);
      EXPECT_NEAR(played.sections[3 * i + 2], orbit + 1, 0.02);
    }
    EXPECT_EQ(points, std::vector<int>(orbits, 3));
    // A line that is no event is named; the last may be cut off.
    const std::string name = several ? "out/orbit-events.csv" : "out/events.csv";
    const std::string events = read_text(folder.path() / name);
    folder.write(name, events.substr(0, events.size() - 4));
    EXPECT_EQ(Played(folder.path() / "out").sections.size(), 9 * orbits - 3);
    folder.write(name, events + "0,up,x,1,2,3\n");
    EXPECT_THROW(Played(folder.path() / "out"), InputError);
  }
}

TEST(Replay, RunsThatWereKilledAreShownAsFarAsTheyGot) {
  const TempFolder folder;
  std::filesystem::create_directories(folder.path() / "out");
  folder.write("out/series.csv", "step,t,e\n0,0,1\n1,0.5,1\n2,1,0.");
  folder.write("out/trajectory.csv", "step,t,a,v_a\n0,0,1,0\n1,0.5,2,3\n2,1,4,5");
  const Played played(folder.path() / "out");
  EXPECT_EQ(played.rows, (std::vector<double>{0, 0, 1, 1, 0.5, 1}));
  EXPECT_EQ(played.path, (std::vector<double>{0, 1, 0, 0.5, 2, 3}));
  EXPECT_FALSE(played.interrupted);
  // And that they were interrupted.
  folder.write("out/run.json", "{\"status\": \"interrupted\"}");
  EXPECT_TRUE(Played(folder.path() / "out").interrupted);
}

TEST(Replay, RefusesWhatIsNoResultFolder) {
  const TempFolder folder;
  const auto replay = [&] { (void)view::make_replay({0, 1}, {"x", {}}, folder.path()); };
  EXPECT_THROW(replay(), InputError);
  folder.write("trajectory.csv", "step,t,a,v_a\n0,0,1,0\n");
  EXPECT_THROW(replay(), InputError);  // no series
  folder.write("series.csv", "step,t\n0,0\n");
  EXPECT_NO_THROW(replay());
  for (const char* text : {"", "step,t,a\n0,0,1\n", "step,t,a,v_a\n", "step,t,a,v_a\n0,0,1\n",
                           "step,t,a,v_a\n0,0,1,x\n"}) {
    folder.write("trajectory.csv", text);
    EXPECT_THROW(replay(), InputError) << text;
  }
}

}  // namespace
}  // namespace lilyan::test::replay_test
