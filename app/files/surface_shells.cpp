// The closed components of a surface, and which lies inside of which.
//
// A point is inside of a shell when the solid angle under which it sees the shell is ±4π rather
// than 0: A. Van Oosterom, J. Strackee, "The solid angle of a plane triangle" (1983),
//   tan(Ω/2) = a·(b×c) / (|a||b||c| + (a·b)|c| + (b·c)|a| + (c·a)|b|).
#include "app/files/surface_shells.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/files/mesh_quality.hpp"
#include "lilyan/core/types.hpp"

namespace lilyan {
namespace {

class Points3 {
 public:
  explicit Points3(const SurfaceMesh& surface) : surface_(surface) {}
  Vec3 operator()(int vertex) const {
    return Vec3(surface_.vertices[static_cast<std::size_t>(vertex)].data());
  }

 private:
  const SurfaceMesh& surface_;
};

// How many times the shell winds around the point.
double winding(const Points3& at, const Shell& shell, const Vec3& point) {
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
Vec3 point_inside(const Points3& at, const Shell& shell) {
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

std::vector<Shell> shells_of(const SurfaceMesh& surface) {
  const Points3 at(surface);
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
