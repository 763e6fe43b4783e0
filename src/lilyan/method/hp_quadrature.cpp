// Hamilton–Pontryagin integrators with any quadrature.
//
// Kharevych, Yang, Tong, Kanso, Marsden, Schröder, Desbrun: Geometric, Variational Integrators for
// Computer Animation, SCA 2006, section 3. With nodes cᵢ and weights bᵢ on [0, 1],
//
//   L_d(x₀, u) = h Σ bᵢ [½uᵀMu − E(x₀ + cᵢ h u)]                                                (1)
//   p₀ = M u + h Σ bᵢ (1−cᵢ) ∇E(xᵢ),   p₁ = M u − h Σ bᵢ cᵢ ∇E(xᵢ)                              (2)
//
// so that the nodes are (cᵢ, bᵢ(1−cᵢ)) and the end forces (cᵢ, bᵢcᵢ). The trapezoidal rule leaves
// nothing to solve: it is Störmer–Verlet. On a linear oscillator of frequency ω the step is stable
// for hω ≤ 2√3 with every rule of degree 2 or more, where the trace of the step matrix is
// 2 − h²ω²/(1 + h²ω²/6); for hω ≤ 2 with the trapezoidal rule; always with one Gauss point. Better
// quadrature does not raise the order beyond two, since the path inside the step stays straight
// (their remark to the contrary holds for paths of higher degree, see the method gauss).
#include <fmt/format.h>

#include "lilyan/method/method.hpp"

namespace lilyan::method {

Method hp_quadrature() {
  return {.name = "hp-quadrature",
          .aliases = {},
          .summary =
              "variational and symplectic, second order, any symmetric quadrature; stable for h·ω "
              "up to 3.46",
          .citation = "Kharevych et al. 2006",
          .use =
              "variational steps that see the force along the whole path, while they resolve the "
              "stiff motion",
          .parameters = quadrature_parameters("simpson", 3),
          .variants = {{{"quadrature", "trapezoid"}},
                       {{"quadrature", "gauss"}, {"points", 2.0}},
                       {{"quadrature", "lobatto"}, {"points", 4.0}}},
          .make = [](const Parameters& given) {
            const Quadrature q = quadrature(given);
            OneStage stage{.nodes = {}, .displacement = 1};
            bool explicit_step = true;
            for (const auto& [c, b] : q.nodes) {
              if (c != 1) stage.nodes.push_back({c, b * (1 - c)});
              if (c != 0) stage.end_forces.push_back({c, b * c});
              explicit_step = explicit_step && (c == 0 || c == 1);
            }
            return Scheme{.label = fmt::format("hp-quadrature({})", q.label),
                          .solve = explicit_step ? SolveKind::explicit_ : SolveKind::minimisation,
                          .claims = {.order = 2,
                                     .symplectic = true,
                                     .symmetric = true,
                                     .energy = EnergyBehaviour::bounded,
                                     .angular_momentum = true,
                                     .stiff = false},
                          .table = one_stage(stage),
                          .lagrangian = variational_table(q.nodes)};
          }};
}

}  // namespace lilyan::method
