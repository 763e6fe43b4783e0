// The numbers that people compare methods by, a row for each run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/report/run_record.hpp"

namespace lilyan {

struct SummaryTable {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;  // as texts; "–" where there is nothing to say
};

// A number with three digits, or with all those before the point.
[[nodiscard]] std::string three_digits(double value);

// The table for people to read. Columns with nothing to say are left out.
[[nodiscard]] SummaryTable summary_table(Runs runs);
// The table for the terminal, and as Markdown.
[[nodiscard]] std::string as_text(const SummaryTable& table);
[[nodiscard]] std::string as_markdown(const SummaryTable& table);
// The table with all digits, and with empty fields where there is nothing to say.
[[nodiscard]] std::string summary_csv(Runs runs);
// The folders of runs that the text of summary_csv() names.
[[nodiscard]] std::vector<std::string> listed_folders(std::string_view csv);

}  // namespace lilyan
