#include "app/report/camera.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

namespace lilyan {
namespace {

using Eigen::Vector3f;

constexpr float kZoom = 3.2F;     // a lens long enough not to distort
constexpr float kMargin = 0.90F;  // of the picture that the points may fill
constexpr int kRounds = 12;

// Of the points as a camera sees them.
struct Seen {
  float left = 0, right = 0, bottom = 0, top = 0;
  bool any = false;
  bool behind = false;  // some are at the camera or behind it

  void add(const Projected& p) {
    if (p.inverse_depth <= 0) {
      behind = true;
      return;
    }
    left = any ? std::min(left, p.x) : p.x;
    right = any ? std::max(right, p.x) : p.x;
    bottom = any ? std::min(bottom, p.y) : p.y;
    top = any ? std::max(top, p.y) : p.y;
    any = true;
  }
};

// The direction towards the camera, for any axis that is up.
Vector3f towards_camera(const Vector3f& up) {
  const bool z_up = std::abs(up.z()) > std::max(std::abs(up.x()), std::abs(up.y()));
  const Vector3f front = z_up ? Vector3f(-Vector3f::UnitY()) : Vector3f(Vector3f::UnitZ());
  const Vector3f right = up.cross(front).normalized();
  return (front + 0.5F * right + 0.38F * up).normalized();
}

}  // namespace

Camera::Camera(const Vector3f& eye, const Vector3f& target, const Vector3f& up, float zoom)
    : eye_(eye), zoom_(zoom) {
  const Vector3f forward = (target - eye).normalized();
  const Vector3f right = forward.cross(up).normalized();
  axes_ << right.transpose(), right.cross(forward).transpose(), forward.transpose();
}

Projected Camera::project(const Vector3f& p) const {
  const Vector3f seen = axes_ * (p - eye_);
  if (!(seen.z() > 0)) return {0, 0, -1};
  const float inverse = 1 / seen.z();
  return {zoom_ * seen.x() * inverse, zoom_ * seen.y() * inverse, inverse};
}

Vector3f Camera::ray(float x, float y) const {
  return axes_.transpose() * Vector3f(x / zoom_, y / zoom_, 1);
}

Camera framing(std::span<const float> points, const Vector3f& up, float aspect,
               const Outlook& outlook) {
  std::vector<Vector3f> finite;
  Eigen::AlignedBox3f box;
  for (std::size_t i = 0; i + 2 < points.size(); i += 3) {
    const Vector3f p(points[i], points[i + 1], points[i + 2]);
    if (!p.allFinite()) continue;
    finite.push_back(p);
    box.extend(p);
  }
  if (finite.empty()) box.extend(Vector3f(Vector3f::Zero()));
  const Vector3f direction = outlook.from ? outlook.from->normalized() : towards_camera(up);
  Vector3f target = box.center();
  const float radius = std::max(0.5F * box.diagonal().norm(), 1e-6F);
  float distance = 2 * kZoom * radius;
  Camera camera(target + distance * direction, target, up, kZoom);
  for (int round = 0; round < kRounds && !finite.empty(); ++round) {
    Seen seen;
    for (const Vector3f& p : finite) seen.add(camera.project(p));
    if (seen.behind || !seen.any) {
      distance *= 2;
    } else {
      const float scale = distance / kZoom;
      target +=
          0.5F * scale *
          ((seen.left + seen.right) * camera.right() + (seen.bottom + seen.top) * camera.up());
      const float fill = 0.5F * std::max(seen.right - seen.left, (seen.top - seen.bottom) / aspect);
      distance = std::max(distance * fill / kMargin, 0.2F * kZoom * radius);
    }
    camera = Camera(target + distance * direction, target, up, kZoom);
  }
  return Camera(target + distance * direction, target, up, outlook.zoom * kZoom);
}

}  // namespace lilyan
