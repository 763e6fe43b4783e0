#include "app/report/canvas.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <sstream>

#include "lilyan/core/error.hpp"

namespace lilyan {
namespace {

// Bytes of the UTF-8 character at the front, 0 when there is none.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
  unsigned code = lead & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return 0;
    code = code << 6U | (byte(i) & 0x3fU);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool no_character = code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ||
                            (code & 0xfffeU) == 0xfffe || (code >= 0xfdd0 && code <= 0xfdef);
  return overlong || no_character ? 0 : length;
}

}  // namespace

Colour palette(int index) {
  static constexpr std::array<int, kPaletteSize> kColours = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7,
                                                             0xe69f00, 0x56b4e9, 0x000000};
  const int wrapped = (index % kPaletteSize + kPaletteSize) % kPaletteSize;
  const int rgb = kColours[static_cast<std::size_t>(wrapped)];
  return {(rgb >> 16) / 255.0, (rgb >> 8 & 0xff) / 255.0, (rgb & 0xff) / 255.0};
}

std::string printable(const std::string& text) {
  std::string out;
  std::string_view left = text;
  while (!left.empty()) {
    const std::size_t length = character_length(left);
    if (length == 0) {
      out += '?';
    } else if (static_cast<unsigned char>(left[0]) < 0x20 || left[0] == 0x7f) {
      out += ' ';
    } else {
      out += left.substr(0, length);
    }
    left.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::vector<std::string> wrap(const Canvas& canvas, const std::string& text, const Font& font,
                              double width) {
  std::vector<std::string> lines;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!lines.empty() && canvas.text_width(lines.back() + ' ' + word, font) <= width) {
      lines.back() += ' ' + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

Font fitted(const Canvas& canvas, const std::string& text, Font font, double width) {
  const double wanted = canvas.text_width(text, font);
  if (wanted > width) font.size *= std::max(0.0, width) / wanted;
  return font;
}

Canvas::Canvas(cairo_surface_t* surface, double device_scale, double pixel_scale)
    : cairo_(cairo_create(surface), cairo_destroy), pixel_scale_(pixel_scale) {
  cairo_scale(cairo_.get(), device_scale, device_scale);
  cairo_set_line_join(cairo_.get(), CAIRO_LINE_JOIN_ROUND);
  // Letters have the same widths on every surface, and so the figure the same layout.
  const std::unique_ptr<cairo_font_options_t, void (*)(cairo_font_options_t*)> options(
      cairo_font_options_create(), cairo_font_options_destroy);
  cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);
  cairo_set_font_options(cairo_.get(), options.get());
  check();
}

void Canvas::use(const Font& font) const {
  cairo_select_font_face(cairo_.get(), "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                         font.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  // A font of no size is an error that sticks.
  cairo_set_font_size(cairo_.get(), std::max(font.size, 0.1));
}

void Canvas::use(const Colour& colour) {
  cairo_set_source_rgba(cairo_.get(), colour.red, colour.green, colour.blue, colour.alpha);
}

double Canvas::text_width(const std::string& text, const Font& font) const {
  use(font);
  cairo_text_extents_t extents;
  cairo_text_extents(cairo_.get(), printable(text).c_str(), &extents);
  return extents.x_advance;
}

void Canvas::text(const std::string& text, const PagePoint& at, TextAlign align, const Font& font,
                  const Colour& colour, bool upwards) {
  const double width = text_width(text, font);
  const double share = align == TextAlign::left ? 0 : align == TextAlign::centre ? 0.5 : 1;
  use(colour);
  cairo_save(cairo_.get());
  cairo_translate(cairo_.get(), at.x, at.y);
  if (upwards) cairo_rotate(cairo_.get(), -std::numbers::pi / 2);
  cairo_move_to(cairo_.get(), -share * width, 0);
  cairo_show_text(cairo_.get(), printable(text).c_str());
  cairo_restore(cairo_.get());
  cairo_new_path(cairo_.get());
}

double Canvas::on_pixels(double position, double width) const {
  const double pixels = std::max(1.0, std::round(width * pixel_scale_));
  const double middle = std::fmod(pixels, 2) == 0 ? 0 : 0.5;
  return (std::round(position * pixel_scale_ - middle) + middle) / pixel_scale_;
}

void Canvas::rule(PagePoint a, PagePoint b, double width, const Colour& colour) {
  if (a.x == b.x) a.x = b.x = on_pixels(a.x, width);
  if (a.y == b.y) a.y = b.y = on_pixels(a.y, width);
  use(colour);
  cairo_set_line_width(cairo_.get(),
                       std::max(1.0, std::round(width * pixel_scale_)) / pixel_scale_);
  cairo_set_line_cap(cairo_.get(), CAIRO_LINE_CAP_BUTT);
  cairo_move_to(cairo_.get(), a.x, a.y);
  cairo_line_to(cairo_.get(), b.x, b.y);
  cairo_stroke(cairo_.get());
}

void Canvas::lines(std::span<const Polyline> parts, const Stroke& stroke) {
  use(stroke.colour);
  cairo_set_line_width(cairo_.get(), stroke.width);
  cairo_set_line_cap(cairo_.get(), stroke.dashed ? CAIRO_LINE_CAP_BUTT : CAIRO_LINE_CAP_ROUND);
  const std::array<double, 2> dashes = {4 * stroke.width, 2.5 * stroke.width};
  cairo_set_dash(cairo_.get(), dashes.data(), stroke.dashed ? 2 : 0, 0);
  // Short strokes: the time that one takes grows faster than its length.
  constexpr std::size_t kLongest = 500;
  std::size_t length = 0;
  for (const Polyline& part : parts) {
    cairo_move_to(cairo_.get(), part[0].x, part[0].y);
    // One point is a dot: a line of no length with round ends.
    if (part.size() == 1) cairo_line_to(cairo_.get(), part[0].x, part[0].y);
    for (std::size_t i = 1; i < part.size(); ++i) {
      cairo_line_to(cairo_.get(), part[i].x, part[i].y);
      if (++length < kLongest || stroke.dashed) continue;
      cairo_stroke(cairo_.get());
      cairo_move_to(cairo_.get(), part[i].x, part[i].y);
      length = 0;
    }
    ++length;
  }
  cairo_stroke(cairo_.get());
  cairo_set_dash(cairo_.get(), nullptr, 0, 0);
}

void Canvas::dots(std::span<const PagePoint> points, double diameter, const Colour& colour) {
  use(colour);
  cairo_set_line_width(cairo_.get(), diameter);
  cairo_set_line_cap(cairo_.get(), CAIRO_LINE_CAP_ROUND);
  // A line of no length with round ends is a disc that takes few bytes in a file. Discs of one
  // stroke do not add up where they overlap: with several strokes dense regions come out darker.
  const std::size_t strokes = colour.alpha < 1 ? 16 : 1;
  const double snap = 8;  // fractions of a point: fewer digits
  for (std::size_t s = 0; s < strokes; ++s) {
    for (std::size_t i = s; i < points.size(); i += strokes) {
      const double x = std::round(points[i].x * snap) / snap;
      const double y = std::round(points[i].y * snap) / snap;
      cairo_move_to(cairo_.get(), x, y);
      cairo_line_to(cairo_.get(), x, y);
    }
    cairo_stroke(cairo_.get());
  }
}

void Canvas::clear(const Colour& colour) {
  use(colour);
  cairo_paint(cairo_.get());
}

void Canvas::fill(const PageBox& box, const Colour& colour) {
  use(colour);
  cairo_rectangle(cairo_.get(), box.left, box.top, box.width(), box.height());
  cairo_fill(cairo_.get());
}

void Canvas::check() const {
  const cairo_status_t status = cairo_status(cairo_.get());
  if (status != CAIRO_STATUS_SUCCESS) {
    throw Error("a figure cannot be drawn: " + std::string(cairo_status_to_string(status)));
  }
}

}  // namespace lilyan
