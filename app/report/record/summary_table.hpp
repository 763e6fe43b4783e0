// The numbers of runs as tables, for people and for programs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/report/record/run_record.hpp"

namespace lilyan {

// The numbers that people compare methods by, a row for each run.
struct SummaryTable {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;  // as texts; kNone where there is nothing to say
};
inline const std::string kNone = "–";

// Drops the columns that have nothing to say in any row.
void drop_empty_columns(SummaryTable& table);

// Writes a text as a field of a CSV file, in quotes where it needs them.
[[nodiscard]] std::string csv_field(const std::string& text);

// Writes a number with three digits, or with all those before the point.
[[nodiscard]] std::string three_digits(double value);

// Makes the table for people to read. Columns with nothing to say are left out.
[[nodiscard]] SummaryTable summary_table(Runs runs);
// Write the table for the terminal, and as Markdown.
[[nodiscard]] std::string as_text(const SummaryTable& table);
[[nodiscard]] std::string as_markdown(const SummaryTable& table);
// Writes the table with all digits, and with empty fields where there is nothing to say.
[[nodiscard]] std::string summary_csv(Runs runs);
// Returns the folders of runs that a text of summary_csv() names.
[[nodiscard]] std::vector<std::string> listed_folders(std::string_view csv);

}  // namespace lilyan
