#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "lilyan/integrate/step/discrete_equation.hpp"

namespace lilyan {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr std::array<WeightedNode, 1> kMiddle{{{.theta = 0.5, .gradient = 1, .hessian = 0.5}}};
constexpr std::array<WeightedNode, 1> kEnd{{{.theta = 1, .value = 1, .gradient = 1}}};

double total(const EnergyByKind& e) { return std::accumulate(e.begin(), e.end(), 0.0); }

}  // namespace

GlobalEquation::GlobalEquation(const System& system, Assembler& assembler,
                               const FullPattern& pattern, const SolverOptions& options)
    : DiscreteEquation(system, pattern, options),
      assembler_(assembler),
      half_values_(static_cast<std::size_t>(pattern.half().storage())) {
  for (Vector* v : {&middle_, &end_, &grad_c_, &response_}) v->setZero(system.dofs());
}

// The energy that c d has to supply, of third order in d, is dropped where it is no more than the
// rounding errors of the energies it is a difference of: c would be nothing but noise.
double GlobalEquation::coefficient(double end_energy, const Vector& d) const {
  const double work = middle_.dot(d);
  const double missing = end_energy - potential_ - work;
  const double size = std::abs(end_energy) + std::abs(potential_) + std::abs(work);
  if (std::abs(missing) <= 8 * kEpsilon * size) return 0;
  return missing / d.squaredNorm();  // (1)
}

void GlobalEquation::forces(const Vector& d, Vector& forces) {
  assembler_.gradient(*x0_, &d, kMiddle, middle_);
  forces = middle_;
  c_ = coefficient(total(assembler_.values(*x0_, &d, kEnd)), d);
  forces += c_ * d;
  forces *= 0.5 * h_ * h_;
}

void GlobalEquation::derivative(const Vector& d, std::span<double> values) {
  assembler_.hessian(*x0_, d, kMiddle, 0, half_values_);
  const BlockPattern& half = pattern_.half();
  // ∇c first, with the product ½∇²E(x½) d from the half matrix.
  grad_c_.setZero();
  assembler_.gradient(*x0_, &d, kMiddle, middle_);
  c_ = coefficient(total(assembler_.values_and_gradient(*x0_, &d, kEnd, end_)), d);
  if (c_ != 0) {
    const double square = d.squaredNorm();
    grad_c_ = end_ - middle_ - 2 * c_ * d;
    for (int c = 0; c < half.dofs(); ++c) {
      const int j = half.dof(c);
      for (int k = half.column_start()[c]; k < half.column_start()[c + 1]; ++k) {
        const int i = half.dof(half.row()[k]);
        grad_c_[i] -= half_values_[k] * d[j];
        if (i != j) grad_c_[j] -= half_values_[k] * d[i];
      }
    }
    grad_c_ /= square;  // (2)
  }
  const double weight = 0.5 * h_ * h_;
  pattern_.mirror(half_values_, values);
  for (double& v : values) v *= weight;
  for (const int k : pattern_.diagonal()) values[k] += weight * c_;
}

bool GlobalEquation::factorise(const Vector& d) {
  if (!DiscreteEquation::factorise(d)) return false;
  end_ = (0.5 * h_ * h_) * d;
  solve_sparse(end_, response_);
  return std::abs(1 + grad_c_.dot(response_)) > kEpsilon;  // otherwise (3) is singular
}

void GlobalEquation::solve(const Vector& residual, Vector& direction) {
  solve_sparse(residual, direction);
  const double factor = grad_c_.dot(direction) / (1 + grad_c_.dot(response_));
  direction = factor * response_ - direction;  // (3)
}

double GlobalEquation::rounding(const Vector& d) const {
  double bound = DiscreteEquation::rounding(d);
  // ½h² ε|E|/|d|, along d.
  if (c_ != 0) {
    bound += 4 * kEpsilon * 0.5 * h_ * h_ * std::abs(potential_) * norm(d) / d.squaredNorm();
  }
  return bound;
}

}  // namespace lilyan
