// Figures of results, as people put them into papers and onto slides, written as SVG or PNG.
//
//   Figure figure;
//   figure.title = "Energy error";
//   figure.x_label = "time (s)";
//   figure.series.push_back({.x = t, .y = error, .label = "midpoint"});
//   write_svg(figure, "energy.svg");
//   write_png(figure, "energy.png");
//
// The same input gives the same bytes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lilyan {

enum class PlotStyle { line, points, line_points };

// Values that are not finite, or that are not positive on a logarithmic axis, break a line and are
// left out of a cloud of points.
struct PlotSeries {
  std::vector<double> x = {};
  std::vector<double> y = {};
  std::string label = {};  // in the legend; without one the series is not there
  PlotStyle style = PlotStyle::line;
  std::optional<int> colour = {};  // index into the palette; otherwise its place among the series
  double width = 0;                // of the line, or across a point, in points; 0: chosen
  bool dashed = false;
};

struct PlotRange {
  double lowest = 0;
  double highest = 1;
};

struct Figure {
  std::string title = {};
  std::string subtitle = {};
  std::string x_label = {};
  std::string y_label = {};
  bool log_x = false;
  bool log_y = false;
  // One unit is as long on one axis as on the other: a range is widened where need be. Without
  // effect where only one axis is logarithmic.
  bool equal_axes = false;
  // Otherwise from the data.
  std::optional<PlotRange> x_range = {};
  std::optional<PlotRange> y_range = {};
  std::vector<PlotSeries> series = {};
  // In points, 1/72 inch.
  double width = 480;
  double height = 320;
};

// Figures as panels of one, row by row. Panels of a column have axes of the same width, those of a
// row of the same height.
struct FigureGrid {
  std::vector<Figure> panels = {};
  int columns = 2;
  std::string title = {};
};

// All throw Error when the file cannot be written or the figure makes no sense: as many x as y,
// ranges that are not empty (and positive on logarithmic axes), sizes that are positive.
void write_svg(const Figure& figure, const std::filesystem::path& file);
void write_svg(const FigureGrid& grid, const std::filesystem::path& file);
// The text of such a file.
[[nodiscard]] std::string svg_text(const Figure& figure);
[[nodiscard]] std::string svg_text(const FigureGrid& grid);
// scale: pixels per point.
void write_png(const Figure& figure, const std::filesystem::path& file, double scale = 2);
void write_png(const FigureGrid& grid, const std::filesystem::path& file, double scale = 2);

}  // namespace lilyan
