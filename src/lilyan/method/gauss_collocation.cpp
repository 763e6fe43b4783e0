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

#include <Eigen/Dense>

#include "lilyan/core/quadrature.hpp"
#include "lilyan/method/method.hpp"

namespace lilyan::method {
namespace {

// Beyond, double precision leaves nothing to measure the order by, and rounding errors of the
// coefficients show as drift.
constexpr int kMostStages = 4;

// aᵢⱼ from the conditions Σⱼ aᵢⱼ cⱼᵏ⁻¹ = cᵢᵏ/k, k = 1, …, s, in extended precision.
CollocationTable collocation(int s) {
  using Real = long double;
  const Quadrature q = gauss(s);
  CollocationTable table;
  Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic> powers(s, s), right(s, s);
  for (int i = 0; i < s; ++i) {
    const Real c = q.nodes[static_cast<std::size_t>(i)].theta;
    table.c.push_back(static_cast<double>(c));
    table.b.push_back(q.nodes[static_cast<std::size_t>(i)].weight);
    Real power = 1;
    for (int k = 0; k < s; ++k) {
      powers(k, i) = power;
      power *= c;
      right(k, i) = power / (k + 1);
    }
  }
  // powers · aᵀ = right, column i for stage i.
  const auto a = powers.fullPivLu().solve(right).eval();
  for (int i = 0; i < s; ++i) {
    for (int j = 0; j < s; ++j) table.A.push_back(static_cast<double>(a(j, i)));
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
