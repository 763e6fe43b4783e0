// The order of tets and its chunks, and that results do not depend on the number of threads.
#include "lilyan/assemble/tet_groups.hpp"
#include "lilyan/model/energy_abilities.hpp"
#include "lilyan/model/energy_discrete_gradient.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <set>
#include <tuple>

#include "lilyan/assemble/assembler.hpp"
#include "support/body.hpp"
#include "support/dense.hpp"

namespace lilyan::test::tet_chunks_test {
namespace {

// Two blocks that do not touch, the second one's vertices before the first one's tets.
TetMesh two_blocks() {
  TetMesh mesh = block({1, 1, 1}, {6, 5, 5});
  const TetMesh other = block({3, 1, 1}, {12, 4, 4});
  const int shift = static_cast<int>(mesh.vertices.size());
  for (auto v : other.vertices) {
    v[0] += 5;
    mesh.vertices.push_back(v);
  }
  for (auto t : other.tets) {
    for (int& i : t) i += shift;
    mesh.tets.push_back(t);
  }
  return mesh;
}

TetMesh long_block() { return block({6, 1, 1}, {24, 5, 5}); }

void expect_valid(const TetMesh& mesh, std::size_t least_chunks) {
  const TetOrder order = order_tets(mesh.tets, static_cast<int>(mesh.vertices.size()));
  std::vector<int> sorted = order.tets;
  std::ranges::sort(sorted);
  ASSERT_EQ(sorted.size(), mesh.tets.size());
  for (std::size_t e = 0; e < sorted.size(); ++e) ASSERT_EQ(sorted[e], static_cast<int>(e));
  ASSERT_GE(order.chunk_start.size(), least_chunks + 1);
  ASSERT_LE(order.chunk_start.size(), kMostChunks + 1U);
  std::vector<std::set<int>> vertices(order.chunk_start.size() - 1);
  for (std::size_t c = 0; c < vertices.size(); ++c) {
    for (int k = order.chunk_start[c]; k < order.chunk_start[c + 1]; ++k) {
      for (const int v :
           mesh.tets[static_cast<std::size_t>(order.tets[static_cast<std::size_t>(k)])])
        vertices[c].insert(v);
    }
    for (std::size_t earlier = 0; earlier + 1 < c; ++earlier) {
      std::vector<int> common;
      std::ranges::set_intersection(vertices[earlier], vertices[c], std::back_inserter(common));
      EXPECT_TRUE(common.empty()) << "chunks " << earlier << " and " << c;
    }
  }
}

TEST(TetOrder, ChunksThatAreNotNeighboursShareNoVertex) {
  expect_valid(long_block(), 8);
  expect_valid(block({1, 1, 1}, {11, 11, 11}), 5);  // levels larger than a chunk need be
  expect_valid(two_blocks(), 4);
}

TEST(TetOrder, OfOneTetAndOfNone) {
  EXPECT_EQ(order_tets({{{{4, 2, 1, 7}}}}, 9).chunk_start, (std::vector{0, 1}));
  EXPECT_TRUE(order_tets({}, 9).tets.empty());
}

// All that the vertices of a body of one density have, and never more than a vertex has.
// However many threads there are: an odd chunk begins when the even ones next to it are done.
TEST(SumOverChunks, TakesEachOnceAfterItsEvenNeighbours) {
  for (const int threads : {1, 2, 5}) {
    set_threads(threads);
    for (const int count : {1, 2, 3, 4, 31, 63, 64, 65, 66, 130, 255, 256}) {
      std::vector<TetChunk> chunks(static_cast<std::size_t>(count));
      for (int k = 0; k < count; ++k) chunks[static_cast<std::size_t>(k)].first_tet = k;
      std::atomic<int> clock = 0;
      std::vector<int> begin(chunks.size(), -1);
      std::vector<int> end(chunks.size(), -1);
      const double sum = sum_over_chunks(chunks, [&](const TetChunk& chunk) {
        const auto k = static_cast<std::size_t>(chunk.first_tet);
        EXPECT_EQ(begin[k], -1);
        begin[k] = clock++;
        end[k] = clock++;
        return static_cast<double>(k);
      });
      EXPECT_EQ(sum, 0.5 * count * (count - 1));
      EXPECT_EQ(clock, 2 * count);
      for (std::size_t k = 1; k < chunks.size(); k += 2) {
        EXPECT_GT(begin[k], end[k - 1]) << k << " of " << count;
        if (k + 1 < chunks.size()) EXPECT_GT(begin[k], end[k + 1]) << k << " of " << count;
      }
    }
  }
  set_threads(1);
}

TEST(LentMass, IsWhatVerticesHave) {
  const Body body(long_block(), {});
  const Energy& energy = *body.system.energies()[0];
  std::vector<double> mass(body.system.vertex_masses().begin(), body.system.vertex_masses().end());
  const auto lent_by_vertex = [&] {
    const std::vector<double> lent = energy.abilities().lends_mass->lend_mass(mass);
    Vector sum = Vector::Zero(body.system.vertices());
    const auto& vertices = energy.stencils().vertices;
    EXPECT_EQ(4 * lent.size(), vertices.size());
    for (std::size_t k = 0; k < vertices.size(); ++k) sum[vertices[k]] += lent[k / 4];
    return sum;
  };
  const Vector all = lent_by_vertex();
  for (int i = 0; i < all.size(); ++i) EXPECT_NEAR(all[i], mass[i], 1e-12 * mass[i]) << i;
  mass[5] *= 0.1;
  mass[9] *= 7;
  const Vector less = lent_by_vertex();
  for (int i = 0; i < less.size(); ++i) EXPECT_LE(less[i], (1 + 1e-12) * mass[i]) << i;
  EXPECT_LT(less.sum(), all.sum());
}

// Everything the energy of tets can be asked for, as bits.
struct Results {
  EnergyByKind values{};
  EnergyByKind values_with_gradient{};
  Vector gradient;
  std::vector<double> hessian;
  std::vector<double> projected;
  Vector discrete;
  double from_value = 0;
  Vector from_gradient;

  bool operator==(const Results&) const = default;
};

Results evaluate(const Body& body) {
  std::mt19937 random(4);
  const Vector x = body.rest + random_vector(body.rest.size(), 0.02, random);
  const Vector d = random_vector(body.rest.size(), 0.02, random);
  const std::vector<WeightedNode> nodes = {{0.2, 0.5, 0.5, 0.5}, {0.8, 0.5, 0.5, 0.5}};
  Assembler assembler(body.system);
  Results r;
  r.values = assembler.values(x, &d, nodes);
  r.gradient.resize(x.size());
  r.values_with_gradient = assembler.values_and_gradient(x, &d, nodes, r.gradient);
  r.hessian.resize(static_cast<std::size_t>(assembler.hessian_pattern().entries()));
  r.projected = r.hessian;
  assembler.hessian(x, d, nodes, 0, r.hessian);
  assembler.hessian(x, d, nodes, 1, r.projected);
  const Energy& energy = *body.system.energies()[0];
  r.discrete = Vector::Zero(x.size());
  energy.abilities().discrete_gradient->discrete_gradient(
      {.x0 = x.data(), .d = d.data(), .gradient = r.discrete.data()});
  r.from_gradient = Vector::Zero(x.size());
  const Vector end = x + d;
  constexpr std::array<WeightedNode, 1> here{{{0, 1, 1, 1}}};
  r.from_value = energy.abilities().moving_rest->evaluate_from(
      x.data(), {.x0 = end.data(), .nodes = here, .gradient = r.from_gradient.data()});
  return r;
}

// Tets are worked on in batches with numbers of their own for the vertices: those of the system must not
// show, however they are mixed up.
TEST(TetChunks, NumberingOfTheVerticesDoesNotShow) {
  const Body body(long_block(), {});
  const int count = body.system.vertices();
  std::vector<int> place(static_cast<std::size_t>(count));
  std::iota(place.begin(), place.end(), 0);
  std::mt19937 random(2);
  std::shuffle(place.begin(), place.end(), random);
  TetMesh mixed = body.mesh;
  for (std::size_t i = 0; i < place.size(); ++i) {
    mixed.vertices[static_cast<std::size_t>(place[i])] = body.mesh.vertices[i];
  }
  for (auto& tet : mixed.tets) {
    for (int& v : tet) v = place[static_cast<std::size_t>(v)];
  }
  const auto moved = [&](const Vector& x) {
    Vector y(x.size());
    for (int i = 0; i < count; ++i) {
      y.segment<3>(3 * place[static_cast<std::size_t>(i)]) = x.segment<3>(3 * i);
    }
    return y;
  };
  const Body other(mixed, {});
  const Vector x = body.rest + random_vector(body.rest.size(), 0.02, random);
  const Vector d = random_vector(body.rest.size(), 0.02, random);
  const std::vector<WeightedNode> nodes = {{0.2, 0.5, 0.5, 0.5}, {0.8, 0.5, 0.5, 0.5}};
  const auto take = [&](const Body& b, const Vector& from, const Vector& by) {
    Assembler assembler(b.system);
    Vector gradient(from.size());
    const EnergyByKind value = assembler.values_and_gradient(from, &by, nodes, gradient);
    std::vector<double> values(static_cast<std::size_t>(assembler.hessian_pattern().storage()));
    assembler.hessian(from, by, nodes, 0, values);
    const Matrix hessian = dense(assembler.hessian_pattern(), values);
    const auto elastic = static_cast<std::size_t>(EnergyKind::elastic);
    return std::tuple(value[elastic], gradient, Vector(hessian * by));
  };
  const auto [value, gradient, product] = take(body, x, d);
  const auto [other_value, other_gradient, other_product] = take(other, moved(x), moved(d));
  EXPECT_NEAR(other_value, value, 1e-13 * std::abs(value));
  EXPECT_LE((other_gradient - moved(gradient)).norm(), 1e-13 * gradient.norm());
  EXPECT_LE((other_product - moved(product)).norm(), 1e-13 * product.norm());
}

class Threads : public ::testing::TestWithParam<std::string> {
 protected:
  ~Threads() override { set_threads(1); }
};

TEST_P(Threads, GiveTheSameBits) {
  for (const TetMesh& mesh : {long_block(), two_blocks()}) {
    const Body body(mesh, {.material = GetParam()});
    set_threads(1);
    const Results one = evaluate(body);
    EXPECT_GT(one.values[0], 0);
    for (const int count : {2, 3}) {
      set_threads(count);
      for (int repeat = 0; repeat < 5; ++repeat) EXPECT_TRUE(evaluate(body) == one) << count;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(TetChunks, Threads, ::testing::Values("stvk", "neo-hookean"),
                         [](const auto& p) {
                           std::string name = p.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace lilyan::test::tet_chunks_test
