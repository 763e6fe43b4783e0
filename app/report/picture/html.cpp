#include "app/report/picture/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "app/files/file.hpp"
#include "app/files/vital_memory.hpp"
#include "lilyan/base/error.hpp"

namespace lilyan::html {
namespace {

// Writes a text as JSON that may stand inside of <script>.
std::string json_text(const std::string& text) {
  using nlohmann::json;
  const VitalMemory guard;
  std::string out;
  for (const char c : json(text).dump(-1, ' ', false, json::error_handler_t::replace)) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

std::pair<double, double> finite_range(const std::vector<double>& values) {
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -lowest;
  for (const double v : values) {
    if (!std::isfinite(v)) continue;
    lowest = std::min(lowest, v);
    highest = std::max(highest, v);
  }
  return {lowest, highest};
}

// Writes numbers as JSON. Each has only as many digits as a picture of all of them can show. A number
// that is not finite becomes null.
std::string json_numbers(const std::vector<double>& values, bool logarithmic) {
  const auto [lowest, highest] = finite_range(values);
  constexpr int kDigits = 5;
  int digits = kDigits;
  if (!logarithmic && highest > lowest) {
    const double size = std::max(std::abs(lowest), std::abs(highest));
    digits += static_cast<int>(std::ceil(std::log10(size / (highest - lowest))));
  }
  digits = std::clamp(digits, kDigits, 17);
  std::string out = "[";
  for (const double v : values) {
    if (out.size() > 1) out += ',';
    out += std::isfinite(v) ? fmt::format("{:.{}g}", v, digits) : "null";
  }
  return out + "]";
}

std::string json_of(const std::optional<Density>& density) {
  if (!density) return "null";
  return fmt::format("{{\"columns\":{},\"rows\":{},\"box\":[{:.9g}],\"levels\":\"{}\"}}",
                     density->columns, density->rows, fmt::join(density->box, ","),
                     density->levels);
}

std::string json_of(const Figure& figure) {
  std::string series;
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    const PlotSeries& s = figure.series[i];
    series += fmt::format(
        "{}{{\"label\":{},\"colour\":{},\"points\":{},\"density\":{},\"x\":{},"
        "\"y\":{}}}",
        i == 0 ? "" : ",", json_text(s.label), s.colour.value_or(static_cast<int>(i)),
        s.style == PlotStyle::points, json_of(s.density), json_numbers(s.x, figure.log_x),
        json_numbers(s.y, figure.log_y));
  }
  return fmt::format(
      "{{\"title\":{},\"note\":{},\"x_label\":{},\"y_label\":{},\"over_time\":{},"
      "\"apart\":{},\"log\":{},\"log_x\":{},\"equal\":{},\"cut\":{},\"aspect\":{:.3g},\"series\":[{"
      "}]}}",
      json_text(figure.title), json_text(figure.subtitle), json_text(figure.x_label),
      json_text(figure.y_label), figure.over_time, figure.apart, figure.log_y, figure.log_x,
      figure.equal_axes, figure.cut ? fmt::format("{}", *figure.cut) : "null",
      figure.height / figure.width, series);
}

}  // namespace

std::string url_path(std::string_view path) {
  std::string out = "./";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain =
        std::isalnum(byte) != 0 || std::string_view("-_./=~").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return out;
}

std::string png_image(const Pictures& pictures, std::string_view description) {
  const auto source = [](std::string_view media, std::string_view bytes) {
    if (bytes.empty()) return std::string();
    return fmt::format(R"(<source media="{}" srcset="data:image/png;base64,{}">)", media,
                       base64(bytes));
  };
  return fmt::format(
      R"(<picture>{}{}{}<img alt="{}" src="data:image/png;base64,{}"></picture>)",
      source("screen and (prefers-color-scheme: dark) and (prefers-reduced-motion: reduce)",
             pictures.dark_still),
      source("print, (prefers-color-scheme: light) and (prefers-reduced-motion: reduce)",
             pictures.still),
      source("screen and (prefers-color-scheme: dark)", pictures.dark), escaped(description),
      base64(pictures.light));
}

std::string table(const std::vector<std::string>& head,
                  const std::vector<std::vector<std::string>>& rows) {
  std::string out = "<div class=\"wide\"><table><thead><tr>";
  for (const std::string& cell : head) {
    // A heading of several words may be broken into lines. |ΔE|/E₀ must stay in one.
    out += (cell.find(' ') == std::string::npos ? "<th>" : "<th class=\"words\">") + cell + "</th>";
  }
  out += "</tr></thead><tbody>\n";
  for (const auto& row : rows) {
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      // On a phone each cell has its heading beside it.
      const bool named = i > 0 && i < head.size();
      out += named ? fmt::format("<td data-head=\"{}\">", head[i]) : std::string("<td>");
      out += row[i] + "</td>";
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string chart(const Figure& figure) {
  std::vector<std::vector<std::string>> rows;
  for (const PlotSeries& s : figure.series) {
    if (s.y.empty()) continue;
    const auto [least, largest] = finite_range(s.y);
    rows.push_back({escaped(s.label)});
    for (const double v : {s.y.front(), s.y.back(), least, largest})
      rows.back().push_back(fmt::format("{:.3g}", v));
  }
  return fmt::format(
      "<figure class=\"chart\"><figcaption>{}: {} over {}</figcaption>\n{}"
      "<script type=\"application/json\">{}</script></figure>\n",
      escaped(figure.title), escaped(figure.y_label), escaped(figure.x_label),
      table({"", "start", "end", "least", "largest"}, rows), json_of(thinned(figure)));
}

std::string motion(const DrawnMotion& motion, const SeenBox& box, std::string_view title,
                   int colour) {
  const DrawnParts& parts = motion.parts;
  const float size = std::max({box.right - box.left, box.high - box.low, 1e-30F});
  constexpr double kMotionRate = 30;  // frames in a second
  // In thousandths of the picture, from its lower left corner.
  constexpr float kFine = 2000;
  std::string at;
  for (std::size_t i = 0; i < motion.at.size(); ++i) {
    const float from = i % 2 == 0 ? box.left : box.low;
    const float value = kFine * (motion.at[i] - from) / size;
    if (i > 0) at += ',';
    at += std::abs(value) < 20 * kFine ? fmt::format("{}", std::lround(value)) : "null";
  }
  std::string times;
  for (const double t : motion.times) {
    times += fmt::format("{}{:.6g}", times.empty() ? "" : ",", t);
  }
  return fmt::format(
      "<figure class=\"motion\"><figcaption>{}</figcaption>\n<script type=\"application/json\">"
      "{{\"title\":{},\"colour\":{},\"radii\":[{:.4g}],\"rods\":{},\"springs\":{},\"trails\":{},"
      "\"held\":[{}],"
      "\"rate\":{:.4g},\"unit\":{:.6g},\"width\":{:.6g},\"height\":{:.6g},\"end\":{:.6g},\"t\":[{}]"
      ",\"at\":[{}]}}"
      "</script></figure>\n",
      escaped(title), json_text(std::string(title)), colour, fmt::join(parts.radii, ","),
      parts.rods, parts.springs, parts.trails, fmt::join(parts.held, ","), motion.rate(kMotionRate),
      kFine / size, kFine * (box.right - box.left) / size, kFine * (box.high - box.low) / size,
      motion.end, times, at);
}

std::string page(std::string_view title, std::string_view body) {
  std::string out(page_template());
  // The body comes after the place of the title, so a text in it cannot be taken for that mark.
  for (const auto& [mark, text] : {std::pair<std::string_view, std::string>{"<!-- body -->", body},
                                   {"<!-- title -->", escaped(title)}}) {
    const std::size_t at = out.find(mark);
    if (at == std::string::npos) throw Error(fmt::format("the page of reports lacks {}", mark));
    out.replace(at, mark.size(), text);
  }
  return out;
}

}  // namespace lilyan::html
