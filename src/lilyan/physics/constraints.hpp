// Holonomic constraints: rigid rods, points, planes, and functions of the user's.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lilyan/base/types.hpp"
#include "lilyan/model/system_parts.hpp"

namespace lilyan {

// A rigid rod: the distance of two vertices, or of a vertex and a fixed point, stays L.
//
//   g(x) = ½ (|x_i − x_j|² − L²),   ∂g/∂x_i = x_i − x_j = −∂g/∂x_j                              (1)
//
// in units of length². Quadratic, so that its gradient, averaged over a straight path, is that of
// the path's middle; and λ ∂g/∂x is a force when λ is force over length, the rod's tension being
// −λL.
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
  void limit(Symmetry& symmetry) const override {
    if (other_ < 0) symmetry.pin(point_);
  }

 private:
  int vertex_;
  int other_;  // −1: a point
  Vec3 point_ = Vec3::Zero();
  double length_;
  std::array<int, 6> dofs_{};
};

// A vertex held at a point, or two vertices held together:
//
//   g(x) = x_i − p,   or   g(x) = x_i − x_j                                                     (1)
//
// in units of length, three equations; λ is the force on x_i.
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
  void limit(Symmetry& symmetry) const override {
    if (other_ < 0) symmetry.pin(point_);
  }

 private:
  int vertex_;
  int other_;  // −1: a point
  Vec3 point_ = Vec3::Zero();
  std::array<int, 6> dofs_{};
};

// A vertex on a plane:
//
//   g(x) = n·(x_i − p),   ∂g/∂x_i = n,   |n| = 1                                                (1)
//
// in units of length; λ is the force along the normal.
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
  void limit(Symmetry& symmetry) const override { symmetry.level(normal_); }

 private:
  int vertex_;
  Vec3 point_;
  Vec3 normal_;
  std::array<int, 3> dofs_;
};

// A constraint given as a function with its gradient.
//
//   // A bead on the parabola y = x² of a plane, coordinates 0 and 1 of the system:
//   system.add(std::make_unique<FunctionConstraint>(
//       "parabola", std::vector{0, 1}, 1.0, [](const double* q, double* gradient) {
//         if (gradient) gradient[0] = -2 * q[0], gradient[1] = 1;
//         return q[1] - q[0] * q[0];
//       }));
class FunctionConstraint final : public Constraint {
 public:
  // g of the chosen degrees of freedom, in their order; writes ∂g/∂q where not null. Smooth, with a
  // gradient that does not vanish where g = 0. Its units are free.
  using Function = std::function<double(const double* q, double* gradient)>;

  // `scale`: how large the terms are that g is a difference of.
  FunctionConstraint(std::string name, std::vector<int> dofs, double scale, Function function)
      : name_(std::move(name)),
        dofs_(std::move(dofs)),
        scale_(scale),
        function_(std::move(function)),
        q_(dofs_.size()) {}

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] int equations() const override { return 1; }
  [[nodiscard]] std::span<const int> dofs() const override { return dofs_; }
  [[nodiscard]] int dimension() const override { return 0; }
  void evaluate(const double* x, double* values, double* jacobian) const override {
    for (std::size_t i = 0; i < dofs_.size(); ++i) q_[i] = x[dofs_[i]];
    values[0] = function_(q_.data(), jacobian);
  }
  [[nodiscard]] double scale() const override { return scale_; }
  void limit(Symmetry& symmetry) const override { symmetry.clear(); }

 private:
  std::string name_;
  std::vector<int> dofs_;
  double scale_;
  Function function_;
  mutable std::vector<double> q_;  // workspace, so one thread at a time
};

}  // namespace lilyan
