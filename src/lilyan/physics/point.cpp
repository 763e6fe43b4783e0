#include "lilyan/physics/point.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lilyan/core/error.hpp"

namespace lilyan {

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

}  // namespace lilyan
