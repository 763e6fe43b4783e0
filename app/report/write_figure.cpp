#include <cairo-svg.h>
#include <cairo.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "app/files/file.hpp"
#include "app/report/canvas.hpp"
#include "app/report/figure.hpp"
#include "app/report/panel.hpp"
#include "lilyan/core/error.hpp"

namespace lilyan {
namespace {

using Surface = std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)>;

constexpr double kAlignment = 2;  // pixels per point that lines are aligned with in an SVG
constexpr std::size_t kComfortable = 18'000;
constexpr std::size_t kPoints = 36'000;  // of data in a file: keeps an SVG below a megabyte
constexpr Font kTitleFont = {13, true};
constexpr double kTitleHeight = 24;
constexpr double kSmallestWidth = 240;
constexpr double kSmallestHeight = 170;

// Where panels are on the page.
struct Page {
  double width = 0;
  double height = 0;
  double scale = 1;  // less than 1 where letters of their proper size would fill a figure
  std::vector<PageBox> frames;
};

struct Sheet {
  const std::vector<Figure>& panels;
  int columns;
  const std::string& title;
};

Page lay_out(const Sheet& sheet) {
  if (sheet.columns < 1) {
    throw Error("a grid of figures has " + std::to_string(sheet.columns) +
                " columns: it must have at least 1");
  }
  if (sheet.panels.empty()) throw Error("a grid of figures has no panels: give it at least one");
  const auto columns = static_cast<std::size_t>(sheet.columns);
  std::vector<double> widths(std::min(columns, sheet.panels.size()), 0);
  std::vector<double> heights((sheet.panels.size() + columns - 1) / columns, 0);
  for (std::size_t i = 0; i < sheet.panels.size(); ++i) {
    const Figure& f = sheet.panels[i];
    if (!(f.width > 0 && f.height > 0 && f.width <= 10'000 && f.height <= 10'000)) {
      throw Error("a figure of " + std::to_string(f.width) + " by " + std::to_string(f.height) +
                  " points: each must be positive and at most 10000");
    }
    widths[i % columns] = std::max(widths[i % columns], f.width);
    heights[i / columns] = std::max(heights[i / columns], f.height);
  }
  Page page;
  for (const Figure& f : sheet.panels) {
    page.scale = std::min({page.scale, f.width / kSmallestWidth, f.height / kSmallestHeight});
  }
  for (double& width : widths) width /= page.scale;
  for (double& height : heights) height /= page.scale;
  if (!sheet.title.empty()) page.height = kTitleHeight;
  for (const double height : heights) {
    page.width = 0;
    for (const double width : widths) {
      if (page.frames.size() < sheet.panels.size()) {
        page.frames.push_back({page.width, page.height, page.width + width, page.height + height});
      }
      page.width += width;
    }
    page.height += height;
  }
  return page;
}

// Axes in line with those above, below and beside.
void align(std::vector<Panel>& panels, std::size_t columns, const Canvas& canvas) {
  if (panels.size() < 2) return;
  std::vector<Margins> widest(panels.size());
  for (std::size_t i = 0; i < panels.size(); ++i) {
    for (std::size_t j = 0; j < panels.size(); ++j) {
      const Margins& other = panels[j].margins();
      if (i % columns == j % columns) {
        widest[i].left = std::max(widest[i].left, other.left);
        widest[i].right = std::max(widest[i].right, other.right);
      }
      if (i / columns == j / columns) {
        widest[i].top = std::max(widest[i].top, other.top);
        widest[i].bottom = std::max(widest[i].bottom, other.bottom);
      }
    }
  }
  for (std::size_t i = 0; i < panels.size(); ++i) panels[i].lay_out(canvas, widest[i]);
}

void draw(const Sheet& sheet, const Page& page, Canvas& canvas) {
  canvas.clear({1, 1, 1});
  if (!sheet.title.empty()) {
    canvas.text(sheet.title, {page.width / 2, 18}, TextAlign::centre,
                fitted(canvas, sheet.title, kTitleFont, page.width - 20), {0.1, 0.1, 0.1});
  }
  std::vector<Panel> panels;
  for (std::size_t i = 0; i < sheet.panels.size(); ++i) {
    panels.emplace_back(canvas, sheet.panels[i], page.frames[i]);
  }
  align(panels, static_cast<std::size_t>(sheet.columns), canvas);
  const auto points = [&] {
    std::vector<std::size_t> each;
    for (const Panel& panel : panels) each.push_back(panel.points());
    return each;
  };
  std::vector<std::size_t> wanted = points();
  if (std::reduce(wanted.begin(), wanted.end()) > kComfortable) {
    for (Panel& panel : panels) panel.drop_hidden();
    wanted = points();
  }
  const std::vector<std::size_t> allowed = shares(wanted, kPoints);
  for (std::size_t i = 0; i < panels.size(); ++i) panels[i].thin(allowed[i]);
  for (const Panel& panel : panels) panel.draw(canvas);
  canvas.check();
}

// what: the picture, by name.
void check(const Surface& surface, const std::string& what) {
  const cairo_status_t status = cairo_surface_status(surface.get());
  if (status != CAIRO_STATUS_SUCCESS) {
    throw Error("cannot draw " + what + ": " + cairo_status_to_string(status));
  }
}

cairo_status_t append(void* bytes, const unsigned char* data, unsigned length) {
  static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

// Cairo counts its surfaces over the whole life of the program and names parts of the file after
// the count: the first one named becomes 0, and so on.
std::string renumbered(const std::string& svg) {
  static const std::string kWord = "\"surface";
  std::map<std::string, std::size_t> numbers;
  std::string out;
  std::size_t from = 0;
  for (std::size_t at = 0; (at = svg.find(kWord, from)) != std::string::npos;) {
    at += kWord.size();
    std::size_t end = at;
    while (end < svg.size() && std::isdigit(static_cast<unsigned char>(svg[end])) != 0) ++end;
    const auto [number, added] = numbers.try_emplace(svg.substr(at, end - at), numbers.size());
    out += svg.substr(from, at - from) + std::to_string(number->second);
    from = end;
  }
  return out + svg.substr(from);
}

void write(const std::string& bytes, const std::filesystem::path& file) {
  OutputFile out(file);
  out.write(bytes);
  out.close();
}

std::string svg_text(const Sheet& sheet, const std::string& what) {
  const Page page = lay_out(sheet);
  std::string bytes;
  const Surface surface(cairo_svg_surface_create_for_stream(append, &bytes, page.width * page.scale,
                                                            page.height * page.scale),
                        cairo_surface_destroy);
  check(surface, what);
  {
    Canvas canvas(surface.get(), page.scale, kAlignment * page.scale);
    draw(sheet, page, canvas);
  }
  cairo_surface_finish(surface.get());
  check(surface, what);
  return renumbered(bytes);
}

void write_png(const Sheet& sheet, const std::filesystem::path& file, double scale) {
  const Page page = lay_out(sheet);
  constexpr double kMost = 32'767;  // Cairo's limit
  const double width = std::round(page.width * page.scale * scale);
  const double height = std::round(page.height * page.scale * scale);
  if (!(width >= 1 && height >= 1 && width <= kMost && height <= kMost)) {
    throw Error("cannot draw " + file.string() + " with " + std::to_string(scale) +
                " pixels per point: its sides must have from 1 to 32767 pixels");
  }
  const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(width),
                                                   static_cast<int>(height)),
                        cairo_surface_destroy);
  check(surface, file.string());
  {
    Canvas canvas(surface.get(), page.scale * scale, page.scale * scale);
    draw(sheet, page, canvas);
  }
  cairo_surface_flush(surface.get());
  std::string bytes;
  if (const cairo_status_t status =
          cairo_surface_write_to_png_stream(surface.get(), append, &bytes);
      status != CAIRO_STATUS_SUCCESS) {
    throw Error("cannot draw " + file.string() + ": " + cairo_status_to_string(status));
  }
  write(bytes, file);
}

const std::string kNoTitle;

Sheet sheet_of(const FigureGrid& grid) { return {grid.panels, grid.columns, grid.title}; }

}  // namespace

std::string svg_text(const Figure& figure) {
  const std::vector<Figure> one = {figure};
  return svg_text(Sheet{one, 1, kNoTitle}, "'" + figure.title + "'");
}

std::string svg_text(const FigureGrid& grid) {
  return svg_text(sheet_of(grid), "'" + grid.title + "'");
}

void write_svg(const Figure& figure, const std::filesystem::path& file) {
  const std::vector<Figure> one = {figure};
  write(svg_text(Sheet{one, 1, kNoTitle}, file.string()), file);
}

void write_svg(const FigureGrid& grid, const std::filesystem::path& file) {
  write(svg_text(sheet_of(grid), file.string()), file);
}

void write_png(const Figure& figure, const std::filesystem::path& file, double scale) {
  const std::vector<Figure> one = {figure};
  write_png(Sheet{one, 1, kNoTitle}, file, scale);
}

void write_png(const FigureGrid& grid, const std::filesystem::path& file, double scale) {
  write_png(sheet_of(grid), file, scale);
}

}  // namespace lilyan
