// What the comparisons with other codes share: processor time, medians, a table and its CSV file.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <functional>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace peers {

inline constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Of this process, not of the wall clock: other programs on the machine then hardly disturb.
inline double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Adds the processor time until its end to a counter.
class CpuTimer {
 public:
  explicit CpuTimer(double& seconds) : seconds_(seconds), start_(cpu_seconds()) {}
  ~CpuTimer() { seconds_ += cpu_seconds() - start_; }
  CpuTimer(const CpuTimer&) = delete;
  CpuTimer& operator=(const CpuTimer&) = delete;

 private:
  double& seconds_;
  double start_;
};

inline double median(std::vector<double> values) {
  if (values.empty()) return kNone;
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

// The parts of a list separated by commas.
inline std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> words;
  std::istringstream in(list);
  for (std::string w; std::getline(in, w, ',');) words.push_back(w);
  return words;
}

// A line of the table. What does not apply stays kNone or negative and is printed as a dash.
struct Row {
  std::string group;
  std::string problem;
  std::string solver;
  int iterations = -1;        // Newton iterations, or steps
  int linear = -1;            // iterations of the linear solver
  int evaluations = -1;       // of objective, gradient or right-hand side
  double ms = kNone;          // processor time
  double callback = kNone;    // of it, within Lilyan's evaluation and assembly
  double ratio = kNone;       // of ms to the group's reference
  double difference = kNone;  // of the result from the reference's, relative
  double residual = kNone;    // error left, divided by what is allowed
  double energy = kNone;      // drift or error of the energy, relative
  std::string status;
};

class Report {
 public:
  // Rows are appended to the CSV file; an empty name: none.
  explicit Report(const std::string& csv) {
    if (csv.empty()) return;
    const bool fresh = !std::ifstream(csv).good();
    file_.open(csv, std::ios::app);
    if (fresh) {
      file_ << "group,problem,solver,iterations,linear,evaluations,ms,ms_callback,ratio,"
               "difference,residual,energy,status\n";
    }
  }

  void heading(const std::string& text) {
    fmt::print("\n{}\n{:<22} {:<30} {:>6} {:>7} {:>7} {:>10} {:>9} {:>7} {:>8} {:>8} {:>9}  {}\n",
               text, "problem", "solver", "iter", "linear", "evals", "ms", "callback", "ratio",
               "differs", "residual", "energy", "status");
  }

  void add(const Row& r) {
    fmt::print("{:<22} {:<30} {:>6} {:>7} {:>7} {:>10} {:>9} {:>7} {:>8} {:>8} {:>9}  {}\n",
               r.problem, r.solver, whole(r.iterations), whole(r.linear), whole(r.evaluations),
               number(r.ms, "{:.2f}"), number(r.callback, "{:.2f}"), number(r.ratio, "{:.2f}"),
               number(r.difference, "{:.0e}"), number(r.residual, "{:.0e}"),
               number(r.energy, "{:.1e}"), r.status);
    std::fflush(stdout);
    if (!file_.is_open()) return;
    file_ << fmt::format("{},{},\"{}\",{},{},{},{},{},{},{},{},{},\"{}\"\n", r.group, r.problem,
                         r.solver, plain(r.iterations), plain(r.linear), plain(r.evaluations),
                         plain(r.ms), plain(r.callback), plain(r.ratio), plain(r.difference),
                         plain(r.residual), plain(r.energy), r.status)
          << std::flush;
  }

 private:
  static std::string whole(int n) { return n < 0 ? "-" : std::to_string(n); }
  static std::string number(double x, const char* format) {
    return std::isnan(x) ? "-" : fmt::format(fmt::runtime(format), x);
  }
  static std::string plain(int n) { return n < 0 ? "" : std::to_string(n); }
  static std::string plain(double x) { return std::isnan(x) ? "" : fmt::format("{:.6g}", x); }

  std::ofstream file_;
};

// Words after the program's name of the form name=value.
class Options {
 public:
  Options(int count, char** words) : words_(words + 1, words + count) {}
  [[nodiscard]] std::string text(const std::string& name, const std::string& standard) const {
    for (const std::string& w : words_) {
      if (w.starts_with(name + "=")) return w.substr(name.size() + 1);
    }
    return standard;
  }
  [[nodiscard]] double number(const std::string& name, double standard) const {
    const std::string t = text(name, "");
    return t.empty() ? standard : std::stod(t);
  }

 private:
  std::vector<std::string> words_;
};

}  // namespace peers
