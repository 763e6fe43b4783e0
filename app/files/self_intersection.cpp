// Where a surface cuts itself.
//
// Triangles are sorted by where they begin along x, so that each is compared only with those that
// begin before it ends. A segment pq goes through a triangle abc when p and q lie on different
// sides of its plane and the tets (p, q, a, b), (p, q, b, c), (p, q, c, a) are oriented alike.
#include "app/files/self_intersection.hpp"

#include <Eigen/Geometry>
#include <algorithm>

#include "lilyan/core/types.hpp"

namespace lilyan {
namespace {

double orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  return (b - a).dot((c - a).cross(d - a));
}

struct Box {
  Vec3 low;
  Vec3 high;
  int triangle;
};

class Finder {
 public:
  Finder(std::span<const std::array<double, 3>> vertices,
         std::span<const std::array<int, 3>> triangles)
      : vertices_(vertices), triangles_(triangles) {}

  std::vector<std::pair<int, int>> find(std::size_t most) const {
    std::vector<Box> boxes;
    boxes.reserve(triangles_.size());
    for (std::size_t t = 0; t < triangles_.size(); ++t) {
      const Vec3 a = at(triangles_[t][0]);
      const Vec3 b = at(triangles_[t][1]);
      const Vec3 c = at(triangles_[t][2]);
      boxes.push_back({a.cwiseMin(b).cwiseMin(c), a.cwiseMax(b).cwiseMax(c), static_cast<int>(t)});
    }
    std::ranges::sort(boxes, {}, [](const Box& b) { return std::pair(b.low.x(), b.triangle); });
    std::vector<std::pair<int, int>> found;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      for (std::size_t k = i + 1; k < boxes.size() && boxes[k].low.x() <= boxes[i].high.x(); ++k) {
        const bool apart = (boxes[k].low.array() > boxes[i].high.array()).any() ||
                           (boxes[i].low.array() > boxes[k].high.array()).any();
        if (apart || !cut(boxes[i].triangle, boxes[k].triangle)) continue;
        found.emplace_back(std::minmax({boxes[i].triangle, boxes[k].triangle}));
        if (found.size() == most) return found;
      }
    }
    return found;
  }

 private:
  [[nodiscard]] Vec3 at(int vertex) const {
    return Vec3(vertices_[static_cast<std::size_t>(vertex)].data());
  }

  [[nodiscard]] bool cut(int first, int second) const {
    const auto& s = triangles_[static_cast<std::size_t>(first)];
    const auto& t = triangles_[static_cast<std::size_t>(second)];
    return edges_cut(s, t) || edges_cut(t, s);
  }

  // Edges that share a vertex with the triangle can only touch it.
  [[nodiscard]] bool edges_cut(const std::array<int, 3>& edges,
                               const std::array<int, 3>& triangle) const {
    const auto shared = [&](int v) { return std::ranges::find(triangle, v) != triangle.end(); };
    for (std::size_t c = 0; c < 3; ++c) {
      const int p = edges[c];
      const int q = edges[(c + 1) % 3];
      if (!shared(p) && !shared(q) && goes_through(at(p), at(q), triangle)) return true;
    }
    return false;
  }

  [[nodiscard]] bool goes_through(const Vec3& p, const Vec3& q,
                                  const std::array<int, 3>& triangle) const {
    const Vec3 a = at(triangle[0]);
    const Vec3 b = at(triangle[1]);
    const Vec3 c = at(triangle[2]);
    if (!(orientation(a, b, c, p) * orientation(a, b, c, q) < 0)) return false;
    const double u = orientation(p, q, a, b);
    const double v = orientation(p, q, b, c);
    const double w = orientation(p, q, c, a);
    return (u > 0 && v > 0 && w > 0) || (u < 0 && v < 0 && w < 0);
  }

  std::span<const std::array<double, 3>> vertices_;
  std::span<const std::array<int, 3>> triangles_;
};

}  // namespace

std::vector<std::pair<int, int>> self_intersections(std::span<const std::array<double, 3>> vertices,
                                                    std::span<const std::array<int, 3>> triangles,
                                                    std::size_t most) {
  return Finder(vertices, triangles).find(most);
}

}  // namespace lilyan
