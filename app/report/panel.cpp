#include "app/report/panel.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

namespace lilyan {
namespace {

constexpr Font kTickFont = {8.5, false};
constexpr Font kLabelFont = {9.5, false};
constexpr Font kTitleFont = {11, true};
constexpr Font kSubtitleFont = {9, false};
constexpr Colour kInk = {0.15, 0.15, 0.15};
constexpr Colour kFaint = {0.4, 0.4, 0.4};
constexpr Colour kSpine = {0.3, 0.3, 0.3};
constexpr Colour kGridMajor = {0.89, 0.89, 0.89};
constexpr Colour kGridMinor = {0.95, 0.95, 0.95};

constexpr double kEdge = 10;  // nothing comes closer to the edge of the frame
constexpr double kTickLength = 3.5;
constexpr double kTickGap = 3;    // between a tick and its label
constexpr double kAscent = 0.76;  // of a font's size: DejaVu's digits and capitals
constexpr double kTitleLine = 14;
constexpr double kSubtitleLine = 12;
constexpr double kSpread = 3;  // size of the squares that tell where there is data

constexpr double kResolution = 0.5;         // of data
constexpr std::size_t kDotBytes = 2;        // in a file, as against a point of a line
constexpr std::size_t kTangle = 1'000'000;  // points of a line that no single stroke shows of

// The finest ticks whose labels do not touch. extent: of a label, along the axis.
Ticks fitting_ticks(const Axis& axis, double length, double spacing, double gap,
                    const std::function<double(const std::string&)>& extent) {
  Ticks ticks;
  for (int most = std::max(2, static_cast<int>(length / spacing)); most >= 2; --most) {
    ticks = axis.ticks(most);
    double end = -1e9;
    bool fits = true;
    for (const Tick& tick : ticks.major) {
      const double at = axis.place(tick.value) * length;
      const double half = extent(tick.label) / 2;
      fits = fits && at - half >= end;
      end = at + half + gap;
    }
    if (fits) break;
  }
  return ticks;
}

}  // namespace

Panel::Panel(const Canvas& canvas, const Figure& figure, const PageBox& frame)
    : figure_(&figure), frame_(frame), data_axes_(find_axes(figure)), legend_(canvas, figure) {
  lay_out(canvas, {});
  if (legend_.empty() || !data_axes_) {
    legend_above_ = !legend_.empty();
  } else {
    const bool fits = legend_.block_width() < 0.6 * area_.width() &&
                      legend_.block_height() < 0.8 * area_.height();
    // Unless that would take up the figure.
    const bool room = area_.height() - legend_.rows_height(area_.width()) > 0.28 * frame_.height();
    legend_above_ = !fits || (room && coverage().taken(legend_place_) > 0);
  }
  if (legend_above_) lay_out(canvas, {});
}

void Panel::lay_out(const Canvas& canvas, const Margins& least) {
  axes_ = data_axes_;
  margins_ = {50, kEdge, 30, 40};
  // Margins depend on the labels of ticks, and ticks on the room that is left.
  for (int round = 0; round < 4; ++round) {
    area_ = {frame_.left + margins_.left, frame_.top + margins_.top, frame_.right - margins_.right,
             frame_.bottom - margins_.bottom};
    area_.right = std::max(area_.right, area_.left + 10);
    area_.bottom = std::max(area_.bottom, area_.top + 10);
    if (figure_->equal_axes && figure_->log_x == figure_->log_y && data_axes_) {
      const auto& [x, y] = *data_axes_;
      const double unit = std::max(x.extent() / area_.width(), y.extent() / area_.height());
      axes_ = {x.widened(unit * area_.width()), y.widened(unit * area_.height())};
    }
    find_ticks(canvas);
    if (round < 3) find_margins(canvas, least);
  }
  place_data();
  if (!legend_.empty() && !legend_above_) {
    legend_place_ = legend_.block_place(area_, coverage());
  }
}

Coverage Panel::coverage() const {
  Coverage taken(area_, kSpread);
  for (const DrawnSeries& s : data_) {
    taken.add(s.lines);
    for (const PagePoint& p : s.dots) taken.add(p);
  }
  return taken;
}

std::size_t Panel::DrawnSeries::points() const { return dots.size() * kDotBytes + count(lines); }

std::size_t Panel::points() const {
  std::size_t n = 0;
  for (const DrawnSeries& s : data_) n += s.points();
  return n;
}

void Panel::drop_hidden() {
  constexpr std::size_t kFew = 1000;
  for (DrawnSeries& s : data_) {
    const std::size_t n = s.points();
    if (s.look.stroke.dashed || n < kFew || n > kTangle) continue;
    auto left = drop_covered(s.lines, area_, kResolution);
    if (count(left) < count(s.lines)) s.lines = std::move(left);
  }
}

void Panel::thin(std::size_t most) {
  constexpr std::size_t kLeast = 400;  // no series is worth less
  std::vector<std::size_t> wanted;
  for (const DrawnSeries& s : data_) wanted.push_back(s.points());
  const std::vector<std::size_t> allowed = shares(wanted, most);
  for (std::size_t i = 0; i < data_.size(); ++i) {
    const std::size_t limit = std::max(allowed[i], kLeast);
    DrawnSeries& s = data_[i];
    if (s.points() <= limit) continue;
    const DrawnSeries all = s;
    for (double size = 1.25; size <= 8; size *= 1.25) {
      if (s.points() <= limit || s.points() > kTangle) break;
      s.lines = thin_line(std::move(s.lines), area_, size * kResolution);
      // Dots still touch.
      if (size * kResolution < 0.75 * s.look.dot) {
        s.dots = thin_points(s.dots, area_, size * kResolution);
      }
    }
    if (s.points() <= limit) continue;
    const double width = s.look.line ? s.look.stroke.width : s.look.dot;
    s.hatching = hatch(all.lines, all.dots, area_, 0.6 * width, limit);
    s.lines.clear();
    s.dots.clear();
  }
}

std::vector<std::size_t> shares(const std::vector<std::size_t>& wanted, std::size_t total) {
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return wanted[i]; });
  std::vector<std::size_t> out(wanted.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    out[order[k]] = std::min(wanted[order[k]], total / (order.size() - k));
    total -= out[order[k]];
  }
  return out;
}

void Panel::find_ticks(const Canvas& canvas) {
  if (!axes_) return;
  x_ticks_ = fitting_ticks(axes_->first, area_.width(), 38, 10, [&](const std::string& label) {
    return canvas.text_width(label, kTickFont);
  });
  y_ticks_ = fitting_ticks(axes_->second, area_.height(), 26, 4,
                           [&](const std::string&) { return kTickFont.size; });
}

void Panel::find_margins(const Canvas& canvas, const Margins& least) {
  tick_width_ = 0;
  for (const Tick& t : y_ticks_.major) {
    tick_width_ = std::max(tick_width_, canvas.text_width(t.label, kTickFont));
  }
  margins_.left = kEdge + tick_width_ + kTickLength + kTickGap;
  if (!figure_->y_label.empty()) margins_.left += kLabelFont.size + 6;

  // A label at the end of the x axis reaches past it.
  margins_.right = kEdge;
  for (const Tick& t : x_ticks_.major) {
    const double at = axes_->first.place(t.value) * area_.width();
    const double half = canvas.text_width(t.label, kTickFont) / 2;
    margins_.right = std::max(margins_.right, at + half - area_.width() + kEdge);
    margins_.left = std::max(margins_.left, half - at + kEdge);
  }

  double below = kTickLength;
  if (!x_ticks_.major.empty()) below += kTickGap + kAscent * kTickFont.size;
  const double label_width = canvas.text_width(figure_->x_label, kLabelFont);
  const double note_width = canvas.text_width(x_ticks_.note, kTickFont);
  const bool label = !figure_->x_label.empty();
  const bool note = !x_ticks_.note.empty();
  x_note_row_ = x_label_row_ = below;
  if (note) x_note_row_ = x_label_row_ = below += 6 + kAscent * kTickFont.size;
  if (label) {
    const bool beside = note && label_width / 2 + note_width + 12 < area_.width() / 2;
    if (!beside) below += 7 + kAscent * kLabelFont.size;
    x_label_row_ = below;
  }
  margins_.bottom = below + kEdge;

  // The title may be as wide as the frame, from the left side of the axes on.
  margins_.left = std::max(margins_.left, least.left);
  margins_.right = std::max(margins_.right, least.right);
  margins_.bottom = std::max(margins_.bottom, least.bottom);
  const double width = frame_.width() - margins_.left - kEdge;
  title_ = wrap(canvas, figure_->title, kTitleFont, width);
  subtitle_ = wrap(canvas, figure_->subtitle, kSubtitleFont, width);
  double above = kEdge;
  above += kTitleLine * static_cast<double>(title_.size());
  above += kSubtitleLine * static_cast<double>(subtitle_.size());
  if (above > kEdge) above += 4;
  if (legend_above_) above += legend_.rows_height(width) + 3;
  if (!y_ticks_.note.empty()) above += kTickFont.size + 4;
  margins_.top = std::max(above, least.top);
}

PagePoint Panel::on_page(double x, double y) const {
  return {area_.left + axes_->first.place(x) * area_.width(),
          area_.bottom - axes_->second.place(y) * area_.height()};
}

void Panel::place_data() {
  data_.clear();
  if (!axes_) return;
  int number = 0;
  std::vector<PagePoint> all;
  for (const PlotSeries& s : figure_->series) {
    DrawnSeries drawn;
    drawn.look = look_of(s, number++);
    all.clear();
    all.reserve(s.x.size());
    for (std::size_t i = 0; i < s.x.size(); ++i) all.push_back(on_page(s.x[i], s.y[i]));
    if (drawn.look.line) {
      drawn.lines = thin_line(clip_line(all, area_), area_, kResolution);
    }
    if (drawn.look.dot > 0) drawn.dots = thin_points(all, area_, kResolution);
    data_.push_back(std::move(drawn));
  }
}

void Panel::draw(Canvas& canvas) const {
  draw_grid(canvas);
  draw_data(canvas);
  draw_axes(canvas);
  draw_text(canvas);
}

void Panel::draw_grid(Canvas& canvas) const {
  if (!axes_) return;
  const auto upright = [&](double value, const Colour& colour) {
    const double x = area_.left + axes_->first.place(value) * area_.width();
    canvas.rule({x, area_.top}, {x, area_.bottom}, 0.5, colour);
  };
  const auto level = [&](double value, const Colour& colour) {
    const double y = area_.bottom - axes_->second.place(value) * area_.height();
    canvas.rule({area_.left, y}, {area_.right, y}, 0.5, colour);
  };
  for (const double v : x_ticks_.minor) upright(v, kGridMinor);
  for (const double v : y_ticks_.minor) level(v, kGridMinor);
  for (const Tick& t : x_ticks_.major) upright(t.value, kGridMajor);
  for (const Tick& t : y_ticks_.major) level(t.value, kGridMajor);
}

void Panel::draw_data(Canvas& canvas) const {
  for (const DrawnSeries& s : data_) {
    canvas.lines(s.lines, s.look.stroke);
    Colour colour = s.look.stroke.colour;
    canvas.lines(s.hatching.strokes, {colour, 1.5 * s.hatching.width});
    colour.alpha = s.look.dot_alpha;
    canvas.dots(s.dots, s.look.dot, colour);
  }
  if (!axes_) {
    canvas.text("no data", {(area_.left + area_.right) / 2, (area_.top + area_.bottom) / 2},
                TextAlign::centre, kLabelFont, kFaint);
  }
}

void Panel::draw_axes(Canvas& canvas) const {
  constexpr double kThin = 0.5;
  canvas.rule({area_.left, area_.top}, {area_.left, area_.bottom}, 1, kSpine);
  canvas.rule({area_.left - 0.5, area_.bottom}, {area_.right, area_.bottom}, 1, kSpine);
  if (!axes_) return;
  const auto x_tick = [&](double value, double length) {
    const double x = area_.left + axes_->first.place(value) * area_.width();
    canvas.rule({x, area_.bottom}, {x, area_.bottom + length}, kThin, kSpine);
  };
  const auto y_tick = [&](double value, double length) {
    const double y = area_.bottom - axes_->second.place(value) * area_.height();
    canvas.rule({area_.left - length, y}, {area_.left, y}, kThin, kSpine);
  };
  for (const double v : x_ticks_.minor) x_tick(v, 0.6 * kTickLength);
  for (const double v : y_ticks_.minor) y_tick(v, 0.6 * kTickLength);
  const double baseline = area_.bottom + kTickLength + kTickGap + kAscent * kTickFont.size;
  for (const Tick& t : x_ticks_.major) {
    x_tick(t.value, kTickLength);
    const double x = area_.left + axes_->first.place(t.value) * area_.width();
    canvas.text(t.label, {x, baseline}, TextAlign::centre, kTickFont, kInk);
  }
  for (const Tick& t : y_ticks_.major) {
    y_tick(t.value, kTickLength);
    const double y = area_.bottom - axes_->second.place(t.value) * area_.height();
    canvas.text(t.label,
                {area_.left - kTickLength - kTickGap, y + kAscent * kTickFont.size / 2 - 0.2},
                TextAlign::right, kTickFont, kInk);
  }
}

void Panel::draw_text(Canvas& canvas) const {
  const double width = frame_.right - kEdge - area_.left;
  double y = frame_.top + kEdge;
  for (const std::string& line : title_) {
    canvas.text(line, {area_.left, y + kAscent * kTitleFont.size}, TextAlign::left,
                fitted(canvas, line, kTitleFont, width), kInk);
    y += kTitleLine;
  }
  for (const std::string& line : subtitle_) {
    canvas.text(line, {area_.left, y + kAscent * kSubtitleFont.size}, TextAlign::left,
                fitted(canvas, line, kSubtitleFont, width), kFaint);
    y += kSubtitleLine;
  }
  if (legend_above_) {
    const double rows = legend_.rows_height(width);
    const double note = y_ticks_.note.empty() ? 0 : kTickFont.size + 4;
    const double top = area_.top - note - 3 - rows;
    legend_.draw_rows(canvas, {area_.left, top, area_.left + width, top + rows});
  } else if (!legend_.empty()) {
    legend_.draw_block(canvas, legend_place_);
  }
  canvas.text(y_ticks_.note, {area_.left - 0.5, area_.top - 5}, TextAlign::left, kTickFont, kInk);
  canvas.text(x_ticks_.note, {area_.right, area_.bottom + x_note_row_}, TextAlign::right, kTickFont,
              kInk);
  const Font x_font = fitted(canvas, figure_->x_label, kLabelFont, frame_.width() - 2 * kEdge);
  const double x_reach = canvas.text_width(figure_->x_label, x_font) / 2 + kEdge;
  const double x_middle = std::max(
      frame_.left + x_reach, std::min((area_.left + area_.right) / 2, frame_.right - x_reach));
  canvas.text(figure_->x_label, {x_middle, area_.bottom + x_label_row_}, TextAlign::centre, x_font,
              kInk);
  const double label_x = area_.left - kTickLength - kTickGap - tick_width_ - 6;
  const Font font = fitted(canvas, figure_->y_label, kLabelFont, frame_.height() - 2 * kEdge);
  const double reach = canvas.text_width(figure_->y_label, font) / 2 + kEdge;
  // Beside the middle of the axis, or as close to it as the frame allows.
  const double label_y =
      std::max(frame_.top + reach, std::min((area_.top + area_.bottom) / 2, frame_.bottom - reach));
  canvas.text(figure_->y_label, {label_x, label_y}, TextAlign::centre, font, kInk, true);
}

}  // namespace lilyan
