// Expressions from text.
//
//   0.5*m*l^2*theta'^2 + sum(i, 1, n - 1, k/2*(x[i+1] - x[i])^2) + if(x[1] < 0, c*x[1]^2, 0)
//
// + - * / ^ with the usual precedence: ^ binds from right to left and stronger than a sign, so that
// -x^2 = -(x^2). Multiplication is always written. Functions are those of named_functions();
// sum(i, a, b, f) and product(i, a, b, f) are written out when read, and so are indices, which must
// be whole numbers by then. A branch of an if that is never chosen is checked for syntax only, so
// that its indices may lie outside. The constant pi is known; e is free for a name.
#pragma once

#include <string_view>

#include "lilyan/system/error.hpp"
#include "lilyan/system/graph.hpp"
#include "lilyan/system/scope.hpp"

namespace lilyan {

// Throws ExpressionError.
[[nodiscard]] ExpressionNode parse(ExpressionGraph& graph, std::string_view text,
                                   const ExpressionScope& scope);

}  // namespace lilyan
