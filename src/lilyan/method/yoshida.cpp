// Symmetric compositions of order 4, 6 and 8.
//
// Yoshida: Construction of higher order symplectic integrators, Phys. Lett. A 150, 1990; order 4
// also Suzuki 1990, Creutz, Gocksch 1989, Forest, Ruth 1990.
//
//   Φ_h = S_{γ₁h} ∘ S_{γ₂h} ∘ … ∘ S_{γ₂h} ∘ S_{γ₁h},   Σ γᵢ = 1                                 (1)
//
// of a symmetric method S of order two. Order 4 is the triple jump, 2γ₁³ + γ₂³ = 0:
//   γ₁ = 1/(2 − 2^{1/3})                                                                        (2)
// Order 6 is his solution A with 7, order 8 his solution D with 15 substeps; their digits were
// completed by Newton's method on the order conditions. Some substeps go backwards, which is
// harmless: Φ of a step contains h only as h².
#include <fmt/format.h>

#include <cmath>

#include "lilyan/method/method.hpp"

namespace lilyan::method {
namespace {

std::vector<double> yoshida_half(int order) {
  // As a number: compilers differ in the last digit of std::cbrt.
  constexpr double kCubeRootOf2 = 1.25992104989487316476721060728;
  switch (order) {
    case 4: return {1 / (2 - kCubeRootOf2)};  // (2)
    case 6:
      return {0.78451361047755726381949763, 0.23557321335935813368479318,
              -1.17767998417887100694641568};
    case 8:
      return {0.9148442462297915667488,  0.2536933365662113541461, -1.444852236860605157695,
              -0.1582406353680501752041, 1.938139137622525986579,  -1.960610232975310807608,
              0.1027998493917964406981};
    default: throw ParameterError("order", fmt::format("order must be 4, 6 or 8, not {}", order));
  }
}

}  // namespace

Method yoshida() {
  std::vector<ParameterSpec> parameters = {{"order", "4, 6 or 8: 3, 7 or 15 substeps", 4.0}};
  for (ParameterSpec& p : composition_parameters()) parameters.push_back(std::move(p));
  return {.name = "yoshida",
          .aliases = {},
          .summary = "order 4, 6 or 8 from a symmetric method of order two, keeping what it keeps",
          .citation = "Yoshida 1990",
          .use = "very accurate long runs: order 8 where errors must be tiny",
          .parameters = parameters,
          .variants = {{{"order", 6.0}},
                       {{"order", 8.0}},
                       {{"base", "implicit-midpoint"}},
                       {{"base", "avf"}},
                       {{"order", 6.0}, {"base", "avf"}}},
          .make = [](const Parameters& given) {
            const int order = given.whole("order");
            return compose(fmt::format("yoshida {}", order), order,
                           symmetric_fractions(yoshida_half(order)), given);
          }};
}

}  // namespace lilyan::method
