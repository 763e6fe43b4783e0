// Elastic constants as users know them: Lamé's μ and λ, or Young's modulus and Poisson's ratio.
#include <cmath>

#include "lilyan/material/material.hpp"

namespace lilyan {

std::vector<ParameterSpec> lame_parameters() {
  return {{"mu", "Lamé's second constant μ (shear modulus), > 0", {}},
          {"lambda", "Lamé's first constant λ, > −2μ/3", {}},
          {"young", "Young's modulus E, > 0; with poisson instead of mu and lambda", {}},
          {"poisson", "Poisson's ratio ν, in (−1, 0.5)", {}}};
}

Lame lame(const Parameters& given) {
  const bool has_lame = given.has("mu") || given.has("lambda");
  const bool has_engineering = given.has("young") || given.has("poisson");
  if (has_lame && has_engineering) {
    throw ParameterError("", "give either mu and lambda or young and poisson, not both");
  }
  if (has_lame) {
    if (!given.has("mu")) throw ParameterError("", "mu is missing (lambda is given)");
    if (!given.has("lambda")) throw ParameterError("", "lambda is missing (mu is given)");
    const double mu = given.number("mu");
    const double lambda = given.number("lambda");
    if (!(mu > 0) || !std::isfinite(mu)) throw ParameterError("mu", "mu must be positive");
    if (!(3 * lambda + 2 * mu > 0) || !std::isfinite(lambda)) {
      throw ParameterError("lambda",
                           "lambda must be above −2/3 mu, or the material expands when pressed");
    }
    return {mu, lambda};
  }
  if (!given.has("young") || !given.has("poisson")) {
    throw ParameterError("", "the stiffness is missing: give mu and lambda, or young and poisson");
  }
  const double young = given.number("young");
  const double poisson = given.number("poisson");
  if (!(young > 0) || !std::isfinite(young)) {
    throw ParameterError("young", "young must be positive");
  }
  if (!(poisson > -1 && poisson < 0.5)) {
    throw ParameterError("poisson", "poisson must be above −1 and below 0.5");
  }
  return {young / (2 * (1 + poisson)), young * poisson / ((1 + poisson) * (1 - 2 * poisson))};
}

}  // namespace lilyan
