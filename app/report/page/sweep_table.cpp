#include "app/report/page/sweep_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/files/file.hpp"
#include "app/files/vital_memory.hpp"
#include "app/report/picture/html.hpp"
#include "lilyan/base/version.hpp"

namespace lilyan {
namespace {

using Json = nlohmann::ordered_json;
using html::escaped;

// Columns from a run.json, in the order that they come in.
class ResultCells {
 public:
  explicit ResultCells(SweepRun& run) : run_(run) {}

  void add(const std::string& column, const Json& value) {
    if (value.is_number_float()) {
      put(column, fmt::format("{}", value.get<double>()));
    } else if (value.is_number_integer()) {
      put(column, fmt::format("{}", value.get<long long>()));
    } else if (value.is_string()) {
      put(column, value.get<std::string>());
    } else {
      put(column, "");
    }
  }
  // A quantity that a run keeps, or not.
  void add_kept(const std::string& column, const Json& deviation) {
    const bool told =
        deviation.is_object() && deviation.contains("verdict") && deviation["verdict"].is_string();
    add(column + "_error", told ? deviation.value("worst_relative_deviation", Json()) : Json());
    add(column + "_verdict", told ? deviation["verdict"] : Json());
  }

 private:
  void put(const std::string& column, std::string value) {
    run_.cells.emplace_back(column, std::move(value));
  }
  SweepRun& run_;
};

Json part_of_json(const Json& json, const char* key) {
  return json.is_object() && json.contains(key) ? json[key] : Json();
}

}  // namespace

std::optional<double> number_of_text(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string> Sweep::columns() const {
  std::vector<std::string> all;
  for (const SweepRun& run : runs) {
    auto place = all.begin();
    for (const auto& [column, value] : run.cells) {
      const auto found = std::ranges::find(all, column);
      place = found != all.end() ? found + 1 : all.insert(place, column) + 1;
    }
  }
  return all;
}

const std::string* SweepRun::cell(std::string_view column) const {
  const auto found = std::ranges::find(cells, column, &std::pair<std::string, std::string>::first);
  return found == cells.end() ? nullptr : &found->second;
}

std::optional<double> SweepRun::number(std::string_view column) const {
  const std::string* text = cell(column);
  return text ? number_of_text(*text) : std::nullopt;
}

std::string Sweep::label(const SweepRun& run) const {
  std::string text;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const std::string& value = axes[a].values[run.at[a]];
    text += text.empty() ? "" : ", ";
    text += axes[a].name == "method" ? value : fmt::format("{} = {}", axes[a].name, value);
  }
  return text;
}

void read_results(const std::filesystem::path& folder, SweepRun& run) {
  run.cells.clear();
  std::ifstream stream(folder / "run.json");
  const VitalMemory guard;
  const Json json = Json::parse(stream, nullptr, false);
  if (!json.is_object()) {
    run.status = "could not run";
    if (run.reason.empty()) run.reason = "it has no run.json";
    return;
  }
  run.status = json.value("status", "");
  if (run.status == "event") run.status = "ended by an event";
  run.reason = run.complete() ? "" : json.value("message", "");
  ResultCells cells(run);
  cells.add("method", part_of_json(json, "method"));
  cells.add("step", part_of_json(json, "step_size"));
  cells.add("t_end", part_of_json(json, "t_end"));
  cells.add("steps", part_of_json(json, "steps_done"));
  const Json drift = part_of_json(json, "drift");
  cells.add_kept("energy", part_of_json(drift, "energy"));
  cells.add_kept("momentum", part_of_json(drift, "linear_momentum"));
  cells.add_kept("angular_momentum", part_of_json(drift, "angular_momentum"));
  const Json invariants = part_of_json(json, "invariants");
  for (const auto& [name, deviation] : invariants.items()) {
    cells.add_kept("invariant_" + name, deviation);
    cells.add("invariant_" + name + "_end", part_of_json(deviation, "final"));
  }
  if (const Json exact = part_of_json(json, "exact_solution"); exact.is_object()) {
    cells.add("exact_error", part_of_json(exact, "final_error"));
    cells.add("exact_error_worst", part_of_json(exact, "worst_error"));
  }
  const Json solver = part_of_json(json, "solver");
  for (const char* count : {"iterations", "evaluations", "halved_steps"}) {
    cells.add(count, part_of_json(solver, count));
  }
  cells.add("processor_seconds", part_of_json(json, "processor_seconds"));
  const Json last = part_of_json(json, "last_state");
  for (const auto& [name, value] : last.items()) {
    cells.add(name + "_end", value);
  }
  if (const Json depth = part_of_json(json, "contact_depth"); depth.is_object()) {
    cells.add("contact_depth_most", part_of_json(depth, "deepest"));
  }
}

std::string sweep_csv(const Sweep& sweep) {
  const std::vector<std::string> columns = sweep.columns();
  std::string out;
  const auto field = [&](const std::string& text) {
    out += (out.empty() || out.back() == '\n' ? "" : ",") + csv_field(text);
  };
  for (const SweepAxis& axis : sweep.axes) field(axis.key);
  for (const auto& [key, value] : sweep.fixed) field(key);
  for (const std::string& column : columns) {
    field(column);
    if (column == "steps") field("status");
  }
  if (columns.empty()) field("status");
  field("folder");
  field("reason");
  out += '\n';
  for (const SweepRun& run : sweep.runs) {
    bool first = true;
    const auto value = [&](const std::string& text) {
      out += (first ? "" : ",") + csv_field(text);
      first = false;
    };
    for (std::size_t a = 0; a < sweep.axes.size(); ++a) value(sweep.axes[a].values[run.at[a]]);
    for (const auto& setting : sweep.fixed) value(setting.second);
    for (const std::string& column : columns) {
      const std::string* cell = run.cell(column);
      value(cell ? *cell : "");
      if (column == "steps") value(run.status);
    }
    if (columns.empty()) value(run.status);
    value(run.folder);
    value(run.reason);
    out += '\n';
  }
  return out;
}

namespace {

// A column of the table for people.
struct ShownColumn {
  std::string head;
  std::string column;
  std::string verdict = {};  // the column of the verdict
  bool per_step = false;
};

// What a small system is, at its end, with few coordinates; and its invariants.
constexpr std::size_t kMostShown = 6;

// Names of columns that begin and end in some way, without both; none if they are too many to be shown.
std::vector<std::string> names_between(const std::vector<std::string>& columns,
                                       std::string_view begin, std::string_view end) {
  std::vector<std::string> names;
  for (const std::string& column : columns) {
    if (column.size() <= begin.size() + end.size()) continue;
    if (!column.starts_with(begin) || !column.ends_with(end)) continue;
    names.push_back(column.substr(begin.size(), column.size() - begin.size() - end.size()));
  }
  return names.size() > kMostShown ? std::vector<std::string>{} : names;
}

std::vector<ShownColumn> shown_columns(const Sweep& sweep) {
  const std::vector<std::string> columns = sweep.columns();
  std::vector<ShownColumn> shown = {
      {"|ΔE|/E₀", "energy_error", "energy_verdict"},
      {"|ΔP|/|P|", "momentum_error", "momentum_verdict"},
      {"|ΔL|/|L|", "angular_momentum_error", "angular_momentum_verdict"}};
  for (const std::string& name : names_between(columns, "invariant_", "_error")) {
    shown.push_back({fmt::format("|Δ{0}|/|{0}|", html::escaped(name)),
                     "invariant_" + name + "_error", "invariant_" + name + "_verdict"});
  }
  shown.push_back({"error", "exact_error"});
  // The last state: those with a velocity are coordinates.
  for (const std::string& name : names_between(columns, "v_", "_end")) {
    shown.push_back({fmt::format("{} at the end", html::escaped(name)), name + "_end"});
  }
  for (const std::string& name : names_between(columns, "center_", "_end")) {
    shown.push_back({fmt::format("center {} at the end", name), "center_" + name + "_end"});
  }
  shown.push_back({"iterations/step", "iterations", "", true});
  shown.push_back({"CPU s", "processor_seconds"});
  return shown;
}

std::string shown_cell(const SweepRun& run, const ShownColumn& c) {
  const std::optional<double> value = run.number(c.column);
  if (!value) return kNone;
  if (c.per_step) {
    const double steps = run.number("steps").value_or(0);
    return steps > 0 && *value > 0 ? fmt::format("{:.1f}", *value / steps) : kNone;
  }
  if (c.column.ends_with("_end")) return fmt::format("{:.6g}", *value);
  return !c.verdict.empty() || c.column == "exact_error" ? fmt::format("{:.1e}", *value)
                                                         : three_digits(*value);
}

// A column for each axis, or one label for all of them, which phones show as the title of a card. Each cell is passed
// through `dress`, which is told the verdict on it, or nothing.
template <class Dress>
SummaryTable table_of(const Sweep& sweep, bool one_label, const Dress& dress) {
  SummaryTable table;
  if (one_label) table.head.emplace_back("combination");
  for (const SweepAxis& axis : sweep.axes) {
    if (!one_label) table.head.push_back(axis.name);
  }
  for (const char* head : {"steps", "end", "status"}) table.head.emplace_back(head);
  const std::vector<ShownColumn> shown = shown_columns(sweep);
  for (const ShownColumn& c : shown) table.head.emplace_back(c.head);
  for (const SweepRun& run : sweep.runs) {
    auto& row = table.rows.emplace_back();
    if (one_label) row.push_back(dress(sweep.label(run), nullptr));
    for (std::size_t a = 0; a < sweep.axes.size() && !one_label; ++a) {
      row.push_back(dress(sweep.axes[a].values[run.at[a]], nullptr));
    }
    const std::optional<double> steps = run.number("steps");
    const std::optional<double> end = run.number("t_end");
    row.push_back(steps ? fmt::format("{:.0f}", *steps) : kNone);
    row.push_back(end ? fmt::format("{:.6g}", *end) : kNone);
    row.push_back(dress(run.status, nullptr));
    for (const ShownColumn& c : shown) {
      row.push_back(dress(shown_cell(run, c), c.verdict.empty() ? nullptr : run.cell(c.verdict)));
    }
  }
  drop_empty_columns(table);
  return table;
}

}  // namespace

SummaryTable sweep_summary(const Sweep& sweep) {
  return table_of(sweep, false, [](const std::string& cell, const std::string*) { return cell; });
}

std::string sweep_html(const Sweep& sweep, const std::vector<std::string>& files) {
  std::string out = fmt::format("<h1>{}</h1>\n<dl class=\"facts\">\n", escaped(sweep.title));
  const auto fact = [&](std::string_view what, const std::string& value) {
    if (!value.empty()) out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", what, escaped(value));
  };
  fact("Scene", sweep.scene);
  for (const SweepAxis& axis : sweep.axes) {
    fact(escaped(axis.key), fmt::format("{}", fmt::join(axis.values, ", ")));
  }
  for (const auto& [key, value] : sweep.fixed) fact(escaped(key), value);
  const auto done = std::ranges::count_if(sweep.runs, &SweepRun::complete);
  fact("Runs", fmt::format("{} of {} complete", done, sweep.runs.size()));
  fact("Program", fmt::format("lilyan {} ({})", version(), commit()));
  out += "</dl>\n";
  for (const SweepRun& run : sweep.runs) {
    if (run.complete()) continue;
    out += fmt::format("<p class=\"stopped\">{}: {}{}.</p>\n", escaped(sweep.label(run)),
                       escaped(run.status), run.reason.empty() ? "" : ": " + escaped(run.reason));
  }
  const std::vector<Figure> figures = sweep_figures(sweep);
  if (!figures.empty()) {
    out += "<h2>What came out</h2>\n<div class=\"plots\">\n";
    for (const Figure& figure : figures) out += html::chart(figure);
    out +=
        "</div>\n<p class=\"soft\">Largest deviations over each run. Runs that did not reach "
        "their end are left out.</p>\n";
  }
  const SummaryTable table =
      table_of(sweep, true, [](const std::string& cell, const std::string* verdict) {
        if (!verdict || verdict->empty() || cell == kNone) return escaped(cell);
        return fmt::format("<span class=\"{}\">{}</span>",
                           *verdict == "conserved"   ? "good"
                           : *verdict == "bounded"   ? "fair"
                           : *verdict == "undecided" ? "open"
                                                     : "bad",
                           escaped(cell));
      });
  out += "<h2>All combinations</h2>\n" + html::table(table.head, table.rows) +
         "<p class=\"soft\">Green: conserved to nine digits or more; blue: bounded, it swings in a "
         "band without drifting; grey: undecided; red: drifts. “–”: the scene does not conserve "
         "this quantity, or "
         "there is no such number.</p>\n<h2>Files</h2>\n<ul class=\"files\">\n";
  for (const std::string& name : files) {
    out += fmt::format("<li><a href=\"{}\">{}</a></li>\n", escaped(html::url_path(name)),
                       escaped(name));
  }
  out += fmt::format("</ul>\n<footer>Lilyan {}, commit {}</footer>\n", escaped(version()),
                     escaped(commit()));
  return html::page(sweep.title, out);
}

}  // namespace lilyan
