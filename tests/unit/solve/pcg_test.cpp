#include "lilyan/solve/pcg.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "lilyan/assemble/assembler.hpp"
#include "lilyan/parallel/threads.hpp"
#include "support/body.hpp"
#include "support/dense.hpp"
#include "support/thread_ranks.hpp"

namespace lilyan::test::pcg_test {
namespace {

// M + h² ∇²E of a body at rest: definite whatever h is.
struct Problem {
  Body body;
  Assembler assembler{body.system};
  const BlockPattern& pattern = assembler.hessian_pattern();
  std::vector<double> values = std::vector<double>(pattern.storage());
  Vector positions{pattern.dofs()};

  Problem(const BodyOptions& options, double h) : body(options) {
    const std::vector<WeightedNode> here{{.theta = 0, .hessian = h * h}};
    assembler.hessian(body.rest, Vector::Zero(body.rest.size()), here, 0, values);
    for (int c = 0; c < pattern.dofs(); ++c) {
      values[pattern.column_start()[c]] += body.system.mass().diagonal()[pattern.dof(c)];
      positions[c] = body.rest[pattern.dof(c)];
    }
  }
  [[nodiscard]] std::span<const double> lower() const {
    return {values.data(), static_cast<std::size_t>(pattern.entries())};
  }
};

// A product reads one number more than the vector has.
double multiply(BlockMatrix& matrix, const Vector& x, Vector& y) {
  Vector longer(x.size() + 1);
  longer << x, std::numeric_limits<double>::quiet_NaN();
  return matrix.multiply(longer.data(), y.data());
}

class BlockProduct : public ::testing::Test {
 protected:
  Problem p{{.cells = {6, 3, 3}, .mu = 1e3, .lambda = 1e3, .fixed = {0, 5}}, 1};
  Aggregates aggregates = aggregate(p.pattern, 7);
  BlockMatrix matrix{p.pattern, aggregates.node, aggregates.start};
  std::mt19937 random{1};

  // In the order of the matrix, from that of the pattern.
  [[nodiscard]] Vector ordered(const Vector& original) const {
    Vector result(original.size());
    for (int k = 0; k < p.pattern.nodes(); ++k) {
      result.segment<3>(3 * k) = original.segment<3>(3 * aggregates.node[k]);
    }
    return result;
  }
};

TEST_F(BlockProduct, IsThatOfTheSymmetricMatrixInSinglePrecision) {
  matrix.assign(p.lower());
  const Matrix full = dense(p.pattern, p.values);
  const Vector original = random_vector(p.pattern.dofs(), 1, random);
  const Vector x = ordered(original);
  Vector y(x.size());
  const double product = multiply(matrix, x, y);
  const Vector expected = ordered(full * original);
  EXPECT_LE((y - expected).norm(), 1e-7 * expected.norm());
  EXPECT_NEAR(product, x.dot(y), 1e-12 * std::abs(product));
  // Symmetric all the same.
  const Vector other = random_vector(p.pattern.dofs(), 1, random);
  Vector z(x.size());
  multiply(matrix, other, z);
  EXPECT_NEAR(other.dot(y), x.dot(z), 1e-13 * y.norm() * other.norm());
}

TEST_F(BlockProduct, KeepsAllDigitsWhenAsked) {
  matrix.assign(p.lower(), BlockMatrix::Digits::all);
  const Vector original = random_vector(p.pattern.dofs(), 1, random);
  const Vector expected = ordered(dense(p.pattern, p.values) * original);
  Vector y(expected.size());
  multiply(matrix, ordered(original), y);
  EXPECT_LE((y - expected).norm(), 1e-15 * p.pattern.dofs() * expected.norm());
  // And not when that is not asked for any more.
  matrix.assign(p.lower());
  multiply(matrix, ordered(original), y);
  EXPECT_GE((y - expected).norm(), 1e-10 * expected.norm());
  EXPECT_LE((y - expected).norm(), 1e-7 * expected.norm());
}

// Rows of several chunks, and a group of more rows than a window has: blocks within a window are stored
// once, others twice.
TEST(BlockMatrix, MultipliesAcrossWindowsAndChunks) {
  const Problem p({.size = {4, 1, 1}, .cells = {40, 6, 6}, .fixed = {3}}, 1);
  const int n = p.pattern.nodes();
  ASSERT_GT(n, 1500);
  std::vector<int> node(n);
  for (int k = 0; k < n; ++k) node[k] = n - 1 - k;
  const std::vector<int> groups{0, 50, 700, 710, 711, n - 1, n};
  BlockMatrix matrix(p.pattern, node, groups);
  EXPECT_GT(matrix.chunks().size(), 2);
  EXPECT_EQ(matrix.blocks(), n + static_cast<int>(p.pattern.graph().size()));
  int once = 0;
  int twice = 0;
  for (int i = 0; i < n; ++i) {
    once += matrix.end(i) - matrix.inner_begin(i);
    twice += matrix.inner_begin(i) - matrix.outer_begin(i);
  }
  EXPECT_EQ(n + 2 * once + twice, matrix.blocks());
  EXPECT_GT(once, twice);
  EXPECT_GT(twice, 0);
  matrix.assign(p.lower());
  std::mt19937 random(1);
  const Vector x = random_vector(p.pattern.dofs(), 1, random);
  Vector expected = Vector::Zero(x.size());  // by the lower triangle
  const auto place = [&](int dof) { return 3 * (n - 1 - dof / 3) + dof % 3; };
  for (int c = 0; c < p.pattern.dofs(); ++c) {
    for (int k = p.pattern.column_start()[c]; k < p.pattern.column_end(c); ++k) {
      const int r = p.pattern.row()[k];
      expected[place(r)] += p.values[k] * x[place(c)];
      if (r != c) expected[place(c)] += p.values[k] * x[place(r)];
    }
  }
  Vector y(x.size());
  EXPECT_NEAR(multiply(matrix, x, y), x.dot(expected), 1e-7 * x.norm() * expected.norm());
  EXPECT_LE((y - expected).norm(), 1e-7 * expected.norm());
  set_threads(3);
  Vector z(x.size());
  matrix.assign(p.lower());
  multiply(matrix, x, z);
  set_threads(1);
  EXPECT_EQ(y, z);
}

// Two processes that share a matrix: each has the rows of some clusters, and the others as columns only.
struct Parts {
  static BodyOptions options() {
    // Fixed in the middle: two bodies that have nothing to do with each other.
    BodyOptions result{.size = {4, 1, 1}, .cells = {40, 6, 6}};
    const Body body(result);
    for (int v = 0; v < body.rest.size() / 3; ++v) {
      if (std::abs(body.rest[3 * v] - middle(body.rest)) < 1e-9) result.fixed.push_back(v);
    }
    return result;
  }
  static double middle(const Vector& x) {
    const auto along = x(Eigen::seqN(0, x.size() / 3, 3));
    return 0.5 * (along.minCoeff() + along.maxCoeff());
  }
  Problem p{options(), 1};
  Aggregates whole = aggregate(p.pattern, 40);
  int cut = whole.count() / 3;  // of the first body
  Aggregates first = whole;
  Aggregates second;

  Parts() {
    const auto append = [&](int from, int to) {
      for (int a = from; a < to; ++a) {
        for (int k = whole.start[a]; k < whole.start[a + 1]; ++k) {
          second.node.push_back(whole.node[k]);
        }
        second.start.push_back(static_cast<int>(second.node.size()));
      }
    };
    second.start.push_back(0);
    append(cut, whole.count());
    append(0, cut);
  }
  [[nodiscard]] int second_clusters() const { return whole.count() - cut; }
  [[nodiscard]] BlockMatrix matrix(const Aggregates& part, int clusters) const {
    BlockMatrix result(p.pattern, part.node, std::span(part.start).first(clusters + 1));
    result.assign(p.lower());
    return result;
  }
  [[nodiscard]] Vector ordered(const Aggregates& part, const Vector& original) const {
    Vector result(original.size() + 1);
    for (std::size_t k = 0; k < part.node.size(); ++k) {
      result.segment<3>(3 * k) = original.segment<3>(3 * part.node[k]);
    }
    return result;
  }
};

TEST(BlockMatrix, MayHaveAPartOfTheRows) {
  const Parts parts;
  std::mt19937 random(1);
  const Vector original = random_vector(parts.p.pattern.dofs(), 1, random);
  BlockMatrix whole = parts.matrix(parts.whole, parts.whole.count());
  const Vector x = parts.ordered(parts.whole, original);
  Vector y(original.size());
  whole.multiply(x.data(), y.data());
  const auto product = [&](const Aggregates& part, int clusters) {
    BlockMatrix matrix = parts.matrix(part, clusters);
    const int size = 3 * matrix.rows();
    EXPECT_EQ(matrix.rows(), part.start[clusters]);
    EXPECT_LT(matrix.blocks(), whole.blocks());
    // What comes from the other process is there only for the second half of the product.
    const Vector here = parts.ordered(part, original);
    Vector early = here;
    early.tail(early.size() - size).setConstant(std::numeric_limits<double>::quiet_NaN());
    Vector result = Vector::Constant(size, -1);
    matrix.multiply_inside(early.data(), result.data());
    EXPECT_TRUE(result.allFinite());
    EXPECT_TRUE((result.array() == -1).any());
    EXPECT_FALSE((result.array() == -1).all());
    matrix.multiply_border(here.data(), result.data());
    return result;
  };
  const Vector first = product(parts.first, parts.cut);
  const Vector second = product(parts.second, parts.second_clusters());
  ASSERT_EQ(first.size() + second.size(), y.size());
  // Sums are rounded in another order, and what is stored once in one of them is stored twice in the other.
  EXPECT_LE((first - y.head(first.size())).norm(), 1e-13 * y.norm());
  EXPECT_LE((second - y.tail(second.size())).norm(), 1e-13 * y.norm());
}

TEST(RigidCorrection, OfBodiesThatProcessesShare) {
  const Parts parts;
  std::mt19937 random(1);
  const Vector residual = random_vector(parts.p.pattern.dofs(), 1, random);
  const BlockMatrix whole = parts.matrix(parts.whole, parts.whole.count());
  const CoarseSpace coarse(whole, parts.whole);
  const BodiesOfClusters bodies = bodies_of_clusters(coarse.graph());
  EXPECT_EQ(bodies.count, 2);
  RigidCorrection correction(whole, parts.whole, bodies);
  Vector expected = Vector::Zero(residual.size());
  correction.apply(parts.ordered(parts.whole, parts.p.positions).data(),
                   parts.ordered(parts.whole, residual).data(), expected.data());
  // Of two bodies, each by itself: what moves one end does not move the other.
  const Vec3 ends = expected.head<3>() - expected.tail<3>();
  ASSERT_GT(ends.norm(), 0.01 * expected.head<3>().norm());

  on_ranks(2, [&](const ThreadRanks& ranks) {
    const bool zero = ranks.rank() == 0;
    const Aggregates& part = zero ? parts.first : parts.second;
    const int clusters = zero ? parts.cut : parts.second_clusters();
    const BlockMatrix matrix = parts.matrix(part, clusters);
    const auto first = bodies.of.begin() + (zero ? 0 : parts.cut);
    RigidCorrection shared(matrix, part, {{first, first + clusters}, bodies.count}, &ranks);
    Vector solution = Vector::Zero(3 * matrix.rows());
    shared.apply(parts.ordered(part, parts.p.positions).data(),
                 parts.ordered(part, residual).data(), solution.data());
    const Vector here = zero ? expected.head(solution.size()) : expected.tail(solution.size());
    EXPECT_LE((solution - here).norm(), 1e-6 * expected.norm());
  });
}

TEST(RigidClusters, SeeThoseOfAnotherProcess) {
  const Parts parts;
  const BlockMatrix whole = parts.matrix(parts.whole, parts.whole.count());
  const BlockMatrix part = parts.matrix(parts.second, parts.second_clusters());
  RigidClusters expected(whole, parts.whole);
  RigidClusters clusters(part, parts.second);
  expected.place(parts.ordered(parts.whole, parts.p.positions).data());
  const Vector positions = parts.ordered(parts.second, parts.p.positions);
  clusters.place(positions.data());
  EXPECT_EQ(clusters.count(), parts.second_clusters());
  for (int b = 0; b < parts.cut; ++b) {
    clusters.set(parts.second_clusters() + b, expected.centre(b), expected.rotation(b),
                 positions.data());
  }
  int neighbours = 0;
  for (int a = 0; a < clusters.count(); ++a) {
    for (int b = 0; b < parts.cut; ++b) {
      const RigidClusters::Mat6 block = expected.block(parts.cut + a, b);
      neighbours += block.isZero(0) ? 0 : 1;
      EXPECT_LE((clusters.block(a, parts.second_clusters() + b) - block).norm(),
                1e-6 * block.norm());
    }
    const RigidClusters::Mat6 own = expected.block(parts.cut + a, parts.cut + a);
    EXPECT_LE((clusters.block(a, a) - own).norm(), 1e-6 * own.norm());
  }
  EXPECT_GT(neighbours, 0);
}

// A translation's kinetic energy is all it has, millions of times smaller than the matrix's
// entries.
TEST(BlockMatrix, KeepsTheInertiaOfTranslations) {
  const Problem p({.cells = {6, 3, 3}, .mu = 1e8, .lambda = 1e8}, 1);
  const Aggregates aggregates = aggregate(p.pattern, 7);
  BlockMatrix matrix(p.pattern, aggregates.node, aggregates.start);
  matrix.assign(p.lower());
  Vector y(p.pattern.dofs());
  for (int axis = 0; axis < 3; ++axis) {
    Vector x = Vector::Zero(p.pattern.dofs());
    for (int k = axis; k < x.size(); k += 3) x[k] = 1;
    EXPECT_NEAR(multiply(matrix, x, y), 1, 1e-5);  // the body's mass
    // Each vertex by itself, too.
    for (int k = 0; k < p.pattern.nodes(); ++k) {
      const double mass = p.body.system.mass().diagonal()[p.pattern.dof(3 * aggregates.node[k])];
      for (int c = 0; c < 3; ++c) {
        EXPECT_NEAR(y[3 * k + c], c == axis ? mass : 0, 1e-6);
      }
    }
  }
}

class PcgSolves : public ::testing::TestWithParam<double> {};

TEST_P(PcgSolves, ToTheAccuracyAskedFor) {
  const Problem p({.size = {6, 1, 1}, .cells = {24, 4, 4}, .fixed = {1, 2}}, GetParam());
  const Matrix full = dense(p.pattern, p.values);
  Pcg pcg(p.pattern);
  ASSERT_TRUE(pcg.prepare(p.lower(), p.positions, true));
  std::mt19937 random(3);
  for (int k = 0; k < 3; ++k) {
    const Vector expected = random_vector(p.pattern.dofs(), 1, random);
    const Vector right = full * expected;
    pcg.start(right);
    EXPECT_EQ(pcg.run(1e-7, 2000), PcgEnd::converged);
    Vector solution(right.size());
    pcg.solution(solution);
    const Vector error = solution - expected;  // in the norm of the matrix: single precision
    EXPECT_LE(error.dot(full * error), 1e-10 * expected.dot(right));
    EXPECT_GT(pcg.iterations(), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Stiffness, PcgSolves, ::testing::Values(0.01, 1.0, 100.0));

// Without the clusters' rigid motions a bar twice as long takes twice the iterations.
TEST(Pcg, IterationsHardlyGrowWithTheBody) {
  std::vector<int> iterations;
  for (const int cells : {20, 80}) {
    const Problem p({.size = {0.25 * cells, 1, 1}, .cells = {cells, 4, 4}}, 100);
    Pcg pcg(p.pattern);
    ASSERT_TRUE(pcg.prepare(p.lower(), p.positions, true));
    Vector right = Vector::Zero(p.pattern.dofs());
    right[0] = 1;  // the far end has to learn of it
    pcg.start(right);
    EXPECT_EQ(pcg.run(1e-6, 2000), PcgEnd::converged);
    iterations.push_back(pcg.iterations());
  }
  EXPECT_LE(iterations[1], 1.5 * iterations[0]);
  EXPECT_LE(iterations[1], 120);
}

TEST(Pcg, GoesOnWhereItStopped) {
  const Problem p({.cells = {8, 4, 4}}, 10);
  Pcg once(p.pattern);
  Pcg twice(p.pattern);
  std::mt19937 random(5);
  const Vector right = random_vector(p.pattern.dofs(), 1, random);
  Vector a(right.size());
  Vector b(right.size());
  ASSERT_TRUE(once.prepare(p.lower(), p.positions, true));
  once.start(right);
  EXPECT_EQ(once.run(1e-8, 1000), PcgEnd::converged);
  once.solution(a);
  ASSERT_TRUE(twice.prepare(p.lower(), p.positions, true));
  twice.start(right);
  EXPECT_EQ(twice.run(1e-8, 5), PcgEnd::exhausted);
  EXPECT_EQ(twice.run(1e-8, 1000), PcgEnd::converged);
  twice.solution(b);
  EXPECT_EQ(a, b);
}

TEST(Pcg, TakesAnOlderCoarseMatrix) {
  Problem p({.cells = {8, 4, 4}}, 10);
  Pcg pcg(p.pattern);
  ASSERT_TRUE(pcg.prepare(p.lower(), p.positions, true));
  for (double& v : p.values) v *= 3;
  ASSERT_TRUE(pcg.prepare(p.lower(), p.positions, false));
  std::mt19937 random(5);
  const Vector expected = random_vector(p.pattern.dofs(), 1, random);
  pcg.start(dense(p.pattern, p.values) * expected);
  EXPECT_EQ(pcg.run(1e-7, 1000), PcgEnd::converged);
  Vector solution(expected.size());
  pcg.solution(solution);
  EXPECT_LE((solution - expected).norm(), 1e-4 * expected.norm());
}

TEST(Pcg, NothingToDo) {
  const Problem p({.cells = {4, 2, 2}}, 1);
  Pcg pcg(p.pattern);
  ASSERT_TRUE(pcg.prepare(p.lower(), p.positions, true));
  pcg.start(Vector::Zero(p.pattern.dofs()));
  EXPECT_EQ(pcg.run(1e-3, 100), PcgEnd::converged);
  EXPECT_EQ(pcg.iterations(), 0);
  Vector solution(p.pattern.dofs());
  pcg.solution(solution);
  EXPECT_TRUE(solution.isZero(0));
}

TEST(Pcg, ReportsIndefiniteMatrices) {
  for (const bool diagonal : {true, false}) {
    Problem p({.cells = {8, 4, 4}}, 1);
    if (diagonal) {
      p.values[p.pattern.column_start()[100]] = -1;
    } else {  // every 3×3 block definite, the whole not
      const Matrix m = dense(p.pattern, p.values);
      const double lowest = Eigen::SelfAdjointEigenSolver<Matrix>(m).eigenvalues()[0];
      for (int c = 0; c < p.pattern.dofs(); ++c) {
        p.values[p.pattern.column_start()[c]] -= lowest + 1e-3 * m(0, 0);
      }
    }
    Pcg pcg(p.pattern);
    bool noticed = !pcg.prepare(p.lower(), p.positions, true);
    if (!noticed) {
      std::mt19937 random(6);
      pcg.start(random_vector(p.pattern.dofs(), 1, random));
      noticed = pcg.run(1e-12, 5000) == PcgEnd::not_definite;
    }
    EXPECT_TRUE(noticed) << (diagonal ? "diagonal" : "whole");
  }
}

// Whatever the matrix is, the masses tell how far it is safe to go: along p at most (r·p)/(p·Mp).
TEST(Pcg, GoesAlongWhatLacksCurvatureAsFarAsInertiaLets) {
  for (const double share : {-3.0, 0.0, 0.2}) {  // of the mass, as the curvature of one vertex
    Problem p({.cells = {8, 4, 4}}, 1);
    Vector masses(p.pattern.dofs());
    for (int c = 0; c < masses.size(); ++c)
      masses[c] = p.body.system.mass().diagonal()[p.pattern.dof(c)];
    std::ranges::fill(p.values, 0.0);
    for (int c = 0; c < masses.size(); ++c) {
      p.values[p.pattern.column_start()[c]] = (c / 3 == 40 ? share : 5.0) * masses[c];
    }
    Pcg pcg(p.pattern);
    ASSERT_TRUE(pcg.prepare(p.lower(), p.positions, true, &masses)) << share;
    Vector right = Vector::Zero(p.pattern.dofs());
    right[120] = 1;
    pcg.start(right);
    EXPECT_EQ(pcg.run(1e-12, 100), PcgEnd::not_definite) << share;
    EXPECT_EQ(pcg.iterations(), 1) << share;
    Vector solution(right.size());
    pcg.solution(solution);
    const double along = right.dot(solution);
    const double inertia = solution.dot(masses.cwiseProduct(solution));
    EXPECT_GT(along, 0) << share;
    EXPECT_LE(inertia, (1 + 1e-6) * along) << share;
    EXPECT_GE(inertia, 0.05 * along) << share;
  }
}

TEST(Pcg, TakesNoNoticeOfMassesWhereAllIsConvex) {
  const Problem p({.cells = {8, 4, 4}, .fixed = {3}}, 1);
  Vector masses(p.pattern.dofs());
  for (int c = 0; c < masses.size(); ++c)
    masses[c] = p.body.system.mass().diagonal()[p.pattern.dof(c)];
  std::mt19937 random(8);
  const Vector right = random_vector(p.pattern.dofs(), 1, random);
  Vector solutions[2] = {Vector(right.size()), Vector(right.size())};
  for (const bool with : {false, true}) {
    Pcg pcg(p.pattern);
    ASSERT_TRUE(pcg.prepare(p.lower(), p.positions, true, with ? &masses : nullptr));
    pcg.start(right);
    EXPECT_EQ(pcg.run(1e-6, 1000), PcgEnd::converged);
    pcg.solution(solutions[with ? 1 : 0]);
  }
  EXPECT_EQ(solutions[0], solutions[1]);
}

// Vertices in line have no third rotation, and a vertex alone has none at all.
TEST(Pcg, RopesAndLonePoints) {
  constexpr int kPoints = 90;
  Vector rest = Vector::Zero(3 * (kPoints + 1));
  for (int i = 0; i <= kPoints; ++i) rest[3 * i] = i;
  const LowerPattern pattern = [&] {
    std::vector<int> start{0};
    std::vector<int> graph;
    for (int i = 0; i <= kPoints; ++i) {
      if (i > 0 && i < kPoints) graph.push_back(i - 1);
      if (i + 1 < kPoints) graph.push_back(i + 1);
      start.push_back(static_cast<int>(graph.size()));
    }
    return LowerPattern(3, start, graph);
  }();
  std::vector<double> values(pattern.entries(), 0.0);
  for (int j = 0; j <= kPoints; ++j) {
    const int length = pattern.column_length(j);
    for (int c = 0; c < 3; ++c) {
      const int first = pattern.column_start()[3 * j + c];
      values[first] = 1 + 1e4 * ((j > 0 && j < kPoints) + (j + 1 < kPoints));
      if (length > 3)
        values[pattern.block_position(j + 1, j) + c * length - c * (c + 1) / 2 + c] = -1e4;
    }
  }
  Pcg pcg(pattern);
  ASSERT_TRUE(pcg.prepare(values, rest, true));
  std::mt19937 random(7);
  const Vector expected = random_vector(pattern.dofs(), 1, random);
  Vector right = Vector::Zero(pattern.dofs());
  for (int c = 0; c < pattern.dofs(); ++c) {
    for (int k = pattern.column_start()[c]; k < pattern.column_end(c); ++k) {
      right[pattern.row()[k]] += values[k] * expected[c];
      if (pattern.row()[k] != c) right[c] += values[k] * expected[pattern.row()[k]];
    }
  }
  pcg.start(right);
  EXPECT_EQ(pcg.run(1e-11, 1000), PcgEnd::converged);
  Vector solution(right.size());
  pcg.solution(solution);
  EXPECT_LE((solution - expected).norm(), 1e-6 * expected.norm());  // entries that need no rounding
}

TEST(Pcg, SameBitsForAnyNumberOfThreads) {
  const Problem p({.size = {4, 2, 2}, .cells = {20, 10, 10}}, 10);
  std::mt19937 random(9);
  const Vector right = random_vector(p.pattern.dofs(), 1, random);
  std::vector<Vector> solutions;
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    Pcg pcg(p.pattern);
    ASSERT_TRUE(pcg.prepare(p.lower(), p.positions, true));
    pcg.start(right);
    EXPECT_EQ(pcg.run(1e-8, 1000), PcgEnd::converged);
    solutions.emplace_back(right.size());
    pcg.solution(solutions.back());
  }
  set_threads(1);
  EXPECT_EQ(solutions[0], solutions[1]);
  EXPECT_EQ(solutions[0], solutions[2]);
}

}  // namespace
}  // namespace lilyan::test::pcg_test
