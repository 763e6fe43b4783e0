#include "app/report/page/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/files/file.hpp"
#include "app/report/film/frame_pictures.hpp"
#include "app/report/picture/html.hpp"
#include "app/report/record/summary_table.hpp"
#include "lilyan/base/version.hpp"

namespace lilyan {
namespace {

using html::escaped;

std::string duration(double s) {
  if (s == 0) return kNone;
  if (s < 0.9995e-3) return three_digits(1e6 * s) + " µs";
  return s < 0.9995 ? three_digits(1e3 * s) + " ms" : three_digits(s) + " s";
}

// Writes the page section by section.
class ReportPage {
 public:
  ReportPage(const ReportText& text, Runs runs) : text_(text), runs_(runs) {}

  std::string write() {
    header();
    if (runs_.size() > 1) section("Methods", summary());
    section("Frames", frame_strips(runs_));
    section("Motion", motion());
    section(runs_.front()->in_space ? "Energy and momenta" : "Energy", conservation());
    section("Invariants", invariants());
    section("Orbits", orbits());
    section("Events", events());
    section("Ledger: where the energy went", ledger());
    section("Time", timings());
    section("Scene", scene());
    section("Files", files());
    out_ += fmt::format("<footer>Lilyan {}, commit {}</footer>\n", escaped(version()),
                        escaped(commit()));
    return html::page(text_.title, out_);
  }

 private:
  void section(std::string_view title, const std::string& content) {
    if (!content.empty()) out_ += fmt::format("<h2>{}</h2>\n{}", title, content);
  }

  [[nodiscard]] bool one() const { return runs_.size() == 1; }

  void header() {
    out_ += fmt::format("<h1>{}</h1>\n", escaped(text_.title));
    const RunRecord& first = *runs_.front();
    const auto fact = [&](std::string_view what, const std::string& value) {
      if (!value.empty()) {
        out_ += fmt::format("<dt>{}</dt><dd>{}</dd>\n", what, escaped(value));
      }
    };
    const auto ran = std::ranges::find_if(runs_, &RunRecord::started);
    const RunRecord& shown = ran == runs_.end() ? first : **ran;
    out_ += "<dl class=\"facts\">\n";
    fact("Scene", shown.size.empty() ? shown.name : fmt::format("{}: {}", shown.name, shown.size));
    std::string methods;
    for (const RunRecord* run : runs_) methods += (methods.empty() ? "" : ", ") + run->method;
    fact(one() ? "Method" : "Methods", methods);
    fact("Steps", one() ? fmt::format("{}, {} done", shown.plan, shown.summary.steps) : plans());
    if (one()) fact("Wall time", duration(shown.summary.wall_seconds));
    fact("Program", fmt::format("lilyan {} ({})", version(), commit()));
    out_ += "</dl>\n";
    for (const RunRecord* run : runs_) ending(*run);
    if (one()) out_ += verdict_list(first);
  }

  // Returns the plan that all runs have, or every plan that one of them has.
  [[nodiscard]] std::string plans() const {
    std::vector<std::string> all;
    for (const RunRecord* run : runs_) {
      if (run->started && std::ranges::find(all, run->plan) == all.end()) all.push_back(run->plan);
    }
    return fmt::format("{}", fmt::join(all, "; "));
  }

  // Says why a run did not get to its end.
  void ending(const RunRecord& run) {
    if (run.started && run.summary.end == RunEnd::finished) return;
    const std::string who = one() ? "The run" : run.method;
    const bool event = run.started && run.summary.end == RunEnd::event;
    std::string what = !run.started ? who + " could not run this scene"
                       : event      ? who + " was ended by an event"
                       : run.summary.end == RunEnd::interrupted
                           ? fmt::format("{} was interrupted after step {}", who, run.summary.steps)
                           : fmt::format("{} failed after step {}", who, run.summary.steps);
    if (!run.summary.message.empty()) what += ": " + run.summary.message;
    out_ += fmt::format("<p class=\"{}\">{}.</p>\n", event ? "soft" : "stopped", escaped(what));
  }

  static std::string verdict_list(const RunRecord& run) {
    if (run.verdicts.empty()) return {};
    std::string out = "<ul class=\"verdicts\">\n";
    for (const Verdict& v : run.verdicts) {
      out += fmt::format("<li class=\"{}\">{}</li>\n",
                         !v.kept                      ? "none"
                         : *v.kept == Kept::conserved ? "kept"
                         : *v.kept == Kept::bounded   ? "bounded"
                         : *v.kept == Kept::undecided ? "undecided"
                                                      : "lost",
                         escaped(v.text));
    }
    return out + "</ul>\n";
  }

  std::string summary() {
    SummaryTable table = summary_table(runs_);
    for (auto& row : table.rows) {
      for (std::string& cell : row) cell = escaped(cell);
    }
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const RunRecord& run = *runs_[i];
      if (!run.started || run.summary.steps == 0) continue;
      const auto mark = [&](const std::string& head, const Deviation& d) {
        const auto column = std::ranges::find(table.head, head);
        if (column == table.head.end()) return;
        std::string& cell = table.rows[i][static_cast<std::size_t>(column - table.head.begin())];
        if (cell == kNone) return;
        cell = fmt::format("<span class=\"{}\">{}</span>",
                           d.kept() == Kept::conserved   ? "good"
                           : d.kept() == Kept::bounded   ? "fair"
                           : d.kept() == Kept::undecided ? "open"
                                                         : "bad",
                           cell);
      };
      mark("|ΔE|/E₀", run.energy);
      mark("|ΔP|/|P|", run.linear);
      mark("|ΔL|/|L|", run.angular);
    }
    return html::table(table.head, table.rows) +
           "<p class=\"soft\">Largest deviations over the run; green: conserved to nine digits or "
           "more; blue: bounded, it swings in a band without drifting; red: drifts; grey: "
           "undecided, the run is too short to tell a swing from a drift, or rounding errors hide "
           "it. “–”: the scene "
           "does not conserve this quantity, or it is zero throughout.</p>\n";
  }

  static std::string charts(const std::vector<Figure>& figures) {
    if (figures.empty()) return {};
    std::string out = "<div class=\"plots\">\n";
    for (const Figure& figure : figures) out += html::chart(figure);
    return out + "</div>\n";
  }

  // The part of the plane that shows the drawings of all runs.
  SeenBox common_box() {
    std::vector<const DrawnMotion*> motions;
    for (const RunRecord* run : runs_) {
      if (!run->motion.empty()) motions.push_back(&run->motion);
    }
    return box_of(motions);
  }

  // The animation and the charts of a small system stand in one grid.
  std::string motion() {
    std::string out;
    const SeenBox box = common_box();
    const std::vector<int> colours = run_colours(runs_);
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const RunRecord& run = *runs_[i];
      std::string figures;
      if (!run.motion.empty() && !box.empty()) {
        figures += html::motion(run.motion, box, one() ? "" : run.method, colours[i]);
      }
      for (const auto& [name, grid] : run.pictures) {
        // The energy has its own charts further down.
        if (name == "energy") continue;
        for (Figure panel : grid.panels) {
          // In a comparison a curve that is alone has the colour of its method.
          if (!one() && panel.series.size() == 1) panel.series[0].colour = colours[i];
          if (panel.title.empty()) panel.title = panel.y_label + " over " + panel.x_label;
          figures += html::chart(panel);
        }
      }
      if (figures.empty()) continue;
      if (!one()) out += fmt::format("<h3>{}</h3>\n", escaped(run.method));
      out += "<div class=\"plots\">\n" + figures + "</div>\n";
    }
    return out;
  }

  std::string conservation() {
    if (std::ranges::all_of(runs_, [](const RunRecord* r) { return r->series.empty(); })) return {};
    std::vector<Figure> figures = momenta_figure(runs_).panels;
    if (one()) {
      figures.insert(figures.begin(), {energy_parts(), own_error_figure(*runs_.front())});
    } else {
      figures.insert(figures.begin(), {energy_figure(runs_), energy_error_figure(runs_)});
    }
    if (Figure depth = contact_depth_figure(runs_); !depth.series.empty()) {
      figures.push_back(std::move(depth));
    }
    return charts(figures);
  }

  // Of a small system with the steps that its own figures have.
  Figure energy_parts() {
    const RunRecord& run = *runs_.front();
    const auto own =
        std::ranges::find(run.pictures, "energy", &std::pair<std::string, FigureGrid>::first);
    return own == run.pictures.end() ? energy_parts_figure(run) : own->second.panels.front();
  }

  std::string invariants() {
    std::vector<std::vector<std::string>> rows;
    for (const RunRecord* run : runs_) {
      for (const Watch::Quantity& q : run->invariants) {
        rows.push_back({escaped(q.name + (q.found ? " (a symmetry)" : "")), escaped(run->method),
                        fmt::format("{:.6g}", q.start), fmt::format("{:.6g}", q.now),
                        fmt::format("{:.1e}", q.worst_relative())});
      }
    }
    std::vector<std::vector<std::string>> distances;
    for (const RunRecord* run : runs_) {
      if (!run->has_exact) continue;
      distances.push_back({escaped(run->method), fmt::format("{:.3g}", run->exact_error),
                           fmt::format("{:.3g}", run->exact_worst)});
    }
    std::string out;
    if (!rows.empty()) {
      out += html::table({"quantity", "method", "start", "end", "largest relative change"}, rows);
    }
    if (!distances.empty()) {
      out += "<p>Distance from the exact solution:</p>\n" +
             html::table({"method", "at the end", "largest"}, distances);
    }
    return out;
  }

  // The further orbits: the worst of each run, and all of them to be unfolded.
  std::string orbits() {
    std::string out;
    for (const RunRecord* run : runs_) {
      const auto& all = run->summary.orbits;
      if (all.empty()) continue;
      const std::size_t worst = run->summary.worst_orbit();
      out += fmt::format(
          "<p>{}{} orbits. Orbit 0 is the run itself. Of the others, the energy of orbit {} ({}) "
          "is "
          "worst: {}, |ΔE|/E₀ ≤ {:.1e}.</p>\n",
          one() ? "" : escaped(run->method) + ": ", 1 + all.size(), worst + 1,
          escaped(all[worst].start), name(all[worst].energy.kept()),
          all[worst].energy.worst_relative());
      std::vector<std::vector<std::string>> rows;
      for (std::size_t k = 0; k < all.size(); ++k) {
        rows.push_back({fmt::format("{}: {}", k + 1, escaped(all[k].start)),
                        fmt::format("{:.1e}", all[k].energy.worst_relative()),
                        std::string(name(all[k].energy.kept())), std::to_string(all[k].steps),
                        all[k].failed.empty() ? kNone : escaped(all[k].failed)});
      }
      out += "<details><summary>All of them</summary>" +
             html::table({"orbit", "|ΔE|/E₀", "energy", "steps", "why it stopped"}, rows) +
             "</details>\n";
    }
    return out;
  }

  std::string events() {
    std::vector<std::vector<std::string>> rows;
    for (const RunRecord* run : runs_) {
      for (const auto& [name, count] : run->events) {
        rows.push_back({escaped(name), escaped(run->method), std::to_string(count)});
      }
    }
    return rows.empty() ? std::string() : html::table({"event", "method", "times"}, rows);
  }

  std::string ledger() {
    std::vector<std::vector<std::string>> rows;
    for (const RunRecord* run : runs_) {
      if (!run->started) continue;
      const Ledger& l = run->summary.ledger;
      rows.push_back({escaped(run->method)});
      for (const double entry :
           {l.method, l.dissipation, l.work, l.quadrature, l.solver, l.total()}) {
        rows.back().push_back(fmt::format("{:.3g}", entry));
      }
      rows.back().push_back(fmt::format("{:.1e}", run->summary.worst_imbalance));
    }
    if (rows.empty()) return {};
    return html::table({"", "method", "dissipation", "work", "quadrature", "solver",
                        "change of energy", "worst imbalance"},
                       rows) +
           (runs_.front()->in_space ? "<p class=\"soft\">In joules.</p>\n" : "") +
           charts(ledger_figure(runs_).panels);
  }

  std::string timings() {
    SummaryTable table{{"", "wall", "stepping", "a step", "iterations", "assembly", "factor",
                        "solve", "evaluation", "linear solver", "threads"},
                       {}};
    for (const RunRecord* run : runs_) {
      if (!run->started) continue;
      const RunSummary& s = run->summary;
      const double steps = std::max(s.steps, 1);
      const auto iterations = static_cast<double>(s.solver_work.iterations);
      const bool solved = iterations > 0 && !s.linear_solver.empty();
      table.rows.push_back(
          {escaped(run->method), duration(s.wall_seconds), duration(s.step_seconds),
           duration(s.step_seconds / steps),
           iterations > 0 ? fmt::format("{:.1f}", iterations / steps) : kNone,
           duration(s.times.assembly), duration(s.times.factorisation), duration(s.times.solve),
           duration(s.times.evaluation),
           solved ? fmt::format("<span class=\"words\">{}</span>", escaped(s.linear_solver))
                  : kNone,
           std::to_string(run->threads)});
    }
    if (table.rows.empty()) return {};
    drop_empty_columns(table);
    const Figure iterations = iterations_figure(runs_);
    return html::table(table.head, table.rows) +
           (iterations.series.empty() ? std::string() : charts({iterations}));
  }

  std::string scene() {
    std::string out;
    for (const RunRecord* run : runs_) {
      if (run->resolved.empty()) continue;
      out += fmt::format(
          "<details><summary>The scene as it was run{}</summary><pre>{}</pre></details>\n",
          one() ? "" : " with " + escaped(run->method), escaped(run->resolved));
    }
    return out;
  }

  std::string files() {
    std::string out;
    const auto list = [&](const std::vector<std::string>& names, const std::string& folder) {
      if (names.empty()) return;
      out += "<ul class=\"files\">\n";
      for (const std::string& name : names) {
        const std::string path = folder.empty() ? name : folder + "/" + name;
        out += fmt::format("<li><a href=\"{}\">{}</a></li>\n", escaped(html::url_path(path)),
                           escaped(path));
      }
      out += "</ul>\n";
    };
    list(text_.files, "");
    for (const RunRecord* run : runs_) list(run->files, run->folder);
    return out;
  }

  const ReportText& text_;
  Runs runs_;
  std::string out_;
};

}  // namespace

std::string report_html(const ReportText& text, Runs runs) {
  return ReportPage(text, runs).write();
}

void write_report(const std::filesystem::path& file, const ReportText& text, Runs runs) {
  write_file(file, report_html(text, runs));
}

std::vector<std::string> files_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name != "report.html") names.push_back(entry.is_directory() ? name + "/" : name);
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace lilyan
