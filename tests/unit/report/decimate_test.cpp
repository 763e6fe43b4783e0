// Thinned figures: how much is left, and that nothing which shows is lost.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "app/report/picture/figure.hpp"
#include "support/paths.hpp"

namespace lilyan::test::decimate_test {
namespace {

double uniform(std::mt19937& random) { return static_cast<double>(random()) / 4294967296.0; }

// web/test/decimate.test.mjs reads the same file.
TEST(Extremes, AreThoseOfTheSharedTable) {
  std::ifstream stream(source_folder() / "tests/unit/report/decimation.json");
  const nlohmann::json table = nlohmann::json::parse(stream);
  const auto x = table["x"].get<std::vector<double>>();
  std::vector<double> y;
  for (const auto& v : table["y"]) y.push_back(v.is_null() ? std::nan("") : v.get<double>());
  const auto stretches = table["stretches"].get<std::size_t>();
  std::vector<nlohmann::json> kept(stretches, nlohmann::json::array());
  const double width = (x.back() - x.front()) / static_cast<double>(stretches);
  std::size_t before = 0;
  for (const std::size_t i : extremes(x, y, stretches)) {
    EXPECT_TRUE(i >= before);
    before = i;
    const auto stretch =
        std::min(static_cast<std::size_t>((x[i] - x.front()) / width), stretches - 1);
    kept[stretch].push_back(std::isfinite(y[i]) ? nlohmann::json(y[i]) : nlohmann::json());
  }
  EXPECT_EQ(nlohmann::json(kept), table["kept"]);
}

TEST(Extremes, FewPointsAreAllKept) {
  const std::vector<double> x = {0, 1, 2, 3};
  const std::vector<double> y = {4, std::nan(""), 4, 4};
  EXPECT_EQ(extremes(x, y, 2), (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_TRUE(extremes({}, {}, 2).empty());
}

TEST(Extremes, NoSampleThatSticksOutIsLost) {
  std::mt19937 random(7);
  std::vector<double> x, y;
  for (int i = 0; i < 300'000; ++i) {
    x.push_back(i);
    y.push_back(uniform(random));
  }
  y[123'456] = 50;
  y[277'777] = -50;
  const std::vector<std::size_t> kept = extremes(x, y, 1000);
  EXPECT_LE(kept.size(), 2000U);
  EXPECT_TRUE(std::ranges::binary_search(kept, 123'456U));
  EXPECT_TRUE(std::ranges::binary_search(kept, 277'777U));
  for (std::size_t s = 0; s < 1000; ++s) {
    const auto from = y.begin() + static_cast<std::ptrdiff_t>(300 * s);
    const auto [low, high] = std::ranges::minmax(std::span(from, 300));
    double kept_low = 1e9;
    double kept_high = -1e9;
    for (const std::size_t i : kept) {
      if (i / 300 != s) continue;
      kept_low = std::min(kept_low, y[i]);
      kept_high = std::max(kept_high, y[i]);
    }
    ASSERT_EQ(kept_low, low) << s;
    ASSERT_EQ(kept_high, high) << s;
  }
}

// The largest distance of points on the page (480 by 320) from a line on it.
double distance(const PlotSeries& from, const PlotSeries& to, double x_unit, double y_unit) {
  double farthest = 0;
  for (std::size_t k = 0; k < from.x.size(); ++k) {
    double nearest = 1e9;
    for (std::size_t i = 1; i < to.x.size(); ++i) {
      if (!std::isfinite(to.x[i - 1] + to.x[i])) continue;
      const double ax = x_unit * (to.x[i - 1] - from.x[k]);
      const double ay = y_unit * (to.y[i - 1] - from.y[k]);
      const double dx = x_unit * (to.x[i] - to.x[i - 1]);
      const double dy = y_unit * (to.y[i] - to.y[i - 1]);
      const double length = dx * dx + dy * dy;
      const double t = length == 0 ? 0 : std::clamp(-(ax * dx + ay * dy) / length, 0.0, 1.0);
      nearest = std::min(nearest, std::hypot(ax + t * dx, ay + t * dy));
    }
    farthest = std::max(farthest, nearest);
  }
  return farthest;
}

PlotSeries loops(int turns, int per_turn) {
  PlotSeries line;
  for (int i = 0; i <= turns * per_turn; ++i) {
    line.x.push_back(std::cos(2 * M_PI * i / per_turn));
    line.y.push_back(std::sin(2 * M_PI * i / per_turn));
  }
  return line;
}

TEST(Thinned, OrbitsKeepTheirShape) {
  const PlotSeries once = loops(1, 20'000);
  const PlotSeries thin = thinned({.series = {once}}).series[0];
  EXPECT_LT(thin.x.size(), 4000U);
  EXPECT_LT(distance(once, thin, 240, 160), 0.05);
}

TEST(Thinned, RepeatedLoopsAreDrawnOnceAndClosed) {
  const PlotSeries thin = thinned({.series = {loops(50, 997)}}).series[0];
  EXPECT_LT(thin.x.size(), 4000U);
  EXPECT_LT(distance(loops(1, 2'000), thin, 240, 160), 0.05);
}

TEST(Thinned, BreaksOfALineStay) {
  PlotSeries arc = loops(1, 1000);
  for (std::size_t i = 400; i < 600; ++i) arc.y[i] = std::nan("");
  const PlotSeries thin = thinned({.series = {arc}}).series[0];
  EXPECT_TRUE(std::ranges::any_of(thin.y, [](double y) { return std::isnan(y); }));
  for (std::size_t i = 1; i < thin.x.size(); ++i) {
    const double step = std::hypot(thin.x[i] - thin.x[i - 1], thin.y[i] - thin.y[i - 1]);
    EXPECT_TRUE(std::isnan(step) || step < 0.05) << "a chord across the gap";
  }
}

TEST(Thinned, ATangleCoversTheSameAreaAsADensity) {
  PlotSeries line;  // fills the disc around the origin and leaves a hole
  std::mt19937 random(3);
  for (int i = 0; i < 400'000; ++i) {
    const double angle = 2 * M_PI * uniform(random);
    const double radius = 0.5 + 0.5 * uniform(random);
    line.x.push_back(radius * std::cos(angle));
    line.y.push_back(radius * std::sin(angle));
    if (i % 2 == 1) {  // short strokes only
      line.x.back() = line.x[line.x.size() - 2] + 0.01;
      line.y.back() = line.y[line.y.size() - 2];
      line.x.push_back(std::nan(""));
      line.y.push_back(std::nan(""));
    }
  }
  const PlotSeries thin = thinned({.series = {line}}).series[0];
  EXPECT_LE(thin.x.size(), 2'000U);
  ASSERT_TRUE(thin.density);
  const Density& density = *thin.density;
  const double wide = (density.box[1] - density.box[0]) / density.columns;
  const double high = (density.box[3] - density.box[2]) / density.rows;
  double area = 0;
  for (int row = 0; row < density.rows; ++row) {
    for (int column = 0; column < density.columns; ++column) {
      if (density.level(row, column) == 0) continue;
      area += wide * high;
      EXPECT_GT(
          std::hypot(density.box[0] + (column + 0.5) * wide, density.box[2] + (row + 0.5) * high),
          0.47)
          << "the hole is not filled";
    }
  }
  EXPECT_NEAR(area, M_PI * (1 - 0.25), 0.1);
}

// A curve of so many periods that its strokes touch, and one whose periods can be counted.
TEST(Thinned, ThousandsOfPeriodsAreADensityAndTenAreALine) {
  const auto wave = [](int periods) {
    PlotSeries line;
    for (int i = 0; i <= 60'000; ++i) {
      line.x.push_back(i);
      line.y.push_back(std::sin(2 * M_PI * periods * i / 60'000.0));
    }
    return Figure{.over_time = true, .series = {line}};
  };
  EXPECT_FALSE(thinned(wave(10)).series[0].density);
  const PlotSeries dense = thinned(wave(3'000)).series[0];
  ASSERT_TRUE(dense.density);
  // A swing stays longest where it turns.
  const int middle = dense.density->columns / 2;
  int edge = 0;
  for (int row = 0; row < dense.density->rows / 8; ++row) {
    edge = std::max(edge, dense.density->level(row, middle));
  }
  EXPECT_GT(edge, dense.density->level(dense.density->rows / 2, middle));
  // Its range is not lost, and to thin it once more changes nothing.
  EXPECT_NEAR(*std::ranges::max_element(dense.y), 1, 1e-4);
  EXPECT_EQ(thinned({.over_time = true, .series = {dense}}).series[0].x, dense.x);
}

TEST(Thinned, AnOrbitThatComesBackToItselfIsALine) {
  EXPECT_FALSE(thinned({.series = {loops(500, 997)}}).series[0].density);
}

TEST(Thinned, OneDotForEachSmallSquare) {
  std::mt19937 random(3);
  PlotSeries dots{.style = PlotStyle::points};
  dots.x = {0, 480, std::nan("")};
  dots.y = {0, 320, 1};
  for (int i = 0; i < 10'000; ++i) {
    dots.x.push_back(100 + uniform(random));
    dots.y.push_back(100);
  }
  const PlotSeries thin = thinned({.series = {dots}}).series[0];
  EXPECT_GE(thin.x.size(), 4U);
  EXPECT_LE(thin.x.size(), 5U);
  EXPECT_EQ(thin.x[1], 480);
}

TEST(Thinned, SmallFiguresAreLeftAlone) {
  const Figure figure{.series = {{.x = {0, 1, 2}, .y = {0, std::nan(""), 5}, .label = "a"},
                                 {.x = {0, 2, 1}, .y = {0, 1, 5}, .colour = 4}}};
  const Figure thin = thinned(figure);
  EXPECT_EQ(thin.series[0].x, figure.series[0].x);
  EXPECT_EQ(thin.series[0].label, "a");
  EXPECT_EQ(thin.series[1].y, figure.series[1].y);
  EXPECT_EQ(thin.series[1].colour, 4);
  EXPECT_TRUE(thinned({}).series.empty());
}

}  // namespace
}  // namespace lilyan::test::decimate_test
