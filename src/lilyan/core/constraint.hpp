// Holonomic constraints: equations g(x) = 0 between positions that a system keeps.
#pragma once

#include <span>
#include <string>

namespace lilyan {

// One or several equations over the same few degrees of freedom.
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
  // Of the systems it is for: 3 when it is about points in space, 0 when it may be any.
  [[nodiscard]] virtual int dimension() const = 0;

  // values = g(x), one per equation. Where not null, jacobian = ∂g/∂x: equations() rows of dofs()
  // entries each, one after the other. x has all degrees of freedom of the system.
  virtual void evaluate(const double* x, double* values, double* jacobian) const = 0;

  // How large the terms are that g is a difference of, in the units of g: with the positions this
  // says what |g| can be brought down to in floating-point numbers.
  [[nodiscard]] virtual double scale() const = 0;

  // Symmetries of g, which say what a run must conserve.
  [[nodiscard]] virtual bool translation_invariant() const = 0;
  [[nodiscard]] virtual bool rotation_invariant() const = 0;  // about the origin
};

}  // namespace lilyan
