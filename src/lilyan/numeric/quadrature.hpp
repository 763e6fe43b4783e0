// Quadrature rules on [0, 1], all symmetric.
#pragma once

#include <string>
#include <vector>

#include "lilyan/base/parameter.hpp"

namespace lilyan {

// A point θ of the path from the start of a step (0) to its end (1), and a weight there.
struct Node {
  double theta = 0;
  double weight = 0;
};

struct Quadrature {
  std::vector<Node> nodes;  // (cᵢ, bᵢ), ascending
  int degree = 0;           // polynomials up to this degree are integrated exactly
  std::string label;        // "gauss 2", "simpson"
};

// Gauss–Legendre with n ≥ 1 points: degree 2n−1, nodes inside (0,1).
[[nodiscard]] Quadrature gauss(int n);
// Gauss–Lobatto with n ≥ 2 points, both ends among them: degree 2n−3.
[[nodiscard]] Quadrature lobatto(int n);
// Tanh-sinh (Takahasi and Mori 1974) with n ≥ 2 points: nodes crowd at both ends, so that integrands may be
// singular there. Exact for constants only, and accurate for everything else.
[[nodiscard]] Quadrature tanh_sinh(int n);
// 1/6, 4/6, 1/6 at 0, ½, 1: degree 3. The same as lobatto(3).
[[nodiscard]] Quadrature simpson();
// ½, ½ at 0, 1: degree 1. The same as lobatto(2).
[[nodiscard]] Quadrature trapezoid();

// The parameters `quadrature` (a rule's name) and `points`, and the rule they choose. `more` are
// further names that the method itself understands. Throws ParameterError.
[[nodiscard]] std::vector<ParameterSpec> quadrature_parameters(
    const std::string& default_rule, int default_points, const std::vector<std::string>& more = {});
[[nodiscard]] Quadrature quadrature(const Parameters& given,
                                    const std::vector<std::string>& more = {});

}  // namespace lilyan
