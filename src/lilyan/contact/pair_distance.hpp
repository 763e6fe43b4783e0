// Distances of all pairs of primitives that surfaces are made of, with their derivatives.
//
//   point_triangle   p; a, b, c
//   edge_edge        a₀, a₁; b₀, b₁
//   point_edge       p; a, b         (of rods and borders; the fourth vertex repeats the last one)
//   point_plane      p; o            (a point of the plane, whose normal is given; likewise repeated)
//
// With the nearest points as means of the vertices, the offset between them is r = Σ cᵢ xᵢ and s = |r|². Moving the
// nearest points along their features does not change s. When the vertices move, they go on to where s is smallest
// again. With θₖ the places along the features, eₖ = ∂r/∂θₖ = Σ (∂cᵢ/∂θₖ) xᵢ and
//   gₖ = ∂(r·eₖ)/∂x = c ⊗ eₖ + ∂c/∂θₖ ⊗ r,
//   ∇s/2 = c ⊗ r,   ∇²s/2 = I ⊗ c cᵀ − Σ gₖ (eₖ·eₗ)⁻¹ gₗᵀ,                                       (1)
// and of the distance d = √s
//   ∇d = ∇s/(2d),   ∇²d = (∇²s/2 − ∇d ∇dᵀ)/d.                                                    (2)
#pragma once

#include <array>

#include <Eigen/Core>

#include "lilyan/base/types.hpp"

namespace lilyan {

enum class PairKind : char { point_triangle, edge_edge, point_edge, point_plane };

// How many vertices a pair has.
[[nodiscard]] constexpr int size_of(PairKind kind) {
  return kind == PairKind::point_edge ? 3 : kind == PairKind::point_plane ? 2 : 4;
}

// The coordinates of its vertices, one after the other.
using PairCoordinates = Eigen::Matrix<double, 12, 1>;
using PairMatrix = Eigen::Matrix<double, 12, 12>;

// The nearest points of two primitives: the offset between them as weights of the vertices, and how these change
// when the nearest points move along their features.
struct PairNearest {
  int feature = 0;  // another number for another formula of the distance
  int motions = 0;
  std::array<double, 4> weight{};
  std::array<std::array<double, 4>, 2> change{};
};
[[nodiscard]] PairNearest nearest_of(PairKind kind, const PairCoordinates& z);

// The offset r between them.
[[nodiscard]] Vec3 offset(const PairNearest& nearest, const PairCoordinates& z);

// The distance with its derivatives. It has continuous first derivatives wherever it is not zero, but for nearly
// parallel edges, whose second derivatives have no bound (contact/barrier.hpp).
struct PairDistance {
  double value = 0;
  int feature = 0;
  PairCoordinates gradient = PairCoordinates::Zero();
  PairMatrix hessian = PairMatrix::Zero();
};
// The normal is that of the plane, if there is one: its distance has a sign.
[[nodiscard]] double pair_distance(PairKind kind, const PairCoordinates& z, const Vec3& normal);
[[nodiscard]] PairDistance pair_distance_derivatives(PairKind kind, const PairCoordinates& z,
                                                     const Vec3& normal, bool want_hessian);

// How fast the parts of a pair move against each other at most when its vertices move by d: the distance changes by
// no more than this.
[[nodiscard]] double relative_motion(PairKind kind, const PairCoordinates& d);

// What follows the velocities of the vertices of an offset r that the pair carries along with it, the triangle or both
// edges: −∂ṙ/∂v of each vertex. Zero for needles and parallel edges, which have no normal.
[[nodiscard]] std::array<Eigen::Matrix3d, 4> gap_turning(PairKind kind, const PairCoordinates& z,
                                                         const PairNearest& nearest);

}  // namespace lilyan
