// Fixed vertices in vectors over all degrees of freedom.
#pragma once

#include "lilyan/model/sums.hpp"
#include "lilyan/model/system.hpp"
#include "lilyan/parallel/share.hpp"

namespace lilyan {

// Sets the entries of fixed vertices to zero.
inline void stop_fixed(const System& system, Vector& v) {
  if (system.fixed_count() == 0) return;
  const int n = system.dimension();
  for (int i = 0; i < system.vertices(); ++i) {
    if (system.fixed(i)) v.segment(n * i, n).setZero();
  }
}

// Scales the entries of all other vertices: the part of guessed displacements that is not
// prescribed.
inline void scale_free(const System& system, double factor, Vector& d) {
  if (system.fixed_count() == 0) {
    d *= factor;
    return;
  }
  const int n = system.dimension();
  for (int i = 0; i < system.vertices(); ++i) {
    if (!system.fixed(i)) d.segment(n * i, n) *= factor;
  }
}

// Sets the velocities of fixed vertices to zero, but not those of prescribed motion.
inline void stop_unmoved(const System& system, Vector& v) {
  if (system.fixed_count() == 0) return;
  const int n = system.dimension();
  for (int i = 0; i < system.vertices(); ++i) {
    if (system.fixed(i) && !system.moving(i)) v.segment(n * i, n).setZero();
  }
}

// The part of a·b that vertices of prescribed motion have.
[[nodiscard]] inline double prescribed_product(const System& system, const Vector& a,
                                               const Vector& b) {
  double sum = 0;
  for (const auto& motion : system.motions()) {
    for (const int i : motion->vertices()) {
      if (system.share() && !system.share()->owns(3 * i)) continue;
      sum += a.segment<3>(3 * i).dot(b.segment<3>(3 * i));
    }
  }
  return total(system, sum);
}

}  // namespace lilyan
