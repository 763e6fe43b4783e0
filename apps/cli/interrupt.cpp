#include "interrupt.hpp"

#include <csignal>
#include <cstdio>

namespace lilyan::cli {
namespace {

volatile std::sig_atomic_t signals = 0;

void on_signal(int signal) {
  if (signals != 0) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  signals = 1;
}

}  // namespace

void catch_interrupts() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  std::signal(SIGPIPE, SIG_IGN);
}

bool interrupted() { return signals != 0; }

void tell(const std::string& text) { std::fputs(text.c_str(), stderr); }

}  // namespace lilyan::cli
