#include "lilyan/integrate/constrained/constraint_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lilyan/core/fixed.hpp"

namespace lilyan {
namespace {

constexpr double kTolerance = 1e-8;
constexpr double kNothing = 1e-30;  // a velocity that is rounding error in any units

std::string which(const System& system, const ConstraintSet& set, int equation, bool first = true) {
  const int k = set.owner(equation);
  return fmt::format("constraint {} ({}{})", k, first ? "counted from 0: " : "",
                     system.constraints()[k]->name());
}

}  // namespace

void check_values(const System& system, const ConstraintSet& set, const Vector& g,
                  const Vector& scale, const ConstraintSet::Jacobian& jacobian) {
  for (int k = 0; k < set.equations(); ++k) {
    if (std::abs(g[k]) <= kTolerance * scale[k]) continue;
    throw ConstraintError(
        set.owner(k),
        fmt::format("{} does not hold at the start: g = {:.4g}, off by a distance of about {:.4g}; "
                    "{}",
                    which(system, set, k), g[k], std::abs(g[k]) / set.row_norm(jacobian, k),
                    system.dimension() == 3 ? "move its vertices or change it"
                                            : "change it or the initial position"));
  }
}

void check_velocities(const System& system, const ConstraintSet& set, const Vector& rate,
                      const Vector& v, const ConstraintSet::Jacobian& jacobian, const Vector& scale,
                      double h) {
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  const double fastest = v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0.0;
  for (int k = 0; k < set.equations(); ++k) {
    if (rate[k] == 0) continue;
    const double norm = set.row_norm(jacobian, k);
    // The smallest term is for places where all of g is zero.
    const double noise = kEpsilon * scale[k] / std::abs(h) + kNothing * norm;
    if (std::abs(rate[k]) <= kTolerance * norm * fastest + noise) continue;
    throw ConstraintError(
        set.owner(k),
        fmt::format("the initial velocities break {}: their part along its gradient is {:.4g}, "
                    "which must be zero; take it out (project_velocities() does, in a scene "
                    "world.project_velocities = true, or system.project_velocities)",
                    which(system, set, k), rate[k] / norm));
  }
}

void refuse_dependent(const System& system, const ConstraintSet& set, int equation,
                      const DenseMatrix& gram, const Vector& g, const Vector& scale) {
  const int k = set.owner(equation);
  const std::string self = which(system, set, equation);
  if (!(gram(equation, equation) > 0)) {
    const int n = system.dimension();
    const bool fixed = std::ranges::all_of(system.constraints()[k]->dofs(),
                                           [&](int dof) { return system.fixed(dof / n); });
    throw ConstraintError(
        k, fixed
               ? fmt::format("{} acts only on fixed vertices; remove it or free one of them", self)
               : fmt::format("{} has a zero gradient at the start, so it has no direction to act "
                             "in; write it so that its gradient does not vanish where it holds",
                             self));
  }
  // The shares of the equations before it that it is the sum of.
  const Vector shares = gram.topLeftCorner(equation, equation)
                            .ldlt()
                            .solve(Vector(gram.col(equation).head(equation)));
  std::string others;
  double apart = g[equation];  // its value where the others hold, to first order
  double terms = scale[equation];
  for (int j = 0; j < equation; ++j) {
    if (std::abs(shares[j]) * std::sqrt(gram(j, j)) <= 1e-6 * std::sqrt(gram(equation, equation))) {
      continue;
    }
    others += (others.empty() ? "" : ", ") + which(system, set, j, false);
    apart -= shares[j] * g[j];
    terms += std::abs(shares[j]) * scale[j];
  }
  if (std::abs(apart) > kTolerance * terms) {
    throw ConstraintError(
        k, fmt::format("{} contradicts {} at the start: both act in the same direction, and where "
                       "the one holds the other has g = {:.4g}; change or remove one of them",
                       self, others, apart));
  }
  throw ConstraintError(
      k, fmt::format("{} is redundant: it follows from {}; remove one of them", self, others));
}

void check_constraints(const System& system, const State& state) {
  if (system.constraints().empty()) return;
  const ConstraintSet set(system);
  const int m = set.equations();
  Vector g(m), scale(m), rate(m);
  auto jacobian = set.make_jacobian();
  set.evaluate(state.x, g, jacobian);
  set.scales(state.x, scale);
  DenseMatrix gram(m, m);
  set.gram(jacobian, jacobian, gram);
  GramFactor factor;
  if (!factor.factorise(gram)) refuse_dependent(system, set, factor.dependent(), gram, g, scale);
  check_values(system, set, g, scale, jacobian);
  set.apply(jacobian, state.v, rate);
  constexpr double kNever = std::numeric_limits<double>::infinity();  // no step is known here
  check_velocities(system, set, rate, state.v, jacobian, scale, kNever);
}

void project_velocities(const System& system, State& state) {
  if (system.constraints().empty()) return;
  stop_unmoved(system, state.v);
  const ConstraintSet set(system);
  const int m = set.equations();
  Vector g(m), normal(m), impulse(state.v.size());
  auto jacobian = set.make_jacobian();
  set.evaluate(state.x, g, jacobian);
  DenseMatrix gram(m, m);
  set.gram(jacobian, jacobian, gram);
  GramFactor factor;
  if (!factor.factorise(gram)) {
    Vector scale(m);
    set.scales(state.x, scale);
    refuse_dependent(system, set, factor.dependent(), gram, g, scale);
  }
  for (int pass = 0; pass < 2; ++pass) {  // the second takes out what rounding left
    set.apply(jacobian, state.v, normal);
    factor.solve_lower(normal);
    factor.solve_upper(normal);
    impulse.setZero();
    set.add_transposed(jacobian, normal, 1, impulse);
    state.v.array() -= impulse.array() / system.mass().array();
  }
}

}  // namespace lilyan
