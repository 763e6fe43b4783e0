// The potential energies a System is made of.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "lilyan/core/blocks.hpp"

namespace lilyan {

// What an energy is booked under in reports and result files.
enum class EnergyKind {
  elastic,
  gravity,    // of uniform fields: its zero is arbitrary
  contact,    // of bodies pressed against obstacles or each other
  potential,  // anything else
};
inline constexpr std::size_t kEnergyKinds = 4;
[[nodiscard]] constexpr std::string_view name(EnergyKind kind) {
  constexpr std::array<std::string_view, kEnergyKinds> names = {"elastic", "gravity", "contact",
                                                                "potential"};
  return names[static_cast<std::size_t>(kind)];
}
using EnergyByKind = std::array<double, kEnergyKinds>;

// A point x₀ + θ d of a step's straight path, and the weights with which the energy's value,
// gradient and Hessian there enter the sums of one evaluation.
struct WeightedNode {
  double theta = 0;
  double value = 0;
  double gradient = 0;
  double hessian = 0;
};

// The nodes of an evaluation, where they are a rule for the mean over the path:
//   weight ∫₀¹ f(x0 + s d) ds − start f(x0)   for the gradient, f = ∇E; the Hessian has s ∇²E in
// it and the value ∫ (E(x0 + s d) − E(x0))/s ds, so that one is the derivative of the other. (The
// rule's own node at s = 0 is known and not among the nodes: `start` is its weight.)
struct PathMean {
  double weight = 0;
  double start = 0;
};

// One pass over an energy: for all nodes i, with x_i = x0 + θ_i d, adds
//   Σ gradient_i ∇E(x_i) to `gradient` and Σ hessian_i ∇²E(x_i) to `hessian`
// (each only if not null) and returns Σ value_i E(x_i).
struct Evaluation {
  const double* x0 = nullptr;
  const double* d = nullptr;  // null: d = 0
  std::span<const WeightedNode> nodes;
  bool want_value = true;
  double* gradient = nullptr;
  double* hessian = nullptr;
  const BlockSlots* slots = nullptr;  // needed with hessian
  // How far to raise the negative eigenvalues of each element's (summed) Hessian: 0 not at all,
  // 1 up to zero.
  double projection = 0;
  // Where not null, an energy that can integrate over the path better than the nodes do is to do
  // that instead (and to return that value).
  const PathMean* mean = nullptr;
};

// What is known when a step begins. Pointers are to all degrees of freedom.
struct StepOpening {
  double t = 0;
  double h = 0;
  const double* x = nullptr;
  const double* v = nullptr;
};

// One pass over an energy's discrete gradient ∇̄E between x0 and x0 + d: adds
//   gradient_weight ∇̄E to `gradient`  and  jacobian_weight ∂∇̄E/∂d to `jacobian`
// (each only if not null).
struct DiscreteEvaluation {
  const double* x0 = nullptr;
  const double* d = nullptr;
  double gradient_weight = 1;
  double* gradient = nullptr;
  double jacobian_weight = 1;
  double* jacobian = nullptr;
  const FullBlockSlots* slots = nullptr;  // needed with jacobian
};

// Vertices that share Hessian blocks: consecutive groups of `size`, each ascending.
struct Stencils {
  int size = 0;
  std::span<const int> vertices;
};

class Energy {
 public:
  Energy() = default;
  Energy(const Energy&) = delete;
  Energy& operator=(const Energy&) = delete;
  virtual ~Energy() = default;

  [[nodiscard]] virtual EnergyKind kind() const = 0;
  [[nodiscard]] virtual Stencils stencils() const = 0;
  [[nodiscard]] virtual double evaluate(const Evaluation& at) const = 0;

  // A discrete gradient: a vector ∇̄E(x0, d) that tends to ∇E(x0) as d → 0, with
  //   ∇̄E · d = E(x0 + d) − E(x0)
  // to rounding, unchanged when start and end are exchanged, and free of total force and of torque
  // about the midpoint where E is invariant to translation and rotation. An energy that has none
  // says so; its systems cannot be stepped by methods that are built on it.
  [[nodiscard]] virtual bool has_discrete_gradient() const { return false; }
  virtual void discrete_gradient(const DiscreteEvaluation& /*at*/) const {}

  // The energy of the same elements with `rest` as their undeformed shape (positions of all
  // vertices): what has been strained since then. Elements that are flat there are left out. An
  // energy that cannot do it says so.
  [[nodiscard]] virtual bool has_moving_rest() const { return false; }
  [[nodiscard]] virtual double evaluate_from(const double* /*rest*/,
                                             const Evaluation& /*at*/) const {
    return 0;
  }

  // Energies that depend on time (a moving obstacle) or on the past (a spring that appears on
  // contact) change between steps, never within one: such a one says so, and is told.
  [[nodiscard]] virtual bool changes() const { return false; }
  // Whether it changes by the past: what that does to the energy is a fault of the model, where
  // that of a moving obstacle is work.
  [[nodiscard]] virtual bool remembers() const { return false; }
  // Called before a step (again, should it be repeated). True when the stencils have changed.
  virtual bool begin_step(const StepOpening& /*opening*/) { return false; }
  // Called after a step to x that worked; false when E left out something at x that it learnt of
  // only now, and the step is to be repeated.
  [[nodiscard]] virtual bool covers(const double* /*x*/) { return true; }
  // Called when the step is done, at its end t.
  virtual void end_step(double /*t*/) {}

  // Symmetries of E, which say what a run must conserve.
  [[nodiscard]] virtual bool translation_invariant() const = 0;
  [[nodiscard]] virtual bool rotation_invariant() const = 0;
};

}  // namespace lilyan
