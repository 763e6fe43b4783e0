#pragma once

#include <string_view>

namespace lilyan {

// "0.1.0"
[[nodiscard]] std::string_view version();
// The commit the program was built from, "-dirty" appended when files were changed; "unknown"
// outside a git checkout.
[[nodiscard]] std::string_view commit();
// "GNU 12.2.0", and the options that can change the bits of results: "Release -march=native …".
[[nodiscard]] std::string_view compiler();
[[nodiscard]] std::string_view compiler_flags();
// All of these. Only programs with the same are expected to give the same bits.
[[nodiscard]] std::string_view build_id();

}  // namespace lilyan
