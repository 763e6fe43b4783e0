// The table of TR-BDF2, with which BDF2 starts.
#pragma once

#include "lilyan/method/method.hpp"

namespace lilyan {
[[nodiscard]] MinimisationTable tr_bdf2_table();
}  // namespace lilyan
