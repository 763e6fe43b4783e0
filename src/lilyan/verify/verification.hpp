// Every claim of a method against measurement.
//
//   for (const Check& check : verify(make_scheme("avf")).checks) ...
#pragma once

#include <optional>
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
// Of what is exact, on a stiff body.
[[nodiscard]] Check check_stiff(const Scheme& scheme);

struct Verification {
  std::vector<Check> checks;
  [[nodiscard]] bool passed() const;
};
[[nodiscard]] Verification verify(const Scheme& scheme);

// The order of a method from its coefficients alone (order_conditions.cpp). Orders up to `most` are
// told apart; nothing for methods that are not given by coefficients.
[[nodiscard]] std::optional<int> order_by_conditions(const Scheme& scheme, int most = 9);

}  // namespace lilyan
