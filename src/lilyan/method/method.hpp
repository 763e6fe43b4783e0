// A method is a table: the coefficients of one time step, read by an interpreter in integrate/.
//
// Notation: x₀, v₀ state at the start of the step; d = x₁ − x₀ the displacement; u = d/h;
// a(θ) = −M⁻¹∇E(x₀ + θ d) the acceleration at a point of the straight path.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lilyan/core/parameter.hpp"

namespace lilyan {

// A point θ of the path and the weight of the force there.
struct Node {
  double theta = 0;
  double weight = 0;
};

// An implicit step: d is the minimiser of
//   Φ(d) = ½‖d − y‖²_M + h² Σ (βᵢ/θᵢ) E(x₀ + θᵢ d),   y = h v₀ + h² β₀ a(0),
// that is, the solution of  M (d − y) + h² Σ βᵢ ∇E(x₀ + θᵢ d) = 0. Nodes with θ = 0 have no unknown
// in them; the interpreter folds them into y.
struct MinimisationTable {
  std::vector<Node> nodes;  // (θᵢ, βᵢ)
  // End of step: v₁ = displacement·u + velocity·v₀ + h Σ wᵢ a(θᵢ), with displacement + velocity
  // = 1.
  double displacement = 1;
  double velocity = 0;
  std::vector<Node> end_forces;  // (θᵢ, wᵢ)
  // The step averages forces over the path and moves with the mean velocity ½(v₀+v₁), so energy
  // changes only by the quadrature error of that average (AVF family).
  bool averages_force = false;
};

// An explicit step: drifts (x += weight·h v) and kicks (v += weight·h a(x)) in order.
struct ExplicitTable {
  struct Stage {
    enum class Kind { drift, kick } kind;
    double weight;
  };
  std::vector<Stage> stages;
};

// A step by a discrete gradient ∇̄E, a vector with ∇̄E · d = E(x₀ + d) − E(x₀): d is a root of
//   M (d − h v₀) + ½h² ∇̄E(x₀, d) = 0,   and v₁ = 2u − v₀.
struct DiscreteGradientTable {
  // Each energy's own discrete gradient (Energy::discrete_gradient), which has its symmetries;
  // otherwise the midpoint discrete gradient of the whole potential over all coordinates.
  bool by_element = true;
  // Where the root find starts from.
  enum class Predictor { constant, avf };  // d = h v₀; the minimiser of the AVF step
  Predictor predictor = Predictor::avf;
};

using Table = std::variant<MinimisationTable, ExplicitTable, DiscreteGradientTable>;

enum class SolveKind { explicit_, minimisation, stationary, root };
[[nodiscard]] std::string_view name(SolveKind kind);

enum class EnergyBehaviour {
  exact,       // conserved to solver and quadrature accuracy at any step size
  bounded,     // oscillates without drift while the step resolves the motion (symplectic methods)
  dissipates,  // decreases by the method's own damping
  none,        // no promise
};
[[nodiscard]] std::string_view name(EnergyBehaviour behaviour);

// What a method promises; every promise, and every missing one, is measured in tests/verify.
struct Claims {
  int order = 1;
  bool symplectic = false;  // the step map preserves dx∧dp
  bool symmetric = false;   // stepping by h and then by −h returns to the start
  EnergyBehaviour energy = EnergyBehaviour::none;
  bool linear_momentum = true;    // for translation-invariant energies
  bool angular_momentum = false;  // for rotation-invariant energies
};

// A method with its parameters chosen.
struct Scheme {
  std::string label;  // "hp(alpha=0.25)"
  SolveKind solve = SolveKind::minimisation;
  Claims claims;
  Table table;
};

struct Method {
  std::string name;
  std::vector<std::string> aliases;
  std::string summary;  // one line
  std::string citation;
  std::vector<ParameterSpec> parameters;
  // From completed parameters. Throws ParameterError for values out of range.
  Scheme (*make)(const Parameters&);
};

// All methods, one per file of this folder, in alphabetical order of their files.
[[nodiscard]] const std::vector<Method>& methods();
// By name or alias; null when there is none.
[[nodiscard]] const Method* find_method(std::string_view name);
// Names and aliases, for suggestions.
[[nodiscard]] std::vector<std::string> method_names();
// Looks up, completes the parameters and makes. Throws ParameterError.
[[nodiscard]] Scheme make_scheme(std::string_view method, const Parameters& parameters = {});

}  // namespace lilyan
