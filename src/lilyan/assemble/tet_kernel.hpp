// The hot loop over tetrahedra: elements outside, nodes inside, one scatter.
//
// F is linear in x, so along the path x₀ + θ d it is F₀ + θ dF. Stress and tangent are summed over
// the nodes, which is cheap; the expensive transformation to vertices (vertex_blocks.hpp) and the
// scatter happen once however many nodes there are. With gᵃ the gradient of the shape function of
// vertex a,
//   ∂E/∂x_a = V P gᵃ,   Σ_a gᵃ = 0.
//
// The loop is compiled for every material, so it holds only what a material enters; the rest is in
// tet_kernel.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "lilyan/assemble/tet_lanes.hpp"
#include "lilyan/assemble/vertex_blocks.hpp"
#include "lilyan/model/energy.hpp"
#include "lilyan/numeric/dispatch.hpp"
#include "lilyan/numeric/lanes.hpp"
#include "lilyan/numeric/mat3.hpp"

namespace lilyan {

// The purpose of an evaluation. It is known when compiling, so that a material's energy and stress become
// one stretch of code, in which what they have in common is computed once.
struct TetWants {
  bool value = false;
  bool gradient = false;
  bool hessian = false;
  int nodes = 0;  // how many, if known: 1 or 2
  // Only what raising negative eigenvalues adds to the Hessian: nothing at all, to the bit, for
  // tets that have none.
  bool projection = false;
};

// Sums over the nodes, without the volume in the value.
template <TetWants kWants, class Material, AnyPack P>
struct TetSums {
  using Blocks = typename decltype([] {
    if constexpr (HasBlocks<Material, P> && !kWants.projection) {
      return std::type_identity<typename Material::template Blocks<P>>{};
    } else {
      return std::type_identity<TangentBlocks<P>>{};
    }
  }())::type;
  struct None {};

  P value = {};
  Mat3<P> stress;
  [[no_unique_address]] std::conditional_t<kWants.hessian || kWants.projection, Blocks, None>
      blocks;

  // kBefore is 0 for the first node, 1 for the second, 2 for all that follow.
  template <int kBefore>
  void add(const Material& material, const Mat3<P>& F, const Mat3<P>& G, const P& volume,
           const WeightedNode& node) {
    if constexpr (kWants.value) accumulate<kBefore == 0>(value, node.value * material.energy(F));
    if constexpr (kWants.gradient) {
      const Mat3<P> first = material.stress(F);
      const P weight = node.gradient * volume;
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) accumulate<kBefore == 0>(stress(i, j), weight * first(i, j));
      }
    }
    if constexpr (kWants.hessian || kWants.projection) {
      blocks.template add<kBefore>(material, F, G, node.hessian * volume);
    }
  }
};

// a + s b
template <class T>
inline Mat3<T> add_scaled(const Mat3<T>& a, double s, const Mat3<T>& b) {
  Mat3<T> r;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) r(i, j) = a(i, j) + s * b(i, j);
  }
  return r;
}

// Whether c₀ + c₁θ + c₂θ² + c₃θ³ falls to zero or below somewhere in [0, 1].
inline bool falls_to_zero(double c0, double c1, double c2, double c3) {
  if (!(c0 > 0 && c0 + c1 + c2 + c3 > 0)) return true;
  // Between its values at the ends and these two numbers (Bernstein's coefficients) the cubic stays.
  if (3 * c0 + c1 >= 0 && 3 * c0 + 2 * c1 + c2 >= 0) return false;
  const double discriminant = c2 * c2 - 3 * c3 * c1;
  if (!(discriminant > 0)) return false;  // monotonic
  const double q = -(c2 + std::copysign(std::sqrt(discriminant), c2));
  const auto below = [&](double theta) {
    return theta > 0 && theta < 1 && !(((c3 * theta + c2) * theta + c1) * theta + c0 > 0);
  };
  return below(q / (3 * c3)) || below(c1 / q);
}

// Materials whose energy is infinite at J = 0 say so. Between the nodes of an average a path could pass
// through J < 0 without being seen.
template <class Material>
concept HasBarrier = Material::kBarrier;

// Infinite in lanes in which J = det(F₀ + θ dF) reaches zero on the way from θ = 0 to 1, zero in others.
template <AnyPack P>
inline P blocked_path(const Mat3<P>& F0, const Mat3<P>& dF, const P& volume) {
  const Mat3<P> c = cofactor(F0);
  const Mat3<P> dc = cofactor(dF);
  const P c0 = determinant(F0, c);
  const P c3 = determinant(dF, dc);
  P c1 = {}, c2 = {};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      c1 += c(i, j) * dF(i, j);
      c2 += dc(i, j) * F0(i, j);
    }
  }
  P blocked = {};
  for (int lane = 0; lane < lanes_of<P>; ++lane) {
    if (volume[lane] > 0 && falls_to_zero(c0[lane], c1[lane], c2[lane], c3[lane])) {
      blocked[lane] = std::numeric_limits<double>::infinity();
    }
  }
  return blocked;
}

template <TetWants kWants, AnyPack P, class Material>
inline void sum_over_nodes(const Material& material, const TetPart<P>& part, const Mat3<P>& G,
                           const Evaluation& at, TetSums<kWants, Material, P>& sums) {
  const P volume = part.volume();
  Mat3<P> edges = gather_edges(part, at.x0);
  if constexpr (kWants.nodes == 1) {
    const WeightedNode& node = at.nodes[0];
    if (at.d) edges = add_scaled(edges, node.theta, gather_edges(part, at.d));
    sums.template add<0>(material, multiply(edges, G), G, volume, node);
  } else {
    const Mat3<P> F0 = multiply(edges, G);
    Mat3<P> dF = zero3<P>();
    if (at.d) dF = multiply(gather_edges(part, at.d), G);
    sums.template add<0>(material, add_scaled(F0, at.nodes[0].theta, dF), G, volume, at.nodes[0]);
    const auto more = [&]<int kBefore>(const WeightedNode& node) {
      sums.template add<kBefore>(material, add_scaled(F0, node.theta, dF), G, volume, node);
    };
    if constexpr (kWants.nodes == 2) {
      more.template operator()<1>(at.nodes[1]);
    } else if constexpr (kWants.projection) {
      for (const WeightedNode& node : at.nodes.subspan(1)) more.template operator()<2>(node);
    } else if (at.nodes.size() > 1) {
      more.template operator()<1>(at.nodes[1]);
      for (const WeightedNode& node : at.nodes.subspan(2)) more.template operator()<2>(node);
    }
    if constexpr (kWants.value && HasBarrier<Material>) {
      if (at.d) sums.value += blocked_path(F0, dF, volume);
    }
  }
}

// at.hessian += what raising the negative eigenvalues of each lane's tangent (a sum over the nodes)
// by the share at.projection adds to the blocks of the part's tets. `first` is the number of tets
// before the part. The tangent is overwritten.
template <AnyPack P>
void add_projection(const TetPart<P>& part, Sym9<P>& tangent, std::ptrdiff_t first,
                    const Evaluation& at);

// One part of a group; `first` is the number of tets before it, `forces` where the group's rows
// are. Returns each lane's part of the value.
template <TetWants kWants, AnyPack P, class Material>
inline P evaluate_part(const Material& material, const TetPart<P>& part, std::ptrdiff_t first,
                       const Evaluation& at, double* forces) {
  const Mat3<P> G = part.inverse_rest();
  TetSums<kWants, Material, P> sums;
  sum_over_nodes(material, part, G, at, sums);
  if constexpr (kWants.gradient) store_forces(part, sums.stress, G, forces);
  if constexpr (kWants.projection) add_projection(part, sums.blocks.tangent, first, at);
  if constexpr (kWants.hessian) {
    TetBlocks<P> blocks;
    sums.blocks.template finish<kWants.nodes == 1>(G, blocks.inner);
    blocks.complete();
    scatter_hessian(part, blocks, at.slots->position.data() + 10 * first,
                    at.slots->column_length.data() + 4 * first, at.slots->end, at.hessian);
  }
  return part.volume() * sums.value;
}

// Forces are not added to a gradient but stored, group after group.
template <TetWants kWants, AnyPack P, class Material>
inline double evaluate_groups(const Material& material, const TetGroup* groups,
                              const TetChunk& chunk, const Evaluation& at, double* forces) {
  P total = {};
  std::ptrdiff_t first = chunk.first_tet;
  for (int k = chunk.first_group; k < chunk.last_group; ++k, first += kLanes) {
    for (int lane = 0; lane < kLanes && first + lane < chunk.last_tet; lane += lanes_of<P>) {
      const int left = static_cast<int>(chunk.last_tet - first) - lane;
      const TetPart<P> part{groups[k], lane, std::min(lanes_of<P>, left)};
      total += evaluate_part<kWants>(material, part, first + lane, at, forces);
    }
    if constexpr (kWants.gradient) forces += kForceRow * kGroupRows;
  }
  return lane_sum(total);
}

// Some tets, for whatever is asked for: value and gradient in one loop, the Hessian in another. A
// single node has loops of its own, which are a tenth faster without sums; so have the Hessians of
// two nodes, AVF's default, by a twentieth.
// Forces are wanted where at.gradient is not null, and stored.
template <class Material>
double evaluate_tets(const Material& material, const TetGroup* groups, const TetChunk& chunk,
                     const Evaluation& at, double* forces) {
  const auto run = [&]<TetWants kWants>() {
    return on_best_lanes([&]<int kWidth>(Lanes<kWidth>) {
      return evaluate_groups<kWants, PackOf<kWidth>>(material, groups, chunk, at, forces);
    });
  };
  const auto evaluate = [&]<int kNodes>() {
    if (at.want_value && at.gradient) {
      return run.template operator()<TetWants{.value = true, .gradient = true, .nodes = kNodes}>();
    }
    if (at.gradient) return run.template operator()<TetWants{.gradient = true, .nodes = kNodes}>();
    if (at.want_value) return run.template operator()<TetWants{.value = true, .nodes = kNodes}>();
    return 0.0;
  };
  const std::size_t nodes = at.nodes.size();
  if (nodes == 0) return 0;
  if (at.hessian) {
    if (at.projection > 0) run.template operator()<TetWants{.projection = true}>();
    if (nodes == 1) {
      run.template operator()<TetWants{.hessian = true, .nodes = 1}>();
    } else if (nodes == 2) {
      run.template operator()<TetWants{.hessian = true, .nodes = 2}>();
    } else {
      run.template operator()<TetWants{.hessian = true}>();
    }
  }
  return nodes == 1 ? evaluate.template operator()<1>() : evaluate.template operator()<0>();
}

// The tets of a chunk, batch by batch.
template <class Material>
double evaluate_chunk(const Material& material, const TetChunks& tets, const TetChunk& chunk,
                      const Evaluation& all) {
  return sum_over_batches(
      tets, chunk, all, [&](const TetBatch& batch, const Evaluation& at, double* forces) {
        return evaluate_tets(material, tets.groups.data(), batch.tets, at, forces);
      });
}

// The energy with another rest shape.
template <class Material>
double evaluate_chunk_from(const Material& material, const TetChunks& tets, const TetChunk& chunk,
                           const double* rest, const Evaluation& all) {
  const auto evaluate = [&](const TetBatch& batch, const Evaluation& at, double* forces) {
    const double* rest_of_batch = take_vertices(tets, batch, rest, BatchVector::rest);
    double total = 0;
    int first = batch.tets.first_tet;
    for (int k = batch.tets.first_group; k < batch.tets.last_group; ++k, first += kLanes) {
      TetGroup moved = tets.groups[static_cast<std::size_t>(k)];
      if (take_rest_shape(rest_of_batch, moved)) {
        const TetChunk one{0, 1, first, std::min(first + kLanes, batch.tets.last_tet)};
        total += evaluate_tets(material, &moved, one, at, forces);
      } else if (forces) {
        std::fill_n(forces, kForceRow * kGroupRows, 0.0);
      }
      if (forces) forces += kForceRow * kGroupRows;
    }
    return total;
  };
  return sum_over_batches(tets, chunk, all, evaluate);
}

}  // namespace lilyan
