// Runs that are stopped within a step.
#include <gtest/gtest.h>

#include "app/run/runner.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/conservation/drift.hpp"
#include "lilyan/control/make_integrator.hpp"
#include "lilyan/control/step_control.hpp"
#include "support/temp_folder.hpp"
#include "support/view.hpp"

namespace lilyan::test::stop_test {
namespace {

constexpr const char* kHeld = "[[constraint]]\nkind = \"point\"\nvertices = [0, 1]\n";

// A scene, loaded with settings, and its run.
struct Run {
  Run(const TempFolder& folder, const std::string& text, const std::vector<std::string>& settings)
      : scene(load_scene(folder.write("s.toml", text), {.settings = settings})),
        drift(*scene.system, scene.initial, invariants(*scene.system, scene.initial)),
        run(scene, drift, &stop) {}
  Scene scene;
  DriftTracker drift;
  std::atomic<bool> stop = false;
  SceneRun run;
};

void expect_stops(const std::string& text, const std::vector<std::string>& settings) {
  const TempFolder folder;
  Run r(folder, text, settings);
  ASSERT_TRUE(r.run.step()) << r.run.summary().message;
  const State before = r.run.state();
  const long iterations = r.run.summary().solver_work.iterations;
  r.stop = true;
  EXPECT_FALSE(r.run.step());
  EXPECT_TRUE(r.run.done());
  EXPECT_EQ(r.run.summary().end, RunEnd::interrupted);
  EXPECT_EQ(r.run.summary().steps, 1);
  EXPECT_EQ(r.run.summary().solver_work.iterations, iterations);
  EXPECT_EQ(r.run.state().t, before.t);
  EXPECT_EQ(r.run.state().x, before.x);
  EXPECT_EQ(r.run.state().v, before.v);
}

TEST(Stop, EverySolverEndsItsStep) {
  for (const char* method : {"avf", "bathe", "energy-momentum", "gauss", "bdf2"}) {
    SCOPED_TRACE(method);
    expect_stops(kBar, {std::string("integrator.method=") + method});
  }
  expect_stops(kBar, {"integrator.quadrature=auto"});
  expect_stops(std::string(kBar) + kHeld, {});
  expect_stops(kPendulum, {"integrator.method=avf"});
  expect_stops(kPair, {"integrator.method=gauss", "system.kinetic=a'^2*(2+cos(b))/2 + b'^2"});
}

// Neither halving nor a shorter step of the controller helps: it is not that the step is hard.
TEST(Stop, IsNotTriedAgain) {
  const TempFolder folder;
  const std::atomic<bool> stop = true;
  Scene scene = load_scene(folder.write("s.toml", kBar), {});
  scene.settings.solver.newton.stop = &stop;
  const auto integrator =
      make_integrator(*scene.system, scene.settings.scheme, scene.settings.solver);
  State state = scene.initial;
  const StepReport once = integrator->step(state, scene.settings.step);
  EXPECT_EQ(once.status, StepStatus::stopped);
  const StepReport halved = step_with_halving(*integrator, state, scene.settings.step, 6);
  EXPECT_EQ(halved.status, StepStatus::stopped);
  EXPECT_EQ(halved.solver_work.evaluations, once.solver_work.evaluations);
  const auto control =
      make_step_control(*integrator, *scene.system, scene.settings.scheme,
                        {.kind = StepControlKind::error, .step = scene.settings.step});
  EXPECT_EQ(control->step(state, 1).status, StepStatus::stopped);
  EXPECT_EQ(control->rejected(), 0);
  EXPECT_EQ(state.x, scene.initial.x);
}

TEST(Stop, LeavesWhatWasDone) {
  const TempFolder folder;
  const Scene scene = load_scene(folder.write("s.toml", kBar), {});
  DriftTracker drift(*scene.system, scene.initial, invariants(*scene.system, scene.initial));
  std::atomic<bool> stop = false;
  int seen = -1;
  const auto observe = [&](const RunMoment& moment) {
    seen = moment.step;
    if (moment.step == 3) stop = true;
    return true;
  };
  const FinishedRun summary = run_scene(scene, drift, observe, &stop);
  EXPECT_EQ(seen, 3);
  EXPECT_EQ(summary.end, RunEnd::interrupted);
  EXPECT_EQ(summary.steps, 3);
  EXPECT_TRUE(summary.message.empty());
  const PlainRun plain(folder.path() / "s.toml");
  EXPECT_EQ(summary.t, plain.states[3].t);
  EXPECT_EQ(summary.state.x, plain.states[3].x);
  EXPECT_EQ(summary.state.v, plain.states[3].v);
}

}  // namespace
}  // namespace lilyan::test::stop_test
