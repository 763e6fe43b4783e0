#include "lilyan/contact/body_contact.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <memory>
#include <vector>

#include "lilyan/base/error.hpp"
#include "lilyan/contact/distance.hpp"
#include "lilyan/control/make_integrator.hpp"
#include "lilyan/physics/energies.hpp"
#include "support/contact.hpp"

namespace lilyan::body_contact_test {
namespace {

constexpr double kStiffness = 300;
constexpr double kThickness = 0.2;

// One point and one triangle. The point's number is between those of the corners, so that their
// order in the matrix is not the order in which the energy has them.
struct OnePair {
  static constexpr int kPoint = 2;
  static constexpr std::array<int, 3> kCorners{3, 0, 1};

  System system{{1.0, 1.0, 1.0, 1.0}};
  const BodyContact* contact = nullptr;

  explicit OnePair(const Vector& x) {
    auto made = std::make_unique<BodyContact>(
        std::vector<ContactSurface>{{.body = 0, .vertices = {kPoint}, .triangles = {}},
                                    {.body = 1, .vertices = {0, 1, 3}, .triangles = {kCorners}}},
        kStiffness, kThickness, x);
    contact = made.get();
    system.add(std::move(made));
  }

  [[nodiscard]] double energy(const Vector& x) const {
    return contact->evaluate({.x0 = x.data(), .nodes = std::vector<WeightedNode>{{.value = 1}}});
  }
};

// A triangle that lies a little askew, and a point at p.
Vector with_point(const Vec3& p) {
  Vector x(12);
  x.segment<3>(3 * OnePair::kCorners[0]) = Vec3(0, 0, 0.02);
  x.segment<3>(3 * OnePair::kCorners[1]) = Vec3(1, 0.05, 0);
  x.segment<3>(3 * OnePair::kCorners[2]) = Vec3(0.1, 0.9, -0.03);
  x.segment<3>(3 * OnePair::kPoint) = p;
  return x;
}

PointTriangle gathered(const Vector& x) {
  PointTriangle z;
  z << x.segment<3>(3 * OnePair::kPoint), x.segment<3>(3 * OnePair::kCorners[0]),
      x.segment<3>(3 * OnePair::kCorners[1]), x.segment<3>(3 * OnePair::kCorners[2]);
  return z;
}

// Points near each part of the triangle, closer than the thickness.
struct Place {
  Nearest feature;
  Vec3 point;
};
const std::vector<Place> kPlaces{
    {Nearest::face, Vec3(0.3, 0.3, 0.1)},          {Nearest::edge_ab, Vec3(0.5, -0.06, 0.07)},
    {Nearest::edge_bc, Vec3(0.63, 0.55, 0.06)},    {Nearest::edge_ca, Vec3(-0.02, 0.45, -0.08)},
    {Nearest::corner_a, Vec3(-0.07, -0.06, 0.08)}, {Nearest::corner_b, Vec3(1.08, 0.02, 0.05)},
    {Nearest::corner_c, Vec3(0.11, 0.99, -0.08)}};

// All four vertices move, by little, so that the nearest part stays the same.
Vector small_way() {
  Vector d(12);
  d << 0.011, -0.007, 0.013, -0.009, 0.012, 0.006, 0.008, -0.012, -0.014, 0.007, 0.01, -0.011;
  return d;
}

TEST(BodyContact, DerivativesMatchDifferencesNearEveryPartOfATriangle) {
  for (const auto& [feature, point] : kPlaces) {
    const Vector x = with_point(point);
    const OnePair pair(x);
    const Vector d = small_way();
    for (const double theta : {0.0, 0.3, 0.9}) {
      ASSERT_EQ(nearest_point(gathered(x + theta * d)).feature, feature);
    }
    ASSERT_GT(pair.energy(x), 0);
    ASSERT_GT(pair.energy(x + d), 0);
    SCOPED_TRACE(static_cast<int>(feature));
    test::expect_path_derivatives(pair.system, x, d, {}, 1e-6, 1e-4);
    for (const double start : {0.0, 0.2}) {
      test::expect_path_derivatives(pair.system, x, d, PathMeanWeights{0.7, start}, 1e-6, 1e-4,
                                    1e-5);
    }
  }
}

// A path that comes into contact, one that leaves it, and one that grazes it.
const std::vector<std::pair<Vec3, Vec3>> kWays{{Vec3(0.3, 0.3, 0.35), Vec3(0.05, -0.02, -0.28)},
                                               {Vec3(0.3, 0.3, 0.1), Vec3(-0.04, 0.03, 0.3)},
                                               {Vec3(-0.4, 0.3, 0.2), Vec3(0.5, 0.1, -0.05)}};

TEST(BodyContact, DerivativesMatchDifferencesWhereContactBeginsOrEnds) {
  for (const auto& [point, way] : kWays) {
    const Vector x = with_point(point);
    const OnePair pair(x);
    Vector d = small_way();
    d.segment<3>(3 * OnePair::kPoint) = way;
    for (const double start : {0.0, 0.2}) {
      test::expect_path_derivatives(pair.system, x, d, PathMeanWeights{0.7, start}, 2e-6, 1e-4,
                                    1e-3);
    }
  }
}

// The mean force times the way is the difference of the energies.
TEST(BodyContact, MeanForceIsExact) {
  for (const auto& [point, way] : kWays) {
    const Vector x = with_point(point);
    const OnePair pair(x);
    Vector d = small_way();
    d.segment<3>(3 * OnePair::kPoint) = way;
    const double before = pair.energy(x);
    const double after = pair.energy(x + d);
    const auto sums = test::path_sums(pair.system, x, d, PathMeanWeights{1, 0});
    EXPECT_NEAR(sums.gradient.dot(d), after - before, 1e-14 * (1 + before + after));
    // Forces have no sum.
    Vec3 total = Vec3::Zero();
    for (int i = 0; i < 4; ++i) total += sums.gradient.segment<3>(3 * i);
    EXPECT_LE(total.norm(), 1e-13 * (1 + sums.gradient.norm()));
  }
}

// Also where a point goes through the triangle, where the force jumps.
TEST(BodyContact, MeanForceIsExactThroughATriangle) {
  for (const double depth : {0.01, 0.07, 0.12}) {
    const Vector x = with_point(Vec3(0.3, 0.3, 0.1));
    const OnePair pair(x);
    Vector d = small_way();
    d.segment<3>(3 * OnePair::kPoint) = Vec3(0.03, -0.01, -0.1 - depth);
    const double before = pair.energy(x);
    const double after = pair.energy(x + d);
    const auto sums = test::path_sums(pair.system, x, d, PathMeanWeights{1, 0});
    EXPECT_NEAR(sums.gradient.dot(d), after - before, 1e-13 * (1 + before + after));
  }
}

// A step may be so long that they touch in a thousandth of it only, and in its middle.
TEST(BodyContact, MeanForceIsExactOfAFastPoint) {
  for (const double length : {1.0, 10.0, 1000.0}) {
    for (const double share : {0.5, 0.3141}) {
      const Vec3 way(0.4, 0.1, -length);
      const Vec3 hit(0.3, 0.3, 0);
      const Vector x = with_point(hit - share * way);
      const OnePair pair(with_point(hit));  // where pairs are looked for
      Vector d = small_way();
      d.segment<3>(3 * OnePair::kPoint) = way;
      // By a sum of many, where they may touch.
      constexpr int kMany = 400000;
      const double from = std::max(0.0, share - 2 / length);
      const double to = std::min(1.0, share + 2 / length);
      Vector mean = Vector::Zero(12);
      double value = 0;
      for (int i = 0; i < kMany; ++i) {
        const double s = from + (to - from) * (i + 0.5) / kMany;
        const Vector there = x + s * d;
        Vector gradient = Vector::Zero(12);
        const double e =
            pair.contact->evaluate({.x0 = there.data(),
                                    .nodes = std::vector<WeightedNode>{{.value = 1, .gradient = 1}},
                                    .gradient = gradient.data()});
        mean += (to - from) / kMany * gradient;
        value += (to - from) / kMany * e / s;
      }
      const auto sums = test::path_sums(pair.system, x, d, PathMeanWeights{1, 0});
      EXPECT_GT(value, 0);
      EXPECT_NEAR(sums.value, value, 1e-5 * value) << length << ", " << share;
      // The force jumps at the triangle, within one of the many.
      const double jump = 2.5 * kStiffness * kThickness * (to - from) / kMany;
      EXPECT_LE((sums.gradient - mean).norm(), jump) << length << ", " << share;
    }
  }
}

TEST(BodyContact, ProjectedHessiansHaveNoNegativeEigenvalues) {
  int indefinite = 0;
  for (const auto& [feature, point] : kPlaces) {
    const Vector x = with_point(point);
    const OnePair pair(x);
    Assembler assembler(pair.system);
    const std::vector<WeightedNode> here{{.hessian = 1}};
    const Vector d = Vector::Zero(12);
    const auto eigenvalues = [&](double projection) {
      const test::Matrix h = test::dense_hessian(assembler, x, d, here, projection);
      return Eigen::SelfAdjointEigenSolver<test::Matrix>(h).eigenvalues().eval();
    };
    indefinite += eigenvalues(0).minCoeff() < -1e-3;
    EXPECT_GE(eigenvalues(1).minCoeff(), -1e-10);
    EXPECT_NEAR(eigenvalues(1).maxCoeff(), eigenvalues(0).maxCoeff(), 1e-9);
  }
  EXPECT_EQ(indefinite, static_cast<int>(kPlaces.size()));
}

TEST(BodyContact, ContactPointsAreWhereTheMeanForceActs) {
  for (const auto& [feature, point] : kPlaces) {
    const Vector x = with_point(point);
    const OnePair pair(x);
    const Vector d = small_way();
    const ContactPoint at = pair.contact->contact_point(0, x.data(), d.data(), nullptr);
    const auto sums = test::path_sums(pair.system, x, d, PathMeanWeights{1, 0});
    const Vec3 force = sums.gradient.segment<3>(3 * OnePair::kPoint);
    EXPECT_NEAR(at.pressure, force.norm(), 1e-12);
    EXPECT_LE((at.pressure * at.normal - force).norm(), 1e-12);
    // The sliding velocity: that of the point less that of the nearest point of the triangle.
    const NearestPoint nearest = nearest_point(gathered(x + 0.5 * d));
    EXPECT_EQ(at.weight[OnePair::kPoint], 1);
    EXPECT_DOUBLE_EQ(at.weight[OnePair::kCorners[0]], -nearest.weight[0]);
    EXPECT_DOUBLE_EQ(at.weight[OnePair::kCorners[1]], -nearest.weight[1]);
    EXPECT_DOUBLE_EQ(at.weight[OnePair::kCorners[2]], -nearest.weight[2]);
    EXPECT_EQ(at.velocity, Vec3(Vec3::Zero()));
  }
}

// A triangle comes to a point that rests, from beyond the thickness: whether the two can meet depends
// on both ways.
TEST(BodyContact, ATriangleThatComesToAPointPushesIt) {
  const Vector x = with_point(Vec3(0.3, 0.3, 0.35));
  const OnePair pair(x);
  Vector d = Vector::Zero(12);
  for (const int corner : OnePair::kCorners) d.segment<3>(3 * corner) = Vec3(0.02, -0.03, 0.28);
  ASSERT_EQ(pair.energy(x), 0);
  const double after = pair.energy(x + d);
  ASSERT_GT(after, 0.1);
  const auto sums = test::path_sums(pair.system, x, d, PathMeanWeights{1, 0});
  EXPECT_NEAR(sums.gradient.dot(d), after, 1e-13);
  test::expect_path_derivatives(pair.system, x, d, {}, 1e-6, 1e-4);
}

// A point falls on a triangle that cannot move, from so far above and so fast that at the start of
// the step nothing says that the two will meet: the step has to be repeated with the pair.
TEST(BodyContact, ASolvedStepIsRepeatedWhenItMetAPairThatNobodyLookedAt) {
  constexpr double kStep = 0.1;
  System system({1.0, 1.0, 1.0, 1.0});
  const Vector x = with_point(Vec3(0.3, 0.3, 1));
  for (const int corner : OnePair::kCorners) system.fix(corner);
  // Without the contact it would end 0.05 above.
  system.add(std::make_unique<Gravity>(Vec3(0, 0, -2 * 0.95 / (kStep * kStep)),
                                       std::vector<double>(4, 1.0)));
  system.add(std::make_unique<BodyContact>(
      std::vector<ContactSurface>{
          {.body = 0, .vertices = {OnePair::kPoint}, .triangles = {}},
          {.body = 1, .vertices = {0, 1, 3}, .triangles = {OnePair::kCorners}}},
      kStiffness, kThickness, x));
  State state{.x = x, .v = Vector::Zero(12)};
  const auto integrator = make_integrator(system, make_scheme("avf"), {});
  ASSERT_EQ(system.energies()[1]
                ->stencils_with(integrator->memory()->of(*system.energies()[1]))
                .vertices.size(),
            0u)
      << "the pair is known already";
  const StepReport report = integrator->step(state, kStep);
  ASSERT_TRUE(succeeded(report.status));
  const double depth = kThickness - point_triangle_distance(gathered(state.x));
  ASSERT_GT(depth, 0);
  EXPECT_NEAR(report.after.of(EnergyKind::contact), 0.5 * kStiffness * depth * depth, 1e-12);
  EXPECT_NEAR(report.after.total, report.before.total, 1e-10);
  EXPECT_GT(state.x[3 * OnePair::kPoint + 2], 0.06) << "nothing pushed";
}

// A point that went farther than it was looked for has met nobody, or may have: then the step is to be repeated.
TEST(BodyContact, ASolvedStepStandsWhenItMetNobody) {
  const Vector x = with_point(Vec3(0.3, 0.3, 1));
  System system({1.0, 1.0, 1.0, 1.0});
  system.add(std::make_unique<BodyContact>(
      std::vector<ContactSurface>{
          {.body = 0, .vertices = {OnePair::kPoint}, .triangles = {}},
          {.body = 1, .vertices = {0, 1, 3}, .triangles = {OnePair::kCorners}}},
      kStiffness, kThickness, x));
  const auto& contact = static_cast<const BodyContact&>(*system.energies()[0]);
  const Vector rest = Vector::Zero(x.size());
  for (const double fall : {0.4, 0.7}) {  // both beyond what was looked for
    const auto memory = contact.make_memory();
    contact.begin_step({.h = 0.1, .x = x.data(), .v = rest.data()}, *memory);
    Vector end = x;
    end[3 * OnePair::kPoint + 2] -= fall;
    EXPECT_EQ(contact.found_all_contacts(end.data(), *memory), fall < 0.5);
  }
}

// A step that went far is looked at again from farther away, and the next one is not.
TEST(BodyContact, AStepThatStandsDoesNotWidenTheNextSearch) {
  Vector x = with_point(Vec3(0.3, 0.3, 1));
  const BodyContact contact({{.body = 0, .vertices = {OnePair::kPoint}, .triangles = {}},
                             {.body = 1, .vertices = {0, 1, 3}, .triangles = {OnePair::kCorners}}},
                            kStiffness, kThickness, x);
  const Vector rest = Vector::Zero(x.size());
  const auto memory = contact.make_memory();
  contact.begin_step({.h = 0.1, .x = x.data(), .v = rest.data()}, *memory);
  Vector end = x;
  end[3 * OnePair::kPoint + 2] -= 0.42;
  ASSERT_TRUE(contact.found_all_contacts(end.data(), *memory));
  x[3 * OnePair::kPoint + 2] = 0.9;
  EXPECT_FALSE(contact.begin_step({.h = 0.1, .x = x.data(), .v = rest.data()}, *memory));
  EXPECT_TRUE(contact.stencils_with(memory.get()).vertices.empty());
}

// Pairs stay when there are fewer, but not when hardly any is left of many.
TEST(BodyContact, ForgetsManyPairsThatHaveParted) {
  constexpr int kPoints = 100;
  Vector x(3 * (kPoints + 3));
  ContactSurface cloud{.body = 0, .vertices = {}, .triangles = {}};
  for (int i = 0; i < kPoints; ++i) {
    cloud.vertices.push_back(i);
    x.segment<3>(3 * i) = Vec3(0.2, 0.2, 0.1 + 1e-4 * i);
  }
  x.tail<9>() << 0, 0, 0, 1, 0, 0, 0, 1, 0;
  const std::array<int, 3> corners{kPoints, kPoints + 1, kPoints + 2};
  const BodyContact contact(
      {cloud, {.body = 1, .vertices = {corners.begin(), corners.end()}, .triangles = {corners}}},
      kStiffness, kThickness, x);
  const auto memory = contact.make_memory();
  const Vector rest = Vector::Zero(x.size());
  const auto pairs_with_away = [&](int away) {
    Vector now = x;
    for (int i = 0; i < away; ++i) now[3 * i + 2] += 5;
    (void)contact.begin_step({.h = 0.1, .x = now.data(), .v = rest.data()}, *memory);
    return contact.stencils_with(memory.get()).vertices.size() / 4;
  };
  EXPECT_EQ(pairs_with_away(0), 100U);
  EXPECT_EQ(pairs_with_away(90), 100U);
  EXPECT_EQ(pairs_with_away(95), 5U);
}

// A point that starts from rest beyond the thickness and moves less than any search looks ahead: the
// pair must be known because the thickness reaches farther than both ways.
TEST(BodyContact, PairsAreKnownBeforeTheyTouch) {
  constexpr double kStep = 0.1;
  constexpr double kFall = 0.09;
  System system({1.0, 1.0, 1.0, 1.0});
  const Vector x = with_point(Vec3(0.3, 0.3, 0.26));
  for (const int corner : OnePair::kCorners) system.fix(corner);
  system.add(std::make_unique<Gravity>(Vec3(0, 0, -2 * kFall / (kStep * kStep)),
                                       std::vector<double>(4, 1.0)));
  system.add(std::make_unique<BodyContact>(
      std::vector<ContactSurface>{
          {.body = 0, .vertices = {OnePair::kPoint}, .triangles = {}},
          {.body = 1, .vertices = {0, 1, 3}, .triangles = {OnePair::kCorners}}},
      kStiffness, kThickness, x));
  ASSERT_GT(point_triangle_distance(gathered(x)), 1.2 * kThickness);
  State state{.x = x, .v = Vector::Zero(12)};
  const auto integrator = make_integrator(system, make_scheme("avf"), {});
  const StepReport report = integrator->step(state, kStep);
  ASSERT_TRUE(succeeded(report.status));
  ASSERT_LT((state.x - x).norm(), 0.5 * kThickness);
  const double depth = kThickness - point_triangle_distance(gathered(state.x));
  ASSERT_GT(depth, 0.01);
  EXPECT_NEAR(report.after.of(EnergyKind::contact), 0.5 * kStiffness * depth * depth, 1e-12);
  EXPECT_NEAR(report.after.total, report.before.total, 1e-10);
}

// The stiffness of a pair is that of its point.
TEST(BodyContact, EveryPointMayHaveItsOwnStiffness) {
  const Vector x0 = with_point(Vec3(0.3, 0.25, 0.1));
  Vector d = Vector::Zero(12);
  d.segment<3>(3 * OnePair::kPoint) = Vec3(0.05, 0.02, -0.06);
  const std::vector<ContactSurface> surfaces{
      {.body = 0, .vertices = {OnePair::kPoint}, .triangles = {}},
      {.body = 1, .vertices = {0, 1, 3}, .triangles = {OnePair::kCorners}}};
  System system({1.0, 1.0, 1.0, 1.0});
  system.add(
      std::make_unique<BodyContact>(surfaces, ContactStiffness({70, 1, 2, 3}), kThickness, x0));
  const BodyContact alone(surfaces, 70, kThickness, x0);
  const Energy& contact = *system.energies()[0];
  const std::vector<WeightedNode> here{{.value = 1}};
  const double expected = alone.evaluate({.x0 = x0.data(), .nodes = here});
  ASSERT_GT(expected, 0.1);
  EXPECT_DOUBLE_EQ(contact.evaluate({.x0 = x0.data(), .nodes = here}), expected);
  test::expect_path_derivatives(system, x0, d, {}, 2e-5, 1e-4);
  const auto mean = test::path_sums(system, x0, d, PathMeanWeights{1, 0});
  const Vector x1 = x0 + d;
  EXPECT_NEAR(mean.gradient.dot(d), alone.evaluate({.x0 = x1.data(), .nodes = here}) - expected,
              1e-13);
  EXPECT_THROW(BodyContact(surfaces, ContactStiffness({1, 2, 3}), kThickness, x0), Error);
}

TEST(BodyContact, RefusesNonsense) {
  const Vector x = with_point(Vec3(0, 0, 1));
  const std::vector<ContactSurface> surfaces{
      {.body = 0, .vertices = {2}, .triangles = {}},
      {.body = 1, .vertices = {0, 1, 3}, .triangles = {OnePair::kCorners}}};
  EXPECT_THROW(BodyContact(surfaces, 0, 0.1, x), Error);
  EXPECT_THROW(BodyContact(surfaces, 1, 0, x), Error);
  std::vector<ContactSurface> sharing = surfaces;
  sharing[0].vertices.push_back(3);
  EXPECT_THROW(BodyContact(sharing, 1, 0.1, x), Error);
}

}  // namespace
}  // namespace lilyan::body_contact_test
