#include "lilyan/physics/plane.hpp"

#include <fmt/format.h>

#include "lilyan/core/error.hpp"

namespace lilyan {

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
