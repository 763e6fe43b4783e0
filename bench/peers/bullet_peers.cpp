// Bullet's deformable bodies beside Lilyan's backward Euler and AVF: same mesh, masses and start,
// no gravity, no contact, no damping.
//
//   bullet_peers [scenes=a.toml,b.toml] [frames=100] [repetitions=3] [tolerance=1e-8] [csv=FILE]
//
// Bullet has neo-Hookean, corotated and linear elasticity but not St. Venant–Kirchhoff. Its
// interface lets a user add a force, so StVK is added here: only with the same material can results
// be compared. Its own neo-Hookean, with the same stiffness at rest, is timed beside it.
#include "app/scene/scene.hpp"
#include "bullet_world.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/base/parameter.hpp"
#include "lilyan/control/make_integrator.hpp"
#include "lilyan/control/step_control.hpp"
#include "peer.hpp"

namespace {

using lilyan::Scene;
using lilyan::State;
using lilyan::Vector;
using peers::BulletWorld;
using peers::StvkForce;

struct Run {
  std::string name;
  std::vector<double> seconds;   // per repetition, of all frames
  Vector first;                  // positions after the first frame
  double energy = peers::kNone;  // at the end, of that at the start
  std::string status;
  std::function<void(Run&)> go;
};

// Steps all frames with the given function, timing only it.
template <class Step, class Read>
State play(const Scene& scene, int frames, Run& run, Step step, Read read) {
  State state = scene.initial;
  double seconds = 0;
  for (int k = 0; k < frames; ++k) {
    {
      const peers::CpuTimer timer(seconds);
      step(state);
    }
    if (k == 0) {
      read(state);
      run.first = state.x;
    }
  }
  read(state);
  run.seconds.push_back(seconds);
  return state;
}

double total(const Scene& scene, const State& state) {
  return lilyan::invariants(*scene.system, state).total;
}

Run lilyan_run(const Scene& scene, const std::string& method, int frames) {
  return {.name = "lilyan " + method, .go = [&scene, method, frames](Run& run) {
            auto integrator =
                make_integrator(*scene.system, lilyan::make_scheme(method), scene.settings.solver);
            bool failed = false;
            const State end = play(
                scene, frames, run,
                [&](State& s) {
                  failed |= !succeeded(step_with_halving(*integrator, s, scene.settings.step,
                                                         scene.settings.max_halvings)
                                           .status);
                },
                [](State&) {});
            run.energy = total(scene, end) / total(scene, scene.initial);
            run.status = failed ? "a step failed" : "";
          }};
}

Run bullet_run(const Scene& scene, const Vector& rest, bool stvk, int iterations, int frames) {
  const std::string name =
      fmt::format("Bullet {} {}{}", sizeof(btScalar) == 8 ? "f64" : "f32",
                  stvk ? "StVK" : "neo-Hookean", iterations > 1 ? ", converged" : "");
  return {.name = name, .go = [=, &scene, &rest](Run& run) {
            constexpr double kMu = 500, kLambda = 10;  // those of the scenes
            StvkForce own(kMu, kLambda);
            btDeformableNeoHookeanForce theirs(4 * kMu / 3, kLambda + 5 * kMu / 6, 0);
            BulletWorld world(scene, rest, stvk ? own : theirs, iterations);
            const State end = play(
                scene, frames, run, [&](State&) { world.step(scene.settings.step); },
                [&](State& s) { world.read(s); });
            if (stvk) run.energy = total(scene, end) / total(scene, scene.initial);
            if (!end.x.allFinite()) run.status = "not finite";
          }};
}

}  // namespace

int main(int argc, char** argv) {
  const peers::Options options(argc, argv);
  const int frames = static_cast<int>(options.number("frames", 100));
  const std::string tolerance = options.text("tolerance", "1e-8");
  peers::Report table(options.text("csv", ""));
  table.heading(fmt::format(
      "{} frames of StVK, ms per frame; differs: displacement of the first frame from backward "
      "Euler's; energy: at the end, of that at the start",
      frames));
  for (const std::string& file : peers::split(options.text("scenes", ""))) {
    const Scene scene =
        lilyan::load_scene(file, {.settings = {"solver.energy_tolerance=" + tolerance,
                                               "solver.velocity_tolerance=" + tolerance}});
    const Vector rest = lilyan::load_scene(file, {.settings = {"body.0.deform=[]"}}).initial.x;
    std::vector<Run> runs = {
        lilyan_run(scene, "backward-euler", frames), lilyan_run(scene, "avf", frames),
        bullet_run(scene, rest, true, 1, frames), bullet_run(scene, rest, false, 1, frames)};
    // Single precision cannot be solved as well as the comparison of results needs.
    if (sizeof(btScalar) == 8) runs.push_back(bullet_run(scene, rest, true, 20, frames));
    for (int r = 0; r < static_cast<int>(options.number("repetitions", 3)); ++r) {
      for (Run& run : runs) run.go(run);
    }
    const Vector moved = runs[0].first - scene.initial.x;
    for (const Run& run : runs) {
      const double seconds = peers::median(run.seconds);
      table.add({.group = "bullet",
                 .problem = scene.name,
                 .solver = run.name,
                 .ms = 1e3 * seconds / frames,
                 .ratio = seconds / peers::median(runs[0].seconds),
                 .difference = (run.first - runs[0].first).norm() / moved.norm(),
                 .energy = run.energy,
                 .status = run.status});
    }
  }
}
