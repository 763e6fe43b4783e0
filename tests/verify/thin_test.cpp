// Springs, cloth and rods in motion: what AVF and the energy–momentum method keep of them.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "app/scene/scene.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/control/make_integrator.hpp"
#include "support/schemes.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test::thin_test {
namespace {

struct Outcome {
  double energy = 0;
  double angular = 0;  // worst relative changes
  double swing = 0;    // of the elastic energy, relative to the total
  int failed = 0;
};

Outcome run(const Scene& scene, const Scheme& scheme, int steps) {
  Outcome outcome;
  State state = scene.initial;
  const auto integrator = make_integrator(*scene.system, scheme, {});
  const Invariants first = invariants(*scene.system, state);
  double least = first.of(EnergyKind::elastic);
  double most = least;
  int iterations = 0;
  for (int k = 0; k < steps; ++k) {
    const StepReport r = integrator->step(state, 1.0 / 30);
    if (!succeeded(r.status)) {
      ++outcome.failed;
      break;
    }
    iterations += r.solver_work.iterations;
    outcome.energy = std::max(outcome.energy, std::abs(r.after.total / first.total - 1));
    outcome.angular =
        std::max(outcome.angular, (r.after.angular_momentum - first.angular_momentum).norm() /
                                      first.angular_momentum.norm());
    least = std::min(least, r.after.of(EnergyKind::elastic));
    most = std::max(most, r.after.of(EnergyKind::elastic));
  }
  outcome.swing = (most - least) / first.total;
  std::printf("    %s: energy %.1e, angular %.1e, elastic swing %.2f; %.1f iterations a step\n",
              scheme.label.c_str(), outcome.energy, outcome.angular, outcome.swing,
              static_cast<double>(iterations) / steps);
  return outcome;
}

// A stretched, bent, spinning sheet. A strong stretch makes it crumple when it comes back.
Scene sheet(const std::string& material, const std::string& stretch = "1.3") {
  const TempFolder folder;
  return load_scene(folder.write(
      "s.toml",
      "[integrator]\nstep = 0.03\nsteps = 1\n[[body]]\n"
      "shape = { kind = \"grid\", size = [2, 1], cells = [8, 4], diagonals = \"alternate\" }\n"
      "mass = 1\nangular_velocity = [0.5, 1, 2]\n" +
          material + "\n[[body.deform]]\nkind = \"stretch\"\nfactors = [" + stretch +
          ", 0.9, 1]\n"
          "[[body.deform]]\nkind = \"pull\"\nregion = { slab = { axis = \"x\", from = 0.9 } }\n"
          "by = [0, 0, 0.4]\nfalloff = 1.5\n"));
}

Scene rods() {
  const TempFolder folder;
  const std::string rod =
      "[[body]]\nshape = { kind = \"line\", length = 2, segments = 8 }\nmass = 1\n"
      "springs = { kind = \"hookean\", stretch = 300 }\nbending = 0.5\n"
      "angular_velocity = [0, 1, 2]\ndeform = [{ kind = \"pull\", region = { vertices = [8] }, "
      "by = [0, 0.3, 0.2], falloff = 1.5 }]\n";
  return load_scene(folder.write(
      "s.toml", "[integrator]\nstep = 0.03\nsteps = 1\n" + rod + "name = \"a\"\n" + rod +
                    "name = \"b\"\ntranslate = [0, 0, 0.3]\n[[spring]]\nbodies = [\"a\", \"b\"]\n"
                    "vertices = [3, 5]\nstiffness = 40\n"));
}

const std::string kStvkSprings = "springs = { kind = \"stvk\", stretch = 400, bend = 100 }";
const std::string kHookean = "springs = { kind = \"hookean\", stretch = 60, bend = 5 }";
const std::string kMembrane = "material = { mu = 40, lambda = 30 }";
const std::string kShell = kMembrane + "\nbending = 0.02";

void expect_kept(const Outcome& o, double bound) {
  EXPECT_EQ(o.failed, 0);
  EXPECT_LE(o.energy, bound);
  EXPECT_GE(o.swing, 0.02) << "a rigid spin proves little";
}

// Cubic forces: Simpson's rule and two Gauss points are exact; one point is not.
TEST(Thin, AvfIsExactForStvkSpringsAndMembranes) {
  for (const std::string& material : {kStvkSprings, kMembrane}) {
    const Scene scene = sheet(material);
    expect_kept(run(scene, make_scheme("avf"), 200), 1e-12);
    expect_kept(run(scene, make_scheme("avf", parameters({{"quadrature", "simpson"}})), 200),
                1e-12);
    EXPECT_GE(run(scene, make_scheme("avf", parameters({{"points", 1.0}})), 50).energy, 1e-6);
  }
}

TEST(Thin, AvfAutoKeepsTheEnergyOfHookeanSpringsHingesAndRods) {
  const Scheme automatic = make_scheme("avf", parameters({{"quadrature", "auto"}}));
  expect_kept(run(sheet(kHookean), automatic, 200), 1e-10);
  expect_kept(run(sheet(kShell, "1.05"), automatic, 100), 1e-10);
  expect_kept(run(rods(), automatic, 200), 1e-10);
}

TEST(Thin, EnergyMomentumKeepsBoth) {
  const Scheme scheme = make_scheme("energy-momentum");
  const auto expect_both = [&](const Scene& scene, int steps) {
    const Outcome o = run(scene, scheme, steps);
    expect_kept(o, 1e-11);
    EXPECT_LE(o.angular, 1e-11);
  };
  expect_both(sheet(kStvkSprings, "1.1"), 100);
  expect_both(sheet(kHookean, "1.1"), 100);
  expect_both(sheet(kMembrane, "1.1"), 100);
  expect_both(sheet(kShell, "1.05"), 100);
  expect_both(rods(), 100);
}

}  // namespace
}  // namespace lilyan::test::thin_test
