// Runs in a row each: the numbers that people compare methods by.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/report/curves.hpp"

namespace lilyan {

struct SummaryTable {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;  // as texts; "–" where there is nothing to say
};

// For people. Columns with nothing to say are left out.
[[nodiscard]] SummaryTable summary_table(Runs runs);
// For the terminal, and for Markdown.
[[nodiscard]] std::string as_text(const SummaryTable& table);
[[nodiscard]] std::string as_markdown(const SummaryTable& table);
// All digits, and empty fields where there is nothing to say.
[[nodiscard]] std::string summary_csv(Runs runs);
// The folders of runs that such a text names.
[[nodiscard]] std::vector<std::string> listed_folders(std::string_view csv);

}  // namespace lilyan
