// A vertex on a plane:
//
//   g(x) = n·(x_i − p),   ∂g/∂x_i = n,   |n| = 1                                                (1)
//
// in units of length; λ is the force along the normal.
#pragma once

#include <array>

#include "lilyan/core/system_parts.hpp"
#include "lilyan/core/types.hpp"

namespace lilyan {

class PlaneConstraint final : public Constraint {
 public:
  // The normal may have any length but zero. Throws Error otherwise.
  PlaneConstraint(int vertex, const Vec3& point, const Vec3& normal);

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] int equations() const override { return 1; }
  [[nodiscard]] std::span<const int> dofs() const override { return dofs_; }
  [[nodiscard]] int dimension() const override { return 3; }
  void evaluate(const double* x, double* values, double* jacobian) const override;
  [[nodiscard]] double scale() const override { return point_.norm(); }
  [[nodiscard]] bool translation_invariant() const override { return false; }
  [[nodiscard]] bool rotation_invariant() const override { return false; }

 private:
  int vertex_;
  Vec3 point_;
  Vec3 normal_;
  std::array<int, 3> dofs_;
};

}  // namespace lilyan
