#include "lilyan/solve/block_matrix.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "support/body.hpp"

namespace lilyan::test::aggregates_test {
namespace {

void expect_partition(const Aggregates& aggregates, int nodes) {
  ASSERT_EQ(aggregates.start.front(), 0);
  ASSERT_EQ(aggregates.start.back(), nodes);
  ASSERT_TRUE(std::ranges::is_sorted(aggregates.start));
  std::vector<int> sorted = aggregates.node;
  std::ranges::sort(sorted);
  std::vector<int> all(nodes);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(sorted, all);
}

// Nodes of the cluster that can be reached from its first without leaving it.
int reached(const LowerPattern& pattern, const Aggregates& aggregates, int cluster) {
  const auto begin = aggregates.node.begin() + aggregates.start[cluster];
  const auto end = aggregates.node.begin() + aggregates.start[cluster + 1];
  std::vector<int> found{*begin};
  for (std::size_t k = 0; k < found.size(); ++k) {
    for (int e = pattern.graph_start()[found[k]]; e < pattern.graph_start()[found[k] + 1]; ++e) {
      const int j = pattern.graph()[e];
      if (std::find(begin, end, j) != end && std::ranges::find(found, j) == found.end()) {
        found.push_back(j);
      }
    }
  }
  return static_cast<int>(found.size());
}

TEST(Aggregates, AreConnectedAndOfTheSizeAskedFor) {
  const Body body({.size = {4, 2, 2}, .cells = {16, 8, 8}});
  const BlockPattern pattern(body.system);
  for (const int size : {8, 30, 100}) {
    const Aggregates aggregates = aggregate(pattern, size);
    expect_partition(aggregates, pattern.nodes());
    for (int a = 0; a < aggregates.count(); ++a) {
      const int members = aggregates.start[a + 1] - aggregates.start[a];
      EXPECT_EQ(reached(pattern, aggregates, a), members);
      EXPECT_GE(3 * members, size);  // scraps were joined
    }
    EXPECT_GE(aggregates.count(), pattern.nodes() / (2 * size));
  }
}

TEST(Aggregates, NeverSpanPartsThatAreNotConnected) {
  // Two triangles and a node by itself.
  const LowerPattern pattern(3, {0, 2, 4, 6, 8, 10, 12, 12}, {1, 2, 0, 2, 0, 1, 4, 5, 3, 5, 3, 4});
  const Aggregates aggregates = aggregate(pattern, 50);
  expect_partition(aggregates, 7);
  EXPECT_EQ(aggregates.start, (std::vector<int>{0, 3, 6, 7}));
}

TEST(Aggregates, OfNothing) {
  const LowerPattern pattern(3, {0}, {});
  const Aggregates aggregates = aggregate(pattern, 10);
  EXPECT_EQ(aggregates.count(), 0);
}

}  // namespace
}  // namespace lilyan::test::aggregates_test
