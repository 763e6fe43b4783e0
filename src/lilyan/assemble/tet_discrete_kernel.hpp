// The discrete gradient of tetrahedra's elastic energy.
//
// Simo, Tarnow: The discrete energy-momentum method, ZAMP 43, 1992 (St. Venant–Kirchhoff);
// Gonzalez: Exact energy and momentum conserving algorithms for general models in nonlinear
// elasticity, CMAME 190, 2000 (any hyperelastic material).
//
// Between F₀ and F₁ = F₀ + dF, with F½ their mean, C = FᵀF and ΔC = C₁ − C₀, each element has
//   P̄ = F½ S̄                                                                                    (1)
// where S̄ is a discrete gradient of ψ as a function of C:  ½ S̄ : ΔC = ψ₁ − ψ₀. Then
//   P̄ : dF = S̄ : F½ᵀdF = ½ S̄ : ΔC = ψ₁ − ψ₀,
// which is conservation of energy, and P̄ F½ᵀ is symmetric, so that the forces have no torque about
// the midpoint configuration: conservation of angular momentum. Both come of working in C.
//
// ψ quadratic in C:  S̄ = S(½(C₀+C₁)), exact by the linearity of S.                              (2)
// Otherwise Gauss's rule in C and Gonzalez's correction of what it leaves:
//   S_g = Σ w_k S(C₀ + θ_k ΔC)                                                                  (3)
//   S̄  = S_g + 2κ ΔC,   κ = (ψ₁ − ψ₀ − ½ S_g : ΔC)/‖ΔC‖²                                        (4)
//
// The quotient κ turns the rounding error of ψ, some ε of its stiffness μ, into an error εμ/‖ΔC‖ of
// the stress, which small steps would feel. But with n points the correction itself is of order 2n
// in ΔC: for a term −μ ln J the energy it supplies is, with ρ = ‖C^{-½} ΔC C^{-½}‖, at most
//   μ (n!)⁴/((2n+1) ((2n)!)²) ρ²ⁿ⁺¹,  for three points  4e-4 μ ρ⁷:                              (5)
// 4e-18 μ at ρ = 0.01, below the rounding error of ψ itself. Below that it is left out, and above
// it the error of the stress is at most 100 ε μ.
//
// Inverted elements. Where ψ(F) notices inversion, S(C) is one function for J > 0 and another for
// J < 0. The points of (3) take the side of J₀ + J₁, a choice that rotations and the exchange of
// start and end do not change, and ψ₁ and ψ₀ in (4) each its own. So an element that is inverted
// all along is integrated as accurately as any. In the step in which it turns inside out the energy
// and momenta are still exact, but (4) has to supply what (3) cannot know: its stress is rough, and
// where C hardly changes, as from an element to its mirror image, there is none of the form (1)
// that does the work. Such a step may have no solution; it fails, as every step does for a material
// that is infinite at J = 0.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <span>

#include "lilyan/assemble/strain_stress.hpp"
#include "lilyan/assemble/tet_kernel.hpp"
#include "lilyan/model/energy_discrete_gradient.hpp"
#include "lilyan/numeric/lanes.hpp"
#include "lilyan/numeric/mat3.hpp"

namespace lilyan {

template <class Material>
concept QuadraticInStrain = requires {
  requires Material::kQuadraticInStrain;
};

// S̄ of each lane's tet and, where asked for, the derivative of S_g by C₁, which is symmetric ((4) has a part of
// its own, of higher order in ΔC), or only what it makes of one change of C₁.
enum class Slope { none, whole, along };
template <AnyPack P>
struct MeanStress {
  Sym3<P> S;
  StressByStrain<P> by_strain;
  Sym3<P> change;
};

// An element's S̄ depends on this.
template <AnyPack P>
struct StrainStep {
  Mat3<P> start, middle, end;  // F₀, F½, F₁
  Sym3<P> C0, change;          // C₀, ΔC
  P side;                      // sign of J₀ + J₁

  StrainStep(const Mat3<P>& F0, const Mat3<P>& dF) : start(F0) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        middle(i, j) = F0(i, j) + 0.5 * dF(i, j);
        end(i, j) = F0(i, j) + dF(i, j);
      }
    }
    const Mat3<P> gram0 = gram(F0);
    for (int i = 0; i < 3; ++i) {
      for (int j = i; j < 3; ++j) C0(i, j) = gram0(i, j);
    }
    change = twice_symmetric(middle, dF);  // = C₁ − C₀, without its cancellation
    const P one = constant<P>(1);
    side = determinant(start) + determinant(end) < 0.0 ? -one : one;
  }

  [[nodiscard]] Sym3<P> strain(double theta) const {
    Sym3<P> C;
    for (int m = 0; m < 6; ++m) C.s[m] = C0.s[m] + theta * change.s[m];
    return C;
  }
};

// add_stress_derivative and add_stress_change (strain_stress.hpp) out of line: no material enters them.
template <AnyPack P>
void add_stress_slope(const Sym9<P>& A, const CholeskyFactor<P>& factor, const Sym3<P>& S,
                      double weight, StressByStrain<P>& d);
template <AnyPack P>
void add_stress_along(const Sym9<P>& A, const CholeskyFactor<P>& factor, const Sym3<P>& S,
                      double weight, const Sym3<P>& dC, Sym3<P>& d);

// (3), (4).
template <class Material>
class MeanStressLaw {
 public:
  explicit MeanStressLaw(const Material& material) : material_(material) {}

  template <AnyPack P>
  [[nodiscard]] MeanStress<P> operator()(const StrainStep<P>& at, Slope slope = Slope::none,
                                         const Sym3<P>& dC = {}) const {
    // Three-point Gauss on [0, 1].
    constexpr double kOuter = 0.11270166537925831148;  // ½ − √(3/20)
    constexpr double kThetas[] = {kOuter, 0.5, 1 - kOuter};
    constexpr double kWeights[] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    constexpr double kSmall = 1e-2;  // ρ of (5)

    MeanStress<P> mean{};
    Sym3<P>& S = mean.S;
    P rho2 = {};
    for (int k = 0; k < 3; ++k) {
      const CholeskyFactor<P> factor(at.strain(kThetas[k]), at.side);
      const Sym3<P> Sk = second_stress(material_, factor);
      for (int m = 0; m < 6; ++m) S.s[m] += kWeights[k] * Sk.s[m];  // (3)
      if (slope != Slope::none) {
        const double weight = kWeights[k] * kThetas[k];
        const Sym9<P> A = weighted_tangent(material_, factor, weight);
        if (slope == Slope::whole) {
          add_stress_slope(A, factor, Sk, weight, mean.by_strain);
        } else {
          add_stress_along(A, factor, Sk, weight, dC, mean.change);
        }
      }
      if (k == 1) {
        const Sym3<P> relative = factor.relative(at.change);
        rho2 = contract(relative, relative);
      }
    }
    const P square = contract(at.change, at.change);
    const P defect =
        material_.energy(at.end) - material_.energy(at.start) - 0.5 * contract(S, at.change);
    // Where ψ is not a number, zero must not be put in its place.
    const auto large = rho2 > kSmall * kSmall;
    const P zero = 0.0 * defect;
    const P kappa = large ? defect / square : zero;

    for (int m = 0; m < 6; ++m) S.s[m] += 2.0 * kappa * at.change.s[m];  // (4)
    return mean;
  }

 private:
  const Material& material_;
};

// (2). S is linear in C, so it is known everywhere from C = I: also where an element is flat and C
// has no Cholesky factor.
template <QuadraticInStrain Material>
class MeanStressLaw<Material> {
 public:
  explicit MeanStressLaw(const Material& material) {
    const CholeskyFactor<double> identity(Sym3<double>{{1, 1, 1, 0, 0, 0}}, 1.0);
    rest_ = second_stress(material, identity);
    add_stress_derivative(weighted_tangent(material, identity, 1), identity, rest_, 1, slope_);
  }

  template <AnyPack P>
  [[nodiscard]] MeanStress<P> operator()(const StrainStep<P>& at, Slope slope = Slope::none,
                                         const Sym3<P>& dC = {}) const {
    MeanStress<P> mean{};
    Sym3<P> strain = at.strain(0.5);
    for (int m = 0; m < 3; ++m) strain.s[m] -= 1.0;
    mean.S = slope_.times(strain);
    for (int m = 0; m < 6; ++m) mean.S.s[m] += rest_.s[m];
    if (slope == Slope::along) {
      mean.change = slope_.times(dC);
      for (P& change : mean.change.s) change *= 0.5;
    } else if (slope == Slope::whole) {
      for (int m = 0; m < 6; ++m) {
        for (int n = m; n < 6; ++n) mean.by_strain.a[m][n] = constant<P>(0.5 * slope_.a[m][n]);
      }
    }
    return mean;
  }

 private:
  Sym3<double> rest_{};
  StressByStrain<double> slope_{};
};

template <class Material, AnyPack P>
inline void store_discrete_gradient(const MeanStressLaw<Material>& law, const TetPart<P>& part,
                                    const DiscreteEvaluation& at, double* forces) {
  const Mat3<P> G = part.inverse_rest();
  const StrainStep<P> step(multiply(gather_edges(part, at.x0), G),
                           multiply(gather_edges(part, at.d), G));
  const MeanStress<P> mean = law(step);
  Mat3<P> stress = zero3<P>();  // (1)
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int p = 0; p < 3; ++p) stress(i, j) += step.middle(i, p) * mean.S(p, j);
      stress(i, j) *= at.gradient_weight * part.volume();
    }
  }
  store_forces(part, stress, G, forces);
}

template <class Material>
void discrete_gradient_of_chunk(const MeanStressLaw<Material>& law, const TetChunks& tets,
                                const TetChunk& chunk, const DiscreteEvaluation& all) {
  const auto evaluate = [&](const TetBatch& batch, const DiscreteEvaluation& at, double* forces) {
    on_best_lanes([&]<int kWidth>(Lanes<kWidth>) {
      std::ptrdiff_t first = batch.tets.first_tet;
      double* rows = forces;
      for (int k = batch.tets.first_group; k < batch.tets.last_group; ++k, first += kLanes) {
        for (int lane = 0; lane < kLanes && first + lane < batch.tets.last_tet; lane += kWidth) {
          const int left = static_cast<int>(batch.tets.last_tet - first) - lane;
          const TetPart<PackOf<kWidth>> part{tets.groups[static_cast<std::size_t>(k)], lane,
                                             std::min(kWidth, left)};
          store_discrete_gradient(law, part, at, rows);
        }
        rows += kForceRow * kGroupRows;
      }
    });
    return 0.0;
  };
  sum_over_batches(tets, chunk, all, evaluate);
}

}  // namespace lilyan
