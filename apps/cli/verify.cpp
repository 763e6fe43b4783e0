#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "commands.hpp"
#include "lilyan/core/error.hpp"
#include "lilyan/integrate/integrator.hpp"
#include "lilyan/method/method.hpp"
#include "lilyan/scene/scene.hpp"
#include "lilyan/verify/method_page.hpp"
#include "lilyan/verify/verification.hpp"

namespace lilyan::cli {
namespace {

std::vector<VerifiedScheme> wanted_schemes(const std::string& wanted) {
  std::vector<VerifiedScheme> all;
  for (const Method& method : lilyan::methods()) {
    if (!wanted.empty() && find_method(wanted) != &method) continue;
    all.push_back({&method, make_scheme(method.name), {}, 0});
    for (const Parameters& p : method.variants) {
      all.push_back({&method, make_scheme(method.name, p), {}, 0});
    }
  }
  if (all.empty()) {
    throw InputError({wanted},
                     "there is no method of this name" + suggestion(wanted, method_names()));
  }
  return all;
}

// Median time of a step, the second from the scene's start: the first of a multistep method is not
// its own.
double step_seconds(const Scene& scene, const Scheme& scheme) {
  const auto integrator = make_integrator(*scene.system, scheme, scene.solver);
  std::vector<double> times;
  for (int k = 0; k < 12; ++k) {
    State state = scene.initial;
    (void)integrator->step(state, scene.step);
    const auto start = std::chrono::steady_clock::now();
    (void)integrator->step(state, scene.step);
    times.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::ranges::sort(times);
  return times[times.size() / 2];
}

void time_steps(std::vector<VerifiedScheme>& all) {
  const Scene scene = load_scene(std::filesystem::path(LILYAN_BENCH) / "bar-330.toml");
  for (VerifiedScheme& v : all) {
    // Beside its own backward Euler each, since the machine's speed changes over minutes.
    const double euler = step_seconds(scene, make_scheme("backward-euler"));
    v.relative_time = step_seconds(scene, v.scheme) / euler;
  }
}

}  // namespace

int verify(const std::string& wanted, const std::string& page) {
  std::vector<VerifiedScheme> all = wanted_schemes(wanted);
  int failed = 0;
  for (VerifiedScheme& v : all) {
    v.verification = lilyan::verify(v.scheme);
    fmt::print("{}: {}\n", v.scheme.label,
               v.verification.passed() ? "every claim holds" : "NOT AS CLAIMED");
    for (const Check& check : v.verification.checks) {
      fmt::print("  {} {:<31} claimed {:<11} measured {}\n", check.passed ? "ok  " : "FAIL",
                 check.property, check.claimed, check.measured);
    }
    std::fflush(stdout);
    failed += !v.verification.passed();
  }
  if (!page.empty()) {
    time_steps(all);
    std::ofstream file(page);
    file << method_page(all);
    file.flush();
    if (!file) throw Error(fmt::format("cannot write {}", page));
  }
  if (failed == 0) return kDone;
  std::fputs(fmt::format("error: {} of the above are not as claimed\n", failed).c_str(), stderr);
  return kStopped;
}

}  // namespace lilyan::cli
