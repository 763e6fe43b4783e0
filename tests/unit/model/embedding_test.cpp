#include "lilyan/model/embedding.hpp"

#include <gtest/gtest.h>

#include "lilyan/assemble/pattern.hpp"
#include "lilyan/model/system.hpp"
#include "support/body.hpp"

namespace lilyan::test::embedding_test {
namespace {

// Of five vertices, 3 and 0 are fixed, in this order, and 2 is scripted.
Embedding partly_held(int dimension) {
  Embedding embedding(5, dimension);
  embedding.fix(3);
  embedding.script(2);
  embedding.fix(0);
  embedding.fix(3);
  return embedding;
}

// The entries of these vertices are as given, and all others are ones.
Vector ones_but(int dimension, std::initializer_list<int> vertices, double value) {
  Vector v = Vector::Ones(5 * dimension);
  for (const int i : vertices) v.segment(dimension * i, dimension).setConstant(value);
  return v;
}

TEST(Embedding, KnowsWhichVerticesAreFree) {
  const Embedding embedding = partly_held(3);
  EXPECT_EQ(embedding.fixed_count(), 3);
  const bool fixed[] = {true, false, true, true, false};
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(embedding.fixed(i), fixed[i]) << i;
    EXPECT_EQ(embedding.scripted(i), i == 2) << i;
    for (int c = 0; c < 3; ++c) EXPECT_EQ(embedding.fixed_dof(3 * i + c), fixed[i]) << i;
  }
  ASSERT_EQ(embedding.scripted().size(), 1u);
  EXPECT_EQ(embedding.scripted()[0], 2);
  const auto [vertices, index] = embedding.free_vertices();
  EXPECT_EQ(vertices, (std::vector<int>{1, 4}));
  EXPECT_EQ(index, (std::vector<int>{-1, 0, -1, -1, 1}));
}

TEST(Embedding, RestrictsVectorsToWhatIsFree) {
  for (const int dimension : {1, 3}) {
    const Embedding embedding = partly_held(dimension);
    Vector v = Vector::Ones(5 * dimension);
    embedding.restrict_velocity(v);
    EXPECT_EQ(v, ones_but(dimension, {0, 3}, 0));
    v.setOnes();
    embedding.pull_back(v);
    EXPECT_EQ(v, ones_but(dimension, {0, 2, 3}, 0));
    v.setOnes();
    embedding.restrict_displacement(v);
    EXPECT_EQ(v, ones_but(dimension, {0, 2, 3}, 0));
    v.setOnes();
    embedding.scale_free(0.25, v);
    EXPECT_EQ(v, ones_but(dimension, {1, 4}, 0.25));
  }
}

// Also of a part of a longer vector.
TEST(Embedding, LeavesEverythingFreeWhereNothingIsHeld) {
  const Embedding embedding(2, 3);
  Vector v = Vector::Ones(9);
  embedding.pull_back(v.head(6));
  embedding.restrict_velocity(v.head(6));
  EXPECT_EQ(v, Vector::Ones(9));
  embedding.scale_free(0.5, v.segment(3, 6));
  EXPECT_EQ(v.head(3), Vector::Ones(3));
  EXPECT_EQ(v.tail(6), Vector::Constant(6, 0.5));
}

// Uᵀf and U are transposes: a force has the same power on what is left of a velocity.
TEST(Embedding, ForcesPulledBackDoTheWorkOfCoordinates) {
  const Embedding embedding = partly_held(3);
  const Vector f = Vector::LinSpaced(15, -1, 2);
  Vector d = Vector::LinSpaced(15, 3, -5);
  Vector pulled = f;
  embedding.pull_back(pulled);
  const double power = pulled.dot(d);
  embedding.restrict_displacement(d);
  EXPECT_DOUBLE_EQ(power, f.dot(d));
  EXPECT_NE(power, 0);
}

TEST(Embedding, HessiansHaveTheBlocksOfFreeVertices) {
  const Body body({.fixed = {1, 4}});
  const auto [vertices, index] = body.system.embedding().free_vertices();
  const BlockPattern pattern(body.system);
  EXPECT_EQ(pattern.free_vertices(), vertices);
  EXPECT_EQ(pattern.free_index(), index);
  EXPECT_EQ(pattern.nodes(), body.system.vertices() - 2);
  EXPECT_GT(pattern.storage(), pattern.entries());
}

}  // namespace
}  // namespace lilyan::test::embedding_test
