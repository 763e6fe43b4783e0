// The same implicit step solved by Lilyan's minimiser, by root finding, and by PETSc.
//
//   step_peers [scenes=a.toml,b.toml] [methods=implicit-midpoint,avf] [tolerance=1e-8]
//              [h=0.01] [steps=1] [solvers=nls,ntr] [repetitions=5] [patience=60]
//              [largest=a.toml] [csv=FILE]
//
// `solvers` keeps those whose names contain one of the parts. With more than one step, each begins
// where Lilyan's minimiser ended the one before; times and counts are those of all steps together.
#include "lilyan/base/parameter.hpp"
#include "lilyan/control/make_integrator.hpp"
#include "step_problem.hpp"

namespace {

using namespace lilyan;
using namespace peers;

Scene load(const std::string& file, double tolerance, const std::string& h = "") {
  const std::string t = fmt::format("{:e}", tolerance);
  std::vector<std::string> settings{"solver.energy_tolerance=" + t,
                                    "solver.velocity_tolerance=" + t};
  if (!h.empty()) settings.push_back("integrator.step=" + h);
  return load_scene(file, {.settings = settings});
}

double defect(StepProblem& problem, const Vector& d) {
  Vector gradient(d.size());
  problem.evaluate(d, gradient);
  return problem.defect(d, gradient);
}

// A solution of the same equation elsewhere is not the same answer.
constexpr double kSame = 1e-3;

std::string verdict(double left, double difference, const std::string& status) {
  if (!(left <= 1)) return status.empty() ? "not solved" : status;
  return difference <= kSame ? "solved" : "solved elsewhere";
}

// What one solver needed for all steps.
struct Tally {
  int iterations = 0, linear = 0, evaluations = 0;
  double seconds = 0, callback = 0;
  double difference = 0, residual = 0;  // the largest
  std::string status = "solved";        // the first that is not
};

// One step. Solvers take turns; one that needs longer than `patience` seconds is run only once.
void compare_step(const Scene& scene, const Scheme& scheme, const std::vector<NamedSolver>& solvers,
                  int repetitions, double patience, std::vector<Tally>& tallies) {
  std::vector<std::unique_ptr<Candidate>> candidates;
  for (const NamedSolver& s : solvers)
    candidates.push_back(s.make(scene, scheme, scene.settings.step));
  std::vector<std::vector<double>> seconds(solvers.size()), callbacks(solvers.size());
  std::vector<Outcome> outcomes(solvers.size());
  for (int r = 0; r <= repetitions; ++r) {
    for (std::size_t k = 0; k < solvers.size(); ++k) {
      if (r > 0 && seconds[k][0] > patience) continue;
      outcomes[k] = candidates[k]->solve();
      // The first run warms up, and counts only where it is the only one.
      if (r == 1) seconds[k].clear(), callbacks[k].clear();
      seconds[k].push_back(outcomes[k].seconds);
      callbacks[k].push_back(outcomes[k].callback);
    }
  }
  StepProblem problem(scene, scheme, scene.settings.step);
  const Vector& reference = outcomes[0].d;
  for (std::size_t k = 0; k < solvers.size(); ++k) {
    const Outcome& o = outcomes[k];
    const double left = defect(problem, o.d);
    const double difference = (o.d - reference).norm() / reference.norm();
    const std::string status = verdict(left, difference, o.status);
    Tally& t = tallies[k];
    t.iterations += o.iterations;
    t.linear = o.linear < 0 ? -1 : t.linear + o.linear;
    t.evaluations += o.evaluations;
    t.seconds += median(seconds[k]);
    t.callback += median(callbacks[k]);
    t.difference = std::max(t.difference, difference);
    t.residual = std::max(t.residual, left);
    if (t.status == "solved") t.status = status;
  }
}

void compare(Scene& scene, const std::string& method, const std::vector<NamedSolver>& solvers,
             int steps, int repetitions, double patience, Report& table) {
  const Scheme scheme = make_scheme(method);
  const State start = scene.initial;
  const auto integrator = make_integrator(*scene.system, scheme, scene.settings.solver);
  std::vector<Tally> tallies(solvers.size());
  for (int i = 0; i < steps; ++i) {
    compare_step(scene, scheme, solvers, repetitions, patience, tallies);
    if (i + 1 < steps) integrator->step(scene.initial, scene.settings.step);
  }
  scene.initial = start;
  for (std::size_t k = 0; k < solvers.size(); ++k) {
    const Tally& t = tallies[k];
    table.add({.group = fmt::format("step {:.0e}", scene.settings.solver.energy_tolerance),
               .problem = fmt::format("{} {}", scene.name, method == "avf" ? "avf" : "midpoint"),
               .solver = solvers[k].name,
               .iterations = t.iterations,
               .linear = t.linear,
               .evaluations = t.evaluations,
               .ms = 1e3 * t.seconds,
               .callback = 1e3 * t.callback,
               .ratio = t.seconds / tallies[0].seconds,
               .difference = t.difference,
               .residual = t.residual,
               .status = t.status});
  }
}

// Doubles h from 1/30 until the solver no longer arrives. At large steps Φ has many stationary
// points: where one arrives elsewhere than the minimiser, Φ there says whether that is better.
void largest_step(const std::string& file, const std::string& method,
                  const std::vector<NamedSolver>& solvers, Report& table) {
  constexpr int kDoublings = 9;
  const Scene scene = load(file, 1e-8);
  const Scheme scheme = make_scheme(method);
  for (const NamedSolver& s : solvers) {
    Row row{.group = "largest-step",
            .problem = fmt::format("{} {}", scene.name, method == "avf" ? "avf" : "midpoint"),
            .solver = s.name};
    std::string elsewhere;
    double h = 1.0 / 30;
    for (int k = 0; k <= kDoublings; ++k, h *= 2) {
      StepProblem problem(scene, scheme, h);
      const Outcome o = s.make(scene, scheme, h)->solve();
      const Vector best = solvers[0].make(scene, scheme, h)->solve().d;
      const double left = defect(problem, o.d);
      if (!(left <= 1)) {
        row.status += fmt::format("; at {:.3f}: {}", h, o.status);
        break;
      }
      row.iterations = o.iterations;
      row.evaluations = o.evaluations;
      row.ms = 1e3 * o.seconds;
      row.residual = left;
      row.difference = (o.d - best).norm() / best.norm();
      row.status = fmt::format("{}h = {:.3f}", k == kDoublings ? "at least " : "", h);
      if (row.difference <= kSame || !elsewhere.empty()) continue;
      Vector gradient(o.d.size());
      const bool lower = problem.evaluate(o.d, gradient) < problem.evaluate(best, gradient);
      elsewhere =
          fmt::format("; elsewhere from {:.3f} on where Φ is {}", h, lower ? "lower" : "higher");
    }
    row.status += elsewhere;
    table.add(row);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Options options(argc, argv);
  Report table(options.text("csv", ""));
  std::vector<NamedSolver> solvers = lilyan_solvers();
  for (NamedSolver& s : petsc_solvers()) solvers.push_back(std::move(s));
  // Lilyan's minimiser is what the others are compared with, and stays.
  const std::vector<std::string> wanted = peers::split(options.text("solvers", ""));
  std::erase_if(solvers, [&](const NamedSolver& s) {
    const auto names = [&](const std::string& part) { return s.name.find(part) != s.name.npos; };
    return &s != &solvers.front() && !wanted.empty() && std::ranges::none_of(wanted, names);
  });
  const double tolerance = options.number("tolerance", 1e-8);
  const int steps = static_cast<int>(options.number("steps", 1));
  const int repetitions = static_cast<int>(options.number("repetitions", 5));
  table.heading(
      fmt::format("One implicit step, relative error of energy and velocity {:.0e}; "
                  "ratios to Lilyan's minimiser",
                  tolerance));
  for (const std::string& file : split(options.text("scenes", ""))) {
    Scene scene = load(file, tolerance, options.text("h", ""));
    for (const std::string& method : split(options.text("methods", "implicit-midpoint,avf"))) {
      compare(scene, method, solvers, steps, repetitions, options.number("patience", 60), table);
    }
  }
  const std::string largest = options.text("largest", "");
  if (largest.empty()) return 0;
  // PETSc's own factors only cost more time than MUMPS's here.
  std::erase_if(solvers, [](const NamedSolver& s) { return s.name.ends_with("PETSc"); });
  table.heading("Largest step that is solved, doubling from 1/30 (work is that of the last one)");
  for (const std::string& file : split(largest)) {
    largest_step(file, "implicit-midpoint", solvers, table);
  }
}
