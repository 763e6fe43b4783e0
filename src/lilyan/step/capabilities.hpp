// What a method can do with a system.
#pragma once

#include <optional>
#include <string>

#include "lilyan/method/method.hpp"
#include "lilyan/model/system.hpp"

namespace lilyan {

// The least number of Gauss points that integrate all forces of the system exactly along a straight path, at
// least two; none where some force is not a polynomial there.
[[nodiscard]] std::optional<int> exact_points(const System& system);

// Whether the method takes as many points for a mean as each step needs.
[[nodiscard]] bool chooses_points(const Scheme& scheme);

// Whether it can step a system that several processes share.
[[nodiscard]] bool runs_on_ranks(const Scheme& scheme);

// Why the method cannot step this system ("newmark(…) cannot keep constraints; …"); empty when it
// can.
[[nodiscard]] std::string reason_unsupported(const System& system, const Scheme& scheme);

}  // namespace lilyan
