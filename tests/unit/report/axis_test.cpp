// Ranges of axes, and where values are on them.
#include "app/report/axis.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace lilyan::test {
namespace {

TEST(Axis, PlacesValues) {
  const Axis linear(-1, 3, false);
  EXPECT_DOUBLE_EQ(linear.place(-1), 0);
  EXPECT_DOUBLE_EQ(linear.place(0), 0.25);
  EXPECT_DOUBLE_EQ(linear.place(3), 1);
  const Axis logarithmic(1e-4, 1, true);
  EXPECT_DOUBLE_EQ(logarithmic.place(1e-3), 0.25);
  EXPECT_TRUE(std::isnan(logarithmic.place(0)));
  EXPECT_TRUE(std::isnan(logarithmic.place(-1)));
  EXPECT_TRUE(std::isnan(linear.place(std::nan(""))));
}

TEST(Axis, IsNeverTooNarrow) {
  const Axis axis(1, 1, false);
  EXPECT_LT(axis.lowest(), 1);
  EXPECT_GT(axis.highest(), 1);
  EXPECT_NEAR(axis.place(1), 0.5, 0.01);
  EXPECT_GE(axis.ticks(5).major.size(), 2U);
  EXPECT_NEAR(Axis(0, 0, false).place(0), 0.5, 1e-9);
}

TEST(Axis, CurvesReachTheSidesAndCloudsHaveAir) {
  Figure figure;
  figure.series = {{.x = {0, 1, 2}, .y = {0, 10, 5}}};
  const auto curve = find_axes(figure);
  EXPECT_EQ(curve->first.lowest(), 0);
  EXPECT_EQ(curve->first.highest(), 2);
  EXPECT_NEAR(curve->second.lowest(), -0.6, 1e-12);
  EXPECT_NEAR(curve->second.highest(), 10.6, 1e-12);
  figure.series[0].style = PlotStyle::points;
  EXPECT_NEAR(find_axes(figure)->first.lowest(), -0.08, 1e-12);
  figure.series[0] = {.x = {0, 2, 1}, .y = {0, 10, 5}};  // an orbit
  EXPECT_NEAR(find_axes(figure)->first.lowest(), -0.08, 1e-12);
}

TEST(Axis, TheOtherAxisFollowsARange) {
  Figure figure;
  figure.series = {{.x = {0, 1, 2, 3}, .y = {0, 1, 2, 100}}};
  figure.x_range = {0, 2};
  const auto axes = find_axes(figure);
  EXPECT_EQ(axes->first.highest(), 2);
  EXPECT_NEAR(axes->second.highest(), 2.12, 1e-12);
  figure.x_range = {1.2, 1.8};  // between two points
  EXPECT_NEAR(find_axes(figure)->second.highest(), 106, 1e-9);
}

TEST(Axis, OnlyWhatCanBeShownCounts) {
  Figure figure;
  figure.series = {{.x = {1, 2, 3, std::nan("")}, .y = {-1e-9, 10, 1000, 1e9}}};
  figure.log_y = true;
  const auto axes = find_axes(figure);
  EXPECT_EQ(axes->first.lowest(), 2);
  EXPECT_GT(axes->second.lowest(), 5);
  EXPECT_LT(axes->second.highest(), 2000);
  figure.series[0].y = {-1, -2, 0, 1};
  EXPECT_FALSE(find_axes(figure));
}

}  // namespace
}  // namespace lilyan::test
