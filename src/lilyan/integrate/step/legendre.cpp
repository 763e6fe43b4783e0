#include "lilyan/integrate/step/legendre.hpp"

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
  for (Vector* x : {&gradient_, &terms_, &row_size_, &row_sum_, &column_, &trial_}) {
    x->setZero(n_);
  }
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
  terms_ = gradient_.cwiseAbs() + p.cwiseAbs();
  gradient_ -= p;
  if (m_ > 0) {
    constraints_.add_transposed(*jacobian, multiplier_, -1, gradient_);
    constraints_.apply(*jacobian, v, rate_);
    residual_.tail(m_) = rate_;
  }
  residual_.head(n_) = gradient_;
  return residual_.allFinite() ? measure(v, jacobian) : std::numeric_limits<double>::infinity();
}

// By component: beside a heavy coordinate the error of a light one would not be seen in a sum.
double Legendre::measure(const Vector& v, const ConstraintSet::Jacobian* jacobian) {
  const auto ratio = [](double error, double size) { return error > 0 ? error / size : 0.0; };
  const double all = terms_.maxCoeff();
  double worst = 0;
  overall_ = 0;
  for (int i = 0; i < n_; ++i) {
    const double error = std::max(0.0, std::abs(residual_[i]) - noise_ * row_sum_[i]);
    worst = std::max(worst, ratio(error, std::max(terms_[i], row_size_[i])));
    overall_ = std::max(overall_, ratio(error, all));
  }
  for (int k = 0; k < m_; ++k) {
    const double norm = constraints_.row_norm(*jacobian, k);
    const double error = std::max(0.0, std::abs(rate_[k]) - noise_ * norm);
    worst = std::max(worst, ratio(error, norm * v.norm()));
    overall_ = std::max(overall_, ratio(error, norm * v.norm()));
  }
  return worst;
}

StepStatus Legendre::velocity(double t, double h, const Vector& q, Vector& p, Vector& v,
                              const ConstraintSet::Jacobian* jacobian) {
  constexpr double kDone = 4 * std::numeric_limits<double>::epsilon();
  multiplier_.setZero();
  noise_ = std::numeric_limits<double>::epsilon() * q.cwiseAbs().maxCoeff() / std::abs(h);
  row_size_.setZero();
  row_sum_.setZero();
  double size = residual(t, q, p, v, jacobian);
  StepStatus status = StepStatus::not_converged;
  for (int k = 0; k < kMaxIterations; ++k) {
    if (size <= kDone) {
      status = StepStatus::converged;
      break;
    }
    lagrangian_.evaluate(t, q.data(), v.data(),
                         {.qq = qq_.data(), .qv = qv_.data(), .vv = vv_.data()});
    row_sum_ = vv_.cwiseAbs().rowwise().sum();
    row_size_ = vv_.cwiseAbs() * v.cwiseAbs();
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
      residual(t, q, p, v, jacobian);
      status = overall_ <= kRounding ? StepStatus::converged : StepStatus::no_descent;
      break;
    }
    size = next;
  }
  if (m_ > 0 && succeeded(status)) constraints_.add_transposed(*jacobian, multiplier_, 1, p);
  return status;
}

}  // namespace lilyan
