#include "lilyan/physics/distance.hpp"

#include <fmt/format.h>

#include <cmath>

#include "lilyan/core/error.hpp"

namespace lilyan {
namespace {

double checked(double length) {
  if (length > 0 && std::isfinite(length)) return length;
  throw Error(
      fmt::format("the length of a distance constraint must be positive, not {}: at distance zero "
                  "it has no direction to act in",
                  length));
}

}  // namespace

DistanceConstraint::DistanceConstraint(int vertex, int other, double length)
    : vertex_(vertex), other_(other), length_(checked(length)) {
  if (vertex == other || vertex < 0 || other < 0) {
    throw Error(fmt::format("a distance constraint needs two different vertices, not {} and {}",
                            vertex, other));
  }
  dofs_ = {3 * vertex, 3 * vertex + 1, 3 * vertex + 2, 3 * other, 3 * other + 1, 3 * other + 2};
}

DistanceConstraint::DistanceConstraint(int vertex, const Vec3& point, double length)
    : vertex_(vertex), other_(-1), point_(point), length_(checked(length)) {
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

}  // namespace lilyan
