// Obstacles as triangles, to be looked at.
#pragma once

#include <array>
#include <vector>

#include <Eigen/Core>

#include "lilyan/contact/obstacle_contact.hpp"

namespace lilyan {

struct ObstacleMesh {
  std::vector<Eigen::Vector3f> points = {};
  std::vector<Eigen::Vector3f> normals = {};  // outward, one for each point
  std::vector<std::array<int, 3>> triangles = {};
};

// Where the obstacle is at time t. Planes have no end and so no triangles.
[[nodiscard]] ObstacleMesh obstacle_mesh(const Obstacle& obstacle, double t);

}  // namespace lilyan
