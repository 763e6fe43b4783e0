#include "lilyan/contact/obstacle.hpp"

#include <cmath>
#include <limits>

namespace lilyan {
namespace {

// The distance to the nearest point x − offset, less a radius. That point stays where it is when x
// moves in the directions `around`.
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

struct DistanceToShape {
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

Vec3 origin(const ObstacleShape& shape) {
  struct Origin {
    Vec3 operator()(const PlaneShape& s) const { return s.point; }
    Vec3 operator()(const SphereShape& s) const { return s.center; }
    Vec3 operator()(const BoxShape& s) const { return s.center; }
    Vec3 operator()(const CapsuleShape& s) const { return s.from; }
  };
  return std::visit(Origin{}, shape);
}

ObstacleShape seen_from(const Vec3& origin, ObstacleShape shape) {
  struct Move {
    Vec3 by;
    void operator()(PlaneShape& s) const { s.point -= by; }
    void operator()(SphereShape& s) const { s.center -= by; }
    void operator()(BoxShape& s) const { s.center -= by; }
    void operator()(CapsuleShape& s) const {
      s.from -= by;
      s.to -= by;
    }
  };
  std::visit(Move{origin}, shape);
  return shape;
}

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

double thickness(const ObstacleShape& shape) {
  struct Thickness {
    double operator()(const PlaneShape&) const { return std::numeric_limits<double>::infinity(); }
    double operator()(const SphereShape& s) const { return 2 * s.radius; }
    double operator()(const BoxShape& s) const { return 2 * s.half.minCoeff(); }
    double operator()(const CapsuleShape& s) const { return 2 * s.radius; }
  };
  return std::visit(Thickness{}, shape);
}

SignedDistance signed_distance(const ObstacleShape& shape, const Vec3& x) {
  return std::visit(DistanceToShape{x}, shape);
}

SignedDistance Obstacle::distance_at_rest(const Vec3& x) const {
  SignedDistance d = signed_distance(shape, x);
  if (inside_out) {
    d.value = -d.value;
    d.normal = -d.normal;
    d.curvature = -d.curvature;
  }
  return d;
}

SignedDistance Obstacle::distance(const Pose& pose, const Vec3& x) const {
  if (!motion.moves()) return distance_at_rest(x);
  SignedDistance d = distance_at_rest(pose.undo(x));
  d.normal = pose.rotation * d.normal;
  d.curvature = pose.rotation * d.curvature * pose.rotation.transpose();
  return d;
}

void ObstaclePoses::begin_step(const RigidMotion& motion, double t, double h) {
  now = motion.at(t + 0.5 * h);
  step_from = motion.at(t);
  step_to = motion.at(t + h);
  step_h = h;
}

// The motion's centre, which all poses share, drops out.
Vec3 ObstaclePoses::velocity(const Vec3& x) const {
  if (step_h == 0) return Vec3::Zero();
  return ((step_to.rotation - step_from.rotation) * now.from_center(x) +
          (step_to.shift - step_from.shift)) /
         step_h;
}

}  // namespace lilyan
