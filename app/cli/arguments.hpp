// Helpers that describe the arguments of commands. Only the files that describe commands include this, because
// CLI11 takes seconds to compile.
#pragma once

#include <CLI/CLI.hpp>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/commands.hpp"

namespace lilyan::cli {

inline constexpr int kMostInt = std::numeric_limits<int>::max();

// Adds a command whose options live as long as the parser. Its exit code is stored when it was run.
template <class Options>
std::pair<CLI::App*, Options&> add_command(CLI::App& app, const std::string& name,
                                           const std::string& help, int (*command)(const Options&),
                                           int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* added = app.add_subcommand(name, help);
  added->callback([options, command, &exit_code] { exit_code = command(*options); });
  return {added, *options};
}
void add_settings(CLI::App& command, std::vector<std::string>& settings, const std::string& help,
                  const std::string& type = "KEY=VALUE");
CLI::Option* add_scene(CLI::App& command, SceneOptions& options);
// Shared objects with methods and materials of the user's own, loaded before the command is run.
void add_plugins(CLI::App& command);
void add_steps(CLI::App& command, std::optional<int>& steps);
CLI::Option* add_port(CLI::App& command, std::optional<int>& port);
template <class Count>
void add_threads(CLI::App& command, Count& threads, const std::string& help) {
  command.add_option("--threads", threads, help)->check(CLI::Range(0, 1024));
}

}  // namespace lilyan::cli
