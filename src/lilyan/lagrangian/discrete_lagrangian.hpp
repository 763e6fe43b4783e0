// Discrete Lagrangians by quadrature, and the two forms of the discrete equations of motion.
//
//   L_d(q₀, q₁) = h Σ bᵢ L(t₀ + cᵢh, q₀ + cᵢ(q₁−q₀), (q₁−q₀)/h)                                 (1)
//
// The discrete Euler–Lagrange equation, for q₂, and its position–momentum form, for q₁ and p₁:
//
//   D₂L_d(q₀, q₁) + D₁L_d(q₁, q₂) = 0                                                           (2)
//   p₀ = −D₁L_d(q₀, q₁),   p₁ = D₂L_d(q₀, q₁)                                                   (3)
//
// (3) with u = (q₁−q₀)/h as its unknown are the Hamilton–Pontryagin equations (4)–(7) of Kharevych
// et al. 2006, which step/lagrangian_step.hpp steps with; (2) and (3) are here for those who
// want to see or to use them as they stand in the literature (Marsden, West: Discrete mechanics and
// variational integrators, Acta Numerica 2001).
#pragma once

#include <vector>

#include "lilyan/base/types.hpp"
#include "lilyan/method/method.hpp"
#include "lilyan/model/system_parts.hpp"

namespace lilyan {

class DiscreteLagrangian {
 public:
  // With the nodes (cᵢ, bᵢ) of a quadrature rule; L must outlive this.
  DiscreteLagrangian(const Lagrangian& lagrangian, std::vector<Node> quadrature, double h);

  [[nodiscard]] double value(double t0, const Vector& q0, const Vector& q1) const;
  // NOLINTBEGIN(readability-identifier-naming): as everybody writes them
  [[nodiscard]] Vector D1(double t0, const Vector& q0, const Vector& q1) const;
  [[nodiscard]] Vector D2(double t0, const Vector& q0, const Vector& q1) const;
  // NOLINTEND(readability-identifier-naming)

  // (2): q₂ from q₀ at t₀ and q₁ at t₀ + h. Throws Error when Newton's method finds none.
  [[nodiscard]] Vector next(double t0, const Vector& q0, const Vector& q1) const;
  // (3). The same.
  struct Momentum {
    Vector q, p;
  };
  [[nodiscard]] Momentum advance(double t0, const Vector& q0, const Vector& p0) const;

 private:
  // q₁ with −D₁L_d(q₀, q₁) = p₀, from a guess.
  [[nodiscard]] Vector solve(double t0, const Vector& q0, const Vector& p0, Vector q1) const;

  const Lagrangian& lagrangian_;
  std::vector<Node> nodes_;
  double h_;
};

}  // namespace lilyan
