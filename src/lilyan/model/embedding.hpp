// Where the vertices of a system are, given its coordinates: x = x̄ + U q.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lilyan/base/types.hpp"

namespace lilyan {

// A free vertex has its own coordinates. A fixed one stays at x̄. A scripted one moves along with x̄(t): it counts as
// fixed, but has a velocity. So U is the identity at free vertices and zero elsewhere, and vectors over coordinates
// are vectors over all degrees of freedom that are zero at the other vertices. What depends on this is here:
// displacements, velocities, forces and Hessians of a step go through these functions.
class Embedding {
 public:
  // All vertices are free.
  Embedding(int vertices, int dimension)
      : dimension_(dimension), kind_(static_cast<std::size_t>(vertices), Kind::free) {}
  void fix(int vertex) { hold(vertex, Kind::fixed); }
  // Its motion is given.
  void script(int vertex) {
    hold(vertex, Kind::scripted);
    scripted_.push_back(vertex);
  }

  [[nodiscard]] bool fixed(int vertex) const { return kind_of(vertex) != Kind::free; }
  [[nodiscard]] bool scripted(int vertex) const { return kind_of(vertex) == Kind::scripted; }
  // Of a degree of freedom.
  [[nodiscard]] bool fixed_dof(int dof) const { return fixed(dof / dimension_); }
  [[nodiscard]] int fixed_count() const { return static_cast<int>(fixed_.size()); }
  // In the order in which they were given.
  [[nodiscard]] std::span<const int> scripted() const { return scripted_; }

  // The force on coordinates, Uᵀf, of a force or gradient f at vertices: zero where there are none.
  template <class F>
  void pull_back(F&& f) const {
    restrict_displacement(f);
  }
  // A displacement of x by coordinates alone.
  template <class D>
  void restrict_displacement(D&& d) const {
    if (!fixed_.empty()) stop(d, true);
  }
  // A velocity of x: vertices that stay where they are have none.
  template <class V>
  void restrict_velocity(V&& v) const {
    if (!fixed_.empty()) stop(v, false);
  }
  // Scales the part of a displacement that the coordinates make, and leaves the prescribed one.
  void scale_free(double factor, Eigen::Ref<Vector> d) const;

  // A Hessian over coordinates keeps the blocks whose rows and columns are both of free vertices. These are
  // numbered anew, in ascending order; `index` has the new number of each vertex, −1 for one whose blocks vanish.
  struct FreeVertices {
    std::vector<int> vertices, index;
  };
  [[nodiscard]] FreeVertices free_vertices() const;

 private:
  enum class Kind : char { free, fixed, scripted };

  void hold(int vertex, Kind kind);
  void stop(Eigen::Ref<Vector> v, bool scripted_too) const;
  [[nodiscard]] Kind kind_of(int vertex) const { return kind_[static_cast<std::size_t>(vertex)]; }
  [[nodiscard]] Eigen::Index at(int vertex) const {
    return static_cast<Eigen::Index>(dimension_) * vertex;
  }

  int dimension_;
  std::vector<Kind> kind_;
  std::vector<int> fixed_, scripted_;
};

}  // namespace lilyan
