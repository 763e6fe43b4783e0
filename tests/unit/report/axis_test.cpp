// Ranges of axes, where values are on them, and ticks against tables made by hand.
#include "app/report/picture/figure.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/label_numbers.hpp"

namespace lilyan::test::axis_test {
namespace {

TEST(Axis, PlacesValues) {
  const Axis linear(-1, 3, false);
  EXPECT_DOUBLE_EQ(linear.place(-1), 0);
  EXPECT_DOUBLE_EQ(linear.place(0), 0.25);
  EXPECT_DOUBLE_EQ(linear.place(3), 1);
  EXPECT_DOUBLE_EQ(linear.value(0.25), 0);
  const Axis logarithmic(1e-4, 1, true);
  EXPECT_DOUBLE_EQ(logarithmic.place(1e-3), 0.25);
  EXPECT_DOUBLE_EQ(logarithmic.value(0.25), 1e-3);
  EXPECT_TRUE(std::isnan(logarithmic.place(0)));
  EXPECT_TRUE(std::isnan(logarithmic.place(-1)));
  EXPECT_TRUE(std::isnan(linear.place(std::nan(""))));
}

TEST(Axis, IsNeverTooNarrow) {
  const Axis axis(1, 1, false);
  EXPECT_LT(axis.value(0), 1);
  EXPECT_GT(axis.value(1), 1);
  EXPECT_NEAR(axis.place(1), 0.5, 0.01);
  EXPECT_GE(axis.ticks(5).major.size(), 2U);
  EXPECT_NEAR(Axis(0, 0, false).place(0), 0.5, 1e-9);
}

TEST(Axis, CurvesOverTimeReachTheSidesAndOthersHaveAir) {
  Figure figure{.over_time = true, .series = {{.x = {0, 1, 2}, .y = {0, 10, 5}}}};
  const auto curve = find_axes(figure);
  EXPECT_EQ(curve->first.value(0), 0);
  EXPECT_EQ(curve->first.value(1), 2);
  EXPECT_NEAR(curve->second.value(0), -0.6, 1e-12);
  EXPECT_NEAR(curve->second.value(1), 10.6, 1e-12);
  figure.over_time = false;
  EXPECT_NEAR(find_axes(figure)->first.value(0), -0.08, 1e-12);
}

TEST(Axis, EndsWhereCurvesAreCut) {
  Figure figure{.cut = 3, .series = {{.x = {0, 1, 2}, .y = {-0.5, 1e9, 1}}}};
  EXPECT_NEAR(find_axes(figure)->second.value(1), 3 + 0.06 * 3.5, 1e-12);
  EXPECT_NEAR(find_axes(figure)->second.value(0), -0.5 - 0.06 * 3.5, 1e-12);
  figure.series[0].y = {0, 1, 2};  // nothing to cut
  EXPECT_NEAR(find_axes(figure)->second.value(1), 2.12, 1e-12);
}

TEST(Axis, OnlyWhatCanBeShownCounts) {
  Figure figure;
  figure.series = {{.x = {1, 2, 3, std::nan("")}, .y = {-1e-9, 10, 1000, 1e9}}};
  figure.log_y = figure.over_time = true;
  const auto axes = find_axes(figure);
  EXPECT_EQ(axes->first.value(0), 2);
  EXPECT_GT(axes->second.value(0), 5);
  EXPECT_LT(axes->second.value(1), 2000);
  figure.series[0].y = {-1, -2, 0, 1};
  EXPECT_FALSE(find_axes(figure));
}

std::string labels(const Ticks& ticks) {
  std::string out;
  for (const Tick& t : ticks.major) out += (out.empty() ? "" : " ") + t.label;
  return out;
}

struct Row {
  double lowest, highest;
  int most;
  std::string labels, note;
};

void expect_rows(const std::vector<Row>& rows, Ticks (*ticks_of)(double, double, int)) {
  for (const Row& row : rows) {
    SCOPED_TRACE(std::to_string(row.lowest) + " to " + std::to_string(row.highest));
    const Ticks ticks = ticks_of(row.lowest, row.highest, row.most);
    EXPECT_EQ(labels(ticks), row.labels);
    EXPECT_EQ(ticks.note(), row.note);
  }
}

TEST(Ticks, LinearTable) {
  expect_rows(
      {
          {0, 1, 6, "0 0.2 0.4 0.6 0.8 1.0", ""},
          {0, 1, 5, "0 0.5 1.0", ""},
          {0, 10, 11, "0 1 2 3 4 5 6 7 8 9 10", ""},
          {-3, 3, 7, "−3 −2 −1 0 1 2 3", ""},
          {-0.3, -0.1, 5, "−0.30 −0.25 −0.20 −0.15 −0.10", ""},
          {-7.9, -2.1, 6, "−7 −6 −5 −4 −3", ""},
          {0, 80'000, 5, "0 20000 40000 60000 80000", ""},
          {0, 1e6, 6, "0 0.2 0.4 0.6 0.8 1.0", "×10⁶"},
          {0, 0.01, 6, "0 0.002 0.004 0.006 0.008 0.010", ""},
          {0, 0.008, 5, "0 2 4 6 8", "×10⁻³"},
          {-3.2e-9, 3.4e-9, 7, "−3 −2 −1 0 1 2 3", "×10⁻⁹"},
          {0, 2.5e-300, 6, "0 0.5 1.0 1.5 2.0 2.5", "×10⁻³⁰⁰"},
          {-1e300, 1e300, 5, "−1.0 −0.5 0 0.5 1.0", "×10³⁰⁰"},
          {1000, 1005, 6, "1000 1001 1002 1003 1004 1005", ""},
          {1.00002, 1.00004, 3, "1.00002 1.00003 1.00004", ""},
          {1.0000000012, 1.0000000016, 3, "1.2 1.4 1.6", "×10⁻⁹ + 1"},
          {1 - 2e-12, 1 + 2e-12, 3, "−2 0 2", "×10⁻¹² + 1"},
          {-7.25 - 2e-7, -7.25, 3, "−2 −1 0", "×10⁻⁷ − 7.25"},
          {1e6, 1e6 + 4, 3, "0 2 4", "+ 10⁶"},
          {6.1838201e-6, 6.1838204e-6, 4, "2.01 2.02 2.03 2.04", "×10⁻¹¹ + 6.1838×10⁻⁶"},
          {12'345'678, 12'345'680, 3, "678 679 680", "+ 1.2345×10⁷"},
          {-12'345'680, -12'345'678, 3, "−680 −679 −678", "− 1.2345×10⁷"},
          {-1.0000002, -0.9999998, 5, "−2 −1 0 1 2", "×10⁻⁷ − 1"},
      },
      linear_ticks);
}

TEST(Ticks, LogarithmicTable) {
  expect_rows(
      {
          {1e-3, 1e2, 6, "10⁻³ 10⁻² 10⁻¹ 10⁰ 10¹ 10²", ""},
          {1e-16, 1e-2, 8, "10⁻¹⁶ 10⁻¹⁴ 10⁻¹² 10⁻¹⁰ 10⁻⁸ 10⁻⁶ 10⁻⁴ 10⁻²", ""},
          {1e-300, 1e300, 7, "10⁻³⁰⁰ 10⁻²⁰⁰ 10⁻¹⁰⁰ 10⁰ 10¹⁰⁰ 10²⁰⁰ 10³⁰⁰", ""},
          {1e-305, 1e305, 2, "10⁰", ""},
          {0.15, 7, 5, "0.2 0.5 1 2 5", ""},
          {2e-5, 7e-5, 6, "2×10⁻⁵ 5×10⁻⁵", ""},
          {3.1, 3.5, 5, "3.1 3.2 3.3 3.4 3.5", ""},
      },
      log_ticks);
}

TEST(Ticks, MinorTicksAreInsideAndBetween) {
  const Ticks ticks = log_ticks(1e-2, 1, 5);
  EXPECT_EQ(ticks.minor.size(), 16U);  // 2 to 9 in two decades
  EXPECT_DOUBLE_EQ(ticks.minor.front(), 0.02);
  EXPECT_DOUBLE_EQ(ticks.minor.back(), 0.9);
  const Ticks wide = log_ticks(1e-10, 1, 6);
  EXPECT_EQ(wide.major.size() + wide.minor.size(), 11U);
}

// Whatever the range: within it, no more than asked for, with labels that are different and equal to
// the value when what is written beside the axis is applied.
TEST(Ticks, AnyRange) {
  for (const double middle : {0.0, 1.0, -1.0, 3.7e-9, -42.5, 1e5, 6.02e23}) {
    for (int e = -12; e <= 12; ++e) {
      const double half = std::pow(10, e) * (middle == 0 ? 1 : std::abs(middle)) * 1.37;
      for (int most = 2; most <= 12; ++most) {
        const Ticks ticks = linear_ticks(middle - half, middle + half, most);
        ASSERT_LE(ticks.major.size(), static_cast<std::size_t>(most));
        ASSERT_GE(ticks.major.size(), 1U);
        const auto [factor, plus] = note_numbers(ticks.note());
        for (std::size_t i = 0; i < ticks.major.size(); ++i) {
          const double v = ticks.major[i].value;
          EXPECT_GE(v, middle - half * (1 + 1e-3));
          EXPECT_LE(v, middle + half * (1 + 1e-3));
          // A sign, which has three bytes, a point and six digits, however narrow the range.
          EXPECT_LE(ticks.major[i].label.size(), 10U) << ticks.major[i].label;
          EXPECT_NEAR(number(ticks.major[i].label) * factor + plus, v,
                      1e-9 * half + 1e-15 * std::abs(v));
          if (i == 0) continue;
          EXPECT_NE(ticks.major[i].label, ticks.major[i - 1].label);
        }
      }
    }
  }
}

TEST(Ticks, NoneWithoutARange) {
  EXPECT_TRUE(linear_ticks(1, 1, 5).major.empty());
  EXPECT_TRUE(linear_ticks(1, std::nan(""), 5).major.empty());
  EXPECT_TRUE(log_ticks(0, 1, 5).major.empty());
  EXPECT_TRUE(log_ticks(-1, 1, 5).major.empty());
}

}  // namespace
}  // namespace lilyan::test::axis_test
