// Contact between bodies: every vertex of one against every triangle of another's surface,
//   E = Σ ½ k max(r − dist(vertex, triangle), 0)²,                                              (1)
// which begins to push at the distance r (their thickness). The distance has no sign: what gets
// through to the other side is pushed on. For that a vertex would have to come through within one
// step, faster than 2r/h against the surface, or with more energy than the ½ k r² of each of the
// pairs it meets.
//
// The distance to a triangle has continuous derivatives, hence so has E. Mean forces over a step
// are integrated as in contact/path_mean.hpp, to rounding error, so energy is kept through contact.
//
// Which pairs can come near is found once a step with a spatial hash over the ways that vertices
// are going to take; a step in which something moves farther is repeated with longer ways.
#pragma once

#include <array>
#include <vector>

#include "lilyan/contact/path_mean.hpp"
#include "lilyan/contact/point_triangle.hpp"
#include "lilyan/contact/spatial_hash.hpp"
#include "lilyan/contact/touch.hpp"
#include "lilyan/core/energy.hpp"
#include "lilyan/core/types.hpp"

namespace lilyan {

struct ContactSurface {
  int body = 0;
  std::vector<int> vertices;
  std::vector<std::array<int, 3>> triangles;
};

class BodyContact final : public Energy, public TouchSource {
 public:
  // x are the initial positions. Throws Error unless k and r are positive, and for surfaces that
  // share a vertex.
  BodyContact(const std::vector<ContactSurface>& surfaces, double k, double thickness,
              const Vector& x);

  [[nodiscard]] EnergyKind kind() const override { return EnergyKind::contact; }
  [[nodiscard]] Stencils stencils() const override { return {4, vertices_}; }
  [[nodiscard]] bool translation_invariant() const override { return true; }
  [[nodiscard]] bool rotation_invariant() const override { return true; }
  [[nodiscard]] double evaluate(const Evaluation& at) const override;

  [[nodiscard]] bool changes() const override { return true; }
  bool begin_step(const StepOpening& opening) override;
  [[nodiscard]] bool covers(const double* x) override;

  [[nodiscard]] Stencils touch_stencils() const override { return stencils(); }
  [[nodiscard]] Touch touch(std::size_t n, const double* x, const double* d) const override;
  [[nodiscard]] bool between_bodies() const override { return true; }

  [[nodiscard]] std::size_t pairs() const { return pairs_.size(); }  // looked at in this step

 private:
  struct Triangle {
    std::array<int, 3> corner;
    int body;
  };
  struct Pair {
    std::array<int, 4> vertex;  // point, then corners
    std::array<int, 4> place;   // of each among the four in ascending order
    auto operator<=>(const Pair& o) const { return vertex <=> o.vertex; }
    bool operator==(const Pair& o) const { return vertex == o.vertex; }
  };
  struct Point {
    int vertex;
    int body;
  };

  [[nodiscard]] std::vector<Pair> near_pairs(double extra);
  [[nodiscard]] LocalDerivatives<12> energy(const PointTriangle& z, bool want_hessian) const;
  [[nodiscard]] static PointTriangle gather(const Pair& pair, const double* x);

  std::vector<Point> points_;
  std::vector<Triangle> triangles_;
  double k_;
  double thickness_;
  std::vector<Pair> pairs_;
  std::vector<int> vertices_;  // of the pairs, each four ascending
  // Of this step: where vertices started, and how far from there pairs have been looked for.
  Vector start_;
  std::vector<double> reach_, needed_;
  std::vector<Box> boxes_;
  std::vector<int> found_;
  SpatialHash hash_;
};

}  // namespace lilyan
