// What Newton's method minimises.
#pragma once

#include <limits>
#include <vector>

#include "lilyan/base/types.hpp"
#include "lilyan/model/mass.hpp"
#include "lilyan/solve/iterate.hpp"
#include "lilyan/solve/options.hpp"

namespace lilyan {

// Forces without a potential about a point: f − D (z − about), D ≥ 0 a diagonal. It is the gradient of a quadratic
// function.
struct Linearised {
  Vector about, force, damping;
};

// A smooth function of all degrees of freedom, which is only read. Entries of fixed vertices stay as given:
// gradients are zero there, and the Hessian covers only the free ones.
class Objective {
 public:
  Objective() = default;
  Objective(const Objective&) = default;
  Objective& operator=(const Objective&) = default;
  virtual ~Objective() = default;

  // Forces without a potential enter Φ as they are about a point. False when there are none, so that Φ does
  // not depend on `forces`.
  virtual bool linearise(const Vector& z, Linearised& forces) const {
    static_cast<void>(z), static_cast<void>(forces);
    return false;
  }
  // Φ and its gradient at at.z.
  virtual void evaluate(const Linearised& forces, Iterate& at) const = 0;
  virtual void hessian(const Linearised& forces, const Vector& z, double projection,
                       std::vector<double>& values) const = 0;
  // Called before Hessians at z are asked for: true when their pattern has grown.
  virtual bool widen_pattern(const Vector& z) const {
    static_cast<void>(z);
    return false;
  }
  // Where Φ is infinite at the start: makes z a point where it may be finite. True when it has changed.
  virtual bool free_start(Vector& z) const {
    static_cast<void>(z);
    return false;
  }
  // Walls in the way of a direction, which are a part of the model of Φ and not of Φ: the number of changes. Where there
  // are any, they belong to the Hessian, and to the residual.
  virtual int find_walls(const Vector& z, const Vector& direction) const {
    static_cast<void>(z), static_cast<void>(direction);
    return 0;
  }
  virtual void add_walls(Vector& residual) const { static_cast<void>(residual); }
  virtual void forget_walls() const {}
  [[nodiscard]] virtual Defect defect(const Vector& z, const Vector& gradient) const = 0;
  [[nodiscard]] virtual double norm(const Vector& gradient) const = 0;
  // a·b, over all processes where several share the problem.
  [[nodiscard]] virtual double dot(const Vector& a, const Vector& b) const;
  // Bounds on the errors of Φ, whose terms have this size, and of norm(gradient) from rounding alone, given the
  // Hessian's diagonal at z.
  struct Rounding {
    double value = 0;
    double gradient = 0;
  };
  [[nodiscard]] virtual Rounding rounding(const Vector& z, double terms,
                                          const Vector& diagonal) const = 0;
  // Whether what rounding left of the gradient is small beside what the step does, so that "solved to
  // rounding error" is a success.
  [[nodiscard]] virtual bool rounding_is_harmless(const Vector& z, const Vector& gradient) const {
    static_cast<void>(z), static_cast<void>(gradient);
    return true;
  }
  // How far along a direction Φ may be looked at.
  [[nodiscard]] virtual double largest_step(const Vector& z, const Vector& direction) const {
    static_cast<void>(z), static_cast<void>(direction);
    return std::numeric_limits<double>::infinity();
  }
  // Where the vertices are, roughly, if they are points in space: what a rigid motion of some of
  // them is depends on it.
  [[nodiscard]] virtual const Vector* positions() const { return nullptr; }
  // M, if the Hessian is M and that of an energy: the curvature that it would have at least if the energy
  // were convex.
  [[nodiscard]] virtual const Mass* mass() const { return nullptr; }
};

// Φ near a point, as those see it who solve with its Hessian.
struct LocalModel {
  const Objective& objective;
  const Linearised& forces;
  const Vector& z;

  void hessian(double projection, std::vector<double>& values) const {
    objective.hessian(forces, z, projection, values);
  }
  [[nodiscard]] const Vector* positions() const { return objective.positions(); }
  [[nodiscard]] const Mass* mass() const { return objective.mass(); }
};

}  // namespace lilyan
