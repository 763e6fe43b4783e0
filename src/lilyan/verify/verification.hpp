// Every claim of a method against measurement.
//
//   for (const Check& check : verify(make_scheme("avf")).checks) ...
#pragma once

#include <string>
#include <vector>

#include "lilyan/method/method.hpp"

namespace lilyan {

struct Check {
  std::string property;  // "order on henon-heiles"
  std::string claimed;
  std::string measured;
  bool passed = false;
};

// The kinds of checks. A claim fails when the method has less than it says, and also when it has
// more.
[[nodiscard]] Check check_order_conditions(const Scheme& scheme);
[[nodiscard]] std::vector<Check> check_order(const Scheme& scheme);
[[nodiscard]] Check check_forced_order(const Scheme& scheme);
[[nodiscard]] std::vector<Check> check_symplectic(const Scheme& scheme);
[[nodiscard]] Check check_symmetric(const Scheme& scheme);
[[nodiscard]] std::vector<Check> check_momenta(const Scheme& scheme);
[[nodiscard]] Check check_energy(const Scheme& scheme);

struct Verification {
  std::vector<Check> checks;
  [[nodiscard]] bool passed() const;
};
[[nodiscard]] Verification verify(const Scheme& scheme);

}  // namespace lilyan
