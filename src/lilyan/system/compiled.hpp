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
// std::vector; everything is allocated when it is made. How to write potentials:
// lagrangian/phase.hpp.
#pragma once

#include <algorithm>
#include <utility>

#include "lilyan/system/phase.hpp"

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

}  // namespace lilyan
