// One figure laid out on a canvas and drawn.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/report/axis.hpp"
#include "app/report/canvas.hpp"
#include "app/report/figure.hpp"
#include "app/report/legend.hpp"

namespace lilyan {

// Around the area between the axes.
struct Margins {
  double left = 0;
  double right = 0;
  double top = 0;
  double bottom = 0;
};

class Panel {
 public:
  // In the rectangle `frame` of the page. The figure must outlive the panel. Throws Error when the
  // figure makes no sense.
  Panel(const Canvas& canvas, const Figure& figure, const PageBox& frame);

  [[nodiscard]] const Margins& margins() const { return margins_; }
  // How many points of data there are to draw, dots counted as often as they take more bytes.
  [[nodiscard]] std::size_t points() const;

  // Anew, with margins at least these.
  void lay_out(const Canvas& canvas, const Margins& least);
  // Does not draw what lies under other parts of the same line.
  void drop_hidden();
  // Draws about that many points of data at the most.
  void thin(std::size_t most);

  void draw(Canvas& canvas) const;

 private:
  struct DrawnSeries {
    Look look;
    std::vector<Polyline> lines;
    std::vector<PagePoint> dots;
    Hatching hatching;

    [[nodiscard]] std::size_t points() const;
  };

  void find_margins(const Canvas& canvas, const Margins& least);
  void find_ticks(const Canvas& canvas);
  void place_data();
  [[nodiscard]] Coverage coverage() const;
  [[nodiscard]] PagePoint on_page(double x, double y) const;

  void draw_grid(Canvas& canvas) const;
  void draw_data(Canvas& canvas) const;
  void draw_axes(Canvas& canvas) const;
  void draw_text(Canvas& canvas) const;

  const Figure* figure_;
  PageBox frame_;
  std::optional<std::pair<Axis, Axis>> data_axes_;
  Legend legend_;
  bool legend_above_ = false;

  Margins margins_;
  PageBox area_;
  std::optional<std::pair<Axis, Axis>> axes_;
  Ticks x_ticks_;
  Ticks y_ticks_;
  std::vector<std::string> title_;
  std::vector<std::string> subtitle_;
  double x_label_row_ = 0;  // baselines below the area
  double x_note_row_ = 0;
  double tick_width_ = 0;  // of the widest label on the y axis
  std::vector<DrawnSeries> data_;
  PageBox legend_place_;
};

// Shares of a total for those who want so many each: nobody gets more than wanted, and what some
// leave the others have.
[[nodiscard]] std::vector<std::size_t> shares(const std::vector<std::size_t>& wanted,
                                              std::size_t total);

}  // namespace lilyan
