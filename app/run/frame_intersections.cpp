#include "app/run/frame_intersections.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "app/run/frames.hpp"
#include "app/run/obstacle_depth.hpp"
#include "app/scene/contact/contact_tables.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/parallel/threads.hpp"

namespace lilyan {
namespace {

template <class Cells>
void set_body(const Cells& cells, const std::vector<int>& bodies, std::vector<int>& body) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    for (const int v : cells[i])
      body[static_cast<std::size_t>(v)] = i < bodies.size() ? bodies[i] : 0;
  }
}

std::string told_place(const std::array<double, 3>& at) {
  return fmt::format("({:.6g}, {:.6g}, {:.6g})", at[0], at[1], at[2]);
}

std::string name_of_obstacle(const Obstacle& obstacle, std::size_t number) {
  if (!obstacle.name.empty()) return obstacle.name;
  return fmt::format("obstacle{}", number + 1);
}

}  // namespace

JudgedRun::JudgedRun(const std::filesystem::path& folder)
    : frames_(listed_frames(folder)), names_(listed_bodies(folder)) {
  if (frames_.empty()) throw InputError({(folder / "run.pvd").string()}, "it lists no frames");
  first_ = read_vtu(frames_.front().file);
  for (const BoundaryFace& face : boundary_faces(first_.tets)) triangles_.push_back(face.corners);
  triangles_.insert(triangles_.end(), first_.triangles.begin(), first_.triangles.end());
  edges_ = first_.edges;
  body_.resize(first_.points.size());
  set_body(first_.tets, first_.tet_body, body_);
  set_body(first_.triangles, first_.triangle_body, body_);
  set_body(first_.edges, first_.edge_body, body_);
  const std::filesystem::path scene = folder / "scene.resolved.toml";
  knows_obstacles_ = std::filesystem::exists(scene);
  if (knows_obstacles_) obstacles_ = obstacles_in(scene);
}

FrameIntersections JudgedRun::look_at(std::size_t frame) {
  const ListedFrame& listed = frames_.at(frame);
  VtuContent content = read_vtu(listed.file);
  if (content.points.size() != first_.points.size()) {
    throw InputError({listed.file.string()},
                     fmt::format("it has {} points, and the first frame has {}",
                                 content.points.size(), first_.points.size()));
  }
  points_ = std::move(content.points);
  const Points points = as_points(points_);
  const std::vector<std::string> none;
  return {.pairs = find_intersections(points, edges_, triangles_),
          .enclosed = find_enclosed(points, geometry_of(first_, none)),
          .obstacles = look_at_obstacles(listed.t)};
}

// What is less deep than rounding says nothing. In single precision that is what writing the frame has moved.
std::vector<ReachesIn> JudgedRun::look_at_obstacles(double t) const {
  const double rounding =
      16 * (first_.double_precision ? std::numeric_limits<double>::epsilon()
                                    : double{std::numeric_limits<float>::epsilon()});
  std::vector<std::array<int, 3>> cells = triangles_;
  for (const auto& e : edges_) cells.push_back({e[0], e[1], e[1]});
  std::vector<double> depths(cells.size());
  const auto corners = [&](std::size_t i) {
    std::array<Vec3, 3> result;
    for (std::size_t k = 0; k < 3; ++k) {
      result[k] = Vec3(points_[static_cast<std::size_t>(cells[i][k])].data());
    }
    return result;
  };
  std::vector<ReachesIn> found;
  for (std::size_t number = 0; number < obstacles_.size(); ++number) {
    const Obstacle& obstacle = obstacles_[number];
    const Pose pose = obstacle.motion.at(t);
    parallel_ranges(static_cast<int>(cells.size()), [&](int first, int last) {
      for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
        const std::array<Vec3, 3> triangle = corners(i);
        const double depth = depth_in(obstacle, pose, triangle);
        depths[i] = depth > rounding * size_of_numbers(obstacle, pose, triangle) ? depth : 0;
      }
    });
    ReachesIn reaches{.obstacle = number};
    std::size_t deepest = 0;
    for (std::size_t i = 0; i < depths.size(); ++i) {
      if (depths[i] > 0) ++reaches.count;
      if (depths[i] > depths[deepest]) deepest = i;
    }
    if (reaches.count == 0) continue;
    reaches.depth = depths[deepest];
    reaches.cell = cells[deepest];
    const std::array<Vec3, 3> triangle = corners(deepest);
    const Vec3 middle = reaches.cell[1] == reaches.cell[2]
                            ? Vec3(0.5 * (triangle[0] + triangle[1]))
                            : Vec3((triangle[0] + triangle[1] + triangle[2]) / 3);
    reaches.at = {middle.x(), middle.y(), middle.z()};
    found.push_back(reaches);
  }
  return found;
}

std::string JudgedRun::body_of(int vertex) const {
  const auto body = static_cast<std::size_t>(body_[static_cast<std::size_t>(vertex)]);
  return body < names_.size() ? names_[body] : fmt::format("body{}", body + 1);
}

std::string JudgedRun::told(const Intersection& pair) const {
  const std::string edge = body_of(pair.edge[0]);
  const std::string triangle = body_of(pair.triangle[0]);
  return fmt::format("edge {} of '{}' {} triangle {} of {} at {}", fmt::join(pair.edge, "-"), edge,
                     pair.touches ? "touches" : "goes through", fmt::join(pair.triangle, "-"),
                     edge == triangle ? "the same body" : "'" + triangle + "'",
                     told_place(place_of(pair, as_points(points_))));
}

std::string JudgedRun::told(const Enclosed& enclosed) const {
  return fmt::format(
      "vertex {} of '{}', and what hangs together with it, is within tet {} of '{}' at {}",
      enclosed.vertex, body_of(enclosed.vertex), fmt::join(enclosed.tet, "-"),
      body_of(enclosed.tet[0]), told_place(points_[static_cast<std::size_t>(enclosed.vertex)]));
}

std::string JudgedRun::told(const ReachesIn& reaches) const {
  const bool edge = reaches.cell[1] == reaches.cell[2];
  return fmt::format("{} of '{}' reaches {:.3g} into '{}' at {}{}",
                     edge ? fmt::format("edge {}-{}", reaches.cell[0], reaches.cell[1])
                          : fmt::format("triangle {}", fmt::join(reaches.cell, "-")),
                     body_of(reaches.cell[0]), reaches.depth,
                     name_of_obstacle(obstacles_[reaches.obstacle], reaches.obstacle),
                     told_place(reaches.at),
                     reaches.count > 1 ? fmt::format(", the deepest of {}", reaches.count) : "");
}

}  // namespace lilyan
