#include "lilyan/parallel/classes.hpp"

#include <gtest/gtest.h>

#include "support/thread_ranks.hpp"

namespace lilyan::test::classes_test {
namespace {

TEST(Classes, AreJoined) {
  std::vector<int> parent = separate_classes(6);
  join(parent, 4, 1);
  join(parent, 1, 5);
  join(parent, 0, 3);
  const std::vector<std::int64_t> of = classes_of(parent, nullptr);
  EXPECT_EQ(of[1], of[4]);
  EXPECT_EQ(of[1], of[5]);
  EXPECT_EQ(of[0], of[3]);
  EXPECT_NE(of[0], of[1]);
  EXPECT_NE(of[2], of[0]);
  EXPECT_NE(of[2], of[1]);
  const std::vector<std::int64_t> all = unite(of, nullptr);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_LT(all[0], all[1]);
  EXPECT_LT(all[1], all[2]);
  for (const std::int64_t one : of) {
    EXPECT_EQ(all[static_cast<std::size_t>(index_of(one, all))], one);
  }
}

// A row of vertices 0 – 1 – … – 7, and a pair 8 – 9. Four processes own every second pair of vertices of the row, such
// that the lowest number has a long way to go; process p has copies of the neighbours of what it owns.
TEST(Classes, OfSeveralProcesses) {
  on_ranks(4, [](const ThreadRanks& ranks) {
    const std::vector<std::vector<std::int64_t>> numbers{
        {6, 7, 5, 8, 9}, {4, 5, 3, 6}, {2, 3, 1, 4}, {0, 1, 2}};
    const std::vector<std::int64_t>& own = numbers[static_cast<std::size_t>(ranks.rank())];
    std::vector<Share::Range> owned{{0, 6}};
    if (ranks.rank() == 0) owned.push_back({9, 15});
    const ThreadShare share(ranks, owned, own);
    std::vector<int> parent = separate_classes(static_cast<int>(own.size()));
    for (std::size_t i = 0; i < own.size(); ++i) {
      for (std::size_t j = 0; j < own.size(); ++j) {
        const bool pair = own[i] >= 8 || own[j] >= 8;
        if (own[j] == own[i] + 1 && (!pair || own[i] == 8)) {
          join(parent, static_cast<int>(i), static_cast<int>(j));
        }
      }
    }
    const std::vector<std::int64_t> of = classes_of(parent, &share);
    for (std::size_t i = 0; i < own.size(); ++i) EXPECT_EQ(of[i], own[i] < 8 ? 0 : 8);
    EXPECT_EQ(unite(of, &share), (std::vector<std::int64_t>{0, 8}));
  });
}

}  // namespace
}  // namespace lilyan::test::classes_test
