// Small mechanical systems with a name: for scenes, for the verification of methods, for tests.
//
// A problem is one file of this folder with one function `Problem NAME()` in
// `namespace lilyan::problem`; the build finds it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lilyan/base/parameter.hpp"
#include "lilyan/model/state.hpp"
#include "lilyan/model/system.hpp"

namespace lilyan {

struct ProblemInstance {
  std::unique_ptr<System> system;
  State initial;
  std::vector<std::string> coordinates;  // a name for each degree of freedom
};

struct Problem {
  std::string name;
  std::string summary;  // one line
  std::string citation;
  std::vector<ParameterSpec> parameters;
  int dimension = 1;  // of its system
  // From completed parameters. Throws ParameterError for values out of range.
  ProblemInstance (*make)(const Parameters&);
};

// All problems, in alphabetical order of their files.
[[nodiscard]] const std::vector<Problem>& problems();
// Null when there is none of that name.
[[nodiscard]] const Problem* find_problem(std::string_view name);
// Looks up, completes the parameters and makes. Throws ParameterError.
[[nodiscard]] ProblemInstance make_problem(std::string_view name, const Parameters& given = {});

// Throws ParameterError unless the named parameter is positive and finite; returns it.
double positive(const Parameters& given, const std::string& name);

}  // namespace lilyan
