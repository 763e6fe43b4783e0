#include "lilyan/solve/direction.hpp"

#include <gtest/gtest.h>

#include "lilyan/base/error.hpp"
#include "support/body.hpp"
#include "support/dense.hpp"

namespace lilyan::test::direction_test {
namespace {

// Φ(d) = ½ dᵀA d − bᵀd with springs of random stiffness between a mesh's vertices, isotropic, and
// unit masses: A is as ill-conditioned as the range of their stiffness.
class Network final : public Objective {
 public:
  Network(const Body& body, const BlockPattern& pattern, double stiffest)
      : pattern_(pattern), positions_(body.rest), values_(pattern.storage(), 0.0) {
    std::mt19937 random(2);
    std::uniform_real_distribution<double> exponent(0, std::log(stiffest));
    for (int c = 0; c < pattern.dofs(); ++c) values_[pattern.column_start()[c]] = 1;
    for (int j = 0; j < pattern.nodes(); ++j) {
      for (int e = pattern.graph_start()[j]; e < pattern.graph_start()[j + 1]; ++e) {
        const int i = pattern.graph()[e];
        if (i < j) continue;
        const double k = std::exp(exponent(random));
        const int length = pattern.column_length(j);
        for (int c = 0; c < 3; ++c) {
          values_[pattern.column_start()[3 * i + c]] += k;
          values_[pattern.column_start()[3 * j + c]] += k;
          values_[pattern.block_position(i, j) + c * length - c * (c + 1) / 2 + c] -= k;
        }
      }
    }
    matrix = dense(pattern, values_);
    b = random_vector(pattern.dofs(), 1, random);
  }

  void evaluate(const Linearised&, Iterate& at) const override {
    at.residual = matrix * at.z - b;
    at.value = 0.5 * at.z.dot(matrix * at.z) - b.dot(at.z);
  }
  void hessian(const Linearised&, const Vector&, double projection,
               std::vector<double>& values) const override {
    values = values_;
    if (indefinite && projection < 1) values[pattern_.column_start()[0]] = -1;
  }
  [[nodiscard]] Defect defect(const Vector&, const Vector& g) const override {
    return {.share = g.norm() / 1e-7};
  }
  [[nodiscard]] double norm(const Vector& g) const override { return g.norm(); }
  [[nodiscard]] Rounding rounding(const Vector&, double, const Vector&) const override {
    return {};
  }
  [[nodiscard]] const Vector* positions() const override { return &positions_; }

  Matrix matrix;
  Vector b;
  bool indefinite = false;

 private:
  const BlockPattern& pattern_;
  Vector positions_;
  std::vector<double> values_;
};

class Directions : public ::testing::Test {
 protected:
  Body body{{.cells = {8, 6, 6}}};
  BlockPattern pattern{body.system};
  Network easy{body, pattern, 10};
  Network hard{body, pattern, 1e10};
  SolverWork work;
  NewtonTimes times;
  Vector direction = Vector::Zero(pattern.dofs());

  // Relative error of the direction from d = 0.
  double error(DirectionFinder& finder, Network& network,
               const DirectionFinder::Request& request = {}) {
    const Vector zero = Vector::Zero(pattern.dofs());
    const Linearised none;
    finder.begin();
    EXPECT_TRUE(finder.find({network, none, zero}, -network.b, request, direction, work, times));
    return (network.matrix * direction - network.b).norm() / network.b.norm();
  }
};

TEST_F(Directions, FixedChoicesAreKept) {
  DirectionFinder pcg(pattern, LinearChoice::pcg, Definiteness::project);
  EXPECT_LE(error(pcg, easy, {.accuracy = 1e-8}), 1e-6);
  EXPECT_EQ(pcg.kind(), LinearKind::pcg);
  EXPECT_EQ(pcg.name(), "pcg");
  EXPECT_EQ(work.factorisations, 0);
  EXPECT_GT(work.linear_iterations, 0);
  EXPECT_FALSE(pcg.factorised());
  // What does not converge is still a way down.
  error(pcg, hard, {.accuracy = 1e-14});
  EXPECT_EQ(pcg.kind(), LinearKind::pcg);
  EXPECT_GT(direction.dot(hard.b), 0);

  work = {};
  DirectionFinder cholesky(pattern, LinearChoice::cholesky, Definiteness::project);
  EXPECT_LE(error(cholesky, hard), 1e-6);
  EXPECT_EQ(cholesky.kind(), LinearKind::cholesky);
  EXPECT_EQ(work.linear_iterations, 0);
  EXPECT_EQ(work.factorisations, 1);
  EXPECT_LE(error(cholesky, hard, {.reuse = true}), 1e-6);
  EXPECT_EQ(work.factorisations, 1);
}

TEST_F(Directions, AutomaticGivesUpOnHardMatricesAndTriesAgainLater) {
  DirectionFinder finder(pattern, LinearChoice::automatic, Definiteness::project);
  EXPECT_LE(error(finder, easy, {.accuracy = 1e-3}), 0.05);
  EXPECT_EQ(finder.kind(), LinearKind::pcg);
  EXPECT_EQ(work.factorisations, 0);

  EXPECT_LE(error(finder, hard, {.accuracy = 1e-13}), 1e-6);  // from a factor
  EXPECT_EQ(finder.kind(), LinearKind::cholesky);
  EXPECT_EQ(work.factorisations, 1);
  // For a while it does not even try; what it takes to find that out again is small, and rarer.
  int tries = 0;
  for (int k = 0; k < 200; ++k) {
    const long before = work.linear_iterations;
    EXPECT_LE(error(finder, hard, {.accuracy = 1e-13}), 1e-6);
    tries += work.linear_iterations > before;
  }
  EXPECT_GE(tries, 2);
  EXPECT_LE(tries, 5);
  // It finds back when things are easy again.
  for (int k = 0; k < 512 && finder.kind() == LinearKind::cholesky; ++k) error(finder, easy);
  EXPECT_EQ(finder.kind(), LinearKind::pcg);
}

TEST_F(Directions, ADirectionThatDidNotLeadDownIsFollowedByABetterOne) {
  DirectionFinder finder(pattern, LinearChoice::automatic, Definiteness::project);
  const double first = error(finder, easy, {.accuracy = 0.1});
  EXPECT_GT(first, 1e-6);
  EXPECT_LE(error(finder, easy, {.accuracy = 0.1, .insist = 2}), 1e-9);
  DirectionFinder pcg(pattern, LinearChoice::pcg, Definiteness::project);
  EXPECT_LE(error(pcg, easy, {.accuracy = 0.1, .insist = 2}), 0.05 * first);
}

TEST_F(Directions, IndefiniteMatricesAreProjected) {
  easy.indefinite = true;
  for (const LinearChoice choice : {LinearChoice::automatic, LinearChoice::pcg}) {
    work = {};
    DirectionFinder finder(pattern, choice, Definiteness::project);
    EXPECT_LE(error(finder, easy, {.accuracy = 1e-8}), 1e-6);
    EXPECT_EQ(finder.kind(), LinearKind::pcg);
    EXPECT_EQ(work.definiteness_fixes, 1);
    EXPECT_EQ(work.factorisations, 0);
  }
}

TEST_F(Directions, SmallAndOneDimensionalSystemsAreFactorised) {
  const Body small({.cells = {2, 2, 2}});
  const BlockPattern few(small.system);
  EXPECT_EQ(DirectionFinder(few, LinearChoice::automatic, Definiteness::project).kind(),
            LinearKind::cholesky);
  const System line(std::vector<double>(500, 1.0), 1);
  const BlockPattern scalars(line);
  EXPECT_EQ(DirectionFinder(scalars, LinearChoice::automatic, Definiteness::project).kind(),
            LinearKind::cholesky);
  EXPECT_THROW(DirectionFinder(scalars, LinearChoice::pcg, Definiteness::project), Error);
}

}  // namespace
}  // namespace lilyan::test::direction_test
