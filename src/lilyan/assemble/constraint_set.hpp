// All constraint equations of a system as one: values, Jacobian, and products with it; and what must
// hold of constraints and of the state a run starts from.
#pragma once

#include <string>
#include <vector>

#include "lilyan/base/error.hpp"
#include "lilyan/base/types.hpp"
#include "lilyan/model/state.hpp"
#include "lilyan/model/system.hpp"
#include "lilyan/numeric/dense.hpp"

namespace lilyan {

// The m equations of all constraints, one after the other. Jacobians G are kept as the entries of
// their rows, at places that never change; those of fixed vertices are zero.
class ConstraintSet {
 public:
  using Jacobian = std::vector<double>;

  explicit ConstraintSet(const System& system);

  [[nodiscard]] int equations() const { return static_cast<int>(owner_.size()); }
  // Which constraint of the system an equation belongs to.
  [[nodiscard]] int owner(int equation) const { return owner_[static_cast<std::size_t>(equation)]; }
  [[nodiscard]] Jacobian make_jacobian() const { return Jacobian(dof_.size(), 0.0); }

  void values(const Vector& x, Vector& g) const;
  void evaluate(const Vector& x, Vector& g, Jacobian& jacobian) const;
  // The size of the terms each g is a difference of, at x.
  void scales(const Vector& x, Vector& scale) const;

  // result = G v,  sum += weight Gᵀλ,  column = Gᵀe_k.
  void apply(const Jacobian& jacobian, const Vector& v, Vector& result) const;
  void add_transposed(const Jacobian& jacobian, const Vector& lambda, double weight,
                      Vector& sum) const;
  void column(const Jacobian& jacobian, int k, Vector& column) const;
  [[nodiscard]] double row_norm(const Jacobian& jacobian, int k) const;
  // a = G M⁻¹ Hᵀ for two Jacobians.
  void gram(const Jacobian& g, const Jacobian& h, DenseMatrix& a) const;

 private:
  const System& system_;
  std::vector<int> owner_;
  std::vector<int> row_start_;  // first entry of each equation
  std::vector<int> dof_;        // degree of freedom of each entry
  std::vector<char> free_;      // whether it is one of a vertex that can move
  mutable Jacobian scratch_;
  mutable Vector scratch_values_, scratch_column_, scratch_result_;
};

// L Lᵀ = G M⁻¹Gᵀ. With N = M⁻¹GᵀL⁻ᵀ, the columns of N are velocities normal to the constraints,
// orthonormal in the inner product of M, and Nᵀ M v = L⁻¹G v is the normal part of v.
class GramFactor {
 public:
  // False when the equations depend on one another; then dependent() is the first that follows from
  // those before it, or has no gradient.
  bool factorise(const DenseMatrix& a);
  [[nodiscard]] int dependent() const { return dependent_; }
  // b = L⁻¹b,  b = L⁻ᵀb,  in place.
  void solve_lower(Eigen::Ref<Vector> b) const;
  void solve_upper(Eigen::Ref<Vector> b) const;
  // b = Lᵀb.
  void multiply_upper(Vector& b) const;

 private:
  DenseMatrix upper_;  // Lᵀ
  int dependent_ = -1;
};

// A constraint that cannot be kept, or a state that does not obey it.
class ConstraintError : public Error {
 public:
  ConstraintError(int constraint, const std::string& message)
      : Error(message), constraint_(constraint) {}
  [[nodiscard]] int constraint() const { return constraint_; }  // its place in the system

 private:
  int constraint_;
};

// Throws ConstraintError for constraints that follow from others, contradict them or act on nothing
// that can move, positions with g(x) ≠ 0 and velocities with G(x) v ≠ 0 (beyond a relative 1e-8).
void check_constraints(const System& system, const State& state);
// The three checks one by one, for a caller that has evaluated the constraints already.
// In a body at rest all velocities are rounding error, so velocities that change g in a step h by
// less than its rounding error are accepted.
void check_values(const System& system, const ConstraintSet& set, const Vector& g,
                  const Vector& scale, const ConstraintSet::Jacobian& jacobian);
void check_velocities(const System& system, const ConstraintSet& set, const Vector& rate,
                      const Vector& v, const ConstraintSet::Jacobian& jacobian, const Vector& scale,
                      double h);
[[noreturn]] void refuse_dependent(const System& system, const ConstraintSet& set, int equation,
                                   const DenseMatrix& gram, const Vector& g, const Vector& scale);

// Takes the part of the velocities out that would break the constraints: the nearest ones, in the
// norm of the masses, that keep them. The positions must obey them already.
void project_velocities(const System& system, State& state);

}  // namespace lilyan
