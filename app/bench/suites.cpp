// Times steps of scenes from their start. Candidates take turns, so that a load on the machine
// meets all of them, and medians are reported: ratios within one run mean something where
// milliseconds do not.
#include "app/bench/suites.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>

#include "app/bench/bench_measure.hpp"
#include "app/bench/roofline.hpp"
#include "app/cli/commands.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/numeric/dispatch.hpp"
#include "lilyan/parallel/threads.hpp"

namespace lilyan::bench {
namespace {

// Operations of the Hessian of a tet by the closed form, at one node, about (bench/notes.md).
constexpr double kHessianFlops = 600;

class BenchTable {
 public:
  explicit BenchTable(const std::filesystem::path& csv) : roofline_(measure_roofline()) {
    fmt::print(
        "{}: {} lanes, {:.0f} GFlop/s and {:.0f} GB/s on one core; solved to 1e-9 unless a row "
        "says otherwise; ms/iter and ms/step are processor time, the rest is by the clock\n\n",
        machine_name(), lanes_in_use(), 1e-9 * roofline_.flops, 1e-9 * roofline_.bytes);
    if (csv.empty()) return;
    if (csv.has_parent_path()) std::filesystem::create_directories(csv.parent_path());
    file_.open(csv);
    if (!file_) throw Error(fmt::format("cannot write {}", csv.string()));
    file_ << "suite,mesh,vertices,tets,method,linear,threads,newton_iterations,cg_iterations,"
             "definiteness_fixes,ms_per_iteration,ms_assembly,ms_setup,ms_solve,ms_evaluation,"
             "ms_per_step,clock_ms_per_step,bytes_per_tet,hessian_share_of_peak,ratio,solved\n";
  }

  void head(std::string_view title, std::string_view ratio) {
    fmt::print(
        "{}\n{:<14} {:>7} {:>8}  {:<17.17} {:<18} {:>3} {:>5} {:>5} {:>8}  {:>7} {:>7} {:>7} {:>7}"
        "  {:>9} {:>9} {:>6} {:>5} {:>7}\n",
        title, "mesh", "verts", "tets", "method", "linear", "thr", "iter", "cg", "ms/iter",
        "assemb", "setup", "solve", "eval", "ms/step", "by clock", "B/tet", "%peak", ratio);
  }

  void row(std::string_view suite, const BenchResult& r, double ratio) {
    const double tets = static_cast<double>(std::max<std::size_t>(1, r.tets));
    const double share =
        r.hessian > 0 ? kHessianFlops * tets / (1e-3 * r.hessian) / (roofline_.flops * r.threads)
                      : 0;
    fmt::print(
        "{:<14} {:>7} {:>8}  {:<17.17} {:<18} {:>3} {:>5.1f} {:>5.1f} {:>8.3f}  {:>7.3f} "
        "{:>7.3f} {:>7.3f} {:>7.3f}  {:>9.3f} {:>9.3f} {:>6.0f} {:>5.1f} {:>7.3f}{}\n",
        r.mesh, r.vertices, r.tets, r.method, r.linear, r.threads, r.iterations,
        r.linear_iterations, r.iteration, r.assembly, r.setup, r.solve, r.evaluation, r.step,
        r.clock, r.bytes / tets, 100 * share, ratio, r.solved ? "" : "  NOT SOLVED");
    std::fflush(stdout);
    if (!file_.is_open()) return;
    file_ << fmt::format(
        "{},{},{},{},{},{},{},{:.2f},{:.2f},{},{:.4f},{:.4f},{:.4f},{:.4f},{:.4f},"
        "{:.4f},{:.4f},{:.0f},{:.4f},{:.4f},{}\n",
        suite, r.mesh, r.vertices, r.tets, r.method, r.linear, r.threads, r.iterations,
        r.linear_iterations, r.fixes, r.iteration, r.assembly, r.setup, r.solve, r.evaluation,
        r.step, r.clock, r.bytes / tets, share, ratio, r.solved ? 1 : 0);
    file_.flush();
  }

 private:
  Roofline roofline_;
  std::ofstream file_;
};

// All take turns; the first round only warms up.
std::vector<BenchResult> measure_in_turns(std::vector<BenchCandidate>& candidates,
                                          int repetitions) {
  for (int k = 0; k <= repetitions; ++k) {
    for (BenchCandidate& c : candidates) c.measure(k > 0);
  }
  std::vector<BenchResult> results;
  for (const BenchCandidate& c : candidates) results.push_back(c.result());
  return results;
}

Scene bench_scene(const std::string& name, std::vector<std::string> settings = {}) {
  return load_scene(bench_scenes() / (name + ".toml"), {.settings = std::move(settings)});
}

// One step of every implicit method; the ratio is that of an iteration to backward Euler's.
void methods_suite(BenchTable& table, const BenchOptions& options) {
  std::vector<std::string> names = options.methods;
  if (names.empty()) {
    for (const Method& m : lilyan::methods()) {
      if (make_scheme(m.name).solve == SolveKind::minimisation) names.push_back(m.name);
    }
  }
  table.head("methods: one step from the scene's start", "vs BE");
  for (const char* mesh : {"bar-330", "bar-2000", "bar-3784", "bar-4961", "bunny", "bunny-1839"}) {
    const Scene scene = bench_scene(mesh);
    std::vector<BenchCandidate> candidates;
    for (const std::string& m : names) {
      candidates.emplace_back(scene, mesh, make_scheme(m), BenchSetup{});
    }
    const auto results = measure_in_turns(candidates, options.repetitions);
    double euler = 0;
    for (const BenchResult& r : results) {
      if (r.method.starts_with("backward-euler")) euler = r.iteration;
    }
    for (const BenchResult& r : results) {
      table.row("methods", r, euler > 0 ? r.iteration / euler : 0);
    }
  }
}

// A few steps of AVF with each linear solver; the ratio is that of a step to the best fixed choice.
void linear_suite(BenchTable& table, const BenchOptions& options) {
  table.head("linear solvers: five steps of AVF", "vs best");
  for (const char* mesh : {"bar-330", "bunny", "bunny-1839", "bar-4961", "soft", "stiff", "slender",
                           "incompressible"}) {
    const Scene scene = bench_scene(mesh);
    std::vector<BenchCandidate> candidates;
    for (const LinearChoice choice :
         {LinearChoice::automatic, LinearChoice::pcg, LinearChoice::cholesky}) {
      candidates.emplace_back(scene, mesh, make_scheme("avf"),
                              BenchSetup{.linear = choice, .steps = 5});
    }
    auto results = measure_in_turns(candidates, std::max(1, options.repetitions / 5));
    results[0].linear = fmt::format("auto ({})", results[0].linear.substr(0, 7));
    double best = results[1].solved ? results[1].step : results[2].step;
    if (results[2].solved) best = std::min(best, results[2].step);
    for (const BenchResult& r : results) table.row("linear", r, r.step / best);
  }
}

// The same bar in finer and finer tets; the ratio is the exponent of the time a step takes, from
// the size before.
void growth_suite(BenchTable& table, const BenchOptions& options) {
  table.head("growth: one bar in ever finer tets, two steps of AVF", "power");
  BenchResult last;
  for (const int cells : {4, 6, 10, 15, 22, 35}) {
    const std::string text = fmt::format("[{},{},{}]", 4 * cells, cells, cells);
    const double memory = memory_in_use();
    const Scene scene = bench_scene("growth", {"body.0.shape.cells=" + text});
    std::vector<BenchCandidate> candidates;
    candidates.emplace_back(scene, fmt::format("bar-{}", 4 * cells), make_scheme("avf"),
                            BenchSetup{.steps = 2});
    BenchResult r =
        measure_in_turns(candidates, std::min(options.repetitions, cells < 20 ? 5 : 1))[0];
    r.bytes = memory_in_use() - memory;  // the scene's too
    const double power =
        last.tets > 0 ? std::log(r.step / last.step) /
                            std::log(static_cast<double>(r.tets) / static_cast<double>(last.tets))
                      : 0;
    table.row("growth", r, power);
    last = r;
  }
}

// Violent starts, stretched and twisted so that elements turn inside out: twenty steps as a peer would ask
// for them, to 1e-6, and AVF to the last digits as well. The ratio is that of a step to backward Euler's.
void violent_suite(BenchTable& table, const BenchOptions& options) {
  table.head("violent: twenty steps from a strongly deformed start", "vs BE");
  for (const char* mesh : {"bar-2k", "bunny-1839", "bunny", "bar-12k", "bar-24k"}) {
    const Scene scene = bench_scene(fmt::format("violent-{}", mesh));
    std::vector<BenchCandidate> candidates;
    for (const auto& [method, tolerance] :
         {std::pair{"backward-euler", 1e-6}, std::pair{"avf", 1e-6}, std::pair{"avf", 0.0}}) {
      Scheme scheme = make_scheme(method);
      scheme.label = tolerance > 0 ? fmt::format("{} {:.0e}", method, tolerance) : method;
      candidates.emplace_back(scene, mesh, scheme, BenchSetup{.steps = 20, .tolerance = tolerance});
    }
    const auto results = measure_in_turns(candidates, std::max(1, options.repetitions / 3));
    for (const BenchResult& r : results) table.row("violent", r, r.step / results[0].step);
  }
}

// What angular momentum costs beside energy, on soft bodies and on ones as stiff as real ones. The ratio is that of
// a step to AVF's.
void momentum_suite(BenchTable& table, const BenchOptions& options) {
  table.head("momentum: twenty steps that keep angular momentum as well", "vs AVF");
  for (const char* mesh : {"bunny", "bunny-1839", "violent-bar-2k", "violent-bunny-1839",
                           "violent-bunny", "violent-bar-12k", "rubber", "steel"}) {
    const Scene scene = bench_scene(mesh);
    std::vector<BenchCandidate> candidates;
    for (const char* method : {"avf", "energy-momentum"}) {
      candidates.emplace_back(scene, mesh, make_scheme(method), BenchSetup{.steps = 20});
    }
    const auto results = measure_in_turns(candidates, std::max(1, options.repetitions / 5));
    for (const BenchResult& r : results) table.row("momentum", r, r.step / results[0].step);
  }
}

// The whole run of the bunny as its scene has it. The ratio is that of a step to backward Euler's.
void runs_suite(BenchTable& table, const BenchOptions& options) {
  table.head("runs: all frames of the bunny, to the scene's own tolerance", "vs BE");
  const Scene scene = load_scene(shipped_scenes() / "bunny.toml");
  std::vector<BenchCandidate> candidates;
  for (const char* method : {"backward-euler", "avf"}) {
    candidates.emplace_back(scene, scene.name, make_scheme(method),
                            BenchSetup{.steps = scene.settings.steps, .tolerance = 0});
  }
  const auto results = measure_in_turns(candidates, std::max(1, options.repetitions / 10));
  for (const BenchResult& r : results) table.row("runs", r, r.step / results[0].step);
}

// The ratio is how many times faster than one thread; results have to be the same to the bit.
void threads_suite(BenchTable& table, const BenchOptions& options) {
  const int most = std::max(2, static_cast<int>(std::thread::hardware_concurrency()));
  table.head("threads: five steps of AVF", "speedup");
  for (const int cells : {9, 10, 14}) {
    const std::string text = fmt::format("[{},{},{}]", 4 * cells, cells, cells);
    const Scene scene = bench_scene("growth", {"body.0.shape.cells=" + text});
    const std::string mesh = fmt::format("bar-{}", 4 * cells);
    std::vector<BenchCandidate> candidates;
    for (const int count : {1, most}) {
      candidates.emplace_back(scene, mesh, make_scheme("avf"),
                              BenchSetup{.threads = count, .steps = 5});
    }
    const auto results = measure_in_turns(candidates, std::max(1, options.repetitions / 4));
    for (const BenchResult& r : results) table.row("threads", r, results[0].clock / r.clock);
    if (candidates[0].state().x != candidates[1].state().x) {
      throw Error(fmt::format("{}: {} threads gave another result than one", mesh, most));
    }
  }
}

// Steps of explicit methods; the ratio is nanoseconds per tet and step.
void explicit_suite(BenchTable& table, const BenchOptions& options) {
  table.head("explicit: a few thousand steps", "ns/tet");
  const Scene rod = load_scene(shipped_scenes() / "rod.toml");
  const Scene bar = bench_scene("bar-4961", {"integrator.step=1e-4"});
  for (const auto& [scene, steps] : {std::pair{&rod, 20000}, std::pair{&bar, 300}}) {
    for (const char* method : {"symplectic-euler", "stoermer-verlet"}) {
      std::vector<BenchCandidate> candidates;
      candidates.emplace_back(*scene, scene->name, make_scheme(method), BenchSetup{.steps = steps});
      const BenchResult r = measure_in_turns(candidates, std::max(1, options.repetitions / 2))[0];
      table.row("explicit", r, 1e6 * r.step / static_cast<double>(r.tets));
    }
  }
}

}  // namespace

int bench(const BenchOptions& options) {
  for (const std::string& m : options.methods) {
    if (make_scheme(m).solve == SolveKind::explicit_) {
      throw InputError({m}, "this method is explicit: it has no Newton iterations to time");
    }
  }
  const std::filesystem::path csv =
      options.csv.empty() ? bench_scenes().parent_path() / "results" / (machine_name() + ".csv")
                          : std::filesystem::path(options.csv);
  BenchTable table(csv);
  const auto wanted = [&](std::string_view suite) {
    return options.suites.empty()
               ? suite == "methods" || suite == "linear" || suite == "explicit" ||
                     suite == "violent"
               : std::ranges::find(options.suites, suite) != options.suites.end();
  };
  const std::pair<std::string_view, void (*)(BenchTable&, const BenchOptions&)> suites[] = {
      {"methods", methods_suite}, {"linear", linear_suite},     {"explicit", explicit_suite},
      {"violent", violent_suite}, {"momentum", momentum_suite}, {"runs", runs_suite},
      {"threads", threads_suite}, {"growth", growth_suite},
  };
  for (const auto& [name, run_suite] : suites) {
    if (!wanted(name)) continue;
    run_suite(table, options);
    fmt::print("\n");
  }
  fmt::print("table in {}\n", csv.string());
  return cli::kDone;
}

}  // namespace lilyan::bench
