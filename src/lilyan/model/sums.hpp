// Sums over the vertices of a system, also of one that several processes share.
#pragma once

#include <cmath>

#include "lilyan/base/types.hpp"
#include "lilyan/model/system.hpp"
#include "lilyan/parallel/share.hpp"
#include "lilyan/parallel/threads.hpp"

namespace lilyan {

// For a system that is not shared these do nothing but what their names say.

// value, summed up over the processes.
[[nodiscard]] inline double total(const System& system, double value) {
  return system.share() ? system.share()->ranks().sum(value) : value;
}
[[nodiscard]] inline double largest(const System& system, double value) {
  return system.share() ? system.share()->ranks().largest(value) : value;
}
[[nodiscard]] inline bool anywhere(const System& system, bool value) {
  return system.share() ? system.share()->ranks().any(value) : value;
}
inline void refresh(const System& system, Vector& v) {
  if (system.share()) system.share()->refresh(v);
}

// The sum of what term(first, last) returns over ranges of the degrees of freedom.
template <class Term>
[[nodiscard]] double sum_over(const System& system, const Term& term) {
  if (!system.share()) return term(0, system.dofs());
  double sum = 0;
  for (const Share::Range& range : system.share()->owned()) sum += term(range.first, range.last);
  return total(system, sum);
}
// The same, shared among threads.
template <class Term>
[[nodiscard]] double parallel_sum_over(const System& system, const Term& term) {
  if (!system.share()) return parallel_sum(system.dofs(), term);
  double sum = 0;
  for (const Share::Range& range : system.share()->owned()) {
    sum += parallel_sum(range.last - range.first, [&](int first, int last) {
      return term(range.first + first, range.first + last);
    });
  }
  return total(system, sum);
}
// Σ mᵢ term(i) over the vertices.
template <class Term>
[[nodiscard]] double sum_by_mass(const System& system, const Term& term) {
  const int n = system.dimension();
  return sum_over(system, [&](int first, int last) {
    double sum = 0;
    for (int i = first / n; i < last / n; ++i) {
      sum += system.vertex_masses()[static_cast<std::size_t>(i)] * term(i);
    }
    return sum;
  });
}
// Σ mᵢ |xᵢ − x̄|² about the centre of mass x̄.
[[nodiscard]] inline double spread(const System& system, const Vector& x) {
  const int n = system.dimension();
  const double mass = sum_by_mass(system, [](int) { return 1.0; });
  double sum = 0;
  for (int c = 0; c < n; ++c) {
    const double centre = sum_by_mass(system, [&](int i) { return x[n * i + c]; }) / mass;
    sum += sum_by_mass(system, [&](int i) { return std::pow(x[n * i + c] - centre, 2); });
  }
  return sum;
}

// A function that takes the entries first, …, last − 1 of vectors over all degrees of freedom.
[[nodiscard]] inline auto part_of(int first, int last) {
  return [first, last](auto& v) { return v.segment(first, last - first); };
}
// v·Mv
[[nodiscard]] inline double mass_square(const System& system, const Vector& v) {
  return parallel_sum_over(system, [&](int first, int last) {
    return system.mass().square(v.segment(first, last - first), first);
  });
}

// The part of a·b that scripted vertices have.
[[nodiscard]] inline double prescribed_product(const System& system, const Vector& a,
                                               const Vector& b) {
  double sum = 0;
  for (const int i : system.embedding().scripted()) {
    if (system.share() && !system.share()->owns(3 * i)) continue;
    sum += a.segment<3>(3 * i).dot(b.segment<3>(3 * i));
  }
  return total(system, sum);
}
// a·b
[[nodiscard]] inline double inner(const System& system, const Vector& a, const Vector& b) {
  return sum_over(system, [&](int first, int last) {
    return a.segment(first, last - first).dot(b.segment(first, last - first));
  });
}

}  // namespace lilyan
