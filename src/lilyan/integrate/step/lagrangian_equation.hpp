// The equations of one step of a general Lagrangian (LagrangianTable), for the unknowns
// z = (u₁, …, u_K, λ), with constraints g(q) = 0 of Jacobian G:
//
//   Σᵢ momentum_ki ∂L/∂v(Qᵢ, Vᵢ) − p₀ − h G₀ᵀλ − h Σᵢ force_ki Fᵢ = 0,   g(q₁)/h = 0            (1)
//
// A constraint force is a kick at the old position (Kharevych et al. 2006, section 3.5); it is
// followed by a projection of the momentum at the end of the step (RATTLE).
#pragma once

#include <Eigen/Dense>
#include <vector>

#include "lilyan/core/state.hpp"
#include "lilyan/core/system.hpp"
#include "lilyan/integrate/constrained/constraint_set.hpp"
#include "lilyan/method/method.hpp"

namespace lilyan {

class LagrangianEquation {
 public:
  explicit LagrangianEquation(const System& system);

  void set_table(const LagrangianTable& table);
  [[nodiscard]] int unknowns() const { return k_ * n_ + m_; }
  [[nodiscard]] const ConstraintSet& constraints() const { return constraints_; }

  // From the start of a step with momentum p₀; the state must stay until the step is done.
  void prepare(const State& state, const Vector& p0, double h);
  // Velocities that go on as they did in the step before.
  void guess(Vector& z) const;

  // The residual of (1). Returns its size in units that are the same throughout a step, which a
  // line search may compare; relative() is in those of the terms it is a difference of.
  double evaluate(const Vector& z);
  [[nodiscard]] double relative() const { return relative_; }
  // The same with all components compared with the largest terms.
  [[nodiscard]] double overall() const { return overall_; }
  [[nodiscard]] const Vector& residual() const { return residual_; }
  // Its derivative at the z last evaluated.
  void jacobian(DenseMatrix& matrix);
  // What is known of rounding errors from that matrix at z.
  void learn_sizes(const DenseMatrix& matrix, const Vector& z);

  // The end of the step, of the z last evaluated; and where the energy between went.
  void finish(const Vector& z, Vector& q1, Vector& p1) const;
  void mean_velocity(const Vector& z, Vector& v) const;
  [[nodiscard]] double work() const;         // of forces and of explicit time
  [[nodiscard]] double dissipation() const;  // of forces that dissipate

 private:
  [[nodiscard]] double node_time(int i) const;
  void add_forces(int i, bool dissipating, Vector& sum) const;
  [[nodiscard]] double power(bool dissipating) const;
  void add_constraints(const Vector& z);
  double measure();

  const System& system_;
  const Lagrangian& lagrangian_;
  ConstraintSet constraints_;
  ConstraintSet::Jacobian start_jacobian_, end_jacobian_;
  int n_;
  int m_;
  LagrangianTable table_;
  int k_ = 0;
  int nodes_ = 0;

  const State* start_ = nullptr;
  const Vector* p0_ = nullptr;
  double h_ = 0;
  std::vector<Vector> q_, v_, momentum_, force_;  // at the nodes
  Vector residual_, sum_, q1_, lambda_, g_, g_scale_, column_;
  bool first_ = true;  // evaluation of this step
  double relative_ = 0;
  double overall_ = 0;
  Vector terms_, weights_, row_size_, noise_, constraint_scale_;
  mutable Vector external_;
  DenseMatrix qq_, qv_, vv_, by_q_, by_v_;
};

}  // namespace lilyan
