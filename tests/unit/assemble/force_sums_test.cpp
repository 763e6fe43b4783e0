// Forces summed by vertex are those added tet by tet.
#include "lilyan/assemble/force_sums.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace lilyan::test::force_sums_test {
namespace {

using TetList = std::vector<std::array<int, 4>>;

TetList random_tets(int count, int vertices, std::mt19937& random) {
  std::uniform_int_distribution<int> pick(0, vertices - 1);
  TetList tets(static_cast<std::size_t>(count));
  for (auto& t : tets) {
    do {
      for (int& v : t) v = pick(random);
      std::ranges::sort(t);
    } while (std::ranges::adjacent_find(t) != t.end());
  }
  return tets;
}

// Whole numbers, whose sums do not depend on the order.
double force(int tet, int a, int i) { return 100 * (tet % 50) + 10 * a + i + 1; }

std::vector<double> by_tets(const TetList& tets, int vertices) {
  std::vector<double> gradient(static_cast<std::size_t>(3 * vertices), 0.5);
  for (int e = 0; e < static_cast<int>(tets.size()); ++e) {
    for (int a = 0; a < 4; ++a) {
      const int v = tets[static_cast<std::size_t>(e)][static_cast<std::size_t>(a)];
      for (int i = 0; i < 3; ++i) gradient[static_cast<std::size_t>(3 * v + i)] += force(e, a, i);
    }
  }
  return gradient;
}

template <AnyPack P>
void store_group(int first, double* rows) {
  for (int lane = 0; lane < kLanes; lane += lanes_of<P>) {
    for (int a = 0; a < 4; ++a) {
      P f[3];
      for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < lanes_of<P>; ++k) f[i][k] = force(first + lane + k, a, i);
      }
      store_rows(f[0], f[1], f[2], lane, rows + a * kLanes * kForceRow);
    }
  }
}

template <AnyPack P>
void expect_the_same(int count, int vertices) {
  std::mt19937 random(7);
  const TetList tets = random_tets(count, vertices, random);
  ForceSums sums;
  sums.add_batch(random_tets(9, vertices, random));  // another batch before it
  const int first = static_cast<int>(sums.sums.size());
  sums.add_batch(tets);
  double* const rows = force_rows();
  for (int e = 0; e < count; e += kLanes) {
    store_group<P>(e, rows + kForceRow * (kZeroRows + kGroupRows * (e / kLanes)));
  }
  std::vector<double> gradient(static_cast<std::size_t>(3 * vertices), 0.5);
  sums.add_forces(first, static_cast<int>(sums.sums.size()), rows, gradient.data());
  EXPECT_EQ(gradient, by_tets(tets, vertices)) << count << " tets, " << vertices << " vertices";
}

TEST(ForceSums, AreThoseOfScatteredForces) {
  for (const int count : {1, 7, 8, 13, kLanes * kBatchGroups}) {
    for (const int vertices : {4, 5, 60, 1000}) {
      expect_the_same<PackOf<2>>(count, vertices);
      expect_the_same<PackOf<4>>(count, vertices);
      expect_the_same<PackOf<8>>(count, vertices);
    }
  }
}

}  // namespace
}  // namespace lilyan::test::force_sums_test
