// A rigid rod: the distance of two vertices, or of a vertex and a fixed point, stays L.
//
//   g(x) = ½ (|x_i − x_j|² − L²),   ∂g/∂x_i = x_i − x_j = −∂g/∂x_j                              (1)
//
// in units of length². Quadratic, so that its gradient, averaged over a straight path, is that of
// the path's middle; and λ ∂g/∂x is a force when λ is force over length, the rod's tension being
// −λL.
#pragma once

#include <array>

#include "lilyan/core/system_parts.hpp"
#include "lilyan/core/types.hpp"

namespace lilyan {

class DistanceConstraint final : public Constraint {
 public:
  // Between two vertices, or from a vertex to a point in space. Throws Error unless the length is
  // positive and finite and the vertices differ.
  DistanceConstraint(int vertex, int other, double length);
  DistanceConstraint(int vertex, const Vec3& point, double length);

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] int equations() const override { return 1; }
  [[nodiscard]] std::span<const int> dofs() const override {
    return std::span(dofs_).first(other_ < 0 ? 3 : 6);
  }
  [[nodiscard]] int dimension() const override { return 3; }
  void evaluate(const double* x, double* values, double* jacobian) const override;
  [[nodiscard]] double scale() const override { return length_ * length_; }
  [[nodiscard]] bool translation_invariant() const override { return other_ >= 0; }
  [[nodiscard]] bool rotation_invariant() const override { return other_ >= 0 || point_.isZero(0); }

 private:
  int vertex_;
  int other_;  // −1: a point
  Vec3 point_ = Vec3::Zero();
  double length_;
  std::array<int, 6> dofs_{};
};

}  // namespace lilyan
