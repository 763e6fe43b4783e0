// Small systems with potentials known when compiling: nanoseconds per step one at a time, and per
// system and step in a batch, on one thread.
//
//   cmake --preset release -DLILYAN_MICRO=ON && cmake --build --preset release --target
//   small_systems build/release/bench/micro/small_systems
//
// The two take turns; times are the best of many.
#include <fmt/format.h>

#include <chrono>
#include <string_view>

#include "lilyan/lagrangian/batch.hpp"
#include "lilyan/lagrangian/compiled.hpp"

namespace {

using namespace lilyan;

constexpr int kSystems = 1024;
constexpr int kRepetitions = 15;

const auto kPendulum = [](const auto& q) { return -cos(q[0]); };
const auto kKepler = [](const auto& q) { return -1.0 / sqrt(q[0] * q[0] + q[1] * q[1]); };
const auto kHenonHeiles = [](const auto& q) {
  return 0.5 * (q[0] * q[0] + q[1] * q[1]) + q[0] * q[0] * q[1] - q[1] * q[1] * q[1] / 3.0;
};

template <class Function>
double seconds(const Function& f) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  f();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

template <int N, Summation kSummation, class Potential>
void compare(std::string_view name, const Potential& potential, const std::array<double, N>& q,
             const std::array<double, N>& v, const Scheme& scheme) {
  std::array<double, N> mass;
  mass.fill(1);
  constexpr double kStep = 0.01;
  constexpr int kAlone = 200000, kInBatch = 1000;
  auto one = compiled_run<N, kSummation>(potential, mass, scheme, kStep);
  auto many = batch_run<N, kSummation>(potential, mass, scheme, kStep, kSystems);
  one.start(q, v);
  for (int k = 0; k < kSystems; ++k) {
    auto at = q;
    at[0] *= 1 + 1e-4 * k;
    many.start(k, at, v);
  }
  double alone = 1e9, batch = 1e9;
  for (int k = 0; k < kRepetitions; ++k) {
    alone = std::min(alone, seconds([&] { one.advance(kAlone); }) / kAlone);
    batch = std::min(batch, seconds([&] { many.advance(kInBatch); }) / (kInBatch * kSystems));
  }
  fmt::print("{:<14} {:<22} {:<12} {:>8.2f} {:>8.2f} {:>8.1f}\n", name, scheme.label,
             kSummation == Summation::plain ? "plain" : "compensated", 1e9 * alone, 1e9 * batch,
             alone / batch);
}

template <Summation kSummation>
void compare_all(const Scheme& scheme) {
  compare<1, kSummation>("pendulum", kPendulum, {2.0}, {0.0}, scheme);
  compare<2, kSummation>("kepler", kKepler, {1.0, 0.0}, {0.0, 0.8}, scheme);
  compare<2, kSummation>("henon-heiles", kHenonHeiles, {0.1, 0.2}, {0.3, 0.0}, scheme);
}

}  // namespace

int main() {
  fmt::print("{} lanes\n{:<14} {:<22} {:<12} {:>8} {:>8} {:>8}\n", kNativeLanes, "system", "method",
             "sums", "ns alone", "in batch", "ratio");
  for (const char* method : {"stoermer-verlet", "blanes-moan"}) {
    compare_all<Summation::plain>(make_scheme(method));
    compare_all<Summation::compensated>(make_scheme(method));
  }
}
