// Times one step of each implicit method from the same state, so that all methods do comparable
// work and ratios between them mean something on a noisy machine: methods take turns, and medians
// over the repetitions are reported.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>

#include "commands.hpp"
#include "lilyan/core/error.hpp"
#include "lilyan/core/parameter.hpp"
#include "lilyan/integrate/integrator.hpp"
#include "lilyan/scene/scene.hpp"

namespace lilyan::cli {
namespace {

struct Sample {
  double assembly, factorisation, solve, evaluation;  // ms per Newton iteration
  double iteration;                                   // their sum
  double step;                                        // ms
};

struct Row {
  std::string mesh;
  std::string method;
  std::size_t vertices;
  std::size_t tets;
  int iterations;  // Newton iterations of the step with a factorisation each
  int solves;      // linear solves of the step when factors are used again
  int fixes;
  std::vector<Sample> samples;
};

double median(const std::vector<Sample>& samples, double Sample::*field) {
  std::vector<double> values;
  values.reserve(samples.size());
  for (const Sample& s : samples) values.push_back(s.*field);
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

// One timed step from the scene's start, every iteration with its own factorisation (which is what
// other codes' "time per Newton iteration" means), and one as the program does it by default.
class Candidate {
 public:
  Candidate(const Scene& scene, const Scheme& scheme) : scene_(scene) {
    SolverOptions plain = scene.solver;
    plain.newton.reuse_factor = false;
    plain_ = make_integrator(*scene.system, scheme, plain);
    normal_ = make_integrator(*scene.system, scheme, scene.solver);
  }

  void measure(Row& row) {
    const NewtonTimes before = plain_->times();
    State state = scene_.initial;
    const StepReport report = plain_->step(state, scene_.step);
    const NewtonTimes after = plain_->times();
    state = scene_.initial;
    const auto start = std::chrono::steady_clock::now();
    const StepReport normal = normal_->step(state, scene_.step);
    const double step =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!succeeded(report.status) || !succeeded(normal.status)) {
      throw Error(fmt::format("{} with {}: the step {}", row.mesh, row.method,
                              describe(succeeded(report.status) ? normal.status : report.status)));
    }
    // Attempts that fail for indefiniteness are part of what an iteration costs.
    const double n = std::max(1, report.iterations);
    Sample s{1e3 * (after.assembly - before.assembly) / n,
             1e3 * (after.factorisation - before.factorisation) / n,
             1e3 * (after.solve - before.solve) / n,
             1e3 * (after.evaluation - before.evaluation) / n,
             0,
             1e3 * step};
    s.iteration = s.assembly + s.factorisation + s.solve + s.evaluation;
    row.iterations = report.iterations;
    row.solves = normal.iterations;
    row.fixes = report.definiteness_fixes;
    row.samples.push_back(s);
  }

 private:
  const Scene& scene_;
  std::unique_ptr<Integrator> plain_;
  std::unique_ptr<Integrator> normal_;
};

std::vector<Row> measure(const std::string& name, const std::vector<std::string>& methods,
                         int repetitions) {
  const Scene scene = load_scene(std::filesystem::path(LILYAN_BENCH) / (name + ".toml"));
  std::vector<Row> rows;
  std::vector<Candidate> candidates;
  for (const std::string& method : methods) {
    rows.push_back({.mesh = name,
                    .method = method,
                    .vertices = scene.initial.x.size() / 3ul,
                    .tets = scene.tets.size()});
    candidates.emplace_back(scene, make_scheme(method));
  }
  for (int r = 0; r <= repetitions; ++r) {
    for (std::size_t k = 0; k < rows.size(); ++k) {
      candidates[k].measure(rows[k]);
      if (r == 0) rows[k].samples.clear();  // warm-up
    }
  }
  return rows;
}

}  // namespace

int bench(const std::vector<std::string>& wanted, int repetitions, const std::string& csv) {
  std::vector<std::string> methods = wanted;
  if (methods.empty()) {
    for (const Method& m : lilyan::methods()) {
      if (make_scheme(m.name).solve == SolveKind::minimisation) methods.push_back(m.name);
    }
  }
  for (const std::string& m : methods) {
    if (make_scheme(m).solve == SolveKind::explicit_) {
      throw InputError({m}, "this method is explicit: it has no Newton iterations to time");
    }
  }
  std::ofstream file;
  if (!csv.empty()) {
    file.open(csv);
    file << "mesh,vertices,tets,method,newton_iterations,definiteness_fixes,ms_per_iteration,"
            "ms_assembly,ms_factorisation,ms_solve,ms_evaluation,ms_per_step,solves_per_step,"
            "iteration_over_backward_euler\n";
    if (!file) throw Error(fmt::format("cannot write {}", csv));
  }
  fmt::print(
      "One step from the scene's start, median of {}; ms per Newton iteration with a fresh "
      "factor each,\nits parts, and ms per step as the program does it by default.\n\n",
      repetitions);
  fmt::print("{:<12} {:>6} {:>6}  {:<18} {:>5} {:>8}  {:>8} {:>8} {:>6} {:>6}  {:>8} {:>6}\n",
             "mesh", "verts", "tets", "method", "iter", "ms/iter", "assembly", "factor", "solve",
             "eval", "ms/step", "vs BE");
  for (const char* mesh : {"bar-330", "bar-2000", "bar-3784", "bunny", "bunny-1839"}) {
    const std::vector<Row> rows = measure(mesh, methods, repetitions);
    double euler = 0;
    for (const Row& row : rows) {
      if (row.method == "backward-euler") euler = median(row.samples, &Sample::iteration);
    }
    for (const Row& row : rows) {
      const auto m = [&](double Sample::*field) { return median(row.samples, field); };
      const double ratio = euler > 0 ? m(&Sample::iteration) / euler : 0.0;
      fmt::print(
          "{:<12} {:>6} {:>6}  {:<18} {:>5} {:>8.3f}  {:>8.3f} {:>8.3f} {:>6.3f} {:>6.3f}  "
          "{:>8.2f} {:>6.3f}\n",
          row.mesh, row.vertices, row.tets, row.method, row.iterations, m(&Sample::iteration),
          m(&Sample::assembly), m(&Sample::factorisation), m(&Sample::solve),
          m(&Sample::evaluation), m(&Sample::step), ratio);
      if (file.is_open()) {
        file << fmt::format(
            "{},{},{},{},{},{},{:.4f},{:.4f},{:.4f},{:.4f},{:.4f},{:.3f},{},{:.4f}\n", row.mesh,
            row.vertices, row.tets, row.method, row.iterations, row.fixes, m(&Sample::iteration),
            m(&Sample::assembly), m(&Sample::factorisation), m(&Sample::solve),
            m(&Sample::evaluation), m(&Sample::step), row.solves, ratio);
      }
    }
    std::fflush(stdout);
  }
  return kDone;
}

}  // namespace lilyan::cli
