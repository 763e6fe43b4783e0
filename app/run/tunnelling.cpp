#include "app/run/tunnelling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <variant>

#include "app/run/run_summary.hpp"
#include "app/scene/body/distribution.hpp"
#include "app/scene/contact/contact_tables.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/contact/body_contact.hpp"
#include "lilyan/contact/obstacle_contact.hpp"
#include "lilyan/model/state.hpp"

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

// The box of the straight ways of some vertices.
template <class Vertices>
Box box_of(const Vertices& vertices, const State& before, const State& after) {
  Box box;
  for (const int i : vertices) {
    box.extend(Vec3(before.x.segment<3>(3 * i)));
    box.extend(Vec3(after.x.segment<3>(3 * i)));
  }
  return box;
}

PointTriangle pair_at(const Vector& x, int point, const std::array<int, 3>& triangle) {
  PointTriangle z;
  z << x.segment<3>(3 * point), x.segment<3>(3 * triangle[0]), x.segment<3>(3 * triangle[1]),
      x.segment<3>(3 * triangle[2]);
  return z;
}

// Whether a point in the plane of a triangle is within it, but for rounding.
bool is_within(const PointTriangle& z) {
  constexpr double kRounding = 1e-9;
  const Vec3 a = z.segment<3>(3);
  const Vec3 u = z.segment<3>(6) - a;
  const Vec3 v = z.segment<3>(9) - a;
  const Vec3 w = z.segment<3>(0) - a;
  const Vec3 n = u.cross(v);
  const double of_b = w.cross(v).dot(n) / n.squaredNorm();
  const double of_c = u.cross(w).dot(n) / n.squaredNorm();
  return of_b >= -kRounding && of_c >= -kRounding && of_b + of_c <= 1 + kRounding;
}

// Times within the step between which a cubic only grows or only falls, the step's ends included.
struct Turns {
  std::array<double, 4> at{};
  std::size_t count = 0;
};
Turns turns_of(const std::array<double, 4>& cubic) {
  Turns turns{{0.0}, 1};
  // 3 c₃ t² + 2 c₂ t + c₁ = 0, with the sum that does not cancel.
  const double half = cubic[2];
  const double root = std::sqrt(std::max(0.0, half * half - 3 * cubic[3] * cubic[1]));
  const double q = -(half + std::copysign(root, half));
  std::array<double, 2> roots = {q / (3 * cubic[3]), cubic[1] / q};
  std::ranges::sort(roots);
  for (const double t : roots) {
    if (t > 0 && t < 1) turns.at[turns.count++] = t;
  }
  turns.at[turns.count++] = 1;
  return turns;
}

}  // namespace

// The four are in one plane when the volume (b − a) × (c − a) · (p − a) is zero, which is a cubic of time.
int crossings(const PointTriangle& before, const PointTriangle& after) {
  const auto edge = [](const PointTriangle& z, int k) {
    return Vec3(z.segment<3>(k) - z.segment<3>(3));
  };
  const auto volume = [&](const PointTriangle& z) {
    return edge(z, 6).cross(edge(z, 9)).dot(edge(z, 0));
  };
  const Vec3 u = edge(before, 6);
  const Vec3 v = edge(before, 9);
  const Vec3 w = edge(before, 0);
  const Vec3 du = edge(after, 6) - u;
  const Vec3 dv = edge(after, 9) - v;
  const Vec3 dw = edge(after, 0) - w;
  const Vec3 first = du.cross(v) + u.cross(dv);
  const std::array<double, 4> c = {volume(before), first.dot(w) + u.cross(v).dot(dw),
                                   du.cross(dv).dot(w) + first.dot(dw), du.cross(dv).dot(dw)};
  // At the end of the step as the next step sees it, so that no crossing is lost or counted twice.
  const double last = volume(after);
  const auto above = [&](double t) {
    return (t == 1 ? last : c[0] + t * (c[1] + t * (c[2] + t * c[3]))) >= 0;
  };
  const Turns turns = turns_of(c);
  int count = 0;
  for (std::size_t k = 0; k + 1 < turns.count; ++k) {
    double low = turns.at[k];
    double high = turns.at[k + 1];
    const bool from = above(low);
    if (from == above(high)) continue;
    for (int i = 0; i < 60; ++i) {
      const double middle = (low + high) / 2;
      (above(middle) == from ? low : high) = middle;
    }
    count += is_within(before + high * (after - before)) ? 1 : 0;
  }
  return count;
}

TunnelWatch::TunnelWatch(const Scene& scene)
    : scene_(scene), bodies_touch_(!scene.bodies().contacts.empty()) {
  for (std::size_t k = 0; k < scene.bodies().obstacles.size(); ++k) {
    const double thickness = std::visit(Thickness{}, scene.bodies().obstacles[k].shape);
    if (scene.bodies().obstacles[k].inside_out || !std::isfinite(thickness)) continue;
    obstacles_.push_back({k, thickness});
  }
}

void TunnelWatch::report(RunSummary& summary) const {
  summary.passages = passages_;
  summary.longest_to_obstacle = longest_;
  summary.passages_of_bodies = between_bodies_;
}

void TunnelWatch::step(const WatchedStep& step) {
  const State& before = step.before;
  const State& after = step.after;
  const long passages = passages_;
  add_obstacles(before, after);
  if (scene_.shared) {
    passages_ = passages +
                std::lround(scene_.shared->ranks->sum(static_cast<double>(passages_ - passages)));
    longest_ = scene_.shared->ranks->largest(longest_);
  }
  for (const TouchingBodies& touching : scene_.bodies().contacts) {
    for (const ContactSurface& one : touching.surfaces) {
      for (const ContactSurface& other : touching.surfaces) {
        if (&one != &other) add_bodies(one, other, before, after);
      }
    }
  }
}

// Vertices of one body through triangles of the other.
void TunnelWatch::add_bodies(const ContactSurface& one, const ContactSurface& other,
                             const State& before, const State& after) {
  const Box reach = box_of(one.vertices, before, after);
  if (!reach.intersects(box_of(other.vertices, before, after))) return;
  near_.clear();
  boxes_.clear();
  double size = 0;
  for (std::size_t k = 0; k < other.triangles.size(); ++k) {
    const Box box = box_of(other.triangles[k], before, after);
    if (!box.intersects(reach)) continue;
    near_.push_back(k);
    boxes_.push_back(box);
    size += box.diagonal().norm();
  }
  if (!(size > 0)) return;
  hash_.build(boxes_, size / static_cast<double>(boxes_.size()));
  for (const int vertex : one.vertices) {
    hash_.find(box_of(std::array{vertex}, before, after), found_);
    const bool through = std::ranges::any_of(found_, [&](int k) {
      const auto& triangle = other.triangles[near_[static_cast<std::size_t>(k)]];
      // Through and back again is not through.
      return crossings(pair_at(before.x, vertex, triangle), pair_at(after.x, vertex, triangle)) %
                 2 !=
             0;
    });
    between_bodies_ += through ? 1 : 0;
  }
}

void TunnelWatch::add_obstacles(const State& before, const State& after) {
  for (const auto& [number, thickness] : obstacles_) {
    const Obstacle& obstacle = scene_.bodies().obstacles[number];
    const Pose from = obstacle.motion.at(before.t);
    const Pose to = obstacle.motion.at(after.t);
    for (Eigen::Index i = 0; i + 2 < before.x.size(); i += 3) {
      if (scene_.shared && !scene_.system->share()->owns(static_cast<int>(i))) continue;
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
