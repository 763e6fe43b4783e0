// All schemes the tests loop over.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <initializer_list>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "lilyan/method/method.hpp"

namespace lilyan {

// How GoogleTest prints a test's parameter.
inline void PrintTo(const Scheme& scheme, std::ostream* out) { *out << scheme.label; }

namespace test {

inline Parameters parameters(
    std::initializer_list<std::pair<const std::string, ParameterValue>> values) {
  Parameters p;
  for (const auto& [name, value] : values) p.set(name, value);
  return p;
}

// Every method of the registry with its defaults, and the variants it wants verified.
inline std::vector<Scheme> all_schemes() { return schemes_to_verify(); }

// "hp(alpha=0.25)" to "hp_alpha_0_25": test names allow only letters, digits and underscores.
inline std::string test_name(const ::testing::TestParamInfo<Scheme>& info) {
  std::string name;
  for (const char c : info.param.label) {
    if (std::isalnum(static_cast<unsigned char>(c))) {
      name += c;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  return name;
}

}  // namespace test
}  // namespace lilyan
