// Symmetric compositions of a symmetric method of order two.
#pragma once

#include <string>
#include <vector>

#include "lilyan/method/method.hpp"

namespace lilyan {

// The parameters every composition has: its base, and the quadrature of bases that have one.
[[nodiscard]] std::vector<ParameterSpec> composition_parameters();

// γ₁, …, γₖ and the middle one 1 − 2Σγ, and back: γ₁ … γₖ γ₀ γₖ … γ₁.
[[nodiscard]] std::vector<double> symmetric_fractions(const std::vector<double>& first_half);

// The scheme named label(base) with these fractions. It has the base's properties at the given
// order. Throws ParameterError for a base that is not symmetric and of order two.
[[nodiscard]] Scheme compose(const std::string& label, int order, std::vector<double> fractions,
                             const Parameters& given);

}  // namespace lilyan
