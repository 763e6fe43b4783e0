// The barrier of a pair over a straight path z₀ + s d, 0 ≤ s ≤ 1: whether the pair stays apart all the way, and the
// mean of its force,
//   value     ∫ (B(z(s)) − B(z₀))/s ds                                                           (1)
//   gradient  ∫ ∇B(z(s)) ds                                                                      (2)
//   hessian   ∫ s ∇²B(z(s)) ds                                                                   (3)
// each the derivative of the one before by d. The path is cut into parts until each of them is known: its gap has a
// lower bound, and either that is beyond the reach of the barrier, or Gauss's rule finds the difference of B.
//
// A gap on a part from a to b is at least
//   (g_a + g_b − L (b − a))/2,   L the fastest motion of the two against each other,               (4)
//   min n·(xᵢ − xₖ) − thickness,                                                                 (5)
//   min |V|/max |n| − thickness.                                                                 (6)
// In (5) n is any direction, xᵢ all vertices of the first primitive and xₖ those of the second: linear functions of s,
// smallest at an end. In (6) V is six times the volume that the four vertices span, a cubic of s, and n the normal of
// the triangle or of the two edges, a quadratic: the minimum and maximum of their Bernstein coefficients are bounds. (4)
// is what tells apart a pair that meets, (5) one that slides along itself fast, and (6) one that turns meanwhile. This is
// collision detection: a pair is never said to be apart unless one of the bounds says so.
#pragma once

#include "lilyan/contact/barrier.hpp"

namespace lilyan {

struct BarrierMean {
  bool apart = false;   // all the way
  bool active = false;  // anywhere on it
  LocalDerivatives<12> sum;
};

// `tolerance` is the error of the energy that the mean may make. Where the pair is not apart, the sum means nothing.
[[nodiscard]] BarrierMean barrier_mean(const PairBarrier& barrier, const PairCoordinates& z0,
                                       const PairCoordinates& d, double tolerance,
                                       bool want_hessian);

// Whether the pair stays apart.
[[nodiscard]] bool stays_apart(const PairBarrier& barrier, const PairCoordinates& z0,
                               const PairCoordinates& d);

}  // namespace lilyan
