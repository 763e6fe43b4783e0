// How hard a contact pushes: the energy of a distance, here a penalty
//   φ(d) = ½ k min(d, 0)²                                                                        (1)
// of the distance d by which contact is still to begin.
#pragma once

#include <Eigen/Core>

#include "lilyan/numeric/exact_path_mean.hpp"

namespace lilyan {

// φ of a distance d < 0 of N coordinates, with its gradient. The Hessian is k (∇d ∇dᵀ + d ∇²d), with the part
// d ∇²d as it is given, or raised: only this part can be negative.
template <int N>
[[nodiscard]] inline LocalDerivatives<N> penalty(double k, double d,
                                                 const Eigen::Matrix<double, N, 1>& gradient) {
  LocalDerivatives<N> e;
  e.value = 0.5 * k * d * d;
  e.gradient = k * d * gradient;
  return e;
}
template <int N, class Curved>
[[nodiscard]] inline LocalDerivatives<N> penalty(double k, double d,
                                                 const Eigen::Matrix<double, N, 1>& gradient,
                                                 const Eigen::MatrixBase<Curved>& curved) {
  LocalDerivatives<N> e = penalty(k, d, gradient);
  e.hessian = k * (gradient * gradient.transpose() + curved);
  return e;
}

// The mean of φ′ where d goes straight from d₀ to d₁. It is the difference quotient
// φ̄ = (φ(d₁) − φ(d₀))/(d₁ − d₀), the derivative by d₁ of the convex function
//   d₀<0, d₁<0:   G = ½k (d₀d₁ + ½d₁²)                          φ̄ = ½k (d₀ + d₁)
//   d₀≥0, d₁<0:   G = ½k [½u² + 2d₀u + d₀² ln|u|]  from −d₀ to d₁−d₀,   φ̄ = ½k d₁²/(d₁−d₀)
//   d₀<0, d₁≥0:   G = −½k d₀² ln((d₁−d₀)/(−d₀))                 φ̄ = −½k d₀²/(d₁−d₀)             (2)
struct PenaltyMean {
  double value = 0;   // G
  double first = 0;   // φ̄
  double second = 0;  // its derivative
};
[[nodiscard]] PenaltyMean penalty_mean(double k, double d0, double d1);

}  // namespace lilyan
