// The potential energies a System is made of.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "lilyan/model/symmetry.hpp"

namespace lilyan {

// The entry of an energy in reports and result files.
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
struct PathMeanWeights {
  double weight = 0;
  double start = 0;
  // Energies that are chosen for it (Assembler::average_strain) are to take their mean over the strain instead
  // (DiscreteGradient), which has no torque about the middle of the step, but is not the gradient of
  // anything: their value is left out, and their Hessian is that of DiscreteGradient::balance.
  bool over_strain = false;
};

class ChangesBetweenSteps;
class DiscreteGradient;
class EnergyDensity;
class EnergyMemory;
class ForcePolynomial;
class KnowsLengths;
class KnowsPathRounding;
class LendsMass;
class MovingRest;
class Share;
struct BlockSlots;
class WorldMemory;

// The knowledge at the beginning of a step. x and v have all degrees of freedom.
struct StepStart {
  double t = 0;
  double h = 0;
  const double* x = nullptr;
  const double* v = nullptr;
  // For dissipation: what energies that change between steps know in this step.
  const WorldMemory* memory = nullptr;
  // For dissipation: angular momentum is an invariant of the system, to be kept to the last digits.
  bool keeps_spin = false;
  // Its part along some axis is.
  bool turns = false;
  // For dissipation: the processes that share the system (parallel/share.hpp), if several do.
  const Share* share = nullptr;
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
  // Where not null, for each element the mass that each of its vertices lends it (LendsMass): the
  // Hessian is to be added to a mass matrix, and an element needs raising only as far as it is negative
  // together with its own share of that.
  const double* lent_mass = nullptr;
  // Where not null, an energy that can integrate over the path better than the nodes do is to do
  // that instead (and to return that value).
  const PathMeanWeights* mean = nullptr;
  // For an energy that changes between steps. Null: as it was when it was made.
  const EnergyMemory* memory = nullptr;
  // Only differences of values matter: an energy whose zero is arbitrary is to have it at x0. Far from the
  // origin the digits of such differences would be lost otherwise.
  bool from_start = false;
};

// Vertices that share Hessian blocks: consecutive groups of `size`, each ascending.
struct Stencils {
  int size = 0;
  std::span<const int> vertices;
};

// Abilities that not every energy has, each an interface in a file of its own (energy_*.hpp): an energy that has one
// inherits it, and gives itself here.
struct Abilities {
  const DiscreteGradient* discrete_gradient = nullptr;
  const ChangesBetweenSteps* changes = nullptr;
  const MovingRest* moving_rest = nullptr;
  const LendsMass* lends_mass = nullptr;
  const ForcePolynomial* polynomial = nullptr;
  const KnowsLengths* lengths = nullptr;
  const EnergyDensity* density = nullptr;
  const KnowsPathRounding* path_rounding = nullptr;
  // It is infinite where the path of a step is not free, which only methods that minimise take notice of.
  bool blocks_paths = false;
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

  // What else it can do.
  [[nodiscard]] virtual Abilities abilities() const { return {}; }

  // Symmetries of E, which say what a run must conserve.
  [[nodiscard]] virtual bool translation_invariant() const = 0;
  [[nodiscard]] virtual bool rotation_invariant() const = 0;  // about the origin
  // Takes away the rigid motions under which E changes.
  virtual void limit(Symmetry& symmetry) const;

  // Shortcuts to abilities, with what holds for an energy that lacks one.

  [[nodiscard]] bool changes_between_steps() const { return abilities().changes != nullptr; }
  // The stencils in the steps that this memory is for.
  [[nodiscard]] Stencils stencils_with(const EnergyMemory* memory) const;
  [[nodiscard]] std::optional<int> force_degree() const;
  // lengths[i] is raised, for each degree of freedom i that E depends on, to the size of the numbers that a
  // force there is computed from: their rounding errors, times the stiffness, are the errors of the force.
  // By default these are the distances between the vertices of an element where translations do not change
  // E, and positions otherwise, unless the energy has the ability KnowsLengths.
  void raise_lengths(const double* x, int dimension, const EnergyMemory* memory,
                     std::span<double> lengths) const;
  // Raises them to positions, whatever the symmetries are.
  void raise_to_positions(const double* x, int dimension, const EnergyMemory* memory,
                          std::span<double> lengths) const;
};

}  // namespace lilyan
