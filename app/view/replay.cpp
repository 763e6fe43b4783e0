#include "app/view/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/files/file.hpp"
#include "app/files/series.hpp"
#include "app/files/vtu.hpp"
#include "app/run/frames.hpp"
#include "app/run/pace.hpp"
#include "app/scene/contact/contact_tables.hpp"
#include "app/scene/scene.hpp"
#include "app/scene/small/drawing.hpp"
#include "app/scene/small/observables.hpp"
#include "app/view/pane.hpp"
#include "app/view/picture.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/model/state.hpp"

namespace lilyan::view {
namespace {

constexpr double kSameReplayTime = 1e-9;  // of a step: times as close as that are the same
constexpr std::size_t kTimeColumn = 1;    // of series.csv and trajectory.csv
// trajectory.csv has the columns step, t, the coordinates, their velocities.
constexpr std::size_t kFirstCoordinate = 2;

// Runs of bodies and of small systems have the rows of their series in common.
class Replay : public Pane {
 public:
  [[nodiscard]] const PaneInfo& info() const override { return info_; }
  [[nodiscard]] PaneMoment start() override { return show(0); }
  [[nodiscard]] PaneMoment step() override { return show(shown_ + 1); }
  void pull(const std::optional<Pull>& pull) override;
  void cloud(const PhaseCloudRequest& request) override;

 protected:
  // Reads the series and the summary. Throws InputError.
  Replay(PaneId id, const PaneRequest& request, const std::filesystem::path& folder);
  // To be called with the times of the frames once they are known.
  void set_times(std::vector<double> times);
  // The picture of a frame. May throw Error.
  [[nodiscard]] virtual Message picture(std::size_t frame) = 0;
  // Adds where a small system is at a frame.
  virtual void add_to_path(std::size_t /*frame*/, std::vector<double>& /*path*/) const {}
  // Adds the points of sections up to a time, that were not added before.
  virtual void add_sections(double /*until*/, std::vector<double>& /*sections*/) {}
  [[nodiscard]] int step_of(std::size_t frame) const { return steps_[frame]; }
  [[nodiscard]] double slack() const;  // times as close as that are the same

  PaneId id_;
  PaneInfo info_;
  std::vector<double> times_;

 private:
  void read_summary(const std::filesystem::path& file);
  [[nodiscard]] PaneMoment show(std::size_t frame);

  NumberTable series_;
  std::vector<int> steps_;  // numbers of the frames' steps
  std::string failed_;      // why the run did
  std::vector<Verdict> verdicts_;
  bool interrupted_ = false;
  std::size_t rows_shown_ = 0;
  std::size_t shown_ = 0;
};

Replay::Replay(PaneId id, const PaneRequest& request, const std::filesystem::path& folder)
    : id_(id), series_(read_numbers(folder / "series.csv")) {
  if (!request.settings.empty()) {
    throw InputError({folder.string()}, "a run that is done cannot be changed");
  }
  if (series_.columns.size() <= kTimeColumn || series_.columns[kTimeColumn] != "t") {
    throw InputError({(folder / "series.csv").string(), 1, 0}, "this is not the series of a run");
  }
  info_.replay = true;
  info_.scene = request.scene;
  info_.title = folder.filename().string();
  info_.columns = series_.columns;
  read_summary(folder / "run.json");
}

void Replay::set_times(std::vector<double> times) {
  times_ = std::move(times);
  if (info_.step == 0 && times_.size() > 1) info_.step = times_[1] - times_[0];
  // Each frame was taken after the step of this number.
  std::size_t row = 0;
  for (const double t : times_) {
    while (row + 1 < series_.rows() && series_.at(row, kTimeColumn) < t - slack()) ++row;
    steps_.push_back(static_cast<int>(series_.rows() > 0 ? series_.at(row, 0) : 0));
  }
  info_.steps = steps_.empty() ? 0 : steps_.back();
  info_.duration = times_.empty() ? 0 : times_.back() - times_.front();
}

double Replay::slack() const { return kSameReplayTime * info_.step; }

// The summary is only for the words beside the picture: one that cannot be read leaves them empty.
void Replay::read_summary(const std::filesystem::path& file) {
  std::ifstream stream(file);
  const nlohmann::json json = nlohmann::json::parse(stream, nullptr, false);
  const auto text = [&](const char* key, std::string& to) {
    if (json.is_object() && json.contains(key) && json[key].is_string()) {
      to = json[key].get<std::string>();
    }
  };
  text("title", info_.title);
  text("method", info_.method);
  std::string status;
  text("status", status);
  interrupted_ = status == "interrupted";
  if (status == "failed") {
    failed_ = "the run failed";
    text("message", failed_);
  }
  if (json.is_object() && json.contains("step_size") && json["step_size"].is_number()) {
    info_.step = json["step_size"].get<double>();
  }
  info_.method_name = info_.method.substr(0, info_.method.find('('));
  if (!json.is_object() || !json.contains("verdicts") || !json["verdicts"].is_array()) return;
  for (const nlohmann::json& entry : json["verdicts"]) {
    if (!entry.is_object()) continue;
    Verdict verdict{.text = entry.contains("text") && entry["text"].is_string()
                                ? entry["text"].get<std::string>()
                                : std::string()};
    for (const Kept kept : {Kept::conserved, Kept::bounded, Kept::undecided, Kept::drifts}) {
      if (entry.contains("verdict") && entry["verdict"] == name(kept)) verdict.kept = kept;
    }
    verdicts_.push_back(std::move(verdict));
  }
}

PaneMoment Replay::show(std::size_t frame) {
  PaneMoment moment{.frame = steps_[frame], .t = times_[frame], .done = frame + 1 == times_.size()};
  if (moment.done) moment.failed = failed_;
  moment.interrupted = moment.done && interrupted_;
  if (moment.done) moment.verdicts = verdicts_;
  try {
    moment.picture = picture(frame);
  } catch (const Error& error) {
    return {.done = true, .failed = error.what()};
  }
  shown_ = frame;
  // The moment has all rows up to its time.
  const std::size_t columns = series_.columns.size();
  const std::size_t first = rows_shown_;
  for (; rows_shown_ < series_.rows(); ++rows_shown_) {
    const double t = series_.at(rows_shown_, kTimeColumn);
    if (!moment.done && t > moment.t + slack()) break;
  }
  add_to_path(frame, moment.path);
  add_sections(moment.done ? std::numeric_limits<double>::infinity() : moment.t + slack(),
               moment.sections);
  moment.row.assign(series_.values.begin() + static_cast<std::ptrdiff_t>(first * columns),
                    series_.values.begin() + static_cast<std::ptrdiff_t>(rows_shown_ * columns));
  return moment;
}

void Replay::pull(const std::optional<Pull>& pull) {
  if (pull) throw Error("a run that is done cannot be pulled at");
}

void Replay::cloud(const PhaseCloudRequest& /*request*/) {
  throw Error("a run that is done carries no cloud along");
}

// ---------------------------------------------------------------------------- bodies

// Frames can be shown without obstacles if an earlier version wrote the scene in another way.
std::vector<Obstacle> obstacles_of(const std::filesystem::path& folder) {
  try {
    return obstacles_in(folder / "scene.resolved.toml");
  } catch (const Error&) {
    return {};
  }
}

// A run of bodies, from the frames in its result folder.
class BodyReplay final : public Replay {
 public:
  // Throws InputError.
  BodyReplay(PaneId id, const PaneRequest& request, const std::filesystem::path& folder);

  [[nodiscard]] Message mesh() const override { return mesh_; }

 private:
  [[nodiscard]] Message picture(std::size_t frame) override;
  void find_held(const std::filesystem::path& folder);

  std::vector<ListedFrame> frames_;
  std::size_t points_ = 0;
  WholeSurface surface_;
  Message mesh_;
};

BodyReplay::BodyReplay(PaneId id, const PaneRequest& request, const std::filesystem::path& folder)
    : Replay(id, request, folder), frames_(listed_frames(folder)) {
  const VtuContent first = read_vtu(frames_.front().file);
  const std::vector<std::string> names = listed_bodies(folder);
  surface_ = whole_surface(geometry_of(first, names));
  points_ = first.points.size();
  info_.vertices = static_cast<int>(surface_.vertices.size());
  info_.obstacles = obstacles_of(folder);
  find_held(folder);
  std::vector<double> times;
  for (const ListedFrame& frame : frames_) times.push_back(frame.t);
  set_times(std::move(times));
  mesh_ = mesh_message(id, {.triangles = surface_.triangles,
                            .edges = surface_.edges,
                            .body = surface_.body,
                            .bodies = surface_.bodies,
                            .rest = surface_points(surface_, as_points(first.points))});
}

// What holds the bodies is in the scene, which is read once more if its meshes are still there and not large.
void BodyReplay::find_held(const std::filesystem::path& folder) {
  constexpr std::size_t kLarge = 100000;  // vertices
  if (points_ > kLarge) return;
  try {
    const Scene scene = load_scene(folder / "scene.resolved.toml");
    if (!scene.has_bodies() || static_cast<std::size_t>(scene.system->vertices()) != points_)
      return;
    info_.links = shown_links(scene.bodies().links);
    info_.fixed = held_vertices(surface_, *scene.system);
  } catch (const Error&) {  // shown without it
  }
}

Message BodyReplay::picture(std::size_t frame) {
  const ListedFrame& listed = frames_[frame];
  const VtuContent content = read_vtu(listed.file);
  if (content.points.size() != points_) {
    throw InputError({listed.file.string()}, fmt::format("it has {} points, the first frame {}",
                                                         content.points.size(), points_));
  }
  const std::vector<float> unknown(surface_.vertices.size(), 0.0F);
  return frame_message(id_, step_of(frame), listed.t,
                       {.x = surface_points(surface_, as_points(content.points)),
                        .speed = surface_speeds(surface_, as_points(content.velocity)),
                        .energy = unknown,
                        .poses = obstacle_poses(info_.obstacles, listed.t),
                        .links = link_places(info_.links, as_points(content.points))});
}

// ---------------------------------------------------------------------------- small systems

// The scene of a run; null where it cannot be read any more.
std::unique_ptr<Scene> scene_of(const std::filesystem::path& folder,
                                const std::vector<std::string>& coordinates) {
  try {
    auto scene = std::make_unique<Scene>(
        load_scene(folder / "scene.resolved.toml", {.steps = {}, .without_start = true}));
    if (scene->small().coordinates == coordinates) return scene;
  } catch (const Error&) {
  }
  return nullptr;
}

// A point of a section, and when it came.
struct SectionPoint {
  double t = 0;
  std::array<double, 3> numbers = {};  // which section, x, y
};

// Reads lines of events.csv ("passage,1.5,…": name, time, state) or of orbit-events.csv, which have the
// number of the orbit in front. A last line without its end, and an event that the scene does not have, are
// left out.
class EventReader {
 public:
  EventReader(const Scene& scene, std::vector<SectionPoint>& to) : scene_(scene), to_(to) {}

  void read(const std::filesystem::path& file, bool with_orbit) {
    const std::string text = read_file(file);
    int line = 1;
    for (std::size_t at = text.find('\n'); at != std::string::npos; ++line) {
      const std::size_t end = text.find('\n', at + 1);
      if (end == std::string::npos) return;
      if (!add(std::string_view(text).substr(at + 1, end - at - 1), with_orbit)) {
        throw InputError({file.string(), line + 1, 0}, "expected an event and its state");
      }
      at = end;
    }
  }

 private:
  bool add(std::string_view line, bool with_orbit) {
    const auto field = [&] {
      const std::size_t comma = std::min(line.find(','), line.size());
      const std::string_view text = line.substr(0, comma);
      line.remove_prefix(std::min(comma + 1, line.size()));
      return text;
    };
    bool good = true;
    const auto number = [&] {
      const std::string_view text = field();
      double value = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      good = good && error == std::errc() && end == text.data() + text.size();
      return value;
    };
    const double orbit = with_orbit ? number() : 0;
    const auto& events = scene_.small().observables->events;
    const auto event = std::ranges::find(events, field(), &ObservedEvent::name);
    EventHit hit{.event = static_cast<int>(event - events.begin()), .state = scene_.initial};
    hit.state.t = number();
    for (double& x : hit.state.x) x = number();
    for (double& v : hit.state.v) v = number();
    if (!good || !(orbit >= 0) || orbit > static_cast<double>(scene_.small().orbits.size()))
      return false;
    if (event == events.end()) return true;
    std::vector<double> point;
    add_section_points(scene_, {&hit, 1}, static_cast<std::size_t>(orbit), point);
    if (!point.empty()) to_.push_back({hit.state.t, {point[0], point[1], point[2]}});
    return true;
  }

  const Scene& scene_;
  std::vector<SectionPoint>& to_;
};

// The points of all sections, in the order of time.
std::vector<SectionPoint> section_points(const std::filesystem::path& folder, const Scene& scene) {
  std::vector<SectionPoint> points;
  if (sections_of(scene).empty()) return points;
  EventReader reader(scene, points);
  const bool orbits = std::filesystem::exists(folder / "orbit-events.csv");
  const std::filesystem::path file = folder / (orbits ? "orbit-events.csv" : "events.csv");
  if (std::filesystem::exists(file)) reader.read(file, orbits);
  std::ranges::stable_sort(points, {}, &SectionPoint::t);
  return points;
}

// A run of a small system, from the trajectory in its result folder.
class SystemReplay final : public Replay {
 public:
  // Throws InputError.
  SystemReplay(PaneId id, const PaneRequest& request, const std::filesystem::path& folder);

  [[nodiscard]] Message mesh() const override { return nullptr; }

 private:
  [[nodiscard]] Message picture(std::size_t frame) override;
  void add_to_path(std::size_t frame, std::vector<double>& path) const override;
  void add_sections(double until, std::vector<double>& sections) override;
  [[nodiscard]] State state(std::size_t frame) const;
  [[nodiscard]] const Drawing* drawing() const {
    return scene_ ? scene_->small().drawing.get() : nullptr;
  }

  NumberTable trajectory_;
  std::unique_ptr<Scene> scene_;
  std::vector<SectionPoint> sections_;
  std::size_t sections_shown_ = 0;
};

SystemReplay::SystemReplay(PaneId id, const PaneRequest& request,
                           const std::filesystem::path& folder)
    : Replay(id, request, folder), trajectory_(read_numbers(folder / "trajectory.csv")) {
  const std::vector<std::string>& columns = trajectory_.columns;
  if (columns.size() <= kFirstCoordinate || columns.size() % 2 != 0 ||
      columns[kTimeColumn] != "t" || trajectory_.rows() == 0) {
    throw InputError({(folder / "trajectory.csv").string(), 1, 0},
                     "this is not the trajectory of a small system");
  }
  const auto n = static_cast<std::ptrdiff_t>((columns.size() - kFirstCoordinate) / 2);
  info_.system = true;
  info_.vertices = static_cast<int>(n);
  info_.coordinates.assign(columns.begin() + kFirstCoordinate,
                           columns.begin() + kFirstCoordinate + n);
  std::vector<double> times;
  for (std::size_t i = 0; i < trajectory_.rows(); ++i)
    times.push_back(trajectory_.at(i, kTimeColumn));
  std::vector<std::vector<double>> curves;
  for (std::size_t i = kFirstCoordinate; i < columns.size(); ++i) {
    std::vector<double>& curve = curves.emplace_back();
    for (std::size_t k = 0; k < trajectory_.rows(); ++k) curve.push_back(trajectory_.at(k, i));
  }
  info_.period = shortest_period(times, curves);
  set_times(std::move(times));
  scene_ = scene_of(folder, info_.coordinates);
  info_.draw = describe(drawing());
  if (!scene_) return;
  info_.sections = sections_of(*scene_);
  info_.orbits = scene_->small().orbits.size();
  sections_ = section_points(folder, *scene_);
}

State SystemReplay::state(std::size_t frame) const {
  const auto n = static_cast<Eigen::Index>(info_.coordinates.size());
  const double* row = trajectory_.values.data() + frame * trajectory_.columns.size();
  State state;
  state.t = row[kTimeColumn];
  state.x = Eigen::Map<const Vector>(row + kFirstCoordinate, n);
  state.v = Eigen::Map<const Vector>(row + kFirstCoordinate + n, n);
  return state;
}

Message SystemReplay::picture(std::size_t frame) {
  return picture_of(id_, step_of(frame), state(frame), drawing());
}

void SystemReplay::add_to_path(std::size_t frame, std::vector<double>& path) const {
  view::add_to_path(state(frame), path, drawing());
}

void SystemReplay::add_sections(double until, std::vector<double>& sections) {
  for (; sections_shown_ < sections_.size() && sections_[sections_shown_].t <= until;
       ++sections_shown_) {
    const auto& numbers = sections_[sections_shown_].numbers;
    sections.insert(sections.end(), numbers.begin(), numbers.end());
  }
}

}  // namespace

std::unique_ptr<Pane> make_replay(PaneId id, const PaneRequest& request,
                                  const std::filesystem::path& folder) {
  if (std::filesystem::exists(folder / "run.pvd")) {
    return std::make_unique<BodyReplay>(id, request, folder);
  }
  if (std::filesystem::exists(folder / "trajectory.csv")) {
    return std::make_unique<SystemReplay>(id, request, folder);
  }
  throw InputError({folder.string()},
                   "there is neither run.pvd nor trajectory.csv in it: expected the result folder "
                   "of a run, with \"vtu\" in its output.formats and output.every not 0");
}

}  // namespace lilyan::view
