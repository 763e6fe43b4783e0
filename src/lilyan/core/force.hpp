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

  // by_x += ∂F/∂x and by_v += ∂F/∂v, all entries, columns one after the other: steps of general
  // Lagrangians converge faster with them, to the same result. False when there are none to be had.
  virtual bool add_derivatives(double t, const double* x, const double* v, double* by_x,
                               double* by_v) const {
    static_cast<void>(t), static_cast<void>(x), static_cast<void>(v);
    static_cast<void>(by_x), static_cast<void>(by_v);
    return false;
  }

  // Whether its work is to be booked as dissipation: the force of a Rayleigh function.
  [[nodiscard]] virtual bool dissipates() const { return false; }
};

}  // namespace lilyan
