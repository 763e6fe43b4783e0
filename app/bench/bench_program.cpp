// lilyan-bench: the command `bench`, which the launcher and `lilyan` start.
#include "app/bench/suites.hpp"
#include "app/cli/arguments.hpp"
#include "app/cli/command_line.hpp"

namespace lilyan::bench {
namespace {

void add_bench_command(CLI::App& app, int& exit_code) {
  auto [command, options] = cli::add_command(
      app, "bench", "time steps of the bunny and of bars: methods, linear solvers, sizes, threads",
      bench, exit_code);
  command->add_option("methods", options.methods, "methods to time (default: all implicit)");
  command
      ->add_option(
          "--suite", options.suites,
          "what to measure: methods, linear, explicit, violent (starts that turn elements inside "
          "out), momentum (what keeping angular momentum costs), runs (all frames of the bunny), "
          "threads, growth (up to a million tets); may be repeated (default: the first four)")
      ->check(CLI::IsMember(
          {"methods", "linear", "explicit", "violent", "momentum", "runs", "threads", "growth"}))
      ->allow_extra_args(false);
  command->add_option("--repetitions", options.repetitions, "of each measurement")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--csv", options.csv,
                      "the file for the table (default: bench/results/MACHINE.csv)");
}

}  // namespace
}  // namespace lilyan::bench

int main(int argc, char** argv) {
  return lilyan::cli::run_program(argc, argv, {.add_commands = lilyan::bench::add_bench_command});
}
