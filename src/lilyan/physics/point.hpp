// A vertex held at a point, or two vertices held together:
//
//   g(x) = x_i − p,   or   g(x) = x_i − x_j                                                     (1)
//
// in units of length, three equations; λ is the force on x_i.
#pragma once

#include <array>

#include "lilyan/core/system_parts.hpp"
#include "lilyan/core/types.hpp"

namespace lilyan {

class PointConstraint final : public Constraint {
 public:
  PointConstraint(int vertex, const Vec3& point);
  // Throws Error unless the vertices differ.
  PointConstraint(int vertex, int other);

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] int equations() const override { return 3; }
  [[nodiscard]] std::span<const int> dofs() const override {
    return std::span(dofs_).first(other_ < 0 ? 3 : 6);
  }
  [[nodiscard]] int dimension() const override { return 3; }
  void evaluate(const double* x, double* values, double* jacobian) const override;
  [[nodiscard]] double scale() const override { return point_.norm(); }
  [[nodiscard]] bool translation_invariant() const override { return other_ >= 0; }
  // A point at the origin is where everything may turn about.
  [[nodiscard]] bool rotation_invariant() const override { return other_ >= 0 || point_.isZero(0); }

 private:
  int vertex_;
  int other_;  // −1: a point
  Vec3 point_ = Vec3::Zero();
  std::array<int, 6> dofs_{};
};

}  // namespace lilyan
