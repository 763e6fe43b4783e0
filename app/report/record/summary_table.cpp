#include "app/report/record/summary_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lilyan {
namespace {

double per_step(double total, const RunRecord& run) {
  return run.summary.steps > 0 ? total / run.summary.steps : 0;
}

// Returns the fields of all rows, without the quotes that csv_field() adds.
std::vector<std::vector<std::string>> csv_rows(std::string_view csv) {
  std::vector<std::vector<std::string>> rows(1, {""});
  bool inside = false;  // of quotes
  for (std::size_t i = 0; i < csv.size(); ++i) {
    const char c = csv[i];
    if (inside && c == '"' && i + 1 < csv.size() && csv[i + 1] == '"') {
      rows.back().back() += csv[++i];
    } else if (c == '"') {
      inside = !inside;
    } else if (!inside && c == ',') {
      rows.back().emplace_back();
    } else if (!inside && c == '\n') {
      rows.push_back({""});
    } else {
      rows.back().back() += c;
    }
  }
  return rows;
}

}  // namespace

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + '"';
}

void drop_empty_columns(SummaryTable& table) {
  for (std::size_t c = table.head.size(); c-- > 0;) {
    if (!std::ranges::all_of(table.rows, [&](const auto& row) { return row[c] == kNone; }))
      continue;
    table.head.erase(table.head.begin() + static_cast<std::ptrdiff_t>(c));
    for (auto& row : table.rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(c));
  }
}

std::string three_digits(double value) {
  const bool whole = std::abs(value) >= 1000 && std::abs(value) < 1e6;
  return whole ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

SummaryTable summary_table(Runs runs) {
  SummaryTable table{{"method", "steps", "status", "|ΔE|/E₀", "energy", "|ΔP|/|P|", "|ΔL|/|L|",
                      "ms/step", "iterations/step"},
                     {}};
  for (const RunRecord* run : runs) {
    const bool any = run->started && run->summary.steps > 0;
    const auto number = [&](double value, bool told) {
      return any && told ? fmt::format("{:.1e}", value) : kNone;
    };
    const auto iterations = static_cast<double>(run->summary.solver_work.iterations);
    table.rows.push_back(
        {run->method, run->started ? std::to_string(run->summary.steps) : kNone, run->status(),
         number(run->energy.worst_relative(), true),
         any ? std::string(name(run->energy.kept())) : kNone,
         number(run->linear.worst_relative(), run->in_space && run->linear_invariant),
         number(run->angular.worst_relative(), run->in_space && run->angular_invariant),
         any ? three_digits(per_step(1e3 * run->summary.step_seconds, *run)) : kNone,
         any && iterations > 0 ? fmt::format("{:.1f}", per_step(iterations, *run)) : kNone});
  }
  drop_empty_columns(table);
  return table;
}

std::string as_text(const SummaryTable& table) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < table.head.size(); ++c) {
    widths.push_back(letters_in(table.head[c]));
    for (const auto& row : table.rows) widths[c] = std::max(widths[c], letters_in(row[c]));
  }
  std::string out;
  const auto line = [&](const std::vector<std::string>& row) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string blanks(widths[c] - letters_in(row[c]), ' ');
      out += c == 0 ? row[c] + blanks : "  " + blanks + row[c];
    }
    out += '\n';
  };
  line(table.head);
  for (const auto& row : table.rows) line(row);
  return out;
}

std::string as_markdown(const SummaryTable& table) {
  std::string out;
  const auto line = [&](const std::vector<std::string>& row) {
    out += '|';
    for (const std::string& cell : row) {
      out += ' ';
      for (const char c : cell) out += c == '|' ? "\\|" : std::string(1, c);
      out += " |";
    }
    out += '\n';
  };
  line(table.head);
  out += "| --- |";
  for (std::size_t c = 1; c < table.head.size(); ++c) out += " ---: |";
  out += '\n';
  for (const auto& row : table.rows) line(row);
  return out;
}

std::string summary_csv(Runs runs) {
  std::string out =
      "method,folder,steps_done,status,worst_relative_energy_error,linear_momentum_drift,"
      "angular_momentum_drift,energy_verdict,ms_per_step,iterations_per_step,reason\n";
  for (const RunRecord* run : runs) {
    const bool any = run->started && run->summary.steps > 0;
    const auto number = [&](double value, bool told) {
      return any && told ? fmt::format("{:.17g}", value) : std::string();
    };
    out += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(run->method), csv_field(run->folder),
        run->summary.steps, csv_field(run->status()), number(run->energy.worst_relative(), true),
        number(run->linear.worst_relative(), run->in_space && run->linear_invariant),
        number(run->angular.worst_relative(), run->in_space && run->angular_invariant),
        any ? name(run->energy.kept()) : "",
        number(per_step(1e3 * run->summary.step_seconds, *run), true),
        number(per_step(static_cast<double>(run->summary.solver_work.iterations), *run), true),
        csv_field(run->summary.message));
  }
  return out;
}

std::vector<std::string> listed_folders(std::string_view csv) {
  constexpr std::size_t kFolder = 1;
  const auto rows = csv_rows(csv);
  if (rows[0].size() <= kFolder || rows[0][kFolder] != "folder") return {};
  std::vector<std::string> folders;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows[i].size() > kFolder) folders.push_back(rows[i][kFolder]);
  }
  return folders;
}

}  // namespace lilyan
