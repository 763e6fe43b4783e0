#include "app/run/tunnelling.hpp"

#include <algorithm>
#include <limits>
#include <variant>

#include "app/scene/scene.hpp"
#include "lilyan/contact/obstacle_contact.hpp"
#include "lilyan/core/state.hpp"

namespace lilyan {
namespace {

// The length of the shortest way through; infinite for a half-space.
struct Thickness {
  double operator()(const PlaneShape&) const { return std::numeric_limits<double>::infinity(); }
  double operator()(const SphereShape& s) const { return 2 * s.radius; }
  double operator()(const BoxShape& s) const { return 2 * s.half.minCoeff(); }
  double operator()(const CapsuleShape& s) const { return 2 * s.radius; }
};

// Whether the straight way from a to b enters the shape. Since the distance changes by no more than one
// moves, each step of the search may be as long as the distance.
bool enters(const ObstacleShape& shape, const Vec3& a, const Vec3& b, double thickness) {
  const double length = (b - a).norm();
  for (double s = 0; s < length;) {
    const double d = signed_distance(shape, a + (s / length) * (b - a)).value;
    if (d < 0) return true;
    s += std::max(d, 1e-3 * thickness);
  }
  return false;
}

}  // namespace

TunnelWatch::TunnelWatch(const Scene& scene) : scene_(scene) {
  for (std::size_t k = 0; k < scene.obstacles.size(); ++k) {
    const double thickness = std::visit(Thickness{}, scene.obstacles[k].shape);
    if (scene.obstacles[k].inside_out || !std::isfinite(thickness)) continue;
    obstacles_.push_back({k, thickness});
  }
}

void TunnelWatch::add(const State& before, const State& after) {
  for (const auto& [number, thickness] : obstacles_) {
    const Obstacle& obstacle = scene_.obstacles[number];
    const Pose from = obstacle.motion.at(before.t);
    const Pose to = obstacle.motion.at(after.t);
    for (Eigen::Index i = 0; i + 2 < before.x.size(); i += 3) {
      // As the obstacle sees it.
      const Vec3 a = from.undo(before.x.segment<3>(i));
      const Vec3 b = to.undo(after.x.segment<3>(i));
      const double length = (b - a).norm();
      if (!(length > 0.1 * thickness)) continue;
      const SignedDistance start = signed_distance(obstacle.shape, a);
      if (start.value < 0 || start.value > length) continue;
      longest_ = std::max(longest_, length / thickness);
      const SignedDistance end = signed_distance(obstacle.shape, b);
      // Out at the other side: a vertex that was turned back leaves where it came in.
      if (end.value < 0 || start.normal.dot(end.normal) >= 0) continue;
      passages_ += enters(obstacle.shape, a, b, thickness);
    }
  }
}

}  // namespace lilyan
