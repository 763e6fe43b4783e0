#pragma once

#include <string_view>

namespace lilyan {

// "0.1.0"
[[nodiscard]] std::string_view version();
// The commit the program was built from, "-dirty" appended when files were changed; "unknown"
// outside a git checkout.
[[nodiscard]] std::string_view commit();

}  // namespace lilyan
