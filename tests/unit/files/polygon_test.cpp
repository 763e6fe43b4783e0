// Polygons cut into triangles.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "app/files/polygon.hpp"
#include "lilyan/base/types.hpp"

namespace lilyan::test::polygon_test {
namespace {

using Corners = std::vector<std::array<double, 3>>;

Corners flat(const std::vector<std::array<double, 2>>& corners) {
  Corners result;
  for (const auto& [x, y] : corners) result.push_back({x, y, 0});
  return result;
}

struct Areas {
  double sum = 0;
  double least = 0;  // negative: a triangle is turned over
};

// Of the triangles, along z.
Areas areas(const Corners& corners, const PolygonCut& cut) {
  Areas result{0, 1e300};
  for (const auto& t : cut.triangles) {
    const auto at = [&](int c) { return Vec3(corners[static_cast<std::size_t>(c)].data()); };
    const double area = (at(t[1]) - at(t[0])).cross(at(t[2]) - at(t[0])).z() / 2;
    result.sum += area;
    result.least = std::min(result.least, area);
  }
  return result;
}

void expect_area(const Corners& corners, double area) {
  const PolygonCut cut = cut_polygon(corners);
  ASSERT_EQ(cut.fault, "");
  ASSERT_EQ(cut.triangles.size(), corners.size() - 2);
  const Areas found = areas(corners, cut);
  EXPECT_NEAR(found.sum, area, 1e-12 * area);
  EXPECT_GT(found.least, 0);
}

TEST(Polygon, ConvexOnesBecomeAFan) {
  const PolygonCut quad = cut_polygon(flat({{0, 0}, {1, 0}, {1, 1}, {0, 1}}));
  EXPECT_EQ(quad.triangles, (std::vector<std::array<int, 3>>{{0, 1, 2}, {0, 2, 3}}));
  Corners circle;
  for (int i = 0; i < 1000; ++i) {
    const double angle = 2 * std::numbers::pi * i / 1000;
    circle.push_back({std::cos(angle), std::sin(angle), 0});
  }
  EXPECT_EQ(cut_polygon(circle).triangles[500], (std::array<int, 3>{0, 501, 502}));
}

TEST(Polygon, ConcaveOnesAreCoveredOnceFromEveryFirstCorner) {
  // A quad, a star, the letters L and E, and a spiral.
  std::vector<std::array<double, 2>> star;
  for (int i = 0; i < 10; ++i) {
    const double angle = std::numbers::pi * i / 5;
    const double r = i % 2 == 0 ? 1 : 0.3;
    star.push_back({r * std::cos(angle), r * std::sin(angle)});
  }
  const double star_area = 10 * 0.5 * 0.3 * std::sin(std::numbers::pi / 5);
  const std::vector<std::pair<std::vector<std::array<double, 2>>, double>> shapes = {
      {{{0, 0}, {2, 1}, {0, 2}, {1, 1}}, 1},
      {star, star_area},
      {{{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 3}, {0, 3}}, 4},
      {{{0, 0},
        {3, 0},
        {3, 1},
        {1, 1},
        {1, 2},
        {3, 2},
        {3, 3},
        {1, 3},
        {1, 4},
        {3, 4},
        {3, 5},
        {0, 5}},
       11},
      {{{0, 0},
        {5, 0},
        {5, 5},
        {1, 5},
        {1, 2},
        {3, 2},
        {3, 3},
        {2, 3},
        {2, 4},
        {4, 4},
        {4, 1},
        {0, 1}},
       5 + 4 + 3 + 2 + 1},
  };
  for (auto [shape, area] : shapes) {
    for (std::size_t first = 0; first < shape.size(); ++first) {
      std::ranges::rotate(shape, shape.begin() + 1);
      expect_area(flat(shape), area);
    }
  }
}

TEST(Polygon, CornersOnStraightSidesGiveNoFlatTriangles) {
  expect_area(flat({{0, 0}, {1, 0}, {2, 0}, {2, 2}, {0, 2}}), 4);
  expect_area(flat({{0, 0}, {1, 0}, {2, 0}, {2, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}}), 4);
  // As single precision has it, a little outside or inside of the side.
  expect_area(flat({{0, 0}, {1, 1e-8}, {2, 0}, {2, 2}, {0, 2}}), 4 - 1e-8);
}

TEST(Polygon, AHoleIsKeptFree) {
  // A square of 4 with a hole of 1, joined by a cut in both directions.
  expect_area(
      flat({{0, 0}, {4, 0}, {4, 4}, {0, 4}, {0, 0}, {1, 1}, {1, 3}, {3, 3}, {3, 1}, {1, 1}}), 12);
}

TEST(Polygon, StandsAnywhereInSpace) {
  const Corners shape = flat({{0, 0}, {2, 1}, {0, 2}, {1, 1}});
  const Eigen::AngleAxisd turn(1.1, Vec3(1, 2, -1).normalized());
  for (const double scale : {1e-150, 1e-3, 1e150}) {
    Corners moved;
    for (const auto& p : shape) {
      const Vec3 q = scale * (turn * Vec3(p.data()) + Vec3(3, -4, 5));
      moved.push_back({q[0], q[1], q[2]});
    }
    const PolygonCut cut = cut_polygon(moved);
    ASSERT_EQ(cut.fault, "") << scale;
    EXPECT_EQ(areas(shape, cut).sum, 1) << scale;
    EXPECT_GT(areas(shape, cut).least, 0) << scale;
  }
}

TEST(Polygon, BentOnesAreCutAsSeenAlongTheirNormal) {
  Corners bent = flat({{0, 0}, {2, 1}, {0, 2}, {1, 1}});
  bent[3][2] = 0.2;
  const PolygonCut cut = cut_polygon(bent);
  EXPECT_EQ(cut.fault, "");
  EXPECT_NEAR(areas(bent, cut).sum, 1, 1e-12);
  EXPECT_GT(areas(bent, cut).least, 0);
}

TEST(Polygon, ThoseThatCutThemselvesAreRefused) {
  for (const auto& shape : std::vector<std::vector<std::array<double, 2>>>{
           {{0, 0}, {1, 1}, {1, 0}, {0, 1}},
           {{0, 0}, {3, 3}, {3, 0}, {0, 1}},
           {{0, 0}, {4, 0}, {4, 4}, {1, -1}, {0, 4}},
       }) {
    const PolygonCut cut = cut_polygon(flat(shape));
    EXPECT_NE(cut.fault.find("cuts itself"), std::string::npos) << cut.fault;
    EXPECT_TRUE(cut.triangles.empty());
  }
}

TEST(Polygon, WithoutAreaOrTooLargeToMeasureItStaysAFan) {
  for (const auto& shape :
       {flat({{0, 0}, {1, 0}, {2, 0}, {3, 0}}), flat({{1, 1}, {1, 1}, {1, 1}, {1, 1}}),
        flat({{-1e308, 0}, {1e308, 0}, {1e308, 1e308}, {-1e308, 1e308}})}) {
    EXPECT_EQ(cut_polygon(shape).triangles,
              (std::vector<std::array<int, 3>>{{0, 1, 2}, {0, 2, 3}}));
  }
  // Two corners in one place make one flat triangle.
  const Corners pole = flat({{0, 0}, {1, 0}, {0, 1}, {0, 1}});
  EXPECT_EQ(areas(pole, cut_polygon(pole)).sum, 0.5);
}

}  // namespace
}  // namespace lilyan::test::polygon_test
