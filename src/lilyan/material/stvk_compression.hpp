// St. Venant–Kirchhoff with resistance to compression:
//   ψ = μ‖G‖² + (λ/2) tr(G)² + (κ/4)(J − 1)⁴,   G = ½(FᵀF − I),  J = det F.                     (1)
//
// St. Venant–Kirchhoff gives way when it is pressed together and does not notice inversion. The
// last term resists both: the pressure it answers with is κ(1 − J)³, up to κ where an element has
// become flat and 8κ where it is its own mirror image. At rest its energy, stress and tangent
// vanish, so that μ and λ keep their meaning. Under expansion it is of little weight beside the
// quartic first terms until the volume has doubled. It cannot be switched off there and remain a
// polynomial; of the polynomials in J that vanish at rest with two derivatives and are bounded
// below, this is the one of least degree.
//
// Irving, Teran, Fedkiw: Invertible finite elements for robust simulation of large deformation,
// SCA 2004, on what St. Venant–Kirchhoff lacks.
//
// Degree 12 in F: forces have degree 11, so AVF is exact with six Gauss points.
//   P = P_StVK + κ(J − 1)³ cof F                                                                (2)
//   ∂P/∂F = … + 3κ(J − 1)² cof ⊗ cof + κ(J − 1)³ ∂cof/∂F                                        (3)
#pragma once

#include "lilyan/material/detail/determinant.hpp"
#include "lilyan/material/material.hpp"
#include "lilyan/material/stvk.hpp"

namespace lilyan {

struct StvkCompression {
  double mu;
  double lambda;
  double compression;  // κ

  template <class T>
  struct Blocks;

  template <class T>
  [[nodiscard]] T energy(const Mat3<T>& F) const {
    const T volume = determinant(F) - 1.0;
    const T square = volume * volume;
    return Stvk{mu, lambda}.energy(F) + (0.25 * compression) * square * square;  // (1)
  }

  template <class T>
  [[nodiscard]] Mat3<T> stress(const Mat3<T>& F) const {
    Mat3<T> P = Stvk{mu, lambda}.stress(F);
    const Mat3<T> cof = cofactor(F);
    const T volume = determinant(F, cof) - 1.0;
    const T first = compression * volume * volume * volume;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) P(i, j) += first * cof(i, j);  // (2)
    }
    return P;
  }

  template <class T>
  void add_tangent(const Mat3<T>& F, const T& weight, Sym9<T>& a) const {
    Stvk{mu, lambda}.add_tangent(F, weight, a);
    const Mat3<T> cof = cofactor(F);
    const T volume = determinant(F, cof) - 1.0;
    const T second = weight * compression * volume * volume;
    add_determinant_tangent(F, cof, second * volume, 3.0 * second, a);  // (3)
  }
  [[nodiscard]] static MaterialInfo info() {
    std::vector<ParameterSpec> parameters = lame_parameters();
    parameters.push_back(
        {"compression",
         "pressure κ with which a flattened element resists, ≥ 0; default: the bulk "
         "modulus λ + 2μ/3",
         {}});
    return {.name = "stvk-compression",
            .summary = "St. Venant–Kirchhoff that resists compression; polynomial",
            .citation = "with (κ/4)(J − 1)⁴; see Irving, Teran, Fedkiw 2004",
            .formula = "ψ = μ‖G‖² + (λ/2) tr(G)² + (κ/4)(J − 1)⁴,  G = ½(FᵀF − I)",
            .use = "where stvk collapses; AVF is exact with six points",
            .inverts = true,
            .degree = 12,
            .parameters = std::move(parameters),
            .make = [](const TetShape& shape, const Parameters& given) {
              const auto [mu, lambda] = lame(given);
              double compression = lambda + 2 * mu / 3;
              if (given.has("compression")) {
                compression = given.number("compression");
                if (!(compression >= 0) || !std::isfinite(compression)) {
                  throw ParameterError("compression", "compression must not be negative");
                }
              }
              return make_tets(StvkCompression{mu, lambda, compression}, shape);
            }};
  }
};

template <class T>
struct StvkCompression::Blocks {
  Stvk::Blocks<T> strain;
  DeterminantBlocks<T> volume;

  template <int kBefore>
  void add(const StvkCompression& m, const Mat3<T>& F, const Mat3<T>& G, const T& weight) {
    strain.template add<kBefore>(Stvk{m.mu, m.lambda}, F, G, weight);
    const Mat3<T> cof = cofactor(F);
    const T by = determinant(F, cof) - 1.0;
    const T second = weight * m.compression * by * by;
    volume.template add<kBefore>(F, cof, second * by, 3.0 * second, G);
  }

  template <bool kOne>
  void finish(const Mat3<T>& G, VertexBlocks<T>& blocks) const {
    strain.template finish<kOne>(G, blocks);
    VertexBlocks<T> more;
    volume.template finish<kOne>(G, more);
    for (int n = 0; n < 3; ++n) {
      for (int e = 0; e < 6; ++e) blocks.diagonal[n][e] += more.diagonal[n][e];
      for (int e = 0; e < 9; ++e) blocks.below[n][e] += more.below[n][e];
    }
  }
};

}  // namespace lilyan
