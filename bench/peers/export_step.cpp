// Writes one implicit-midpoint step of a scene for codes in other languages: mesh, masses, start,
// and the result and time of Lilyan's minimiser. Of several steps it writes the last one's displacement and
// the time of all, by that method and by AVF.
//
//   export_step scene=a.toml folder=OUT [method=implicit-midpoint] [tolerance=1e-8]
//               [repetitions=5] [steps=1] [csv=FILE]
#include <filesystem>

#include "lilyan/base/parameter.hpp"
#include "lilyan/control/make_integrator.hpp"
#include "step_problem.hpp"

namespace {

using namespace lilyan;

void write(const std::filesystem::path& file, const Vector& values) {
  std::ofstream out(file);
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    out << fmt::format("{:.17g}{}", values[i], i % 3 == 2 ? '\n' : ' ');
  }
}

// Median seconds of processor time that a step takes, over so many from the scene's start; the sums of its
// iterations and evaluations, and the last displacement.
peers::Outcome time_steps(const Scene& scene, const Scheme& scheme, int steps, int repetitions) {
  const auto integrator = make_integrator(*scene.system, scheme, scene.settings.solver);
  peers::Outcome result;
  std::vector<double> seconds;
  for (int r = 0; r <= repetitions; ++r) {  // the first one warms up
    State state = scene.initial;
    result.iterations = result.evaluations = 0;
    const double start = peers::cpu_seconds();
    for (int k = 0; k < steps; ++k) {
      const Vector before = state.x;
      const StepReport report = integrator->step(state, scene.settings.step);
      result.iterations += report.solver_work.iterations;
      result.evaluations += report.solver_work.evaluations;
      result.d = state.x - before;
      if (!succeeded(report.status)) result.status = "not solved";
    }
    if (r > 0) seconds.push_back((peers::cpu_seconds() - start) / steps);
  }
  result.seconds = peers::median(seconds);
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  const peers::Options options(argc, argv);
  const std::string file = options.text("scene", "");
  const std::filesystem::path folder = options.text("folder", ".");
  const std::string tolerance = options.text("tolerance", "1e-8");
  const Scene scene = load_scene(file, {.settings = {"solver.energy_tolerance=" + tolerance,
                                                     "solver.velocity_tolerance=" + tolerance}});
  const Vector rest = load_scene(file, {.settings = {"body.0.deform=[]"}}).initial.x;
  const Scheme scheme = make_scheme(options.text("method", "implicit-midpoint"));
  const Stage stage = std::get<MinimisationTable>(scheme.table).stages.at(0);

  const int repetitions = static_cast<int>(options.number("repetitions", 5));
  const auto minimiser = peers::lilyan_solvers()[0].make(scene, scheme, scene.settings.step);
  peers::Outcome outcome = minimiser->solve();
  std::vector<double> seconds;
  for (int r = 0; r < repetitions; ++r) {
    outcome = minimiser->solve();
    seconds.push_back(outcome.seconds);
  }
  const int steps = static_cast<int>(options.number("steps", 1));
  if (steps > 1) {
    outcome = time_steps(scene, scheme, steps, repetitions);
    seconds.assign(1, outcome.seconds);
  }
  std::filesystem::create_directories(folder);
  write(folder / "rest.txt", rest);
  write(folder / "x.txt", scene.initial.x);
  write(folder / "v.txt", scene.initial.v);
  write(folder / "mass.txt", scene.system->mass());
  write(folder / "displacement.txt", outcome.d);
  std::ofstream tets(folder / "tets.txt");
  for (const auto& t : scene.bodies().tets)
    tets << fmt::format("{} {} {} {}\n", t[0], t[1], t[2], t[3]);
  std::ofstream(folder / "step.txt") << fmt::format(
      "name {}\nh {:.17g}\ntheta {:.17g}\nbeta {:.17g}\nvelocity_weight {:.17g}\n"
      "energy_scale {:.17g}\ntolerance {}\nlilyan_seconds {:.9g}\n",
      scene.name, scene.settings.step, stage.nodes.at(0).theta, stage.nodes.at(0).weight,
      stage.displacement, invariants(*scene.system, scene.initial).scale(), tolerance,
      peers::median(seconds));
  peers::Report table(options.text("csv", ""));
  const auto add = [&](std::string_view solver, const peers::Outcome& o, double residual) {
    table.add({.group = "fenicsx",
               .problem = scene.name,
               .solver = std::string(solver),
               .iterations = o.iterations,
               .evaluations = o.evaluations,
               .ms = 1e3 * o.seconds,
               .callback = 1e3 * o.callback,
               .ratio = o.seconds / outcome.seconds,
               .difference = 0,
               .residual = residual,
               .status = o.status.empty() ? "solved" : o.status});
  };
  if (steps > 1) {
    table.heading(
        fmt::format("FEniCSx, {} steps of {}; ms a step, ratios to Lilyan's", steps, scheme.label));
    add("lilyan " + scheme.label, outcome, 0);
    add("lilyan avf", time_steps(scene, make_scheme("avf"), steps, repetitions), 0);
    return 0;
  }
  table.heading("FEniCSx, one implicit step; ms of the whole step, ratios to Lilyan's minimiser");
  peers::StepProblem problem(scene, scheme, scene.settings.step);
  Vector gradient(outcome.d.size());
  problem.evaluate(outcome.d, gradient);
  outcome.seconds = peers::median(seconds);
  add("lilyan minimiser", outcome, problem.defect(outcome.d, gradient));
}
