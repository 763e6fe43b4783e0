// Nanoseconds per element of the tetrahedra's kernels, beside what the processor can do at most.
//
//   cmake --preset release -DLILYAN_MICRO=ON && cmake --build --preset release --target kernels
//   build/release/bench/micro/kernels [THREADS]
//
// "kernel" is evaluation alone, results left in registers or on the stack, for a body that fits
// into the cache; "whole" includes the scatter into gradient and Hessian. Per cent of peak counts
// the 710 operations of St. Venant–Kirchhoff's closed form (value, gradient, ten blocks) for every
// material. Times are the best of many: others may use the machine.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "app/bench/roofline.hpp"
#include "lilyan/assemble/assembler.hpp"
#include "lilyan/assemble/tets.hpp"
#include "lilyan/material/neo_hookean.hpp"
#include "lilyan/material/stvk.hpp"
#include "lilyan/model/system.hpp"
#include "lilyan/parallel/threads.hpp"
#include "lilyan/physics/meshes.hpp"

namespace lilyan {
namespace {

constexpr double kFlops = 710;

template <class Function>
double best_nanoseconds(std::size_t elements, const Function& f) {
  using Clock = std::chrono::steady_clock;
  f();
  double best = 1e9;
  double spent = 0;
  for (int k = 0; k < 2000 && (k < 20 || spent < 0.2); ++k) {
    const Clock::time_point start = Clock::now();
    f();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    best = std::min(best, seconds);
    spent += seconds;
  }
  return 1e9 * best / static_cast<double>(elements);
}

struct Block {
  TetMesh mesh;
  Vector rest;
  Vector x;
  Vector d;

  explicit Block(std::array<int, 3> cells) : mesh(block({2, 1, 1}, cells)) {
    rest.resize(3 * static_cast<Eigen::Index>(mesh.vertices.size()));
    for (Eigen::Index i = 0; i < rest.size(); ++i) rest[i] = mesh.vertices[i / 3][i % 3];
    x = rest;
    d.resize(rest.size());
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      x[i] *= 1.05;
      d[i] = 0.01 * std::sin(static_cast<double>(i)) / cells[1];
    }
  }
};

// Whatever is written before may be read here, so that the compiler must write it.
void keep(const void* p) { asm volatile("" ::"r"(p) : "memory"); }

template <TetWants kWants, class Material>
void evaluate_without_scatter(const Material& material, const TetChunks& tets,
                              const Evaluation& all) {
  const auto evaluate = [&]<class P>(const TetBatch& batch, const Evaluation& at) {
    for (int k = batch.tets.first_group; k < batch.tets.last_group; ++k) {
      for (int lane = 0; lane < kLanes; lane += lanes_of<P>) {
        const TetPart<P> part{tets.groups[static_cast<std::size_t>(k)], lane, lanes_of<P>};
        const Mat3<P> G = part.inverse_rest();
        TetSums<kWants, Material, P> sums;
        sum_over_nodes(material, part, G, at, sums);
        if constexpr (kWants.value) {
          const P value = part.volume() * sums.value;
          keep(&value);
        }
        if constexpr (kWants.gradient) {
          const Mat3<P> force = multiply_transposed(sums.stress, G);
          keep(&force);
        }
        if constexpr (kWants.hessian) {
          TetBlocks<P> blocks;
          sums.blocks.template finish<kWants.nodes == 1>(G, blocks.inner);
          blocks.complete();
          keep(&blocks);
        }
      }
    }
  };
  on_best_lanes([&]<int kWidth>(Lanes<kWidth>) {
    for (const TetChunk& chunk : tets.chunks) {
      sum_over_batches(tets, chunk, all, [&](const TetBatch& batch, const Evaluation& at, double*) {
        evaluate.template operator()<PackOf<kWidth>>(batch, at);
        return 0.0;
      });
    }
  });
}

template <class Material>
void print_kernels(std::string_view name, const Material& material, const Roofline& roofline) {
  const Block body({8, 4, 4});
  const TetChunks tets = group_tets({body.rest, body.mesh.tets});
  constexpr std::array<WeightedNode, 1> here{{{1, 1, 1, 1}}};
  const Evaluation at{.x0 = body.x.data(), .nodes = here};
  const auto time = [&]<TetWants kWants>() {
    return best_nanoseconds(20 * body.mesh.tets.size(), [&] {
      for (int k = 0; k < 20; ++k) evaluate_without_scatter<kWants>(material, tets, at);
    });
  };
  const double all = time.template operator()<TetWants{true, true, true, 1}>();
  fmt::print("{:13} kernel {:6} tets: value {:5.1f}  gradient {:5.1f}  both {:5.1f}", name,
             body.mesh.tets.size(), time.template operator()<TetWants{.value = true, .nodes = 1}>(),
             time.template operator()<TetWants{.gradient = true, .nodes = 1}>(),
             time.template operator()<TetWants{true, true, false, 1}>());
  fmt::print("  Hessian {:5.1f}  all {:5.1f} ns, {:.0f} % of peak\n",
             time.template operator()<TetWants{.hessian = true, .nodes = 1}>(), all,
             100 * kFlops / (all * 1e-9) / roofline.flops);
}

template <class Material>
void print_whole(std::string_view name, const Material& material, std::array<int, 3> cells) {
  const Block body(cells);
  System system(std::vector<double>(body.mesh.vertices.size(), 1.0));
  system.add(std::make_unique<Tets<Material>>(material, TetShape{body.rest, body.mesh.tets}));
  Assembler assembler(system);
  std::vector<double> values(static_cast<std::size_t>(assembler.hessian_pattern().storage()));
  Vector gradient(body.x.size());
  constexpr std::array<WeightedNode, 1> one{{{1, 1, 1, 1}}};
  constexpr std::array<WeightedNode, 2> two{{{0.2, 0.5, 0.5, 0.5}, {0.8, 0.5, 0.5, 0.5}}};
  const auto time = [&](const auto& f) { return best_nanoseconds(body.mesh.tets.size(), f); };
  const auto print = [&](std::string_view nodes, std::span<const WeightedNode> at,
                         const Vector* d) {
    fmt::print("{:13} whole  {:6} tets, {}: value {:5.1f}  gradient {:5.1f}  both {:5.1f}", name,
               body.mesh.tets.size(), nodes,
               time([&] { static_cast<void>(assembler.values(body.x, d, at)); }),
               time([&] { assembler.gradient(body.x, d, at, gradient); }),
               time([&] { assembler.values_and_gradient(body.x, d, at, gradient); }));
    fmt::print("  Hessian {:5.1f} ns\n",
               time([&] { assembler.hessian(body.x, body.d, at, 0, values); }));
  };
  print("at a point", one, nullptr);
  print("1 node    ", one, &body.d);
  print("2 nodes   ", two, &body.d);
}

}  // namespace
}  // namespace lilyan

int main(int argc, char** argv) {
  using namespace lilyan;
  set_threads(argc > 1 ? std::atoi(argv[1]) : 1);
  const Roofline roofline = measure_roofline();
  fmt::print("lanes: {}; threads: {}; one core: peak {:.1f} GFlop/s, triad {:.1f} GB/s\n",
             lanes_in_use(), threads(), roofline.flops / 1e9, roofline.bytes / 1e9);
  const Stvk stvk{500, 10};
  const NeoHookean neo_hookean{500, 10};
  print_kernels("stvk", stvk, roofline);
  print_kernels("neo-hookean", neo_hookean, roofline);
  for (const auto cells : {std::array{8, 4, 4}, std::array{32, 11, 11}}) {
    print_whole("stvk", stvk, cells);
    print_whole("neo-hookean", neo_hookean, cells);
  }
}
