// Parts of a System besides its energies: external forces, holonomic constraints, and the Lagrangian
// that takes the place of masses and energies.
#pragma once

#include <span>
#include <string>

#include "lilyan/model/symmetry.hpp"

namespace lilyan {

// The time that a step takes, backwards where it ends before it begins.
struct TimeSpan {
  double begin = 0;
  double end = 0;
};

// An external force F(t, x, v), with one entry per degree of freedom. It may do work, take energy
// out and depend on time.
class Force {
 public:
  Force() = default;
  Force(const Force&) = delete;
  Force& operator=(const Force&) = delete;
  virtual ~Force() = default;

  // force += F(t, x, v).
  virtual void add(double t, const double* x, const double* v, double* force) const = 0;

  // The moments, in ascending order, at which F jumps as a function of time. Steps take them into account
  // (add_within_step).
  [[nodiscard]] virtual std::span<const double> jumps() const { return {}; }

  // force += F as it is between two neighbouring jumps (infinite where there is none), continued smoothly to
  // t. That moment may be one of the two, or outside: methods that are compositions go beyond their steps.
  // By default F is taken at the nearest moment between the jumps.
  virtual void add_between_jumps(const TimeSpan& between, double t, const double* x,
                                 const double* v, double* force) const;

  // force += F(t, x, v) in a step in which methods sample F. Samples at the ends of the step are taken from
  // inside. A jump within the step parts it into pieces; a sample is then the mean over the pieces, each
  // at the same share of its own length. Weights that add up to one over the step thus give the impulse as
  // accurately as of a smooth force, wherever the jump is.
  void add_within_step(const TimeSpan& step, double t, const double* x, const double* v, int dofs,
                       double* force) const;

  // diagonal −= ∂F_i/∂v_i, or an estimate of it that is not negative: implicit steps converge
  // faster with it, to the same result. A force that does not depend on velocities adds nothing.
  virtual void add_damping(double t, const double* x, const double* v, double* diagonal) const {
    static_cast<void>(t), static_cast<void>(x), static_cast<void>(v), static_cast<void>(diagonal);
  }

  // by_x += ∂F/∂x and by_v += ∂F/∂v, all entries, columns one after the other: steps of general
  // Lagrangians converge faster with them, to the same result. False when it does not know them.
  virtual bool add_derivatives(double t, const double* x, const double* v, double* by_x,
                               double* by_v) const {
    static_cast<void>(t), static_cast<void>(x), static_cast<void>(v);
    static_cast<void>(by_x), static_cast<void>(by_v);
    return false;
  }

  // Whether its work counts as dissipation in the energy ledger: the force of a Rayleigh function.
  [[nodiscard]] virtual bool dissipates() const { return false; }
};

// A holonomic constraint: one or several equations g(x) = 0 over the same few degrees of freedom,
// which the system keeps.
class Constraint {
 public:
  Constraint() = default;
  Constraint(const Constraint&) = delete;
  Constraint& operator=(const Constraint&) = delete;
  virtual ~Constraint() = default;

  // For messages: "distance between vertices 3 and 7".
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual int equations() const = 0;
  // The degrees of freedom that g depends on, each once; the same at every x.
  [[nodiscard]] virtual std::span<const int> dofs() const = 0;
  // Dimension of the systems it is for: 3 when it is about points in space, 0 for any.
  [[nodiscard]] virtual int dimension() const = 0;

  // values = g(x), one per equation. Where not null, jacobian = ∂g/∂x: equations() rows of dofs()
  // entries each, one after the other. x has all degrees of freedom of the system.
  virtual void evaluate(const double* x, double* values, double* jacobian) const = 0;

  // Size of the terms that g is a difference of, in the units of g. With the positions it tells how
  // small |g| can become in floating-point numbers.
  [[nodiscard]] virtual double scale() const = 0;

  // Takes away the rigid motions under which g changes. Those that are left say what a run must conserve.
  virtual void limit(Symmetry& symmetry) const = 0;
};

// Where the derivatives of L are written; null where not wanted. Matrices are n×n, columns one
// after the other.
struct LagrangianDerivatives {
  double* q = nullptr;   // ∂L/∂q
  double* v = nullptr;   // ∂L/∂v, the momentum
  double* t = nullptr;   // ∂L/∂t, one number
  double* qq = nullptr;  // ∂²L/∂q∂q
  double* qv = nullptr;  // row i, column j: ∂²L/∂qᵢ∂vⱼ
  double* vv = nullptr;  // ∂²L/∂v∂v, the inertia
};

// L(t, q, v) of generalised coordinates. Masses may depend on the position (a double pendulum),
// terms linear in the velocity are allowed (a magnetic field), and so is explicit time (a support
// that is shaken).
class Lagrangian {
 public:
  Lagrangian() = default;
  Lagrangian(const Lagrangian&) = delete;
  Lagrangian& operator=(const Lagrangian&) = delete;
  virtual ~Lagrangian() = default;

  [[nodiscard]] virtual int dofs() const = 0;
  // L, with the derivatives asked for. All second derivatives are asked for together or none.
  virtual double evaluate(double t, const double* q, const double* v,
                          const LagrangianDerivatives& derivatives) const = 0;
  [[nodiscard]] virtual bool depends_on_time() const = 0;
  // Whether L does not depend on the coordinate: its momentum is then conserved.
  [[nodiscard]] virtual bool cyclic(int coordinate) const = 0;
};

}  // namespace lilyan
