// What is left of all rigid motions when points are held and planes are given.
#include "lilyan/model/symmetry.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "lilyan/physics/constraints.hpp"
#include "lilyan/physics/energies.hpp"

namespace lilyan::test::symmetry_test {
namespace {

using Turns = Symmetry::Turns;

Symmetry pinned(const std::vector<Vec3>& points) {
  Symmetry s;
  for (const Vec3& p : points) s.pin(p);
  return s;
}

TEST(Symmetry, OfPoints) {
  EXPECT_EQ(Symmetry().turns(), Turns::all);
  EXPECT_TRUE(Symmetry().shifts_everywhere());
  EXPECT_TRUE(Symmetry().turns_about(Vec3(1, 2, 3)));
  const Symmetry one = pinned({{3, 1, 2}});
  EXPECT_EQ(one.turns(), Turns::all);
  EXPECT_TRUE(one.turns_about(Vec3(3, 1, 2)));
  EXPECT_FALSE(one.turns_about(Vec3(0, 0, 0)));
  EXPECT_FALSE(one.shifts_everywhere());
  EXPECT_TRUE(one.shifts().isZero(0));
  EXPECT_EQ(pinned({{3, 1, 2}, {3, 1, 2}}).turns(), Turns::all);
  const Symmetry two = pinned({{3, 1, 2}, {3, 3, 2}});
  EXPECT_EQ(two.turns(), Turns::about_axis);
  EXPECT_EQ(two.axis(), Vec3(0, 1, 0));
  EXPECT_EQ(two.point(), Vec3(3, 1, 2));
}

// Points on a line, in any order; a point that is off it, near or far.
TEST(Symmetry, OfPointsOnALine) {
  const Vec3 p(0.3, -1, 2), along(0.1, 0.7, -0.3);
  const auto at = [&](double s) -> Vec3 { return p + s * along; };
  for (const auto& line : {std::vector{at(0), at(1e-6), at(5), at(-2)},
                           std::vector{at(0), at(5), at(1e-3), at(5), at(-2)}}) {
    const Symmetry s = pinned(line);
    EXPECT_EQ(s.turns(), Turns::about_axis);
    EXPECT_LE(s.axis().cross(along.normalized()).norm(), 1e-14);
  }
  for (const double off : {1e-9, 1.0}) {
    EXPECT_EQ(pinned({at(0), at(5), at(1) + Vec3(off, 0, 0)}).turns(), Turns::none);
    EXPECT_EQ(pinned({at(0), at(1) + Vec3(off, 0, 0), at(5)}).turns(), Turns::none);
  }
}

TEST(Symmetry, OfPlanes) {
  const Vec3 n(1, 2, -2);
  Symmetry s;
  s.level(n);
  s.level(-3e-6 * n);
  EXPECT_EQ(s.turns(), Turns::about_axis);
  EXPECT_FALSE(s.pinned());
  EXPECT_LE((s.shifts() - (Eigen::Matrix3d::Identity() - n * n.transpose() / 9)).norm(), 1e-15);
  s.level(Vec3(0, 0, 1));
  EXPECT_EQ(s.turns(), Turns::none);
  const Vec3 both = n.cross(Vec3(0, 0, 1)).normalized();
  EXPECT_LE((s.shifts() - both * both.transpose()).norm(), 1e-14);
  s.level(Vec3(1, 0, 0));
  EXPECT_TRUE(s.shifts().isZero(0));
}

// A body that hangs at a point turns about the vertical through it, and on a hinge only if that is vertical.
TEST(Symmetry, OfPointsAndPlanes) {
  for (const bool first : {false, true}) {
    for (const double size : {1e-3, 1.0, 1e3}) {
      const Vec3 down(0, -9.81 * size, 0);
      const auto symmetry = [&](const std::vector<Vec3>& points) {
        Symmetry s;
        if (first) s.level(down);
        for (const Vec3& p : points) s.pin(p);
        if (!first) s.level(down);
        return s;
      };
      const Symmetry hanging = symmetry({{1, 2, 3}});
      EXPECT_EQ(hanging.turns(), Turns::about_axis);
      EXPECT_TRUE(hanging.pinned());
      EXPECT_TRUE(hanging.shifts().isZero(0));
      EXPECT_LE(hanging.axis().cross(Vec3(0, 1, 0)).norm(), 0);
      EXPECT_EQ(symmetry({{1, 2, 3}, {1, 2.01, 3}}).turns(), Turns::about_axis);
      EXPECT_EQ(symmetry({{1, 2, 3}, {1, 2.01, 3 + 1e-9}}).turns(), Turns::none);
      EXPECT_EQ(symmetry({{1, 2, 3}, {1, 2, 4}}).turns(), Turns::none);
    }
  }
}

TEST(Symmetry, IsLimitedByConstraintsAndGravity) {
  Symmetry s;
  DistanceConstraint(0, 1, 1.0).limit(s);
  PointConstraint(0, 1).limit(s);
  EXPECT_TRUE(s.shifts_everywhere());
  EXPECT_EQ(s.turns(), Turns::all);
  DistanceConstraint(0, Vec3(1, 0, 0), 1.0).limit(s);
  EXPECT_TRUE(s.turns_about(Vec3(1, 0, 0)));
  PointConstraint(0, Vec3(1, 0, 2)).limit(s);
  EXPECT_EQ(s.axis(), Vec3(0, 0, 1));
  PlaneConstraint(0, Vec3(5, 5, 5), Vec3(0, 0, -2)).limit(s);
  Gravity({0, 0, -1}, {1}).limit(s);
  Gravity({0, 0, 0}, {1}).limit(s);
  EXPECT_EQ(s.turns(), Turns::about_axis);
  Gravity({0, 1, 0}, {1}).limit(s);
  EXPECT_EQ(s.turns(), Turns::none);
}

}  // namespace
}  // namespace lilyan::test::symmetry_test
