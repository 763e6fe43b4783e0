// Gauss collocation: symplectic, symmetric, of order 2s with s stages.
//
// Hairer, Lubich, Wanner: Geometric Numerical Integration, 2006, sections II.1 and VI.6 (Kuntzmann,
// Butcher 1964). Also the Galerkin variational integrator with polynomials of degree s and Gauss
// quadrature: the path of higher degree with which Kharevych et al.'s remark on arbitrary order
// holds.
//
// With the Gauss points cᵢ, their weights bᵢ and aᵢⱼ = ∫₀^{cᵢ} ℓⱼ (ℓⱼ the Lagrange polynomials),
//   Xᵢ = x₀ + h Σ aᵢⱼ Vⱼ,   Vᵢ = v₀ + h Σ aᵢⱼ a(Xⱼ)                                             (1)
//   x₁ = x₀ + h Σ bᵢ Vᵢ,    v₁ = v₀ + h Σ bᵢ a(Xᵢ)                                              (2)
// All stages are coupled: a stationary point of the action, not a minimum, for s ≥ 2. One stage is
// implicit midpoint.
#include <fmt/format.h>

#include <cstddef>
#include <vector>

#include "lilyan/method/method.hpp"

namespace lilyan::method {
namespace {

// Beyond, double precision leaves nothing to measure the order by, and rounding errors of the
// coefficients show as drift.
constexpr int kMostStages = 4;

// ∫₀^c ℓⱼ in extended precision, ℓⱼ = Π (x − cₘ)/(cⱼ − cₘ) written out in powers of x.
long double basis_integral(const std::vector<Node>& nodes, std::size_t j, long double c) {
  std::vector<long double> basis{1};
  for (std::size_t m = 0; m < nodes.size(); ++m) {
    if (m == j) continue;
    const long double root = nodes[m].theta;
    const long double scale = 1 / (nodes[j].theta - root);
    basis.push_back(0);
    for (std::size_t k = basis.size() - 1; k > 0; --k) {
      basis[k] = (basis[k - 1] - root * basis[k]) * scale;
    }
    basis[0] *= -root * scale;
  }
  long double sum = 0;
  long double power = 1;
  for (std::size_t k = 0; k < basis.size(); ++k) {
    power *= c;
    sum += basis[k] * power / static_cast<long double>(k + 1);
  }
  return sum;
}

CollocationTable collocation(int s) {
  const Quadrature rule = gauss(s);
  CollocationTable table;
  for (const auto& [c, b] : rule.nodes) {
    table.c.push_back(c);
    table.b.push_back(b);
    for (std::size_t j = 0; j < rule.nodes.size(); ++j) {
      table.A.push_back(static_cast<double>(basis_integral(rule.nodes, j, c)));
    }
  }
  return table;
}

}  // namespace

Method gauss_collocation() {
  return {.name = "gauss",
          .aliases = {"gauss-collocation", "gauss-legendre"},
          .summary = "symplectic and symmetric, order twice the number of coupled stages",
          .citation = "Hairer, Lubich, Wanner 2006",
          .use = "very accurate implicit runs of stiff systems; small systems to many digits",
          .parameters = {{"stages", "1 to 4; the order is twice that", 2.0}},
          .variants = {{{"stages", 1.0}}, {{"stages", 3.0}}, {{"stages", 4.0}}},
          .make = [](const Parameters& given) {
            const int s = given.whole("stages");
            if (s < 1 || s > kMostStages) {
              throw ParameterError("stages",
                                   fmt::format("stages must be 1 to {}, not {}", kMostStages, s));
            }
            const CollocationTable table = collocation(s);
            return Scheme{.label = fmt::format("gauss({} {})", s, s == 1 ? "stage" : "stages"),
                          .solve = SolveKind::stationary,
                          .claims = {.order = 2 * s,
                                     .symplectic = true,
                                     .symmetric = true,
                                     .energy = EnergyBehaviour::bounded,
                                     .angular_momentum = true},
                          .table = table,
                          .lagrangian = runge_kutta_table(table.A, table.b, table.c)};
          }};
}

}  // namespace lilyan::method
