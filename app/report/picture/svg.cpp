// Writes figures as SVG text. The fonts of the reader's machine are not known, so the widths of texts
// are estimated, a little too wide rather than too narrow.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/files/file.hpp"
#include "app/report/picture/figure.hpp"
#include "lilyan/base/error.hpp"

namespace lilyan {
namespace {

// Sizes of text and distances, in points.
constexpr double kTickSize = 8.5;
constexpr double kLabelSize = 9.5;
constexpr double kTitleSize = 11;
constexpr double kLetter = 0.62;  // width of a letter, relative to the size of the text
constexpr double kEdge = 10;      // nothing comes closer to the edge of a panel
constexpr double kTickLength = 3.5;
constexpr double kLine = 14;    // from a line of text to the next
constexpr double kSample = 26;  // the piece of a line shown in a legend, with the gap after it
constexpr const char* kInk = "#262626";

double text_width(const std::string& text, double size) {
  return kLetter * size * static_cast<double>(letters_in(text));
}

// Makes a text that XML allows. Bytes that are not UTF-8 become U+FFFD, control characters blanks.
std::string xml_text(const std::string& text) {
  using nlohmann::json;
  const std::string repaired = json(text).dump(-1, ' ', false, json::error_handler_t::replace);
  std::string out;
  for (const char c : json::parse(repaired).get<std::string>()) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      default: out += (c >= 0 && c < 0x20) || c == 0x7f ? ' ' : c;
    }
  }
  // U+FFFE and U+FFFF are UTF-8, but no characters.
  for (const char* none : {"\xef\xbf\xbe", "\xef\xbf\xbf"}) {
    for (std::size_t at = 0; (at = out.find(none)) != std::string::npos;) out.replace(at, 3, "?");
  }
  return out;
}

// A number with at most two decimals.
std::string svg_number(double value) {
  std::string out = fmt::format("{:.2f}", value);
  out.erase(out.find_last_not_of('0') + 1);
  if (out.ends_with('.')) out.pop_back();
  return out == "-0" ? "0" : out;
}

struct TextPlace {
  double x = 0, y = 0;  // of the baseline
  double size = kTickSize;
  const char* anchor = "start";
  double room = 1e9;  // A text that is wider gets smaller.
  bool upwards = false;
};

void add_text(std::string& out, const char* kind, const std::string& text, const TextPlace& at) {
  if (text.empty()) return;
  const double size = at.size * std::min(1.0, at.room / text_width(text, at.size));
  out += fmt::format(
      "<text class=\"{}\" transform=\"translate({} {}){}\" font-size=\"{}\" "
      "text-anchor=\"{}\">{}</text>\n",
      kind, svg_number(at.x), svg_number(at.y), at.upwards ? " rotate(-90)" : "", svg_number(size),
      at.anchor, xml_text(text));
}

void add_path(std::string& out, const char* kind, const std::string& path) {
  if (!path.empty()) out += fmt::format("<path class=\"{}\" d=\"{}\"/>\n", kind, path);
}

// Returns the finest ticks whose labels do not touch. `extent` gives the size of a label along the axis.
template <class Extent>
Ticks fitting_ticks(const Axis& axis, double length, double spacing, double gap, Extent extent) {
  for (int most = std::max(2, static_cast<int>(length / spacing));; --most) {
    Ticks ticks = axis.ticks(most);
    double end = -1e9;
    bool fits = true;
    for (const Tick& tick : ticks.major) {
      const double at = axis.place(tick.value) * length;
      fits = fits && at - extent(tick.label) / 2 >= end;
      end = at + extent(tick.label) / 2 + gap;
    }
    if (fits) return ticks;
    if (most > 2) continue;
    ticks.major.resize(1);
    return ticks;
  }
}

double widest_label(const Ticks& ticks) {
  double width = 0;
  for (const Tick& t : ticks.major) width = std::max(width, text_width(t.label, kTickSize));
  return width;
}

// The space around the axes. It is the same for all panels of a grid, so that their axes line up.
struct Margins {
  double left = 50, right = kEdge, top = 0, bottom = kEdge + 3 * kTickSize + kTickLength;
};

// One figure and its place on the page.
class Panel {
 public:
  Panel(const Figure& figure, double x, double y)
      : figure_(thinned(figure)), x_(x), y_(y), data_axes_(find_axes(figure_)) {
    double widest = 0;
    for (std::size_t i = 0; i < figure_.series.size(); ++i) {
      if (figure_.series[i].label.empty()) continue;
      legend_.push_back(i);
      widest = std::max(widest, text_width(figure_.series[i].label, kTickSize));
    }
    // A legend with one label would tell nothing apart.
    if (legend_.size() < 2) legend_.clear();
    legend_step_ = widest + kSample + kEdge;
    legend_columns_ = std::max(1, static_cast<int>((figure.width - kEdge) / legend_step_));
  }

  void lay_out(const Margins& margins) {
    left_ = x_ + margins.left;
    right_ = std::max(x_ + figure_.width - margins.right, left_ + 10);
    top_ = y_ + margins.top;
    bottom_ = std::max(y_ + figure_.height - margins.bottom, top_ + 10);
    axes_ = data_axes_;
    if (!axes_) return;
    auto& [x, y] = *axes_;
    if (figure_.equal_axes && !figure_.log_y) {
      const double unit = std::max(x.extent() / (right_ - left_), y.extent() / (bottom_ - top_));
      x = x.widened(unit * (right_ - left_));
      y = y.widened(unit * (bottom_ - top_));
    }
    x_ticks_ = fitting_ticks(x, right_ - left_, 38, 10,
                             [](const std::string& label) { return text_width(label, kTickSize); });
    y_ticks_ =
        fitting_ticks(y, bottom_ - top_, 26, 4, [](const std::string&) { return kTickSize; });
  }

  // Enlarges the margins to what this panel needs.
  void ask(Margins& margins) const {
    const int rows = (static_cast<int>(legend_.size()) + legend_columns_ - 1) / legend_columns_;
    const int lines = (figure_.title.empty() ? 0 : 1) + (figure_.subtitle.empty() ? 0 : 1) + rows;
    margins.top = std::max(margins.top, kEdge + kLine * lines + kTickSize + 5);
    margins.left = std::max(margins.left, kEdge + widest_label(y_ticks_) + 2 * kTickLength +
                                              (figure_.y_label.empty() ? 0 : kLabelSize + 6));
    margins.right = std::max(margins.right, widest_label(x_ticks_) / 2 + 4);
  }

  void write(std::string& out) const {
    out += "<g class=\"panel\">\n";
    write_texts(out);
    if (axes_) {
      write_ticks(out);
      write_data(out);
    } else {
      add_text(out, "empty", "no data",
               {(left_ + right_) / 2, (top_ + bottom_) / 2, kLabelSize, "middle"});
    }
    add_path(out, "axes",
             fmt::format("M{} {}V{}H{}", svg_number(left_), svg_number(top_), svg_number(bottom_),
                         svg_number(right_)));
    out += "</g>\n";
  }

 private:
  [[nodiscard]] double x_at(double value) const {
    return left_ + axes_->first.place(value) * (right_ - left_);
  }
  [[nodiscard]] double y_at(double value) const {
    const double y = bottom_ - axes_->second.place(value) * (bottom_ - top_);
    // A curve that explodes leaves the picture. How far it goes would only trouble renderers.
    return std::isnan(y) ? y : std::clamp(y, top_ - 1e4, bottom_ + 1e4);
  }
  // After the last colour of the palette the colours begin again, with dashed lines.
  [[nodiscard]] std::string colour_of(std::size_t i) const {
    const std::optional<int> chosen = figure_.series[i].colour;
    const bool again = !chosen && i / kPaletteSize % 2 == 1;
    return fmt::format("stroke=\"#{:06x}\"{}", palette(chosen.value_or(static_cast<int>(i))),
                       again ? " stroke-dasharray=\"5 3\"" : "");
  }

  void write_texts(std::string& out) const {
    const double left = x_ + kEdge;
    const double width = figure_.width - 2 * kEdge;
    double y = y_ + kEdge;
    for (const auto& [kind, text, size] :
         {std::tuple{"title", &figure_.title, kTitleSize}, {"subtitle", &figure_.subtitle, 9.0}}) {
      add_text(out, kind, *text, {left, y + 0.76 * size, size, "start", width});
      if (!text->empty()) y += kLine;
    }
    for (int k = 0; k < static_cast<int>(legend_.size()); ++k) {
      const std::size_t i = legend_[static_cast<std::size_t>(k)];
      const double at = left + k % legend_columns_ * legend_step_;
      const double middle = y + kLine * (k / legend_columns_) + 5.5;
      const bool line = figure_.series[i].style == PlotStyle::line;
      out += fmt::format("<path class=\"{}\" d=\"M{} {}h{}\" stroke-width=\"{}\" {}/>\n",
                         line ? "line sample" : "points sample", svg_number(line ? at : at + 10),
                         svg_number(middle), line ? 20 : 0, line ? 1.3 : 4.5, colour_of(i));
      add_text(out, "legend", figure_.series[i].label,
               {at + kSample, middle + 3.1, kTickSize, "start", width - kSample});
    }
    // A label is centred on its axis, or as close to the centre as the frame allows.
    const auto middle = [](double from, double to, double first, double last, double text) {
      const double half = std::min(text, last - first) / 2;
      return std::clamp((from + to) / 2, first + half, last - half);
    };
    const double height = figure_.height - 2 * kEdge;
    // The note of the x axis stands at the end of the same line.
    const std::string note = x_ticks_.note();
    const double note_width =
        note.empty() ? 0 : x_ + figure_.width - right_ + text_width(note, kTickSize);
    const double room = std::max(10.0, width - note_width);
    add_text(out, "x-label", figure_.x_label,
             {middle(left_, right_, left, left + room, text_width(figure_.x_label, kLabelSize)),
              y_ + figure_.height - kEdge, kLabelSize, "middle", room});
    add_text(out, "y-label", figure_.y_label,
             {left_ - 2 * kTickLength - widest_label(y_ticks_) - 6,
              middle(top_, bottom_, y_ + kEdge, y_ + kEdge + height,
                     text_width(figure_.y_label, kLabelSize)),
              kLabelSize, "middle", height, true});
  }

  void write_ticks(std::string& out) const {
    std::string minor, grid, marks, labels;
    const auto upright = [&](double value) {
      return fmt::format("M{} {}V{}", svg_number(x_at(value)), svg_number(top_),
                         svg_number(bottom_));
    };
    const auto level = [&](double value) {
      return fmt::format("M{} {}H{}", svg_number(left_), svg_number(y_at(value)),
                         svg_number(right_));
    };
    for (const double v : y_ticks_.minor) minor += level(v);
    for (const Tick& t : x_ticks_.major) {
      const double x = x_at(t.value);
      grid += upright(t.value);
      marks += fmt::format("M{} {}v{}", svg_number(x), svg_number(bottom_), kTickLength);
      add_text(labels, "x-tick", t.label,
               {x, bottom_ + 2 * kTickLength + 0.76 * kTickSize, kTickSize, "middle"});
    }
    for (const Tick& t : y_ticks_.major) {
      const double y = y_at(t.value);
      grid += level(t.value);
      marks += fmt::format("M{} {}h-{}", svg_number(left_), svg_number(y), kTickLength);
      add_text(
          labels, "y-tick", t.label,
          {left_ - 2 * kTickLength, y + 0.36 * kTickSize, kTickSize, "end", left_ - x_ - kEdge});
    }
    add_path(out, "minor", minor);
    add_path(out, "grid", grid);
    add_path(out, "marks", marks);
    out += labels;
    add_text(out, "x-factor", x_ticks_.note(),
             {right_, y_ + figure_.height - kEdge, kTickSize, "end"});
    add_text(out, "y-factor", y_ticks_.note(), {left_, top_ - 5});
  }

  // A nested <svg> cuts off what is outside of it.
  void write_data(std::string& out) const {
    out += fmt::format(
        "<svg x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" viewBox=\"{0} {1} {2} {3}\">\n",
        svg_number(left_), svg_number(top_), svg_number(right_ - left_),
        svg_number(bottom_ - top_));
    for (std::size_t i = 0; i < figure_.series.size(); ++i) {
      const PlotSeries& s = figure_.series[i];
      if (s.density) {
        write_density(out, *s.density, i);
        continue;
      }
      const bool line = s.style == PlotStyle::line;
      std::string path;
      int joined = 0;  // points since the last break
      const auto finish = [&] {
        // A line of no length with round ends is a disc.
        if (joined == 1) path += "h0";
        joined = 0;
      };
      for (std::size_t k = 0; k < s.x.size(); ++k) {
        const double x = x_at(s.x[k]);
        const double y = y_at(s.y[k]);
        const bool shown = std::isfinite(x) && std::isfinite(y);
        if (!line || !shown) finish();
        if (!shown) continue;
        path += joined++ == 0 ? 'M' : ' ';
        path += svg_number(x) + ' ' + svg_number(y);
      }
      finish();
      if (path.empty()) continue;
      const std::size_t n = s.x.size();
      const double dot = n <= 200 ? 4.5 : n <= 2000 ? 3 : n <= 8000 ? 2 : 1.4;
      out += fmt::format("<path class=\"{}\" d=\"{}\" stroke-width=\"{}\" {}/>\n",
                         line ? "line" : "points", path, line ? 1.3 : dot, colour_of(i));
    }
    out += "</svg>\n";
  }

  // Cells of one level are one path, and neighbours of one level one rectangle.
  void write_density(std::string& out, const Density& density, std::size_t i) const {
    const auto between = [](double from, double to, int at, int count) {
      return from + (to - from) * at / count;
    };
    const double left = x_at(density.box[0]), right = x_at(density.box[1]);
    const double low = y_at(density.box[2]), high = y_at(density.box[3]);
    std::array<std::string, Density::kLevels + 1> paths;
    for (int row = 0; row < density.rows; ++row) {
      const double y0 = between(low, high, row, density.rows);
      const double y1 = between(low, high, row + 1, density.rows);
      for (int column = 0, next = 0; column < density.columns; column = next) {
        const int level = density.level(row, column);
        while (next < density.columns && density.level(row, next) == level) ++next;
        if (level == 0) continue;
        const double x = between(left, right, column, density.columns);
        const double wide = between(left, right, next, density.columns) - x;
        paths[static_cast<std::size_t>(level)] +=
            fmt::format("M{} {}h{}v{}h-{}z", svg_number(x), svg_number(y0), svg_number(wide),
                        svg_number(y1 - y0), svg_number(wide));
      }
    }
    const int colour = palette(figure_.series[i].colour.value_or(static_cast<int>(i)));
    for (std::size_t level = 1; level < paths.size(); ++level) {
      if (paths[level].empty()) continue;
      out += fmt::format(
          "<path class=\"density\" d=\"{}\" style=\"fill:#{:06x}\" fill-opacity=\"{:.2f}\"/>\n",
          paths[level], colour, static_cast<double>(level) / Density::kLevels);
    }
  }

  Figure figure_;
  double x_, y_;                                        // of the panel's corner
  double left_ = 0, right_ = 0, top_ = 0, bottom_ = 0;  // of the area between the axes
  std::optional<std::pair<Axis, Axis>> data_axes_, axes_;
  Ticks x_ticks_, y_ticks_;
  std::vector<std::size_t> legend_;  // series in it
  int legend_columns_ = 1;
  double legend_step_ = 0;  // from an entry to the one at its right
};

// Attributes of <text> and <path> by their class.
constexpr const char* kSvgStyle =
    ".title { font-weight: bold; } .subtitle, .empty { fill: #666666; } path { fill: none; }\n"
    ".minor { stroke: #f2f2f2; stroke-width: 0.5; } .grid { stroke: #e3e3e3; stroke-width: 0.5; }\n"
    ".marks { stroke: #4d4d4d; stroke-width: 0.5; } .axes { stroke: #4d4d4d; }\n"
    ".line, .points { stroke-linecap: round; stroke-linejoin: round; } .points { opacity: 0.8; }\n";

}  // namespace

std::size_t letters_in(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

int palette(int index) {
  static constexpr std::array<int, kAllColours> kColours = {0x0072b2, 0xd55e00, 0x009e73, 0xb8578c,
                                                            0xb98300, 0x3a9bd6, 0x6b7280, 0x1f2937,
                                                            0x8a6d00, 0x6a51a3, 0x8c564b};
  const bool there = index >= 0 && index < kAllColours;
  const int place = there ? index : (index % kPaletteSize + kPaletteSize) % kPaletteSize;
  return kColours[static_cast<std::size_t>(place)];
}

std::string svg_text(const FigureGrid& grid) {
  if (grid.panels.empty() || grid.columns < 1) {
    throw Error(fmt::format("a figure has {} panels in {} columns: there must be one of each",
                            grid.panels.size(), grid.columns));
  }
  std::vector<Panel> panels;
  double width = 0;
  double row_width = 0;
  double height = grid.title.empty() ? 0 : kEdge + kLine;
  double row_height = 0;
  for (const Figure& figure : grid.panels) {
    if (!(figure.width > 0 && figure.width < 1e6 && figure.height > 0 && figure.height < 1e6)) {
      throw Error(fmt::format("a figure is {} by {} points: both must be positive", figure.width,
                              figure.height));
    }
    if (!panels.empty() && panels.size() % static_cast<std::size_t>(grid.columns) == 0) {
      height += std::exchange(row_height, 0);
      row_width = 0;
    }
    panels.emplace_back(figure, row_width, height);
    row_width += figure.width;
    row_height = std::max(row_height, figure.height);
    width = std::max(width, row_width);
  }
  height += row_height;
  // Margins depend on the labels of ticks, and ticks on the room that is left.
  Margins margins;
  for (int round = 0; round < 3; ++round) {
    for (Panel& panel : panels) panel.lay_out(margins);
    for (const Panel& panel : panels) panel.ask(margins);
  }
  for (Panel& panel : panels) panel.lay_out(margins);
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
      "width=\"{0}pt\" height=\"{1}pt\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"DejaVu Sans, Verdana, Arial, sans-serif\" "
      "fill=\"{2}\">\n<style>\n{3}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      svg_number(width), svg_number(height), kInk, kSvgStyle);
  add_text(out, "title", grid.title,
           {kEdge, kEdge + 0.76 * kTitleSize, kTitleSize, "start", width - 2 * kEdge});
  for (const Panel& panel : panels) panel.write(out);
  return out + "</svg>\n";
}

void write_svg(const FigureGrid& grid, const std::filesystem::path& file) {
  write_file(file, svg_text(grid));
}

}  // namespace lilyan
