// Ctrl-C and the like, and words on standard error.
#pragma once

#include <string>

namespace lilyan::cli {

// The first signal ends a run after the step at hand, with everything written; the second the
// program at once.
void catch_interrupts();
[[nodiscard]] bool interrupted();

// Standard error may be gone (a closed pipe, a full disk); that must not end a run.
void tell(const std::string& text);

}  // namespace lilyan::cli
