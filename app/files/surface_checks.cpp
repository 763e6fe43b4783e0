// Where a surface cuts itself, and which of its closed components lies inside of which.
//
// Self-intersections: triangles are sorted by where they begin along x, so that each is compared
// only with those that begin before it ends. A segment pq goes through a triangle abc when p and q
// lie on different sides of its plane and the tets (p, q, a, b), (p, q, b, c), (p, q, c, a) are
// oriented alike.
//
// Shells: a point is inside of a shell when the solid angle under which it sees the shell is ±4π rather
// than 0: A. Van Oosterom, J. Strackee, "The solid angle of a plane triangle" (1983),
//   tan(Ω/2) = a·(b×c) / (|a||b||c| + (a·b)|c| + (b·c)|a| + (c·a)|b|).
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/files/mesh_quality.hpp"
#include "lilyan/base/types.hpp"

namespace lilyan {
namespace {

double orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  return (b - a).dot((c - a).cross(d - a));
}

struct TriangleBox {
  Vec3 low;
  Vec3 high;
  int triangle;
};

class SelfIntersections {
 public:
  SelfIntersections(std::span<const std::array<double, 3>> vertices,
                    std::span<const std::array<int, 3>> triangles)
      : vertices_(vertices), triangles_(triangles) {}

  std::vector<std::pair<int, int>> find(std::size_t most) const {
    std::vector<TriangleBox> boxes;
    boxes.reserve(triangles_.size());
    for (std::size_t t = 0; t < triangles_.size(); ++t) {
      const Vec3 a = at(triangles_[t][0]);
      const Vec3 b = at(triangles_[t][1]);
      const Vec3 c = at(triangles_[t][2]);
      boxes.push_back({a.cwiseMin(b).cwiseMin(c), a.cwiseMax(b).cwiseMax(c), static_cast<int>(t)});
    }
    std::ranges::sort(boxes, {},
                      [](const TriangleBox& b) { return std::pair(b.low.x(), b.triangle); });
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

class SurfacePoints {
 public:
  explicit SurfacePoints(const SurfaceMesh& surface) : surface_(surface) {}
  Vec3 operator()(int vertex) const {
    return Vec3(surface_.vertices[static_cast<std::size_t>(vertex)].data());
  }

 private:
  const SurfaceMesh& surface_;
};

// How many times the shell winds around the point.
double winding(const SurfacePoints& at, const Shell& shell, const Vec3& point) {
  double angle = 0;
  for (const auto& t : shell.triangles) {
    const Vec3 a = at(t[0]) - point;
    const Vec3 b = at(t[1]) - point;
    const Vec3 c = at(t[2]) - point;
    const double la = a.norm();
    const double lb = b.norm();
    const double lc = c.norm();
    angle += 2 * std::atan2(a.dot(b.cross(c)),
                            la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
  }
  return angle / (4 * std::numbers::pi);
}

// A point within, sought from the middle of the largest triangle against its normal's direction.
Vec3 point_inside(const SurfacePoints& at, const Shell& shell) {
  const auto normal = [&](const std::array<int, 3>& t) -> Vec3 {
    return (at(t[1]) - at(t[0])).cross(at(t[2]) - at(t[0]));
  };
  const auto largest = *std::ranges::max_element(
      shell.triangles, {}, [&](const auto& t) { return normal(t).squaredNorm(); });
  const Vec3 middle = (at(largest[0]) + at(largest[1]) + at(largest[2])) / 3;
  const Vec3 n = normal(largest);
  const double side = shell.volume > 0 ? -1 : 1;
  double distance = std::sqrt(n.norm());
  for (int i = 0; i < 40; ++i, distance /= 2) {
    const Vec3 point = middle + side * distance * n.normalized();
    if (std::abs(winding(at, shell, point)) > 0.5) return point;
  }
  return middle;
}

}  // namespace

std::vector<std::pair<int, int>> self_intersections(std::span<const std::array<double, 3>> vertices,
                                                    std::span<const std::array<int, 3>> triangles,
                                                    std::size_t most) {
  return SelfIntersections(vertices, triangles).find(most);
}

std::vector<Shell> shells_of(const SurfaceMesh& surface) {
  const SurfacePoints at(surface);
  const std::vector<int> component = triangle_components(surface.triangles);
  std::vector<Shell> shells;
  for (std::size_t t = 0; t < component.size(); ++t) {
    const auto k = static_cast<std::size_t>(component[t]);
    if (k >= shells.size()) shells.resize(k + 1);
    shells[k].triangles.push_back(surface.triangles[t]);
  }
  const Vec3 origin = at(surface.triangles[0][0]);
  for (Shell& shell : shells) {
    for (const auto& t : shell.triangles) {
      shell.volume += (at(t[0]) - origin).dot((at(t[1]) - origin).cross(at(t[2]) - origin)) / 6;
    }
  }
  for (Shell& shell : shells) {
    if (shell.volume >= 0) continue;
    const Vec3 point = point_inside(at, shell);
    for (std::size_t k = 0; k < shells.size(); ++k) {
      const Shell& other = shells[k];
      if (other.volume <= 0 || std::abs(winding(at, other, point)) < 0.5) continue;
      const bool first = shell.outer < 0;
      if (first || other.volume < shells[static_cast<std::size_t>(shell.outer)].volume) {
        shell.outer = static_cast<int>(k);
      }
    }
    shell.cavity = shell.outer >= 0;
    shell.inside = {point.x(), point.y(), point.z()};
  }
  return shells;
}

}  // namespace lilyan
