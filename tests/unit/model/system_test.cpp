#include "lilyan/model/system.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "lilyan/base/error.hpp"
#include "lilyan/numeric/mat3.hpp"
#include "support/body.hpp"
#include "support/random_mat3.hpp"

namespace lilyan::test::system_test {
namespace {

TEST(System, MassesMustBePositiveAndFinite) {
  for (const double bad : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(System({1.0, bad}), Error) << bad;
  }
  const System s({1.0, 2.0});
  EXPECT_EQ(s.dofs(), 6);
  EXPECT_EQ(s.mass().diagonal()[2], 1);
  EXPECT_EQ(s.mass().diagonal()[3], 2);
}

TEST(System, FixingCountsEachVertexOnce) {
  System s({1, 1, 1});
  s.fix(1);
  s.fix(1);
  EXPECT_EQ(s.embedding().fixed_count(), 1);
  EXPECT_TRUE(s.embedding().fixed(1));
  EXPECT_FALSE(s.embedding().fixed(0));
  EXPECT_THROW(s.fix(3), Error);
  EXPECT_THROW(s.fix(-1), Error);
  Vector v = Vector::Ones(9);
  s.embedding().pull_back(v);
  EXPECT_EQ(v.sum(), 6);
  EXPECT_EQ(v.segment<3>(3).norm(), 0);
}

TEST(System, SymmetriesAreThoseOfAllParts) {
  const Body free;
  EXPECT_TRUE(free.system.translation_invariant());
  EXPECT_TRUE(free.system.rotation_invariant());
  const Body held({.fixed = {0}});
  EXPECT_FALSE(held.system.translation_invariant());
  EXPECT_FALSE(held.system.rotation_invariant());
  const Body heavy({.gravity = {0, 0, -1}});
  EXPECT_FALSE(heavy.system.translation_invariant());
}

TEST(Mat3, AgreesWithEigen) {
  std::mt19937 random(2);
  for (int k = 0; k < 20; ++k) {
    const Eigen::Matrix3d A = random_matrix3(2, random), B = random_matrix3(2, random);
    const auto near = [](const Mat3<double>& m, const Eigen::Matrix3d& e) {
      for (int i = 0; i < 9; ++i) EXPECT_NEAR(m(i / 3, i % 3), e(i / 3, i % 3), 1e-14);
    };
    const Mat3<double> a = to_mat3<double>(A), b = to_mat3<double>(B);
    near(multiply(a, b), A * B);
    near(gram(a), A.transpose() * A);
    near(outer_gram(a), A * A.transpose());
    EXPECT_NEAR(determinant(a), A.determinant(), 1e-14);
    EXPECT_NEAR(squared_norm(a), A.squaredNorm(), 1e-13);
    // cof(A)ᵀ A = det(A) I holds for singular matrices too.
    near(multiply(to_mat3<double>(A.transpose()), cofactor(a)),
         A.determinant() * Eigen::Matrix3d::Identity());
  }
}

}  // namespace
}  // namespace lilyan::test::system_test
