// Figures of results: curves and points over two axes. A figure becomes an SVG file, a PNG file made
// from the SVG (png.hpp), or a chart of report.html (html.hpp).
//
//   Figure figure{.title = "Energy error", .x_label = "time (s)", .log_y = true};
//   figure.series.push_back({.x = t, .y = error, .label = "midpoint"});
//   write_svg({.panels = {figure}}, "energy.svg");
//
// The same input gives the same bytes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lilyan {

enum class PlotStyle { line, points };

// A value that is not finite, or not positive on a logarithmic axis, breaks a line and is left out
// of a cloud of points.
struct PlotSeries {
  std::vector<double> x = {};
  std::vector<double> y = {};
  std::string label = {};  // A series without a label is not in the legend.
  PlotStyle style = PlotStyle::line;
  std::optional<int> colour = {};  // index into the palette; default: its place among the series
};

struct Figure {
  std::string title = {};
  std::string subtitle = {};
  std::string x_label = {};
  std::string y_label = {};
  bool over_time = false;  // x is the time: curves reach from side to side
  bool log_y = false;
  bool equal_axes = false;         // One unit is as long on one axis as on the other.
  std::optional<double> cut = {};  // The y axis ends at ±cut, and so do curves that explode.
  std::vector<PlotSeries> series = {};
  double width = 480;  // in points, 1/72 inch
  double height = 320;
};

// Figures as panels of one, row by row. Axes of a column have the same width, axes of a row the same
// height.
struct FigureGrid {
  std::vector<Figure> panels = {};
  int columns = 1;
  std::string title = {};
};

// Okabe and Ito's colours, told apart by people with colour blindness as well ("Color universal
// design", 2008), as 0xrrggbb. Their yellow is missing: it is faint on white.
inline constexpr int kPaletteSize = 7;
[[nodiscard]] int palette(int index);

// The points to keep of a curve whose x never decreases, by index: all of them if there are at most
// 2 × stretches, otherwise the least and the largest y of each of so many equal stretches of x, in
// the order they come. A stretch without any finite y keeps one point, which breaks the line.
// web/src/decimate.ts does the same with live data; tests/unit/report/decimation.json holds both to
// it.
[[nodiscard]] std::vector<std::size_t> extremes(std::span<const double> x,
                                                std::span<const double> y, std::size_t stretches);

// The same picture with at most about 24 thousand points, whatever their number was: curves over x
// keep their extremes, other lines lose what lies on top of them, and of the points of a cloud one
// stays in each small square. Throws Error when the figure makes no sense.
[[nodiscard]] Figure thinned(const Figure& figure);

// The text of an SVG file. Throws Error when a figure makes no sense: every series must have as many
// x as y, and sizes must be positive.
[[nodiscard]] std::string svg_text(const FigureGrid& grid);
// Throws Error also when the file cannot be written.
void write_svg(const FigureGrid& grid, const std::filesystem::path& file);

}  // namespace lilyan
