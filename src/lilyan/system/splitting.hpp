// Explicit schemes run for many steps of a separable system L = ½ Σ mᵢvᵢ² − E(q).
//
// A scheme is run as pairs of a drift and a kick. Compositions are written out, and neighbours of one
// kind become one: within a step, and across steps, where the last kick (or drift) of one and the
// first of the next are the same state's. What is left of n steps is
//
//   lead, opening, cycle, …, cycle (n − 1 times), closing, tail
//
// with one kick in front, one drift behind (either may be absent, that is, zero) and pairs between.
// They move positions and velocities of numbers or of packs. The potential is known when compiling
// and given in one of two ways:
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
#include <variant>
#include <vector>

#include "lilyan/core/error.hpp"
#include "lilyan/core/jet.hpp"
#include "lilyan/method/method.hpp"

namespace lilyan {

namespace detail {

inline void append(const ExplicitTable::Stage& stage, std::vector<ExplicitTable::Stage>& stages) {
  if (!stages.empty() && stages.back().kind == stage.kind) {
    stages.back().weight += stage.weight;
  } else {
    stages.push_back(stage);
  }
}

inline void append(const Scheme& scheme, double fraction,
                   std::vector<ExplicitTable::Stage>& stages) {
  if (const auto* flat = std::get_if<ExplicitTable>(&scheme.table)) {
    for (const auto& s : flat->stages) append({s.kind, fraction * s.weight}, stages);
  } else if (const auto* composed = std::get_if<CompositionTable>(&scheme.table)) {
    for (const double f : composed->fractions) append(*composed->base, fraction * f, stages);
  } else {
    throw Error(scheme.label + " is not made of drifts and kicks; choose an explicit method");
  }
}

}  // namespace detail

// The drifts and kicks of a scheme in turn. Throws Error where it has other stages.
[[nodiscard]] inline ExplicitTable drifts_and_kicks(const Scheme& scheme) {
  ExplicitTable flat;
  detail::append(scheme, 1, flat.stages);
  return flat;
}

struct Splitting {
  struct Pair {
    double drift = 0;  // q += drift·v, then
    double kick = 0;   // v −= kick·M⁻¹∇E(q)
  };
  double lead = 0;
  std::vector<Pair> opening, cycle, closing;
  double tail = 0;

  // The pairs of a scheme with steps h. Throws Error as drifts_and_kicks() does.
  Splitting(const Scheme& scheme, double h) {
    using Kind = ExplicitTable::Stage::Kind;
    const ExplicitTable flat = drifts_and_kicks(scheme);
    auto stage = flat.stages.begin();
    const auto end = flat.stages.end();
    if (stage != end && stage->kind == Kind::kick) lead = h * (stage++)->weight;
    std::vector<Pair> pairs;
    for (; end - stage >= 2; stage += 2)
      pairs.push_back({h * stage[0].weight, h * stage[1].weight});
    if (stage != end) tail = h * stage->weight;
    join(pairs);
  }

 private:
  void join(const std::vector<Pair>& pairs) {
    cycle = pairs;
    if (lead != 0 && tail != 0) {
      cycle.push_back({tail, lead});
    } else if (tail != 0) {
      cycle.front().drift += tail;
    } else {
      cycle.back().kick += lead;
    }
    (lead == 0 && tail != 0 ? opening : closing) = pairs;
  }
};

inline constexpr int kAnySize = -1;  // instead of a number of coordinates: chosen at run time

enum class Summation {
  plain,
  // The part of a term that rounding takes away is kept and added with the next term. Over very
  // many steps the errors of a run then grow with the rounding of its forces only, h times as fast.
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
