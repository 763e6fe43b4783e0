#include "lilyan/assemble/constraint_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace lilyan {
namespace {
// Share of an equation's gradient, squared, that must be independent of those before it.
constexpr double kIndependent = 1e-12;
constexpr double kConstraintTolerance = 1e-8;
constexpr double kNoSpeed = 1e-30;  // a velocity that is rounding error in any units

std::string constraint_text(const System& system, const ConstraintSet& set, int equation,
                            bool first = true) {
  const int k = set.owner(equation);
  return fmt::format("constraint {} ({}{})", k, first ? "counted from 0: " : "",
                     system.constraints()[k]->name());
}

}  // namespace

ConstraintSet::ConstraintSet(const System& system) : system_(system) {
  std::size_t most = 0;
  for (std::size_t k = 0; k < system.constraints().size(); ++k) {
    const Constraint& c = *system.constraints()[k];
    for (int e = 0; e < c.equations(); ++e) {
      owner_.push_back(static_cast<int>(k));
      row_start_.push_back(static_cast<int>(dof_.size()));
      for (const int dof : c.dofs()) {
        dof_.push_back(dof);
        free_.push_back(system.embedding().fixed_dof(dof) ? 0 : 1);
      }
    }
    most = std::max(most, static_cast<std::size_t>(c.equations()) * c.dofs().size());
  }
  row_start_.push_back(static_cast<int>(dof_.size()));
  scratch_.resize(most);
  scratch_values_.setZero(equations());
  scratch_column_.setZero(system.dofs());
  scratch_result_.setZero(equations());
}

void ConstraintSet::values(const Vector& x, Vector& g) const {
  int row = 0;
  for (const auto& c : system_.constraints()) {
    c->evaluate(x.data(), g.data() + row, nullptr);
    row += c->equations();
  }
}

void ConstraintSet::evaluate(const Vector& x, Vector& g, Jacobian& jacobian) const {
  int row = 0;
  for (const auto& c : system_.constraints()) {
    c->evaluate(x.data(), g.data() + row,
                jacobian.data() + row_start_[static_cast<std::size_t>(row)]);
    row += c->equations();
  }
  for (std::size_t i = 0; i < dof_.size(); ++i) {
    if (free_[i] == 0) jacobian[i] = 0;
  }
}

// A vertex held at the origin has no terms of its own there. It is still moved by solutions for the whole system,
// whose rounding errors it shares: a small part of the system's size counts as a term.
void ConstraintSet::scales(const Vector& x, Vector& scale) const {
  constexpr double kPart = 1e-3;
  const int n = system_.dimension();
  const Eigen::Map<const Eigen::MatrixXd> points(x.data(), n, x.size() / n);
  const double size = (points.rowwise().maxCoeff() - points.rowwise().minCoeff()).maxCoeff();
  int row = 0;
  for (const auto& c : system_.constraints()) {
    c->evaluate(x.data(), scratch_values_.data(), scratch_.data());
    const auto dofs = c->dofs();
    for (int e = 0; e < c->equations(); ++e, ++row) {
      scale[row] = c->scale();
      for (std::size_t j = 0; j < dofs.size(); ++j) {
        const double slope = scratch_[static_cast<std::size_t>(e) * dofs.size() + j];
        scale[row] += std::abs(slope) * (std::abs(x[dofs[j]]) + kPart * size);
      }
    }
  }
}

void ConstraintSet::apply(const Jacobian& jacobian, const Vector& v, Vector& result) const {
  for (int k = 0; k < equations(); ++k) {
    double sum = 0;
    for (int i = row_start_[k]; i < row_start_[k + 1]; ++i) sum += jacobian[i] * v[dof_[i]];
    result[k] = sum;
  }
}

void ConstraintSet::add_transposed(const Jacobian& jacobian, const Vector& lambda, double weight,
                                   Vector& sum) const {
  for (int k = 0; k < equations(); ++k) {
    const double factor = weight * lambda[k];
    for (int i = row_start_[k]; i < row_start_[k + 1]; ++i) sum[dof_[i]] += factor * jacobian[i];
  }
}

void ConstraintSet::column(const Jacobian& jacobian, int k, Vector& column) const {
  column.setZero();
  for (int i = row_start_[k]; i < row_start_[k + 1]; ++i) column[dof_[i]] += jacobian[i];
}

double ConstraintSet::row_norm(const Jacobian& jacobian, int k) const {
  double sum = 0;
  for (int i = row_start_[k]; i < row_start_[k + 1]; ++i) sum += jacobian[i] * jacobian[i];
  return std::sqrt(sum);
}

void ConstraintSet::gram(const Jacobian& g, const Jacobian& h, DenseMatrix& a) const {
  for (int k = 0; k < equations(); ++k) {
    scratch_column_.setZero();
    for (int i = row_start_[k]; i < row_start_[k + 1]; ++i) {
      system_.mass().add_solved_entry(dof_[i], h[i], scratch_column_);
    }
    apply(g, scratch_column_, scratch_result_);
    a.col(k) = scratch_result_;
  }
}

bool GramFactor::factorise(const DenseMatrix& a) {
  upper_ = a;
  dependent_ = -1;
  for (Eigen::Index j = 0; j < a.cols(); ++j) {
    for (Eigen::Index i = 0; i < j; ++i) {
      upper_(i, j) = (a(i, j) - upper_.col(i).head(i).dot(upper_.col(j).head(i))) / upper_(i, i);
    }
    const double pivot = a(j, j) - upper_.col(j).head(j).squaredNorm();
    if (!(pivot > kIndependent * a(j, j))) {
      dependent_ = static_cast<int>(j);
      return false;
    }
    upper_(j, j) = std::sqrt(pivot);
  }
  return true;
}

void GramFactor::solve_lower(Eigen::Ref<Vector> b) const {
  for (Eigen::Index i = 0; i < b.size(); ++i) {
    b[i] = (b[i] - upper_.col(i).head(i).dot(b.head(i))) / upper_(i, i);
  }
}

void GramFactor::solve_upper(Eigen::Ref<Vector> b) const {
  for (Eigen::Index i = b.size() - 1; i >= 0; --i) {
    b[i] /= upper_(i, i);
    b.head(i) -= b[i] * upper_.col(i).head(i);
  }
}

void GramFactor::multiply_upper(Vector& b) const {
  for (Eigen::Index i = 0; i < b.size(); ++i) {
    const double bi = b[i];
    b.head(i) += bi * upper_.col(i).head(i);
    b[i] = bi * upper_(i, i);
  }
}

void check_values(const System& system, const ConstraintSet& set, const Vector& g,
                  const Vector& scale, const ConstraintSet::Jacobian& jacobian) {
  for (int k = 0; k < set.equations(); ++k) {
    if (std::abs(g[k]) <= kConstraintTolerance * scale[k]) continue;
    throw ConstraintError(
        set.owner(k),
        fmt::format("{} does not hold at the start: g = {:.4g}, off by a distance of about {:.4g}; "
                    "{}",
                    constraint_text(system, set, k), g[k],
                    std::abs(g[k]) / set.row_norm(jacobian, k),
                    system.dimension() == 3 ? "move its vertices or change it"
                                            : "change it or the initial position"));
  }
}

void check_velocities(const System& system, const ConstraintSet& set, const Vector& rate,
                      const Vector& v, const ConstraintSet::Jacobian& jacobian, const Vector& scale,
                      double h) {
  const double fastest = v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0.0;
  for (int k = 0; k < set.equations(); ++k) {
    if (rate[k] == 0) continue;
    const double norm = set.row_norm(jacobian, k);
    // The smallest term is for places where all of g is zero.
    const double noise = kEpsilon * scale[k] / std::abs(h) + kNoSpeed * norm;
    if (std::abs(rate[k]) <= kConstraintTolerance * norm * fastest + noise) continue;
    throw ConstraintError(
        set.owner(k),
        fmt::format("the initial velocities break {}: their part along its gradient is {:.4g}, "
                    "which must be zero; take it out (project_velocities() does, in a scene "
                    "world.project_velocities = true, or system.project_velocities)",
                    constraint_text(system, set, k), rate[k] / norm));
  }
}

void refuse_dependent(const System& system, const ConstraintSet& set, int equation,
                      const DenseMatrix& gram, const Vector& g, const Vector& scale) {
  const int k = set.owner(equation);
  const std::string self = constraint_text(system, set, equation);
  if (!(gram(equation, equation) > 0)) {
    const bool fixed = std::ranges::all_of(system.constraints()[k]->dofs(), [&](int dof) {
      return system.embedding().fixed_dof(dof);
    });
    throw ConstraintError(
        k, fixed
               ? fmt::format("{} acts only on fixed vertices; remove it or free one of them", self)
               : fmt::format("{} has a zero gradient at the start, so it has no direction to act "
                             "in; write it so that its gradient does not vanish where it holds",
                             self));
  }
  // The shares of the equations before it that it is the sum of.
  DenseLu before;
  before.compute(gram.topLeftCorner(equation, equation));
  Vector shares;
  before.solve(gram.col(equation).head(equation), shares);
  std::string others;
  double apart = g[equation];  // its value where the others hold, to first order
  double terms = scale[equation];
  for (int j = 0; j < equation; ++j) {
    if (std::abs(shares[j]) * std::sqrt(gram(j, j)) <= 1e-6 * std::sqrt(gram(equation, equation))) {
      continue;
    }
    others += (others.empty() ? "" : ", ") + constraint_text(system, set, j, false);
    apart -= shares[j] * g[j];
    terms += std::abs(shares[j]) * scale[j];
  }
  if (std::abs(apart) > kConstraintTolerance * terms) {
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
  system.embedding().restrict_velocity(state.v);
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
    system.mass().add_solved(-1, impulse, state.v);
  }
}

}  // namespace lilyan
