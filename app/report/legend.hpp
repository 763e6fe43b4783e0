// The legend: what it says, how large it is, and where it covers least.
#pragma once

#include <string>
#include <vector>

#include "app/report/canvas.hpp"
#include "app/report/figure.hpp"

namespace lilyan {

// How a series is drawn.
struct Look {
  Stroke stroke;
  double dot = 0;  // diameter; 0: no dots
  bool line = true;
  double dot_alpha = 1;
};
// number: its place among the series.
[[nodiscard]] Look look_of(const PlotSeries& series, int number);

struct LegendEntry {
  std::string label;
  Look look;
  double width = 0;
};

class Legend {
 public:
  // Empty when fewer than two series have labels: there is nothing to tell apart.
  Legend(const Canvas& canvas, const Figure& figure);

  [[nodiscard]] bool empty() const { return entries_.empty(); }

  // One below the other, inside of the axes.
  [[nodiscard]] double block_width() const;
  [[nodiscard]] double block_height() const;
  // The place in the area where it covers least of the data.
  [[nodiscard]] PageBox block_place(const PageBox& area, const Coverage& data) const;
  void draw_block(Canvas& canvas, const PageBox& place) const;

  // Side by side in as many rows as it takes, above the axes.
  [[nodiscard]] double rows_height(double width) const;
  void draw_rows(Canvas& canvas, const PageBox& place) const;

 private:
  void draw(Canvas& canvas, const LegendEntry& entry, const PagePoint& at) const;
  [[nodiscard]] double column_width() const;
  [[nodiscard]] std::size_t row_columns(double width) const;

  std::vector<LegendEntry> entries_;
};

}  // namespace lilyan
