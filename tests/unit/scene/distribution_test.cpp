// Parts of bodies: every vertex is owned once, every tet counted once, and what a part needs is in it.
#include "app/scene/body/distribution.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "lilyan/physics/meshes.hpp"

namespace lilyan::test::distribution_test {
namespace {

// Checks the parts of a mesh against the whole of it.
void check_parts(const TetMesh& whole, const std::vector<PartOfMesh>& parts) {
  using Tet = std::set<long>;
  std::map<Tet, std::set<long>> all;  // tets of the whole
  for (const auto& tet : whole.tets) all[Tet(tet.begin(), tet.end())];
  std::map<long, int> owner;
  std::map<std::pair<int, int>, long> at;  // process and place: the number
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const BodyPart& part = parts[p].part;
    EXPECT_EQ(part.whole, static_cast<long>(whole.vertices.size()));
    EXPECT_EQ(part.whole_elements, static_cast<long>(whole.tets.size()));
    ASSERT_EQ(part.number.size(), parts[p].mesh.vertices.size());
    for (int i = 0; i < part.owned; ++i) {
      const long number = part.number[static_cast<std::size_t>(i)];
      EXPECT_TRUE(owner.emplace(number, static_cast<int>(p)).second) << "owned twice: " << number;
      at[{static_cast<int>(p), i}] = number;
      if (i > 0) EXPECT_LT(part.number[static_cast<std::size_t>(i) - 1], number);
    }
    for (std::size_t i = 0; i < part.number.size(); ++i) {
      EXPECT_EQ(parts[p].mesh.vertices[i],
                whole.vertices[static_cast<std::size_t>(part.number[i])]);
      EXPECT_EQ(part.find(part.number[i]), static_cast<int>(i));
    }
    EXPECT_EQ(part.find(static_cast<long>(whole.vertices.size())), -1);
  }
  EXPECT_EQ(owner.size(), whole.vertices.size());
  std::set<Tet> counted;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const BodyPart& part = parts[p].part;
    const auto own = static_cast<std::size_t>(part.owned);
    ASSERT_EQ(part.owner.size(), part.number.size() - own);
    for (std::size_t k = 0; k < part.owner.size(); ++k) {
      EXPECT_NE(part.owner[k], static_cast<int>(p));
      EXPECT_EQ((at[{part.owner[k], part.place[k]}]), part.number[own + k]);
    }
    std::set<Tet> here;
    for (std::size_t e = 0; e < parts[p].mesh.tets.size(); ++e) {
      Tet tet;
      bool touches = false;
      for (const int v : parts[p].mesh.tets[e]) {
        tet.insert(part.number[static_cast<std::size_t>(v)]);
        touches = touches || v < part.owned;
      }
      EXPECT_TRUE(touches);
      EXPECT_TRUE(all.contains(tet));
      EXPECT_TRUE(here.insert(tet).second);
      if (static_cast<int>(e) < part.counted) EXPECT_TRUE(counted.insert(tet).second);
    }
    // All tets of its own vertices are here.
    for (const auto& [tet, unused] : all) {
      for (const long v : tet) {
        if (owner[v] == static_cast<int>(p)) EXPECT_TRUE(here.contains(tet));
      }
    }
  }
  EXPECT_EQ(counted.size(), whole.tets.size());
}

TEST(Distribution, BlocksAreMadeInParts) {
  for (const CubeCut cut : {CubeCut::kSixTets, CubeCut::kFiveTets}) {
    for (const auto& cells : {std::array{5, 3, 4}, std::array{9, 1, 1}, std::array{2, 2, 2}}) {
      const std::array<double, 3> size = {2, 0.7, 1.1};
      const TetMesh whole = block(size, cells, cut);
      for (const int processes : {1, 2, 3, 4, 6, 7}) {
        std::vector<PartOfMesh> parts;
        for (int p = 0; p < processes; ++p) {
          parts.push_back(block_part(size, cells, cut, p, processes));
        }
        SCOPED_TRACE(processes);
        check_parts(whole, parts);
      }
    }
  }
}

TEST(Distribution, PartsOfAnyPartition) {
  const TetMesh whole = ball(1, 4);
  std::vector<int> owner;
  for (std::size_t v = 0; v < whole.vertices.size(); ++v) {
    owner.push_back(static_cast<int>(v * v % 7 % 3));  // as scattered as can be
  }
  const std::vector<int> place = places(owner, 3);
  std::vector<PartOfMesh> parts;
  for (int p = 0; p < 3; ++p) parts.push_back(part_of(whole, owner, place, p));
  check_parts(whole, parts);
}

TEST(Distribution, CutsHaveLittleSurfaceAndEqualShares) {
  const LatticeCut cut({41, 11, 11}, 4);
  for (int p = 0; p < 4; ++p) {
    const LatticeBox box = cut.box(p);
    const int points =
        (box.high[0] - box.low[0]) * (box.high[1] - box.low[1]) * (box.high[2] - box.low[2]);
    EXPECT_NEAR(points, 41 * 11 * 11 / 4, 121);
    EXPECT_EQ(box.high[1] - box.low[1], 11);  // along the bar
  }
  // More processes than points: some have none.
  const LatticeCut few({2, 2, 2}, 11);
  EXPECT_EQ(few.box(0).high[0], 2);
  EXPECT_EQ(few.box(5).high[0], 0);
}

TEST(Distribution, APartGoesThroughAnArchive) {
  PartOfMesh part = block_part({1, 1, 1}, {3, 2, 2}, CubeCut::kSixTets, 1, 2);
  std::string bytes;
  Archive out(&bytes);
  out(part);
  PartOfMesh read;
  Archive in{std::string_view(bytes)};
  in(read);
  in.require_end();
  EXPECT_EQ(read.mesh.vertices, part.mesh.vertices);
  EXPECT_EQ(read.mesh.tets, part.mesh.tets);
  EXPECT_EQ(read.part.number, part.part.number);
  EXPECT_EQ(read.part.place, part.part.place);
  EXPECT_EQ(read.part.counted, part.part.counted);
}

}  // namespace
}  // namespace lilyan::test::distribution_test
