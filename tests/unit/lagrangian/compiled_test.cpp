#include "lilyan/lagrangian/compiled.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <numbers>
#include <vector>

#include "lilyan/control/make_integrator.hpp"
#include "lilyan/physics/small_potential.hpp"
#include "lilyan/verify/measure.hpp"

namespace lilyan::test::compiled_test {
namespace {

const auto kHenonHeiles = [](const auto& q) {
  return 0.5 * (q[0] * q[0] + q[1] * q[1]) + q[0] * q[0] * q[1] - q[1] * q[1] * q[1] / 3.0;
};
const std::array<double, 2> kMass{1.0, 3.0};
const std::array<double, 2> kPosition{0.1, -0.2}, kVelocity{0.3, 0.2};

// The same by hand, counting.
struct ByHand {
  int* evaluations = nullptr;
  template <class T>
  void gradient(const T* q, T* g) const {
    if (evaluations) ++*evaluations;
    g[0] = q[0] + 2.0 * q[0] * q[1];
    g[1] = q[1] + q[0] * q[0] - q[1] * q[1];
  }
  [[nodiscard]] double energy(const double* q) const {
    return kHenonHeiles(std::array{q[0], q[1]});
  }
};

std::vector<Scheme> drift_and_kick_schemes() {
  std::vector<Scheme> found;
  for (const Scheme& scheme : schemes_to_verify()) {
    try {
      static_cast<void>(drifts_and_kicks(scheme));
      found.push_back(scheme);
    } catch (const Error&) {
    }
  }
  return found;
}

template <class Run>
double distance(const Run& run, const State& state) {
  double d = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    d = std::max({d, std::abs(run.q()[i] - state.x[k]), std::abs(run.v()[i] - state.v[k])});
  }
  return d;
}

TEST(CompiledRun, IsTheExplicitIntegratorForEveryScheme) {
  System system({kMass[0], kMass[1]}, 1);
  system.add(std::make_unique<SmallPotential>(2, 1, [](const double* q, double* g, double*) {
    if (g) ByHand{}.gradient(q, g);
    return ByHand{}.energy(q);
  }));
  const std::vector<Scheme> schemes = drift_and_kick_schemes();
  EXPECT_GE(schemes.size(), 14U);
  for (const Scheme& scheme : schemes) {
    constexpr double h = 0.1;
    State state;
    state.x = Eigen::Map<const Vector>(kPosition.data(), 2);
    state.v = Eigen::Map<const Vector>(kVelocity.data(), 2);
    const auto integrator = make_integrator(system, scheme, {});
    for (int k = 0; k < 50; ++k) ASSERT_TRUE(succeeded(integrator->step(state, h).status));

    auto jets = compiled_run<2>(kHenonHeiles, kMass, scheme, h);
    jets.start(kPosition, kVelocity);
    jets.advance(50);
    EXPECT_LE(distance(jets, state), 1e-13) << scheme.label;

    auto pieces = compiled_run<2, Summation::compensated>(ByHand{}, kMass, scheme, h);
    pieces.start(kPosition, kVelocity);
    for (const long steps : {1, 0, 1, 7, 41}) pieces.advance(steps);
    EXPECT_LE(distance(pieces, state), 1e-13) << scheme.label;

    auto any = compiled_run<kAnySize>(ByHand{}, {kMass[0], kMass[1]}, scheme, h);
    any.start({kPosition[0], kPosition[1]}, {kVelocity[0], kVelocity[1]});
    any.advance(50);
    EXPECT_LE(distance(any, state), 1e-13) << scheme.label;
    EXPECT_NEAR(any.total_energy(), jets.total_energy(), 1e-14) << scheme.label;
  }
}

TEST(CompiledRun, EvaluatesNoForceTwice) {
  const auto evaluations = [](const Scheme& scheme, bool in_pieces) {
    int count = 0;
    auto run = compiled_run<2>(ByHand{&count}, kMass, scheme, 0.1);
    run.start(kPosition, kVelocity);
    if (in_pieces) {
      for (int k = 0; k < 100; ++k) run.advance(1);
    } else {
      run.advance(100);
    }
    return count;
  };
  for (const bool in_pieces : {false, true}) {
    EXPECT_EQ(evaluations(make_scheme("stoermer-verlet"), in_pieces), 101);
    EXPECT_EQ(evaluations(make_scheme("yoshida"), in_pieces), 301);
    EXPECT_EQ(evaluations(make_scheme("blanes-moan"), in_pieces), 600);
    EXPECT_EQ(evaluations(make_scheme("blanes-moan-nystroem"), in_pieces), 601);
    EXPECT_EQ(evaluations(make_scheme("mclachlan-4"), in_pieces), 400);
    EXPECT_EQ(evaluations(make_scheme("symplectic-euler-a"), in_pieces), 100);
  }
}

TEST(CompiledRun, RefusesOtherSchemes) {
  for (const char* method : {"avf", "rk4", "explicit-euler"}) {
    EXPECT_THROW(static_cast<void>(compiled_run<2>(kHenonHeiles, kMass, make_scheme(method), 0.1)),
                 Error);
  }
}

// SUNDIALS' example ark_kepler (SPRKStep, McLachlan 4): e = 0.6, h = 0.01.
TEST(CompiledRun, KeplerEnergyIsSundials) {
  const auto kepler = [](const auto& q) { return -1.0 / sqrt(q[0] * q[0] + q[1] * q[1]); };
  auto run = compiled_run<2>(kepler, {1.0, 1.0}, make_scheme("mclachlan-4"), 0.01);
  constexpr double e = 0.6;
  run.start({1 - e, 0.0}, {0.0, std::sqrt((1 + e) / (1 - e))});
  const double start = run.total_energy();
  run.advance(200);
  EXPECT_NEAR(run.total_energy() - start, 2.1900e-9, 0.0001e-9);
}

// A symplectic method's energy oscillates by h² or so, far more than rounding errors add up to. Its
// mean over some hundred periods with a smooth window, sin⁸, has no trace of the oscillation left
// (the window's spectrum falls off with the ninth power of the frequency): it is a function of
// what the method itself conserves, and changes by rounding errors only.
template <class Run>
double mean_energy(Run& run, int steps) {
  long double sum = 0, weights = 0;
  for (int k = 1; k < steps; ++k) {
    run.advance(1);
    const long double w = std::pow(std::sin(std::numbers::pi * k / steps), 8);
    sum += w * static_cast<long double>(run.total_energy());
    weights += w;
  }
  run.advance(1);
  return static_cast<double>(sum / weights);
}

// The change of the energy over a run, by a straight line through its means in windows at equal distances.
template <class Run>
double energy_drift(Run& run, long steps, int windows, int window_steps) {
  const long between = steps / windows - window_steps;
  std::vector<double> step, energy;
  for (int k = 0; k < windows; ++k) {
    energy.push_back(mean_energy(run, window_steps));
    step.push_back(static_cast<double>(k * (between + window_steps)));
    run.advance(between);
  }
  return fit(step, energy).slope * static_cast<double>(steps);
}

// Ten million steps: energy changes by rounding errors only, and those do not add up; where
// rounding is biased, they do. (The pendulum of bench/micro/long_pendulum.)
template <Summation kSummation>
double pendulum_drift() {
  auto run = compiled_run<1, kSummation>([](const auto& q) { return -cos(q[0]); }, {1.0},
                                         make_scheme("stoermer-verlet"), 0.125);
  run.start({2.0}, {0.0});
  return energy_drift(run, 10000000, 20, 1 << 15);
}

TEST(CompiledRun, EnergyDoesNotDriftByRounding) {
  const double plain = pendulum_drift<Summation::plain>();
  const double compensated = pendulum_drift<Summation::compensated>();
  EXPECT_LE(std::abs(plain), 3e-12);
  EXPECT_LE(std::abs(compensated), 2e-13);
  std::fesetround(FE_TOWARDZERO);
  const double biased = pendulum_drift<Summation::plain>();
  std::fesetround(FE_TONEAREST);
  EXPECT_GE(std::abs(biased), 1e-10);
  std::printf("    drift %.1e, compensated %.1e, with biased rounding %.1e\n", plain, compensated,
              biased);
}

}  // namespace
}  // namespace lilyan::test::compiled_test
