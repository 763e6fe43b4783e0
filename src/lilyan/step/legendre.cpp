#include "lilyan/step/legendre.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lilyan {
namespace {
constexpr int kMaxVelocityIterations = 60;
constexpr double kVelocityTolerance = 4 * std::numeric_limits<double>::epsilon();
constexpr double kVelocityRounding = 1e-10;  // an error below this that does not fall is rounding
}  // namespace

Legendre::Legendre(const System& system, const NewtonOptions& options)
    : lagrangian_(*system.lagrangian()),
      constraints_(system),
      root_(system.dofs() + constraints_.equations(), options, false),
      n_(system.dofs()),
      m_(constraints_.equations()),
      qq_(n_, n_),
      qv_(n_, n_),
      vv_(n_, n_),
      matrix_(n_ + m_, n_ + m_),
      lu_(n_ + m_) {
  for (Vector* x : {&v_, &gradient_, &terms_, &row_size_, &row_sum_, &column_}) x->setZero(n_);
  for (Vector* x : {&rate_, &multiplier_}) x->setZero(m_);
  z_.setZero(n_ + m_);
}

void Legendre::momentum(double t, const Vector& q, const Vector& v, Vector& p) const {
  lagrangian_.evaluate(t, q.data(), v.data(), {.v = p.data()});
}

StepStatus Legendre::velocity(double t, double h, const Vector& q, Vector& p, Vector& v,
                              const ConstraintSet::Jacobian* jacobian) {
  t_ = t;
  q_ = &q;
  p_ = &p;
  jacobian_ = jacobian;
  noise_ = std::numeric_limits<double>::epsilon() * q.cwiseAbs().maxCoeff() / std::abs(h);
  row_size_.setZero();
  row_sum_.setZero();
  z_.head(n_) = v;
  z_.tail(m_).setZero();
  const StepStatus status = root_.solve(*this, z_, kMaxVelocityIterations).status;
  v = z_.head(n_);
  multiplier_ = z_.tail(m_);
  if (m_ > 0 && succeeded(status)) constraints_.add_transposed(*jacobian, multiplier_, 1, p);
  return status;
}

double Legendre::constraint_power(const Vector& v, const ConstraintSet::Jacobian& jacobian) {
  constraints_.apply(jacobian, v, rate_);
  return multiplier_.dot(rate_);
}

Equation::Size Legendre::evaluate(const Vector& z, Vector& residual) {
  v_ = z.head(n_);
  lagrangian_.evaluate(t_, q_->data(), v_.data(), {.v = gradient_.data()});
  terms_ = gradient_.cwiseAbs() + p_->cwiseAbs();
  gradient_ -= *p_;
  if (m_ > 0) {
    multiplier_ = z.tail(m_);
    constraints_.add_transposed(*jacobian_, multiplier_, -1, gradient_);
    constraints_.apply(*jacobian_, v_, rate_);
    residual.tail(m_) = rate_;
  }
  residual.head(n_) = gradient_;
  worst_ = residual.allFinite() ? measure(residual) : std::numeric_limits<double>::infinity();
  return {.norm = worst_};
}

// By component: beside a heavy coordinate the error of a light one would not be seen in a sum.
double Legendre::measure(const Vector& residual) {
  const auto ratio = [](double error, double size) { return error > 0 ? error / size : 0.0; };
  const double all = terms_.maxCoeff();
  double worst = 0;
  overall_ = 0;
  for (int i = 0; i < n_; ++i) {
    const double error = std::max(0.0, std::abs(residual[i]) - noise_ * row_sum_[i]);
    worst = std::max(worst, ratio(error, std::max(terms_[i], row_size_[i])));
    overall_ = std::max(overall_, ratio(error, all));
  }
  for (int k = 0; k < m_; ++k) {
    const double norm = constraints_.row_norm(*jacobian_, k);
    const double error = std::max(0.0, std::abs(rate_[k]) - noise_ * norm);
    worst = std::max(worst, ratio(error, norm * v_.norm()));
    overall_ = std::max(overall_, ratio(error, norm * v_.norm()));
  }
  return worst;
}

double Legendre::defect(const Vector& /*z*/, const Vector& /*residual*/) {
  return worst_ / kVelocityTolerance;
}

bool Legendre::at_rounding(const Vector& /*z*/, const Vector& /*residual*/) {
  return overall_here_ <= kVelocityRounding;
}

std::optional<StepStatus> Legendre::judge(const Vector& z, const Vector& residual,
                                          const Step& /*last*/) {
  overall_here_ = overall_;
  if (defect(z, residual) <= 1) return StepStatus::converged;
  return {};
}

std::optional<StepStatus> Legendre::judge_stuck(const Vector& z, const Vector& residual) {
  if (at_rounding(z, residual)) return StepStatus::converged;
  return {};
}

StepStatus Legendre::singular() const {
  return m_ > 0 ? StepStatus::singular_constraints : StepStatus::not_definite;
}

bool Legendre::factorise(const Vector& z, SolverWork& work, NewtonTimes& /*times*/) {
  v_ = z.head(n_);
  lagrangian_.evaluate(t_, q_->data(), v_.data(),
                       {.qq = qq_.data(), .qv = qv_.data(), .vv = vv_.data()});
  row_sum_ = vv_.cwiseAbs().rowwise().sum();
  row_size_ = vv_.cwiseAbs() * v_.cwiseAbs();
  matrix_.setZero();
  matrix_.topLeftCorner(n_, n_) = vv_;
  for (int c = 0; c < m_; ++c) {
    constraints_.column(*jacobian_, c, column_);
    matrix_.block(0, n_ + c, n_, 1) = -column_;
    matrix_.block(n_ + c, 0, 1, n_) = column_.transpose();
  }
  lu_.compute(matrix_);
  ++work.factorisations;
  return true;
}

void Legendre::solve(const Vector& residual, Vector& direction) {
  lu_.solve(residual, direction);
  direction = -direction;
}

}  // namespace lilyan
