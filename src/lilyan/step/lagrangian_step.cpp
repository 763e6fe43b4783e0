#include "lilyan/step/lagrangian_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lilyan/assemble/constraint_set.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/assemble/path_balance.hpp"
#include "lilyan/step/commit.hpp"

namespace lilyan {

namespace {
constexpr double kGoodFactor = 0.1;  // factors that gain less than a digit are renewed
constexpr double kNoProgress = 0.3;
constexpr double kNearRounding =
    1e-10;  // a residual below this that does not fall is rounding error
}  // namespace

LagrangianEquation::LagrangianEquation(const System& system, double tolerance)
    : system_(system),
      lagrangian_(*system.lagrangian()),
      constraints_(system),
      start_jacobian_(constraints_.make_jacobian()),
      end_jacobian_(constraints_.make_jacobian()),
      tolerance_(tolerance),
      n_(system.dofs()),
      m_(constraints_.equations()) {
  for (Vector* x : {&sum_, &q1_, &column_, &external_}) x->setZero(n_);
  for (Vector* x : {&g_, &g_scale_}) x->setZero(m_);
  for (DenseMatrix* a : {&qq_, &qv_, &vv_, &by_q_, &by_v_}) a->setZero(n_, n_);
}

void LagrangianEquation::set_table(const LagrangianTable& table) {
  table_ = table;
  k_ = table.unknowns;
  nodes_ = static_cast<int>(table.time.size());
  for (auto* at_nodes : {&q_, &v_, &momentum_, &force_}) {
    at_nodes->assign(static_cast<std::size_t>(nodes_), Vector::Zero(n_));
  }
  forget_factors();
  for (Vector* x : {&terms_, &weights_, &row_size_, &noise_}) x->setZero(k_ * n_);
}

void LagrangianEquation::archive(Archive& a) {
  a(matrix_, row_size_, noise_, factored_h_, fresh_);
  Archive::require(row_size_.size() == terms_.size() && noise_.size() == terms_.size());
  Archive::require(matrix_.rows() == matrix_.cols() &&
                   (matrix_.rows() == unknowns() || factored_h_ == 0));
  if (a.loading() && factored_h_ != 0) lu_.compute(matrix_);
}

double LagrangianEquation::node_time(int i) const {
  return start_->t + table_.time[static_cast<std::size_t>(i)] * h_;
}

void LagrangianEquation::prepare(const State& state, const Vector& p0, double h,
                                 const TimeSpan& span) {
  span_ = span;
  start_ = &state;
  p0_ = &p0;
  h_ = h;
  first_ = true;
  if (m_ > 0) constraints_.evaluate(state.x, g_, start_jacobian_);
}

void LagrangianEquation::guess(Vector& z) const {
  z.setZero(unknowns());
  for (int k = 0; k < k_; ++k) {
    auto u = z.segment(k * n_, n_);
    u = start_->v;
    if (start_->h_previous == 0) continue;
    const double time = k_ == nodes_ ? table_.time[static_cast<std::size_t>(k)] : 0.5;
    u += (time * h_ / start_->h_previous) * (start_->v - start_->v_previous);
  }
}

void LagrangianEquation::add_forces(int i, bool dissipating, Vector& sum) const {
  const auto at = static_cast<std::size_t>(i);
  for (const auto& f : system_.forces()) {
    if (f->dissipates() == dissipating) {
      f->add_within_step(span_, node_time(i), q_[at].data(), v_[at].data(), n_, sum.data());
    }
  }
}

void LagrangianEquation::go_to_nodes(const Vector& z) {
  for (int i = 0; i < nodes_; ++i) {
    const auto at = static_cast<std::size_t>(i);
    q_[at] = start_->x;
    v_[at].setZero();
    for (int k = 0; k < k_; ++k) {
      const auto u = z.segment(k * n_, n_);
      const auto entry = static_cast<std::size_t>(i * k_ + k);
      if (table_.position[entry] != 0) q_[at] += (h_ * table_.position[entry]) * u;
      if (table_.velocity[entry] != 0) v_[at] += table_.velocity[entry] * u;
    }
  }
}

// The norm is in units that are the same throughout a step, so that a search may compare it.
Equation::Size LagrangianEquation::evaluate(const Vector& z, Vector& residual) {
  go_to_nodes(z);
  for (int i = 0; i < nodes_; ++i) {
    const auto at = static_cast<std::size_t>(i);
    lagrangian_.evaluate(node_time(i), q_[at].data(), v_[at].data(),
                         {.q = force_[at].data(), .v = momentum_[at].data()});
    add_forces(i, false, force_[at]);
    add_forces(i, true, force_[at]);
  }
  for (int k = 0; k < k_; ++k) {
    auto r = residual.segment(k * n_, n_);
    auto size = terms_.segment(k * n_, n_);
    r.setZero();
    sum_.setZero();
    for (int i = 0; i < nodes_; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const auto entry = static_cast<std::size_t>(k * nodes_ + i);
      if (table_.momentum[entry] != 0) r += table_.momentum[entry] * momentum_[at];
      if (table_.force[entry] != 0) sum_ += (h_ * table_.force[entry]) * force_[at];
    }
    size = p0_->cwiseAbs() + r.cwiseAbs() + sum_.cwiseAbs();
    r -= *p0_;
    r -= sum_;
  }
  if (m_ > 0) add_constraints(z, residual);
  return {.norm = measure(residual)};
}

// By component: beside a heavy coordinate the error of a light one would not be seen in a sum.
double LagrangianEquation::measure(const Vector& residual) {
  const Eigen::Index n = k_ * n_;
  const double all = terms_.maxCoeff();
  if (first_) {
    first_ = false;
    weights_ = terms_;
    // A component without terms of its own is compared with the others.
    weights_ = (weights_.array() > 0).select(weights_, all > 0 ? all : 1.0);
    constraint_scale_ = g_scale_;
  }
  const auto ratio = [](double error, double size) { return error == 0 ? 0.0 : error / size; };
  last_ = {};
  double size = 0;
  for (Eigen::Index i = 0; i < n; ++i) {
    const double error = std::abs(residual[i]);
    size = std::max(size, ratio(error, weights_[i]));
    last_.overall = std::max(last_.overall, ratio(error, all));
    // Rounding errors of the positions and of the terms themselves do not count.
    const double excess = std::max(0.0, error - noise_[i]);
    last_.relative = std::max(last_.relative, ratio(excess, std::max(terms_[i], row_size_[i])));
  }
  for (int c = 0; c < m_; ++c) {
    const double off = std::abs(g_[c]);
    last_.relative = std::max(last_.relative, ratio(off, g_scale_[c]));
    last_.overall = std::max(last_.overall, ratio(off, g_scale_[c]));
    size = std::max(size, ratio(off, constraint_scale_[c]));
  }
  if (!residual.allFinite()) {
    last_.relative = last_.overall = size = std::numeric_limits<double>::infinity();
  }
  return size;
}

void LagrangianEquation::find_end(const Vector& z) {
  q1_ = start_->x;
  for (int k = 0; k < k_; ++k) {
    q1_ += (h_ * table_.end_position[static_cast<std::size_t>(k)]) * z.segment(k * n_, n_);
  }
  constraints_.evaluate(q1_, g_, end_jacobian_);
}

void LagrangianEquation::add_constraints(const Vector& z, Vector& residual) {
  sum_.setZero();
  lambda_ = z.tail(m_);
  constraints_.add_transposed(start_jacobian_, lambda_, -h_, sum_);
  for (int k = 0; k < k_; ++k) residual.segment(k * n_, n_) += sum_;
  find_end(z);
  constraints_.scales(q1_, g_scale_);
  residual.tail(m_) = g_ / h_;
}

double LagrangianEquation::defect(const Vector& /*z*/, const Vector& /*residual*/) {
  return here_.relative / tolerance_;
}

bool LagrangianEquation::at_rounding(const Vector& /*z*/, const Vector& /*residual*/) {
  return here_.overall <= kNearRounding;
}

// Where all components are as small as asked for in units of the largest terms, small components
// that do not fall any more are rounding errors. Factors that led there are not to blame.
std::optional<StepStatus> LagrangianEquation::judge(const Vector& z, const Vector& residual,
                                                    const Step& last) {
  const bool was_small = last.length > 0 && here_.overall <= tolerance_;
  here_ = last_;
  if (was_small && last.contraction > kNoProgress) return StepStatus::converged;
  fresh_ = false;
  if (last.length > 0 && !(last.length == 1 && last.contraction <= kGoodFactor)) forget_factors();
  if (defect(z, residual) <= 1) return StepStatus::converged;
  return {};
}

std::optional<StepStatus> LagrangianEquation::judge_stuck(const Vector& z, const Vector& residual) {
  if (here_.overall <= tolerance_) return StepStatus::converged;
  if (!at_rounding(z, residual)) return {};
  if (fresh_) forget_factors();
  return StepStatus::round_off;
}

bool LagrangianEquation::keeps_factors(const Step& /*last*/) const { return factored_h_ == h_; }

StepStatus LagrangianEquation::singular() const {
  return m_ > 0 ? StepStatus::singular_constraints : StepStatus::not_definite;
}

bool LagrangianEquation::factorise(const Vector& z, SolverWork& work, NewtonTimes& /*times*/) {
  go_to_nodes(z);
  if (m_ > 0) find_end(z);
  assemble();
  lu_.compute(matrix_);
  learn_sizes(z);
  factored_h_ = h_;
  fresh_ = true;
  ++work.factorisations;
  return true;
}

void LagrangianEquation::solve(const Vector& residual, Vector& direction) {
  lu_.solve(residual, direction);
  direction = -direction;
}

// The Jacobian, at the nodes last gone to.
void LagrangianEquation::assemble() {
  matrix_.setZero(unknowns(), unknowns());
  for (int i = 0; i < nodes_; ++i) {
    const auto at = static_cast<std::size_t>(i);
    lagrangian_.evaluate(node_time(i), q_[at].data(), v_[at].data(),
                         {.qq = qq_.data(), .qv = qv_.data(), .vv = vv_.data()});
    by_q_ = qq_;
    by_v_ = qv_;
    for (const auto& f : system_.forces()) {
      if (f->add_derivatives(node_time(i), q_[at].data(), v_[at].data(), by_q_.data(),
                             by_v_.data())) {
        continue;
      }
      external_.setZero();
      f->add_damping(node_time(i), q_[at].data(), v_[at].data(), external_.data());
      by_v_.diagonal() -= external_;
    }
    for (int k = 0; k < k_; ++k) {
      const double momentum = table_.momentum[static_cast<std::size_t>(k * nodes_ + i)];
      const double force = h_ * table_.force[static_cast<std::size_t>(k * nodes_ + i)];
      for (int l = 0; l < k_; ++l) {
        const double position = h_ * table_.position[static_cast<std::size_t>(i * k_ + l)];
        const double velocity = table_.velocity[static_cast<std::size_t>(i * k_ + l)];
        auto block = matrix_.block(k * n_, l * n_, n_, n_);
        if (momentum != 0) {
          block += (momentum * velocity) * vv_ + (momentum * position) * qv_.transpose();
        }
        if (force != 0) block -= (force * position) * by_q_ + (force * velocity) * by_v_;
      }
    }
  }
  for (int c = 0; c < m_; ++c) {
    constraints_.column(start_jacobian_, c, column_);
    for (int k = 0; k < k_; ++k) matrix_.block(k * n_, k_ * n_ + c, n_, 1) = -h_ * column_;
    constraints_.column(end_jacobian_, c, column_);
    for (int k = 0; k < k_; ++k) {
      matrix_.block(k_ * n_ + c, k * n_, 1, n_) =
          table_.end_position[static_cast<std::size_t>(k)] * column_.transpose();
    }
  }
}

// The size of the terms that a row of the equations is a sum of, and what the rounding of positions
// changes in it.
void LagrangianEquation::learn_sizes(const Vector& z) {
  const double noise = kEpsilon * start_->x.cwiseAbs().maxCoeff() / std::abs(h_);
  for (Eigen::Index i = 0; i < k_ * n_; ++i) {
    row_size_[i] = matrix_.row(i).cwiseAbs().dot(z.cwiseAbs());
    noise_[i] = noise * matrix_.row(i).head(k_ * n_).cwiseAbs().sum();
  }
}

void LagrangianEquation::finish(const Vector& z, Vector& q1, Vector& p1) const {
  q1 = start_->x;
  p1 = *p0_;
  for (int k = 0; k < k_; ++k) {
    q1 += (h_ * table_.end_position[static_cast<std::size_t>(k)]) * z.segment(k * n_, n_);
  }
  for (int i = 0; i < nodes_; ++i) {
    p1 +=
        (h_ * table_.end_force[static_cast<std::size_t>(i)]) * force_[static_cast<std::size_t>(i)];
  }
  if (m_ > 0) constraints_.add_transposed(start_jacobian_, lambda_, h_, p1);
}

void LagrangianEquation::mean_velocity(const Vector& z, Vector& v) const {
  v.setZero(n_);
  for (int k = 0; k < k_; ++k) {
    v += table_.end_position[static_cast<std::size_t>(k)] * z.segment(k * n_, n_);
  }
}

double LagrangianEquation::power(bool dissipating) const {
  double sum = 0;
  for (int i = 0; i < nodes_; ++i) {
    external_.setZero();
    add_forces(i, dissipating, external_);
    sum += table_.end_force[static_cast<std::size_t>(i)] *
           external_.dot(v_[static_cast<std::size_t>(i)]);
  }
  return sum;
}

double LagrangianEquation::work() const {
  double sum = system_.forces().empty() ? 0 : power(false);
  if (lagrangian_.depends_on_time()) {
    for (int i = 0; i < nodes_; ++i) {
      const auto at = static_cast<std::size_t>(i);
      double rate = 0;
      lagrangian_.evaluate(node_time(i), q_[at].data(), v_[at].data(), {.t = &rate});
      sum -= table_.end_force[at] * rate;
    }
  }
  return h_ * sum;
}

double LagrangianEquation::impulse_beyond_work(const Vector& velocity) {
  double sum = 0;
  for (int i = 0; i < nodes_; ++i) {
    const auto at = static_cast<std::size_t>(i);
    double power = force_[at].dot(velocity);
    if (!system_.forces().empty()) {
      external_.setZero();
      add_forces(i, false, external_);
      add_forces(i, true, external_);
      power -= external_.dot(v_[at]);
    }
    if (lagrangian_.depends_on_time()) {
      double rate = 0;
      lagrangian_.evaluate(node_time(i), q_[at].data(), v_[at].data(), {.t = &rate});
      power += rate;
    }
    sum += table_.end_force[at] * power;
  }
  if (m_ > 0) {
    constraints_.apply(start_jacobian_, velocity, g_);
    sum += lambda_.dot(g_);
  }
  return h_ * sum;
}

double LagrangianEquation::dissipation() const {
  return system_.forces().empty() ? 0 : h_ * power(true);
}

namespace {
bool same_vector(const Vector& a, const Vector& b) { return a.size() == b.size() && a == b; }
}  // namespace

LagrangianIntegrator::LagrangianIntegrator(const System& system, const LagrangianTable& table,
                                           const SolverOptions& options)
    : system_(system),
      lagrangian_(*system.lagrangian()),
      table_(table),
      options_(options),
      equation_(system, std::min(options.energy_tolerance, options.velocity_tolerance)),
      root_(system.dofs(), options.newton, false),
      legendre_(system, options.newton),
      end_jacobian_(equation_.constraints().make_jacobian()) {
  for (Vector* x : {&p0_, &q1_, &p1_, &v1_}) x->setZero(system.dofs());
  g_.setZero(equation_.constraints().equations());
}

void LagrangianIntegrator::forget() {
  has_end_ = false;
  equation_.forget_factors();
}

void LagrangianIntegrator::archive(Archive& a) {
  a.mark("lagrangian");
  a(path_nodes_, has_end_, checked_, end_t_, end_x_, end_v_, end_p_, end_invariants_, end_value_,
    new_table_);
  if (a.loading() && table_.adaptive_nodes) find_table();
  if (new_table_) return;
  if (a.loading()) equation_.set_table(table_);
  equation_.archive(a);
}

void LagrangianIntegrator::find_table() {
  table_ = average_table(path_nodes_.nodes());
  table_.adaptive_nodes = true;
}

void LagrangianIntegrator::begin(const State& state) {
  if (!checked_ && !system_.constraints().empty()) check_constraints(system_, state);
  checked_ = true;
  if (has_end_ && end_t_ == state.t && same_vector(end_x_, state.x) &&
      same_vector(end_v_, state.v)) {
    p0_ = end_p_;
    start_invariants_ = end_invariants_;
    start_value_ = end_value_;
    return;
  }
  legendre_.momentum(state.t, state.x, state.v, p0_);
  start_invariants_ = lagrangian_invariants(lagrangian_, state.t, state.x.data(), state.v.data());
  start_value_ = lagrangian_.evaluate(state.t, state.x.data(), state.v.data(), {});
}

bool LagrangianIntegrator::solve(const State& state, double h, StepReport& report) {
  if (new_table_) equation_.set_table(table_);
  new_table_ = false;
  equation_.prepare(state, p0_, h, span_of_step(state, h));
  equation_.guess(z_);
  const NewtonResult solved = root_.solve(equation_, z_, options_.newton.max_iterations);
  report.status = solved.status;
  report.solver_work += solved.work;
  report.residual = equation_.relative();
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
  end_value_ = lagrangian_.evaluate(state.t + h, q1_.data(), v1_.data(), {});
  end_invariants_ = lagrangian_invariants(lagrangian_, state.t + h, q1_.data(), v1_.data());
  if (!std::isfinite(end_invariants_.total)) report.status = StepStatus::non_finite;
  return succeeded(report.status);
}

// Of what H₁ − H₀ and the sum over the nodes are made of: some units of p·v and L at both ends, and of the
// forces along what they are multiplied with. Terms within the formula of L may be larger and cancel.
RoundingFloor LagrangianIntegrator::floor(const State& state, double h, double scale) const {
  constexpr double kTerms = 64 * kUnitRoundoff;
  const auto size = [&](const Vector& p, const Vector& v, double value) {
    return p.cwiseAbs().dot(v.cwiseAbs()) + std::abs(value);
  };
  const double all = size(p0_, state.v, start_value_) + size(p1_, v1_, end_value_);
  const double moved = (p1_ - p0_).cwiseAbs().dot(state.x.cwiseAbs() + q1_.cwiseAbs());
  return {.error = kTerms * (all + moved / std::abs(h)) + PathBalance::kUnknown * scale,
          .ceiling = PathBalance::kMostOfEnergy * std::max(scale, all)};
}

// Whether the quadrature of an averaging method was accurate enough. If not, it gets more points.
bool LagrangianIntegrator::accurate(const State& state, double h, StepReport& report) {
  const double work = equation_.work() + equation_.dissipation();
  const double defect = end_invariants_.total - report.before.total - work;
  const double scale = std::max(report.before.scale(), end_invariants_.scale());
  double error = std::abs(defect);
  // Energy that comes and goes with explicit time or external forces is no error of the mean: that has
  // converged where more points do not change the step any more.
  const bool exchanges = lagrangian_.depends_on_time() || !system_.forces().empty();
  if (exchanges && path_nodes_.tried()) {
    error = std::min(error, std::abs(end_invariants_.total - last_total_));
  }
  last_total_ = end_invariants_.total;
  const PathNodes::Accuracy accuracy = path_nodes_.judge(
      error, options_.energy_tolerance * scale, [&] { return floor(state, h, scale); },
      PathBalance::kUnknownPlateau * scale);
  report.nodes = path_nodes_.used();
  if (static_cast<std::size_t>(path_nodes_.count()) != table_.time.size()) {
    find_table();
    new_table_ = true;
  }
  if (accuracy == PathNodes::Accuracy::missed) report.status = StepStatus::mean_inaccurate;
  if (accuracy == PathNodes::Accuracy::drowned) report.status = StepStatus::drowned_in_rounding;
  return accuracy != PathNodes::Accuracy::needs_more;
}

// With p the momenta, the energy H = p·v − L changes by
//   H₁ − H₀ = w·(p₁ − p₀) + ½(p₀+p₁)·(v₁ − v₀) − (L₁ − L₀),   w = ½(v₀+v₁)                      (1)
// where the step's impulses are, with constraints' kicks at its start and a projection at its end,
//   p₁ − p₀ = h Σ eᵢ (∂L/∂qᵢ + fᵢ) + h G₀ᵀλ + G₁ᵀμ.                                             (2)
// Forces fᵢ work along the velocities Vᵢ of their nodes, and explicit time by −∂L/∂t:
//   work + dissipation = h Σ eᵢ (fᵢ·Vᵢ − ∂L/∂tᵢ).                                               (3)
// The rest of (1), with (2), is what the method does: for those that average forces an error of
// quadrature.
StepAccount LagrangianIntegrator::account(const State& start) {
  StepAccount account{.force = equation_.work(),
                      .dissipation = equation_.dissipation(),
                      .averages_force = table_.averages_force};
  mean_ = 0.5 * (start.v + v1_);
  double rest = equation_.impulse_beyond_work(mean_);
  if (g_.size() > 0) rest += legendre_.constraint_power(mean_, end_jacobian_);
  rest += 0.5 * ((p0_ + p1_).dot(v1_ - start.v)) - (end_value_ - start_value_);
  // The change of L has that of potential energy in it.
  account.potential = rest - potential_change(start_invariants_, end_invariants_);
  return account;
}

StepReport LagrangianIntegrator::step(State& state, double h) {
  StepReport report{.h = h};
  begin(state);
  report.before = start_invariants_;
  report.after = report.before;
  if (table_.adaptive_nodes) path_nodes_.begin_step();
  bool done = solve(state, h, report);
  while (done && table_.adaptive_nodes && !accurate(state, h, report))
    done = solve(state, h, report);
  if (!done || !succeeded(report.status)) {
    equation_.forget_factors();
    return report;
  }
  end_t_ = state.t + h;
  end_x_ = q1_;
  end_v_ = v1_;
  end_p_ = p1_;
  has_end_ = true;
  commit(report, state, q1_, v1_, end_invariants_, [&] { return account(state); });
  return report;
}

}  // namespace lilyan
