// A method is a table: the coefficients of one time step, read by an interpreter in step/.
//
// Notation: x₀, v₀ state at the start of the step; d = x₁ − x₀ the displacement; u = d/h;
// a(θ) = −M⁻¹∇E(x₀ + θ d) the acceleration at a point of the straight path.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lilyan/base/parameter.hpp"
#include "lilyan/numeric/quadrature.hpp"

namespace lilyan {

// A point the step knows already, and the weights of what is known there. Point 0 is the start of
// the step, point k ≥ 1 the result of stage k, point −1 the start of the step before.
struct Known {
  int point = 0;
  double position = 0;
  double velocity = 0;
  double force = 0;
};

// Which velocity external forces see at the nodes of a stage.
enum class ForceVelocity {
  mean,  // u = d/h everywhere: Lagrange–d'Alembert on the straight path
  own,   // that of the stage's own point at θ = 1, and v₀ at θ = 0
};

// One stage: d = x − x₀ is the minimiser of
//   Φ(d) = ½‖d − y‖²_M + h² Σ (βᵢ/θᵢ) E(x₀ + θᵢ d),
//   y = Σ_known position·(x_p − x₀) + velocity·h v_p + force·h² a_p,
// that is, the solution of  M (d − y) + h² Σ βᵢ ∇E(x₀ + θᵢ d) = 0. Nodes with θ = 0 have no unknown
// in them; the interpreter folds them into y. Without any other node the stage is explicit.
struct Stage {
  double time = 1;                 // the stage's point is at t₀ + time·h
  std::vector<Known> target = {};  // y
  std::vector<Node> nodes = {};    // (θᵢ, βᵢ)
  // Its velocity:  v = displacement·d/h + Σ_known [position·(x_p − x₀)/h + velocity·v_p
  // + force·h a_p] + h Σ wᵢ a(θᵢ).
  double displacement = 0;
  std::vector<Known> velocity = {};
  std::vector<Node> end_forces = {};  // (θᵢ, wᵢ)
  ForceVelocity force_velocity = ForceVelocity::mean;
};

// A step in stages, each a minimisation (or explicit), one after the other. The last one's point is
// the end of the step.
struct MinimisationTable {
  std::vector<Stage> stages = {};
  // The one stage averages forces over the path and moves with the mean velocity ½(v₀+v₁), so
  // energy changes only by the quadrature error of that average (AVF family).
  bool averages_force = false;
  // Its nodes are Gauss points, as many as the step needs for that error to be below the energy
  // tolerance; those in the table are what it starts with.
  bool adaptive_nodes = false;
  // Its nodes are exact for the forces of the system at hand: what the average loses is rounding.
  bool exact_nodes = false;
  // Nothing has a torque about the middle of the step: stiff bodies average their stress over the strain
  // instead, and others get a force without work (step/momentum_solve.hpp).
  bool keeps_angular_momentum = false;
};

// The usual one-stage step: y = h v₀, v₁ = displacement·u + velocity·v₀ + h Σ wᵢ a(θᵢ).
struct OneStage {
  std::vector<Node> nodes = {};
  double displacement = 1;
  double velocity = 0;
  std::vector<Node> end_forces = {};
  ForceVelocity force_velocity = ForceVelocity::mean;
};
[[nodiscard]] MinimisationTable one_stage(const OneStage& stage);

// A step that also looks at the step before. Its coefficients depend on the ratio of the two step
// sizes, h/h₋₁ > 0; without a step before, `start` is used.
struct MultistepTable {
  MinimisationTable (*at_ratio)(double ratio);
  MinimisationTable start;
};

// An explicit step: drifts (x += weight·h v) and kicks (v += weight·h a(x)) in order.
struct ExplicitTable {
  struct Stage {
    enum class Kind { drift, kick } kind;
    double weight;
  };
  std::vector<Stage> stages;
};

// A symmetric splitting from the first half of its coefficients: `outer` are of the kind that the
// step begins with, `inner` of the other. The last one of each is left out, since each kind sums up
// to 1. The stage in the middle of the step stands once, all others twice.
enum class MiddleOf { outer, inner };
[[nodiscard]] ExplicitTable symmetric_splitting(ExplicitTable::Stage::Kind first,
                                                const std::vector<double>& outer,
                                                const std::vector<double>& inner, MiddleOf middle);

struct Scheme;

// Steps of another method by fractions γᵢ h, one after the other, Σ γᵢ = 1.
struct CompositionTable {
  std::shared_ptr<const Scheme> base;
  std::vector<double> fractions;
};

// A step by the midpoint discrete gradient ∇̄E of the whole potential over all coordinates, a vector with
// ∇̄E · d = E(x₀ + d) − E(x₀): d is a root of
//   M (d − h v₀) + ½h² ∇̄E(x₀, d) = 0,   and v₁ = 2u − v₀.
struct DiscreteGradientTable {
  // The point that the root find starts from.
  enum class Predictor { constant, avf };  // d = h v₀; the minimiser of the AVF step
  Predictor predictor = Predictor::avf;
};
// The predictor as scene files spell it. Throws ParameterError for anything but "constant" and "avf".
[[nodiscard]] DiscreteGradientTable::Predictor predictor_named(const std::string& name);

// A Runge–Kutta step whose stages are all coupled (step/collocation.hpp).
struct CollocationTable {
  std::vector<double> A;  // by rows
  std::vector<double> b, c;
};

// A step of any Lagrangian L(t, q, v), in unknown velocities u_k. With the force
// F = ∂L/∂q + external forces, and at the nodes i
//   Q_i = q₀ + h Σ_k position_ik u_k,   V_i = Σ_k velocity_ik u_k,
// every unknown has the equation
//   Σ_i momentum_ki ∂L/∂v(Q_i, V_i) = p₀ + h Σ_i force_ki F_i,
// and the step ends at  q₁ = q₀ + h Σ_k end_position_k u_k,  p₁ = p₀ + h Σ_i end_force_i F_i.
// Matrices are stored by rows.
struct LagrangianTable {
  int unknowns = 0;
  std::vector<double> time;                // of each node: t₀ + time·h
  std::vector<double> position, velocity;  // nodes × unknowns
  std::vector<double> momentum, force;     // unknowns × nodes
  std::vector<double> end_position;        // unknowns
  std::vector<double> end_force;           // nodes
  // The energy v·∂L/∂v − L changes only by the error of the nodes as a quadrature; and these are
  // Gauss points, as many as the step needs.
  bool averages_force = false;
  bool adaptive_nodes = false;
  // Constraints can be kept by a kick at the start of the step and a projection at its end.
  bool takes_constraints = false;
};
// The discrete Lagrangian h Σ bᵢ L(q + cᵢhu, u) of the straight path, nodes (cᵢ, bᵢ).
[[nodiscard]] LagrangianTable variational_table(const std::vector<Node>& nodes);
// A Runge–Kutta method on (q, p), A by rows.
[[nodiscard]] LagrangianTable runge_kutta_table(const std::vector<double>& A,
                                                const std::vector<double>& b,
                                                const std::vector<double>& c);
// The average vector field method on (q, p), which is the Runge–Kutta method with aᵢⱼ = cᵢ bⱼ
// (Celledoni et al. 2009).
[[nodiscard]] LagrangianTable average_table(const std::vector<Node>& nodes);

using Table = std::variant<MinimisationTable, MultistepTable, ExplicitTable, CompositionTable,
                           DiscreteGradientTable, CollocationTable>;

enum class SolveKind { explicit_, minimisation, stationary, root };
[[nodiscard]] std::string_view name(SolveKind kind);

enum class EnergyBehaviour {
  exact,       // conserved to solver and quadrature accuracy at any step size
  bounded,     // oscillates without drift while the step resolves the motion (symplectic methods)
  dissipates,  // decreases by the method's own damping
  none,        // no promise
};
[[nodiscard]] std::string_view name(EnergyBehaviour behaviour);

// The promises of a method. Every promise, and every missing one, is measured in tests/verify.
struct Claims {
  int order = 1;
  bool symplectic = false;  // the step map preserves dx∧dp
  bool symmetric = false;   // stepping by h and then by −h returns to the start
  EnergyBehaviour energy = EnergyBehaviour::none;
  bool linear_momentum = true;    // for translation-invariant energies
  bool angular_momentum = false;  // for rotation-invariant energies
  int forced_order = 0;           // with forces that depend on time and velocity; 0: as `order`
  // Whether exact energy and momenta are also those of a stiff body, which sound crosses ten times in a step (of an
  // explicit method they never are).
  bool stiff = true;
};

// A method with its parameters chosen.
struct Scheme {
  std::string label = {};  // "hp(alpha=0.25)"
  SolveKind solve = SolveKind::minimisation;
  Claims claims = {};
  Table table = {};
  // For Lagrangians that are not ½vᵀMv − E; none where the method has no meaning for them.
  std::optional<LagrangianTable> lagrangian = {};
};

struct Method {
  std::string name = {};
  std::vector<std::string> aliases = {};
  std::string summary = {};  // one line
  std::string citation = {};
  std::string use = {};  // when to use it, one line
  std::vector<ParameterSpec> parameters = {};
  // Other values of the parameters than the defaults that the verification is to look at as well.
  std::vector<Parameters> variants = {};
  // From completed parameters. Throws ParameterError for values out of range.
  Scheme (*make)(const Parameters&) = nullptr;
};

// The cost of a step: systems of equations solved, and forces evaluated outside of those.
struct Cost {
  int solves = 0;
  int forces = 0;
};
[[nodiscard]] Cost cost(const Scheme& scheme);

// The quadrature of methods that average forces over the step, and its parameters. By itself it is what the
// system's forces need (`adaptive`); whoever gives a number of points wants Gauss's rule.
struct MeanRule {
  Quadrature quadrature;
  bool adaptive = false;
};
[[nodiscard]] std::vector<ParameterSpec> mean_parameters();
[[nodiscard]] MeanRule mean_rule(const Parameters& given);

// The parameters every composition has: its base, and the quadrature of bases that have one.
[[nodiscard]] std::vector<ParameterSpec> composition_parameters();
// γ₁, …, γₖ and the middle one 1 − 2Σγ, and back: γ₁ … γₖ γ₀ γₖ … γ₁.
[[nodiscard]] std::vector<double> symmetric_fractions(const std::vector<double>& first_half);
// A symmetric composition of a symmetric method of order two: the scheme named label(base) with
// these fractions. It has the base's properties at the given order. Throws ParameterError for a
// base that is not symmetric and of order two.
[[nodiscard]] Scheme compose(const std::string& label, int order, std::vector<double> fractions,
                             const Parameters& given);

// All methods, one per file of this folder, in alphabetical order of their files; then those that were added.
[[nodiscard]] const std::deque<Method>& methods();
// Adds a method of the caller's own, which is then found as if it were one of the library's. To be called before
// other threads look at methods. Throws Error when the name or an alias is taken.
void add_method(Method method);
// By name or alias; null when there is none.
[[nodiscard]] const Method* find_method(std::string_view name);
// Names and aliases, for suggestions.
[[nodiscard]] std::vector<std::string> method_names();
// Every method with its defaults and with its variants.
[[nodiscard]] std::vector<Scheme> schemes_to_verify();
// Looks up, completes the parameters and makes. Throws ParameterError.
[[nodiscard]] Scheme make_scheme(std::string_view method, const Parameters& parameters = {});

}  // namespace lilyan
