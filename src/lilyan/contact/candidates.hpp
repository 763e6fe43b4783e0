// Which points may come near which triangles: the pairs whose boxes meet.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "lilyan/contact/broad_phase.hpp"
#include "lilyan/contact/distance.hpp"
#include "lilyan/contact/surface.hpp"

namespace lilyan {

class Candidates {
 public:
  // Calls function(n, near) for each points[n], `near` being the numbers of the triangles, ascending, that it may
  // come as near as `distance`; not at all if there are none for any point. Each vertex v stays in the
  // box way(v), a triangle in that of its corners.
  template <class Way, class Function>
  void each_point(std::span<const int> points, std::span<const std::array<int, 3>> triangles,
                  const Way& way, double distance, const Function& function) {
    Box all;
    for (const int v : points) all.extend(way(v));
    all = grown(all, distance);
    numbers_.clear();
    boxes_.clear();
    for (std::size_t k = 0; k < triangles.size(); ++k) {
      const auto& [a, b, c] = triangles[k];
      const Box box = way(a).merged(way(b)).merged(way(c));
      if (!box.intersects(all)) continue;
      numbers_.push_back(static_cast<int>(k));
      boxes_.add(box);
    }
    if (numbers_.empty()) return;
    boxes_.build(2 * distance);
    for (std::size_t n = 0; n < points.size(); ++n) {
      near_.clear();
      for (const int k : boxes_.meeting(grown(way(points[n]), distance))) {
        near_.push_back(numbers_[static_cast<std::size_t>(k)]);
      }
      function(n, std::span<const int>(near_));
    }
  }

  // Calls function(vertex, distance) for the vertices of one surface and their distances to another one where
  // vertices are at x. A distance greater than `within` may be given as infinite.
  template <class Function>
  void each_distance(const ContactSurface& one, const ContactSurface& other, const Vector& x,
                     double within, const Function& function) {
    const auto at = [&](int v) { return Box(Vec3(x.segment<3>(3 * v))); };
    each_point(one.vertices, other.triangles, at, within, [&](std::size_t n, auto near) {
      double distance = std::numeric_limits<double>::infinity();
      for (const int k : near) {
        const auto& triangle = other.triangles[static_cast<std::size_t>(k)];
        distance =
            std::min(distance, point_triangle_distance(pair_at(x, one.vertices[n], triangle)));
      }
      function(one.vertices[n], distance);
    });
  }

 private:
  BroadPhase boxes_;
  std::vector<int> numbers_;  // of the triangles in them
  std::vector<int> near_;
};

}  // namespace lilyan
