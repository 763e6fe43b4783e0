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

// Why the method cannot step this system ("newmark(…) cannot keep constraints; …"); empty when it
// can.
[[nodiscard]] std::string reason_unsupported(const System& system, const Scheme& scheme);

}  // namespace lilyan
