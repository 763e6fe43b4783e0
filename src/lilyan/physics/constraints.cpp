#include "lilyan/physics/constraints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lilyan/base/error.hpp"

namespace lilyan {
namespace {

double checked_length(double length) {
  if (length > 0 && std::isfinite(length)) return length;
  throw Error(
      fmt::format("the length of a distance constraint must be positive, not {}: at distance zero "
                  "it has no direction to act in",
                  length));
}

}  // namespace

DistanceConstraint::DistanceConstraint(int vertex, int other, double length)
    : vertex_(vertex), other_(other), length_(checked_length(length)) {
  if (vertex == other || vertex < 0 || other < 0) {
    throw Error(fmt::format("a distance constraint needs two different vertices, not {} and {}",
                            vertex, other));
  }
  dofs_ = {3 * vertex, 3 * vertex + 1, 3 * vertex + 2, 3 * other, 3 * other + 1, 3 * other + 2};
}

DistanceConstraint::DistanceConstraint(int vertex, const Vec3& point, double length)
    : vertex_(vertex), other_(-1), point_(point), length_(checked_length(length)) {
  dofs_ = {3 * vertex, 3 * vertex + 1, 3 * vertex + 2};
}

std::string DistanceConstraint::name() const {
  if (other_ >= 0) return fmt::format("distance between vertices {} and {}", vertex_, other_);
  return fmt::format("distance of vertex {} from [{}, {}, {}]", vertex_, point_[0], point_[1],
                     point_[2]);
}

void DistanceConstraint::evaluate(const double* x, double* values, double* jacobian) const {
  Vec3 r(x[3 * vertex_], x[3 * vertex_ + 1], x[3 * vertex_ + 2]);
  if (other_ >= 0) {
    r -= Vec3(x[3 * other_], x[3 * other_ + 1], x[3 * other_ + 2]);
  } else {
    r -= point_;
  }
  values[0] = 0.5 * (r.squaredNorm() - length_ * length_);
  if (!jacobian) return;
  for (int c = 0; c < 3; ++c) {
    jacobian[c] = r[c];
    if (other_ >= 0) jacobian[3 + c] = -r[c];
  }
}

PointConstraint::PointConstraint(int vertex, const Vec3& point)
    : vertex_(vertex), other_(-1), point_(point) {
  for (int c = 0; c < 3; ++c) dofs_[static_cast<std::size_t>(c)] = 3 * vertex + c;
}

PointConstraint::PointConstraint(int vertex, int other) : vertex_(vertex), other_(other) {
  if (vertex == other) throw Error("a joint needs two different vertices");
  for (int c = 0; c < 3; ++c) {
    dofs_[static_cast<std::size_t>(c)] = 3 * vertex + c;
    dofs_[3 + static_cast<std::size_t>(c)] = 3 * other + c;
  }
}

std::string PointConstraint::name() const {
  if (other_ >= 0) return fmt::format("vertices {} and {} joined", vertex_, other_);
  return fmt::format("vertex {} at [{}, {}, {}]", vertex_, point_[0], point_[1], point_[2]);
}

void PointConstraint::evaluate(const double* x, double* values, double* jacobian) const {
  const int width = other_ < 0 ? 3 : 6;
  if (jacobian) std::fill_n(jacobian, 3 * width, 0.0);
  for (int c = 0; c < 3; ++c) {
    values[c] = x[3 * vertex_ + c] - (other_ < 0 ? point_[c] : x[3 * other_ + c]);
    if (!jacobian) continue;
    jacobian[width * c + c] = 1;
    if (other_ >= 0) jacobian[width * c + 3 + c] = -1;
  }
}

PlaneConstraint::PlaneConstraint(int vertex, const Vec3& point, const Vec3& normal)
    : vertex_(vertex),
      point_(point),
      normal_(normal.stableNormalized()),
      dofs_{3 * vertex, 3 * vertex + 1, 3 * vertex + 2} {
  if (!(normal_.norm() > 0.5)) throw Error("the normal of a plane must not be zero");
}

std::string PlaneConstraint::name() const {
  return fmt::format("vertex {} on the plane through [{}, {}, {}] with normal [{}, {}, {}]",
                     vertex_, point_[0], point_[1], point_[2], normal_[0], normal_[1], normal_[2]);
}

void PlaneConstraint::evaluate(const double* x, double* values, double* jacobian) const {
  values[0] = 0;
  for (int c = 0; c < 3; ++c) {
    values[0] += normal_[c] * (x[3 * vertex_ + c] - point_[c]);
    if (jacobian) jacobian[c] = normal_[c];
  }
}

}  // namespace lilyan
