// The constraints themselves: Jacobians against differences, symmetries, what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>

#include "lilyan/assemble/constraint_set.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/physics/constraints.hpp"
#include "support/body.hpp"
#include "support/difference.hpp"

namespace lilyan::test::constraint_test {
namespace {

std::unique_ptr<Constraint> torus() {
  return std::make_unique<FunctionConstraint>("torus", std::vector{3, 4, 5}, 1.0,
                                              [](const double* q, double* gradient) {
                                                const double rho = std::hypot(q[0], q[1]);
                                                if (gradient) {
                                                  gradient[0] = 2 * (rho - 1) * q[0] / rho;
                                                  gradient[1] = 2 * (rho - 1) * q[1] / rho;
                                                  gradient[2] = 2 * q[2];
                                                }
                                                return (rho - 1) * (rho - 1) + q[2] * q[2] - 0.16;
                                              });
}

System three_points() {
  System system({1.0, 2.0, 3.0});
  system.add(std::make_unique<DistanceConstraint>(0, 2, 1.5));
  system.add(std::make_unique<DistanceConstraint>(1, Vec3(0.1, -0.4, 2), 0.7));
  system.add(std::make_unique<PlaneConstraint>(2, Vec3(0, 1, 0), Vec3(1, 2, -2)));
  system.add(torus());
  return system;
}

TEST(Constraints, JacobiansAgreeWithDifferences) {
  const System system = three_points();
  const ConstraintSet set(system);
  ASSERT_EQ(set.equations(), 4);
  std::mt19937 random(3);
  const Vector x = random_vector(9, 1, random);
  Vector g(4), along(4);
  auto jacobian = set.make_jacobian();
  set.evaluate(x, g, jacobian);
  for (int i = 0; i < 9; ++i) {
    const Vector e = Vector::Unit(9, i);
    set.apply(jacobian, e, along);
    const Vector expected = difference(
        [&](double t) {
          Vector at(4);
          set.values(x + t * e, at);
          return at;
        },
        1e-3);
    EXPECT_LE((along - expected).norm(), 1e-9) << "degree of freedom " << i;
  }
}

TEST(Constraints, ProductsWithTheJacobianAgree) {
  System system = three_points();
  system.fix(0);
  const ConstraintSet set(system);
  std::mt19937 random(4);
  const Vector x = random_vector(9, 1, random);
  Vector g(4), along(4);
  auto jacobian = set.make_jacobian();
  set.evaluate(x, g, jacobian);
  Eigen::MatrixXd G(4, 9);
  for (int i = 0; i < 9; ++i) {
    set.apply(jacobian, Vector::Unit(9, i), along);
    G.col(i) = along;
  }
  EXPECT_EQ(G.leftCols(3).norm(), 0) << "vertex 0 is fixed";
  EXPECT_GT(G.rightCols(6).norm(), 1);
  const Vector lambda = random_vector(4, 1, random);
  Vector sum = Vector::Ones(9);
  set.add_transposed(jacobian, lambda, 2, sum);
  EXPECT_LE((sum - Vector::Ones(9) - 2 * G.transpose() * lambda).norm(), 1e-14);
  Vector column(9);
  set.column(jacobian, 2, column);
  EXPECT_EQ((column - G.row(2).transpose()).norm(), 0);
  DenseMatrix gram(4, 4);
  set.gram(jacobian, jacobian, gram);
  const Eigen::MatrixXd expected =
      G * system.mass().diagonal().cwiseInverse().asDiagonal() * G.transpose();
  EXPECT_LE((gram - expected).norm(), 1e-14);

  GramFactor factor;
  ASSERT_TRUE(factor.factorise(gram));
  Vector b = lambda;
  factor.solve_lower(b);
  factor.solve_upper(b);
  EXPECT_LE((gram * b - lambda).norm(), 1e-12);
  Vector c = lambda;
  factor.multiply_upper(c);
  factor.solve_upper(c);
  EXPECT_LE((c - lambda).norm(), 1e-13);
}

TEST(Constraints, PointsAndJoints) {
  System system({1.0, 2.0, 3.0});
  system.add(std::make_unique<PointConstraint>(0, 2));
  system.add(std::make_unique<PointConstraint>(1, Vec3(0.1, -0.4, 2)));
  const ConstraintSet set(system);
  ASSERT_EQ(set.equations(), 6);
  std::mt19937 random(4);
  const Vector x = random_vector(9, 1, random);
  Vector g(6), along(6);
  auto jacobian = set.make_jacobian();
  set.evaluate(x, g, jacobian);
  EXPECT_EQ(g.head<3>(), Vec3(x.segment<3>(0) - x.segment<3>(6)));
  EXPECT_EQ(g.tail<3>(), Vec3(x.segment<3>(3) - Vec3(0.1, -0.4, 2)));
  for (int i = 0; i < 9; ++i) {  // linear: differences are exact
    set.apply(jacobian, Vector::Unit(9, i), along);
    Vector there(6);
    set.values(x + Vector::Unit(9, i), there);
    EXPECT_LE((along - (there - g)).norm(), 1e-15) << "degree of freedom " << i;
  }
  EXPECT_THROW(PointConstraint(1, 1), Error);
}

TEST(Constraints, SayWhatTheyConserve) {
  System free({1.0, 1.0});
  free.add(std::make_unique<DistanceConstraint>(0, 1, 1.0));
  EXPECT_TRUE(free.translation_invariant());
  EXPECT_TRUE(free.rotation_invariant());
  free.add(std::make_unique<DistanceConstraint>(0, Vec3(0, 0, 0), 1.0));
  EXPECT_FALSE(free.translation_invariant());
  EXPECT_TRUE(free.rotation_invariant());
  free.add(std::make_unique<PlaneConstraint>(0, Vec3(0, 0, 0), Vec3(0, 0, 1)));
  EXPECT_FALSE(free.rotation_invariant());
}

TEST(Constraints, WhatMakesNoSenseIsRefused) {
  EXPECT_THROW(DistanceConstraint(0, 1, 0), Error);
  EXPECT_THROW(DistanceConstraint(0, 1, -1), Error);
  EXPECT_THROW(DistanceConstraint(1, 1, 1), Error);
  EXPECT_THROW(PlaneConstraint(0, Vec3(0, 0, 0), Vec3(0, 0, 0)), Error);
  System system({1.0, 1.0});
  EXPECT_THROW(system.add(std::make_unique<DistanceConstraint>(0, 2, 1.0)), Error);
  System angles({1.0, 1.0}, 1);
  EXPECT_THROW(angles.add(std::make_unique<PlaneConstraint>(0, Vec3(0, 0, 0), Vec3(0, 0, 1))),
               Error);
  EXPECT_TRUE(angles.constraints().empty());
}

}  // namespace
}  // namespace lilyan::test::constraint_test
