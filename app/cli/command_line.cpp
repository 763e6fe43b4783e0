#include "app/cli/command_line.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <optional>
#include <system_error>

#include "app/cli/arguments.hpp"
#include "app/cli/terminal.hpp"
#include "app/scene/load_plugin.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/base/parameter.hpp"
#include "lilyan/base/version.hpp"

namespace lilyan::cli {
void add_settings(CLI::App& command, std::vector<std::string>& settings, const std::string& help,
                  const std::string& type) {
  command.add_option("--set", settings, help)->type_name(type)->allow_extra_args(false);
}

void add_plugins(CLI::App& command) {
  command
      .add_option_function<std::vector<std::string>>(
          "--plugin",
          [](const std::vector<std::string>& files) {
            for (const std::string& file : files) load_plugin(file);
          },
          "a shared object with methods and materials of your own (examples/plugin); may be "
          "repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
}

CLI::Option* add_scene(CLI::App& command, SceneOptions& options) {
  add_plugins(command);
  CLI::Option* scene =
      command.add_option("scene", options.scene, "a scene file, or the name of one in scenes/")
          ->required();
  add_settings(command, options.settings,
               "change a setting of the scene: key=value, e.g. integrator.method=newmark or "
               "body.0.material.mu=800; may be repeated");
  command
      .add_option(
          "--from", options.start,
          "start from a frame of an earlier run of the same bodies or coordinates, at its "
          "time: the folder of the run, and the frame's number counted from 0 (default: the "
          "last)")
      ->type_name("RUN[:FRAME]");
  return scene;
}

void add_steps(CLI::App& command, std::optional<int>& steps) {
  command.add_option("--steps", steps, "number of steps, instead of the scene's")
      ->check(CLI::Range(0, kMostInt));
}

CLI::Option* add_port(CLI::App& command, std::optional<int>& port) {
  return command
      .add_option("--port", port, "port of the page (default: 8817, or the next one that is free)")
      ->check(CLI::Range(1, 65535));
}

namespace {

void add_run_command(CLI::App& app, const Extras& extras, int& exit_code) {
  const ServeRun serve = extras.serve_run;
  auto [command, options] =
      add_command(app, "run", "simulate a scene and write its results", extras.run, exit_code);
  CLI::Option* scene = add_scene(*command, options.scene)->required(false);
  CLI::Option* output = command->add_option(
      "-o,--output", options.output,
      "folder for the results (default: results/SCENE-METHOD, and what --set and --steps change)");
  command->add_flag("--overwrite", options.overwrite,
                    "replace what is in that folder, also another run or one that was interrupted");
  command
      ->add_option(
          "--resume", options.resume,
          "go on with the run whose results are in this folder, bit for bit as if it had not "
          "been interrupted; with --steps also with one that is finished; a run that was killed "
          "before its first "
          "checkpoint is refused")
      ->type_name("FOLDER")
      ->excludes(scene)
      ->excludes(output)
      ->excludes(command->get_option("--set"))
      ->excludes(command->get_option("--from"));
  command->add_option_function<int>(
      "--ranks",
      [](int ranks) {
        throw Error(
            fmt::format("--ranks is an option of the launcher: ./lilyan run … --ranks {0}; "
                        "without it, mpirun -n {0} lilyan-mpi run …",
                        ranks));
      },
      "processes that share the run, on MPI and PETSc; the launcher ./lilyan starts them "
      "(docs/scaling.md)");
  add_steps(*command, options.steps);
  add_threads(*command, options.threads,
              "threads that share the work on a large body; results do not depend on it "
              "(default: solver.threads of the scene, or one per core)");
  command->add_flag("-q,--quiet", options.quiet, "no progress, only the summary");
  command
      ->add_option(
          "--expect", options.expect,
          "conserved: end with exit code 4 if energy, a momentum or an invariant that the scene "
          "should keep was not kept; bounded: if one drifts")
      ->check(CLI::IsMember({"conserved", "bounded"}));
  if (!serve) return;
  options.serve = serve;
  CLI::Option* watched =
      command->add_flag("--view", options.view, "serve a page that shows the run");
  add_port(*command, options.port)->needs(watched);
}

void add_check_command(CLI::App& app, int& exit_code) {
  auto [command, options] =
      add_command(app, "check", "read a scene and say what is wrong in it", check, exit_code);
  add_scene(*command, options);
}

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  // The launcher's own, which are there too when the program is called by it.
  if (app.get_parent() == nullptr) names = {"test", "lint", "reproduce", "python", "docs"};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// "lilyan mesh info": how a command is called.
std::string full_name(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return (parent ? full_name(*parent) + " " : "") + app.get_name();
}

// The command that was asked for, as far as its name was understood.
const CLI::App& command_in(const CLI::App& app) {
  const std::vector<CLI::App*> asked = app.get_subcommands();
  return asked.empty() ? app : command_in(*asked.front());
}

// What is wrong with a word where a command should be; empty when there is none.
std::string unknown_command(const CLI::App& command) {
  const std::vector<std::string> words = command.remaining();
  const bool wanted = command.get_require_subcommand_min() > 0;
  if (!wanted || words.empty() || words[0].starts_with("-")) return {};
  const std::string name = command.get_parent() ? command.get_name() + " " : "";
  return fmt::format("there is no command '{}{}'{}", name, words[0],
                     suggestion(words[0], commands_of(command)));
}

// Of the commands beside this one, the option whose name is nearest to what was given: "lilyan run has '--steps'". Empty
// when none is near.
std::string near_elsewhere(const CLI::App& command, const std::string& name) {
  if (!command.get_parent()) return {};
  const std::vector<const CLI::App*> others =
      command.get_parent()->get_subcommands([](const CLI::App*) { return true; });
  std::vector<std::string> names;
  for (const CLI::App* other : others) {
    for (std::string& option : options_of(*other)) names.push_back(std::move(option));
  }
  const std::optional<std::string> near = nearest_name(name, names);
  const auto has_it = [&](const CLI::App* other) {
    return near && std::ranges::count(options_of(*other), *near) > 0;
  };
  const auto other = std::ranges::find_if(others, has_it);
  return other == others.end() ? "" : fmt::format("; {} has '{}'", full_name(**other), *near);
}

// What is wrong with the first option that the command does not have; empty when it has them all.
std::string unknown_option(const CLI::App& command) {
  const std::vector<std::string> words = command.remaining();
  const auto option = std::ranges::find_if(
      words, [](const std::string& word) { return word.starts_with("-") && word.size() > 1; });
  if (option == words.end()) return {};
  const std::string name = option->substr(0, option->find('='));
  const std::optional<std::string> near = nearest_name(name, options_of(command));
  return fmt::format(
      "{0} has no option '{1}'{2} ({0} --help lists its options)", full_name(command), name,
      near ? fmt::format("; did you mean '{}'?", *near) : near_elsewhere(command, name));
}

constexpr const char* kFooter =
    R"(The launcher ./lilyan, which installs what is missing and builds first, also has:
  test [ARGUMENTS]            build and run every test; arguments go to ctest (-R NAME runs some)
  test --sanitize             a part of them with address and undefined-behaviour sanitizers
  test --distributed          those of runs by several processes
  run SCENE --ranks N         a run that N processes share, on MPI and PETSc (docs/scaling.md)
  lint [--all|--format]       check the formatting and run clang-tidy
  reproduce ID                run an experiment of the papers again (--list shows them)
  python [FILE]               Python with the module lilyan, to type in or to run a file
  docs                        build the documentation site: build/docs/index.html

Examples:
  lilyan run bunny            simulate a shipped scene into results/bunny-avf
  lilyan run bunny --set integrator.method=backward-euler --steps 60
  lilyan view pendulum        watch it in a web page
  lilyan compare bunny        several methods side by side in a report
  lilyan sweep pendulum --set integrator.step=0.1,0.05,0.025 --methods avf,rk4
  lilyan run --resume results/bunny-avf
  lilyan run bunny --from results/bunny-avf:30 --set integrator.method=newmark
)";

int dispatch(int argc, char** argv, const Extras& extras) {
  CLI::App app{"Lilyan: time integration that keeps what nature keeps.", "lilyan"};
  app.require_subcommand(1);
  app.set_version_flag("--version", fmt::format("lilyan {} ({})", version(), commit()));
  int exit_code = kDone;
  add_run_command(app, extras, exit_code);
  add_check_command(app, exit_code);
  if (extras.add_commands) extras.add_commands(app, exit_code);
  app.footer(kFooter);  // after its commands, which would have it in their help as well
  if (argc == 1) {
    fmt::print("{}", app.help());
    return kBadInput;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const CLI::App& command = command_in(app);
    std::string unknown = unknown_command(command);
    const bool help = error.get_exit_code() == 0;  // or the version
    if (unknown.empty() && !help) unknown = unknown_option(command);
    if (!unknown.empty()) {
      tell(fmt::format("error: {}\n", unknown));
      return kBadInput;
    }
    const int code = app.exit(error);
    return code == 0 ? kDone : kBadInput;
  }
  return exit_code;
}

}  // namespace

namespace {

// Memory may be too little in a function that may not throw (of a library, say).
[[noreturn]] void on_terminate() {
  // Some compilers end the program before the exception counts as caught. The system's reason is known all the same.
  bool memory = !std::current_exception() && errno == ENOMEM;
  try {
    if (std::current_exception()) throw;
  } catch (const std::bad_alloc&) {
    memory = true;
  } catch (...) {
  }
  if (!memory) std::abort();
  std::fputs("error: there is not enough memory\n", stderr);
  std::_Exit(fatal_error_code());
}

// Libraries that find too little memory may end the program by themselves (OpenMP does), with a code of their own.
std::atomic<bool> at_work = false;
void on_exit() {
  if (!at_work) return;
  std::fflush(stdout);
  std::_Exit(fatal_error_code());
}

// A file that is opened takes the first free number. If that were the one of standard output, what is printed
// would end up in the file. These cannot be written to, so that printing fails as it should.
void occupy_standard_files() {
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(file, F_GETFD) != -1) continue;
    (void)!::open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

int dispatch_and_report(int argc, char** argv, const Extras& extras) {
  try {
    const int code = dispatch(argc, argv, extras);
    if (std::fflush(stdout) == 0 || code != kDone) return code;
    throw std::system_error(errno, std::generic_category(), "stdout");
  } catch (const Error& error) {
    tell(fmt::format("error: {}\n", error.what()));
    return kBadInput;
  } catch (const std::filesystem::filesystem_error& error) {
    tell(fmt::format("error: {}: {}\n", error.path1().string(), error.code().message()));
    return kBadInput;
  } catch (const std::bad_alloc&) {
    tell("error: there is not enough memory for this scene\n");
    return fatal_error_code();
  } catch (const std::system_error& error) {  // nobody reads what is printed
    tell(fmt::format("error: the results could not be written: {}\n", error.what()));
    return kStopped;
  } catch (const std::exception& error) {
    tell(fmt::format("internal error: {}\n", error.what()));
    return kInternalError;
  }
}

}  // namespace

int run_program(int argc, char** argv, const Extras& extras) {
  occupy_standard_files();
  std::set_terminate(on_terminate);
  std::atexit(on_exit);
  at_work = true;
  int code = kDone;
  try {
    code = dispatch_and_report(argc, argv, extras);
  } catch (const std::bad_alloc&) {  // not even enough for a message
    std::fputs("error: there is not enough memory\n", stderr);
    code = fatal_error_code();
  }
  at_work = false;
  return code;
}

}  // namespace lilyan::cli
