// lilyan verify: measures what methods claim. Pages of methods and materials, as Markdown.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "app/cli/commands.hpp"
#include "app/pages/pages.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/control/make_integrator.hpp"
#include "lilyan/method/method.hpp"

namespace lilyan::cli {
namespace {

// Parameters of the method from "stages=3", "base=avf". A value that is not a number is a word.
Parameters parse_parameters(const Method& method, const std::vector<std::string>& settings) {
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
  const Parameters chosen = parse_parameters(*method, options.settings);
  std::vector<VerifiedScheme> all = {{method, make_scheme(method->name, chosen), {}, 0}};
  if (!options.settings.empty()) return all;
  for (const Parameters& p : method->variants) {
    all.push_back({method, make_scheme(method->name, p), {}, 0});
  }
  return all;
}

// Times the second step from the scene's start: the first step of a multistep method is taken by
// another method. An explicit step costs the same for any length, so its length is short enough to be
// stable.
class StepTimer {
 public:
  StepTimer(const Scene& scene, const Scheme& scheme)
      : scene_(scene),
        h_(scheme.solve == SolveKind::explicit_ ? 1e-4 * scene.settings.step : scene.settings.step),
        integrator_(make_integrator(*scene.system, scheme, scene.settings.solver)) {}

  void measure() {
    State state = scene_.initial;
    failed_ = failed_ || !succeeded(integrator_->step(state, h_).status);
    const auto start = std::chrono::steady_clock::now();
    failed_ = failed_ || !succeeded(integrator_->step(state, h_).status);
    times_.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  // Zero when a step failed.
  [[nodiscard]] double median() {
    std::ranges::sort(times_);
    return failed_ ? 0 : times_[times_.size() / 2];
  }

 private:
  const Scene& scene_;
  double h_;
  std::unique_ptr<Integrator> integrator_;
  std::vector<double> times_;
  bool failed_ = false;
};

void time_steps(std::vector<VerifiedScheme>& all) {
  const Scene scene = load_scene(bench_scenes() / "bar-330.toml");
  for (VerifiedScheme& v : all) {
    // In turns with backward Euler, since the machine's speed changes from second to second.
    StepTimer euler(scene, make_scheme("backward-euler"));
    StepTimer own(scene, v.scheme);
    for (int k = 0; k < 25; ++k) {
      euler.measure();
      own.measure();
    }
    v.relative_time = own.median() / euler.median();
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

int write_material_page(const std::string& name) {
  std::ofstream file(name);
  file << material_page() << std::flush;
  if (!file) throw Error(fmt::format("cannot write {}", name));
  return kDone;
}

}  // namespace lilyan::cli
