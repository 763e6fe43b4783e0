#include "app/view/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/files/series.hpp"
#include "app/files/vtu.hpp"
#include "app/run/frames.hpp"
#include "app/scene/drawing.hpp"
#include "app/scene/scene.hpp"
#include "app/view/pane.hpp"
#include "app/view/picture.hpp"
#include "lilyan/core/error.hpp"
#include "lilyan/core/state.hpp"

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
}

PaneMoment Replay::show(std::size_t frame) {
  PaneMoment moment{.frame = steps_[frame], .t = times_[frame], .done = frame + 1 == times_.size()};
  if (moment.done) moment.failed = failed_;
  moment.interrupted = moment.done && interrupted_;
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
  std::vector<double> times;
  for (const ListedFrame& frame : frames_) times.push_back(frame.t);
  set_times(std::move(times));
  mesh_ = mesh_message(id, {.triangles = surface_.triangles,
                            .edges = surface_.edges,
                            .body = surface_.body,
                            .bodies = surface_.bodies,
                            .rest = surface_points(surface_, as_points(first.points))});
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
                        .poses = obstacle_poses(info_.obstacles, listed.t)});
}

// ---------------------------------------------------------------------------- small systems

// The drawing of the run's scene; none where the scene cannot be read any more.
std::unique_ptr<Drawing> drawing_of(const std::filesystem::path& folder,
                                    const std::vector<std::string>& coordinates) {
  try {
    Scene scene = load_scene(folder / "scene.resolved.toml");
    if (scene.coordinates == coordinates) return std::move(scene.drawing);
  } catch (const Error&) {
  }
  return nullptr;
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
  [[nodiscard]] State state(std::size_t frame) const;

  NumberTable trajectory_;
  std::unique_ptr<Drawing> drawing_;
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
  set_times(std::move(times));
  drawing_ = drawing_of(folder, info_.coordinates);
  info_.draw = describe(drawing_.get());
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
  return picture_of(id_, step_of(frame), state(frame), drawing_.get());
}

void SystemReplay::add_to_path(std::size_t frame, std::vector<double>& path) const {
  view::add_to_path(state(frame), path, drawing_.get());
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
