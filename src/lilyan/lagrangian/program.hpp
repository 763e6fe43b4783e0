// Expressions compiled for evaluation: a list of instructions between numbered registers.
//
//   const Program p(graph, std::vector{f, g});
//   std::vector<double> scratch(p.scratch_size());
//   p.run(inputs, outputs, scratch.data());
//
// With packs in the place of doubles the same program evaluates kLanes independent systems at once,
// with the same bits as one by one. Products and sums are rounded one by one, also on processors
// that could fuse them: results do not depend on the machine, and x² − y² is 0 where x = y.
#pragma once

#include <span>
#include <vector>

#include "lilyan/lagrangian/graph.hpp"
#include "lilyan/numeric/lanes.hpp"

namespace lilyan {

class Program {
 public:
  Program() = default;
  Program(const ExpressionGraph& graph, std::span<const ExpressionNode> outputs);

  // inputs: the variables by their index, input_count() of them. outputs: output_count().
  // No allocation; any number of threads, each with its own scratch.
  void run(const double* inputs, double* outputs, double* scratch) const;
  void run(const Pack* inputs, Pack* outputs, Pack* scratch) const;

  // The largest index of a variable that matters, plus 1.
  [[nodiscard]] int input_count() const { return input_count_; }
  [[nodiscard]] int output_count() const { return static_cast<int>(outputs_.size()); }
  [[nodiscard]] int scratch_size() const { return register_count_; }
  [[nodiscard]] int instruction_count() const { return static_cast<int>(instructions_.size()); }

 private:
  struct Instruction {
    int result, a, b, c;
  };
  // Instructions of one operation in a row.
  struct Run {
    Operation operation;
    int count;
  };
  struct Input {
    int variable, target;
  };
  class Compiler;

  template <class P, int kPacks>
  void execute(const double* inputs, double* outputs, double* scratch) const;

  std::vector<double> constants_;  // the first registers
  std::vector<Input> inputs_;
  std::vector<Instruction> instructions_;
  std::vector<Run> runs_;
  std::vector<int> outputs_;  // registers
  int input_count_ = 0;
  int register_count_ = 0;
};

}  // namespace lilyan
