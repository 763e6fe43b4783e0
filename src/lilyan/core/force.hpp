// External forces: what acts on a system beside its potential energies.
#pragma once

namespace lilyan {

// F(t, x, v), with one entry per degree of freedom. May do work, take energy out, depend on time.
class Force {
 public:
  Force() = default;
  Force(const Force&) = delete;
  Force& operator=(const Force&) = delete;
  virtual ~Force() = default;

  // force += F(t, x, v).
  virtual void add(double t, const double* x, const double* v, double* force) const = 0;

  // diagonal −= ∂F_i/∂v_i, or an estimate of it that is not negative: implicit steps converge
  // faster with it, to the same result. Leave it when forces do not depend on velocities.
  virtual void add_damping(double t, const double* x, const double* v, double* diagonal) const {
    static_cast<void>(t), static_cast<void>(x), static_cast<void>(v), static_cast<void>(diagonal);
  }
};

}  // namespace lilyan
