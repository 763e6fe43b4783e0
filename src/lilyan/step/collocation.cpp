#include "lilyan/step/collocation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "lilyan/assemble/invariants.hpp"
#include "lilyan/model/fixed.hpp"
#include "lilyan/numeric/dense.hpp"
#include "lilyan/step/commit.hpp"
#include "lilyan/step/external_forces.hpp"
#include "lilyan/step/prescribed_work.hpp"
#include "lilyan/step/step_objective.hpp"

namespace lilyan {
namespace {
constexpr std::array<WeightedNode, 1> kStage{{{.theta = 1, .gradient = 1, .hessian = 1}}};
}

CollocationEquation::CollocationEquation(Assembler& assembler, const CollocationTable& table,
                                         const SolverOptions& options)
    : assembler_(assembler),
      system_(assembler.system()),
      mass_(system_.mass()),
      pattern_(assembler.hessian_pattern()),
      stages_(static_cast<int>(table.c.size())),
      n_(system_.dofs()),
      options_(options),
      forced_(!system_.forces().empty()),
      lu_(make_lu()) {
  const int s = stages_;
  Eigen::MatrixXd A(s, s);
  const double* rows = table.A.data();
  c_.resize(s);
  b_.resize(s);
  for (int i = 0; i < s; ++i) {
    c_[i] = table.c[static_cast<std::size_t>(i)];
    b_[i] = table.b[static_cast<std::size_t>(i)];
    for (int j = 0; j < s; ++j) A(i, j) = rows[i * s + j];
  }
  DenseLu lu;
  lu.compute(A);
  inverse_ = lu.inverse();
  coupling_ = inverse_ * inverse_;
  find_positions();
  half_values_.resize(static_cast<std::size_t>(pattern_.half().storage()));
  full_values_.resize(static_cast<std::size_t>(pattern_.entries()));
  for (Vector* v : {&stage_z_, &stage_x_, &stage_v_, &stage_gradient_, &sum_, &scratch_, &damping_,
                    &lengths_}) {
    v->setZero(n_);
  }
  external_.setZero(s * n_);
  gradients_.setZero(s * n_);
  free_right_.setZero(static_cast<Eigen::Index>(s) * pattern_.dofs());
  free_solution_ = free_right_;
}

void CollocationEquation::find_positions() {
  const int m = pattern_.dofs();
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < stages_; ++i) {
    for (int c = 0; c < m; ++c) {
      for (int k = pattern_.column_start()[c]; k < pattern_.column_start()[c + 1]; ++k) {
        entries.emplace_back(i * m + pattern_.row()[k], i * m + c, 1.0);
      }
      for (int j = 0; j < stages_; ++j) {
        if (j != i) entries.emplace_back(j * m + c, i * m + c, 1.0);
      }
    }
  }
  jacobian_.resize(stages_ * m, stages_ * m);
  jacobian_.setFromTriplets(entries.begin(), entries.end());
  jacobian_.makeCompressed();
  const auto find = [&](int row, int column) {
    const int* begin = jacobian_.innerIndexPtr() + jacobian_.outerIndexPtr()[column];
    const int* end = jacobian_.innerIndexPtr() + jacobian_.outerIndexPtr()[column + 1];
    return static_cast<int>(std::lower_bound(begin, end, row) - jacobian_.innerIndexPtr());
  };
  for (int i = 0; i < stages_; ++i) {
    for (int c = 0; c < m; ++c) {
      for (int k = pattern_.column_start()[c]; k < pattern_.column_start()[c + 1]; ++k) {
        hessian_position_.push_back(find(i * m + pattern_.row()[k], i * m + c));
      }
    }
    for (int j = 0; j < stages_; ++j) {
      for (int c = 0; c < m; ++c) coupling_position_.push_back(find(i * m + c, j * m + c));
    }
  }
}

void CollocationEquation::prepare(const State& start, double h, const TimeSpan& span,
                                  double energy_scale) {
  span_ = span;
  start_ = &start;
  has_lengths_ = false;
  h_ = h;
  energy_scale_ = energy_scale;
}

void CollocationEquation::go_to_stage(const Vector& z, int stage) {
  stage_x_ = start_->x + z.segment(stage * n_, n_);
  stage_v_.setZero();
  for (int j = 0; j < stages_; ++j) {
    stage_v_ += (inverse_(stage, j) / h_) * z.segment(j * n_, n_);  // (2)
  }
}

void CollocationEquation::scaled_acceleration(const Vector& z, int stage, Vector& result) const {
  result.setZero();
  for (int j = 0; j < stages_; ++j) {
    result += coupling_(stage, j) * (z.segment(j * n_, n_) - (c_[j] * h_) * start_->v);
  }
}

void CollocationEquation::pull_back(Vector& z, double factor) const {
  for (int i = 0; i < stages_; ++i) {
    for (int k = 0; k < system_.dofs(); ++k) {
      if (!system_.fixed(k / system_.dimension())) z[i * system_.dofs() + k] *= factor;
    }
  }
}

Equation::Size CollocationEquation::evaluate(const Vector& z, Vector& residual) {
  const double hh = h_ * h_;
  for (int i = 0; i < stages_; ++i) {
    stage_z_ = z.segment(i * n_, n_);
    assembler_.gradient(start_->x, &stage_z_, kStage, stage_gradient_);
    gradients_.segment(i * n_, n_) = stage_gradient_;
    scaled_acceleration(z, i, sum_);
    residual.segment(i * n_, n_) = mass_.cwiseProduct(sum_) + hh * stage_gradient_;  // (1)
    if (!forced_) continue;
    go_to_stage(z, i);
    sum_.setZero();
    add_forces(system_, span_, start_->t + c_[i] * h_, stage_x_, stage_v_, 1, scratch_, sum_);
    external_.segment(i * n_, n_) = sum_;
    residual.segment(i * n_, n_) -= hh * sum_;
  }
  return {.norm = norm(residual)};
}

bool CollocationEquation::factorise(const Vector& z, SolverWork& work, NewtonTimes& times) {
  const Timer timer(times.factorisation);
  ++work.factorisations;
  const int m = pattern_.dofs();
  double* values = jacobian_.valuePtr();
  std::fill(values, values + jacobian_.nonZeros(), 0.0);
  const double hh = h_ * h_;
  std::size_t entry = 0;
  std::size_t diagonal = 0;
  for (int i = 0; i < stages_; ++i) {
    stage_z_ = z.segment(i * n_, n_);
    assembler_.hessian(start_->x, stage_z_, kStage, 0, half_values_);
    pattern_.mirror(half_values_, full_values_);
    for (const double v : full_values_) values[hessian_position_[entry++]] += hh * v;
    if (forced_) {
      go_to_stage(z, i);
      damping_.setZero();
      add_damping(system_, start_->t + c_[i] * h_, stage_x_, stage_v_, h_, scratch_, damping_);
    }
    for (int j = 0; j < stages_; ++j) {
      for (int c = 0; c < m; ++c) {
        const int dof = pattern_.half().dof(c);
        values[coupling_position_[diagonal++]] +=
            coupling_(i, j) * mass_[dof] + (forced_ ? inverse_(i, j) * damping_[dof] : 0.0);
      }
    }
  }
  return lu_->factorise(jacobian_);
}

void CollocationEquation::solve(const Vector& residual, Vector& direction) {
  const int m = pattern_.dofs();
  for (int i = 0; i < stages_; ++i) {
    for (int c = 0; c < m; ++c) {
      free_right_[i * m + c] = -residual[i * n_ + pattern_.half().dof(c)];
    }
  }
  lu_->solve(free_right_, free_solution_);
  direction.setZero();
  for (int i = 0; i < stages_; ++i) {
    for (int c = 0; c < m; ++c) {
      direction[i * n_ + pattern_.half().dof(c)] = free_solution_[i * m + c];
    }
  }
}

double CollocationEquation::norm(const Vector& residual) const {
  double sum = 0;
  for (int i = 0; i < stages_; ++i) {
    sum += (residual.segment(i * n_, n_).array().square() / mass_.array()).sum();
  }
  return std::sqrt(sum);
}

// A residual changes v₁ by (1/h) M⁻¹ Σ bᵢRᵢ, and with it the energy by the product with the mean
// velocity, which is about that of the stages.
double CollocationEquation::defect(const Vector& z, const Vector& residual) {
  double kinetic = 0;
  double work = 0;
  for (int i = 0; i < stages_; ++i) {
    go_to_stage(z, i);
    kinetic = std::max(kinetic, 0.5 * stage_v_.dot(mass_.cwiseProduct(stage_v_)));
    work += b_[i] * stage_v_.dot(residual.segment(i * n_, n_));
  }
  const double scale = std::max(energy_scale_, kinetic);
  const double size = norm(residual);
  velocity_error_ = 0;
  if (size == 0) return 0;
  velocity_error_ = size / std::abs(h_) / std::sqrt(2 * scale);
  const double energy_error = std::abs(work / h_) / scale;
  const double worst = std::max(energy_error / options_.energy_tolerance,
                                velocity_error_ / options_.velocity_tolerance);
  return std::isnan(worst) ? std::numeric_limits<double>::infinity() : worst;
}

// The numbers that forces are computed from are known to a relative ε, which the Jacobian turns into an error of
// the residual.
bool CollocationEquation::at_rounding(const Vector& z, const Vector& residual) {
  if (!has_lengths_) assembler_.lengths(start_->x, lengths_);
  has_lengths_ = true;
  const int m = pattern_.dofs();
  double sum = 0;
  for (int i = 0; i < stages_; ++i) {
    for (int c = 0; c < m; ++c) {
      const int dof = pattern_.half().dof(c);
      const double position = lengths_[dof] + std::abs(z[i * n_ + dof]);
      const int position_of_diagonal = coupling_position_.data()[(i * stages_ + i) * m + c];
      const double error = jacobian_.valuePtr()[position_of_diagonal] * position;
      sum += error * error / mass_[dof];
    }
  }
  return norm(residual) <= 4 * std::numeric_limits<double>::epsilon() * std::sqrt(sum);
}

bool CollocationEquation::rounding_is_harmless(const Vector& z, const Vector& residual) {
  double change = 0;
  for (int i = 0; i < stages_; ++i) {
    scaled_acceleration(z, i, sum_);
    change += sum_.dot(mass_.cwiseProduct(sum_));
  }
  return small_beside(system_, start_->x, norm(residual), std::sqrt(change));
}

CollocationIntegrator::CollocationIntegrator(const World& world, const CollocationTable& table,
                                             const SolverOptions& options)
    : system_(world.system),
      table_(table),
      options_(options),
      assembler_(world),
      potential_(assembler_),
      equation_(assembler_, table, options),
      root_(static_cast<Eigen::Index>(table.c.size()) * system_.dofs(), options.newton),
      predictor_(make_predictor(world, options)),
      z_(Vector::Zero(static_cast<Eigen::Index>(table.c.size()) * system_.dofs())) {
  for (Vector* v : {&d_, &x1_, &v1_, &mean_, &acceleration_, &solver_impulse_}) {
    v->setZero(system_.dofs());
  }
}

NewtonTimes CollocationIntegrator::times() const {
  NewtonTimes sum = root_.times();
  sum += predictor_->times();
  return sum;
}

// The parabola with the start's velocity through the end that AVF finds.
void CollocationIntegrator::predict(const State& state, double h, StepReport& report) {
  predicted_ = state;
  const StepReport work = predictor_->step(predicted_, h);
  report.solver_work += work.solver_work;
  const bool found = succeeded(work.status);
  for (int i = 0; i < equation_.stages(); ++i) {
    const double c = table_.c[static_cast<std::size_t>(i)];
    auto stage = z_.segment(i * system_.dofs(), system_.dofs());
    stage = (c * h) * state.v;
    if (found) stage += (c * c) * (predicted_.x - state.x - h * state.v);
  }
}

// With Gᵢ = Σⱼ Bᵢⱼ (Zⱼ − cⱼ h v₀), which is h²aᵢ + M⁻¹Rᵢ:
//   d = h v₀ + Σ bᵢ(1−cᵢ) Gᵢ,   v₁ = v₀ + (1/h) Σ bᵢGᵢ.
void CollocationIntegrator::finish(const State& state, double h) {
  d_ = h * state.v;
  v1_ = state.v;
  solver_impulse_.setZero();
  for (int i = 0; i < equation_.stages(); ++i) {
    const double b = table_.b[static_cast<std::size_t>(i)];
    const double c = table_.c[static_cast<std::size_t>(i)];
    equation_.scaled_acceleration(z_, i, acceleration_);
    d_ += (b * (1 - c)) * acceleration_;
    v1_ += (b / h) * acceleration_;
    solver_impulse_ += (b / h) * root_.residual().segment(i * system_.dofs(), system_.dofs());
  }
}

StepReport CollocationIntegrator::step(State& state, double h) {
  StepReport report{.h = h};
  stop_unmoved(system_, state.v);
  report.before = invariants(system_, state.x, state.v, potential_.values(state.x));
  report.after = report.before;
  predict(state, h, report);
  equation_.prepare(state, h, span_of_step(state, h), report.before.scale());
  const NewtonResult solved =
      root_.solve(equation_, z_, options_.newton.max_iterations - report.solver_work.iterations);
  report.status = solved.status;
  report.solver_work += solved.work;
  report.residual = equation_.relative_velocity_error();
  if (!succeeded(report.status)) return report;
  finish(state, h);
  x1_ = state.x + d_;
  commit(report, state, x1_, v1_, invariants(system_, x1_, v1_, potential_.values(x1_)),
         [&] { return account(state, h); });
  return report;
}

// With Rᵢ what is left of the equation of stage i, fᵢ and Vᵢ its external force and velocity,
//   M (v₁ − v₀) = (1/h) Σ bᵢ Rᵢ − h Σ bᵢ ∇Eᵢ + h Σ bᵢ fᵢ                                        (1)
// and kinetic energy changes by the product of (1) with w = ½(v₀+v₁). The first term is the
// solver's. Forces work along the velocities of their stages,
//   work = h Σ bᵢ fᵢ·Vᵢ,                                                                        (2)
// and the method does the rest: it moves with w instead of Vᵢ, and by ∇Eᵢ instead of the change of
// the potential E along the way (prescribed vertices take their part of that change as work),
//   method = h Σ bᵢ fᵢ·(w − Vᵢ) − h Σ bᵢ ∇Eᵢ·w + E₁ − E₀ − prescribed work.                     (3)
StepAccount CollocationIntegrator::account(const State& start, double h) {
  mean_ = 0.5 * (start.v + v1_);
  StepAccount account{
      .residual = mean_.dot(solver_impulse_),
      .prescribed = prescribed_work(assembler_.world(), start.x, d_, acceleration_)};
  for (int i = 0; i < equation_.stages(); ++i) {
    const double weight = table_.b[static_cast<std::size_t>(i)] * h;
    account.potential -= weight * equation_.potential_gradient(i).dot(mean_);
    if (system_.forces().empty()) continue;
    const auto [own, other] = equation_.work_rates(z_, i, mean_);
    account.force += weight * own;
    account.beside += weight * other;
  }
  return account;
}

}  // namespace lilyan
