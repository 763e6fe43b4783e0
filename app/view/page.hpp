#pragma once

#include <string_view>

namespace lilyan::view {

// The page of the live view, one file of HTML; embedded when the program is built.
[[nodiscard]] std::string_view page();

}  // namespace lilyan::view
