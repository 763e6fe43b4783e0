// Symmetric compositions of order 6 and 8 with small errors.
//
// Kahan, Li: Composition constants for raising the orders of unconventional schemes for ordinary
// differential equations, Math. Comp. 66, 1997; digits from Hairer, Lubich, Wanner: Geometric
// Numerical Integration, 2006, section V.3.2.
//
//   Φ_h = S_{γ₁h} ∘ S_{γ₂h} ∘ … ∘ S_{γ₂h} ∘ S_{γ₁h},   Σ γᵢ = 1                                 (1)
//
// of a symmetric method S of order two, with 9 substeps for order 6 and 17 for order 8. Two more
// substeps than Yoshida's make the largest |γᵢ| less than half as large.
#include <fmt/format.h>

#include "lilyan/method/method.hpp"

namespace lilyan::method {
namespace {

std::vector<double> kahan_li_half(int order) {
  switch (order) {
    case 6:
      return {0.39216144400731413927925056, 0.33259913678935943859974864,
              -0.70624617255763935980996482, 0.08221359629355080023149045};
    case 8:
      return {0.13020248308889008087881763,  0.56116298177510838456196441,
              -0.38947496264484728640807860, 0.15884190655515560089621075,
              -0.39590389413323757733623154, 0.18453964097831570709183254,
              0.25837438768632204729397911,  0.29501172360931029887096624};
    default: throw ParameterError("order", fmt::format("order must be 6 or 8, not {}", order));
  }
}

}  // namespace

Method kahan_li() {
  std::vector<ParameterSpec> parameters = {{"order", "6 or 8: 9 or 17 substeps", 8.0}};
  for (ParameterSpec& p : composition_parameters()) parameters.push_back(std::move(p));
  return {.name = "kahan-li",
          .aliases = {},
          .summary = "order 6 or 8 from a symmetric method of order two, keeping what it keeps",
          .citation = "Kahan, Li 1997",
          .use = "errors near rounding: smaller ones than yoshida's for the same work",
          .parameters = parameters,
          .variants = {{{"order", 6.0}}},
          .make = [](const Parameters& given) {
            const int order = given.whole("order");
            return compose(fmt::format("kahan-li {}", order), order,
                           symmetric_fractions(kahan_li_half(order)), given);
          }};
}

}  // namespace lilyan::method
