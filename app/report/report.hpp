// The results to show to others: report.html, tables of numbers, and pictures of frames.
//
// report.html shows a run, or a comparison of several, on one page. It needs no network and no other
// file: pictures, data and the script that draws the charts are inside it.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/report/run_record.hpp"

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

// Returns the frames of a report as HTML. One run is shown at six moments. Several runs have a row of
// the same moments each, seen by one camera. The text is empty when there are no frames to show.
[[nodiscard]] std::string frame_strips(Runs runs);

// The frames that a text names, of `count`: "all", "3", "0-10", "::5" (every fifth), "10::5" and several of these
// with commas between; empty: the last. Numbers count from 0 and may be beyond the last. Throws Error.
[[nodiscard]] std::vector<int> named_frames(const std::string& text, int count);

struct FramePictureOptions {
  std::string frames;            // see named_frames()
  std::filesystem::path output;  // a folder, made if there is none
  PictureSize size = {};
  Outlook outlook = {};
  bool dark = false;  // on a dark ground
};

struct FramePictures {
  std::vector<std::filesystem::path> files;  // FOLDER-FRAME.png
  std::vector<std::string> warnings;         // why a run is drawn without its obstacles
  std::vector<std::string> missing;          // names of pictures of frames that a run did not reach
};

// Draws frames that runs have written, all seen by one camera. Those of small systems are the rows of their
// trajectories, seen by way of their drawing. Frames of a body that has exploded do
// not count in placing the camera. Obstacles are those of the scene that the folder says was run.
// Throws Error.
[[nodiscard]] FramePictures write_frame_pictures(const std::vector<std::filesystem::path>& folders,
                                                 const FramePictureOptions& options);

struct FilmOptions {
  std::filesystem::path output;  // .mp4, .webm, .webp, .gif or .png; empty: in the first folder
  int every = 1;                 // takes each nth frame
  std::optional<double> rate;    // frames in a second; none: as fast as the motion
  PictureSize size = {};         // of each run
  Outlook outlook = {};
  bool dark = false;  // on a dark ground
};

struct Film {
  std::filesystem::path file;
  int frames = 0;
  double rate = 0;
  std::vector<std::string> warnings;
};

// Makes a film of the frames that runs have written, side by side and seen by one camera: by FFmpeg, or as an
// animated PNG. A run that ended before the others stands still. `progress` is told of each frame that is done,
// with their number. Throws Error.
[[nodiscard]] Film write_film(const std::vector<std::filesystem::path>& folders,
                              const FilmOptions& options,
                              const std::function<void(int, int)>& progress);

}  // namespace lilyan
