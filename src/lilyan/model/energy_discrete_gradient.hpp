// Energies that have a discrete gradient.
#pragma once

#include <cstddef>

#include "lilyan/model/energy.hpp"

namespace lilyan {

// One pass over an energy's discrete gradient ∇̄E between x0 and x0 + d: adds  gradient_weight ∇̄E  to
// `gradient`.
struct DiscreteEvaluation {
  const double* x0 = nullptr;
  const double* d = nullptr;
  double gradient_weight = 1;
  double* gradient = nullptr;
  const EnergyMemory* memory = nullptr;  // as in Evaluation
};

// What an iteration for a step by discrete gradients asks of an energy (step/momentum_solve.hpp).
// With elements whose discrete gradient is  B½ᵀ S̄,  S̄ a mean stress and B½ the strain's derivative in the
// middle of the step, and with a stress σ of each element that the iteration takes along,
//   renew:    σ = S̄ + stiffening · D̄ B½ y,  D̄ the derivative of S̄ by the strain at the end
//             (all of it at d = 0 where d is null; without the second term where `along` is)
//   matrix:   hessian += weight · [stiffening · B½ᵀ D̄ B½ + ½ K(σ)],  K the geometric part
struct BalanceEvaluation {
  enum class Task { renew, matrix };
  Task task = Task::renew;
  const double* x0 = nullptr;
  const double* d = nullptr;
  const double* along = nullptr;   // y
  const double* stress = nullptr;  // σ: stress_numbers() of them
  double* renewed = nullptr;       // where a renewal puts them
  double stiffening = 1;
  double weight = 1;
  double* hessian = nullptr;
  const BlockSlots* slots = nullptr;  // needed with hessian
  double projection = 0;              // as in Evaluation
  const double* lent_mass = nullptr;
  const EnergyMemory* memory = nullptr;
};

// A discrete gradient: a vector ∇̄E(x0, d) that tends to ∇E(x0) as d → 0, with
//   ∇̄E · d = E(x0 + d) − E(x0)
// to rounding, unchanged when start and end are exchanged, and free of total force and of torque
// about the midpoint where E is invariant to translation and rotation. Systems with an energy that has none
// cannot be stepped by methods that are built on it.
class DiscreteGradient {
 public:
  virtual ~DiscreteGradient() = default;
  virtual void discrete_gradient(const DiscreteEvaluation& at) const = 0;
  // How many numbers σ has. Without any, the Hessian in the middle of the step serves as the matrix.
  [[nodiscard]] virtual std::size_t stress_numbers() const { return 0; }
  virtual void balance(const BalanceEvaluation& /*at*/) const {}
};

}  // namespace lilyan
