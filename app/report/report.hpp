// report.html: a run, or a comparison of several, on one page to be shown to others. The page needs
// no network and no other file; pictures are inside it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/report/curves.hpp"

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

// What is in a folder, folders with a slash at the end; sorted, without the report itself.
[[nodiscard]] std::vector<std::string> files_in(const std::filesystem::path& folder);

}  // namespace lilyan
