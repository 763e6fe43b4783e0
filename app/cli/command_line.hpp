// The program as a function of its arguments, so that several executables can share it: `lilyan` with all commands,
// `lilyan-run`, which the launcher builds first because it needs neither the live view nor the tools, and `lilyan-bench`.
#pragma once

#include "app/cli/commands.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
}

namespace lilyan::cli {

// The parts of an executable beyond the commands for running scenes.
struct Extras {
  void (*add_commands)(CLI::App& app, int& exit_code) = nullptr;
  ServeRun serve_run = nullptr;
  int (*run)(const RunOptions& options) = cli::run;
};
// Runs the command that the arguments name and returns its exit code. Errors become messages.
int run_program(int argc, char** argv, const Extras& extras);

}  // namespace lilyan::cli
