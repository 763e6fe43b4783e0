// Packs of doubles, one finite element per lane.
//
// GCC's and Clang's vector extensions give + − · / on whole packs; the compiler maps a pack to
// whatever the target has (one AVX-512 register, two AVX2 registers, …), with the same results up
// to the contraction of multiply–adds. Only the transcendental functions need a loop.
#pragma once

#include <cmath>
#include <complex>

namespace lilyan {

inline constexpr int kLanes = 8;
using Pack [[gnu::vector_size(kLanes * sizeof(double))]] = double;

inline Pack log(const Pack& x) {
  Pack r;
  for (int i = 0; i < kLanes; ++i) r[i] = std::log(x[i]);
  return r;
}

inline Pack sqrt(const Pack& x) {
  Pack r;
  for (int i = 0; i < kLanes; ++i) r[i] = std::sqrt(x[i]);
  return r;
}

inline double sqrt(double x) { return std::sqrt(x); }
inline double log(double x) { return std::log(x); }
inline std::complex<double> log(const std::complex<double>& x) { return std::log(x); }

inline double lane_sum(const Pack& x) {
  double s = 0;
  for (int i = 0; i < kLanes; ++i) s += x[i];
  return s;
}

}  // namespace lilyan
