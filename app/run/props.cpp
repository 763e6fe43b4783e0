#include "app/run/props.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace lilyan {
namespace {

using Eigen::Vector3f;

constexpr int kAround = 48;      // points on the equator of a sphere
constexpr int kRings = 24;       // from pole to pole, even
constexpr float kBeyond = 1.5F;  // half the side of a plane, in diagonals of what it is shown with

void add_point(ObstacleMesh& mesh, const Vec3& p, const Vec3& n) {
  mesh.points.push_back(p.cast<float>());
  mesh.normals.push_back(n.cast<float>());
}

// A sphere whose halves are pulled apart to the ends of the axis from a to b.
void add_round(ObstacleMesh& mesh, const Vec3& a, const Vec3& b, double radius) {
  const Vec3 axis = (b - a).isZero(0) ? Vec3(Vec3::UnitY()) : Vec3((b - a).normalized());
  const Vec3 side = axis.unitOrthogonal();
  const Vec3 other = axis.cross(side);
  // The equator is there twice, once for each half.
  for (int ring = 0; ring <= kRings + 1; ++ring) {
    const bool upper = ring > kRings / 2;
    const double polar = std::numbers::pi * (upper ? ring - 1 : ring) / kRings;
    for (int i = 0; i < kAround; ++i) {
      const double around = 2 * std::numbers::pi * i / kAround;
      const Vec3 n = std::sin(polar) * (std::cos(around) * side + std::sin(around) * other) -
                     std::cos(polar) * axis;
      add_point(mesh, (upper ? b : a) + radius * n, n);
    }
  }
  for (int ring = 0; ring <= kRings; ++ring) {
    for (int i = 0; i < kAround; ++i) {
      const int p = ring * kAround + i;
      const int q = ring * kAround + (i + 1) % kAround;
      mesh.triangles.push_back({p, q, q + kAround});
      mesh.triangles.push_back({p, q + kAround, p + kAround});
    }
  }
}

void add_box(ObstacleMesh& mesh, const BoxShape& box) {
  for (int axis = 0; axis < 3; ++axis) {
    for (const double sign : {-1.0, 1.0}) {
      const auto first = static_cast<int>(mesh.points.size());
      Vec3 n = Vec3::Zero();
      n[axis] = sign;
      for (const auto& [u, v] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}) {
        Vec3 corner = n;
        corner[(axis + 1) % 3] = u;
        corner[(axis + 2) % 3] = v;
        add_point(mesh, box.center + box.half.cwiseProduct(corner), n);
      }
      mesh.triangles.push_back({first, first + 1, first + 2});
      mesh.triangles.push_back({first, first + 2, first + 3});
    }
  }
}

// A square of the plane about the middle of a box.
void add_square(ObstacleMesh& mesh, const PlaneShape& plane, const Eigen::AlignedBox3f& box) {
  const Vec3 middle = box.center().cast<double>();
  const Vec3 foot = middle - (middle - plane.point).dot(plane.normal) * plane.normal;
  const double half = kBeyond * box.diagonal().norm();
  const Vec3 u = half * plane.normal.unitOrthogonal();
  const Vec3 v = plane.normal.cross(u);
  for (const auto& [a, b] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}) {
    add_point(mesh, foot + a * u + b * v, plane.normal);
  }
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
}

Eigen::AlignedBox3f box_around(const FrameSource& frames) {
  Eigen::AlignedBox3f box;
  std::vector<float> points;
  for (std::size_t k = 0; k < frames.frames(); ++k) {
    frames.read(k, points);
    for (std::size_t i = 0; i + 2 < points.size(); i += 3) {
      box.extend(Vector3f(points[i], points[i + 1], points[i + 2]));
    }
  }
  return box;
}

std::string shape_name(const ObstacleShape& shape) {
  static constexpr std::array kNames = {"plane", "sphere", "box", "capsule"};
  return kNames[shape.index()];
}

}  // namespace

ObstacleMesh obstacle_mesh(const Obstacle& obstacle) {
  ObstacleMesh mesh;
  if (const auto* sphere = std::get_if<SphereShape>(&obstacle.shape)) {
    add_round(mesh, sphere->center, sphere->center, sphere->radius);
  } else if (const auto* capsule = std::get_if<CapsuleShape>(&obstacle.shape)) {
    add_round(mesh, capsule->from, capsule->to, capsule->radius);
  } else if (const auto* box = std::get_if<BoxShape>(&obstacle.shape)) {
    add_box(mesh, *box);
  }
  return mesh;
}

std::vector<Prop> props_of(std::span<const Obstacle> obstacles, const FrameSource& frames) {
  std::vector<Prop> props;
  const bool planes = std::ranges::any_of(
      obstacles, [](const Obstacle& o) { return std::holds_alternative<PlaneShape>(o.shape); });
  const Eigen::AlignedBox3f box = planes ? box_around(frames) : Eigen::AlignedBox3f();
  for (const Obstacle& obstacle : obstacles) {
    ObstacleMesh mesh = obstacle_mesh(obstacle);
    if (const auto* plane = std::get_if<PlaneShape>(&obstacle.shape)) add_square(mesh, *plane, box);
    Prop prop{.name = !obstacle.name.empty()
                          ? obstacle.name
                          : fmt::format("{}{}", shape_name(obstacle.shape), props.size() + 1),
              .motion = obstacle.motion};
    for (const Vector3f& p : mesh.points) prop.points.insert(prop.points.end(), p.begin(), p.end());
    for (const Vector3f& n : mesh.normals) {
      prop.normals.insert(prop.normals.end(), n.begin(), n.end());
    }
    // At the poles of spheres some have no area.
    for (const auto& t : mesh.triangles) {
      const auto at = [&](int k) {
        return mesh.points[static_cast<std::size_t>(t[std::size_t(k)])];
      };
      const Vector3f cross = (at(1) - at(0)).cross(at(2) - at(0));
      if (cross.norm() > 1e-6F * (at(1) - at(0)).squaredNorm()) prop.triangles.push_back(t);
    }
    props.push_back(std::move(prop));
  }
  return props;
}

}  // namespace lilyan
