// What figures are drawn with: lines, dots and text on a Cairo surface, in points from the top
// left.
#pragma once

#include <cairo.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/report/decimate.hpp"

namespace lilyan {

struct Colour {
  double red = 0;
  double green = 0;
  double blue = 0;
  double alpha = 1;
};

// Colours that people with colour blindness tell apart as well: Okabe and Ito, "Color universal
// design" (2008), without its yellow, which is faint on white.
inline constexpr int kPaletteSize = 7;
[[nodiscard]] Colour palette(int index);

struct Font {
  double size = 9;
  bool bold = false;
};

enum class TextAlign { left, centre, right };

struct Stroke {
  Colour colour;
  double width = 1;
  bool dashed = false;
};

class Canvas {
 public:
  // scale: pixels per point, of the device and of what lines are aligned with.
  Canvas(cairo_surface_t* surface, double device_scale, double pixel_scale);

  [[nodiscard]] double text_width(const std::string& text, const Font& font) const;
  // y: the baseline. Upwards: turned left by 90 degrees, where x is the baseline.
  void text(const std::string& text, const PagePoint& at, TextAlign align, const Font& font,
            const Colour& colour, bool upwards = false);

  // Horizontal or vertical, on whole pixels.
  void rule(PagePoint a, PagePoint b, double width, const Colour& colour);
  void lines(std::span<const Polyline> parts, const Stroke& stroke);
  void dots(std::span<const PagePoint> points, double diameter, const Colour& colour);
  // All of the surface.
  void clear(const Colour& colour);
  void fill(const PageBox& box, const Colour& colour);

  // Throws Error when anything above has failed.
  void check() const;

 private:
  void use(const Font& font) const;
  void use(const Colour& colour);
  [[nodiscard]] double on_pixels(double position, double width) const;

  std::unique_ptr<cairo_t, void (*)(cairo_t*)> cairo_;
  double pixel_scale_;
};

// What is no UTF-8 becomes '?', what cannot be seen a blank.
[[nodiscard]] std::string printable(const std::string& text);

// The text in lines no wider than that, except for single words.
[[nodiscard]] std::vector<std::string> wrap(const Canvas& canvas, const std::string& text,
                                            const Font& font, double width);
// The font made smaller, so that the text is no wider than that.
[[nodiscard]] Font fitted(const Canvas& canvas, const std::string& text, Font font, double width);

}  // namespace lilyan
