#include "app/view/body_replay.hpp"

#include <fmt/format.h>

#include "app/files/vtu.hpp"
#include "app/scene/contact.hpp"
#include "app/view/encode.hpp"
#include "lilyan/core/error.hpp"

namespace lilyan::view {
namespace {

// Frames can be shown without: an earlier version may have written the scene in another way.
std::vector<Obstacle> obstacles_of(const std::filesystem::path& folder) {
  try {
    return obstacles_in(folder / "scene.resolved.toml");
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

BodyReplay::BodyReplay(PaneId id, const PaneRequest& request, const std::filesystem::path& folder)
    : Replay(id, request, folder), frames_(listed_frames(folder)) {
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

}  // namespace lilyan::view
