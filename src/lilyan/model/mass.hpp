// The mass matrix M of a system.
#pragma once

#include <span>

#include "lilyan/base/types.hpp"

namespace lilyan {

// M is symmetric, positive definite and constant. Vectors are over all degrees of freedom, or, with `first`, over a
// part of them that begins there; where they are given as expressions, nothing is stored on the way.
//
// It is diagonal, with each vertex's mass at the vertex's degrees of freedom. Whoever uses these functions does
// not know that, but for diagonal().
class Mass {
 public:
  // Throws Error unless every mass is positive and finite.
  Mass(std::span<const double> of_vertices, int dimension);

  // y = M v
  template <class V, class Y>
  void apply(const V& v, Y&& y, int first = 0) const {
    y = part(v, first).cwiseProduct(v);
  }
  // y += M v
  template <class V, class Y>
  void add_applied(const V& v, Y&& y) const {
    y += diagonal_.cwiseProduct(v);
  }
  // y += factor M⁻¹f
  template <class F, class Y>
  void add_solved(double factor, const F& f, Y&& y) const {
    y += (factor * f).cwiseQuotient(diagonal_);
  }
  // y += M⁻¹f, where f has but one entry.
  void add_solved_entry(int dof, double f, Vector& y) const { y[dof] += f / diagonal_[dof]; }
  // y = v + factor M⁻¹f by inverses kept at hand, which takes the least time and rounds once more.
  template <class V, class F>
  void kick(const V& v, double factor, const F& f, Vector& y) const {
    y = v + (factor * inverse_).cwiseProduct(f);
  }

  // v·Mv
  template <class V>
  [[nodiscard]] double square(const V& v, int first = 0) const {
    return part(v, first).cwiseProduct(v.cwiseAbs2()).sum();
  }
  // v·Mw
  template <class V, class W>
  [[nodiscard]] double product(const V& v, const W& w, int first = 0) const {
    return part(v, first).cwiseProduct(v).cwiseProduct(w).sum();
  }
  // f·M⁻¹f
  template <class F>
  [[nodiscard]] double inverse_square(const F& f, int first = 0) const {
    return f.cwiseAbs2().cwiseQuotient(part(f, first)).sum();
  }

  // entry(row, value) for what a column of M has, with ascending rows: what is to be added to a matrix.
  template <class Entry>
  void each_entry(int column, const Entry& entry) const {
    entry(column, diagonal_[column]);
  }
  // For preconditioners and bounds of rounding errors.
  [[nodiscard]] const Vector& diagonal() const { return diagonal_; }

 private:
  template <class V>
  [[nodiscard]] auto part(const V& v, int first) const {
    return diagonal_.segment(first, v.size());
  }

  Vector diagonal_, inverse_;
};

}  // namespace lilyan
