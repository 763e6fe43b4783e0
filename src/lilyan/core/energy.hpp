// The potential energies a System is made of.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "lilyan/core/symmetry.hpp"

namespace lilyan {

// Energies that can say where in a body they are.

class EnergyDensity {
 public:
  virtual ~EnergyDensity() = default;
  // Adds each element's energy and rest volume to its vertices, in equal shares.
  virtual void add_energies(const double* x, std::span<double> energy,
                            std::span<double> volume) const = 0;
};

// Where the matrix of one element lives in a sparse matrix, and adding it there.
//
// The matrix of an element of k vertices consists of k×k blocks, each n×n, n being the system's
// dimension. Its vertices come in ascending order v₀ < v₁ < …. Everything that adds element
// matrices to a sparse matrix calls add_element; only the tetrahedra, which add the blocks of eight
// elements from vector registers, have a symmetric version of their own (assemble/tet_lanes.hpp).

// Places in the values of a symmetric matrix stored as lower-triangular compressed columns. An
// element has the k(k+1)/2 blocks (a,b), a ≥ b, in the order (0,0),(1,0),…,(k−1,0),(1,1),…. Entry
// (r,c) of a block is at  position + lower_offset(r, c, L),  where L is the length of the first of
// the n columns of vertex b. Blocks of fixed vertices point at a scratch area behind the matrix.
struct BlockSlots {
  std::vector<int> position;       // blocks of element 0, of element 1, …
  std::vector<int> column_length;  // k per element: L of each of its vertices
  // Where the scratch area begins. Loops shared among threads must not write to it.
  int end = std::numeric_limits<int>::max();
};

// Each column of a lower triangle is shorter by one than the column before it.
[[nodiscard]] constexpr std::ptrdiff_t lower_offset(int r, int c, std::ptrdiff_t length) {
  return c * length - c * (c + 1) / 2 + r;
}

// The size of an element's matrix: k vertices of dimension n.
struct ElementSize {
  int vertices = 0;
  int dimension = 3;
};

// values += the lower triangle of an element's symmetric matrix. entry(a, b, r, c) is its entry
// (r,c) of block (a,b); it is asked for a ≥ b only, and on the diagonal (a = b) for r ≥ c only.
template <class Entry>
inline void add_element(const BlockSlots& slots, std::size_t element, const ElementSize& size,
                        const Entry& entry, double* values) {
  const auto k = static_cast<std::size_t>(size.vertices);
  const int* position = slots.position.data() + element * (k * (k + 1) / 2);
  const int* length = slots.column_length.data() + element * k;
  for (int b = 0; b < size.vertices; ++b) {
    for (int a = b; a < size.vertices; ++a) {
      double* block = values + *position++;
      for (int c = 0; c < size.dimension; ++c) {
        double* column = block + lower_offset(0, c, length[b]);
        for (int r = (a == b ? c : 0); r < size.dimension; ++r) column[r] += entry(a, b, r, c);
      }
    }
  }
}

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
  // (Energy::discrete_gradient), which has no torque about the middle of the step, but is not the gradient of
  // anything: their value is left out, and their Hessian is that of Energy::balance.
  bool over_strain = false;
};

class Archive;
class Share;
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
  // For dissipation: the processes that share the system (core/share.hpp), if several do.
  const Share* share = nullptr;
};

// The present knowledge of an energy that changes between steps: where a moving obstacle is, which
// pairs are near each other, which springs there are. It belongs to the integrator (core/world.hpp)
// and not to the energy, since a System is only read while stepping.
class EnergyMemory {
 public:
  EnergyMemory() = default;
  EnergyMemory(const EnergyMemory&) = default;
  EnergyMemory& operator=(const EnergyMemory&) = default;
  virtual ~EnergyMemory() = default;

  virtual void archive(Archive& a) = 0;
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
  // Where not null, for each element the mass that each of its vertices lends it (Energy::lend_mass): the
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

// One pass over an energy's discrete gradient ∇̄E between x0 and x0 + d: adds  gradient_weight ∇̄E  to
// `gradient`.
struct DiscreteEvaluation {
  const double* x0 = nullptr;
  const double* d = nullptr;
  double gradient_weight = 1;
  double* gradient = nullptr;
  const EnergyMemory* memory = nullptr;  // as in Evaluation
};

// What an iteration for a step by discrete gradients asks of an energy (integrate/step/momentum_solve.hpp).
// With elements whose discrete gradient is  B½ᵀ S̄,  S̄ a mean stress and B½ the strain's derivative in the
// middle of the step, and with a stress σ of each element that the iteration takes along,
//   renew:    σ = S̄ + stiffening · D̄ B½ y,  D̄ the derivative of S̄ by the strain at the end
//             (all of it at d = 0 where d is null; without the second term where `along` is)
//   matrix:   hessian += weight · [stiffening · B½ᵀ D̄ B½ + ½ K(σ)],  K the geometric part
//   product:  gradient += weight · ½ K(σ) w
struct BalanceEvaluation {
  enum class Task { renew, matrix, product };
  Task task = Task::renew;
  const double* x0 = nullptr;
  const double* d = nullptr;
  const double* along = nullptr;   // y, w
  const double* stress = nullptr;  // σ: Energy::stress_numbers() of them
  double* renewed = nullptr;       // where a renewal puts them
  double stiffening = 1;
  double weight = 1;
  double* gradient = nullptr;
  double* hessian = nullptr;
  const BlockSlots* slots = nullptr;  // needed with hessian
  double projection = 0;              // as in Evaluation
  const double* lent_mass = nullptr;
  const EnergyMemory* memory = nullptr;
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

  // The degree of the force as a polynomial of s along a straight path x₀ + s d; none where it is not a
  // polynomial. An energy that integrates over paths by itself (Evaluation::mean) has degree 0.
  [[nodiscard]] virtual std::optional<int> force_degree() const { return std::nullopt; }

  // lengths[i] is raised, for each degree of freedom i that E depends on, to the size of the numbers that a
  // force there is computed from: their rounding errors, times the stiffness, are the errors of the force.
  // By default these are the distances between the vertices of an element where translations do not change
  // E, and positions otherwise.
  virtual void raise_lengths(const double* x, int dimension, const EnergyMemory* memory,
                             std::span<double> lengths) const;

  // A discrete gradient: a vector ∇̄E(x0, d) that tends to ∇E(x0) as d → 0, with
  //   ∇̄E · d = E(x0 + d) − E(x0)
  // to rounding, unchanged when start and end are exchanged, and free of total force and of torque
  // about the midpoint where E is invariant to translation and rotation. An energy that has none
  // says so; its systems cannot be stepped by methods that are built on it.
  [[nodiscard]] virtual bool has_discrete_gradient() const { return false; }
  virtual void discrete_gradient(const DiscreteEvaluation& /*at*/) const {}
  // How many numbers σ has. Without any, the Hessian in the middle of the step serves as the matrix.
  [[nodiscard]] virtual std::size_t stress_numbers() const { return 0; }
  virtual void balance(const BalanceEvaluation& /*at*/) const {}

  // The energy of the same elements with `rest` as their undeformed shape (positions of all
  // vertices): what has been strained since then. Elements that are flat there are left out. An
  // energy that cannot do it says so.
  [[nodiscard]] virtual bool has_moving_rest() const { return false; }
  [[nodiscard]] virtual double evaluate_from(const double* /*rest*/,
                                             const Evaluation& /*at*/) const {
    return 0;
  }

  // For each element the mass that each of its vertices may count as this element's own, so that all elements
  // of a vertex together count no more than it has. An energy whose elements have no use for it has none.
  [[nodiscard]] virtual std::vector<double> lend_mass(std::span<const double> /*mass*/) const {
    return {};
  }

  // Energies that depend on time (a moving obstacle) or on the past (a spring that appears on
  // contact) change between steps, never within one.
  [[nodiscard]] virtual bool changes_between_steps() const { return false; }
  // The change of energy between two steps is work where the energy depends on time only, and an
  // error of the model where it depends on the past.
  [[nodiscard]] virtual bool depends_on_past() const { return false; }
  // The memory of an energy that changes, as no step has been made yet.
  [[nodiscard]] virtual std::unique_ptr<EnergyMemory> make_memory() const { return nullptr; }
  // The stencils in the steps that this memory is for.
  [[nodiscard]] virtual Stencils stencils_now(const EnergyMemory& /*memory*/) const {
    return stencils();
  }
  [[nodiscard]] Stencils stencils_with(const EnergyMemory* memory) const {
    return memory ? stencils_now(*memory) : stencils();
  }
  // Called before a step (again, should it be repeated). True when the stencils have changed.
  virtual bool begin_step(const StepStart& /*start*/, EnergyMemory& /*memory*/) const {
    return false;
  }
  // Called after a step to x that was solved. False when E left out contacts at x that nobody could
  // know of before: the step is to be repeated.
  [[nodiscard]] virtual bool found_all_contacts(const double* /*x*/,
                                                EnergyMemory& /*memory*/) const {
    return true;
  }
  // Called when the step is done, at its end t.
  virtual void end_step(double /*t*/, EnergyMemory& /*memory*/) const {}

  // Symmetries of E, which say what a run must conserve.
  [[nodiscard]] virtual bool translation_invariant() const = 0;
  [[nodiscard]] virtual bool rotation_invariant() const = 0;  // about the origin
  // Takes away the rigid motions under which E changes.
  virtual void limit(Symmetry& symmetry) const;

 protected:
  // raise_lengths() of an energy that is computed from positions, whatever its symmetries are.
  void raise_to_positions(const double* x, int dimension, const EnergyMemory* memory,
                          std::span<double> lengths) const;
};

}  // namespace lilyan
