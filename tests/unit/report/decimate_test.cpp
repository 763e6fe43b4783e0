// What is left of data on paper, and that nothing which shows is lost.
#include "app/report/decimate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace lilyan::test {
namespace {

constexpr PageBox kBox = {0, 0, 400, 300};
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// A graph that fills the box from side to side.
Polyline noise(std::size_t n) {
  std::mt19937 random(7);
  Polyline line;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = 400.0 * static_cast<double>(i) / static_cast<double>(n - 1);
    line.push_back({x, 100 + 50 * (static_cast<double>(random()) / 4294967296.0)});
  }
  return line;
}

TEST(Decimate, ClippingKeepsWhatIsInside) {
  const Polyline inside = {{1, 1}, {2, 5}, {400, 300}};
  const auto parts = clip_line(inside, kBox);
  ASSERT_EQ(parts.size(), 1U);
  ASSERT_EQ(parts[0].size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(parts[0][i].x, inside[i].x);
    EXPECT_EQ(parts[0][i].y, inside[i].y);
  }
}

TEST(Decimate, ClippingCutsAtTheSides) {
  // In from the left, out at the top, far away, and through from top to bottom.
  const auto parts = clip_line(
      Polyline{{-100, 100}, {100, 100}, {100, -1e200}, {200, -1e200}, {200, 600}, {200, 900}},
      kBox);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].size(), 3U);
  EXPECT_DOUBLE_EQ(parts[0].front().x, 0);
  EXPECT_DOUBLE_EQ(parts[0].front().y, 100);
  EXPECT_NEAR(parts[0].back().y, 0, 1e-9);
  ASSERT_EQ(parts[1].size(), 2U);
  EXPECT_NEAR(parts[1].back().y, 300, 1e-9);
}

TEST(Decimate, WhatIsNotFiniteBreaksLines) {
  const double inf = std::numeric_limits<double>::infinity();
  const auto parts = clip_line(
      Polyline{{kNaN, 0}, {1, 1}, {2, 2}, {3, kNaN}, {4, 4}, {5, inf}, {6, 6}, {7, 7}}, kBox);
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0].size(), 2U);
  EXPECT_EQ(parts[1].size(), 1U);
  EXPECT_EQ(parts[2].size(), 2U);
}

TEST(Decimate, GraphsKeepTheExtremesOfEveryColumn) {
  Polyline line = noise(1'000'000);
  line[543'210].y = 2;  // single samples far out
  line[777'777].y = 298;
  const auto parts = thin_line({line}, kBox, 0.5);
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_LE(parts[0].size(), 4U * 801U);
  EXPECT_EQ(parts[0].front().x, line.front().x);
  EXPECT_EQ(parts[0].back().x, line.back().x);
  for (int column = 0; column < 800; ++column) {
    const auto range = [&](const Polyline& of) {
      double lowest = 1e9;
      double highest = -1e9;
      for (const PagePoint& p : of) {
        if (std::floor(p.x / 0.5) != column) continue;
        lowest = std::min(lowest, p.y);
        highest = std::max(highest, p.y);
      }
      return std::pair{lowest, highest};
    };
    if (column % 100 == 0 || column == 434 || column == 622) {
      EXPECT_EQ(range(parts[0]), range(line)) << column;
    }
  }
  const auto [low, high] = std::ranges::minmax(parts[0], {}, &PagePoint::y);
  EXPECT_EQ(low.y, 2);
  EXPECT_EQ(high.y, 298);
}

TEST(Decimate, GraphsMayRunBackwards) {
  Polyline line = noise(100'000);
  std::ranges::reverse(line);
  const auto parts = thin_line({line}, kBox, 0.5);
  EXPECT_LE(parts[0].size(), 4U * 801U);
  const auto [low, high] = std::ranges::minmax(parts[0], {}, &PagePoint::y);
  const auto [all_low, all_high] = std::ranges::minmax(line, {}, &PagePoint::y);
  EXPECT_EQ(low.y, all_low.y);
  EXPECT_EQ(high.y, all_high.y);
}

// Every point of one is close to the other.
double distance(const Polyline& from, const std::vector<Polyline>& to) {
  double farthest = 0;
  for (const PagePoint& p : from) {
    double nearest = 1e9;
    for (const Polyline& part : to) {
      for (std::size_t i = 1; i < part.size(); ++i) {
        const PagePoint& a = part[i - 1];
        const double dx = part[i].x - a.x;
        const double dy = part[i].y - a.y;
        const double length = dx * dx + dy * dy;
        const double t =
            length == 0 ? 0 : std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length, 0.0, 1.0);
        nearest = std::min(nearest, std::hypot(p.x - a.x - t * dx, p.y - a.y - t * dy));
      }
    }
    farthest = std::max(farthest, nearest);
  }
  return farthest;
}

Polyline loops(int turns, int per_turn) {
  Polyline line;
  for (int i = 0; i <= turns * per_turn; ++i) {
    const double angle = 2 * M_PI * i / per_turn;
    line.push_back({200 + 100 * std::cos(angle), 150 + 100 * std::sin(angle)});
  }
  return line;
}

TEST(Decimate, OrbitsKeepTheirShape) {
  const Polyline line = loops(1, 20'000);
  const auto parts = thin_line({line}, kBox, 0.5);
  EXPECT_LT(count(parts), 3000U);
  EXPECT_LT(distance(line, parts), 0.05);
}

TEST(Decimate, RepeatedLoopsAreDrawnOnceAndClosed) {
  const Polyline line = loops(50, 997);
  const auto parts = drop_covered(thin_line({line}, kBox, 0.5), kBox, 0.5);
  EXPECT_LT(count(parts), 3000U);
  EXPECT_LT(distance(loops(1, 20'000), parts), 0.05);
}

TEST(Decimate, OneDotForEachSquare) {
  std::mt19937 random(3);
  std::vector<PagePoint> points = {{kNaN, 1}, {-1, 5}, {5, 301}};
  for (int i = 0; i < 10'000; ++i) {
    points.push_back({10 + static_cast<double>(random()) / 4294967296.0, 10.25});
  }
  points.push_back({399, 299});
  const auto kept = thin_points(points, kBox, 0.5);
  EXPECT_EQ(kept.size(), 3U);
  EXPECT_EQ(kept.back().x, 399);
}

TEST(Decimate, HatchingCoversTheInkAndNoMore) {
  // A square full of dots, and one dot by itself.
  std::vector<PagePoint> dots = {{300, 200}};
  for (int i = 0; i < 200; ++i) {
    for (int j = 0; j < 200; ++j) dots.push_back({50 + 0.5 * i, 50 + 0.5 * j});
  }
  const Hatching hatching = hatch({}, dots, kBox, 1, 1000);
  EXPECT_EQ(hatching.width, 1);
  ASSERT_EQ(hatching.strokes.size(), 101U);
  for (const Polyline& stroke : hatching.strokes) {
    ASSERT_EQ(stroke.size(), 2U);
    EXPECT_EQ(stroke[0].y, stroke[1].y);
    if (stroke[0].y > 160) {
      EXPECT_NEAR(stroke[0].x, 300.5, 0.01);
    } else {
      EXPECT_NEAR(stroke[0].x, 50.5, 0.01);
      EXPECT_NEAR(stroke[1].x, 149.5, 0.01);
    }
  }
  EXPECT_LE(count(hatch({}, dots, kBox, 1, 50).strokes), 50U);
}

}  // namespace
}  // namespace lilyan::test
