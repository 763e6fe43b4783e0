#include "lilyan/integrate/lagrangian_equation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lilyan {

LagrangianEquation::LagrangianEquation(const System& system)
    : system_(system),
      lagrangian_(*system.lagrangian()),
      constraints_(system),
      start_jacobian_(constraints_.make_jacobian()),
      end_jacobian_(constraints_.make_jacobian()),
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
  residual_.setZero(unknowns());
}

double LagrangianEquation::node_time(int i) const {
  return start_->t + table_.time[static_cast<std::size_t>(i)] * h_;
}

void LagrangianEquation::prepare(const State& state, const Vector& p0, double h) {
  start_ = &state;
  p0_ = &p0;
  h_ = h;
  momentum_scale_ = 0;
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
      f->add(node_time(i), q_[at].data(), v_[at].data(), sum.data());
    }
  }
}

double LagrangianEquation::evaluate(const Vector& z) {
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
    lagrangian_.evaluate(node_time(i), q_[at].data(), v_[at].data(),
                         {.q = force_[at].data(), .v = momentum_[at].data()});
    add_forces(i, false, force_[at]);
    add_forces(i, true, force_[at]);
  }
  double scale = p0_->norm();
  for (int k = 0; k < k_; ++k) {
    auto r = residual_.segment(k * n_, n_);
    r.setZero();
    sum_.setZero();
    for (int i = 0; i < nodes_; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const auto entry = static_cast<std::size_t>(k * nodes_ + i);
      if (table_.momentum[entry] != 0) r += table_.momentum[entry] * momentum_[at];
      if (table_.force[entry] != 0) sum_ += (h_ * table_.force[entry]) * force_[at];
    }
    scale = std::max(scale, r.norm() + sum_.norm());
    r -= *p0_;
    r -= sum_;
  }
  if (m_ > 0) add_constraints(z);
  return measure(scale);
}

double LagrangianEquation::measure(double scale) {
  if (momentum_scale_ == 0) {
    momentum_scale_ = scale;
    constraint_scale_ = g_scale_;
  }
  const auto ratio = [](double error, double size) { return error == 0 ? 0.0 : error / size; };
  const double error = residual_.head(k_ * n_).norm();
  relative_ = ratio(error, std::max(scale, momentum_scale_));
  double size = ratio(error, momentum_scale_);
  for (int c = 0; c < m_; ++c) {
    const double off = std::abs(g_[c]);
    relative_ = std::max(relative_, ratio(off, g_scale_[c]));
    size = std::max(size, ratio(off, constraint_scale_[c]));
  }
  if (!residual_.allFinite()) relative_ = size = std::numeric_limits<double>::infinity();
  return size;
}

void LagrangianEquation::add_constraints(const Vector& z) {
  sum_.setZero();
  lambda_ = z.tail(m_);
  constraints_.add_transposed(start_jacobian_, lambda_, -h_, sum_);
  q1_ = start_->x;
  for (int k = 0; k < k_; ++k) {
    residual_.segment(k * n_, n_) += sum_;
    q1_ += (h_ * table_.end_position[static_cast<std::size_t>(k)]) * z.segment(k * n_, n_);
  }
  constraints_.evaluate(q1_, g_, end_jacobian_);
  constraints_.scales(q1_, g_scale_);
  residual_.tail(m_) = g_ / h_;
}

void LagrangianEquation::jacobian(DenseMatrix& matrix) {
  matrix.setZero(unknowns(), unknowns());
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
        auto block = matrix.block(k * n_, l * n_, n_, n_);
        if (momentum != 0) {
          block += (momentum * velocity) * vv_ + (momentum * position) * qv_.transpose();
        }
        if (force != 0) block -= (force * position) * by_q_ + (force * velocity) * by_v_;
      }
    }
  }
  for (int c = 0; c < m_; ++c) {
    constraints_.column(start_jacobian_, c, column_);
    for (int k = 0; k < k_; ++k) matrix.block(k * n_, k_ * n_ + c, n_, 1) = -h_ * column_;
    constraints_.column(end_jacobian_, c, column_);
    for (int k = 0; k < k_; ++k) {
      matrix.block(k_ * n_ + c, k * n_, 1, n_) =
          table_.end_position[static_cast<std::size_t>(k)] * column_.transpose();
    }
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

double LagrangianEquation::dissipation() const {
  return system_.forces().empty() ? 0 : h_ * power(true);
}

}  // namespace lilyan
