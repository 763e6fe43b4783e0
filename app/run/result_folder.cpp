#include "app/run/result_folder.hpp"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "app/report/report.hpp"
#include "app/scene/geometry_of.hpp"
#include "app/scene/observables.hpp"
#include "lilyan/core/dispatch.hpp"
#include "lilyan/core/error.hpp"
#include "lilyan/core/threads.hpp"
#include "lilyan/core/version.hpp"

namespace lilyan {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kScene = "scene.resolved.toml";
constexpr const char* kRun = "run.json";
constexpr const char* kSeries = "series.csv";
constexpr const char* kTrajectory = "trajectory.csv";
constexpr const char* kEvents = "events.csv";
constexpr const char* kReport = "report.html";

void write_text(const fs::path& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.flush();
  if (!stream) throw Error(fmt::format("cannot write {}", file.string()));
}

// Those that run.json says an earlier run wrote.
void remove_pictures(const fs::path& folder) {
  std::ifstream stream(folder / kRun);
  const Json json = Json::parse(stream, nullptr, false);
  if (!json.is_object() || !json.contains("pictures") || !json["pictures"].is_array()) return;
  for (const Json& entry : json["pictures"]) {
    if (!entry.is_string()) continue;
    const fs::path name(entry.get<std::string>());
    const bool picture = name.extension() == ".svg" || name.extension() == ".png";
    if (picture && !name.has_parent_path()) fs::remove(folder / name);
  }
}

bool holds_run(const fs::path& folder) {
  return fs::exists(folder / kScene) && fs::exists(folder / kSeries);
}

void remove_files(const fs::path& folder) {
  remove_pictures(folder);
  for (const char* file : {kScene, kRun, kSeries, kTrajectory, kEvents, kReport}) {
    fs::remove(folder / file);
  }
  remove_frames(folder);
}

// Removes what an earlier run wrote, and nothing else.
void clear_earlier_run(const fs::path& folder) {
  if (!fs::exists(folder) || (fs::is_directory(folder) && fs::is_empty(folder))) return;
  if (!holds_run(folder)) {
    throw Error(
        fmt::format("{} exists and is not the result of a run; choose another folder with "
                    "-o",
                    folder.string()));
  }
  remove_files(folder);
}

FrameSettings settings_of(const Scene& scene) {
  const OutputSettings& output = scene.output;
  FrameSettings settings{.formats = output.formats, .float64 = output.float64, .up = output.up};
  if (!scene.variable_steps() && output.every > 0) {
    const int whole = scene.steps / output.every;
    settings.frames = static_cast<std::uint64_t>(whole) + 1 + (scene.steps % output.every != 0);
  }
  return settings;
}

Json deviation(const Deviation& d, double initial, bool symmetry) {
  return {{"initial", initial},
          {"worst_deviation", d.worst},
          {"relative_to", d.scale},
          {"worst_relative_deviation", d.worst_relative()},
          {"is_invariant_of_the_scene", symmetry}};
}

}  // namespace

bool remove_results(const fs::path& folder) {
  if (!fs::is_directory(folder) || !holds_run(folder)) return false;
  remove_files(folder);
  return fs::is_empty(folder) && fs::remove(folder);
}

ResultFolder::ResultFolder(const fs::path& folder, const Scene& scene)
    : folder_(folder), scene_(scene), watch_(scene) {
  if (frames()) check_frames(folder_, geometry_of(scene), settings_of(scene));
  try {
    clear_earlier_run(folder_);
    fs::create_directories(folder_);
  } catch (const fs::filesystem_error& error) {
    throw Error(
        fmt::format("cannot use {} for results: {}", folder_.string(), error.code().message()));
  }
  write_text(folder_ / kScene, scene.resolved);
  series_ = std::make_unique<SeriesWriter>(folder_ / kSeries, watch_.columns());
  if (frames()) writers_ = make_frame_writers(folder_, geometry_of(scene), settings_of(scene));
  if (!scene.coordinates.empty() && scene.output.every > 0) {
    trajectory_ = std::make_unique<TrajectoryWriter>(folder_ / kTrajectory, scene.coordinates);
  }
  if (scene.output.report) recorder_ = std::make_unique<Recorder>(scene);
  if (!scene.observables) return;
  if (!scene.observables->events.empty()) {
    events_ = std::make_unique<EventWriter>(folder_ / kEvents, scene);
  }
  if (!scene.output.pictures.empty() || recorder_) pictures_ = std::make_unique<Pictures>(scene);
}

bool ResultFolder::frames() const { return scene_.output.every > 0 && scene_.coordinates.empty(); }

void ResultFolder::add(const RunMoment& moment) {
  const OutputSettings& output = scene_.output;
  if (moment.report) {
    watch_.add(moment.state);
    const bool due = moment.last || moment.step % output.series_every == 0;
    series_->add(moment.step, moment.state.t, *moment.report, due,
                 due ? watch_.values() : std::vector<double>());
  } else {
    watch_.start(moment.state);
    series_->start(moment.state.t, moment.invariants, watch_.values());
  }
  if (pictures_) pictures_->add(moment, watch_);
  if (recorder_) recorder_->add(moment);
  if (events_) events_->add(moment.events);
  if (trajectory_ && output.interval > 0) {
    if (!moment.report) trajectory_->add(moment.step, moment.state);
    for (const State& sample : moment.samples) trajectory_->add(moment.step, sample);
    return;
  }
  if (output.every > 0 && (moment.last || moment.step % output.every == 0)) {
    write_frame(moment.step, moment.state);
    if (trajectory_) trajectory_->add(moment.step, moment.state);
  }
}

void ResultFolder::write_frame(int step, const State& state) {
  for (const auto& writer : writers_) writer->add(step, state);
  last_frame_ = step;
}

std::string ResultFolder::files() const {
  std::string files = "series.csv, run.json, scene.resolved.toml";
  if (frames() && !scene_.output.formats.empty()) files += ", " + frame_files(settings_of(scene_));
  if (trajectory_) files += std::string(", ") + kTrajectory;
  if (events_) files += std::string(", ") + kEvents;
  if (recorder_) files += std::string(", ") + kReport;
  if (pictures_ && !scene_.output.pictures.empty()) {
    for (const std::string& name : Pictures::names(scene_)) {
      files += fmt::format(", {}.{}", name, fmt::join(scene_.output.pictures, "/"));
    }
  }
  return files;
}

std::vector<std::string> ResultFolder::notes() const {
  std::vector<std::string> notes;
  for (const auto& writer : writers_) {
    if (std::string note = writer->note(); !note.empty()) notes.push_back(std::move(note));
  }
  return notes;
}

void ResultFolder::finish(const RunSummary& summary, const DriftTracker& drift) {
  series_->finish(summary.steps, summary.t, summary.invariants, watch_.values());
  if (frames() && last_frame_ != summary.steps) write_frame(summary.steps, summary.state);
  for (const auto& writer : writers_) writer->finish();
  if (trajectory_) trajectory_->finish(summary.steps, summary.state);
  if (events_) events_->finish();
  if (pictures_) picture_files_ = pictures_->write(folder_);
  const System& system = *scene_.system;
  const Invariants& start = drift.start();
  Json json;
  json["program"] = "lilyan";
  json["version"] = version();
  json["commit"] = commit();
  json["scene"] = scene_.name;
  json["title"] = scene_.title;
  json["method"] = scene_.scheme.label;
  json["solve"] = name(scene_.scheme.solve);
  json["status"] = name(summary.end);
  if (!summary.message.empty()) json["message"] = summary.message;
  if (!notes().empty()) json["notes"] = notes();
  json["step_size"] = scene_.step;
  if (!scene_.variable_steps()) json["steps_asked"] = scene_.steps;
  json["duration_asked"] = scene_.duration;
  json["steps_done"] = summary.steps;
  json["t_end"] = summary.t;
  json["step_control"] = {{"kind", name(scene_.control.kind)},
                          {"shortest_step", summary.shortest_step},
                          {"longest_step", summary.longest_step},
                          {"rejected_steps", summary.rejected_steps}};
  json["wall_seconds"] = summary.wall_seconds;
  json["size"] = {{"bodies", scene_.body_names},
                  {"vertices", system.vertices()},
                  {"fixed_vertices", system.fixed_count()},
                  {"tets", scene_.tets.size()},
                  {"triangles", scene_.triangles.size()},
                  {"edges", scene_.edges.size()},
                  {"springs", scene_.springs}};
  Json switches = Json::array();
  for (const auto& [step, from, to] : summary.switches) {
    switches.push_back({{"step", step}, {"from", from}, {"to", to}});
  }
  json["solver"] = {{"linear", summary.linear_solver},
                    {"linear_switches", switches},
                    {"linear_iterations", summary.linear_iterations},
                    {"threads", threads()},
                    {"definiteness", name(scene_.solver.newton.definiteness)},
                    {"lanes", lanes_in_use()},
                    {"iterations", summary.iterations},
                    {"factorisations", summary.factorisations},
                    {"evaluations", summary.evaluations},
                    {"definiteness_fixes", summary.definiteness_fixes},
                    {"halved_steps", summary.halved_steps},
                    {"steps_at_rounding_error", summary.round_off_steps},
                    {"fewest_quadrature_points", summary.fewest_points},
                    {"most_quadrature_points", summary.most_points},
                    {"seconds_stepping", summary.step_seconds},
                    {"seconds_assembly", summary.times.assembly},
                    {"seconds_factorisation", summary.times.factorisation},
                    {"seconds_solve", summary.times.solve},
                    {"seconds_evaluation", summary.times.evaluation}};
  json["drift"] = {
      {"energy", deviation(drift.energy(), start.total, true)},
      {"linear_momentum", deviation(drift.linear_momentum(), start.linear_momentum.norm(),
                                    system.translation_invariant())},
      {"angular_momentum", deviation(drift.angular_momentum(), start.angular_momentum.norm(),
                                     system.rotation_invariant())}};
  if (!watch_.invariants().empty()) {
    Json invariants = Json::object();
    for (const Watch::Quantity& q : watch_.invariants()) {
      invariants[q.name] = {{"initial", q.start},
                            {"final", q.now},
                            {"worst_deviation", q.worst},
                            {"relative_to", q.scale},
                            {"worst_relative_deviation", q.worst_relative()},
                            {"found_as_a_symmetry", q.found}};
    }
    json["invariants"] = invariants;
  }
  if (watch_.has_exact()) {
    json["exact_solution"] = {{"final_error", watch_.error()},
                              {"worst_error", watch_.worst_error()}};
  }
  if (events_) json["events"] = events_->counts();
  if (pictures_) json["pictures"] = picture_files_;
  if (recorder_) json["report"] = kReport;
  json["ledger"] = {
      {"solver", summary.ledger.solver}, {"quadrature", summary.ledger.quadrature},
      {"work", summary.ledger.work},     {"dissipation", summary.ledger.dissipation},
      {"method", summary.ledger.method}, {"worst_imbalance_of_a_step", summary.worst_imbalance}};
  write_text(folder_ / kRun, json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  if (recorder_) write_report(summary, drift);
}

void ResultFolder::write_report(const RunSummary& summary, const DriftTracker& drift) {
  recorder_->finish(summary, drift, watch_);
  RunRecord& record = recorder_->record();
  if (events_) record.events = events_->counts();
  if (pictures_) {
    for (const auto& [name, figure] : pictures_->figures()) {
      record.pictures.emplace_back(name, svg_text(figure));
    }
  }
  record.files = files_in(folder_);
  const RunRecord* const one = &record;
  lilyan::write_report(folder_ / kReport, {.title = scene_.title, .files = {}}, {&one, 1});
}

}  // namespace lilyan
