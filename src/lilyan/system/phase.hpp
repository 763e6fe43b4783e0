// Positions and velocities of a separable system, of numbers or of packs, moved by drifts and
// kicks.
//
// A potential known when compiling is given in one of two ways:
//
//   [](const auto& q) { return 0.5 * q[0] * q[0]; }          // E of a std::array of N scalars
//   struct { template <class T> void gradient(const T* q, T* g) const; }     // ∇E
//
// The first is differentiated automatically and is for a few coordinates; the second costs what it
// says, for any number of them. With it an `energy(const double* q)` may be given.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "lilyan/core/jet.hpp"
#include "lilyan/system/splitting.hpp"

namespace lilyan {

inline constexpr int kAnySize = -1;  // instead of a number of coordinates: chosen at run time

enum class Summation {
  plain,
  // What rounding takes from a sum is kept and given back with the next term: over very many steps
  // the errors of a run then grow with its forces' rounding only, h times as fast.
  compensated,
};

template <class T, int N>
using Coordinates = std::conditional_t<N == kAnySize, std::vector<T>,
                                       std::array<T, static_cast<std::size_t>(N < 0 ? 0 : N)>>;

template <class Potential, class T>
concept GivesGradient = requires(const Potential& potential, const T* q, T* g) {
  potential.gradient(q, g);
};

// Flattened by itself: the potential must be part of the caller, whatever lanes that is compiled
// for (assemble/dispatch.hpp).
template <class T, int N, class Potential>
[[gnu::always_inline]] inline void evaluate_gradient(const Potential& potential,
                                                     const Coordinates<T, N>& q,
                                                     Coordinates<T, N>& g) {
  if constexpr (GivesGradient<Potential, T>) {
    potential.gradient(q.data(), g.data());
  } else {
    static_assert(N > 0, "a potential without a gradient needs a fixed number of coordinates");
    using J = Jet<N, 1, T>;
    std::array<J, N> at;
    for (int i = 0; i < N; ++i) {
      const auto k = static_cast<std::size_t>(i);
      at[k] = J::variable(q[k], i);
    }
    const J energy = potential(at);
    for (std::size_t i = 0; i < N; ++i) g[i] = energy.gradient[i];
  }
}

template <int N, class Potential>
[[nodiscard]] double evaluate_energy(const Potential& potential, const Coordinates<double, N>& q) {
  if constexpr (GivesGradient<Potential, double>) {
    return potential.energy(q.data());
  } else {
    return potential(q);
  }
}

template <class T, int N, Summation kSummation>
struct Phase {
  Coordinates<T, N> q{}, v{};
  Coordinates<T, N> g{};  // ∇E where the last kick was
  Coordinates<T, N> q_lost{}, v_lost{};

  void resize(std::size_t n) requires(N == kAnySize) {
    for (auto* c : {&q, &v, &g}) c->assign(n, 0.0);
    if (kSummation == Summation::compensated) {
      for (auto* c : {&q_lost, &v_lost}) c->assign(n, 0.0);
    }
  }

  [[gnu::always_inline]] inline void drift(double h) {
    for (std::size_t i = 0; i < q.size(); ++i) {
      if constexpr (kSummation == Summation::plain) {
        add(h * v[i], q[i], q_lost, i);
      } else {
        add(h * v[i] + h * v_lost[i], q[i], q_lost, i);
      }
    }
  }
  // With the gradient that is there.
  [[gnu::always_inline]] inline void kick(double h, const Coordinates<double, N>& inverse_mass) {
    for (std::size_t i = 0; i < q.size(); ++i) {
      add((-h * inverse_mass[i]) * g[i], v[i], v_lost, i);
    }
  }
  template <class Potential>
  [[gnu::always_inline]] inline void take(const Splitting::Pair& pair, const Potential& potential,
                                          const Coordinates<double, N>& inverse_mass) {
    drift(pair.drift);
    evaluate_gradient<T, N>(potential, q, g);
    kick(pair.kick, inverse_mass);
  }

 private:
  // Knuth's sum, whose error is exact whichever of the two terms is larger.
  [[gnu::always_inline]] static inline void add(const T& term, T& sum, Coordinates<T, N>& lost,
                                                std::size_t i) {
    if constexpr (kSummation == Summation::plain) {
      sum += term;
    } else {
      const T more = term + lost[i];
      const T total = sum + more;
      const T added = total - sum;
      lost[i] = (sum - (total - added)) + (more - added);
      sum = total;
    }
  }
};

}  // namespace lilyan
