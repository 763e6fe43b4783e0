#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "lilyan/solve/linear_solver.hpp"
#include "support/body.hpp"
#include "support/dense.hpp"

namespace lilyan::test::cholesky_test {
namespace {

using Make = std::unique_ptr<LinearSolver> (*)(const LowerPattern&);

class Cholesky : public ::testing::TestWithParam<Make> {
 protected:
  // Random entries on the pattern with a dominant diagonal: definite, and no symmetry helps.
  std::vector<double> definite(const BlockPattern& pattern) {
    std::vector<double> values(pattern.entries());
    std::uniform_real_distribution<double> d(-1, 1);
    for (double& v : values) v = d(random);
    const Matrix m = dense(pattern, values);
    for (int c = 0; c < pattern.dofs(); ++c) {
      values[pattern.column_start()[c]] = m.col(c).cwiseAbs().sum() + 0.1;
    }
    return values;
  }

  void expect_solves(LinearSolver& solver, const BlockPattern& pattern,
                     const std::vector<double>& values) {
    const Vector expected = random_vector(pattern.dofs(), 1, random);
    const Vector right = dense(pattern, values) * expected;
    Vector solution;
    solver.solve(right, solution);
    ASSERT_EQ(solution.size(), expected.size());
    EXPECT_LE((solution - expected).norm(), 1e-10 * expected.norm());
  }

  std::mt19937 random{4};
};

TEST_P(Cholesky, SolvesDefiniteProblems) {
  for (const auto& fixed : {std::vector<int>{}, std::vector<int>{0, 3, 7}}) {
    const Body body({.cells = {4, 2, 2}, .fixed = fixed});
    const BlockPattern pattern(body.system);
    const auto solver = GetParam()(pattern);
    for (int k = 0; k < 5; ++k) {
      const auto values = definite(pattern);
      ASSERT_TRUE(solver->factorise(values));
      expect_solves(*solver, pattern, values);
      expect_solves(*solver, pattern, values);  // the same factor, another right side
    }
  }
}

TEST_P(Cholesky, ReportsIndefiniteOnesAndRecovers) {
  const Body body({.cells = {4, 2, 2}});
  const BlockPattern pattern(body.system);
  const auto solver = GetParam()(pattern);
  for (const int column : {0, pattern.dofs() / 2, pattern.dofs() - 1}) {
    auto values = definite(pattern);
    values[pattern.column_start()[column]] = -1;
    EXPECT_FALSE(solver->factorise(values)) << "column " << column;
    values = definite(pattern);
    ASSERT_TRUE(solver->factorise(values));
    expect_solves(*solver, pattern, values);
  }
}

// As two runs in one process do (compare, panes of the live view).
TEST_P(Cholesky, TwoAtATimeDoNotDisturbEachOther) {
  const Body body({.cells = {6, 3, 3}});
  const BlockPattern pattern(body.system);
  const auto values = definite(pattern);
  const Vector right = random_vector(pattern.dofs(), 1, random);
  const auto solve = [&](LinearSolver& solver) {
    Vector solution;
    return solver.factorise(values) ? (solver.solve(right, solution), solution) : Vector();
  };
  const Vector alone = solve(*GetParam()(pattern));
  std::atomic<int> different = 0;
  const auto work = [&] {
    const auto solver = GetParam()(pattern);
    for (int k = 0; k < 100; ++k) different += solve(*solver) != alone;
  };
  std::thread other(work);
  work();
  other.join();
  EXPECT_EQ(different, 0);
}

// Not visible on the diagonal: one eigenvalue is negative although all diagonal entries are not.
TEST_P(Cholesky, ReportsHiddenIndefiniteness) {
  const Body body({.cells = {2, 1, 1}});
  const BlockPattern pattern(body.system);
  const auto solver = GetParam()(pattern);
  auto values = definite(pattern);
  values[pattern.column_start()[0] + 1] = 100 * values[pattern.column_start()[0]];
  EXPECT_FALSE(solver->factorise(values));
}

// Vertices without neighbours: the graph to order has no edges. With everything fixed there is
// nothing to solve for, which must not be an error either.
TEST_P(Cholesky, WorksWithoutCouplings) {
  System system({1, 2, 3});
  const BlockPattern pattern(system);
  const auto solver = GetParam()(pattern);
  const auto values = definite(pattern);
  ASSERT_TRUE(solver->factorise(values));
  expect_solves(*solver, pattern, values);

  for (int v = 0; v < 3; ++v) system.fix(v);
  const BlockPattern nothing(system);
  const auto idle = GetParam()(nothing);
  ASSERT_TRUE(idle->factorise({}));
  Vector solution;
  idle->solve(Vector(0), solution);
  EXPECT_EQ(solution.size(), 0);
}

INSTANTIATE_TEST_SUITE_P(Solve, Cholesky, ::testing::Values(&make_cholesky, &make_eigen_cholesky),
                         [](const auto& p) { return p.index == 0 ? "standard" : "eigen"; });

}  // namespace
}  // namespace lilyan::test::cholesky_test
