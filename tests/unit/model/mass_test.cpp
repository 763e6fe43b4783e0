#include "lilyan/model/mass.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <limits>
#include <vector>

#include "lilyan/assemble/pattern.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/model/sums.hpp"
#include "support/body.hpp"
#include "support/dense.hpp"

namespace lilyan::test::mass_test {
namespace {

const std::vector<double> kMasses = {2, 0.5, 3, 7, 0.25, 1};

Matrix matrix(const Mass& mass, int size) {
  Matrix M = Matrix::Zero(size, size);
  for (int c = 0; c < size; ++c) {
    mass.each_entry(c, [&](int row, double value) { M(row, c) += value; });
  }
  return M;
}

TEST(Mass, GivesTheFactorsOfVertices) {
  const Matrix M = matrix(Mass(kMasses, 3), 18);
  const Matrix diagonal = M.diagonal().asDiagonal();
  EXPECT_EQ(M, diagonal);
  for (int i = 0; i < 18; ++i) EXPECT_EQ(M(i, i), kMasses[static_cast<std::size_t>(i / 3)]) << i;
  EXPECT_EQ(Mass(kMasses, 3).diagonal(), Vector(M.diagonal()));
}

TEST(Mass, RefusesWhatIsNoMass) {
  for (const double bad :
       {0.0, -1.0, 1e-200, std::nan(""), std::numeric_limits<double>::infinity()}) {
    const std::vector<double> masses = {1.0, bad};
    EXPECT_THROW(Mass(masses, 3), Error) << bad;
  }
}

class MassOf : public testing::TestWithParam<int> {
 protected:
  const int n_ = GetParam() * static_cast<int>(kMasses.size());
  const Mass mass_{kMasses, GetParam()};
  const Matrix M_ = matrix(mass_, n_);
  const Vector v_ = Vector::LinSpaced(n_, -1.3, 2.1);
  const Vector w_ = Vector::LinSpaced(n_, 3.7, 0.9);

  void expect_near(const Vector& found, const Vector& expected) const {
    EXPECT_LE((found - expected).norm(), 1e-14 * expected.norm());
  }
};

TEST_P(MassOf, AppliesTheMatrix) {
  Vector y;
  mass_.apply(v_, y);
  expect_near(y, M_ * v_);
  mass_.apply(v_ - 2 * w_, y);
  expect_near(y, M_ * (v_ - 2 * w_));
  y = w_;
  mass_.add_applied(v_, y);
  expect_near(y, w_ + M_ * v_);
}

TEST_P(MassOf, SolvesWithTheMatrix) {
  Vector y = w_;
  mass_.add_solved(-0.3, v_, y);
  expect_near(M_ * y, M_ * w_ - 0.3 * v_);
  mass_.kick(w_, 1.7, v_ - w_, y);
  expect_near(M_ * y, M_ * w_ + 1.7 * (v_ - w_));
  mass_.kick(y, -1.7, v_ - w_, y);  // in place
  expect_near(y, w_);
  y = w_;
  mass_.add_solved_entry(2, 5, y);
  expect_near(M_ * y, M_ * w_ + 5 * Vector::Unit(n_, 2));
}

TEST_P(MassOf, MeasuresByTheMatrix) {
  EXPECT_NEAR(mass_.square(v_), v_.dot(M_ * v_), 1e-13 * v_.dot(M_ * v_));
  EXPECT_NEAR(mass_.product(v_, w_), v_.dot(M_ * w_), 1e-13 * mass_.square(w_));
  const double inverse = w_.dot(M_.ldlt().solve(w_));
  EXPECT_NEAR(mass_.inverse_square(w_), inverse, 1e-13 * inverse);
}

// Parts of vectors have the entries from `first` on.
TEST_P(MassOf, WorksOnParts) {
  const int n = GetParam(), first = n, size = 4 * n;
  const auto part = part_of(first, first + size);
  const Matrix M = M_.block(first, first, size, size);
  const Vector v = part(v_), w = part(w_);
  Vector y = w_;
  mass_.apply(part(v_), part(y), first);
  expect_near(part(y), M * v);
  EXPECT_EQ(y.head(n), w_.head(n));
  EXPECT_EQ(y.tail(n), w_.tail(n));
  EXPECT_NEAR(mass_.square(v, first), v.dot(M * v), 1e-13 * v.dot(M * v));
  EXPECT_NEAR(mass_.product(v, w, first), v.dot(M * w), 1e-13 * w.dot(M * w));
  const double inverse = w.dot(M.ldlt().solve(w));
  EXPECT_NEAR(mass_.inverse_square(w, first), inverse, 1e-13 * inverse);
}

INSTANTIATE_TEST_SUITE_P(Model, MassOf, testing::Values(1, 3));

// Beside fixed vertices, which have no rows.
TEST(Mass, IsAddedToHessians) {
  const Body body({.fixed = {1, 4}});
  const BlockPattern half(body.system);
  const FullPattern full(half);
  const Mass& mass = body.system.mass();
  const Vector damping = Vector::LinSpaced(body.system.dofs(), 1, 9);
  Matrix expected = Matrix::Zero(half.dofs(), half.dofs());
  for (int c = 0; c < half.dofs(); ++c) {
    EXPECT_EQ(half.column(half.dof(c)), c);
    expected(c, c) = mass.diagonal()[half.dof(c)];
  }
  std::vector<double> values(static_cast<std::size_t>(half.storage()), 0.0);
  half.add_mass(mass, 1, nullptr, values);
  EXPECT_EQ(dense(half, values), expected);
  std::vector<double> all(static_cast<std::size_t>(full.entries()), 0.0), mirrored = all;
  full.add_mass(mass, all);
  full.mirror(values, mirrored);
  EXPECT_EQ(all, mirrored);
  half.add_mass(mass, 0.5, &damping, values);
  for (int c = 0; c < half.dofs(); ++c) expected(c, c) += 0.5 * damping[half.dof(c)];
  for (int c = 0; c < half.dofs(); ++c) expected(c, c) += mass.diagonal()[half.dof(c)];
  EXPECT_LE((dense(half, values) - expected).norm(), 1e-15 * expected.norm());
}

TEST(Mass, SpreadIsAboutTheCentreOfMass) {
  const System system({1, 3});
  Vector x(6);
  x << 1, 0, 0, 5, 0, 2;
  // The centre is at (4, 0, 1.5).
  EXPECT_DOUBLE_EQ(spread(system, x), 9 + 2.25 + 3 * (1 + 0.25));
  x += Vec3(7, -2, 1).replicate(2, 1);
  EXPECT_NEAR(spread(system, x), 15, 1e-13);
  EXPECT_DOUBLE_EQ(sum_by_mass(system, [](int i) { return i + 1.0; }), 7);
  EXPECT_DOUBLE_EQ(mass_square(system, Vector::Ones(6)), 12);
}

}  // namespace
}  // namespace lilyan::test::mass_test
