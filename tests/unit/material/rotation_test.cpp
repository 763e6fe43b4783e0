// The rotation nearest to a matrix, for matrices of every kind.
#include <gtest/gtest.h>

#include <random>

#include "lilyan/material/fixed_corotated.hpp"
#include "support/random_mat3.hpp"

namespace lilyan::test::rotation_test {
namespace {

Eigen::Matrix3d nearest(const Eigen::Matrix3d& F) {
  const Mat3<double> R = nearest_rotation(to_mat3<double>(F));
  Eigen::Matrix3d r;
  for (int k = 0; k < 9; ++k) r(k / 3, k % 3) = R(k / 3, k % 3);
  return r;
}

TEST(NearestRotation, ProperForEveryMatrix) {
  std::mt19937 random(5);
  for (const Eigen::Matrix3d& F : deformations(true, random)) {
    const Eigen::Matrix3d R = nearest(F);
    ASSERT_LE((R.transpose() * R - Eigen::Matrix3d::Identity()).norm(), 1e-14) << F;
    ASSERT_NEAR(R.determinant(), 1, 1e-14) << F;
  }
}

// F = U Σ Vᵀ with the signs chosen so that U and V are rotations: R = U Vᵀ.
TEST(NearestRotation, IsThatOfTheSignedSingularValues) {
  std::mt19937 random(6);
  const std::vector<Eigen::Vector3d> singular_values = {
      {1, 1, 1},      {1, 1, 0.5},  {2, 1, 1},        {2, 2, 2},
      {1.3, 1, 0.7},  {1, 1, 0},    {1, 1 + 1e-8, 1}, {1, 1e-3, 0},
      {10, 1, 0.1},   {3, 1, -0.5}, {1, 1, -0.5},     {2, 2, -1},
      {1, 0.5, -0.4}, {10, 5, -1},  {1e6, 1e6, -2e5}, {1e-6, 1e-6, 1e-6}};
  for (const Eigen::Vector3d& s : singular_values) {
    for (int k = 0; k < 20; ++k) {
      const Eigen::Matrix3d U = random_rotation(random);
      const Eigen::Matrix3d V = random_rotation(random);
      // What rounding F alone does to R.
      const double tolerance = 4e-15 * s[0] / (s[1] + s[2]);
      ASSERT_LE((nearest(U * s.asDiagonal() * V.transpose()) - U * V.transpose()).norm(), tolerance)
          << s.transpose();
    }
  }
}

TEST(NearestRotation, OfARotationIsItself) {
  std::mt19937 random(7);
  EXPECT_EQ(nearest(Eigen::Matrix3d::Identity()), Eigen::Matrix3d::Identity());
  for (int k = 0; k < 200; ++k) {
    const Eigen::Matrix3d R = random_rotation(random);
    ASSERT_LE((nearest(R) - R).norm(), 4e-15);
  }
  // Half turns, where the quaternion's first component vanishes.
  for (const Eigen::Vector3d& d :
       {Eigen::Vector3d(1, -1, -1), Eigen::Vector3d(-1, 1, -1), Eigen::Vector3d(-1, -1, 1)}) {
    const Eigen::Matrix3d R = d.asDiagonal();
    EXPECT_EQ(nearest(R), R);
  }
}

}  // namespace
}  // namespace lilyan::test::rotation_test
