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

bool same_vector(const Vector& a, const Vector& b) { return a.size() == b.size() && a == b; }

}  // namespace

LagrangianEquation::LagrangianEquation(const System& system, double tolerance)
    : system_(system),
      lagrangian_(*system.lagrangian()),
      constraints_(system),
      tolerance_(tolerance),
      n_(system.dofs()),
      m_(constraints_.equations()) {
  ends_.start = constraints_.make_jacobian();
  ends_.end = constraints_.make_jacobian();
  for (Vector* x : {&work_.sum, &ends_.q1, &work_.column, &work_.external}) x->setZero(n_);
  for (Vector* x : {&ends_.g, &ends_.scale}) x->setZero(m_);
  for (DenseMatrix* a : {&factors_.qq, &factors_.qv, &factors_.vv, &factors_.by_q, &factors_.by_v})
    a->setZero(n_, n_);
}

void LagrangianEquation::set_table(const LagrangianTable& table) {
  table_ = table;
  k_ = table.unknowns;
  at_.count = static_cast<int>(table.time.size());
  for (auto* at_nodes : {&at_.q, &at_.v, &at_.momentum, &at_.force}) {
    at_nodes->assign(static_cast<std::size_t>(at_.count), Vector::Zero(n_));
  }
  forget_factors();
  for (Vector* x : {&sizes_.terms, &sizes_.weights, &sizes_.row, &sizes_.noise})
    x->setZero(k_ * n_);
}

void LagrangianEquation::archive(Archive& a) {
  a(factors_.matrix, sizes_.row, sizes_.noise, factors_.h, factors_.fresh);
  Archive::require(sizes_.row.size() == sizes_.terms.size() &&
                   sizes_.noise.size() == sizes_.terms.size());
  Archive::require(factors_.matrix.rows() == factors_.matrix.cols() &&
                   (factors_.matrix.rows() == unknowns() || factors_.h == 0));
  if (a.loading() && factors_.h != 0) factors_.lu.compute(factors_.matrix);
}

double LagrangianEquation::node_time(int i) const {
  return problem_.start->t + table_.time[static_cast<std::size_t>(i)] * problem_.h;
}

void LagrangianEquation::prepare(const State& state, const Vector& p0, double h,
                                 const TimeSpan& span) {
  problem_.span = span;
  problem_.start = &state;
  problem_.p0 = &p0;
  problem_.h = h;
  problem_.first = true;
  if (m_ > 0) constraints_.evaluate(state.x, ends_.g, ends_.start);
}

void LagrangianEquation::guess(Vector& z) const {
  z.setZero(unknowns());
  for (int k = 0; k < k_; ++k) {
    auto u = z.segment(k * n_, n_);
    u = problem_.start->v;
    if (problem_.start->h_previous == 0) continue;
    const double time = k_ == at_.count ? table_.time[static_cast<std::size_t>(k)] : 0.5;
    u += (time * problem_.h / problem_.start->h_previous) *
         (problem_.start->v - problem_.start->v_previous);
  }
}

void LagrangianEquation::add_forces(int i, bool dissipating, Vector& sum) const {
  const auto at = static_cast<std::size_t>(i);
  for (const auto& f : system_.forces()) {
    if (f->dissipates() == dissipating) {
      f->add_within_step(problem_.span, node_time(i), at_.q[at].data(), at_.v[at].data(), n_,
                         sum.data());
    }
  }
}

void LagrangianEquation::go_to_nodes(const Vector& z) {
  for (int i = 0; i < at_.count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    at_.q[at] = problem_.start->x;
    at_.v[at].setZero();
    for (int k = 0; k < k_; ++k) {
      const auto u = z.segment(k * n_, n_);
      const auto entry = static_cast<std::size_t>(i * k_ + k);
      if (table_.position[entry] != 0) at_.q[at] += (problem_.h * table_.position[entry]) * u;
      if (table_.velocity[entry] != 0) at_.v[at] += table_.velocity[entry] * u;
    }
  }
}

// The norm is in units that are the same throughout a step, so that a search may compare it.
void LagrangianEquation::evaluate(Iterate& at_z) {
  const Vector& z = at_z.z;
  Vector& residual = at_z.residual;
  at_.z = z;
  go_to_nodes(z);
  for (int i = 0; i < at_.count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    lagrangian_.evaluate(node_time(i), at_.q[at].data(), at_.v[at].data(),
                         {.q = at_.force[at].data(), .v = at_.momentum[at].data()});
    add_forces(i, false, at_.force[at]);
    add_forces(i, true, at_.force[at]);
  }
  for (int k = 0; k < k_; ++k) {
    auto r = residual.segment(k * n_, n_);
    auto size = sizes_.terms.segment(k * n_, n_);
    r.setZero();
    work_.sum.setZero();
    for (int i = 0; i < at_.count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const auto entry = static_cast<std::size_t>(k * at_.count + i);
      if (table_.momentum[entry] != 0) r += table_.momentum[entry] * at_.momentum[at];
      if (table_.force[entry] != 0) work_.sum += (problem_.h * table_.force[entry]) * at_.force[at];
    }
    size = problem_.p0->cwiseAbs() + r.cwiseAbs() + work_.sum.cwiseAbs();
    r -= *problem_.p0;
    r -= work_.sum;
  }
  if (m_ > 0) add_constraints(z, residual);
  measure(at_z);
}

// By component: beside a heavy coordinate the error of a light one would not be seen in a sum.
void LagrangianEquation::measure(Iterate& at) {
  const Eigen::Index n = k_ * n_;
  const double all = sizes_.terms.maxCoeff();
  if (problem_.first) {
    problem_.first = false;
    sizes_.weights = sizes_.terms;
    // A component without terms of its own is compared with the others.
    sizes_.weights = (sizes_.weights.array() > 0).select(sizes_.weights, all > 0 ? all : 1.0);
    ends_.first_scale = ends_.scale;
  }
  const auto ratio = [](double error, double size) { return error == 0 ? 0.0 : error / size; };
  at.norm = at.relative = at.overall = 0;
  for (Eigen::Index i = 0; i < n; ++i) {
    const double error = std::abs(at.residual[i]);
    at.norm = std::max(at.norm, ratio(error, sizes_.weights[i]));
    at.overall = std::max(at.overall, ratio(error, all));
    // Rounding errors of the positions and of the terms themselves do not count.
    const double excess = std::max(0.0, error - sizes_.noise[i]);
    at.relative = std::max(at.relative, ratio(excess, std::max(sizes_.terms[i], sizes_.row[i])));
  }
  for (int c = 0; c < m_; ++c) {
    const double off = std::abs(ends_.g[c]);
    at.relative = std::max(at.relative, ratio(off, ends_.scale[c]));
    at.overall = std::max(at.overall, ratio(off, ends_.scale[c]));
    at.norm = std::max(at.norm, ratio(off, ends_.first_scale[c]));
  }
  if (!at.residual.allFinite()) {
    at.relative = at.overall = at.norm = std::numeric_limits<double>::infinity();
  }
}

void LagrangianEquation::go_to(const Iterate& at) {
  if (same_vector(at_.z, at.z)) return;
  work_.again = at;
  evaluate(work_.again);
}

void LagrangianEquation::find_end(const Vector& z) {
  ends_.q1 = problem_.start->x;
  for (int k = 0; k < k_; ++k) {
    ends_.q1 +=
        (problem_.h * table_.end_position[static_cast<std::size_t>(k)]) * z.segment(k * n_, n_);
  }
  constraints_.evaluate(ends_.q1, ends_.g, ends_.end);
}

void LagrangianEquation::add_constraints(const Vector& z, Vector& residual) {
  work_.sum.setZero();
  ends_.lambda = z.tail(m_);
  constraints_.add_transposed(ends_.start, ends_.lambda, -problem_.h, work_.sum);
  for (int k = 0; k < k_; ++k) residual.segment(k * n_, n_) += work_.sum;
  find_end(z);
  constraints_.scales(ends_.q1, ends_.scale);
  residual.tail(m_) = ends_.g / problem_.h;
}

Defect LagrangianEquation::defect(const Iterate& at) {
  return {.share = at.relative / tolerance_, .velocity = at.relative};
}

bool LagrangianEquation::at_rounding(const Iterate& at) { return at.overall <= kNearRounding; }

// Where all components are as small as asked for in units of the largest terms, small components
// that do not fall any more are rounding errors. Factors that led there are not to blame.
std::optional<StepStatus> LagrangianEquation::judge(const Iterate& at, const Step& last) {
  const bool was_small = last.length > 0 && problem_.was_small;
  problem_.was_small = at.overall <= tolerance_;
  if (was_small && last.contraction > kNoProgress) return StepStatus::converged;
  factors_.fresh = false;
  if (last.length > 0 && !(last.length == 1 && last.contraction <= kGoodFactor)) forget_factors();
  if (defect(at).share <= 1) return StepStatus::converged;
  return {};
}

std::optional<StepStatus> LagrangianEquation::judge_stuck(const Iterate& at) {
  if (at.overall <= tolerance_) return StepStatus::converged;
  if (!at_rounding(at)) return {};
  if (factors_.fresh) forget_factors();
  return StepStatus::round_off;
}

bool LagrangianEquation::keeps_factors(const Step& /*last*/) const {
  return factors_.h == problem_.h;
}

StepStatus LagrangianEquation::singular() const {
  return m_ > 0 ? StepStatus::singular_constraints : StepStatus::not_definite;
}

bool LagrangianEquation::factorise(const Vector& z, SolverWork& work, NewtonTimes& /*times*/) {
  go_to_nodes(z);
  if (m_ > 0) find_end(z);
  assemble();
  factors_.lu.compute(factors_.matrix);
  learn_sizes(z);
  factors_.h = problem_.h;
  factors_.fresh = true;
  ++work.factorisations;
  return true;
}

void LagrangianEquation::solve(const Vector& residual, Vector& direction) {
  factors_.lu.solve(residual, direction);
  direction = -direction;
}

// The Jacobian, at the nodes last gone to.
void LagrangianEquation::assemble() {
  factors_.matrix.setZero(unknowns(), unknowns());
  for (int i = 0; i < at_.count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    lagrangian_.evaluate(
        node_time(i), at_.q[at].data(), at_.v[at].data(),
        {.qq = factors_.qq.data(), .qv = factors_.qv.data(), .vv = factors_.vv.data()});
    factors_.by_q = factors_.qq;
    factors_.by_v = factors_.qv;
    for (const auto& f : system_.forces()) {
      if (f->add_derivatives(node_time(i), at_.q[at].data(), at_.v[at].data(), factors_.by_q.data(),
                             factors_.by_v.data())) {
        continue;
      }
      work_.external.setZero();
      f->add_damping(node_time(i), at_.q[at].data(), at_.v[at].data(), work_.external.data());
      factors_.by_v.diagonal() -= work_.external;
    }
    for (int k = 0; k < k_; ++k) {
      const double momentum = table_.momentum[static_cast<std::size_t>(k * at_.count + i)];
      const double force = problem_.h * table_.force[static_cast<std::size_t>(k * at_.count + i)];
      for (int l = 0; l < k_; ++l) {
        const double position = problem_.h * table_.position[static_cast<std::size_t>(i * k_ + l)];
        const double velocity = table_.velocity[static_cast<std::size_t>(i * k_ + l)];
        auto block = factors_.matrix.block(k * n_, l * n_, n_, n_);
        if (momentum != 0) {
          block +=
              (momentum * velocity) * factors_.vv + (momentum * position) * factors_.qv.transpose();
        }
        if (force != 0)
          block -= (force * position) * factors_.by_q + (force * velocity) * factors_.by_v;
      }
    }
  }
  for (int c = 0; c < m_; ++c) {
    constraints_.column(ends_.start, c, work_.column);
    for (int k = 0; k < k_; ++k)
      factors_.matrix.block(k * n_, k_ * n_ + c, n_, 1) = -problem_.h * work_.column;
    constraints_.column(ends_.end, c, work_.column);
    for (int k = 0; k < k_; ++k) {
      factors_.matrix.block(k_ * n_ + c, k * n_, 1, n_) =
          table_.end_position[static_cast<std::size_t>(k)] * work_.column.transpose();
    }
  }
}

// The size of the terms that a row of the equations is a sum of, and what the rounding of positions
// changes in it.
void LagrangianEquation::learn_sizes(const Vector& z) {
  const double noise = kEpsilon * problem_.start->x.cwiseAbs().maxCoeff() / std::abs(problem_.h);
  for (Eigen::Index i = 0; i < k_ * n_; ++i) {
    sizes_.row[i] = factors_.matrix.row(i).cwiseAbs().dot(z.cwiseAbs());
    sizes_.noise[i] = noise * factors_.matrix.row(i).head(k_ * n_).cwiseAbs().sum();
  }
}

void LagrangianEquation::finish(const Vector& z, Vector& q1, Vector& p1) const {
  q1 = problem_.start->x;
  p1 = *problem_.p0;
  for (int k = 0; k < k_; ++k) {
    q1 += (problem_.h * table_.end_position[static_cast<std::size_t>(k)]) * z.segment(k * n_, n_);
  }
  for (int i = 0; i < at_.count; ++i) {
    p1 += (problem_.h * table_.end_force[static_cast<std::size_t>(i)]) *
          at_.force[static_cast<std::size_t>(i)];
  }
  if (m_ > 0) constraints_.add_transposed(ends_.start, ends_.lambda, problem_.h, p1);
}

void LagrangianEquation::mean_velocity(const Vector& z, Vector& v) const {
  v.setZero(n_);
  for (int k = 0; k < k_; ++k) {
    v += table_.end_position[static_cast<std::size_t>(k)] * z.segment(k * n_, n_);
  }
}

double LagrangianEquation::power(bool dissipating) const {
  double sum = 0;
  for (int i = 0; i < at_.count; ++i) {
    work_.external.setZero();
    add_forces(i, dissipating, work_.external);
    sum += table_.end_force[static_cast<std::size_t>(i)] *
           work_.external.dot(at_.v[static_cast<std::size_t>(i)]);
  }
  return sum;
}

double LagrangianEquation::work() const {
  double sum = system_.forces().empty() ? 0 : power(false);
  if (lagrangian_.depends_on_time()) {
    for (int i = 0; i < at_.count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      double rate = 0;
      lagrangian_.evaluate(node_time(i), at_.q[at].data(), at_.v[at].data(), {.t = &rate});
      sum -= table_.end_force[at] * rate;
    }
  }
  return problem_.h * sum;
}

double LagrangianEquation::impulse_beyond_work(const Vector& velocity) {
  double sum = 0;
  for (int i = 0; i < at_.count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    double power = at_.force[at].dot(velocity);
    if (!system_.forces().empty()) {
      work_.external.setZero();
      add_forces(i, false, work_.external);
      add_forces(i, true, work_.external);
      power -= work_.external.dot(at_.v[at]);
    }
    if (lagrangian_.depends_on_time()) {
      double rate = 0;
      lagrangian_.evaluate(node_time(i), at_.q[at].data(), at_.v[at].data(), {.t = &rate});
      power += rate;
    }
    sum += table_.end_force[at] * power;
  }
  if (m_ > 0) {
    constraints_.apply(ends_.start, velocity, ends_.g);
    sum += ends_.lambda.dot(ends_.g);
  }
  return problem_.h * sum;
}

double LagrangianEquation::dissipation() const {
  return system_.forces().empty() ? 0 : problem_.h * power(true);
}

LagrangianIntegrator::LagrangianIntegrator(const System& system, const LagrangianTable& table,
                                           const SolverOptions& options)
    : system_(system),
      lagrangian_(*system.lagrangian()),
      table_(table),
      options_(options),
      equation_(system, std::min(options.energy_tolerance, options.velocity_tolerance)),
      root_(system.dofs(), options.newton, false),
      legendre_(system, options.newton) {
  data_.jacobian = equation_.constraints().make_jacobian();
  for (Vector* x : {&start_.p, &data_.q1, &data_.p1, &data_.v1}) x->setZero(system.dofs());
  data_.g.setZero(equation_.constraints().equations());
}

void LagrangianIntegrator::forget() {
  end_.known = false;
  equation_.forget_factors();
}

void LagrangianIntegrator::archive(Archive& a) {
  a.mark("lagrangian");
  a(path_nodes_, end_.known, checked_, end_.t, end_.x, end_.v, end_.p, end_.invariants, end_.value,
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
  if (end_.known && end_.t == state.t && same_vector(end_.x, state.x) &&
      same_vector(end_.v, state.v)) {
    start_.p = end_.p;
    start_.invariants = end_.invariants;
    start_.value = end_.value;
    return;
  }
  legendre_.momentum(state.t, state.x, state.v, start_.p);
  start_.invariants = lagrangian_invariants(lagrangian_, state.t, state.x.data(), state.v.data());
  start_.value = lagrangian_.evaluate(state.t, state.x.data(), state.v.data(), {});
}

bool LagrangianIntegrator::solve(const State& state, double h, StepReport& report) {
  if (new_table_) equation_.set_table(table_);
  new_table_ = false;
  equation_.prepare(state, start_.p, h, span_of_step(state, h));
  equation_.guess(data_.found.z);
  const NewtonResult solved = root_.solve(equation_, data_.found, options_.newton.max_iterations);
  report.status = solved.status;
  report.solver_work += solved.work;
  report.residual = data_.found.relative;
  if (!succeeded(report.status)) return false;
  equation_.go_to(data_.found);
  equation_.finish(data_.found.z, data_.q1, data_.p1);
  equation_.mean_velocity(data_.found.z, data_.v1);
  data_.v1 = 2 * data_.v1 - state.v;
  const bool constrained = data_.g.size() > 0;
  if (constrained) equation_.constraints().evaluate(data_.q1, data_.g, data_.jacobian);
  const StepStatus end = legendre_.velocity(state.t + h, h, data_.q1, data_.p1, data_.v1,
                                            constrained ? &data_.jacobian : nullptr);
  if (!succeeded(end)) {
    report.status = end;
    return false;
  }
  end_.value = lagrangian_.evaluate(state.t + h, data_.q1.data(), data_.v1.data(), {});
  end_.invariants =
      lagrangian_invariants(lagrangian_, state.t + h, data_.q1.data(), data_.v1.data());
  if (!std::isfinite(end_.invariants.total)) report.status = StepStatus::non_finite;
  return succeeded(report.status);
}

// Of what H₁ − H₀ and the sum over the nodes are made of: some units of p·v and L at both ends, and of the
// forces along what they are multiplied with. Terms within the formula of L may be larger and cancel.
RoundingFloor LagrangianIntegrator::floor(const State& state, double h, double scale) const {
  constexpr double kTerms = 64 * kUnitRoundoff;
  const auto size = [&](const Vector& p, const Vector& v, double value) {
    return p.cwiseAbs().dot(v.cwiseAbs()) + std::abs(value);
  };
  const double all = size(start_.p, state.v, start_.value) + size(data_.p1, data_.v1, end_.value);
  const double moved =
      (data_.p1 - start_.p).cwiseAbs().dot(state.x.cwiseAbs() + data_.q1.cwiseAbs());
  return {.error = kTerms * (all + moved / std::abs(h)) + PathBalance::kUnknown * scale,
          .ceiling = PathBalance::kMostOfEnergy * std::max(scale, all)};
}

// Whether the quadrature of an averaging method was accurate enough. If not, it gets more points.
bool LagrangianIntegrator::accurate(const State& state, double h, StepReport& report) {
  const double work = equation_.work() + equation_.dissipation();
  const double defect = end_.invariants.total - report.before.total - work;
  const double scale = std::max(report.before.scale(), end_.invariants.scale());
  double error = std::abs(defect);
  // Energy that comes and goes with explicit time or external forces is no error of the mean: that has
  // converged where more points do not change the step any more.
  const bool exchanges = lagrangian_.depends_on_time() || !system_.forces().empty();
  if (exchanges && path_nodes_.tried()) {
    error = std::min(error, std::abs(end_.invariants.total - data_.last_total));
  }
  data_.last_total = end_.invariants.total;
  const PathNodes::Accuracy accuracy = path_nodes_.judge(
      error, options_.energy_tolerance * path_nodes_.size(report.before, end_.invariants),
      [&] { return floor(state, h, scale); }, PathBalance::kUnknownPlateau * scale);
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
  data_.mean = 0.5 * (start.v + data_.v1);
  double rest = equation_.impulse_beyond_work(data_.mean);
  if (data_.g.size() > 0) rest += legendre_.constraint_power(data_.mean, data_.jacobian);
  rest += 0.5 * ((start_.p + data_.p1).dot(data_.v1 - start.v)) - (end_.value - start_.value);
  // The change of L has that of potential energy in it.
  account.potential = rest - potential_change(start_.invariants, end_.invariants);
  return account;
}

StepReport LagrangianIntegrator::step(State& state, double h) {
  StepReport report{.h = h};
  begin(state);
  report.before = start_.invariants;
  report.after = report.before;
  if (table_.adaptive_nodes) path_nodes_.begin_step();
  bool done = solve(state, h, report);
  while (done && table_.adaptive_nodes && !accurate(state, h, report))
    done = solve(state, h, report);
  if (!done || !succeeded(report.status)) {
    equation_.forget_factors();
    return report;
  }
  end_.t = state.t + h;
  end_.x = data_.q1;
  end_.v = data_.v1;
  end_.p = data_.p1;
  end_.known = true;
  commit(report, state, data_.q1, data_.v1, end_.invariants, [&] { return account(state); });
  return report;
}

}  // namespace lilyan
