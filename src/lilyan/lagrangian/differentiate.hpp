// Derivatives of expressions, as expressions on the same graph.
#pragma once

#include <span>
#include <vector>

#include "lilyan/lagrangian/graph.hpp"

namespace lilyan {

// One derivative that is not identically zero.
struct DerivativeEntry {
  int row = 0;
  int column = 0;
  ExpressionNode node = 0;
};

// By reverse accumulation: together the derivatives add a small multiple of the nodes that f has,
// however many variables there are. gradient(...)[i] is the derivative by variables[i].
//
// All of these throw Error where a derivative by an argument that depends on the variables is not
// available: by m of sn, cn, dn and ellint_k. The derivative of an if, min or max is that of the
// chosen branch; of abs it is sign, of sign 0.
[[nodiscard]] std::vector<ExpressionNode> gradient(ExpressionGraph& graph, ExpressionNode f,
                                                   std::span<const int> variables);

[[nodiscard]] ExpressionNode derivative(ExpressionGraph& graph, ExpressionNode f, int variable);

// Row i, column j: the derivative of functions[i] by variables[j]. By columns, rows ascending.
[[nodiscard]] std::vector<DerivativeEntry> jacobian(ExpressionGraph& graph,
                                                    std::span<const ExpressionNode> functions,
                                                    std::span<const int> variables);

// The lower triangle (row ≥ column) of the second derivatives of f. By columns, rows ascending.
[[nodiscard]] std::vector<DerivativeEntry> hessian(ExpressionGraph& graph, ExpressionNode f,
                                                   std::span<const int> variables);

}  // namespace lilyan
