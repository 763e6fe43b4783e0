#include "lilyan/assemble/project.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <array>
#include <random>

namespace lilyan::test::project_test {
namespace {

using Matrix9 = Eigen::Matrix<double, 9, 9>;

Matrix9 with_eigenvalues(const Eigen::Matrix<double, 9, 1>& values, std::mt19937& random) {
  std::normal_distribution<double> d;
  Matrix9 m;
  for (int i = 0; i < 81; ++i) m(i / 9, i % 9) = d(random);
  const Matrix9 q = Eigen::HouseholderQR<Matrix9>(m).householderQ();
  const Matrix9 a = q * values.asDiagonal() * q.transpose();
  return (a + a.transpose()) / 2;
}

// One matrix per lane: scales from tiny to huge; definite, semidefinite, indefinite with one or all
// eigenvalues negative, repeated eigenvalues, diagonal, zero.
std::array<Matrix9, kLanes> samples(std::mt19937& random) {
  std::uniform_real_distribution<double> d(-1, 1);
  std::array<Matrix9, kLanes> all;
  Eigen::Matrix<double, 9, 1> e;
  const auto draw = [&](double low, double high) {
    for (double& v : e) v = low + (high - low) * (d(random) + 1) / 2;
  };
  draw(0.1, 1);
  all[0] = with_eigenvalues(e, random);
  draw(-1, 1);
  all[1] = with_eigenvalues(e, random);
  draw(-1, -0.1);
  all[2] = 1e8 * with_eigenvalues(e, random);
  draw(0.1, 1);
  e[3] = -1e-3;
  all[3] = 1e-8 * with_eigenvalues(e, random);
  e.setConstant(2);
  e.tail<4>().setConstant(-3);
  all[4] = with_eigenvalues(e, random);
  draw(-1, 1);
  all[5] = e.asDiagonal();
  all[6] = Matrix9::Zero();
  draw(0.5, 1);
  e.head<3>().setZero();
  e[8] = -0.5;
  all[7] = with_eigenvalues(e, random);
  return all;
}

Sym9<Pack> pack(const std::array<Matrix9, kLanes>& lanes) {
  Sym9<Pack> a = zero9<Pack>();
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int i = 0; i < 9; ++i) {
      for (int j = i; j < 9; ++j) a.a[i][j][lane] = lanes[lane](i, j);
    }
  }
  return a;
}

Matrix9 unpack(const Sym9<Pack>& a, int lane) {
  Matrix9 m;
  for (int i = 0; i < 9; ++i) {
    for (int j = 0; j < 9; ++j) m(i, j) = a.at(i, j)[lane];
  }
  return m;
}

class Project : public ::testing::TestWithParam<double> {};

TEST_P(Project, EqualsTheClampOfEigensDecomposition) {
  const double strength = GetParam();
  std::mt19937 random(99);
  // Of the matrices with two eigenvalues only, one in a hundred is hard.
  for (int round = 0; round < 500; ++round) {
    const auto lanes = samples(random);
    Sym9<Pack> a = pack(lanes);
    raise_negative_eigenvalues(a, strength);
    for (int lane = 0; lane < kLanes; ++lane) {
      Eigen::SelfAdjointEigenSolver<Matrix9> eigen(lanes[lane]);
      auto values = eigen.eigenvalues();
      for (double& v : values) v = v < 0 ? (1 - strength) * v : v;
      const Matrix9 expected =
          eigen.eigenvectors() * values.asDiagonal() * eigen.eigenvectors().transpose();
      const Matrix9 actual = unpack(a, lane);
      const double scale = lanes[lane].norm();
      ASSERT_LE((actual - expected).norm(), 1e-11 * scale) << "lane " << lane;
      if (strength == 1) {
        Eigen::SelfAdjointEigenSolver<Matrix9> after(actual);
        ASSERT_GE(after.eigenvalues().minCoeff(), -1e-12 * scale) << "lane " << lane;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Assemble, Project, ::testing::Values(0.5, 1.0));

TEST(ProjectDefinite, LanesWithoutNegativeEigenvaluesAreUntouched) {
  std::mt19937 random(100);
  for (int round = 0; round < 50; ++round) {
    const auto lanes = samples(random);
    Sym9<Pack> a = pack(lanes);
    raise_negative_eigenvalues(a, 1);
    ASSERT_EQ(unpack(a, 0), unpack(pack(lanes), 0));
    ASSERT_EQ(unpack(a, 6), Matrix9::Zero());
    ASSERT_NE(unpack(a, 1), unpack(pack(lanes), 1));
  }
}

// Stress-free elements have three zero eigenvalues, negative by rounding only: not a reason to
// change anything, whether or not another lane of the pack has to be changed.
TEST(ProjectDefinite, SemidefiniteLanesAreUntouched) {
  std::mt19937 random(101);
  for (int round = 0; round < 50; ++round) {
    std::array<Matrix9, kLanes> lanes;
    for (auto& m : lanes) {
      Eigen::Matrix<double, 9, 1> e;
      e << 0, 0, 0, 1, 2, 2, 2, 3, 5;
      if (round % 2 && &m == &lanes[0]) e[3] = -1;
      m = 1e3 * with_eigenvalues(e, random);
    }
    Sym9<Pack> a = pack(lanes);
    raise_negative_eigenvalues(a, 1);
    for (int lane = round % 2; lane < kLanes; ++lane) {
      ASSERT_EQ(unpack(a, lane), unpack(pack(lanes), lane));
    }
  }
}

}  // namespace
}  // namespace lilyan::test::project_test
