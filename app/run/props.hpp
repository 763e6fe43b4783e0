// The obstacles of a run as triangles, for pictures and animations.
#pragma once

#include <Eigen/Geometry>
#include <array>
#include <span>
#include <vector>

#include "app/files/surface_writer.hpp"
#include "lilyan/contact/obstacle_contact.hpp"

namespace lilyan {

// The triangles of an obstacle before it moves, counterclockwise seen from outside. A plane has none,
// because it has no end.
struct ObstacleMesh {
  std::vector<Eigen::Vector3f> points = {};
  std::vector<Eigen::Vector3f> normals = {};  // outward, one for each point
  std::vector<std::array<int, 3>> triangles = {};
};
[[nodiscard]] ObstacleMesh obstacle_mesh(const Obstacle& obstacle);

// Obstacles to be shown with the frames of bodies. Of a plane it is a square that reaches well beyond
// the bodies in all frames.
[[nodiscard]] std::vector<Prop> props_of(std::span<const Obstacle> obstacles,
                                         const FrameSource& frames);

}  // namespace lilyan
