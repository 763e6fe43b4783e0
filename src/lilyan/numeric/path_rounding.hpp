// How well rounding lets an energy balance be known over the straight path of a step.
//
// The defect of a mean's quadrature is what computed numbers give of
//   Q = E(x₁) − E(x₀) − Σᵢ wᵢ ∇E(x₀ + θᵢ d)·d,   x₁ = x₀ + d rounded.                            (1)
// However good the rule is, |Q| may be as large as the rounding errors of the terms:
//   those of both energies as they are summed;
//   what the rounding u|x₁| of the end changes in its energy, |∇E|·u|x₁|;
//   those of the forces, along d;
//   those of the products and sums of forces and displacements.
// An energy that knows how it sums bounds them for its elements.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include "lilyan/numeric/quadrature.hpp"
#include "lilyan/numeric/rounded.hpp"

namespace lilyan {

class EnergyMemory;

struct RoundingPath {
  const double* x0 = nullptr;
  const double* d = nullptr;
  const double* x1 = nullptr;
  // For each coordinate, how large the terms are that a force there is multiplied with: |d| + |h v₀|, as
  // d/h is found from both velocities.
  const double* reach = nullptr;
  std::span<const Node> rule;  // of the mean, weights that add up to one
  const EnergyMemory* memory = nullptr;
};

class KnowsPathRounding {
 public:
  KnowsPathRounding() = default;
  KnowsPathRounding(const KnowsPathRounding&) = delete;
  KnowsPathRounding& operator=(const KnowsPathRounding&) = delete;
  virtual ~KnowsPathRounding() = default;
  // Bounds |Q| of a rule that integrates exactly.
  [[nodiscard]] virtual double path_rounding(const RoundingPath& path) const = 0;
  // A second derivative of the energy by the size of its elements: what a strain e stores is about ½e² times
  // that. It tells whether an error is large.
  [[nodiscard]] virtual double stiffness(const double* x) const = 0;
};

// What the rounding errors of a step's energy balance may amount to, and how large that may be before the
// energy cannot be told any more.
struct RoundingFloor {
  double error = 0;
  double ceiling = 0;
};

// Rounding of a sum of `count` terms, relative to the sum of their sizes: λu√count, which errors that are
// independent and of mean zero exceed with a probability of 2 exp(−λ²/2) (Higham, Mary: A new approach to
// probabilistic rounding error analysis, SIAM J. Sci. Comput. 41, 2019).
[[nodiscard]] inline double rounding_of_sum(std::size_t count) {
  constexpr double kLambda = 6;
  return kLambda * kUnitRoundoff * std::sqrt(static_cast<double>(count));
}

}  // namespace lilyan
