// Impulses: what is added to the momentum at the start of a step, from the step before.
#pragma once

namespace lilyan {

class Impulse {
 public:
  Impulse() = default;
  Impulse(const Impulse&) = delete;
  Impulse& operator=(const Impulse&) = delete;
  virtual ~Impulse() = default;

  // impulse += what follows from the step that led from x_previous to x.
  virtual void add(const double* x_previous, const double* x, double* impulse) const = 0;

  // Whether it has no sum, and no torque about x.
  [[nodiscard]] virtual bool keeps_linear_momentum() const = 0;
  [[nodiscard]] virtual bool keeps_angular_momentum() const = 0;
};

}  // namespace lilyan
