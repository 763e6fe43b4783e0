#include "lilyan/integrate/constrained/constrained_objective.hpp"

#include <cmath>
#include <limits>

namespace lilyan {

ConstrainedObjective::ConstrainedObjective(const System& system, StepObjective& free)
    : system_(system), free_(free), set_(system), forced_(!system.forces().empty()) {
  const int m = set_.equations();
  for (auto* j : {&start_, &end_, &mean_, &node_}) *j = set_.make_jacobian();
  for (DenseMatrix* a : {&gram_, &end_gram_, &mix_}) a->setZero(m, m);
  mix_lu_ = Eigen::PartialPivLU<DenseMatrix>(m);
  for (Vector* v : {&start_values_, &scale_, &nu_, &right_, &scratch_g_}) v->setZero(m);
  for (Vector* v : {&plain_target_, &normal_impulse_, &x_, &velocity_}) v->setZero(system.dofs());
}

bool ConstrainedObjective::begin(const Vector& x0) {
  set_.evaluate(x0, start_values_, start_);
  set_.scales(x0, scale_);
  set_.gram(start_, start_, gram_);
  return start_factor_.factorise(gram_);
}

void ConstrainedObjective::prepare(const Step& step) {
  step_ = step;
  nu_.setZero();
  normal_impulse_.setZero();
  plain_target_ = free_.target();
}

bool ConstrainedObjective::linearise(const Vector& d) {
  x_ = *step_.x0 + d;
  set_.evaluate(x_, scratch_g_, end_);
  if (averaged()) {
    std::ranges::fill(mean_, 0.0);
    for (const auto& [c, b] : step_.average) {
      x_ = *step_.x0 + c * d;
      set_.evaluate(x_, scratch_g_, node_);
      for (std::size_t i = 0; i < mean_.size(); ++i) mean_[i] += b * node_[i];
    }
    if (!find_normal_speed(d)) return false;
    free_.target().array() =
        plain_target_.array() + step_.h * normal_impulse_.array() / system_.mass().array();
  }
  free_.linearise(d);
  return true;
}

// With v₁ = 2u − v₀ − N₀ν before its normal part is taken out, N₁ᵀM v₁ = ν is
//   (1 + L₁⁻¹ G₁M⁻¹G₀ᵀ L₀⁻ᵀ) ν = L₁⁻¹G₁ (2u − v₀),
// a matrix near 2.
bool ConstrainedObjective::find_normal_speed(const Vector& d) {
  const int m = set_.equations();
  set_.gram(end_, end_, end_gram_);
  if (!end_factor_.factorise(end_gram_)) return false;
  set_.gram(start_, end_, mix_);  // its transpose is G₁M⁻¹G₀ᵀ
  for (int k = 0; k < m; ++k) start_factor_.solve_lower(mix_.col(k));
  mix_.transposeInPlace();
  for (int k = 0; k < m; ++k) {
    end_factor_.solve_lower(mix_.col(k));
    mix_(k, k) += 1;
  }
  velocity_ = 2 * d / step_.h - *step_.v0;
  set_.apply(end_, velocity_, right_);
  end_factor_.solve_lower(right_);
  mix_lu_.compute(mix_);
  nu_ = mix_lu_.solve(right_);
  if (!nu_.allFinite()) return false;
  right_ = nu_;
  start_factor_.solve_upper(right_);
  normal_impulse_.setZero();
  set_.add_transposed(start_, right_, 1, normal_impulse_);
  return true;
}

double ConstrainedObjective::evaluate(const Vector& d, Vector& gradient, Vector& g) {
  x_ = *step_.x0 + d;
  set_.values(x_, g);
  return free_.evaluate(d, gradient);
}

void ConstrainedObjective::diagonal(Vector& result) const {
  result = system_.mass();
  if (forced_) result += free_.damping();
}

double ConstrainedObjective::distance(Vector& g) const {
  start_factor_.solve_lower(g);
  return g.norm();
}

bool ConstrainedObjective::closed(const Vector& g, double factor) const {
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  for (Eigen::Index k = 0; k < g.size(); ++k) {
    if (!(std::abs(g[k]) <= factor * kEpsilon * scale_[k])) return false;
  }
  return true;
}

}  // namespace lilyan
