#include "app/report/obstacle_mesh.hpp"

#include <Eigen/Geometry>

#include <cmath>
#include <numbers>

namespace lilyan {
namespace {

constexpr int kAround = 48;  // points on the equator of a sphere
constexpr int kRings = 24;   // from pole to pole, even

void add(ObstacleMesh& mesh, const Vec3& p, const Vec3& n) {
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
      add(mesh, (upper ? b : a) + radius * n, n);
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
        add(mesh, box.center + box.half.cwiseProduct(corner), n);
      }
      mesh.triangles.push_back({first, first + 1, first + 2});
      mesh.triangles.push_back({first, first + 2, first + 3});
    }
  }
}

}  // namespace

ObstacleMesh obstacle_mesh(const Obstacle& obstacle, double t) {
  ObstacleMesh mesh;
  if (const auto* sphere = std::get_if<SphereShape>(&obstacle.shape)) {
    add_round(mesh, sphere->center, sphere->center, sphere->radius);
  } else if (const auto* capsule = std::get_if<CapsuleShape>(&obstacle.shape)) {
    add_round(mesh, capsule->from, capsule->to, capsule->radius);
  } else if (const auto* box = std::get_if<BoxShape>(&obstacle.shape)) {
    add_box(mesh, *box);
  }
  if (!obstacle.motion.moves()) return mesh;
  const Pose pose = obstacle.motion.at(t);
  for (Eigen::Vector3f& p : mesh.points) p = pose.apply(p.cast<double>()).cast<float>();
  for (Eigen::Vector3f& n : mesh.normals) n = pose.rotation.cast<float>() * n;
  return mesh;
}

}  // namespace lilyan
