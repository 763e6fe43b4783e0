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
      m_(constraints_.equations()) {
  for (DenseMatrix* a : {&matrix_.qq, &matrix_.qv, &matrix_.vv}) a->setZero(n_, n_);
  matrix_.all.setZero(n_ + m_, n_ + m_);
  matrix_.lu = DenseLu(n_ + m_);
  for (Vector* x :
       {&work_.v, &work_.gradient, &work_.terms, &work_.row_size, &work_.row_sum, &work_.column})
    x->setZero(n_);
  for (Vector* x : {&work_.rate, &work_.multiplier}) x->setZero(m_);
  work_.found.resize(n_ + m_);
}

void Legendre::momentum(double t, const Vector& q, const Vector& v, Vector& p) const {
  lagrangian_.evaluate(t, q.data(), v.data(), {.v = p.data()});
}

StepStatus Legendre::velocity(double t, double h, const Vector& q, Vector& p, Vector& v,
                              const ConstraintSet::Jacobian* jacobian) {
  problem_.t = t;
  problem_.q = &q;
  problem_.p = &p;
  problem_.jacobian = jacobian;
  problem_.noise = std::numeric_limits<double>::epsilon() * q.cwiseAbs().maxCoeff() / std::abs(h);
  work_.row_size.setZero();
  work_.row_sum.setZero();
  work_.found.z.head(n_) = v;
  work_.found.z.tail(m_).setZero();
  const StepStatus status = root_.solve(*this, work_.found, kMaxVelocityIterations).status;
  v = work_.found.z.head(n_);
  work_.multiplier = work_.found.z.tail(m_);
  if (m_ > 0 && succeeded(status)) constraints_.add_transposed(*jacobian, work_.multiplier, 1, p);
  return status;
}

double Legendre::constraint_power(const Vector& v, const ConstraintSet::Jacobian& jacobian) {
  constraints_.apply(jacobian, v, work_.rate);
  return work_.multiplier.dot(work_.rate);
}

void Legendre::evaluate(Iterate& at) {
  work_.v = at.z.head(n_);
  lagrangian_.evaluate(problem_.t, problem_.q->data(), work_.v.data(),
                       {.v = work_.gradient.data()});
  work_.terms = work_.gradient.cwiseAbs() + problem_.p->cwiseAbs();
  work_.gradient -= *problem_.p;
  if (m_ > 0) {
    work_.multiplier = at.z.tail(m_);
    constraints_.add_transposed(*problem_.jacobian, work_.multiplier, -1, work_.gradient);
    constraints_.apply(*problem_.jacobian, work_.v, work_.rate);
    at.residual.tail(m_) = work_.rate;
  }
  at.residual.head(n_) = work_.gradient;
  measure(at);
}

// By component: beside a heavy coordinate the error of a light one would not be seen in a sum.
void Legendre::measure(Iterate& at) const {
  const auto ratio = [](double error, double size) { return error > 0 ? error / size : 0.0; };
  const double all = work_.terms.maxCoeff();
  at.norm = at.overall = 0;
  const auto add = [&](double error, double size, double largest) {
    at.norm = std::max(at.norm, ratio(error, size));
    at.overall = std::max(at.overall, ratio(error, largest));
  };
  for (int i = 0; i < n_; ++i) {
    const double error =
        std::max(0.0, std::abs(at.residual[i]) - problem_.noise * work_.row_sum[i]);
    add(error, std::max(work_.terms[i], work_.row_size[i]), all);
  }
  for (int k = 0; k < m_; ++k) {
    const double norm = constraints_.row_norm(*problem_.jacobian, k);
    const double size = norm * work_.v.norm();
    add(std::max(0.0, std::abs(work_.rate[k]) - problem_.noise * norm), size, size);
  }
  if (!at.residual.allFinite()) at.norm = std::numeric_limits<double>::infinity();
}

Defect Legendre::defect(const Iterate& at) { return {.share = at.norm / kVelocityTolerance}; }

bool Legendre::at_rounding(const Iterate& at) { return at.overall <= kVelocityRounding; }

std::optional<StepStatus> Legendre::judge(const Iterate& at, const Step& /*last*/) {
  if (defect(at).share <= 1) return StepStatus::converged;
  return {};
}

std::optional<StepStatus> Legendre::judge_stuck(const Iterate& at) {
  if (at_rounding(at)) return StepStatus::converged;
  return {};
}

StepStatus Legendre::singular() const {
  return m_ > 0 ? StepStatus::singular_constraints : StepStatus::not_definite;
}

bool Legendre::factorise(const Vector& z, SolverWork& work, NewtonTimes& /*times*/) {
  work_.v = z.head(n_);
  lagrangian_.evaluate(problem_.t, problem_.q->data(), work_.v.data(),
                       {.qq = matrix_.qq.data(), .qv = matrix_.qv.data(), .vv = matrix_.vv.data()});
  work_.row_sum = matrix_.vv.cwiseAbs().rowwise().sum();
  work_.row_size = matrix_.vv.cwiseAbs() * work_.v.cwiseAbs();
  matrix_.all.setZero();
  matrix_.all.topLeftCorner(n_, n_) = matrix_.vv;
  for (int c = 0; c < m_; ++c) {
    constraints_.column(*problem_.jacobian, c, work_.column);
    matrix_.all.block(0, n_ + c, n_, 1) = -work_.column;
    matrix_.all.block(n_ + c, 0, 1, n_) = work_.column.transpose();
  }
  matrix_.lu.compute(matrix_.all);
  ++work.factorisations;
  return true;
}

void Legendre::solve(const Vector& residual, Vector& direction) {
  matrix_.lu.solve(residual, direction);
  direction = -direction;
}

}  // namespace lilyan
