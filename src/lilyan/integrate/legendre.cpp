#include "lilyan/integrate/legendre.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lilyan {
namespace {
constexpr int kMaxIterations = 60;
constexpr double kRounding = 1e-10;  // a residual below this that no longer falls is rounding error
}  // namespace

Legendre::Legendre(const System& system)
    : lagrangian_(*system.lagrangian()),
      constraints_(system),
      n_(system.dofs()),
      m_(constraints_.equations()),
      qq_(n_, n_),
      qv_(n_, n_),
      vv_(n_, n_),
      matrix_(n_ + m_, n_ + m_),
      lu_(n_ + m_) {
  for (Vector* x : {&gradient_, &column_, &trial_}) x->setZero(n_);
  for (Vector* x : {&rate_, &multiplier_}) x->setZero(m_);
  for (Vector* x : {&residual_, &step_}) x->setZero(n_ + m_);
}

void Legendre::momentum(double t, const Vector& q, const Vector& v, Vector& p) const {
  lagrangian_.evaluate(t, q.data(), v.data(), {.v = p.data()});
}

// Fills residual_; returns its size relative to that of its terms.
double Legendre::residual(double t, const Vector& q, const Vector& p, const Vector& v,
                          const ConstraintSet::Jacobian* jacobian) {
  lagrangian_.evaluate(t, q.data(), v.data(), {.v = gradient_.data()});
  const double scale = gradient_.norm() + p.norm();
  gradient_ -= p;
  double worst = 0;
  if (m_ > 0) {
    constraints_.add_transposed(*jacobian, multiplier_, -1, gradient_);
    constraints_.apply(*jacobian, v, rate_);
    for (int k = 0; k < m_; ++k) {
      const double size = constraints_.row_norm(*jacobian, k) * v.norm();
      if (rate_[k] != 0) worst = std::max(worst, std::abs(rate_[k]) / size);
    }
    residual_.tail(m_) = rate_;
  }
  residual_.head(n_) = gradient_;
  const double size = gradient_.norm();
  if (size != 0) worst = std::max(worst, size / scale);
  return residual_.allFinite() ? worst : std::numeric_limits<double>::infinity();
}

StepStatus Legendre::velocity(double t, const Vector& q, Vector& p, Vector& v,
                              const ConstraintSet::Jacobian* jacobian) {
  constexpr double kDone = 4 * std::numeric_limits<double>::epsilon();
  multiplier_.setZero();
  double size = residual(t, q, p, v, jacobian);
  StepStatus status = StepStatus::not_converged;
  for (int k = 0; k < kMaxIterations; ++k) {
    if (size <= kDone) {
      status = StepStatus::converged;
      break;
    }
    lagrangian_.evaluate(t, q.data(), v.data(),
                         {.qq = qq_.data(), .qv = qv_.data(), .vv = vv_.data()});
    matrix_.setZero();
    matrix_.topLeftCorner(n_, n_) = vv_;
    for (int c = 0; c < m_; ++c) {
      constraints_.column(*jacobian, c, column_);
      matrix_.block(0, n_ + c, n_, 1) = -column_;
      matrix_.block(n_ + c, 0, 1, n_) = column_.transpose();
    }
    lu_.compute(matrix_);
    step_ = lu_.solve(residual_);
    if (!step_.allFinite()) {
      status = m_ > 0 ? StepStatus::singular_constraints : StepStatus::not_definite;
      break;
    }
    trial_ = v;
    double factor = 1;
    double next = 0;
    for (int half = 0; half < 40; ++half, factor /= 2) {
      v = trial_ - factor * step_.head(n_);
      if (m_ > 0) multiplier_ -= factor * step_.tail(m_);
      next = residual(t, q, p, v, jacobian);
      if (next < size) break;
      if (m_ > 0) multiplier_ += factor * step_.tail(m_);
    }
    if (!(next < size)) {
      v = trial_;
      status = size <= kRounding ? StepStatus::round_off : StepStatus::no_descent;
      break;
    }
    size = next;
  }
  if (m_ > 0 && succeeded(status)) constraints_.add_transposed(*jacobian, multiplier_, 1, p);
  return status;
}

}  // namespace lilyan
