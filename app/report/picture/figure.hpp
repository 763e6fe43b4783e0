// Figures show results as curves and points over two axes. A figure becomes an SVG file, a PNG file
// made from the SVG, or a chart of report.html (html.hpp).
//
//   Figure figure{.title = "Energy error", .x_label = "time (s)", .log_y = true};
//   figure.series.push_back({.x = t, .y = error, .label = "midpoint"});
//   write_svg({.panels = {figure}}, "energy.svg");
//
// The same input gives the same bytes.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lilyan {

enum class PlotStyle { line, points };

// How long a line has been where, on a grid over a part of the plane. It stands for a line that is so
// tangled that it would fill an area.
struct Density {
  static constexpr int kLevels = 15;
  int columns = 0;
  int rows = 0;
  std::array<double, 4> box =
      {};                   // values of x at the left and right edge, of y at the lower and upper
  std::string levels = {};  // '0' … 'f' of each cell, row by row from below

  [[nodiscard]] int level(int row, int column) const;
};

// A value that is not finite, or not positive on a logarithmic axis, breaks a line and is left out
// of a cloud of points.
struct PlotSeries {
  std::vector<double> x = {};
  std::vector<double> y = {};
  std::string label = {};  // A series without a label is not in the legend.
  PlotStyle style = PlotStyle::line;
  std::optional<int> colour = {};  // index into the palette; default: its place among the series
  // Drawn instead of the line. A few of the line's points are left, its extremes among them.
  std::optional<Density> density = {};
};

struct Figure {
  std::string title = {};
  std::string subtitle = {};
  std::string x_label = {};
  std::string y_label = {};
  bool over_time = false;  // x is the time: curves reach from side to side
  bool apart = false;      // shows a stretch of time of its own, whatever the others show
  bool log_x = false;
  bool log_y = false;
  bool equal_axes = false;         // One unit is as long on one axis as on the other.
  std::optional<double> cut = {};  // The y axis ends at ±cut, and so do curves that explode.
  std::vector<PlotSeries> series = {};
  double width = 480;  // in points, 1/72 inch
  double height = 320;
};

// Several figures as the panels of one, row by row. The axes of a column have the same width, those of
// a row the same height.
struct FigureGrid {
  std::vector<Figure> panels = {};
  int columns = 1;
  std::string title = {};
};

// Okabe and Ito's colours, told apart by people with colour blindness as well ("Color universal
// design", 2008), as 0xrrggbb; those that are faint on white are darker here. web/src/colour.ts has the same. Series
// take the first ones in turn, the others are for methods (method_colours.hpp).
inline constexpr int kPaletteSize = 7;
inline constexpr int kAllColours = 11;
[[nodiscard]] int palette(int index);

// The number of letters of a text, not of its bytes.
[[nodiscard]] std::size_t letters_in(std::string_view text);

// Returns the indices of the points to keep of a curve whose x never decreases. These are all points
// if there are at most 2 × stretches. Otherwise x is cut into so many equal stretches, and the least
// and the largest y of each are kept, in the order they come. A stretch without any finite y keeps one
// point, which breaks the line. web/src/decimate.ts does the same with live data, and both are tested
// with tests/unit/report/decimation.json.
[[nodiscard]] std::vector<std::size_t> extremes(std::span<const double> x,
                                                std::span<const double> y, std::size_t stretches);

// Returns a figure that looks the same with at most about 24 thousand points. Curves over x keep their
// extremes, other lines lose the parts that lie on top of others, and a cloud keeps one point in each
// small square. A line that would fill an area becomes a density. Throws Error when the figure makes no
// sense.
[[nodiscard]] Figure thinned(const Figure& figure);

// Returns the text of an SVG file. Throws Error when a figure makes no sense: every series must have as
// many x as y, and sizes must be positive.
[[nodiscard]] std::string svg_text(const FigureGrid& grid);
// Throws Error also when the file cannot be written.
void write_svg(const FigureGrid& grid, const std::filesystem::path& file);

// Throws Error when no program is installed that makes PNG files from SVG files.
void require_svg_converter();
// Makes NAME.png beside NAME.svg, with two pixels per point, and returns its path. Throws Error when
// there is no converter, or when it fails.
std::filesystem::path convert_to_png(const std::filesystem::path& svg);

struct Conversion {
  std::vector<std::filesystem::path> made;  // PNG files
  std::string note;                         // which could not be made and why; empty: none
};
// Does the same with several files at the end of a run. If the converter fails, only its pictures are
// missing.
[[nodiscard]] Conversion convert_all_to_png(const std::vector<std::filesystem::path>& svgs);

struct Tick {
  double value = 0;
  std::string label = {};
};

struct Ticks {
  std::vector<Tick> major = {};
  std::vector<double> minor = {};  // without labels
  // The value is a label times the factor ("×10⁻⁹" or empty) and what is added ("+ 1.5" or empty).
  std::string factor = {};
  std::string plus = {};

  // Returns both, to be written beside the axis.
  [[nodiscard]] std::string note() const {
    return factor + (factor.empty() || plus.empty() ? "" : " ") + plus;
  }
};

// Returns at most `most` ticks, at multiples of 1, 2 or 5 times a power of ten.
[[nodiscard]] Ticks linear_ticks(double lowest, double highest, int most);
// Returns ticks at powers of ten, and in between where there are fewer than two of them. lowest > 0.
[[nodiscard]] Ticks log_ticks(double lowest, double highest, int most);

class Axis {
 public:
  // lowest <= highest, positive on a logarithmic axis. A range too narrow for doubles is widened.
  Axis(double lowest, double highest, bool logarithmic);

  // Returns the place of a value: 0 is the lowest, 1 the highest. It is NaN if the value has no place.
  [[nodiscard]] double place(double value) const;
  [[nodiscard]] double value(double place) const;
  [[nodiscard]] Ticks ticks(int most) const;

  // Returns the length of the axis in values, or in powers of ten if it is logarithmic.
  [[nodiscard]] double extent() const { return to_ - from_; }
  // Returns an axis that is at least so long and has the same middle.
  [[nodiscard]] Axis widened(double extent) const;

 private:
  double from_;
  double to_;
  bool logarithmic_;
};

// Returns the axes of a figure, or none if it has no data. Throws Error when the figure makes no sense.
[[nodiscard]] std::optional<std::pair<Axis, Axis>> find_axes(const Figure& figure);

}  // namespace lilyan
