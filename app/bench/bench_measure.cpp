#include "app/bench/bench_measure.hpp"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <ctime>
#include <fstream>
#include <thread>

#include "lilyan/control/make_integrator.hpp"
#include "lilyan/parallel/threads.hpp"

namespace lilyan::bench {

namespace {

// Milliseconds of processor time, of all threads together.
double processor_time() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

}  // namespace

double memory_in_use() {
#ifdef __GLIBC__
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
#else
  return 0;
#endif
}

std::string machine_name() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  std::string model = "unknown";
  while (std::getline(file, line)) {
    if (!line.starts_with("model name")) continue;
    model = line.substr(std::min(line.size(), line.find(':') + 2));
    break;
  }
  std::string name;
  for (const char c : model) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  while (name.ends_with('-')) name.pop_back();
  return fmt::format("{}-{}core", name, std::thread::hardware_concurrency());
}

BenchCandidate::BenchCandidate(const Scene& scene, const std::string& mesh, const Scheme& scheme,
                               const BenchSetup& setup)
    : scene_(scene), steps_(setup.steps) {
  result_.mesh = mesh;
  result_.method = scheme.label;
  result_.threads = setup.threads;
  result_.vertices = static_cast<std::size_t>(scene.system->vertices());
  result_.tets = scene.bodies().tets.size();
  SolverOptions options = scene.settings.solver;
  if (setup.tolerance > 0) {
    options.energy_tolerance = setup.tolerance;
    options.velocity_tolerance = setup.tolerance;
  }
  options.newton.linear = setup.linear;
  const double before = memory_in_use();
  integrator_ = make_integrator(*scene.system, scheme, options);
  state_ = scene.initial;
  result_.bytes = memory_in_use() - before;
}

void BenchCandidate::measure(bool count) {
  using Clock = std::chrono::steady_clock;
  set_threads(result_.threads);
  state_ = scene_.initial;
  const double memory = memory_in_use();
  const NewtonTimes before = integrator_->times();
  const Clock::time_point start = Clock::now();
  const double processor_start = processor_time();
  long iterations = 0;
  long linear_iterations = 0;
  result_.fixes = 0;
  int done = 0;
  for (int k = 0; k < steps_; ++k) {
    const StepReport report = integrator_->step(state_, scene_.settings.step);
    iterations += report.solver_work.iterations;
    linear_iterations += report.solver_work.linear_iterations;
    result_.fixes += report.solver_work.definiteness_fixes;
    if (!succeeded(report.status)) {
      result_.solved = false;
      break;
    }
    ++done;
  }
  const double ms = processor_time() - processor_start;
  const double clock = 1e3 * std::chrono::duration<double>(Clock::now() - start).count();
  const NewtonTimes after = integrator_->times();
  set_threads(1);
  // Memory that the first step allocates stays in use.
  result_.bytes += std::max(0.0, memory_in_use() - memory);
  const double n = static_cast<double>(std::max(1L, iterations));
  const double steps = std::max(1, done);
  result_.iterations = static_cast<double>(iterations) / steps;
  result_.linear_iterations = static_cast<double>(linear_iterations) / n;
  result_.linear = integrator_->linear_solver();
  if (!count) return;
  samples_.push_back({1e3 * (after.assembly - before.assembly) / n,
                      1e3 * (after.factorisation - before.factorisation) / n,
                      1e3 * (after.solve - before.solve) / n,
                      1e3 * (after.evaluation - before.evaluation) / n, ms / n, ms / steps,
                      clock / steps,
                      1e3 * (after.assembly - before.assembly) /
                          static_cast<double>(std::max(1L, after.hessians - before.hessians))});
}

BenchResult BenchCandidate::result() const {
  BenchResult r = result_;
  const auto median = [&](double Sample::*field) {
    std::vector<double> values;
    for (const Sample& s : samples_) values.push_back(s.*field);
    std::ranges::sort(values);
    const std::size_t half = values.size() / 2;
    if (values.empty()) return 0.0;
    return values.size() % 2 ? values[half] : 0.5 * (values[half - 1] + values[half]);
  };
  r.assembly = median(&Sample::assembly);
  r.setup = median(&Sample::setup);
  r.solve = median(&Sample::solve);
  r.evaluation = median(&Sample::evaluation);
  r.iteration = median(&Sample::iteration);
  r.step = median(&Sample::step);
  r.clock = median(&Sample::clock);
  r.hessian = median(&Sample::hessian);
  return r;
}

}  // namespace lilyan::bench
