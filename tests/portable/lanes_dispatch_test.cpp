// A portable build's three variants of a hot loop: the same numbers to rounding, from different
// code. Compiled without -march and without the library, since Eigen's types must not meet two
// instruction sets in one program.
#include "lilyan/assemble/scatter.hpp"
#include "lilyan/numeric/dispatch.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "lilyan/assemble/tet_kernel.hpp"
#include "lilyan/material/fixed_corotated.hpp"
#include "lilyan/material/mooney_rivlin.hpp"
#include "lilyan/material/neo_hookean.hpp"
#include "lilyan/material/stvk.hpp"

#if LILYAN_DISPATCH_LANES

namespace lilyan::test {
namespace {

std::vector<LaneKind> kinds() {
  std::vector<LaneKind> all = {LaneKind::baseline};
  if (__builtin_cpu_supports("x86-64-v3")) all.push_back(LaneKind::avx2);
  if (__builtin_cpu_supports("x86-64-v4")) all.push_back(LaneKind::avx512);
  return all;
}

// Thirteen tets, two groups, each near its rest shape.
struct Tets {
  static constexpr int kCount = 13;
  std::vector<TetGroup> groups = std::vector<TetGroup>(2);
  TetChunk chunk{0, 2, 0, kCount};
  std::vector<double> x, d;
  BlockSlots slots;

  Tets() {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> u(-0.1, 0.1);
    for (int e = 0; e < 2 * kLanes; ++e) {
      TetGroup& g = groups[static_cast<std::size_t>(e / kLanes)];
      const int lane = e % kLanes;
      for (int a = 0; a < 4; ++a) g.vertex[a][lane] = 4 * (e < kCount ? e : kLanes) + a;
      g.volume[lane] = e < kCount ? 1 + u(random) : 0;
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) g.inverse_rest[i][j][lane] = (i == j) + u(random);
      }
    }
    for (int v = 0; v < 4 * kCount; ++v) {
      const int a = v % 4;
      for (int i = 0; i < 3; ++i) {
        x.push_back((a == i + 1 ? 1.0 : 0.0) + u(random));
        d.push_back(0.2 * u(random));
      }
    }
    for (int e = 0; e < kCount; ++e) {
      for (int s = 0; s < 10; ++s) slots.position.push_back(9 * (10 * e + s));
      for (int a = 0; a < 4; ++a) slots.column_length.push_back(3);
    }
  }
};

// Value, gradient and Hessian, one after the other.
template <class Material>
std::vector<double> evaluate(const Material& material, LaneKind kind, double projection) {
  const Tets tets;
  const std::array<WeightedNode, 2> nodes{{{0.2, 0.5, 0.4, 0.3}, {0.9, 0.6, 0.5, 0.4}}};
  std::vector<double> gradient(tets.x.size(), 0.0);
  std::vector<double> hessian(9 * 10 * Tets::kCount + 9, 0.0);
  const Evaluation at{.x0 = tets.x.data(),
                      .d = tets.d.data(),
                      .nodes = nodes,
                      .gradient = gradient.data(),
                      .hessian = hessian.data(),
                      .slots = &tets.slots,
                      .projection = projection};
  std::vector<double> forces(2 * kForceRow * kGroupRows);
  double value = 0;
  const auto run = [&]<TetWants kWants>() {
    return on_lanes(kind, [&]<int kWidth>(Lanes<kWidth>) {
      return evaluate_groups<kWants, PackOf<kWidth>>(material, tets.groups.data(), tets.chunk, at,
                                                     forces.data());
    });
  };
  value = run.template operator()<TetWants{true, true}>();
  run.template operator()<TetWants{.hessian = true}>();
  if (projection > 0) {
    run.template operator()<TetWants{.projection = true}>();
  }
  for (int e = 0; e < Tets::kCount; ++e) {
    for (int a = 0; a < 4; ++a) {
      const int row = kGroupRows * (e / kLanes) + force_row(a, e % kLanes);
      for (int i = 0; i < 3; ++i) {
        gradient[static_cast<std::size_t>(3 * (4 * e + a) + i)] =
            forces[static_cast<std::size_t>(kForceRow * row + i)];
      }
    }
  }
  std::vector<double> all = {value};
  all.insert(all.end(), gradient.begin(), gradient.end());
  all.insert(all.end(), hessian.begin(), hessian.end());
  return all;
}

double largest(const std::vector<double>& v) {
  double most = 0;
  for (const double e : v) most = std::max(most, std::abs(e));
  return most;
}

template <class Material>
void expect_same(const Material& material) {
  for (const double projection : {0.0, 1.0}) {
    const std::vector<double> expected = evaluate(material, LaneKind::baseline, projection);
    ASSERT_GT(largest(expected), 0);
    for (const LaneKind kind : kinds()) {
      const std::vector<double> actual = evaluate(material, kind, projection);
      for (std::size_t k = 0; k < expected.size(); ++k) {
        ASSERT_NEAR(actual[k], expected[k], 1e-13 * largest(expected)) << name(kind) << ", " << k;
      }
    }
  }
}

TEST(LanesDispatch, VariantsAgreeToRounding) {
  expect_same(Stvk{1.3, 0.8});
  expect_same(NeoHookean{1.3, 0.8});
  expect_same(MooneyRivlin{1.3, 0.8, 2.0});
  expect_same(FixedCorotated{1.3, 0.8});
}

// (1+e)(1−e) − 1 is −e² with a fused multiply–add and zero without: that shows which instructions
// were used, and the width which template.
TEST(LanesDispatch, VariantsAreDifferentCode) {
  volatile double e = 0x1p-30;
  for (const LaneKind kind : kinds()) {
    int width = 0;
    const double fused = on_lanes(kind, [&]<int kWidth>(Lanes<kWidth>) {
      width = kWidth;
      using P = PackOf<kWidth>;
      const P a = P{} + (1.0 + e);
      const P b = P{} + (1.0 - e);
      return lane_sum(P(a * b - 1.0)) / kWidth;
    });
    EXPECT_EQ(fused != 0, kind != LaneKind::baseline) << name(kind);
    EXPECT_EQ(width, kind == LaneKind::avx512 ? 8 : kind == LaneKind::avx2 ? 4 : 2);
  }
}

TEST(LanesDispatch, CanBeLowered) {
  EXPECT_EQ(choose_lanes("baseline"), LaneKind::baseline);
  EXPECT_NE(choose_lanes("avx2"), LaneKind::avx512);
  EXPECT_EQ(choose_lanes(nullptr), kinds().back());
  EXPECT_EQ(choose_lanes(""), kinds().back());
  EXPECT_EQ(lanes_in_use(), name(lane_kind()));
}

}  // namespace
}  // namespace lilyan::test

#else

TEST(LanesDispatch, IsNotForThisCompiler) { GTEST_SKIP(); }

#endif
