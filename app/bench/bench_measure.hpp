// The measurements of `lilyan bench`: steps of a scene from its start, timed.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/scene/scene.hpp"
#include "lilyan/step/integrator.hpp"

namespace lilyan::bench {

// One measurement. Each time is the median over the repetitions; processor time, unless it says otherwise,
// since what else the machine does would count by the clock.
struct BenchResult {
  std::string mesh, method, linear;
  int threads = 1;
  std::size_t vertices = 0;
  std::size_t tets = 0;
  double iterations = 0;         // Newton iterations a step
  double linear_iterations = 0;  // of conjugate gradients, a Newton iteration
  int fixes = 0;                 // Hessians that had to be modified
  double assembly = 0, setup = 0, solve = 0, evaluation = 0;  // ms a Newton iteration, by the clock
  double iteration = 0;  // ms: a step's time over its iterations, everything included
  double step = 0;       // ms
  double clock = 0;      // ms a step by the clock
  double hessian = 0;    // ms: one assembly, by the clock
  double bytes = 0;      // memory that the integrator has in use
  bool solved = true;
};

// How to step a scene.
struct BenchSetup {
  LinearChoice linear = LinearChoice::automatic;
  int threads = 1;
  int steps = 1;
  double tolerance = 1e-9;  // of energy and velocity; 0: the scene's own
};

// A scene stepped by one method with one linear solver. Each call of measure() takes `steps` steps
// from the scene's start, always with one integrator: it keeps what it made or learnt in the first
// call, which is not counted.
class BenchCandidate {
 public:
  BenchCandidate(const Scene& scene, const std::string& mesh, const Scheme& scheme,
                 const BenchSetup& setup);
  void measure(bool count);
  [[nodiscard]] BenchResult result() const;
  [[nodiscard]] const State& state() const { return state_; }  // after the last measurement

 private:
  struct Sample {
    double assembly, setup, solve, evaluation, iteration, step, clock, hessian;
  };

  const Scene& scene_;
  BenchResult result_;
  int steps_;
  std::unique_ptr<Integrator> integrator_;
  State state_;
  std::vector<Sample> samples_;
};

// Bytes that the program has allocated and not freed.
[[nodiscard]] double memory_in_use();

// A name for this kind of machine that can be part of a file's: "amd-epyc-2core".
[[nodiscard]] std::string machine_name();

}  // namespace lilyan::bench
