// report.html shows a run, or a comparison of several, on one page. It needs no network and no other
// file: pictures, data and the script that draws the charts are inside it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/report/record/run_record.hpp"

namespace lilyan {

struct ReportText {
  std::string title;
  std::vector<std::string> files;  // beside the report, to be linked
};

// Returns the page. Several runs must be of the same scene. One camera sees the frames of all.
// Throws Error.
[[nodiscard]] std::string report_html(const ReportText& text, Runs runs);
// Throws Error when the file cannot be written.
void write_report(const std::filesystem::path& file, const ReportText& text, Runs runs);

// Returns the sorted names of what is in a folder, without the report itself. Names of folders end
// with a slash.
[[nodiscard]] std::vector<std::string> files_in(const std::filesystem::path& folder);

}  // namespace lilyan
