// Figures as files: what is in them, pixel by pixel where it matters, and what is refused.
#include "app/report/figure.hpp"

#include <cairo.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "app/files/scanner.hpp"
#include "lilyan/core/error.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test {
namespace {

constexpr std::uint32_t kBlue = 0x0072b2;
constexpr std::uint32_t kVermillion = 0xd55e00;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

// A PNG file read back.
class Picture {
 public:
  explicit Picture(const std::filesystem::path& file)
      : surface_(cairo_image_surface_create_from_png(file.c_str()), cairo_surface_destroy) {
    EXPECT_EQ(cairo_surface_status(surface_.get()), CAIRO_STATUS_SUCCESS);
    EXPECT_EQ(read_text(file).substr(0, 8), "\x89PNG\r\n\x1a\n");
  }
  [[nodiscard]] int width() const { return cairo_image_surface_get_width(surface_.get()); }
  [[nodiscard]] int height() const { return cairo_image_surface_get_height(surface_.get()); }
  [[nodiscard]] std::uint32_t at(int x, int y) const {
    const unsigned char* row = cairo_image_surface_get_data(surface_.get()) +
                               y * cairo_image_surface_get_stride(surface_.get());
    return reinterpret_cast<const std::uint32_t*>(row)[x] & 0xffffffU;
  }
  struct Spot {
    int count = 0, left = 1 << 30, right = -1, top = 1 << 30, bottom = -1;
  };
  [[nodiscard]] Spot find(std::uint32_t colour) const {
    Spot spot;
    for (int y = 0; y < height(); ++y) {
      for (int x = 0; x < width(); ++x) {
        if (at(x, y) != colour) continue;
        ++spot.count;
        spot.left = std::min(spot.left, x);
        spot.right = std::max(spot.right, x);
        spot.top = std::min(spot.top, y);
        spot.bottom = std::max(spot.bottom, y);
      }
    }
    return spot;
  }
  // Nothing reaches the edge, as text that is cut off would.
  [[nodiscard]] bool has_white_border(int pixels) const {
    for (int y = 0; y < height(); ++y) {
      for (int x = 0; x < width(); ++x) {
        const bool edge =
            x < pixels || y < pixels || x >= width() - pixels || y >= height() - pixels;
        if (edge && at(x, y) != 0xffffff) return false;
      }
    }
    return true;
  }

 private:
  std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)> surface_;
};

Picture draw(const auto& figure) {
  const TempFolder folder;
  write_png(figure, folder.path() / "figure.png");
  return Picture(folder.path() / "figure.png");
}

std::string svg_of(const auto& figure) {
  const TempFolder folder;
  write_svg(figure, folder.path() / "figure.svg");
  return read_text(folder.path() / "figure.svg");
}

// The tags are closed in the order they were opened; returns how many of the name there are.
int check_xml(const std::string& text, std::string_view name) {
  XmlScanner scanner("figure.svg", text);
  std::vector<std::string> open;
  int found = 0;
  while (const auto tag = scanner.next()) {
    if (tag->name == name && !tag->closing) ++found;
    if (tag->closing) {
      EXPECT_FALSE(open.empty());
      EXPECT_EQ(open.back(), tag->name);
      open.pop_back();
    } else if (!tag->self_closed) {
      open.emplace_back(tag->name);
    }
  }
  EXPECT_TRUE(open.empty());
  return found;
}

std::string complaint(const auto& action) {
  try {
    action();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

Figure waves() {
  Figure figure;
  figure.title = "Waves & <tags>";
  figure.x_label = "time (s)";
  figure.y_label = "energy error";
  PlotSeries sine{.label = "sine"};
  PlotSeries cosine{.label = "cosine"};
  for (int i = 0; i <= 1000; ++i) {
    for (PlotSeries* s : {&sine, &cosine}) s->x.push_back(0.01 * i);
    sine.y.push_back(1e-9 * std::sin(0.05 * i));
    cosine.y.push_back(1e-9 * std::cos(0.05 * i));
  }
  figure.series = {sine, cosine};
  return figure;
}

TEST(Figure, SvgIsXmlOfTheRightSize) {
  const std::string svg = svg_of(waves());
  EXPECT_EQ(check_xml(svg, "svg"), 1);
  EXPECT_GT(check_xml(svg, "path"), 10);
  EXPECT_NE(svg.find("width=\"480pt\" height=\"320pt\""), std::string::npos);
  EXPECT_EQ(svg.find("<image"), std::string::npos) << "part of the figure was rasterised";
}

TEST(Figure, SameInputSameBytes) {
  const TempFolder folder;
  const auto png = [&](const char* name) {
    write_png(waves(), folder.path() / name);
    return read_text(folder.path() / name);
  };
  EXPECT_EQ(svg_of(waves()), svg_of(waves()));
  EXPECT_EQ(png("a.png"), png("b.png"));
}

TEST(Figure, PngHasTheAskedSizeAndBothColours) {
  const TempFolder folder;
  Figure figure = waves();
  figure.width = 300;
  figure.height = 200;
  write_png(figure, folder.path() / "a.png", 3);
  const Picture picture(folder.path() / "a.png");
  EXPECT_EQ(picture.width(), 900);
  EXPECT_EQ(picture.height(), 600);
  EXPECT_GT(picture.find(kBlue).count, 500);
  EXPECT_GT(picture.find(kVermillion).count, 500);
}

TEST(Figure, ALineIsWhereItShouldBe) {
  Figure figure;
  figure.x_range = {0, 10};
  figure.y_range = {0, 10};
  figure.series = {{.x = {0, 10}, .y = {5, 5}, .colour = 0, .width = 2},
                   {.x = {5, 5}, .y = {0, 10}, .colour = 1, .width = 2}};
  const Picture picture = draw(figure);
  const auto level = picture.find(kBlue);
  const auto upright = picture.find(kVermillion);
  // Each from side to side, through the middle of the other.
  EXPECT_LE(level.bottom - level.top, 4);
  EXPECT_LE(upright.right - upright.left, 4);
  EXPECT_NEAR((level.top + level.bottom) / 2.0, (upright.top + upright.bottom) / 2.0, 2);
  EXPECT_NEAR((level.left + level.right) / 2.0, (upright.left + upright.right) / 2.0, 2);
  EXPECT_GT(level.right - level.left, 0.85 * picture.width());
  EXPECT_GT(upright.bottom - upright.top, 0.85 * picture.height());
}

TEST(Figure, LargerValuesAreHigherAndFurtherRight) {
  for (const bool logarithmic : {false, true}) {
    Figure figure;
    figure.log_x = figure.log_y = logarithmic;
    figure.series = {{.x = {1}, .y = {1}, .style = PlotStyle::points},
                     {.x = {100}, .y = {1000}, .style = PlotStyle::points}};
    const Picture picture = draw(figure);
    EXPECT_LT(picture.find(kBlue).right, picture.find(kVermillion).left);
    EXPECT_GT(picture.find(kBlue).top, picture.find(kVermillion).bottom);
  }
}

TEST(Figure, EqualAxesMakeCirclesRound) {
  Figure figure;
  figure.equal_axes = true;
  PlotSeries circle;
  for (int i = 0; i <= 500; ++i) {
    circle.x.push_back(3 + 2 * std::cos(2 * M_PI * i / 500));
    circle.y.push_back(2 * std::sin(2 * M_PI * i / 500));
  }
  figure.series = {circle};
  const auto round = draw(figure).find(kBlue);
  EXPECT_NEAR(round.right - round.left, round.bottom - round.top, 2);
  figure.equal_axes = false;
  const auto wide = draw(figure).find(kBlue);
  EXPECT_GT(wide.right - wide.left, 1.3 * (wide.bottom - wide.top));
}

TEST(Figure, BadValuesBreakTheLineOnly) {
  Figure figure;
  figure.y_range = {0, 2};
  figure.series = {{.x = {0, 4, 5, 6, 10}, .y = {1, 1, kNaN, 1, 1}, .width = 2}};
  const Picture broken = draw(figure);
  const auto spot = broken.find(kBlue);
  const int y = (spot.top + spot.bottom) / 2;
  const int span = spot.right - spot.left;
  ASSERT_GT(span, 0);
  EXPECT_EQ(broken.at(spot.left + span / 4, y), kBlue);
  EXPECT_NE(broken.at(spot.left + span / 2, y), kBlue);
  EXPECT_EQ(broken.at(spot.left + span * 3 / 4, y), kBlue);

  for (const double bad : {kNaN, kInf, -kInf, 1e308, -1e308}) {
    Figure other = waves();
    other.series[0].y[500] = bad;
    other.series[1].x[300] = bad;
    EXPECT_GT(draw(other).find(kBlue).count, 500) << bad;
  }
}

TEST(Figure, LogAxesSkipWhatIsNotPositive) {
  Figure figure = waves();
  figure.log_y = true;
  EXPECT_GT(draw(figure).find(kBlue).count, 300);
  for (PlotSeries& s : figure.series) {
    for (double& y : s.y) y = -std::abs(y);
  }
  EXPECT_EQ(draw(figure).find(kVermillion).count > 0, true) << "the legend is still there";
}

TEST(Figure, ConstantsAndSinglePointsShow) {
  for (const double value : {0.0, 3.0, -1e-12, 1e12, 1e-299, 1e299}) {
    for (const bool logarithmic : {false, true}) {
      if (logarithmic && value <= 0) continue;
      Figure figure;
      figure.log_y = logarithmic;
      figure.series = {{.x = {0, 1, 2}, .y = {value, value, value}}};
      const Picture picture = draw(figure);
      const auto line = picture.find(kBlue);
      EXPECT_GT(line.count, 500) << value;
      EXPECT_NEAR(line.top, picture.height() / 2.0, 0.15 * picture.height()) << value;
      figure.series = {{.x = {value}, .y = {value}}};
      EXPECT_GT(draw(figure).find(kBlue).count, 0) << value;
    }
  }
}

TEST(Figure, NearlyConstantDataShow) {
  Figure figure;
  PlotSeries s;
  for (int i = 0; i < 100; ++i) {
    s.x.push_back(i);
    s.y.push_back(1 + (i % 3) * std::numeric_limits<double>::epsilon());
  }
  figure.series = {s};
  EXPECT_GT(draw(figure).find(kBlue).count, 300);
}

TEST(Figure, WithoutDataItSaysSo) {
  Figure figure;
  const Picture none = draw(figure);
  figure.series = {{.label = "nothing"}, {.x = {kNaN}, .y = {1}}};
  const Picture bad = draw(figure);
  for (const Picture* picture : {&none, &bad}) {
    int ink = 0;
    for (int y = picture->height() / 3; y < picture->height() * 2 / 3; ++y) {
      for (int x = picture->width() / 3; x < picture->width() * 2 / 3; ++x) {
        if (picture->at(x, y) != 0xffffff) ++ink;
      }
    }
    EXPECT_GT(ink, 50);
  }
}

TEST(Figure, NothingIsCutOff) {
  Figure figure = waves();
  figure.title = "A title that is much too long to fit into one line of such a figure";
  figure.y_label = "a label of the axis that is longer than the axis itself could ever be";
  figure.x_label = figure.y_label + " and even longer than that, by a lot";
  for (const double size : {40.0, 120.0, 250.0, 600.0}) {
    for (const double offset : {0.0, 1.0, -123456.0, 1e9}) {
      Figure f = figure;
      f.width = 1.4 * size;
      f.height = size;
      for (PlotSeries& s : f.series) {
        for (double& y : s.y) y = y * 1e5 + offset;
        for (double& x : s.x) x += offset;
      }
      EXPECT_TRUE(draw(f).has_white_border(1)) << size << ' ' << offset;
    }
  }
}

TEST(Figure, TheLegendCoversNoData) {
  Figure figure;
  PlotSeries dots{.style = PlotStyle::points, .colour = 0, .width = 4};
  for (int i = 0; i <= 13; ++i) {
    for (int j = 0; j <= 13; ++j) {
      dots.x.push_back(i);
      dots.y.push_back(j);
    }
  }
  const PlotSeries one{.x = {0.5}, .y = {0.5}, .label = "one", .style = PlotStyle::points};
  figure.series = {dots, one, one};
  const Picture picture = draw(figure);
  const auto spot = picture.find(kBlue);
  ASSERT_GT(spot.count, 0);
  for (int i = 0; i <= 13; ++i) {
    for (int j = 0; j <= 13; ++j) {
      // Between the middles of the outermost dots, 8 pixels across.
      const double x = spot.left + 3.5 + i / 13.0 * (spot.right - spot.left - 7);
      const double y = spot.top + 3.5 + j / 13.0 * (spot.bottom - spot.top - 7);
      EXPECT_EQ(picture.at(static_cast<int>(x), static_cast<int>(y)), kBlue) << i << ' ' << j;
    }
  }
}

TEST(Figure, TheLegendTakesAFreeCorner) {
  Figure figure = waves();
  figure.x_range = {0, 30};
  figure.series[0].label = figure.series[1].label = "";
  const auto without = draw(figure).find(kBlue);
  figure.series[0].label = figure.series[1].label = "wave";
  const auto with = draw(figure).find(kBlue);
  EXPECT_EQ(with.top, without.top) << "no room was made for it above";
  EXPECT_GT(with.right, 2 * without.right) << "its sample is at the right";
}

TEST(Figure, ALegendNeedsTwoLabels) {
  Figure figure = waves();
  const int two = check_xml(svg_of(figure), "use");
  figure.series[1].label.clear();
  const int one = check_xml(svg_of(figure), "use");
  EXPECT_EQ(two - one, 10);  // the letters of "sine" and "cosine"
}

TEST(Figure, AnyTextCanBeDrawn) {
  for (const std::string text : {"\xff\xfe", "a\xc3", "\xe2\x82", "tab\there\nline", "\xed\xa0\x80",
                                 "\xf5\x80\x80\x80", "\xef\xbf\xbf", "größer ≤ ∂E/∂t ⁻⁹"}) {
    Figure figure = waves();
    figure.title = figure.subtitle = figure.x_label = figure.y_label = text;
    for (PlotSeries& s : figure.series) s.label = text;
    EXPECT_EQ(check_xml(svg_of(figure), "svg"), 1);
  }
}

TEST(Figure, HugeDataStaySmall) {
  constexpr int kMany = 1'000'000;
  std::mt19937 random(5);
  const auto uniform = [&] { return static_cast<double>(random()) / 4294967296.0; };
  PlotSeries walk;
  PlotSeries cloud{.style = PlotStyle::points};
  PlotSeries orbit;
  double y = 0;
  for (int i = 0; i < kMany; ++i) {
    walk.x.push_back(i);
    walk.y.push_back(y += uniform() - 0.5);
    cloud.x.push_back(uniform() + uniform());
    cloud.y.push_back(uniform());
    orbit.x.push_back(std::sin(0.01 * i) + 0.3 * std::sin(0.01618 * i));
    orbit.y.push_back(std::cos(0.0141 * i));
  }
  FigureGrid grid;
  for (const PlotSeries& s : {walk, cloud, orbit}) {
    Figure figure;
    figure.series = {s};
    const std::string svg = svg_of(figure);
    EXPECT_LT(svg.size(), 1'000'000U);
    EXPECT_EQ(check_xml(svg, "svg"), 1);
    grid.panels.push_back(figure);
  }
  EXPECT_LT(svg_of(grid).size(), 1'000'000U);
}

TEST(Figure, PanelsStandInRowsAndColumns) {
  FigureGrid grid;
  grid.columns = 2;
  for (int i = 0; i < 3; ++i) {
    Figure figure;
    figure.width = 200;
    figure.height = i < 2 ? 150 : 100;
    figure.y_label = i == 0 ? "only here" : "";
    figure.x_range = {0, 1};
    figure.series = {{.x = {0, 1}, .y = {0, i == 1 ? 1e-7 : 1.0}, .colour = i}};
    grid.panels.push_back(figure);
  }
  const Picture picture = draw(grid);
  EXPECT_EQ(picture.width(), 800);
  EXPECT_EQ(picture.height(), 500);
  const auto first = picture.find(kBlue);
  const auto second = picture.find(kVermillion);
  const auto third = picture.find(0x009e73);
  EXPECT_LT(first.right, 400);
  EXPECT_GT(second.left, 400);
  EXPECT_LT(second.bottom, 300);
  EXPECT_GT(third.top, 300);
  // Axes of a column are as wide, those of a row as high.
  EXPECT_NEAR(first.left, third.left, 2);
  EXPECT_NEAR(first.right, third.right, 2);
  EXPECT_NEAR(first.top, second.top, 2);
  EXPECT_NEAR(first.bottom, second.bottom, 2);
  EXPECT_EQ(check_xml(svg_of(grid), "svg"), 1);
}

TEST(Figure, FilesThatCannotBeWritten) {
  const TempFolder folder;
  const auto missing = folder.path() / "no such folder" / "figure";
  for (const auto& file : {missing, folder.path()}) {
    EXPECT_EQ(complaint([&] { write_svg(waves(), file); }), "cannot write " + file.string());
    EXPECT_EQ(complaint([&] { write_png(waves(), file); }), "cannot write " + file.string());
  }
}

TEST(Figure, FiguresThatMakeNoSense) {
  const TempFolder folder;
  const auto with = [&](const auto& change) {
    Figure figure = waves();
    change(figure);
    return complaint([&] { write_svg(figure, folder.path() / "a.svg"); });
  };
  EXPECT_NE(
      with([](Figure& f) { f.series[1].x.pop_back(); }).find("\"cosine\" has 1000 x and 1001"),
      std::string::npos);
  EXPECT_NE(with([](Figure& f) { f.x_range = {2, 2}; }).find("x_range"), std::string::npos);
  EXPECT_NE(with([](Figure& f) { f.y_range = {0, kInf}; }).find("y_range"), std::string::npos);
  EXPECT_NE(with([](Figure& f) {
              f.log_y = true;
              f.y_range = {0, 1};
            }).find("positive"),
            std::string::npos);
  EXPECT_NE(with([](Figure& f) { f.width = 0; }).find("points"), std::string::npos);
  EXPECT_NE(with([](Figure& f) { f.height = kNaN; }).find("points"), std::string::npos);
  EXPECT_NE(with([](Figure& f) { f.series[0].width = -1; }).find("width"), std::string::npos);
  for (const double scale : {0.0, -1.0, kNaN, 1000.0}) {
    EXPECT_NE(complaint([&] { write_png(waves(), folder.path() / "a.png", scale); }).find("pixels"),
              std::string::npos);
  }
  EXPECT_NE(complaint([&] { write_svg(FigureGrid{}, folder.path() / "a.svg"); }), "");
  EXPECT_NE(complaint([&] {
              write_svg(FigureGrid{.panels = {waves()}, .columns = 0}, folder.path() / "a.svg");
            }),
            "");
}

}  // namespace
}  // namespace lilyan::test
