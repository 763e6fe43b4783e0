// Quadrature rules on [0, 1].
#pragma once

#include <string>
#include <vector>

#include "lilyan/method/method.hpp"

namespace lilyan {

struct Quadrature {
  std::vector<Node> nodes;  // (cᵢ, bᵢ), ascending
  int degree = 0;           // polynomials up to this degree are integrated exactly
};

// Gauss–Legendre with n ≥ 1 points: degree 2n−1, nodes inside (0,1).
[[nodiscard]] Quadrature gauss(int n);
// 1/6, 4/6, 1/6 at 0, ½, 1: degree 3.
[[nodiscard]] Quadrature simpson();

}  // namespace lilyan
