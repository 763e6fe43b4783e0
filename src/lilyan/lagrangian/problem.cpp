#include <fmt/format.h>

#include <cmath>

#include "lilyan/all_problems.hpp"  // generated: one line per file of this folder
#include "lilyan/lagrangian/problem.hpp"

namespace lilyan {

const std::vector<Problem>& problems() {
  static const std::vector<Problem> all = all_problems();
  return all;
}

const Problem* find_problem(std::string_view name) {
  for (const Problem& p : problems()) {
    if (p.name == name) return &p;
  }
  return nullptr;
}

ProblemInstance make_problem(std::string_view name, const Parameters& given) {
  const Problem* found = find_problem(name);
  if (!found) {
    std::vector<std::string> names;
    for (const Problem& p : problems()) names.push_back(p.name);
    throw ParameterError("kind",
                         fmt::format("unknown system '{}'{}", name, suggestion(name, names)));
  }
  return found->make(given.completed(found->parameters));
}

double positive(const Parameters& given, const std::string& name) {
  const double value = given.number(name);
  if (!(value > 0) || !std::isfinite(value)) {
    throw ParameterError(name, fmt::format("{} must be positive, not {}", name, value));
  }
  return value;
}

}  // namespace lilyan
