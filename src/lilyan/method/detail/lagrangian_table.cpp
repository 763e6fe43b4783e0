#include <cstddef>

#include "lilyan/method/method.hpp"

namespace lilyan {

// With L_d(q, u) = h Σ bᵢ L(q + cᵢhu, u), the equations (5) and (6) of Kharevych et al. 2006 are
//   p₁ − p₀ = D₁L_d = h Σ bᵢFᵢ,   h p₁ = D₂L_d = h Σ bᵢ (∂L/∂v)ᵢ + h² Σ bᵢcᵢFᵢ
// and eliminating p₁,  Σ bᵢ (∂L/∂v)ᵢ = p₀ + h Σ bᵢ(1−cᵢ)Fᵢ, their (7).
LagrangianTable variational_table(const std::vector<Node>& nodes) {
  LagrangianTable table{.unknowns = 1, .end_position = {1}, .takes_constraints = true};
  for (const auto& [c, b] : nodes) {
    table.time.push_back(c);
    table.position.push_back(c);
    table.velocity.push_back(1);
    table.momentum.push_back(b);
    table.force.push_back(b * (1 - c));
    table.end_force.push_back(b);
  }
  return table;
}

LagrangianTable runge_kutta_table(const std::vector<double>& A, const std::vector<double>& b,
                                  const std::vector<double>& c) {
  const std::size_t s = c.size();
  std::vector<double> one(s * s, 0.0);
  for (std::size_t i = 0; i < s; ++i) one[i * s + i] = 1;
  return {.unknowns = static_cast<int>(s),
          .time = c,
          .position = A,
          .velocity = one,
          .momentum = one,
          .force = A,
          .end_position = b,
          .end_force = b};
}

LagrangianTable average_table(const std::vector<Node>& nodes) {
  std::vector<double> A, b, c;
  for (const Node& row : nodes) {
    c.push_back(row.theta);
    b.push_back(row.weight);
    for (const Node& column : nodes) A.push_back(row.theta * column.weight);
  }
  LagrangianTable table = runge_kutta_table(A, b, c);
  table.averages_force = true;
  return table;
}

}  // namespace lilyan
