#include "lilyan/integrate/step/lagrangian_step.hpp"

#include <algorithm>
#include <cmath>

#include "lilyan/assemble/invariants.hpp"
#include "lilyan/integrate/constrained/constraint_check.hpp"

namespace lilyan {
namespace {
constexpr double kGood = 0.1;  // a factorisation that gains less than a digit is renewed
constexpr double kStalled = 0.3;
constexpr double kRounding = 1e-10;  // a residual below this that no longer falls is rounding error
constexpr int kMaxHalvings = 40;     // of a Newton step

bool same(const Vector& a, const Vector& b) { return a.size() == b.size() && a == b; }
}  // namespace

LagrangianIntegrator::LagrangianIntegrator(const System& system, const LagrangianTable& table,
                                           const SolverOptions& options)
    : system_(system),
      lagrangian_(*system.lagrangian()),
      table_(table),
      options_(options),
      equation_(system),
      legendre_(system),
      end_jacobian_(equation_.constraints().make_jacobian()) {
  equation_.set_table(table_);
  for (Vector* x : {&p0_, &q1_, &p1_, &v1_}) x->setZero(system.dofs());
  g_.setZero(equation_.constraints().equations());
}

void LagrangianIntegrator::forget() {
  has_end_ = false;
  factored_h_ = 0;
}

void LagrangianIntegrator::begin(const State& state) {
  if (!checked_ && !system_.constraints().empty()) check_constraints(system_, state);
  checked_ = true;
  if (has_end_ && end_t_ == state.t && same(end_x_, state.x) && same(end_v_, state.v)) {
    p0_ = end_p_;
    return;
  }
  legendre_.momentum(state.t, state.x, state.v, p0_);
}

// The Newton step did not help: shorter ones, until one does.
bool LagrangianIntegrator::step_back(StepReport& report, double size, double& next) {
  for (int k = 0; k < kMaxHalvings; ++k) {
    direction_ *= 0.5;
    trial_ = z_ + direction_;
    next = equation_.evaluate(trial_);
    ++report.evaluations;
    if (next < size) return true;
  }
  return false;
}

StepStatus LagrangianIntegrator::solve_newton(StepReport& report) {
  const double tolerance = std::min(options_.energy_tolerance, options_.velocity_tolerance);
  double size = equation_.evaluate(z_);
  ++report.evaluations;
  bool fresh = false;
  for (int k = 0; k < options_.newton.max_iterations; ++k) {
    report.residual = equation_.relative();
    if (report.residual <= tolerance) return StepStatus::converged;
    if (options_.newton.stop_asked()) return StepStatus::stopped;
    if (factored_h_ != report.h) {
      equation_.jacobian(matrix_);
      lu_.compute(matrix_);
      equation_.learn_sizes(matrix_, z_);
      factored_h_ = report.h;
      fresh = true;
      ++report.factorisations;
    }
    direction_ = -lu_.solve(equation_.residual());
    ++report.iterations;
    if (!direction_.allFinite()) {
      factored_h_ = 0;
      return g_.size() > 0 ? StepStatus::singular_constraints : StepStatus::not_definite;
    }
    trial_ = z_ + direction_;
    const double overall = equation_.overall();
    double next = equation_.evaluate(trial_);
    ++report.evaluations;
    // Only rounding errors of small components are left, which do not fall any more.
    if (overall <= tolerance && next > kStalled * size) {
      if (next < size) {
        z_.swap(trial_);
      } else {
        equation_.evaluate(z_);
      }
      return StepStatus::converged;
    }
    if (!(next <= kGood * size)) {
      factored_h_ = 0;
      if (!(next < size)) {
        // With an old factorisation it may be that alone; try again from here with a new one.
        const bool rounding = overall <= kRounding;
        if (!fresh || rounding || !step_back(report, size, next)) {
          size = equation_.evaluate(z_);
          ++report.evaluations;
          if (!fresh && !rounding) continue;
          if (rounding) factored_h_ = fresh ? 0 : report.h;
          return rounding ? StepStatus::round_off : StepStatus::no_descent;
        }
      }
    }
    z_.swap(trial_);
    size = next;
    fresh = false;
  }
  return StepStatus::not_converged;
}

bool LagrangianIntegrator::solve(const State& state, double h, StepReport& report) {
  equation_.prepare(state, p0_, h);
  equation_.guess(z_);
  report.status = solve_newton(report);
  if (!succeeded(report.status)) return false;
  equation_.finish(z_, q1_, p1_);
  equation_.mean_velocity(z_, v1_);
  v1_ = 2 * v1_ - state.v;
  const bool constrained = g_.size() > 0;
  if (constrained) equation_.constraints().evaluate(q1_, g_, end_jacobian_);
  const StepStatus end =
      legendre_.velocity(state.t + h, h, q1_, p1_, v1_, constrained ? &end_jacobian_ : nullptr);
  if (!succeeded(end)) {
    report.status = end;
    return false;
  }
  report.after = lagrangian_invariants(lagrangian_, state.t + h, q1_.data(), v1_.data());
  report.ledger.work = equation_.work();
  report.ledger.dissipation = equation_.dissipation();
  if (!std::isfinite(report.after.total)) report.status = StepStatus::non_finite;
  return succeeded(report.status);
}

// Whether the quadrature of an averaging method is; otherwise it has more points now.
bool LagrangianIntegrator::accurate(StepReport& report) {
  const double defect = report.after.total - report.before.total - report.ledger.total();
  const double scale = std::max(report.before.scale(), report.after.scale());
  const bool done =
      gauss_.accept(defect == 0 ? 0 : std::abs(defect) / (options_.energy_tolerance * scale));
  report.nodes = gauss_.used();
  if (static_cast<std::size_t>(gauss_.count()) != table_.time.size()) {
    table_ = average_table(gauss_.nodes());
    table_.adaptive_nodes = true;
    factored_h_ = 0;
    equation_.set_table(table_);
  }
  return done;
}

StepReport LagrangianIntegrator::step(State& state, double h) {
  StepReport report{.h = h};
  begin(state);
  report.before = lagrangian_invariants(lagrangian_, state.t, state.x.data(), state.v.data());
  if (table_.adaptive_nodes) gauss_.begin_step();
  bool done = solve(state, h, report);
  while (done && table_.adaptive_nodes && !accurate(report)) {
    report.ledger = {};
    done = solve(state, h, report);
  }
  if (!done) {
    report.after = report.before;
    report.ledger = {};
    factored_h_ = 0;
    return report;
  }
  const double rest = report.after.total - report.before.total - report.ledger.total();
  (table_.averages_force ? report.ledger.quadrature : report.ledger.method) = rest;
  state.x_previous.swap(state.x);
  state.v_previous.swap(state.v);
  state.x = q1_;
  state.v = v1_;
  state.h_previous = h;
  state.t += h;
  has_end_ = true;
  end_t_ = state.t;
  end_x_ = q1_;
  end_v_ = v1_;
  end_p_ = p1_;
  return report;
}

}  // namespace lilyan
