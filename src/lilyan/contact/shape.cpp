#include "lilyan/contact/shape.hpp"

#include <cmath>

namespace lilyan {
namespace {

// Distance `r` to a nearest point at x − offset, less a radius. `around` are the directions in
// which that point stays where it is.
SignedDistance from_nearest(const Vec3& offset, double radius, const Eigen::Matrix3d& around) {
  SignedDistance d;
  const double r = offset.norm();
  d.value = r - radius;
  if (!(r > 0)) {
    // Any direction is as good as another, as long as the nearest point does not follow it.
    int best = 0;
    around.diagonal().maxCoeff(&best);
    d.normal = around.col(best).normalized();
    return d;
  }
  d.normal = offset / r;
  d.curvature = (around - d.normal * d.normal.transpose()) / r;
  return d;
}

struct Distance {
  const Vec3& x;

  SignedDistance operator()(const PlaneShape& plane) const {
    return {.value = plane.normal.dot(x - plane.point), .normal = plane.normal};
  }

  SignedDistance operator()(const SphereShape& sphere) const {
    return from_nearest(x - sphere.center, sphere.radius, Eigen::Matrix3d::Identity());
  }

  SignedDistance operator()(const CapsuleShape& capsule) const {
    const Vec3 axis = capsule.to - capsule.from;
    const double length = axis.squaredNorm();
    const double s = length > 0 ? axis.dot(x - capsule.from) / length : 0.0;
    Eigen::Matrix3d around = Eigen::Matrix3d::Identity();
    if (s > 0 && s < 1) around -= axis * axis.transpose() / length;
    const Vec3 nearest = capsule.from + std::fmin(std::fmax(s, 0.0), 1.0) * axis;
    return from_nearest(x - nearest, capsule.radius, around);
  }

  SignedDistance operator()(const BoxShape& box) const {
    const Vec3 p = x - box.center;
    const Vec3 beyond = p.cwiseAbs() - box.half;
    int nearest = 0;
    const double most = beyond.maxCoeff(&nearest);
    if (most <= 0) {
      SignedDistance d;
      d.value = most;
      d.normal[nearest] = p[nearest] < 0 ? -1 : 1;
      return d;
    }
    // Outside, the nearest point slides along with x in the directions within the box's slabs.
    Vec3 offset = Vec3::Zero();
    Eigen::Matrix3d around = Eigen::Matrix3d::Zero();
    for (int i = 0; i < 3; ++i) {
      if (beyond[i] <= 0) continue;
      offset[i] = p[i] < 0 ? -beyond[i] : beyond[i];
      around(i, i) = 1;
    }
    return from_nearest(offset, 0, around);
  }
};

}  // namespace

double extent(const ObstacleShape& shape) {
  struct Extent {
    double operator()(const PlaneShape& s) const { return s.point.norm(); }
    double operator()(const SphereShape& s) const { return s.center.norm() + s.radius; }
    double operator()(const BoxShape& s) const { return s.center.norm() + s.half.norm(); }
    double operator()(const CapsuleShape& s) const {
      return s.from.norm() + s.to.norm() + s.radius;
    }
  };
  return std::visit(Extent{}, shape);
}

SignedDistance signed_distance(const ObstacleShape& shape, const Vec3& x) {
  return std::visit(Distance{x}, shape);
}

}  // namespace lilyan
