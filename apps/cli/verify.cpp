#include <fmt/format.h>

#include <cstdio>

#include "commands.hpp"
#include "lilyan/core/error.hpp"
#include "lilyan/method/method.hpp"
#include "lilyan/verify/verification.hpp"

namespace lilyan::cli {
namespace {

std::vector<Scheme> wanted_schemes(const std::string& wanted) {
  if (wanted.empty()) return schemes_to_verify();
  const Method* method = find_method(wanted);
  if (!method) {
    throw InputError({wanted},
                     "there is no method of this name" + suggestion(wanted, method_names()));
  }
  std::vector<Scheme> schemes = {make_scheme(method->name)};
  for (const Parameters& p : method->variants) schemes.push_back(make_scheme(method->name, p));
  return schemes;
}

}  // namespace

int verify(const std::string& wanted) {
  int failed = 0;
  for (const Scheme& scheme : wanted_schemes(wanted)) {
    const Verification result = lilyan::verify(scheme);
    fmt::print("{}: {}\n", scheme.label, result.passed() ? "every claim holds" : "NOT AS CLAIMED");
    for (const Check& check : result.checks) {
      fmt::print("  {} {:<31} claimed {:<11} measured {}\n", check.passed ? "ok  " : "FAIL",
                 check.property, check.claimed, check.measured);
    }
    std::fflush(stdout);
    failed += !result.passed();
  }
  if (failed == 0) return kDone;
  std::fputs(fmt::format("error: {} of the above are not as claimed\n", failed).c_str(), stderr);
  return kStopped;
}

}  // namespace lilyan::cli
