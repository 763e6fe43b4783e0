#include "lilyan/contact/broad_phase.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace lilyan::broad_phase_test {
namespace {

std::vector<int> by_trying_all(const std::vector<Box>& boxes, const Box& asked) {
  std::vector<int> found;
  for (std::size_t b = 0; b < boxes.size(); ++b) {
    if (boxes[b].intersects(asked)) found.push_back(static_cast<int>(b));
  }
  return found;
}

std::vector<int> all_of(std::span<const int> found) { return {found.begin(), found.end()}; }

// Boxes of all sizes; cells as large as these are, and larger.
TEST(BroadPhase, FindsWhatTryingAllFinds) {
  std::mt19937 random(8);
  std::uniform_real_distribution<double> place(-3, 3);
  BroadPhase broad;
  for (const double mean : {0.05, 0.3, 5.0}) {
    std::exponential_distribution<double> size(1 / mean);
    std::vector<Box> boxes;
    for (int k = 0; k < 400; ++k) {
      const Vec3 low(place(random), place(random), place(random));
      boxes.emplace_back(low, low + Vec3(size(random), size(random), size(random)));
    }
    boxes.emplace_back(Vec3(-100, -100, -100), Vec3(100, 0, 100));  // as large as a floor
    for (const double asked : {0.0, 0.7}) {
      broad.clear();
      for (const Box& box : boxes) broad.add(box);
      broad.build(asked);
      for (int k = 0; k < 200; ++k) {
        const Box query = k % 50 == 0 ? Box(Vec3(-50, -50, -50), Vec3(50, 50, 50))
                                      : boxes[static_cast<std::size_t>(2 * k)];
        EXPECT_EQ(all_of(broad.meeting(query)), by_trying_all(boxes, query));
      }
    }
  }
}

// Points have no size, and nothing may be asked about nothing.
TEST(BroadPhase, FindsPoints) {
  BroadPhase broad;
  broad.build();
  EXPECT_TRUE(broad.meeting(Box(Vec3(0, 0, 0), Vec3(9, 9, 9))).empty());
  for (int k = 0; k < 10; ++k) broad.add(Box(Vec3(k, 0, 0)));
  broad.build();
  EXPECT_EQ(all_of(broad.meeting(Box(Vec3(2.5, -1, -1), Vec3(5, 1, 1)))),
            (std::vector<int>{3, 4, 5}));
  broad.clear();
  broad.build();
  EXPECT_TRUE(broad.meeting(Box(Vec3(0, 0, 0), Vec3(9, 9, 9))).empty());
}

}  // namespace
}  // namespace lilyan::broad_phase_test
