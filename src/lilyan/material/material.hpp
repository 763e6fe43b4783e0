// Hyperelastic materials: what one must provide, and the list of all there are.
//
// A material is one pair of files (see CONTRIBUTING.md): NAME.hpp with a struct that satisfies
// HyperelasticMaterial, and NAME.cpp with a function `MaterialInfo NAME()` that names it for scene
// files and builds the energy of a body made of it.
#pragma once

#include <concepts>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lilyan/core/energy.hpp"
#include "lilyan/core/lanes.hpp"
#include "lilyan/core/mat3.hpp"
#include "lilyan/core/parameter.hpp"
#include "lilyan/core/types.hpp"

namespace lilyan {

// ψ(F), P = ∂ψ/∂F and ∂P/∂F over any scalar type.
template <class M>
concept HyperelasticMaterial = requires(const M& m, const Mat3<Pack>& F, const Pack& w,
                                        Sym9<Pack>& a) {
  { m.energy(F) } -> std::same_as<Pack>;
  { m.stress(F) } -> std::same_as<Mat3<Pack>>;
  m.add_tangent(F, w, a);
};

// Linear tetrahedra: four vertex indices each, and the vertices' rest positions.
struct TetShape {
  const Vector& rest;
  std::span<const std::array<int, 4>> tets;
};

struct MaterialInfo {
  std::string name;     // as scene files spell it
  std::string summary;  // one line
  std::string citation;
  std::string use;       // when to choose it
  bool inverts = false;  // ψ is finite for flat and inverted elements too
  int degree = 0;        // of ψ as a polynomial in F; 0 when it is none
  std::vector<ParameterSpec> parameters;
  // Throws ParameterError for values that make no sense.
  std::unique_ptr<Energy> (*make)(const TetShape&, const Parameters&);
};

// Gauss points with which AVF keeps the energy of this material exactly, to rounding; 0 when no
// number does. Forces are polynomials of degree − 1, and n points integrate degree 2n − 1.
[[nodiscard]] constexpr int exact_points(const MaterialInfo& m) { return (m.degree + 1) / 2; }

// All materials, in alphabetical order of their files.
[[nodiscard]] const std::vector<MaterialInfo>& materials();
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
