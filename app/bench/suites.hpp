// The suites of `lilyan bench`.
#pragma once

#include <string>
#include <vector>

namespace lilyan::bench {

struct BenchOptions {
  std::vector<std::string> methods;  // empty: all implicit ones
  std::vector<std::string> suites;   // empty: those that take a minute or two
  int repetitions = 10;
  std::string csv;  // empty: bench/results/MACHINE.csv
};

// Prints the tables of the suites and writes them into the file. Returns the exit code.
int bench(const BenchOptions& options);

}  // namespace lilyan::bench
