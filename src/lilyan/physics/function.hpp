// A constraint given as a function with its gradient.
//
//   // A bead on the parabola y = x² of a plane, coordinates 0 and 1 of the system:
//   system.add(std::make_unique<FunctionConstraint>(
//       "parabola", std::vector{0, 1}, 1.0, [](const double* q, double* gradient) {
//         if (gradient) gradient[0] = -2 * q[0], gradient[1] = 1;
//         return q[1] - q[0] * q[0];
//       }));
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "lilyan/core/system_parts.hpp"

namespace lilyan {

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
  [[nodiscard]] bool translation_invariant() const override { return false; }
  [[nodiscard]] bool rotation_invariant() const override { return false; }

 private:
  std::string name_;
  std::vector<int> dofs_;
  double scale_;
  Function function_;
  mutable std::vector<double> q_;  // workspace, so one thread at a time
};

}  // namespace lilyan
