// Ctrl-C and the like, and words on standard error.
#pragma once

#include <atomic>
#include <string>

namespace lilyan::cli {

// The first signal ends a run, with everything up to the last finished step written; the second the
// program at once.
void catch_interrupts();
[[nodiscard]] bool interrupted();
// The same, for runs to look at within their steps.
[[nodiscard]] const std::atomic<bool>* interrupt_flag();

// Standard error may be gone (a closed pipe, a full disk); that must not end a run.
void tell(const std::string& text);

}  // namespace lilyan::cli
