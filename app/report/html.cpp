#include "app/report/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace lilyan::html {
namespace {

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #5b6470; --paper: #ffffff;
  --card: #f6f8fa; --rule: #dde2e8; --good: #12734a; --bad: #b4400d; --link: #0b62a8; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --soft: #a0a9b4; --paper: #14171b;
  --card: #1d2228; --rule: #343b44; --good: #4cc38a; --bad: #ff9457; --link: #6db6f5; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 1140px; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .25rem; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .75rem; padding-top: 1rem;
  border-top: 1px solid var(--rule); }
h3 { font-size: 1rem; margin: 1.25rem 0 .5rem; }
p { margin: .4rem 0; }
a { color: var(--link); }
.soft { color: var(--soft); }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 1rem 0; }
.facts dt { color: var(--soft); }
.facts dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
.verdicts { display: flex; flex-wrap: wrap; gap: .5rem; padding: 0; margin: .75rem 0;
  list-style: none; }
.verdicts li { background: var(--card); border-left: 4px solid var(--rule); border-radius: 4px;
  padding: .4rem .75rem; }
.verdicts li.kept { border-color: var(--good); }
.verdicts li.lost { border-color: var(--bad); }
.stopped { background: var(--card); border-left: 4px solid var(--bad); border-radius: 4px;
  padding: .6rem 1rem; margin: 1rem 0; overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: .5rem 0;
  font-size: .9rem; }
th, td { padding: .3rem .6rem; text-align: right; border-bottom: 1px solid var(--rule);
  white-space: nowrap; }
th { color: var(--soft); font-weight: 600; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
td.note { white-space: normal; text-align: left; min-width: 16rem; }
.good { color: var(--good); } .bad { color: var(--bad); }
.strip { display: grid; grid-template-columns: repeat(auto-fill, minmax(300px, 1fr));
  gap: .75rem; }
.row { display: grid; gap: .5rem; grid-auto-flow: column; grid-auto-columns: minmax(150px, 1fr);
  overflow-x: auto; margin-bottom: .25rem; }
figure { margin: 0; min-width: 0; }
figure img, figure svg { display: block; width: 100%; height: auto; background: #fff;
  border: 1px solid var(--rule); border-radius: 6px; }
figcaption { font-size: .83rem; color: var(--soft); padding: .15rem 0; }
.gap { display: flex; align-items: center; justify-content: center; aspect-ratio: 4 / 3;
  border: 1px dashed var(--rule); border-radius: 6px; color: var(--soft); font-size: .83rem;
  text-align: center; padding: .5rem; }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 460px), 1fr));
  gap: 1rem; align-items: start; }
.plots figure.full { grid-column: 1 / -1; }
details { background: var(--card); border-radius: 6px; padding: .6rem 1rem; margin: .5rem 0; }
summary { cursor: pointer; }
pre { overflow-x: auto; font-size: .83rem; line-height: 1.4; }
ul.files { columns: 3 14rem; padding-left: 1.1rem; margin: .5rem 0; }
footer { margin-top: 3rem; color: var(--soft); font-size: .85rem; }
@media (max-width: 700px) { main { padding: 1.25rem .9rem 3rem; } h1 { font-size: 1.5rem; }
  .strip { grid-template-columns: repeat(2, 1fr); gap: .5rem; }
  .facts { grid-template-columns: 1fr; gap: 0; } .facts dd { margin-bottom: .4rem; } }
@media print { details { display: none; } }
)";

std::string replaced(const std::string& text, std::string_view from, std::string_view to) {
  std::string out;
  std::size_t start = 0;
  for (std::size_t at = 0; (at = text.find(from, start)) != std::string::npos;) {
    out.append(text, start, at - start).append(to);
    start = at + from.size();
  }
  return out.append(text, start);
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

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

std::string base64(std::string_view bytes) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
    unsigned word = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      word = word << 8 | (k < left ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += k <= left ? kDigits[word >> (18 - 6 * k) & 63U] : '=';
    }
  }
  return out;
}

std::string png_image(std::string_view bytes, std::string_view description) {
  return fmt::format(R"(<img alt="{}" src="data:image/png;base64,{}">)", escaped(description),
                     base64(bytes));
}

std::string inline_svg(const std::string& svg, const std::string& prefix,
                       std::string_view description) {
  std::string text = svg.substr(svg.find("<svg"));
  text = replaced(text, "id=\"", "id=\"" + prefix);
  text = replaced(text, "href=\"#", "href=\"#" + prefix);
  text = replaced(text, "url(#", "url(#" + prefix);
  return fmt::format(R"(<svg role="img" aria-label="{}"{})", escaped(description), text.substr(4));
}

std::string table(const std::vector<std::string>& head,
                  const std::vector<std::vector<std::string>>& rows) {
  std::string out = "<div class=\"wide\"><table><thead><tr>";
  for (const std::string& cell : head) out += "<th>" + cell + "</th>";
  out += "</tr></thead><tbody>\n";
  for (const auto& row : rows) {
    out += "<tr>";
    for (const std::string& cell : row) {
      // A cell that brings its own tag keeps it.
      out += cell.starts_with("<td") ? cell : "<td>" + cell + "</td>";
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string page(std::string_view title, std::string_view body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n{}</main>\n</body>\n</"
      "html>\n",
      escaped(title), kStyle, body);
}

}  // namespace lilyan::html
