// The results of a sweep: runs of one scene with every combination of some values, as a table, as figures and as a
// page.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/report/picture/figure.hpp"
#include "app/report/record/summary_table.hpp"

namespace lilyan {

// The number that a text is; none where it is something else.
[[nodiscard]] std::optional<double> number_of_text(std::string_view text);

// A setting that takes several values.
struct SweepAxis {
  std::string key;   // "integrator.step"
  std::string name;  // "step"
  std::vector<std::string> values;
};

// The run of one combination.
struct SweepRun {
  std::vector<std::size_t> at;  // which value of each axis
  std::string folder;           // within the sweep's
  std::string status = "not run";
  std::string reason;  // why it is not finished
  std::vector<std::pair<std::string, std::string>>
      cells;  // column, value; in the order of the table

  [[nodiscard]] bool complete() const {
    return status == "finished" || status == "ended by an event";
  }
  [[nodiscard]] const std::string* cell(std::string_view column) const;
  // The number in a column; none where there is no number.
  [[nodiscard]] std::optional<double> number(std::string_view column) const;
};

struct Sweep {
  std::string title;
  std::string scene;                                       // its name and size
  std::string unit;                                        // of time
  std::vector<std::pair<std::string, std::string>> fixed;  // settings of all runs: key, value
  std::vector<SweepAxis> axes;
  std::vector<SweepRun> runs;

  // All columns that some run has, in the order of the first run that has them.
  [[nodiscard]] std::vector<std::string> columns() const;
  // "step = 0.01, avf": what makes a run differ from the others.
  [[nodiscard]] std::string label(const SweepRun& run) const;
};

// Reads what the run in a folder has done, from its run.json.
void read_results(const std::filesystem::path& folder, SweepRun& run);

// One row per combination: the settings by their keys, then what came out. Fields are empty where there is nothing to
// say.
[[nodiscard]] std::string sweep_csv(const Sweep& sweep);
// The most important columns, for people to read.
[[nodiscard]] SummaryTable sweep_summary(const Sweep& sweep);
// What came out over the first axis that has numbers, a curve for each combination of the others.
[[nodiscard]] std::vector<Figure> sweep_figures(const Sweep& sweep);
// The page of a sweep. Links lead to files beside it.
[[nodiscard]] std::string sweep_html(const Sweep& sweep, const std::vector<std::string>& files);

}  // namespace lilyan
