#include "lilyan/view/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "lilyan/core/error.hpp"
#include "lilyan/io/vtu_reader.hpp"
#include "lilyan/view/encode.hpp"

namespace lilyan::view {
namespace {

constexpr double kSameTime = 1e-9;  // of a step

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> parts;
  std::stringstream stream(line);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

}  // namespace

Replay::Replay(PaneId id, const PaneRequest& request, const std::filesystem::path& folder)
    : id_(id), frames_(listed_frames(folder)) {
  if (!request.settings.empty()) {
    throw InputError({folder.string()}, "a run that is done cannot be changed");
  }
  info_.scene = request.scene;
  info_.title = folder.filename().string();
  read_summary(folder / "run.json");
  read_series(folder / "series.csv");
  const VtuContent first = read_vtu(frames_.front().file);
  const std::vector<std::string> names = listed_bodies(folder);
  surface_ = whole_surface({.tets = first.tets,
                            .tet_body = first.tet_body,
                            .triangles = first.triangles,
                            .triangle_body = first.triangle_body,
                            .edges = first.edges,
                            .edge_body = first.edge_body,
                            .body_names = names});
  points_ = first.points.size();
  info_.vertices = static_cast<int>(surface_.vertices.size());
  info_.steps = static_cast<int>(frames_.size()) - 1;
  if (frames_.size() > 1) info_.step = frames_[1].t - frames_[0].t;
  mesh_ = mesh_message(id, {.triangles = surface_.triangles,
                            .edges = surface_.edges,
                            .body = surface_.body,
                            .bodies = surface_.bodies,
                            .rest = surface_points(surface_, as_points(first.points))});
}

// Only for what is written beside the picture: one that cannot be read leaves that empty.
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
  info_.method_name = info_.method.substr(0, info_.method.find('('));
}

void Replay::read_series(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  info_.columns = split(line);
  if (info_.columns.size() < 2 || info_.columns[1] != "t") {
    throw InputError({file.string(), 1, 0}, "this is not the series of a run");
  }
  for (int number = 2; std::getline(stream, line); ++number) {
    const std::vector<std::string> parts = split(line);
    if (parts.size() != info_.columns.size()) {
      if (stream.eof()) break;  // of a run that was killed
      throw InputError({file.string(), number, 0}, fmt::format("there are {} columns, expected {}",
                                                               parts.size(), info_.columns.size()));
    }
    for (const std::string& part : parts) {
      double value = 0;
      const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
      if (error != std::errc() || end != part.data() + part.size()) {
        throw InputError({file.string(), number, 0},
                         fmt::format("expected a number, found '{}'", part));
      }
      series_.push_back(value);
    }
  }
}

PaneMoment Replay::read(std::size_t frame) {
  const ListedFrame& listed = frames_[frame];
  const VtuContent content = read_vtu(listed.file);
  if (content.points.size() != points_) {
    throw InputError({listed.file.string()}, fmt::format("it has {} points, the first frame {}",
                                                         content.points.size(), points_));
  }
  const std::vector<float> unknown(surface_.vertices.size(), 0.0F);
  const auto number = static_cast<int>(frame);
  return {.frame = number,
          .t = listed.t,
          .picture = frame_message(id_, number, listed.t,
                                   {.x = surface_points(surface_, as_points(content.points)),
                                    .speed = surface_speeds(surface_, as_points(content.velocity)),
                                    .energy = unknown}),
          .done = frame + 1 == frames_.size()};
}

PaneMoment Replay::show(std::size_t frame) {
  PaneMoment moment;
  try {
    moment = read(frame);
  } catch (const Error& error) {
    return {.done = true, .failed = error.what()};
  }
  shown_ = frame;
  // With the rows up to here.
  const std::size_t columns = info_.columns.size();
  std::size_t last = rows_shown_;
  while (last < series_.size() &&
         (moment.done || series_[last + 1] <= moment.t + kSameTime * info_.step)) {
    last += columns;
  }
  moment.row.assign(series_.begin() + static_cast<std::ptrdiff_t>(rows_shown_),
                    series_.begin() + static_cast<std::ptrdiff_t>(last));
  rows_shown_ = last;
  return moment;
}

void Replay::pull(const std::optional<Pull>& pull) {
  if (pull) throw Error("a run that is done cannot be pulled at");
}

void Replay::cloud(const CloudRequest& /*request*/) {
  throw Error("a cloud needs a small system with one coordinate");
}

}  // namespace lilyan::view
