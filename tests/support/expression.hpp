// Expressions of a few variables, from text to numbers.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "lilyan/lagrangian/differentiate.hpp"
#include "lilyan/lagrangian/parse.hpp"
#include "lilyan/lagrangian/program.hpp"

namespace lilyan::test {

inline std::vector<double> run(const ExpressionGraph& graph,
                               const std::vector<ExpressionNode>& nodes,
                               const std::vector<double>& inputs) {
  const Program program(graph, nodes);
  std::vector<double> outputs(nodes.size());
  std::vector<double> scratch(program.scratch_size());
  program.run(inputs.data(), outputs.data(), scratch.data());
  return outputs;
}

// The names x, y, z for variables 0, 1, 2; a list q[1], q[2], q[3] and q[1]', … for 3 to 8;
// theta' for 9.
struct Expressions {
  static constexpr int kVariables = 10;
  ExpressionGraph graph;
  ExpressionScope scope;

  Expressions() {
    int next = 0;
    for (const char* name : {"x", "y", "z"}) scope.set(name, graph.variable(next++));
    for (const char* name : {"q", "q'"}) {
      std::vector<ExpressionNode> nodes;
      for (int i = 0; i < 3; ++i) nodes.push_back(graph.variable(next++));
      scope.set_list(name, 1, nodes);
    }
    scope.set("theta'", graph.variable(next));
  }

  ExpressionNode read(const std::string& text) { return parse(graph, text, scope); }
  double at(const std::string& text, std::vector<double> inputs = {}) {
    inputs.resize(kVariables, 0);
    return run(graph, {read(text)}, inputs)[0];
  }
};

}  // namespace lilyan::test
