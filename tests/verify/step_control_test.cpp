// Variable steps and the long-time behaviour of the energy, on an eccentric Kepler orbit.
//
// Symmetric methods keep the energy of reversible systems without drift, but only while the step
// sizes themselves can be retraced: with the rule of Hairer and Söderlind they can, with steps
// chosen from the position at hand (or from an error estimate) they cannot. All rules get the same
// number of steps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "lilyan/control/make_integrator.hpp"
#include "lilyan/control/reversible_control.hpp"
#include "lilyan/control/step_control.hpp"
#include "lilyan/lagrangian/problem.hpp"
#include "lilyan/verify/measure.hpp"
#include "support/schemes.hpp"

namespace lilyan::test::step_control_test {
namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();
constexpr double kPeriod = 2 * std::numbers::pi;

using Stepper = std::function<StepReport(State&)>;

struct Outcome {
  int steps = 0;
  int orbits = 0;      // aphelia passed
  double band = 0;     // of the energy within the first orbit
  double drift = 0;    // of the energies at aphelion, by a fit, over the whole run
  double scatter = 0;  // of the same about the fit
  bool bound = true;   // false when a step failed or the planet was lost
};

Outcome run(State state, double end, const Stepper& step) {
  Outcome result;
  std::vector<double> t, H;
  double low = kForever, high = -kForever;
  bool outwards = true;
  while (state.t < end) {
    const StepReport r = step(state);
    if (!succeeded(r.status) || !(r.after.total < -0.01)) {
      result.bound = false;
      break;
    }
    ++result.steps;
    if (t.empty()) {
      low = std::min(low, r.after.total);
      high = std::max(high, r.after.total);
    }
    const bool now = state.x.dot(state.v) > 0;
    if (outwards && !now) {  // aphelion
      t.push_back(state.t);
      H.push_back(r.after.total);
    }
    outwards = now;
  }
  result.orbits = static_cast<int>(t.size());
  result.band = high - low;
  if (t.size() < 3) return result;
  const Fit line = fit(t, H);
  result.drift = line.slope * (t.back() - t.front());
  result.scatter = line.band;
  return result;
}

void print(const char* rule, const Outcome& o) {
  std::printf(
      "    %-12s %7d steps, %5d orbits: drift %+.1e, scatter %.1e, band in an orbit %.1e%s\n", rule,
      o.steps, o.orbits, o.drift, o.scatter, o.band, o.bound ? "" : " (lost)");
}

class VariableSteps : public ::testing::TestWithParam<Scheme> {};

TEST_P(VariableSteps, KeepTheEnergyOnlyWhenReversible) {
  const ProblemInstance p = make_problem("kepler", parameters({{"eccentricity", 0.9}}));
  constexpr double kFirst = 1e-3;  // about 265 steps an orbit
  const int orbits = GetParam().solve == SolveKind::explicit_ ? 5000 : 150;
  const double end = orbits * kPeriod;
  const auto integrator = make_integrator(*p.system, GetParam(), {});

  const auto control =
      make_step_control(*integrator, *p.system, GetParam(),
                        {.kind = StepControlKind::reversible, .step = kFirst, .max_step = 1});
  const Outcome reversible =
      run(p.initial, end, [&](State& state) { return control->step(state, kForever); });
  print("reversible", reversible);
  ASSERT_TRUE(reversible.bound);
  EXPECT_NEAR(reversible.orbits, orbits, 0.02 * orbits);
  EXPECT_LE(reversible.band, 0.02);
  EXPECT_LE(reversible.scatter, 1e-3 * reversible.band);
  EXPECT_LE(std::abs(reversible.drift), 0.2 * reversible.scatter);

  // The same density, but from the position at hand. Not for as long: the planet would be lost.
  constexpr int kFew = 100;
  const double short_end = kFew * kPeriod;
  StepDensity density(*p.system);
  const double log0 = density.log(p.initial.x);
  const Outcome naive = run(p.initial, short_end, [&](State& state) {
    return integrator->step(state, kFirst * std::exp(log0 - density.log(state.x)));
  });
  print("naive", naive);
  ASSERT_TRUE(naive.bound);
  const double steps_per_orbit = static_cast<double>(reversible.steps) / orbits;
  EXPECT_NEAR(naive.steps, kFew * steps_per_orbit, 0.1 * naive.steps);
  EXPECT_GE(std::abs(naive.drift), 3 * naive.band);
  EXPECT_GE(std::abs(naive.drift), 50 * naive.scatter);
  EXPECT_GE(std::abs(naive.drift), 1e4 * std::abs(reversible.drift));

  // Nor do steps from an error estimate help, here at more work: each is three of the method's.
  const auto control_by_error =
      make_step_control(*integrator, *p.system, GetParam(),
                        {.kind = StepControlKind::error, .step = kFirst, .tolerance = 1e-4});
  const Outcome error = run(p.initial, short_end,
                            [&](State& state) { return control_by_error->step(state, kForever); });
  print("error", error);
  EXPECT_GE(3 * error.steps, 0.95 * kFew * steps_per_orbit);
  EXPECT_GE(std::abs(error.drift), 2 * error.band);
  EXPECT_GE(std::abs(error.drift), 1e3 * std::abs(reversible.drift));

  // Equal steps, as many of them: far too long at perihelion, more than needed at aphelion.
  const double h = end / reversible.steps;
  const Outcome fixed =
      run(p.initial, short_end, [&](State& state) { return integrator->step(state, h); });
  print("fixed", fixed);
  EXPECT_TRUE(!fixed.bound || fixed.band > 20 * reversible.band);
}

INSTANTIATE_TEST_SUITE_P(Verify, VariableSteps,
                         ::testing::Values(make_scheme("stoermer-verlet"),
                                           make_scheme("implicit-midpoint"),
                                           make_scheme("hp", parameters({{"alpha", 0.5}}))),
                         test_name);

}  // namespace
}  // namespace lilyan::test::step_control_test
