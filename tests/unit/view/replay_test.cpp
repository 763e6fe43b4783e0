#include "lilyan/view/replay.hpp"

#include <gtest/gtest.h>

#include "lilyan/core/error.hpp"
#include "lilyan/results/result_folder.hpp"
#include "support/view.hpp"

namespace lilyan::test {
namespace {

// A result folder of the bar, as `lilyan run` leaves it.
void run_into(const std::filesystem::path& folder, const Scene& scene) {
  ResultFolder results(folder, scene);
  DriftTracker drift(*scene.system, scene.initial, invariants(*scene.system, scene.initial));
  const RunSummary summary = run_scene(scene, drift, [&](const RunMoment& moment) {
    results.add(moment);
    return true;
  });
  results.finish(summary, drift);
}

TEST(Replay, ShowsTheFramesAndRowsOfAFolder) {
  const TempFolder folder;
  const std::filesystem::path file = folder.write("bar.toml", kBar);
  run_into(folder.path() / "out", load_scene(file, {.settings = {"output.every=5"}}));
  view::Replay replay({2, 7}, {"out", {}}, folder.path() / "out");
  EXPECT_EQ(replay.info().method_name, "avf");
  EXPECT_EQ(replay.info().steps, 3);
  const PlainRun plain(file);
  std::vector<double> rows;
  view::PaneMoment moment = replay.start();
  for (const std::size_t step : {0U, 5U, 10U, 12U}) {
    ASSERT_TRUE(moment.picture);
    const SeenFrame frame(*moment.picture);
    EXPECT_EQ(frame.pane, 2U);
    EXPECT_EQ(frame.run, 7U);
    EXPECT_DOUBLE_EQ(frame.t, plain.states[step].t);
    for (std::size_t i = 0; i < 3 * frame.vertices; ++i) {
      EXPECT_EQ(frame.x(i), static_cast<float>(plain.states[step].x[static_cast<Eigen::Index>(i)]));
    }
    rows.insert(rows.end(), moment.row.begin(), moment.row.end());
    EXPECT_EQ(rows.size(), (step + 1) * plain.rows[0].size());
    EXPECT_EQ(moment.done, step == 12);
    if (!moment.done) moment = replay.step();
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i], plain.rows[i / plain.rows[0].size()][i % plain.rows[0].size()]);
  }
}

TEST(Replay, RefusesWhatIsNoResultFolder) {
  const TempFolder folder;
  EXPECT_THROW(view::Replay({0, 1}, {"x", {}}, folder.path()), InputError);
}

}  // namespace
}  // namespace lilyan::test
