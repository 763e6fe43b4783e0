#include "app/cli/interrupt.hpp"

#include <csignal>
#include <cstdio>

namespace lilyan::cli {
namespace {

std::atomic<bool> caught = false;
static_assert(std::atomic<bool>::is_always_lock_free, "handlers of signals may not wait");

void on_signal(int signal) {
  if (caught.exchange(true)) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

}  // namespace

void catch_interrupts() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  std::signal(SIGPIPE, SIG_IGN);
}

bool interrupted() { return caught; }
const std::atomic<bool>* interrupt_flag() { return &caught; }

void tell(const std::string& text) { std::fputs(text.c_str(), stderr); }

}  // namespace lilyan::cli
