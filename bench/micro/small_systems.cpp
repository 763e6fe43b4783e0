// Small systems with potentials known when compiling: nanoseconds per step one at a time, and per
// system and step in a batch, on one thread. Beside them a loop written by hand, with forces
// differentiated by hand, for Störmer–Verlet.
//
//   cmake --preset release -DLILYAN_MICRO=ON
//   cmake --build --preset release --target small_systems
//   build/release/bench/micro/small_systems
//
// They take turns; times are the best of many.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <string_view>

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

// Störmer–Verlet with everything in local variables, kicks joined.
template <int N, class Force>
void by_hand(const Force& force, std::array<double, N>& q, std::array<double, N>& v, long steps,
             double h) {
  std::array<double, N> x = q, u = v;
  const auto kick = [&](double weight) {
    const std::array<double, N> f = force(x);
    for (std::size_t i = 0; i < N; ++i) u[i] += weight * f[i];
  };
  kick(0.5 * h);
  for (long k = 0; k < steps; ++k) {
    for (std::size_t i = 0; i < N; ++i) x[i] += h * u[i];
    kick(k + 1 < steps ? h : 0.5 * h);
  }
  q = x;
  v = u;
}

const auto kPendulumForce = [](const auto& q) { return std::array{-std::sin(q[0])}; };
const auto kKeplerForce = [](const auto& q) {
  const double r2 = q[0] * q[0] + q[1] * q[1];
  const double w = -1 / (r2 * std::sqrt(r2));
  return std::array{w * q[0], w * q[1]};
};
const auto kHenonHeilesForce = [](const auto& q) {
  return std::array{-q[0] - 2 * q[0] * q[1], -q[1] - q[0] * q[0] + q[1] * q[1]};
};

template <class Function>
double seconds(const Function& f) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  f();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

template <int N, Summation kSummation, class Potential, class Force>
void compare(std::string_view name, const Potential& potential, const Force& force,
             const std::array<double, N>& q, const std::array<double, N>& v, const Scheme& scheme) {
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
  auto hand_q = q, hand_v = v;
  double alone = 1e9, batch = 1e9, hand = 1e9;
  for (int k = 0; k < kRepetitions; ++k) {
    alone = std::min(alone, seconds([&] { one.advance(kAlone); }) / kAlone);
    hand =
        std::min(hand, seconds([&] { by_hand<N>(force, hand_q, hand_v, kAlone, kStep); }) / kAlone);
    batch = std::min(batch, seconds([&] { many.advance(kInBatch); }) / (kInBatch * kSystems));
  }
  const bool same = scheme.label == "stoermer-verlet" && kSummation == Summation::plain;
  fmt::print("{:<14} {:<22} {:<12} {:>8} {:>8.2f} {:>8.2f} {:>8.1f}\n", name, scheme.label,
             kSummation == Summation::plain ? "plain" : "compensated",
             same ? fmt::format("{:.2f}", 1e9 * hand) : "", 1e9 * alone, 1e9 * batch,
             alone / batch);
}

template <Summation kSummation>
void compare_all(const Scheme& scheme) {
  compare<1, kSummation>("pendulum", kPendulum, kPendulumForce, {2.0}, {0.0}, scheme);
  compare<2, kSummation>("kepler", kKepler, kKeplerForce, {1.0, 0.0}, {0.0, 0.8}, scheme);
  compare<2, kSummation>("henon-heiles", kHenonHeiles, kHenonHeilesForce, {0.1, 0.2}, {0.3, 0.0},
                         scheme);
}

}  // namespace

int main() {
  fmt::print("{} lanes\n{:<14} {:<22} {:<12} {:>8} {:>8} {:>8} {:>8}\n", kNativeLanes, "system",
             "method", "sums", "by hand", "ns alone", "in batch", "ratio");
  for (const char* method : {"stoermer-verlet", "blanes-moan"}) {
    compare_all<Summation::plain>(make_scheme(method));
    compare_all<Summation::compensated>(make_scheme(method));
  }
}
