// What the methods promise to users, on the scenes they come with.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "app/pages/pages.hpp"
#include "app/run/runner.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/conservation/drift.hpp"
#include "support/paths.hpp"
#include "support/schemes.hpp"

namespace lilyan::test::must_show_test {
namespace {

const std::filesystem::path kSource = test::source_folder();

struct Ran {
  RunSummary summary;
  double energy, linear, angular;  // worst relative deviations
};

Ran run(const std::string& name, const std::vector<std::string>& settings,
        std::optional<int> steps = {}) {
  const Scene scene =
      load_scene(kSource / "scenes" / (name + ".toml"), {.settings = settings, .steps = steps});
  DriftTracker drift(*scene.system, scene.initial, invariants(*scene.system, scene.initial));
  RunSummary summary = run_scene(scene, drift, [](const RunMoment&) { return true; });
  return {std::move(summary), drift.energy().worst_relative(),
          drift.linear_momentum().worst_relative(), drift.angular_momentum().worst_relative()};
}

TEST(MustShow, NeoHookeanBarKeepsItsEnergyToTheTolerance) {
  const Ran r = run("twisting-neo-hookean", {});
  std::printf("    energy %.1e over %d steps with %d to %d points\n", r.energy, r.summary.steps,
              r.summary.fewest_points, r.summary.most_points);
  EXPECT_EQ(r.summary.steps, 1000);
  EXPECT_EQ(r.summary.halved_steps, 0);
  EXPECT_LE(r.energy, 1e-9);
  EXPECT_GE(r.summary.fewest_points, 2);
  EXPECT_GT(r.summary.most_points, r.summary.fewest_points);
  // With two points throughout it does not.
  const Ran two =
      run("twisting-neo-hookean", {"integrator.quadrature=gauss", "integrator.points=2"}, 200);
  EXPECT_GT(two.energy, 1e-7);
}

// Energy-exact and of order four: the order is measured with all other methods' (claims_test).
TEST(MustShow, AvfOfOrderFourKeepsTheEnergy) {
  const Ran r =
      run("twisting-bar", {"integrator.method=suzuki", "integrator.base=avf",
                           "body.0.mesh=../assets/blob/blob.msh", "body.0.deform.0.angle=90"});
  std::printf("    suzuki over avf: energy %.1e over %d steps\n", r.energy, r.summary.steps);
  EXPECT_EQ(r.summary.end, RunEnd::finished);
  EXPECT_LE(r.energy, 1e-11);
}

// Every method runs on the bunny, a twisted blob and the pendulum when chosen from outside.
TEST(MustShow, EveryMethodRunsOnEveryKindOfScene) {
  for (const Method& m : methods()) {
    const std::string choice = "integrator.method=" + m.name;
    // Explicit methods need short steps on stiff bodies.
    const bool explicit_step = make_scheme(m.name).solve == SolveKind::explicit_;
    const std::string step = explicit_step ? "integrator.step=0.0005" : "integrator.step=0.02";
    EXPECT_EQ(run("bunny", {choice, step}, 2).summary.end, RunEnd::finished) << m.name;
    EXPECT_EQ(
        run("twisting-bar",
            {choice, step, "body.0.mesh=../assets/blob/blob.msh", "body.0.deform.0.angle=90"}, 3)
            .summary.end,
        RunEnd::finished)
        << m.name;
    EXPECT_EQ(run("pendulum", {choice}, 200).summary.end, RunEnd::finished) << m.name;
  }
}

// docs/methods.md is generated; its claims are the registry's of today.
TEST(MustShow, MethodsPageIsUpToDate) {
  std::ifstream file(kSource / "docs" / "methods.md");
  std::stringstream text;
  text << file.rdbuf();
  const std::string page = text.str();
  for (const Method& m : methods()) {
    EXPECT_NE(page.find(method_row(m)), std::string::npos)
        << "run `lilyan verify --page docs/methods.md`; missing: " << method_row(m);
    EXPECT_NE(page.find(m.use), std::string::npos) << m.name;
  }
  EXPECT_EQ(page.find("not as claimed"), std::string::npos);
}

}  // namespace
}  // namespace lilyan::test::must_show_test
