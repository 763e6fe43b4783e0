// Figures as SVG: where lines, points, ticks and texts are, what is refused, and PNG files made from
// them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "app/files/process.hpp"
#include "app/files/scanner.hpp"
#include "app/report/picture/figure.hpp"
#include "lilyan/base/error.hpp"
#include "support/label_numbers.hpp"
#include "support/other_programs.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test::svg_test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

struct Point {
  double x = 0, y = 0;
};

// An element without children, its attributes and its text.
struct Element {
  std::map<std::string, std::string> attributes;
  std::string text;
  [[nodiscard]] std::string of(const std::string& name) const {
    const auto found = attributes.find(name);
    return found == attributes.end() ? "" : found->second;
  }
  [[nodiscard]] Point place() const {  // of a <text>
    Point p;
    EXPECT_EQ(std::sscanf(of("transform").c_str(), "translate(%lf %lf)", &p.x, &p.y), 2);
    return p;
  }
  [[nodiscard]] bool upwards() const {
    return of("transform").find("rotate(-90)") != std::string::npos;
  }
  [[nodiscard]] double size() const { return std::stod(of("font-size")); }
  // As wide as in DejaVu Sans, whose digits are wider than those of nearly all other fonts.
  [[nodiscard]] double width() const {
    return 0.636 * size() * static_cast<double>(std::ranges::count_if(text, [](char c) {
             return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
           }));
  }
  [[nodiscard]] double left() const {
    const std::string anchor = of("text-anchor");
    return place().x - (anchor == "middle" ? 0.5 : anchor == "end" ? 1 : 0) * width();
  }
  // The polylines of a <path> of M, points, and h0 for dots.
  [[nodiscard]] std::vector<std::vector<Point>> lines() const {
    std::vector<std::vector<Point>> out;
    const std::string d = of("d");
    for (std::size_t at = 0; at < d.size(); ++at) {
      if (d[at] == 'M') out.emplace_back();
      if (d[at] == 'h') {
        EXPECT_EQ(d.substr(at, 2), "h0");
        ++at;
        continue;
      }
      char* end = nullptr;
      const double x = std::strtod(d.c_str() + at + (d[at] == 'M' ? 1 : 0), &end);
      const double y = std::strtod(end, &end);
      out.back().push_back({x, y});
      at = static_cast<std::size_t>(end - d.c_str()) - 1;
    }
    return out;
  }
};

class Drawing {
 public:
  explicit Drawing(const FigureGrid& grid) : svg(svg_text(grid)) {
    for (std::size_t at = 0; (at = svg.find('<', at)) != std::string::npos; ++at) {
      const std::size_t end = svg.find('>', at);
      Element element;
      for (std::size_t i = svg.find(' ', at); i < end; i = svg.find(' ', i + 1)) {
        const std::size_t equals = svg.find("=\"", i);
        if (equals > end) break;
        const std::size_t close = svg.find('"', equals + 2);
        element.attributes[svg.substr(i + 1, equals - i - 1)] =
            svg.substr(equals + 2, close - equals - 2);
        i = close;
      }
      if (svg.compare(at, 5, "<text") == 0)
        element.text = svg.substr(end + 1, svg.find('<', end) - end - 1);
      if (!element.of("class").empty()) elements.push_back(element);
    }
  }
  explicit Drawing(const Figure& figure) : Drawing(FigureGrid{.panels = {figure}}) {}

  [[nodiscard]] std::vector<Element> all(const std::string& kind) const {
    std::vector<Element> out;
    for (const Element& e : elements) {
      if (e.of("class") == kind) out.push_back(e);
    }
    return out;
  }
  [[nodiscard]] Element one(const std::string& kind) const {
    const std::vector<Element> found = all(kind);
    EXPECT_EQ(found.size(), 1U) << kind;
    return found.empty() ? Element{} : found[0];
  }
  struct Area {
    double left, top, bottom, right;
  };
  [[nodiscard]] std::vector<Area> areas() const {
    std::vector<Area> out;
    for (const Element& e : all("axes")) {
      Area a{};
      EXPECT_EQ(
          std::sscanf(e.of("d").c_str(), "M%lf %lfV%lfH%lf", &a.left, &a.top, &a.bottom, &a.right),
          4);
      out.push_back(a);
    }
    return out;
  }

  std::string svg;
  std::vector<Element> elements;
};

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
  Figure figure{.title = "Waves & <tags>",
                .x_label = "time (s)",
                .y_label = "energy error",
                .over_time = true};
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

Figure dots(const std::vector<double>& x, const std::vector<double>& y) {
  return {.series = {{.x = x, .y = y, .style = PlotStyle::points}}};
}

TEST(Svg, IsXmlOfTheRightSize) {
  const std::string svg = svg_text({.panels = {waves()}});
  EXPECT_EQ(check_xml(svg, "svg"), 2);  // the page, and the area of the data
  EXPECT_NE(svg.find("width=\"480pt\" height=\"320pt\""), std::string::npos);
  EXPECT_NE(svg.find(">Waves &amp; &lt;tags&gt;</text>"), std::string::npos);
  EXPECT_EQ(svg, svg_text({.panels = {waves()}})) << "the same input gives the same bytes";
}

TEST(Svg, LinesGoWhereTheValuesAre) {
  Figure figure{.over_time = true, .series = {{.x = {0, 5, 10}, .y = {0, 10, 5}}}};
  const Drawing drawing(figure);
  const auto [left, top, bottom, right] = drawing.areas()[0];
  const auto lines = drawing.one("line").lines();
  ASSERT_EQ(lines.size(), 1U);
  ASSERT_EQ(lines[0].size(), 3U);
  // From side to side, with air of 6 % above and below.
  EXPECT_NEAR(lines[0][0].x, left, 0.01);
  EXPECT_NEAR(lines[0][1].x, (left + right) / 2, 0.01);
  EXPECT_NEAR(lines[0][2].x, right, 0.01);
  EXPECT_NEAR(lines[0][0].y, bottom - 0.6 / 11.2 * (bottom - top), 0.01);
  EXPECT_NEAR(lines[0][1].y, top + 0.6 / 11.2 * (bottom - top), 0.01);
  EXPECT_NEAR(lines[0][2].y, (top + bottom) / 2, 0.01);
  EXPECT_GT(right - left, 0.8 * 480);
  EXPECT_GT(bottom - top, 0.7 * 320);
}

// A reader takes values from the labels of ticks: a point must be where they say.
TEST(Svg, PointsAgreeWithTheLabelsOfTicks) {
  struct Case {
    std::vector<double> y;
    bool logarithmic;
  };
  for (const auto& [y, logarithmic] : std::vector<Case>{{{-3, 7.5, 11}, false},
                                                        {{2e-9, 7e-9, 3.3e-9}, false},
                                                        {{1e6, 2.5e7, 3e6}, false},
                                                        {{123456, 123457, 123456.3}, false},
                                                        {{1e-12, 3e-5, 0.7}, true},
                                                        {{0.15, 0.4, 6}, true},
                                                        {{2e-5, 3e-5, 7e-5}, true}}) {
    Figure figure = dots({0, 1, 2}, y);
    figure.log_y = logarithmic;
    const Drawing drawing(figure);
    const std::vector<Element> ticks = drawing.all("y-tick");
    ASSERT_GE(ticks.size(), 2U);
    const auto notes = drawing.all("y-factor");
    const auto [factor, plus] = note_numbers(notes.empty() ? "" : notes[0].text);
    const auto value = [&, factor = factor, plus = plus](const Element& tick) {
      const double v = number(tick.text) * factor + plus;
      return logarithmic ? std::log10(v) : v;
    };
    const auto place = [](const Element& tick) { return tick.place().y - 0.36 * tick.size(); };
    const Element& a = ticks.front();
    const Element& b = ticks.back();
    const auto points = drawing.one("points").lines();
    ASSERT_EQ(points.size(), y.size());
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double v = logarithmic ? std::log10(y[i]) : y[i];
      const double expected =
          place(a) + (v - value(a)) / (value(b) - value(a)) * (place(b) - place(a));
      EXPECT_NEAR(points[i][0].y, expected, 0.05) << y[i];
    }
  }
}

TEST(Svg, LabelsOfTicksAreInsideAndDoNotOverlap) {
  for (const double offset : {0.0, 1.0, -123456.0, 1e9}) {
    for (const double scale : {1e-7, 1.0, 1e6}) {
      for (const double size : {200.0, 320.0, 700.0}) {
        Figure figure = waves();
        figure.height = size;
        figure.width = 1.4 * size;
        for (PlotSeries& s : figure.series) {
          for (double& x : s.x) x = scale * x + offset;
          for (double& y : s.y) y = 1e9 * scale * y + offset;
        }
        const Drawing drawing(figure);
        SCOPED_TRACE(::testing::Message() << offset << ' ' << scale << ' ' << size);
        double end = 0;
        for (const Element& tick : drawing.all("x-tick")) {
          EXPECT_GT(tick.left(), end);
          end = tick.left() + tick.width();
        }
        EXPECT_LT(end, figure.width);
        double above = figure.height;
        for (const Element& tick : drawing.all("y-tick")) {
          EXPECT_LT(tick.place().y, above);
          above = tick.place().y - tick.size();
          EXPECT_GT(tick.left(), 0);
        }
        EXPECT_GT(above, 0);
        EXPECT_GE(drawing.all("x-tick").size() + drawing.all("y-tick").size(), 3U);
      }
    }
  }
}

TEST(Svg, NoTextIsCutOff) {
  Figure figure = waves();
  figure.title = "A title that is much too long to fit into one line of such a figure, is it not";
  figure.subtitle = figure.title + " so?";
  figure.y_label = "a label of the axis that is longer than the axis itself could ever be";
  figure.x_label = figure.y_label + " and even longer than that, by a lot";
  figure.series[1].label = "a series with a long name that does not fit beside the other one";
  for (const double size : {200.0, 320.0, 600.0}) {
    figure.width = 1.4 * size;
    figure.height = size;
    const Drawing drawing(figure);
    for (const Element& e : drawing.elements) {
      if (e.text.empty()) continue;
      // Letters are narrower than digits.
      const double length = 0.95 * e.width();
      const Point p = e.place();
      if (e.upwards()) {
        EXPECT_GT(p.y - length / 2, 0) << e.text;
        EXPECT_LT(p.y + length / 2, figure.height) << e.text;
        EXPECT_GT(p.x - e.size(), 0) << e.text;
        continue;
      }
      EXPECT_GT(e.left(), 0) << e.text;
      EXPECT_LT(e.left() + length, figure.width) << e.text;
      EXPECT_GT(p.y - 0.8 * e.size(), 0) << e.text;
      EXPECT_LT(p.y, figure.height) << e.text;
    }
  }
}

TEST(Svg, LogAxesHaveDecadesOfOneHeightAndSkipWhatIsNotPositive) {
  Figure figure = dots({0, 1, 2, 3, 4}, {1e-4, 0, 1e-2, -5, 1});
  figure.log_y = true;
  const auto points = Drawing(figure).one("points").lines();
  ASSERT_EQ(points.size(), 3U);
  EXPECT_NEAR(points[0][0].y - points[1][0].y, points[1][0].y - points[2][0].y, 0.02);
  EXPECT_GT(points[0][0].y, points[2][0].y + 100);
  figure.series[0].y = {-1, -2, 0, kNaN, -1};
  EXPECT_EQ(Drawing(figure).one("empty").text, "no data");
}

TEST(Svg, EqualAxesMakeCirclesRound) {
  Figure figure{.equal_axes = true};
  PlotSeries circle;
  for (int i = 0; i <= 500; ++i) {
    circle.x.push_back(3 + 2 * std::cos(2 * M_PI * i / 500));
    circle.y.push_back(2 * std::sin(2 * M_PI * i / 500));
  }
  figure.series = {circle};
  const auto extent = [&] {
    double left = 1e9, right = -1e9, top = 1e9, bottom = -1e9;
    for (const auto& line : Drawing(figure).one("line").lines()) {
      for (const Point& p : line) {
        left = std::min(left, p.x);
        right = std::max(right, p.x);
        top = std::min(top, p.y);
        bottom = std::max(bottom, p.y);
      }
    }
    return Point{right - left, bottom - top};
  };
  EXPECT_NEAR(extent().x, extent().y, 0.3);
  figure.equal_axes = false;
  EXPECT_GT(extent().x, 1.3 * extent().y);
}

TEST(Svg, BadValuesBreakTheLineOnly) {
  Figure figure{.over_time = true, .series = {{.x = {0, 4, 5, 6, 10}, .y = {1, 2, kNaN, 2, 1}}}};
  const auto lines = Drawing(figure).one("line").lines();
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].size(), 2U);
  EXPECT_EQ(lines[1].size(), 2U);
  for (const double bad : {kNaN, kInf, -kInf, 1e308, -1e308}) {
    Figure other = waves();
    const Drawing::Area before = Drawing(other).areas()[0];
    other.series[0].y[500] = bad;
    other.series[1].x[300] = bad;
    const Drawing drawing(other);
    EXPECT_EQ(drawing.areas()[0].left, before.left) << "the same labels";
    EXPECT_EQ(drawing.all("line")[0].lines().size(), 2U);
    EXPECT_EQ(drawing.svg.find("nan"), std::string::npos);
    EXPECT_EQ(drawing.svg.find("inf"), std::string::npos);
  }
}

TEST(Svg, ConstantsAndSinglePointsShow) {
  for (const double value : {0.0, 3.0, -1e-12, 1e12, 1e-299, 1e299}) {
    for (const bool logarithmic : {false, true}) {
      if (logarithmic && value <= 0) continue;
      Figure figure{.over_time = true, .log_y = logarithmic};
      figure.series = {{.x = {0, 1, 2}, .y = {value, value, value}}};
      const Drawing drawing(figure);
      const auto [left, top, bottom, right] = drawing.areas()[0];
      const auto lines = drawing.one("line").lines();
      for (const Point& p : lines[0])
        EXPECT_NEAR(p.y, (top + bottom) / 2, 0.1 * (bottom - top)) << value;
      figure.series = {{.x = {value}, .y = {value}}};
      EXPECT_TRUE(Drawing(figure).one("line").of("d").ends_with("h0")) << "a dot: " << value;
    }
  }
  Figure nearly{.over_time = true, .series = {{.x = {0, 1, 2}, .y = {1, 1 + 2e-16, 1 + 4e-16}}}};
  EXPECT_EQ(Drawing(nearly).one("line").lines()[0].size(), 3U);
}

TEST(Svg, WithoutDataItSaysSo) {
  Figure figure{.x_label = "x"};
  for (int i = 0; i < 3; ++i) {
    const Drawing drawing(figure);
    EXPECT_EQ(drawing.one("empty").text, "no data");
    EXPECT_TRUE(drawing.all("line").empty());
    EXPECT_TRUE(drawing.all("x-tick").empty());
    EXPECT_EQ(drawing.one("x-label").text, "x");
    figure.series.push_back(i == 0 ? PlotSeries{.label = "nothing"}
                                   : PlotSeries{.x = {kNaN}, .y = {1}});
  }
}

TEST(Svg, ACurveThatExplodesLeavesThePicture) {
  Figure figure{.over_time = true, .cut = 3, .series = {{.x = {0, 1, 2}, .y = {0, 1, 1e200}}}};
  const Drawing drawing(figure);
  const auto [left, top, bottom, right] = drawing.areas()[0];
  const auto line = drawing.one("line").lines()[0];
  ASSERT_EQ(line.size(), 3U);
  EXPECT_GT(line[1].y, top);
  EXPECT_LT(line[2].y, top - 1000);
  EXPECT_GT(line[2].y, -1e6) << "renderers need not know how far it goes";
  // The data are in an <svg> of the size of the area, which cuts them off.
  const std::string area = drawing.svg.substr(drawing.svg.find("<svg x="));
  double x = 0, y = 0, w = 0, h = 0;
  ASSERT_EQ(std::sscanf(area.c_str(), "<svg x=\"%lf\" y=\"%lf\" width=\"%lf\" height=\"%lf\"", &x,
                        &y, &w, &h),
            4);
  EXPECT_NEAR(x, left, 0.01);
  EXPECT_NEAR(y + h, bottom, 0.02);
  EXPECT_NEAR(x + w, right, 0.02);
}

TEST(Svg, TheLegendIsAboveTheAxesInTheColoursOfTheCurves) {
  Figure figure = waves();
  for (int i = 0; i < 8; ++i) {
    figure.series.push_back(figure.series[0]);
    figure.series.back().label = "series number " + std::to_string(i);
  }
  figure.series[9].style = PlotStyle::points;
  figure.series[3].colour = 6;
  const Drawing drawing(figure);
  const std::vector<Element> labels = drawing.all("legend");
  const std::vector<Element> samples = drawing.all("line sample");
  ASSERT_EQ(labels.size(), 10U);
  ASSERT_EQ(samples.size(), 9U);
  EXPECT_EQ(drawing.all("points sample").size(), 1U);
  const std::vector<Element> curves = drawing.all("line");
  std::vector<Point> before;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    EXPECT_EQ(labels[i].text, figure.series[i].label);
    const Point p = labels[i].place();
    EXPECT_LT(p.y, drawing.areas()[0].top);
    EXPECT_GT(p.y, drawing.one("title").place().y);
    EXPECT_LT(p.x + 0.95 * labels[i].width(), 480);
    for (const Point& q : before) {
      EXPECT_TRUE(std::abs(p.y - q.y) > 10 || std::abs(p.x - q.x) > labels[i].width());
    }
    before.push_back(p);
    if (i == 9) continue;
    EXPECT_EQ(samples[i].of("stroke"), curves[i].of("stroke"));
    EXPECT_EQ(samples[i].of("stroke-dasharray"), curves[i].of("stroke-dasharray"));
    for (std::size_t k = 0; k < i; ++k) {
      if (k == 3 || i == 3) continue;  // chosen
      EXPECT_TRUE(curves[i].of("stroke") != curves[k].of("stroke") ||
                  curves[i].of("stroke-dasharray") != curves[k].of("stroke-dasharray"));
    }
  }
  EXPECT_EQ(curves[3].of("stroke"), "#6b7280");
  figure = waves();
  figure.series[1].label.clear();
  EXPECT_TRUE(Drawing(figure).all("legend").empty()) << "one label tells nothing apart";
}

TEST(Svg, AnyTextCanBeDrawn) {
  for (const std::string text : {"\xff\xfe", "a\xc3", "\xe2\x82", "tab\there\nline", "\xed\xa0\x80",
                                 "\xf5\x80\x80\x80", "\xef\xbf\xbf", "größer ≤ ∂E/∂t ⁻⁹"}) {
    Figure figure = waves();
    figure.title = figure.subtitle = figure.x_label = figure.y_label = text;
    for (PlotSeries& s : figure.series) s.label = text;
    const std::string svg = svg_text({.panels = {figure}});
    EXPECT_EQ(check_xml(svg, "svg"), 2);
    for (const char* forbidden : {"\xff", "\xef\xbf\xbf", "\xed\xa0", "\xf5", "\t"})
      EXPECT_EQ(svg.find(forbidden), std::string::npos);
  }
  Figure figure{.title = "größer ≤ ∂E/∂t ⁻⁹"};
  EXPECT_EQ(Drawing(figure).one("title").text, figure.title);
}

TEST(Svg, HugeDataStaySmall) {
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
  for (const PlotSeries& s : {walk, cloud, orbit}) grid.panels.push_back({.series = {s}});
  const std::string svg = svg_text(grid);
  EXPECT_LT(svg.size(), 1'000'000U);
  EXPECT_EQ(check_xml(svg, "svg"), 4);
}

TEST(Svg, PanelsStandInRowsAndColumnsWithAxesInLine) {
  FigureGrid grid{.columns = 2, .title = "Three"};
  for (int i = 0; i < 3; ++i) {
    grid.panels.push_back({.y_label = i == 0 ? "only here" : "",
                           .series = {{.x = {0, 1}, .y = {0, i == 1 ? 1e-7 : 1.0}}},
                           .width = 200,
                           .height = i < 2 ? 150.0 : 100.0});
  }
  const Drawing drawing(grid);
  const std::vector<Drawing::Area> areas = drawing.areas();
  ASSERT_EQ(areas.size(), 3U);
  EXPECT_EQ(areas[0].top, areas[1].top);
  EXPECT_EQ(areas[0].bottom, areas[1].bottom);
  EXPECT_EQ(areas[0].left, areas[2].left);
  EXPECT_EQ(areas[0].right, areas[2].right);
  EXPECT_NEAR(areas[1].left, areas[0].left + 200, 0.01);
  const double head = drawing.one("title").place().y;
  EXPECT_GT(areas[0].top, head);
  EXPECT_LT(areas[0].bottom, head + 150);
  EXPECT_GT(areas[2].top, areas[0].bottom + 20);
  EXPECT_NE(drawing.svg.find("width=\"400pt\" height=\"274pt\""), std::string::npos);
}

TEST(Svg, FilesThatCannotBeWritten) {
  const TempFolder folder;
  for (const auto& [file, reason] :
       {std::pair(folder.path() / "no such folder" / "figure", "No such file or directory"),
        std::pair(folder.path(), "Is a directory")}) {
    EXPECT_EQ(complaint([&] { write_svg({.panels = {waves()}}, file); }),
              "cannot write " + file.string() + ": " + reason);
  }
}

TEST(Svg, FiguresThatMakeNoSense) {
  const auto with = [](const auto& change) {
    Figure figure = waves();
    change(figure);
    return complaint([&] { (void)svg_text({.panels = {figure}}); });
  };
  EXPECT_NE(
      with([](Figure& f) { f.series[1].x.pop_back(); }).find("\"cosine\" has 1000 x and 1001"),
      std::string::npos);
  EXPECT_NE(with([](Figure& f) { f.width = 0; }).find("points"), std::string::npos);
  EXPECT_NE(with([](Figure& f) { f.height = kNaN; }).find("points"), std::string::npos);
  EXPECT_NE(complaint([] { (void)svg_text({}); }), "");
  EXPECT_NE(complaint([] { (void)svg_text({.panels = {waves()}, .columns = 0}); }), "");
}

TEST(SvgToPng, SaysWhatToInstallWhenNothingIs) {
  const TempFolder folder;
  const ChangedPath path(folder.path().string());
  const std::string message = complaint([] { require_svg_converter(); });
  for (const char* word :
       {"rsvg-convert", "librsvg2-bin", "Inkscape", "ImageMagick", "output.pictures"})
    EXPECT_NE(message.find(word), std::string::npos) << message;
  EXPECT_EQ(complaint([&] { (void)convert_to_png(folder.write("a.svg", "<svg/>")); }), message);
}

TEST(SvgToPng, AsksTheFirstProgramThatIsInstalled) {
  const TempFolder folder;
  const auto svg = folder.write("some figure.svg", "<svg/>");
  const ChangedPath path(folder.path().string() + ":/usr/bin:/bin");
  for (const char* name : {"convert", "inkscape", "rsvg-convert"}) {
    // Writes its name and its arguments to where the PNG belongs.
    make_program(folder, name,
                 "echo " + std::string(name) + " \"$@\" > \"" +
                     (folder.path() / "some figure.png").string() + "\"\n");
    EXPECT_EQ(complaint([] { require_svg_converter(); }), "");
  }
  const std::filesystem::path png = convert_to_png(svg);
  EXPECT_EQ(png.filename(), "some figure.png");
  EXPECT_EQ(read_text(png), "rsvg-convert --zoom 1.5 -o ./some figure.png ./some figure.svg\n");
}

TEST(SvgToPng, AConverterThatFailsIsNamed) {
  const TempFolder folder;
  make_program(folder, "rsvg-convert", "echo no memory left\nexit 1\n");
  const ChangedPath path(folder.path().string() + ":/usr/bin:/bin");
  const std::string message =
      complaint([&] { (void)convert_to_png(folder.write("a.svg", "<svg/>")); });
  EXPECT_NE(message.find("rsvg-convert could not make"), std::string::npos) << message;
  EXPECT_NE(message.find("a.png: no memory left"), std::string::npos) << message;
}

TEST(SvgToPng, MakesTwoPixelsPerPoint) {
  if (!find_program("rsvg-convert")) GTEST_SKIP() << "rsvg-convert is not installed";
  const TempFolder folder;
  write_svg({.panels = {waves()}}, folder.path() / "a.svg");
  const std::string png = read_text(convert_to_png(folder.path() / "a.svg"));
  ASSERT_TRUE(png.starts_with("\x89PNG\r\n\x1a\n"));
  const auto size = [&](std::size_t at) {
    return 256 * static_cast<unsigned char>(png[at]) + static_cast<unsigned char>(png[at + 1]);
  };
  EXPECT_EQ(size(18), 960);
  EXPECT_EQ(size(22), 640);
}

}  // namespace
}  // namespace lilyan::test::svg_test
