// All schemes the tests loop over: every method of the registry with its defaults, and variants of
// those with parameters.
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

inline std::vector<Scheme> all_schemes() {
  std::vector<Scheme> all;
  for (const Method& m : methods()) all.push_back(make_scheme(m.name));
  for (const double alpha : {0.0, 0.25, 0.75, 1.0}) {
    all.push_back(make_scheme("hp", parameters({{"alpha", alpha}})));
  }
  for (const auto& [beta, gamma] : {std::pair{0.3, 0.6}, {0.15, 0.5}, {0.5, 0.6}, {0.25, 0.45}}) {
    all.push_back(make_scheme("newmark", parameters({{"beta", beta}, {"gamma", gamma}})));
  }
  for (const double points : {1.0, 3.0}) {
    all.push_back(make_scheme("avf", parameters({{"points", points}})));
  }
  all.push_back(make_scheme("avf", parameters({{"quadrature", std::string("simpson")}})));
  all.push_back(
      make_scheme("energy-momentum", parameters({{"predictor", std::string("constant")}})));
  all.push_back(make_scheme("discrete-gradient", parameters({{"predictor", std::string("avf")}})));
  return all;
}

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
