// Hyperelastic materials: the list of all there are.
//
// A material is one file (see CONTRIBUTING.md): NAME.hpp has a struct that satisfies
// HyperelasticMaterial (assemble/tets.hpp) and a function `MaterialInfo NAME()` that names it for
// scene files and builds the energy of a body made of it.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lilyan/assemble/tet_shape.hpp"
#include "lilyan/base/parameter.hpp"
#include "lilyan/model/energy.hpp"

namespace lilyan {

struct MaterialInfo {
  std::string name = {};     // as scene files spell it
  std::string summary = {};  // one line
  std::string citation = {};
  std::string formula = {};  // of ψ, in F, J = det F, I₁ = tr(FᵀF) and I₂ = ½(I₁² − tr((FᵀF)²))
  std::string use = {};  // when to choose it
  bool inverts = false;  // ψ is finite for flat and inverted elements too
  int degree = 0;        // of ψ as a polynomial in F; 0 when it is none
  std::vector<ParameterSpec> parameters = {};
  // Throws ParameterError for values that make no sense.
  std::unique_ptr<Energy> (*make)(const TetShape&, const Parameters&) = nullptr;
};

// Gauss points with which AVF keeps the energy of this material exactly, to rounding; 0 when no
// number does. Forces are polynomials of degree − 1, and n points integrate degree 2n − 1.
[[nodiscard]] constexpr int exact_points(const MaterialInfo& m) { return (m.degree + 1) / 2; }

// All materials, in alphabetical order of their files; then those that were added.
[[nodiscard]] const std::deque<MaterialInfo>& materials();
// Adds a material of the caller's own, which is then found as if it were one of the library's. To be called before
// other threads look at materials. Throws Error when the name is taken.
void add_material(MaterialInfo material);
// Null when there is none of that name.
[[nodiscard]] const MaterialInfo* find_material(std::string_view name);

// The Lamé constants μ, λ from either pair of {mu, lambda} or {young, poisson}.
struct Lame {
  double mu;
  double lambda;
};
[[nodiscard]] std::vector<ParameterSpec> lame_parameters();
[[nodiscard]] Lame lame(const Parameters& given);

// The same, or from the pair {a1, b1} with which some texts write neo-Hookean materials:
// ψ = a₁(I₁ − 3) + b₁(J − 1)² + …, so that μ = 2a₁ and λ = 2b₁.
[[nodiscard]] std::vector<ParameterSpec> neo_hookean_parameters();
[[nodiscard]] Lame neo_hookean_lame(const Parameters& given);

}  // namespace lilyan
