// What every scheme does to the energy: exact, bounded, dissipating or none of these. The four are
// told apart by measurement, and the measured kind must be the claimed one.
#include <gtest/gtest.h>

#include "lilyan/integrate/integrator.hpp"
#include "support/body.hpp"
#include "support/fit.hpp"
#include "support/schemes.hpp"

namespace lilyan::test {
namespace {

struct Motion {
  double worst = 0;       // |H − H₀|/H₀
  double drift = 0;       // slope × duration of a fit to the second half, relative to H₀
  double band = 0;        // of the oscillation about that fit, relative to H₀
  int increases = 0;      // steps that gained energy
  bool completed = true;  // false when a step failed
};

Motion run(const Body& body, const Scheme& scheme, State state, double h, int steps) {
  Motion result;
  const auto integrator = make_integrator(body.system, scheme, {});
  std::vector<double> t, H;
  double H0 = 0;
  for (int k = 0; k < steps; ++k) {
    const StepReport r = integrator->step(state, h);
    if (!succeeded(r.status)) {
      result.completed = false;
      return result;
    }
    if (k == 0) H0 = r.before.total;
    result.worst = std::max(result.worst, std::abs(r.after.total - H0) / H0);
    result.increases += r.after.total > r.before.total;
    // The first half lets the oscillation settle: it spreads over the modes.
    if (2 * k >= steps) {
      t.push_back(state.t);
      H.push_back(r.after.total / H0);
    }
  }
  const Fit line = fit(t, H);
  result.drift = line.slope * (t.back() - t.front());
  result.band = line.band;
  return result;
}

EnergyBehaviour measured(const Scheme& scheme) {
  const Body body;
  const Motion large = run(body, scheme, body.moving(), 0.25, 200);
  const Motion small = run(body, scheme, body.moving(), 0.02, 60000);
  const Motion compressed = run(body, scheme, body.moving(0.4, 0), 0.02, 200);
  std::printf(
      "    %-30s h=0.25: %.1e%s; h=0.02: %.1e, drift %+.1e, band %.1e, gains %d; "
      "compressed gains %d\n",
      scheme.label.c_str(), large.worst, large.completed ? "" : " (failed)", small.worst,
      small.drift, small.band, small.increases, compressed.increases);
  if (!small.completed || !compressed.completed) return EnergyBehaviour::none;
  if (large.completed && large.worst <= 1e-11) return EnergyBehaviour::exact;
  if (small.increases + compressed.increases == 0) return EnergyBehaviour::dissipates;
  // No drift: over 600 time units the trend is a fraction of the oscillation itself.
  if (small.worst < 0.1 && std::abs(small.drift) <= 0.1 * small.band) {
    return EnergyBehaviour::bounded;
  }
  return EnergyBehaviour::none;
}

class EnergyOf : public ::testing::TestWithParam<Scheme> {};

TEST_P(EnergyOf, BehavesAsClaimed) {
  const EnergyBehaviour behaviour = measured(GetParam());
  EXPECT_EQ(behaviour, GetParam().claims.energy)
      << "measured " << name(behaviour) << ", claimed " << name(GetParam().claims.energy);
}

INSTANTIATE_TEST_SUITE_P(Verify, EnergyOf, ::testing::ValuesIn(all_schemes()), test_name);

// Theory, section 3: for materials that are not polynomial the energy error falls with the number
// of Gauss points, exponentially, down to the solver's tolerance.
TEST(AvfNeoHookean, EnergyErrorFallsWithTheNumberOfPoints) {
  const Body body({.cells = {4, 1, 1}, .material = "neo-hookean", .mu = 10, .lambda = 10});
  double previous = 1;
  for (const double points : {1.0, 2.0, 3.0, 4.0, 6.0}) {
    const Scheme scheme = make_scheme("avf", parameters({{"points", points}}));
    const Motion r = run(body, scheme, body.moving(1.4, 3), 1.0 / 30, 20);
    ASSERT_TRUE(r.completed);
    std::printf("    %-30s %.1e\n", scheme.label.c_str(), r.worst);
    if (points < 6) {
      EXPECT_LE(r.worst, previous / 10) << points;
      EXPECT_GE(r.worst, 1e-13) << "nothing left to see the next improve on";
    } else {
      EXPECT_LE(r.worst, 1e-12);
    }
    previous = r.worst;
  }
}

}  // namespace
}  // namespace lilyan::test
