#include "lilyan/contact/spatial_hash.hpp"

#include <gtest/gtest.h>

#include <random>

namespace lilyan {
namespace {

TEST(SpatialHash, FindsWhatTryingAllFinds) {
  std::mt19937 random(8);
  std::uniform_real_distribution<double> place(-3, 3);
  std::exponential_distribution<double> size(4);
  std::vector<Box> boxes;
  for (int k = 0; k < 400; ++k) {
    const Vec3 low(place(random), place(random), place(random));
    boxes.emplace_back(low, low + Vec3(size(random), size(random), size(random)));
  }
  boxes.emplace_back(Vec3(-100, -100, -100), Vec3(100, 0, 100));  // as large as a floor
  SpatialHash hash;
  std::vector<int> found;
  for (const double cell : {0.05, 0.3, 5.0}) {
    hash.build(boxes, cell);
    for (int k = 0; k < 200; ++k) {
      const Box query = k % 50 == 0 ? Box(Vec3(-50, -50, -50), Vec3(50, 50, 50))
                                    : boxes[static_cast<std::size_t>(2 * k)];
      hash.find(query, found);
      std::vector<int> expected;
      for (std::size_t b = 0; b < boxes.size(); ++b) {
        if (boxes[b].intersects(query)) expected.push_back(static_cast<int>(b));
      }
      EXPECT_EQ(found, expected);
    }
  }
}

}  // namespace
}  // namespace lilyan
