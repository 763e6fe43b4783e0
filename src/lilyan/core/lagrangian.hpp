// Lagrangians that are not ½vᵀMv − E(q) with constant masses M.
#pragma once

namespace lilyan {

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

// L(t, q, v) of generalised coordinates: with masses that depend on the position (a double
// pendulum), with terms linear in the velocity (a magnetic field), with explicit time (a support
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
