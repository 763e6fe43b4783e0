// report.html: a run, or a comparison of several, on one page to be shown to others. The page needs
// no network and no other file: pictures, data and the script that draws the charts are inside it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/report/run_record.hpp"

namespace lilyan {

struct ReportText {
  std::string title;
  std::string note = {};           // a sentence below it
  std::vector<std::string> files;  // beside the report, to be linked
};

// The page. Several runs are of the same scene, and their frames are seen by the same camera.
// Throws Error.
[[nodiscard]] std::string report_html(const ReportText& text, Runs runs);
// Throws Error when the file cannot be written.
void write_report(const std::filesystem::path& file, const ReportText& text, Runs runs);

// The names of what is in a folder, sorted, without the report itself. Folders end with a slash.
[[nodiscard]] std::vector<std::string> files_in(const std::filesystem::path& folder);

}  // namespace lilyan
