// The derivative of every operation by each of its arguments.
#pragma once

#include "lilyan/system/graph.hpp"

namespace lilyan {

// By argument number i alone, all others held. Not for operations that choose a branch.
[[nodiscard]] ExpressionNode partial_derivative(ExpressionGraph& graph, ExpressionNode n, int i);

}  // namespace lilyan
