// The energy of a pair of primitives that must not touch: a barrier of their gap,
//   B(u) = κ (1 − u)³/u,   u = (g/d̂)²,   0 where g ≥ d̂,                                          (1)
// with g the distance less the thicknesses of both, and d̂ the distance at which contact begins. It has continuous
// second derivatives and grows like g⁻². (A step that keeps the energy may end in the middle of a collision, with
// all of the kinetic energy in the barrier. A logarithm stores too little for that: its gaps become as small as
// rounding errors.)
//
// The distance of nearly parallel edges has no bounded second derivatives, so that the barrier of two edges is
// multiplied by
//   m(c) = (c/ε)(2 − c/ε),   c = |e × f|²,   where c < ε, and 1 elsewhere.                        (2)
// Ends of edges are then kept apart by the pairs of points with triangles and edges.
//
// Li et al.: Incremental Potential Contact, ACM TOG 39 (2020), for barriers and for (2).
#pragma once

#include <array>
#include <tuple>

#include "lilyan/contact/pair_distance.hpp"
#include "lilyan/numeric/exact_path_mean.hpp"

namespace lilyan {

struct BarrierValue {
  double value = 0;
  double first = 0;  // derivatives by the gap
  double second = 0;
};
// Infinite where the gap is not positive.
[[nodiscard]] BarrierValue barrier(double gap, double reach, double stiffness);

struct BarrierPair {
  PairKind kind = PairKind::point_triangle;
  // The point is kept inside: its gap is the thickness less the distance (containers that are round).
  bool inside = false;
  std::array<int, 4> vertex{};
  double thickness = 0;
  double parallel = 0;         // ε of (2), for edges
  Vec3 normal = Vec3::Zero();  // of a plane
  double reach = 0;            // d̂
  double stiffness = 0;        // κ
  double friction = 0;         // coefficient of Coulomb's

  [[nodiscard]] double gap_of(double distance) const {
    return inside ? thickness - distance : distance - thickness;
  }
  [[nodiscard]] PairCoordinates gather(const double* x) const;
  // As seen from its first vertex: far from the origin rounding errors of positions would drown the gap.
  [[nodiscard]] PairCoordinates gather_positions(const double* x) const;

  // The gap where the vertices of the system are at x.
  [[nodiscard]] double gap_at(const double* x) const {
    return gap_of(pair_distance(kind, gather_positions(x), normal));
  }

  // Pairs are the same if they are of the same primitives.
  [[nodiscard]] bool operator==(const BarrierPair& o) const {
    return kind == o.kind && vertex == o.vertex;
  }
  [[nodiscard]] auto operator<=>(const BarrierPair& o) const {
    return std::tie(kind, vertex) <=> std::tie(o.kind, o.vertex);
  }
};

// The energy of a pair at z.
class PairBarrier {
 public:
  explicit PairBarrier(const BarrierPair& pair) : pair_(pair), reach_(pair.reach) {}

  [[nodiscard]] double gap(const PairCoordinates& z) const {
    return pair_.gap_of(pair_distance(pair_.kind, z, pair_.normal));
  }
  [[nodiscard]] double reach() const { return reach_; }
  [[nodiscard]] const BarrierPair& pair() const { return pair_; }
  // The gap, how fast it changes along d, and the direction from the second primitive to the first.
  struct Course {
    double gap, slope;
    int feature;
    Vec3 direction;
  };
  [[nodiscard]] Course course(const PairCoordinates& z, const PairCoordinates& d) const;
  [[nodiscard]] double energy(const PairCoordinates& z, double gap) const;
  [[nodiscard]] LocalDerivatives<12> derivatives(const PairCoordinates& z, bool want_hessian) const;

 private:
  const BarrierPair& pair_;
  double reach_;
};

}  // namespace lilyan
