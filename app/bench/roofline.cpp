#include "app/bench/roofline.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

#include "lilyan/numeric/dispatch.hpp"

namespace lilyan {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kTries = 8;

// Seconds of the fastest of several calls.
template <class Function>
double fastest(const Function& f) {
  double best = 1e9;
  for (int k = 0; k < kTries; ++k) {
    const Clock::time_point start = Clock::now();
    f();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

// As many independent chains as hide the latency of a multiply–add. Returns a number that depends
// on all of them, so that none can be left out.
template <AnyPack P>
inline double multiply_add(int rounds) {
  constexpr int kChains = 12;
  P chain[kChains];
  for (int k = 0; k < kChains; ++k) chain[k] = P{} + (1.0 + k);
  const P factor = P{} + 0.9999;
  const P term = P{} + 1e-4;
  for (int round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (int k = 0; k < kChains; ++k) chain[k] = chain[k] * factor + term;
  }
  P sum = {};
  for (int k = 0; k < kChains; ++k) sum += chain[k];
  return kChains * lane_sum(sum);
}

double measure_flops() {
  constexpr int kRounds = 1'000'000;
  constexpr int kChains = 12;
  double width = 0;
  volatile double sink = 0;
  const double seconds = fastest([&] {
    sink = on_best_lanes([&]<int kWidth>(Lanes<kWidth>) {
      width = kWidth;
      return multiply_add<PackOf<kWidth>>(kRounds);
    });
  });
  return 2.0 * kChains * width * kRounds / seconds;
}

double measure_bytes() {
  constexpr std::size_t kSize = 4'000'000;  // three arrays of 32 MB
  std::vector<double> a(kSize, 0.0);
  std::vector<double> b(kSize, 1.0);
  std::vector<double> c(kSize, 2.0);
  double s = 0.5;
  const double seconds = fastest([&] {
    s += 1;  // or the second round would have nothing to do
    for (std::size_t i = 0; i < kSize; ++i) a[i] = b[i] + s * c[i];
  });
  volatile double sink = a[kSize / 2];
  static_cast<void>(sink);
  return 3.0 * sizeof(double) * kSize / seconds;
}

}  // namespace

Roofline measure_roofline() { return {.flops = measure_flops(), .bytes = measure_bytes()}; }

}  // namespace lilyan
