// Compressible Mooney–Rivlin:
//   ψ = a₁(Ī₁ − 3) + b₁(Ī₂ − 3) + (K/2)(½(J² − 1) − ln J),                                      (1)
//   Ī₁ = J^{−2/3} I₁,  Ī₂ = J^{−4/3} I₂,  I₁ = tr C,  I₂ = ½(tr²C − tr C²),  C = FᵀF,  J = det F.
//
// Mooney: A theory of large elastic deformation, J. Appl. Phys. 11, 1940; Rivlin: Large elastic
// deformations of isotropic materials IV, Phil. Trans. A 241, 1948. Invariants without their volume
// change: Flory, Trans. Faraday Soc. 57, 1961. Volume term: Simo, Taylor, CMAME 85, 1991; convex in
// J, and infinite at J = 0, where Ī₁ and Ī₂ alone would let an element shrink into a point. (I₂ as
// tr(C²) − tr²(C), found in print, is not 3 at rest.)
//
// For small strains the shear modulus is μ = 2(a₁ + b₁) and the bulk modulus K. With
// g₁ = J^{−2/3}, g₂ = J^{−4/3}:
//   Q = ½ ∂I₂/∂F = I₁F − FC                                                                     (2)
//   s = ∂ψ/∂J = −⅔ a₁g₁I₁/J − 4⁄3 b₁g₂I₂/J + (K/2)(J − 1/J)                                     (3)
//   t = ∂²ψ/∂J² = 10⁄9 a₁g₁I₁/J² + 28⁄9 b₁g₂I₂/J² + (K/2)(1 + 1/J²)                             (4)
//   P = 2a₁g₁F + 2b₁g₂Q + s cof F                                                               (5)
//   ∂P/∂F = 2a₁g₁ I + 2b₁g₂ ∂Q/∂F + N ⊗ cof + cof ⊗ N + t cof ⊗ cof + s ∂cof/∂F,                (6)
//   N = −(4⁄3 a₁g₁F + 8⁄3 b₁g₂Q)/J,
//   ∂Q_ij/∂F_kl = 2F_ij F_kl + δ_ik(I₁δ_jl − C_jl) − F_il F_kj − (FFᵀ)_ik δ_jl                  (7)
#pragma once

#include <fmt/format.h>

#include <cmath>

#include "lilyan/material/detail/determinant.hpp"
#include "lilyan/material/detail/strain_invariants.hpp"
#include "lilyan/material/material.hpp"
#include "lilyan/numeric/lanes.hpp"
#include "lilyan/numeric/mat3.hpp"

namespace lilyan {

struct MooneyRivlin {
  static constexpr bool kBarrier = true;  // infinite at J = 0
  double a1;
  double b1;
  double bulk;  // K

  template <class T>
  [[nodiscard]] T energy(const Mat3<T>& F) const {
    const StrainInvariants<T> strain(F);
    const T g = inverse_cube_root(strain.J);
    const T g1 = g * g;
    // J^(−2/3) − 1 from its cube, 1/J²
    const T less = -strain.J_square / (strain.J * strain.J * (1.0 + g1 * (1.0 + g1)));
    const T first = g1 * strain.I1 + 3.0 * less;
    const T second = g1 * g1 * strain.I2 + 3.0 * less * (1.0 + g1);
    return a1 * first + b1 * second +
           (0.5 * bulk) * (0.5 * strain.J_square - strain.log_det());  // (1)
  }

  template <class T>
  [[nodiscard]] Mat3<T> stress(const Mat3<T>& F) const {
    const Terms<T> t(*this, F);
    Mat3<T> P;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        P(i, j) = t.wa * F(i, j) + t.wb * t.Q(i, j) + t.first * t.cof(i, j);  // (5)
      }
    }
    return P;
  }

  template <class T>
  void add_tangent(const Mat3<T>& F, const T& weight, Sym9<T>& a) const {
    const Terms<T> t(*this, F);
    const Mat3<T> B = outer_gram(F);
    const T wa = weight * t.wa;
    const T wb = weight * t.wb;
    const T inverse = weight / t.J;
    const T second = inverse / t.J * t.second_numerator(bulk);
    Mat3<T> N;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        N(i, j) = inverse * ((-2.0 / 3) * t.wa * F(i, j) - (4.0 / 3) * t.wb * t.Q(i, j));
      }
    }
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        for (int k = i; k < 3; ++k) {
          for (int l = (k == i ? j : 0); l < 3; ++l) {
            T v = wb * (2.0 * F(i, j) * F(k, l) - F(i, l) * F(k, j)) + N(i, j) * t.cof(k, l) +
                  t.cof(i, j) * N(k, l);
            if (i == k) v -= wb * t.C(j, l);
            if (j == l) v -= wb * B(i, k);
            if (i == k && j == l) v += wa + wb * t.I1;
            a.a[3 * i + j][3 * k + l] += v;  // (6), (7)
          }
        }
      }
    }
    add_determinant_tangent(F, t.cof, weight * t.first, second, a);
  }

  // Throws ParameterError for values that make no sense.
  static MooneyRivlin read(const Parameters& given) {
    if (given.has("a1") || given.has("b1") || given.has("bulk")) return from_coefficients(given);
    const auto [mu, lambda] = lame(given);
    double ratio = 0.2;  // b₁/(a₁ + b₁): a common fit of rubber
    if (given.has("ratio")) {
      ratio = given.number("ratio");
      if (!(ratio >= 0 && ratio <= 1)) {
        throw ParameterError("ratio", "ratio must be in [0, 1]");
      }
    }
    return {0.5 * mu * (1 - ratio), 0.5 * mu * ratio, lambda + 2 * mu / 3};
  }

  static std::vector<ParameterSpec> parameters() {
    std::vector<ParameterSpec> all = lame_parameters();
    all.push_back({"ratio", "b1/(a1 + b1), in [0, 1], with mu or young; default 0.2", {}});
    all.push_back({"a1", "coefficient a₁ ≥ 0; with b1 and bulk instead of all others", {}});
    all.push_back({"b1", "coefficient b₁ ≥ 0; the shear modulus is 2(a1 + b1)", {}});
    all.push_back({"bulk", "bulk modulus K, > 0", {}});
    return all;
  }

  [[nodiscard]] static MaterialInfo info() {
    return {.name = "mooney-rivlin",
            .summary = "compressible Mooney–Rivlin; infinite energy at inversion",
            .citation = "Mooney 1940, Rivlin 1948",
            .formula = "ψ = a₁(J^{−2/3} I₁ − 3) + b₁(J^{−4/3} I₂ − 3) + (K/2)(½(J² − 1) − ln J)",
            .use = "rubber whose two coefficients are known from measurements",
            .parameters = parameters(),
            .make = [](const TetShape& shape, const Parameters& given) {
              return make_tets(read(given), shape);
            }};
  }

 private:
  static MooneyRivlin from_coefficients(const Parameters& given) {
    for (const char* other : {"mu", "lambda", "young", "poisson", "ratio"}) {
      if (given.has(other)) {
        throw ParameterError(
            "", fmt::format("give either a1, b1 and bulk or {} with its partner, not both", other));
      }
    }
    for (const char* name : {"a1", "b1", "bulk"}) {
      if (!given.has(name)) {
        throw ParameterError("",
                             fmt::format("{} is missing: a1, b1 and bulk belong together", name));
      }
    }
    const auto coefficient = [&](const char* name) {
      const double value = given.number(name);
      if (!(value >= 0) || !std::isfinite(value)) {
        throw ParameterError(name, fmt::format("{} must not be negative", name));
      }
      return value;
    };
    const MooneyRivlin m{coefficient("a1"), coefficient("b1"), coefficient("bulk")};
    if (!(m.a1 + m.b1 > 0)) throw ParameterError("a1", "a1 and b1 must not both be zero");
    if (!(m.bulk > 0)) throw ParameterError("bulk", "bulk must be positive");
    return m;
  }

  template <class T>
  struct Terms {
    Mat3<T> cof, C, Q;
    T J, I1;
    T wa, wb;          // 2a₁g₁, 2b₁g₂
    T part_a, part_b;  // a₁g₁I₁, b₁g₂I₂
    T first;           // s

    Terms(const MooneyRivlin& m, const Mat3<T>& F) : cof(cofactor(F)), C(gram(F)) {
      J = determinant(F, cof);
      I1 = C(0, 0) + C(1, 1) + C(2, 2);
      Q = multiply(F, C);
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) Q(i, j) = I1 * F(i, j) - Q(i, j);  // (2)
      }
      const T g = inverse_cube_root(J);
      const T g1 = g * g;
      wa = (2 * m.a1) * g1;
      wb = (2 * m.b1) * (g1 * g1);
      part_a = 0.5 * wa * I1;
      part_b = 0.5 * wb * squared_norm(cof);
      first =
          ((-2.0 / 3) * part_a - (4.0 / 3) * part_b + (0.5 * m.bulk) * (J * J - 1.0)) / J;  // (3)
    }
    // J² t
    [[nodiscard]] T second_numerator(double bulk) const {
      return (10.0 / 9) * part_a + (28.0 / 9) * part_b + (0.5 * bulk) * (J * J + 1.0);  // (4)
    }
  };
};

}  // namespace lilyan
