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
// std::vector; everything is allocated when it is made. system/splitting.hpp says how to write
// potentials.
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
// are shared among threads (core/threads.hpp). Lanes are those of the processor that is compiled
// for: a choice at run time (core/dispatch.hpp) needs that everything is inlined, which nobody can
// promise for a potential of the caller's.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "lilyan/core/threads.hpp"
#include "lilyan/system/splitting.hpp"

namespace lilyan {

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
