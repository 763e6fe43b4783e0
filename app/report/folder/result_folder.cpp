#include "app/report/folder/result_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <span>

#include "app/files/file.hpp"
#include "app/files/series.hpp"
#include "app/report/folder/orbit_files.hpp"
#include "app/report/page/report.hpp"
#include "app/report/record/run_record.hpp"
#include "app/run/checkpoint.hpp"
#include "app/run/frames.hpp"
#include "app/run/runner.hpp"
#include "app/scene/scene.hpp"
#include "app/scene/small/observables.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/base/error.hpp"

namespace lilyan {
namespace {

namespace fs = std::filesystem;

constexpr const char* kScene = "scene.resolved.toml";
constexpr const char* kRun = "run.json";
constexpr const char* kSeries = "series.csv";
constexpr const char* kTrajectory = "trajectory.csv";
constexpr const char* kEvents = "events.csv";
constexpr const char* kReport = "report.html";

// Removes the pictures of an earlier run, which its run.json lists.
void remove_pictures(const fs::path& folder) {
  for (const fs::path name : listed_pictures(folder)) {
    const bool picture = name.extension() == ".svg" || name.extension() == ".png";
    if (picture && !name.has_parent_path()) fs::remove(folder / name);
  }
}

// The scene is the first file that a run writes, and the last that is removed.
bool holds_run(const fs::path& folder) { return fs::exists(folder / kScene); }

void remove_files(const fs::path& folder) {
  remove_pictures(folder);
  remove_checkpoints(folder);
  remove_frames(folder);
  for (const std::string& file : OrbitFiles::names()) fs::remove(folder / file);
  for (const char* file : {kRun, kSeries, kTrajectory, kEvents, kReport, kScene}) {
    fs::path aside = folder / file;
    fs::remove(aside);
    fs::remove(aside += ".new");  // of a run that was killed
  }
}

// Throws Error unless the folder is empty or holds what an earlier run wrote.
void require_usable(const fs::path& folder) {
  if (fs::is_empty(folder) || holds_run(folder)) return;
  throw Error(
      fmt::format("{} exists and is not the result of a run; choose another folder with "
                  "-o",
                  folder.string()));
}

FrameSettings frame_settings(const Scene& scene) {
  const OutputSettings& output = scene.settings.output;
  FrameSettings settings{.formats = output.formats, .float64 = output.float64, .up = output.up};
  if (!scene.settings.variable_steps() && output.every > 0) {
    const int whole = scene.settings.steps / output.every;
    settings.frames =
        static_cast<std::uint64_t>(whole) + 1 + (scene.settings.steps % output.every != 0);
  }
  return settings;
}

}  // namespace

namespace {

// What goes wrong at the end of a run, where one part may fail and the others be written all the same.
class Failures {
 public:
  template <class Part>
  void attempt(const Part& part) {
    const std::string reason = reason_of_failure(part);
    if (first_.empty()) first_ = reason;
    if (!reason.empty()) ++count_;
  }
  [[nodiscard]] const std::string& first() const { return first_; }
  [[nodiscard]] int count() const { return count_; }

 private:
  std::string first_;
  int count_ = 0;
};

}  // namespace

// Writes events.csv, with one row for each event of a run.
class EventWriter {
 public:
  // Columns event (its name), t, the coordinates, their velocities, energy_total and invariant_*.
  // Throws Error when the file cannot be written, now or later. The scene must outlive this.
  EventWriter(const std::filesystem::path& file, const Scene& scene, Opening opening);
  void archive(Archive& a) { a(file_, counts_); }

  void add(std::span<const EventHit> events);
  void finish() { file_.close(); }
  [[nodiscard]] const std::map<std::string, int>& counts() const { return counts_; }

 private:
  OutputFile file_;
  const Scene& scene_;
  std::map<std::string, int> counts_;
};

EventWriter::EventWriter(const std::filesystem::path& file, const Scene& scene, Opening opening)
    : file_(file, opening), scene_(scene) {
  for (const auto& event : scene.small().observables->events) counts_[event.name] = 0;
  if (opening == Opening::resumed) return;
  std::string head = "event,t";
  for (const std::string& name : scene.small().coordinates) head += "," + name;
  for (const std::string& name : scene.small().coordinates) head += ",v_" + name;
  head += ",energy_total";
  for (const auto& invariant : scene.small().observables->invariants) {
    head += ",invariant_" + invariant.name;
  }
  file_.write(head + "\n");
}

void EventWriter::add(std::span<const EventHit> events) {
  for (const auto& [event, state] : events) {
    const std::string& name =
        scene_.small().observables->events[static_cast<std::size_t>(event)].name;
    ++counts_[name];
    fmt::memory_buffer line;
    const auto out = std::back_inserter(line);
    fmt::format_to(out, "{},{:.17g}", name, state.t);
    for (const double x : state.x) fmt::format_to(out, ",{:.17g}", x);
    for (const double v : state.v) fmt::format_to(out, ",{:.17g}", v);
    fmt::format_to(out, ",{:.17g}", invariants(*scene_.system, state).total);
    const double* values = scene_.small().observables->invariant_values(state);
    for (std::size_t i = 0; i < scene_.small().observables->invariants.size(); ++i) {
      fmt::format_to(out, ",{:.17g}", values[i]);
    }
    line.push_back('\n');
    file_.write({line.data(), line.size()});
  }
}

bool remove_results(const fs::path& folder) {
  if (!fs::is_directory(folder) || !holds_run(folder)) return false;
  remove_files(folder);
  return fs::is_empty(folder) && fs::remove(folder);
}

// One run at a time may write into a folder. The system lets go of it when the program ends, however.
class FolderLock {
 public:
  explicit FolderLock(const fs::path& folder)
      : file_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (file_ < 0 || ::flock(file_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
    ::close(file_);
    throw Error(fmt::format("another run is writing into {}; choose another folder with -o",
                            folder.string()));
  }
  ~FolderLock() {
    if (file_ >= 0) ::close(file_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int file_;
};

// The moment before the first step, until that has been made.
struct RunStart {
  State state;
  Invariants invariants;
  DriftTracker drift;
  RunSummary so_far;

  [[nodiscard]] RunMoment moment(bool last) const {
    return {0, state, invariants, nullptr, drift, so_far, last, {}, {}};
  }
};

ResultFolder::ResultFolder(const fs::path& folder, const Scene& scene, Opening opening)
    : folder_(folder), scene_(scene), watch_(scene) {
  if (frames()) check_frames(folder_, geometry_of(scene), frame_settings(scene));
  // If its pictures cannot be made, the user should know before the run, not after it.
  if (scene.small().observables && wants_picture("png")) require_svg_converter();
  try {
    fs::create_directories(folder_);
    lock_ = std::make_unique<FolderLock>(folder_);
    require_usable(folder_);
  } catch (const fs::filesystem_error& error) {
    throw Error(
        fmt::format("cannot use {} for results: {}", folder_.string(), error.code().message()));
  }
  if (scene.settings.output.report) recorder_ = std::make_unique<Recorder>(scene);
  if (scene.small().observables && (!scene.settings.output.pictures.empty() || recorder_)) {
    figures_ = std::make_unique<SystemFigures>(scene);
  }
  if (opening == Opening::resumed) open(opening);
}

void ResultFolder::open(Opening opening) {
  opened_ = true;
  if (opening == Opening::fresh) {
    remove_files(folder_);
    OutputFile scene(folder_ /
                     kScene);  // it stays there to say whose folder this is, whatever comes
    scene.write(scene_.resolved);
    scene.close();
  }
  series_ = std::make_unique<SeriesWriter>(folder_ / kSeries, watch_.columns(), opening);
  if (frames()) {
    writers_ = make_frame_writers(folder_, scene_, frame_settings(scene_), opening);
  }
  if (!scene_.has_bodies() && scene_.settings.output.every > 0) {
    trajectory_ = std::make_unique<TrajectoryWriter>(folder_ / kTrajectory,
                                                     scene_.small().coordinates, opening);
  }
  if (scene_.small().observables && !scene_.small().observables->events.empty()) {
    events_ = std::make_unique<EventWriter>(folder_ / kEvents, scene_, opening);
  }
  if (!scene_.small().orbits.empty())
    orbits_ = std::make_unique<OrbitFiles>(folder_, scene_, opening);
}

void ResultFolder::archive(Archive& a) {
  a.mark("results");
  a(*series_, watch_, last_frame_);
  if (a.loading() && frames()) remove_frames_after(folder_, last_frame_);
  for (const auto& writer : writers_) writer->archive(a);
  if (trajectory_) a(*trajectory_);
  if (events_) a(*events_);
  if (orbits_) a(*orbits_);
  if (figures_) a(*figures_);
  if (recorder_) a(*recorder_);
}

void ResultFolder::show_running(const RunSummary& so_far, const State& state,
                                const DriftTracker& drift) {
  replace_file(folder_ / kRun, run_json("running", "", so_far, state, drift));
}

ResultFolder::~ResultFolder() = default;

std::map<std::string, int> ResultFolder::event_counts() const {
  return events_ ? events_->counts() : std::map<std::string, int>();
}

RunRecord* ResultFolder::record() { return recorder_ ? &recorder_->record() : nullptr; }

bool ResultFolder::frames() const {
  return scene_.settings.output.every > 0 && scene_.has_bodies();
}

void ResultFolder::add(const RunMoment& moment) {
  if (!opened_ && !moment.report && holds_run(folder_)) {
    start_ = std::make_unique<RunStart>(
        RunStart{moment.state, moment.invariants, moment.drift, moment.so_far});
    return;
  }
  if (!opened_) {
    open(Opening::fresh);
    show_running(moment.so_far, moment.state, moment.drift);
    if (start_) {
      take_in(start_->moment(false));
    }
    start_.reset();
  }
  take_in(moment);
}

void ResultFolder::take_in(const RunMoment& moment) {
  const OutputSettings& output = scene_.settings.output;
  if (moment.report) {
    watch_.add(moment.state, moment.invariants.kinetic, moment.so_far.contact.now);
    watch_.require_finite(moment.step, moment.state.t);
    // Of the last step finish() writes a row, so that a longer run can go on from before it.
    const bool due = moment.step % output.series_every == 0;
    series_->add(moment.step, moment.state.t, *moment.report, due,
                 due ? watch_.take_values() : std::vector<double>());
  } else {
    watch_.start(moment.state, moment.invariants.kinetic, moment.so_far.contact.now);
    series_->start(moment.state.t, moment.invariants, watch_.take_values());
  }
  if (figures_) figures_->add(moment, watch_);
  if (recorder_) recorder_->add(moment);
  if (events_) events_->add(moment.events);
  if (orbits_) orbits_->add(moment);
  if (trajectory_ && output.interval > 0) {
    if (!moment.report) trajectory_->add(moment.step, moment.state);
    for (const State& sample : moment.samples) trajectory_->add(moment.step, sample);
    return;
  }
  if (output.every > 0 && moment.step % output.every == 0) {
    write_frame(moment.step, moment.state);
    if (trajectory_) trajectory_->add(moment.step, moment.state);
  }
}

void ResultFolder::write_frame(int step, const State& state) {
  if (step != frame_step_) frame_writers_ = 0;
  frame_step_ = step;
  // One that failed may be asked again, when those before it have this frame already.
  for (; frame_writers_ < writers_.size(); ++frame_writers_) {
    writers_[frame_writers_]->add(step, state);
  }
  last_frame_ = step;
}

std::string ResultFolder::files() const {
  std::string files = "series.csv, run.json, scene.resolved.toml";
  if (frames() && !scene_.settings.output.formats.empty())
    files += ", " + frame_files(frame_settings(scene_));
  if (trajectory_) files += std::string(", ") + kTrajectory;
  if (events_) files += std::string(", ") + kEvents;
  if (orbits_) files += fmt::format(", {}", fmt::join(OrbitFiles::names(), ", "));
  if (recorder_) files += std::string(", ") + kReport;
  for (const std::string& file : picture_files_) files += ", " + file;
  return files;
}

std::vector<std::string> ResultFolder::notes() const {
  std::vector<std::string> notes;
  for (const auto& writer : writers_) {
    if (std::string note = writer->note(); !note.empty()) notes.push_back(std::move(note));
  }
  if (!picture_note_.empty()) notes.push_back(picture_note_);
  if (orbits_ && !orbits_->note().empty()) notes.push_back(orbits_->note());
  return notes;
}

void ResultFolder::finish(const RunSummary& summary, const State& state,
                          const DriftTracker& drift) {
  if (!opened_) {
    // Not a single step: what an earlier run has left is worth more.
    if (!start_ || summary.end == RunEnd::failed || summary.end == RunEnd::interrupted) return;
    open(Opening::fresh);
    take_in(start_->moment(true));
  }
  if (!series_) return;  // not even the first file could be made, which is why the run has failed
  Failures failures;
  const auto attempt = [&](const auto& part) { failures.attempt(part); };
  if (series_) {
    attempt([&] {
      series_->finish(summary.steps, summary.t, summary.invariants, watch_.take_values());
    });
  }
  if (frames() && last_frame_ != summary.steps) {
    attempt([&] { write_frame(summary.steps, state); });
  }
  for (const auto& writer : writers_) attempt([&] { writer->finish(); });
  if (trajectory_) attempt([&] { trajectory_->finish(summary.steps, state); });
  if (events_) attempt([&] { events_->finish(); });
  if (orbits_) attempt([&] { orbits_->finish(); });
  if (recorder_) attempt([&] { finish_record(summary, state, drift); });
  if (figures_) {
    figures_->finish(drift, watch_);
    attempt([&] { draw_figures(); });
  }
  const auto save = [&] {
    const auto write_run = [&] {
      const bool failed = !failures.first().empty() && summary.end != RunEnd::failed;
      replace_file(folder_ / kRun,
                   failed ? run_json("failed", failures.first(), summary, state, drift)
                          : run_json(name(summary.end), summary.message, summary, state, drift));
    };
    if (recorder_) attempt([&] { write_report(); });
    // Last, because it says whether everything else is there.
    const int before = failures.count();
    attempt(write_run);
    if (failures.count() != before) attempt(write_run);
  };
  save();
  // Another program may fail or hang, so it is called only now that the results are safe. Afterwards
  // they are written again, with the names of its files.
  if (!picture_files_.empty() && wants_picture("png")) {
    attempt([&] { convert_pictures(); });
    save();
  }
  if (!failures.first().empty()) throw Error(failures.first());
  if (summary.end != RunEnd::finished && summary.end != RunEnd::event) return;
  for (const auto& writer : writers_) writer->clean_up();
}

void ResultFolder::finish_record(const RunSummary& summary, const State& state,
                                 const DriftTracker& drift) {
  recorder_->finish(summary, state, drift, watch_);
  RunRecord& record = recorder_->record();
  record.events = event_counts();
}

void ResultFolder::draw_figures() {
  const auto figures = figures_->figures();
  if (recorder_) {
    recorder_->record().pictures = figures;
    recorder_->record().motion = figures_->motion();
  }
  if (!scene_.settings.output.pictures.empty()) picture_files_ = write_figures(figures, folder_);
}

bool ResultFolder::wants_picture(const char* ending) const {
  return std::ranges::find(scene_.settings.output.pictures, ending) !=
         scene_.settings.output.pictures.end();
}

void ResultFolder::convert_pictures() {
  std::vector<fs::path> svgs;
  for (const std::string& file : picture_files_) svgs.push_back(folder_ / file);
  const Conversion conversion = convert_all_to_png(svgs);
  picture_note_ = conversion.note;
  for (const fs::path& png : conversion.made) {
    const std::string svg = png.stem().string() + ".svg";
    if (!wants_picture("svg")) {
      fs::remove(folder_ / svg);
      std::erase(picture_files_, svg);
    }
    picture_files_.push_back(png.filename().string());
  }
}

void ResultFolder::write_report() {
  RunRecord& record = recorder_->record();
  record.files = files_in(folder_);
  const RunRecord* const one = &record;
  lilyan::write_report(folder_ / kReport, {.title = scene_.title, .files = {}}, {&one, 1});
}

}  // namespace lilyan
