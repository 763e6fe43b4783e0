// The matrix of an iteration for the discrete gradient of tetrahedra, and the stress that it is about
// (BalanceEvaluation in model/energy.hpp).
//
// With a = ∂S̄/∂C₁ (tet_discrete_kernel.hpp) and δC = F½ᵀδF + δFᵀF½, the change of C by δF as if the end of the
// step were its middle, an element's part of the matrix is the quadratic form in δF
//   s δF : F½ (a : δC) + ½ δF : δF σ,                                                          (1)
// symmetric because a is. The second term is the geometric part: turning the forces with the element.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "lilyan/assemble/tet_discrete_kernel.hpp"

namespace lilyan {

inline constexpr int kStressNumbers = 6;  // of a tet, in the order of Sym3

// Where the stresses of a group's lanes are.
inline std::ptrdiff_t stress_of(std::ptrdiff_t group) { return group * (kStressNumbers * kLanes); }

template <AnyPack P>
inline Sym3<P> load_stress(const double* of_group, int lane) {
  Sym3<P> sigma;
  for (int m = 0; m < kStressNumbers; ++m) sigma.s[m] = load<P>(of_group + m * kLanes + lane);
  return sigma;
}

template <AnyPack P>
inline void store_stress(const Sym3<P>& sigma, double* of_group, int lane) {
  for (int m = 0; m < kStressNumbers; ++m) {
    std::memcpy(of_group + m * kLanes + lane, &sigma.s[m], sizeof(P));
  }
}

// (1) of the part's tets; `first` is the number of tets before it. Out of line: no material enters it.
template <AnyPack P>
void add_balanced_blocks(const TetPart<P>& part, const Mat3<P>& middle, const StressByStrain<P>& a,
                         const Sym3<P>& sigma, std::ptrdiff_t first, const BalanceEvaluation& at);

template <class Material, AnyPack P>
inline void balance_part(const MeanStressLaw<Material>& law, const TetPart<P>& part,
                         std::ptrdiff_t first, const BalanceEvaluation& at, std::ptrdiff_t group) {
  using Task = BalanceEvaluation::Task;
  const Mat3<P> G = part.inverse_rest();
  Mat3<P> dF = zero3<P>();
  if (at.d) dF = multiply(gather_edges(part, at.d), G);
  const StrainStep<P> step(multiply(gather_edges(part, at.x0), G), dF);
  if (at.task == Task::matrix) {
    const MeanStress<P> mean = law(step, Slope::whole);
    return add_balanced_blocks(part, step.middle, mean.by_strain,
                               load_stress<P>(at.stress + stress_of(group), part.lane), first, at);
  }
  MeanStress<P> mean;
  if (at.along) {
    mean = law(step, Slope::along,
               twice_symmetric(step.middle, multiply(gather_edges(part, at.along), G)));
    for (int m = 0; m < kStressNumbers; ++m) mean.S.s[m] += at.stiffening * mean.change.s[m];
  } else {
    mean = law(step);
  }
  store_stress(mean.S, at.renewed + stress_of(group), part.lane);
}

template <class Material>
void balance_chunk(const MeanStressLaw<Material>& law, const TetChunks& tets, const TetChunk& chunk,
                   BalanceEvaluation at) {
  const BalanceEvaluation all = at;
  for (int b = chunk.first_batch; b < chunk.last_batch; ++b) {
    const TetBatch& batch = tets.batches[static_cast<std::size_t>(b)];
    at.x0 = take_vertices(tets, batch, all.x0, BatchVector::x0);
    at.d = take_vertices(tets, batch, all.d, BatchVector::d);
    at.along = take_vertices(tets, batch, all.along, BatchVector::rest);
    on_best_lanes([&]<int kWidth>(Lanes<kWidth>) {
      std::ptrdiff_t first = batch.tets.first_tet;
      for (int k = batch.tets.first_group; k < batch.tets.last_group; ++k, first += kLanes) {
        for (int lane = 0; lane < kLanes && first + lane < batch.tets.last_tet; lane += kWidth) {
          const int left = static_cast<int>(batch.tets.last_tet - first) - lane;
          const TetPart<PackOf<kWidth>> part{tets.groups[static_cast<std::size_t>(k)], lane,
                                             std::min(kWidth, left)};
          balance_part(law, part, first + lane, at, k);
        }
      }
    });
  }
}

}  // namespace lilyan
