#include "lilyan/step/collocation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "lilyan/assemble/invariants.hpp"
#include "lilyan/numeric/dense.hpp"
#include "lilyan/solve/timer.hpp"
#include "lilyan/step/commit.hpp"
#include "lilyan/step/external_forces.hpp"
#include "lilyan/step/prescribed_work.hpp"
#include "lilyan/step/stage_equation.hpp"

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
      forced_(!system_.forces().empty()) {
  const int s = stages_;
  Eigen::MatrixXd A(s, s);
  const double* rows = table.A.data();
  table_.c.resize(s);
  table_.b.resize(s);
  for (int i = 0; i < s; ++i) {
    table_.c[i] = table.c[static_cast<std::size_t>(i)];
    table_.b[i] = table.b[static_cast<std::size_t>(i)];
    for (int j = 0; j < s; ++j) A(i, j) = rows[i * s + j];
  }
  DenseLu lu;
  lu.compute(A);
  table_.inverse = lu.inverse();
  table_.coupling = table_.inverse * table_.inverse;
  for (Vector* v : {&work_.z, &work_.x, &work_.v, &work_.gradient, &work_.sum, &work_.scratch,
                    &work_.damping, &work_.lengths}) {
    v->setZero(n_);
  }
  make_matrix();
}

void CollocationEquation::make_matrix() {
  const BlockPattern& half = pattern_.half();
  const int m = pattern_.dofs();
  matrix_ = {};
  matrix_.lu = make_lu();
  matrix_.half_values.resize(static_cast<std::size_t>(pattern_.half().storage()));
  matrix_.full_values.resize(static_cast<std::size_t>(pattern_.entries()));
  matrix_.right.setZero(static_cast<Eigen::Index>(stages_) * m);
  matrix_.solution = matrix_.right;
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < stages_; ++i) {
    for (int c = 0; c < m; ++c) {
      for (int k = pattern_.column_start()[c]; k < pattern_.column_start()[c + 1]; ++k) {
        entries.emplace_back(i * m + pattern_.row()[k], i * m + c, 1.0);
      }
      for (int j = 0; j < stages_; ++j) {
        if (j == i) continue;
        mass_.each_entry(half.dof(c), [&](int row, double) {
          entries.emplace_back(j * m + half.column(row), i * m + c, 1.0);
        });
      }
    }
  }
  matrix_.jacobian.resize(stages_ * m, stages_ * m);
  matrix_.jacobian.setFromTriplets(entries.begin(), entries.end());
  matrix_.jacobian.makeCompressed();
  const auto find = [&](int row, int column) {
    const int* begin = matrix_.jacobian.innerIndexPtr() + matrix_.jacobian.outerIndexPtr()[column];
    const int* end =
        matrix_.jacobian.innerIndexPtr() + matrix_.jacobian.outerIndexPtr()[column + 1];
    return static_cast<int>(std::lower_bound(begin, end, row) - matrix_.jacobian.innerIndexPtr());
  };
  for (int i = 0; i < stages_; ++i) {
    for (int c = 0; c < m; ++c) {
      for (int k = pattern_.column_start()[c]; k < pattern_.column_start()[c + 1]; ++k) {
        matrix_.hessian_position.push_back(find(i * m + pattern_.row()[k], i * m + c));
      }
    }
    for (int j = 0; j < stages_; ++j) {
      for (int c = 0; c < m; ++c) {
        mass_.each_entry(half.dof(c), [&](int row, double) {
          matrix_.coupling_position.push_back(find(i * m + half.column(row), j * m + c));
        });
      }
    }
  }
}

void CollocationEquation::prepare(const State& start, double h, const TimeSpan& span,
                                  double energy_scale) {
  assembler_.follow_stencils();
  if (!pattern_.is_current()) {
    pattern_ = FullPattern(assembler_.hessian_pattern());
    make_matrix();
  }
  problem_.span = span;
  problem_.start = &start;
  work_.has_lengths = false;
  problem_.h = h;
  problem_.energy_scale = energy_scale;
}

void CollocationEquation::go_to_stage(const Vector& z, int stage) {
  work_.x = problem_.start->x + z.segment(stage * n_, n_);
  work_.v.setZero();
  for (int j = 0; j < stages_; ++j) {
    work_.v += (table_.inverse(stage, j) / problem_.h) * z.segment(j * n_, n_);  // (2)
  }
}

void CollocationEquation::scaled_acceleration(const Vector& z, int stage, Vector& result) const {
  result.setZero();
  for (int j = 0; j < stages_; ++j) {
    result += table_.coupling(stage, j) *
              (z.segment(j * n_, n_) - (table_.c[j] * problem_.h) * problem_.start->v);
  }
}

void CollocationEquation::pull_back(Vector& z, double factor) const {
  for (int i = 0; i < stages_; ++i) {
    system_.embedding().scale_free(factor, z.segment(i * n_, n_));
  }
}

void CollocationEquation::evaluate(Iterate& at) {
  const double hh = problem_.h * problem_.h;
  at.potential.resize(at.z.size());
  if (forced_) at.force.resize(at.z.size());
  for (int i = 0; i < stages_; ++i) {
    work_.z = at.z.segment(i * n_, n_);
    assembler_.gradient(problem_.start->x, &work_.z, kStage, work_.gradient);
    at.potential.segment(i * n_, n_) = work_.gradient;
    scaled_acceleration(at.z, i, work_.sum);
    auto residual = at.residual.segment(i * n_, n_);
    residual = hh * work_.gradient;
    mass_.add_applied(work_.sum, residual);  // (1)
    if (!forced_) continue;
    go_to_stage(at.z, i);
    work_.sum.setZero();
    add_forces(system_, problem_.span, problem_.start->t + table_.c[i] * problem_.h, work_.x,
               work_.v, 1, work_.scratch, work_.sum);
    at.force.segment(i * n_, n_) = work_.sum;
    residual -= hh * work_.sum;
  }
  at.norm = norm(at.residual);
}

bool CollocationEquation::factorise(const Vector& z, SolverWork& work, NewtonTimes& times) {
  const Timer timer(times.counter(&NewtonTimes::factorisation));
  ++work.factorisations;
  const int m = pattern_.dofs();
  double* values = matrix_.jacobian.valuePtr();
  std::fill(values, values + matrix_.jacobian.nonZeros(), 0.0);
  const double hh = problem_.h * problem_.h;
  std::size_t entry = 0;
  std::size_t coupled = 0;
  for (int i = 0; i < stages_; ++i) {
    work_.z = z.segment(i * n_, n_);
    assembler_.hessian(problem_.start->x, work_.z, kStage, 0, matrix_.half_values);
    pattern_.mirror(matrix_.half_values, matrix_.full_values);
    for (const double v : matrix_.full_values) values[matrix_.hessian_position[entry++]] += hh * v;
    if (forced_) {
      go_to_stage(z, i);
      work_.damping.setZero();
      add_damping(system_, problem_.start->t + table_.c[i] * problem_.h, work_.x, work_.v,
                  problem_.h, work_.scratch, work_.damping);
    }
    for (int j = 0; j < stages_; ++j) {
      for (int c = 0; c < m; ++c) {
        const int dof = pattern_.half().dof(c);
        mass_.each_entry(dof, [&](int row, double inertia) {
          values[matrix_.coupling_position[coupled++]] +=
              table_.coupling(i, j) * inertia +
              (forced_ && row == dof ? table_.inverse(i, j) * work_.damping[dof] : 0.0);
        });
      }
    }
  }
  return matrix_.lu->factorise(matrix_.jacobian);
}

void CollocationEquation::solve(const Vector& residual, Vector& direction) {
  const int m = pattern_.dofs();
  for (int i = 0; i < stages_; ++i) {
    for (int c = 0; c < m; ++c) {
      matrix_.right[i * m + c] = -residual[i * n_ + pattern_.half().dof(c)];
    }
  }
  matrix_.lu->solve(matrix_.right, matrix_.solution);
  direction.setZero();
  for (int i = 0; i < stages_; ++i) {
    for (int c = 0; c < m; ++c) {
      direction[i * n_ + pattern_.half().dof(c)] = matrix_.solution[i * m + c];
    }
  }
}

double CollocationEquation::norm(const Vector& residual) const {
  double sum = 0;
  for (int i = 0; i < stages_; ++i) {
    sum += mass_.inverse_square(residual.segment(i * n_, n_));
  }
  return std::sqrt(sum);
}

// A residual changes v₁ by (1/h) M⁻¹ Σ bᵢRᵢ, and with it the energy by the product with the mean
// velocity, which is about that of the stages.
Defect CollocationEquation::defect(const Iterate& at) {
  double kinetic = 0;
  double work = 0;
  for (int i = 0; i < stages_; ++i) {
    go_to_stage(at.z, i);
    kinetic = std::max(kinetic, 0.5 * mass_.product(work_.v, work_.v));
    work += table_.b[i] * work_.v.dot(at.residual.segment(i * n_, n_));
  }
  const double scale = std::max(problem_.energy_scale, kinetic);
  const double size = norm(at.residual);
  if (size == 0) return {};
  const double velocity = size / std::abs(problem_.h) / std::sqrt(2 * scale);
  const double energy = std::abs(work / problem_.h) / scale;
  const double worst =
      std::max(energy / options_.energy_tolerance, velocity / options_.velocity_tolerance);
  return {.share = std::isnan(worst) ? std::numeric_limits<double>::infinity() : worst,
          .velocity = velocity};
}

// The numbers that forces are computed from are known to a relative ε, which the Jacobian turns into an error of
// the residual.
bool CollocationEquation::at_rounding(const Iterate& at) {
  if (!work_.has_lengths) assembler_.lengths(problem_.start->x, work_.lengths);
  work_.has_lengths = true;
  const int m = pattern_.dofs();
  double sum = 0;
  for (int i = 0; i < stages_; ++i) {
    work_.scratch.setZero();
    for (int c = 0; c < m; ++c) {
      const int dof = pattern_.half().dof(c);
      const double position = work_.lengths[dof] + std::abs(at.z[i * n_ + dof]);
      work_.scratch[dof] = matrix_.jacobian.coeff(i * m + c, i * m + c) * position;
    }
    sum += mass_.inverse_square(work_.scratch);
  }
  return norm(at.residual) <= 4 * std::numeric_limits<double>::epsilon() * std::sqrt(sum);
}

bool CollocationEquation::rounding_is_harmless(const Iterate& at) {
  double change = 0;
  for (int i = 0; i < stages_; ++i) {
    scaled_acceleration(at.z, i, work_.sum);
    change += mass_.product(work_.sum, work_.sum);
  }
  return small_beside(system_, problem_.start->x, norm(at.residual), std::sqrt(change));
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
      predictor_(make_predictor(world, options)) {
  found_.resize(static_cast<Eigen::Index>(table.c.size()) * system_.dofs());
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
    auto stage = found_.z.segment(i * system_.dofs(), system_.dofs());
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
    equation_.scaled_acceleration(found_.z, i, acceleration_);
    d_ += (b * (1 - c)) * acceleration_;
    v1_ += (b / h) * acceleration_;
    solver_impulse_ += (b / h) * found_.residual.segment(i * system_.dofs(), system_.dofs());
  }
}

StepReport CollocationIntegrator::step(State& state, double h) {
  StepReport report{.h = h};
  system_.embedding().restrict_velocity(state.v);
  report.before = invariants(system_, state.x, state.v, potential_.values(state.x));
  report.after = report.before;
  predict(state, h, report);
  equation_.prepare(state, h, span_of_step(state, h), report.before.scale());
  const NewtonResult solved = root_.solve(
      equation_, found_, options_.newton.max_iterations - report.solver_work.iterations);
  report.status = solved.status;
  report.solver_work += solved.work;
  report.residual = equation_.defect(found_).velocity;
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
    account.potential -=
        weight * found_.potential.segment(i * system_.dofs(), system_.dofs()).dot(mean_);
    if (system_.forces().empty()) continue;
    const auto [own, other] = equation_.work_rates(found_, i, mean_);
    account.force += weight * own;
    account.beside += weight * other;
  }
  return account;
}

}  // namespace lilyan
