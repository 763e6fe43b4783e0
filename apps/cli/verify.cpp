#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
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

// "stages=3", "base=avf" as parameters of the method; what is not a number is a word.
Parameters parse(const Method& method, const std::vector<std::string>& settings) {
  Parameters parameters;
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw InputError({"--set " + setting}, "a setting is written parameter=value");
    }
    const std::string name = setting.substr(0, equals);
    const std::string value = setting.substr(equals + 1);
    char* end = nullptr;
    const double number = std::strtod(value.c_str(), &end);
    if (!value.empty() && *end == 0) {
      parameters.set(name, number);
    } else {
      parameters.set(name, value);
    }
  }
  try {
    (void)make_scheme(method.name, parameters);
  } catch (const ParameterError& error) {
    throw InputError({method.name}, error.what());
  }
  return parameters;
}

std::vector<VerifiedScheme> wanted_schemes(const VerifyOptions& options) {
  if (options.method.empty()) {
    std::vector<VerifiedScheme> all;
    for (const Method& method : lilyan::methods()) {
      all.push_back({&method, make_scheme(method.name), {}, 0});
      for (const Parameters& p : method.variants) {
        all.push_back({&method, make_scheme(method.name, p), {}, 0});
      }
    }
    return all;
  }
  const Method* method = find_method(options.method);
  if (!method) {
    throw InputError({options.method}, "there is no method of this name" +
                                           suggestion(options.method, method_names()));
  }
  const Parameters chosen = parse(*method, options.settings);
  std::vector<VerifiedScheme> all = {{method, make_scheme(method->name, chosen), {}, 0}};
  if (!options.settings.empty()) return all;
  for (const Parameters& p : method->variants) {
    all.push_back({method, make_scheme(method->name, p), {}, 0});
  }
  return all;
}

// Median time of a step, the second from the scene's start: the first of a multistep method is not
// its own.
// What an explicit step costs does not depend on its length, which is taken short enough to be
// stable.
double step_seconds(const Scene& scene, const Scheme& scheme) {
  const auto integrator = make_integrator(*scene.system, scheme, scene.solver);
  const double h = scheme.solve == SolveKind::explicit_ ? 1e-4 * scene.step : scene.step;
  std::vector<double> times;
  for (int k = 0; k < 12; ++k) {
    State state = scene.initial;
    const bool first = succeeded(integrator->step(state, h).status);
    const auto start = std::chrono::steady_clock::now();
    const bool second = succeeded(integrator->step(state, h).status);
    if (!first || !second) return 0;
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

int verify(const VerifyOptions& options) {
  if (options.method.empty() && !options.settings.empty()) {
    throw InputError({"--set " + options.settings.front()}, "name the method that this is of");
  }
  if (!options.method.empty() && !options.page.empty()) {
    throw InputError({"--page " + options.page}, "the page is of all methods: give no method");
  }
  std::vector<VerifiedScheme> all = wanted_schemes(options);
  std::ofstream file;
  if (!options.page.empty()) {
    file.open(options.page, std::ios::app);  // to see at once whether that is possible
    if (!file) throw Error(fmt::format("cannot write {}", options.page));
  }
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
  if (file.is_open()) {
    time_steps(all);
    file.close();
    file.open(options.page, std::ios::trunc);
    file << method_page(all);
    file.flush();
    if (!file) throw Error(fmt::format("cannot write {}", options.page));
  }
  if (failed == 0) return kDone;
  std::fputs(fmt::format("error: {} of the above are not as claimed\n", failed).c_str(), stderr);
  return kStopped;
}

}  // namespace lilyan::cli
