// Explicit steps of a separable system L = ½ Σ mᵢvᵢ² − E(q) whose potential is known when
// compiling: every explicit method of the registry, without allocation or virtual call.
//
//   auto run = compiled_run<1>([](const auto& q) { return -cos(q[0]); }, {1.0},
//                              make_scheme("yoshida"), 0.1);
//   run.start({2.0}, {0.0});
//   run.advance(1000);
//   run.q()[0], run.v()[0], run.total_energy()
//
// For a number of particles known only at run time, compiled_run<kAnySize> takes and gives
// std::vector; everything is allocated when it is made.
//
// Many independent motions of one system, for a region of phase space or a family of orbits, run
// with a lane for each:
//
//   auto run = batch_run<2>(henon_heiles, {1.0, 1.0}, make_scheme("stoermer-verlet"), 0.1, 10000);
//   for (int k = 0; k < run.systems(); ++k) run.start(k, q[k], v[k]);
//   run.advance(1000);
//   run.q(k), run.v(k)
//
// Every motion is that of compiled_run up to rounding, whatever the others do. Blocks of motions
// are shared among threads (parallel/threads.hpp). Lanes are those of the processor that is compiled
// for: a choice at run time (numeric/dispatch.hpp) needs that everything is inlined, which nobody can
// promise for a potential of the caller's.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "lilyan/base/error.hpp"
#include "lilyan/method/method.hpp"
#include "lilyan/numeric/jet.hpp"
#include "lilyan/parallel/threads.hpp"

namespace lilyan {

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

template <int N, class Potential, Summation kSummation = Summation::plain>
class CompiledRun {
 public:
  using Values = Coordinates<double, N>;

  // Throws Error for schemes that are not made of drifts and kicks.
  CompiledRun(Potential potential, const Values& mass, const Scheme& scheme, double h)
      : potential_(std::move(potential)), inverse_mass_(mass), mass_(mass), splitting_(scheme, h) {
    for (double& m : inverse_mass_) m = 1 / m;
    if constexpr (N == kAnySize) now_.resize(mass.size());
  }

  void start(const Values& q, const Values& v) {
    std::copy(q.begin(), q.end(), now_.q.begin());
    std::copy(v.begin(), v.end(), now_.v.begin());
    for (double& lost : now_.q_lost) lost = 0;
    for (double& lost : now_.v_lost) lost = 0;
    gradient_is_here_ = false;
  }

  // Steps are joined: a method that begins and ends with kicks evaluates the force once less a
  // step.
  void advance(long steps) {
    if (steps <= 0) return;
    if constexpr (N == kAnySize) {
      advance(now_, steps);
    } else {
      // In variables of its own, which the compiler can keep in registers.
      auto now = now_;
      advance(now, steps);
      now_ = now;
    }
    gradient_is_here_ = splitting_.tail == 0;
  }

  [[nodiscard]] const Values& q() const { return now_.q; }
  [[nodiscard]] const Values& v() const { return now_.v; }
  [[nodiscard]] double total_energy() const {
    double kinetic = 0;
    for (std::size_t i = 0; i < mass_.size(); ++i)
      kinetic += 0.5 * mass_[i] * now_.v[i] * now_.v[i];
    return kinetic + evaluate_energy<N>(potential_, now_.q);
  }

 private:
  using State = Phase<double, N, kSummation>;

  [[gnu::always_inline]] inline void advance(State& now, long steps) const {
    if (splitting_.lead != 0) {
      if (!gradient_is_here_) evaluate_gradient<double, N>(potential_, now.q, now.g);
      now.kick(splitting_.lead, inverse_mass_);
    }
    take(splitting_.opening, now);
    for (long k = 1; k < steps; ++k) take(splitting_.cycle, now);
    take(splitting_.closing, now);
    if (splitting_.tail != 0) now.drift(splitting_.tail);
  }
  [[gnu::always_inline]] inline void take(const std::vector<Splitting::Pair>& pairs,
                                          State& now) const {
    for (const Splitting::Pair& pair : pairs) now.take(pair, potential_, inverse_mass_);
  }

  Potential potential_;
  Values inverse_mass_, mass_;
  Splitting splitting_;
  State now_;
  bool gradient_is_here_ = false;
};

// Deduces the potential's type.
template <int N, Summation kSummation = Summation::plain, class Potential>
[[nodiscard]] CompiledRun<N, Potential, kSummation> compiled_run(Potential potential,
                                                                 const Coordinates<double, N>& mass,
                                                                 const Scheme& scheme, double h) {
  return {std::move(potential), mass, scheme, h};
}

#if defined(__AVX512F__)
inline constexpr int kNativeLanes = 8;
#elif defined(__AVX__)
inline constexpr int kNativeLanes = 4;
#else
inline constexpr int kNativeLanes = 2;
#endif

template <int N, class Potential, Summation kSummation = Summation::plain>
class BatchRun {
 public:
  using Values = std::array<double, N>;

  // Throws Error for schemes that are not made of drifts and kicks.
  BatchRun(Potential potential, const Values& mass, const Scheme& scheme, double h, int systems)
      : potential_(std::move(potential)),
        inverse_mass_(mass),
        splitting_(scheme, h),
        systems_(systems),
        blocks_(static_cast<std::size_t>((systems + kBlock - 1) / kBlock)) {
    for (double& m : inverse_mass_) m = 1 / m;
  }

  [[nodiscard]] int systems() const { return systems_; }

  void start(int system, const Values& q, const Values& v) {
    // Lanes without a system of their own follow the last one, so that they stay harmless.
    const int end = system + 1 == systems_ ? static_cast<int>(blocks_.size()) * kBlock : system + 1;
    for (; system < end; ++system) {
      const Place at = place(system);
      for (std::size_t i = 0; i < N; ++i) {
        at.block.q[i][at.lane] = q[i];
        at.block.v[i][at.lane] = v[i];
        at.block.q_lost[i][at.lane] = at.block.v_lost[i][at.lane] = 0;
      }
    }
  }

  void advance(long steps) {
    if (steps <= 0) return;
    parallel_for(static_cast<int>(blocks_.size()), [&](int k) {
      Block& block = blocks_[static_cast<std::size_t>(k)];
      for (int lane = 0; lane < kBlock; lane += kTogether * kNativeLanes) {
        advance(block, lane, steps);
      }
    });
  }

  [[nodiscard]] Values q(int system) const { return values(system, &Block::q); }
  [[nodiscard]] Values v(int system) const { return values(system, &Block::v); }

 private:
  // Packs moved in turn: while one waits for its results, the processor works at the others.
  static constexpr int kTogether = N <= 2 ? 4 : 2;
  static constexpr int kBlock = kTogether * kLanes;

  using Rows = std::array<std::array<double, kBlock>, N>;
  struct alignas(64) Block {
    Rows q{}, v{};
    Rows q_lost{}, v_lost{};
  };
  struct Place {
    Block& block;
    std::size_t lane;
  };
  [[nodiscard]] Place place(int system) {
    return {blocks_[static_cast<std::size_t>(system / kBlock)],
            static_cast<std::size_t>(system % kBlock)};
  }
  [[nodiscard]] Values values(int system, Rows Block::*rows) const {
    const Block& block = blocks_[static_cast<std::size_t>(system / kBlock)];
    Values r;
    for (std::size_t i = 0; i < N; ++i) {
      r[i] = (block.*rows)[i][static_cast<std::size_t>(system % kBlock)];
    }
    return r;
  }

  using P = PackOf<kNativeLanes>;
  using Phases = std::array<Phase<P, N, kSummation>, kTogether>;

  void advance(Block& block, int lane, long steps) const {
    Phases now;
    for (int k = 0; k < kTogether; ++k) {
      copy(
          block, lane + k * lanes_of<P>, [&](double* from, P& to) { to = load<P>(from); },
          now[static_cast<std::size_t>(k)]);
    }
    if (splitting_.lead != 0) {
      for (auto& one : now) {
        evaluate_gradient<P, N>(potential_, one.q, one.g);
        one.kick(splitting_.lead, inverse_mass_);
      }
    }
    take(splitting_.opening, now);
    for (long k = 1; k < steps; ++k) take(splitting_.cycle, now);
    take(splitting_.closing, now);
    for (int k = 0; k < kTogether; ++k) {
      auto& one = now[static_cast<std::size_t>(k)];
      if (splitting_.tail != 0) one.drift(splitting_.tail);
      copy(
          block, lane + k * lanes_of<P>,
          [&](double* to, P& from) { std::memcpy(to, &from, sizeof(P)); }, one);
    }
  }
  [[gnu::always_inline]] inline void take(const std::vector<Splitting::Pair>& pairs,
                                          Phases& now) const {
    for (const Splitting::Pair& pair : pairs) {
      for (auto& one : now) one.take(pair, potential_, inverse_mass_);
    }
  }
  template <class Copy>
  static void copy(Block& block, int lane, const Copy& one, Phase<P, N, kSummation>& phase) {
    const auto l = static_cast<std::size_t>(lane);
    for (std::size_t i = 0; i < N; ++i) {
      one(&block.q[i][l], phase.q[i]);
      one(&block.v[i][l], phase.v[i]);
      one(&block.q_lost[i][l], phase.q_lost[i]);
      one(&block.v_lost[i][l], phase.v_lost[i]);
    }
  }

  Potential potential_;
  Values inverse_mass_;
  Splitting splitting_;
  int systems_;
  std::vector<Block> blocks_;
};

// Deduces the potential's type.
template <int N, Summation kSummation = Summation::plain, class Potential>
[[nodiscard]] BatchRun<N, Potential, kSummation> batch_run(Potential potential,
                                                           const std::array<double, N>& mass,
                                                           const Scheme& scheme, double h,
                                                           int systems) {
  return {std::move(potential), mass, scheme, h, systems};
}

}  // namespace lilyan
