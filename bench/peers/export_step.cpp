// Writes one implicit-midpoint step of a scene for codes in other languages: mesh, masses, start,
// and the result and time of Lilyan's minimiser.
//
//   export_step scene=a.toml folder=OUT [method=implicit-midpoint] [tolerance=1e-8]
//               [repetitions=5] [csv=FILE]
#include <filesystem>

#include "lilyan/core/parameter.hpp"
#include "step_problem.hpp"

namespace {

using namespace lilyan;

void write(const std::filesystem::path& file, const Vector& values) {
  std::ofstream out(file);
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    out << fmt::format("{:.17g}{}", values[i], i % 3 == 2 ? '\n' : ' ');
  }
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

  const auto minimiser = peers::lilyan_solvers()[0].make(scene, scheme, scene.step);
  peers::Outcome outcome = minimiser->solve();
  std::vector<double> seconds;
  for (int r = 0; r < static_cast<int>(options.number("repetitions", 5)); ++r) {
    outcome = minimiser->solve();
    seconds.push_back(outcome.seconds);
  }
  std::filesystem::create_directories(folder);
  write(folder / "rest.txt", rest);
  write(folder / "x.txt", scene.initial.x);
  write(folder / "v.txt", scene.initial.v);
  write(folder / "mass.txt", scene.system->mass());
  write(folder / "displacement.txt", outcome.d);
  std::ofstream tets(folder / "tets.txt");
  for (const auto& t : scene.tets) tets << fmt::format("{} {} {} {}\n", t[0], t[1], t[2], t[3]);
  std::ofstream(folder / "step.txt") << fmt::format(
      "name {}\nh {:.17g}\ntheta {:.17g}\nbeta {:.17g}\nvelocity_weight {:.17g}\n"
      "energy_scale {:.17g}\ntolerance {}\nlilyan_seconds {:.9g}\n",
      scene.name, scene.step, stage.nodes.at(0).theta, stage.nodes.at(0).weight, stage.displacement,
      invariants(*scene.system, scene.initial).scale(), tolerance, peers::median(seconds));
  peers::Report table(options.text("csv", ""));
  table.heading("FEniCSx, one implicit step; ms of the whole step, ratios to Lilyan's minimiser");
  peers::StepProblem problem(scene, scheme, scene.step);
  Vector gradient(outcome.d.size());
  problem.evaluate(outcome.d, gradient);
  table.add({.group = "fenicsx",
             .problem = scene.name,
             .solver = "lilyan minimiser",
             .iterations = outcome.iterations,
             .evaluations = outcome.evaluations,
             .ms = 1e3 * peers::median(seconds),
             .callback = 1e3 * outcome.callback,
             .ratio = 1,
             .difference = 0,
             .residual = problem.defect(outcome.d, gradient),
             .status = outcome.status.empty() ? "solved" : outcome.status});
}
