// The page that lists all methods with what they claim and what was measured (docs/methods.md).
#pragma once

#include <string>
#include <vector>

#include "lilyan/method/method.hpp"
#include "lilyan/verify/verification.hpp"

namespace lilyan {

// A scheme of a method, its verification, and the time of its step relative to backward Euler's.
struct VerifiedScheme {
  const Method* method;
  Scheme scheme;
  Verification verification;
  double relative_time = 0;
};

// The beginning of a method's row: its name and claims, which no measurement changes.
[[nodiscard]] std::string method_row(const Method& method);
// "1 minimisation", "3 forces", "2 solves (predictor, stages)"
[[nodiscard]] std::string describe_cost(const Scheme& scheme);
// The whole page, as Markdown.
[[nodiscard]] std::string method_page(const std::vector<VerifiedScheme>& all);

}  // namespace lilyan
