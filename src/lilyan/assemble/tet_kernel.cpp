// The parts of the loops over tetrahedra that no material enters, compiled once. Packs are handed
// over in memory: how functions pass them in registers depends on the instruction set.
#include "lilyan/assemble/tet_kernel.hpp"

#include <algorithm>

#include "lilyan/assemble/project.hpp"
#include "lilyan/assemble/tet_balance_kernel.hpp"
#include "lilyan/assemble/tet_discrete_kernel.hpp"
#include "lilyan/numeric/unrolled.hpp"

namespace lilyan {

namespace {

// tangent += m Σ_a (X_a − X̄)(X_a − X̄)ᵀ ⊗ I, the quadratic form in F of the motion of a tet's vertices relative
// to their centre, each with the mass m. With D_m = G⁻¹ the sum is D_m (I − ¼ 1 1ᵀ) D_mᵀ.
template <AnyPack P>
void add_inertia(const TetPart<P>& part, const double* lent, Sym9<P>& tangent) {
  P mass = {};
  for (int lane = 0; lane < part.used; ++lane) mass[lane] = lent[lane];
  const Mat3<P> G = part.inverse_rest();
  const Mat3<P> cof = cofactor(G);
  const P inverse = 1.0 / determinant(G, cof);
  Mat3<P> edges;  // D_m
  for (int i = 0; i < 3; ++i) {
    for (int a = 0; a < 3; ++a) edges(i, a) = inverse * cof(a, i);
  }
  P sum[3];
  for (int i = 0; i < 3; ++i) sum[i] = edges(i, 0) + edges(i, 1) + edges(i, 2);
  const Mat3<P> squares = multiply_transposed(edges, edges);
  for (int j = 0; j < 3; ++j) {
    for (int l = j; l < 3; ++l) {
      const P entry = mass * (squares(j, l) - 0.25 * sum[j] * sum[l]);
      for (int i = 0; i < 3; ++i) tangent.a[3 * i + j][3 * i + l] += entry;
    }
  }
}

}  // namespace

template <AnyPack P>
void add_projection(const TetPart<P>& part, Sym9<P>& tangent, std::ptrdiff_t first,
                    const Evaluation& at) {
  if (at.lent_mass) {
    on_best_lanes([&](auto) { add_inertia(part, at.lent_mass + first, tangent); });
  }
  const Sym9<P> before = tangent;
  if (!raise_negative_eigenvalues(tangent, at.projection)) return;
  on_best_lanes([&](auto) {
    for (int i = 0; i < 9; ++i) {
      for (int j = i; j < 9; ++j) tangent.a[i][j] -= before.a[i][j];
    }
    TetBlocks<P> blocks;
    transform_tangent(tangent, part.inverse_rest(), blocks.inner);
    blocks.complete();
    scatter_hessian(part, blocks, at.slots->position.data() + 10 * first,
                    at.slots->column_length.data() + 4 * first, at.slots->end, at.hessian);
  });
}

template <AnyPack P>
void add_stress_slope(const Sym9<P>& A, const CholeskyFactor<P>& factor, const Sym3<P>& S,
                      double weight, StressByStrain<P>& d) {
  on_best_lanes([&](auto) { add_stress_derivative(A, factor, S, weight, d); });
}

template <AnyPack P>
void add_stress_along(const Sym9<P>& A, const CholeskyFactor<P>& factor, const Sym3<P>& S,
                      double weight, const Sym3<P>& dC, Sym3<P>& d) {
  on_best_lanes([&](auto) { add_stress_change(A, factor, S, weight, dC, d); });
}

namespace {

// weight · (1) of tet_balance_kernel.hpp as a matrix over the components of δF.
template <AnyPack P>
void balanced_tangent(const Mat3<P>& middle, const StressByStrain<P>& a, const Sym3<P>& sigma,
                      double stiffening, const P& weight, Sym9<P>& tangent) {
  // With b_pj,ql = ∂S̄_pj/∂C₁_ql, (1) is 2 s (F½ᵀδF) : b : (F½ᵀδF).
  P half[9][6];  // F½ b
  unrolled<3>([&](auto i) {
    unrolled<3>([&](auto j) {
      unrolled<6>([&](auto n) {
        P sum = {};
        unrolled<3>([&](auto p) {
          constexpr int m = Sym3<P>::index(std::min<int>(p, j), std::max<int>(p, j));
          sum += middle(i, p) * a.at(m, n);
        });
        half[3 * i + j][n] = (2 * stiffening * weight) * sum;
      });
    });
  });
  const P geometric = 0.5 * weight;
  unrolled<9>([&](auto ij) {
    unrolled<ij, 9>([&](auto kl) {
      constexpr int l = kl % 3;
      P sum = {};
      unrolled<3>([&](auto q) {
        constexpr int n = Sym3<P>::index(std::min<int>(q, l), std::max<int>(q, l));
        sum += half[ij][n] * middle(kl / 3, q);
      });
      if constexpr (ij / 3 == kl / 3) {
        sum += geometric * sigma(std::min<int>(ij % 3, l), std::max<int>(ij % 3, l));
      }
      tangent.a[ij][kl] = sum;
    });
  });
}

}  // namespace

template <AnyPack P>
void add_balanced_blocks(const TetPart<P>& part, const Mat3<P>& middle, const StressByStrain<P>& a,
                         const Sym3<P>& sigma, std::ptrdiff_t first, const BalanceEvaluation& at) {
  Sym9<P> tangent;
  on_best_lanes([&](auto) {
    balanced_tangent(middle, a, sigma, at.stiffening, at.weight * part.volume(), tangent);
  });
  if (at.projection > 0) {
    Sym9<P> raised = tangent;
    if (at.lent_mass) {
      on_best_lanes([&](auto) { add_inertia(part, at.lent_mass + first, raised); });
    }
    const Sym9<P> before = raised;
    if (raise_negative_eigenvalues(raised, at.projection)) {
      for (int i = 0; i < 9; ++i) {
        for (int j = i; j < 9; ++j) tangent.a[i][j] += raised.a[i][j] - before.a[i][j];
      }
    }
  }
  on_best_lanes([&](auto) {
    TetBlocks<P> blocks;
    transform_tangent(tangent, part.inverse_rest(), blocks.inner);
    blocks.complete();
    scatter_hessian(part, blocks, at.slots->position.data() + 10 * first,
                    at.slots->column_length.data() + 4 * first, at.slots->end, at.hessian);
  });
}

// All widths, because materials of users may be compiled for another processor than the library.
#define LILYAN_INSTANTIATE(P)                                                                      \
  template void add_projection(const TetPart<P>&, Sym9<P>&, std::ptrdiff_t, const Evaluation&);    \
  template void add_stress_slope(const Sym9<P>&, const CholeskyFactor<P>&, const Sym3<P>&, double, \
                                 StressByStrain<P>&);                                              \
  template void add_stress_along(const Sym9<P>&, const CholeskyFactor<P>&, const Sym3<P>&, double, \
                                 const Sym3<P>&, Sym3<P>&);                                        \
  template void add_balanced_blocks(const TetPart<P>&, const Mat3<P>&, const StressByStrain<P>&,   \
                                    const Sym3<P>&, std::ptrdiff_t, const BalanceEvaluation&);
LILYAN_INSTANTIATE(PackOf<8>)
LILYAN_INSTANTIATE(PackOf<4>)
LILYAN_INSTANTIATE(PackOf<2>)
#undef LILYAN_INSTANTIATE

}  // namespace lilyan
