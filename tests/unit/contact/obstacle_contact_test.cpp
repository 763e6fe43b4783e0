#include "lilyan/contact/obstacle_contact.hpp"

#include <gtest/gtest.h>

#include "lilyan/contact/repulsion_springs.hpp"
#include "lilyan/core/error.hpp"
#include "support/contact.hpp"

namespace lilyan {
namespace {

// One vertex and one obstacle.
struct Drop {
  System system{{1.0}};
  ObstacleContact* contact;

  explicit Drop(ObstacleShape shape, bool inside = false, double thickness = 0) {
    auto made = std::make_unique<ObstacleContact>(Obstacle{.shape = shape, .inside_out = inside},
                                                  std::vector<int>{0}, 50.0, thickness);
    contact = made.get();
    system.add(std::unique_ptr<Energy>(std::move(made)));
  }
};

const std::vector<std::pair<ObstacleShape, bool>> kObstacles{
    {PlaneShape{.point = Vec3(0, 0.1, 0), .normal = Vec3(1, 3, 1).normalized()}, false},
    {SphereShape{.center = Vec3(0.1, -1, 0), .radius = 1.05}, false},
    {SphereShape{.center = Vec3(0, 0.9, 0.1), .radius = 0.95}, true},
    {BoxShape{.center = Vec3(0, -0.5, 0), .half = Vec3(2, 0.55, 2)}, false},
    {CapsuleShape{.from = Vec3(-1, -0.3, 0), .to = Vec3(1, -0.3, 0.3), .radius = 0.32}, false}};

Vector vector(double x, double y, double z) {
  Vector v(3);
  v << x, y, z;
  return v;
}

// From outside in, from inside out, all the way inside, and through.
const std::vector<std::pair<Vector, Vector>> kPaths{
    {vector(0.05, 0.3, 0.02), vector(0.02, -0.4, 0.05)},
    {vector(0.05, -0.05, 0.02), vector(0.03, 0.4, -0.06)},
    {vector(0.05, -0.02, 0.02), vector(0.03, -0.05, 0.02)},
    {vector(-0.4, 0.2, 0.05), vector(0.8, 0.02, -0.1)}};

TEST(ObstacleContact, DerivativesMatchDifferences) {
  for (const auto& [shape, inside] : kObstacles) {
    const Drop drop(shape, inside, 0.01);
    for (const auto& [x0, d] : kPaths) {
      test::expect_path_derivatives(drop.system, x0, d, {}, 2e-5, 1e-4);
    }
  }
}

TEST(ObstacleContact, DerivativesOfTheMeanMatchDifferences) {
  for (const auto& [shape, inside] : kObstacles) {
    const Drop drop(shape, inside, 0.01);
    for (const auto& [x0, d] : kPaths) {
      for (const double start : {0.0, 0.2}) {
        test::expect_path_derivatives(drop.system, x0, d, PathMean{0.7, start}, 2e-6, 1e-4, 1e-3);
      }
    }
  }
}

// The mean force times the way is the difference of the energies, to rounding.
TEST(ObstacleContact, MeanForceIsExact) {
  for (const auto& [shape, inside] : kObstacles) {
    const Drop drop(shape, inside);
    for (const auto& [x0, d] : kPaths) {
      const double before = drop.contact->evaluate(
          {.x0 = x0.data(), .nodes = std::vector<WeightedNode>{{.value = 1}}});
      const Vector x1 = x0 + d;
      const double after = drop.contact->evaluate(
          {.x0 = x1.data(), .nodes = std::vector<WeightedNode>{{.value = 1}}});
      const auto sums = test::path_sums(drop.system, x0, d, PathMean{1, 0});
      EXPECT_NEAR(sums.gradient.dot(d), after - before, 1e-14 * (1 + before + after));
      Vector discrete = Vector::Zero(3);
      drop.contact->discrete_gradient(
          {.x0 = x0.data(), .d = d.data(), .gradient = discrete.data()});
      EXPECT_LE((discrete - sums.gradient).norm(), 1e-14 * (1 + sums.gradient.norm()));
    }
  }
}

// Both branches of the closed form agree with the adaptive integral, which knows nothing of it: a
// very large sphere is a plane.
TEST(ObstacleContact, PlaneIsTheLimitOfALargeSphere) {
  const Drop plane(PlaneShape{});
  const double radius = 1e7;
  const Drop sphere(SphereShape{.center = Vec3(0, -radius, 0), .radius = radius});
  for (const auto& [x0, d] : kPaths) {
    const auto flat = test::path_sums(plane.system, x0, d, PathMean{1, 0});
    const auto round = test::path_sums(sphere.system, x0, d, PathMean{1, 0});
    EXPECT_LE((flat.gradient - round.gradient).norm(), 1e-5);
    EXPECT_LE((flat.hessian - round.hessian).norm(), 1e-5);
  }
}

TEST(ObstacleContact, MovesAtTheMiddleOfTheStep) {
  const RigidMotion up({{.t = 0}, {.t = 1, .shift = Vec3(0, 1, 0)}}, Vec3::UnitY(), Vec3::Zero(),
                       Easing::linear, false);
  ObstacleContact floor({.shape = PlaneShape{}, .motion = up}, {0}, 1, 0);
  EXPECT_TRUE(floor.changes());
  EXPECT_DOUBLE_EQ(floor.distance(Vec3(0, 1, 0)).value, 1);
  floor.begin_step({.t = 0.2, .h = 0.2});
  EXPECT_NEAR(floor.distance(Vec3(0, 1, 0)).value, 0.7, 1e-14);
  EXPECT_NEAR(floor.velocity(Vec3(3, 0, 1)).y(), 1, 1e-14);
  floor.end_step(0.4);
  EXPECT_NEAR(floor.distance(Vec3(0, 1, 0)).value, 0.6, 1e-14);
}

TEST(ObstacleContact, RefusesNonsense) {
  EXPECT_THROW(ObstacleContact({.shape = PlaneShape{}}, {0}, 0, 0), Error);
  EXPECT_THROW(ObstacleContact({.shape = PlaneShape{}}, {0}, -1, 0), Error);
}

// Rojas, Liu, Kavan: a spring appears inside; it stays while the vertex is outside but coming back,
// and goes when it is outside and leaving.
TEST(RepulsionSprings, AppearAndDisappearByTheRule) {
  RepulsionSprings springs({.shape = PlaneShape{}}, {0}, 200, 0);
  double t = 0;
  const auto step = [&](double y, double speed) {
    const Vector x = vector(0, y, 0);
    const Vector v = vector(0, speed, 0);
    springs.begin_step({.t = t, .x = x.data(), .v = v.data()});
    springs.end_step(t += 1);
    return springs.springs();
  };
  EXPECT_EQ(step(0.1, -1), 0);   // outside, coming: not yet
  EXPECT_EQ(step(-0.1, -1), 1);  // inside
  EXPECT_EQ(step(-0.1, 1), 1);   // inside, leaving: still in collision
  EXPECT_EQ(step(0.1, -1), 1);   // outside, but coming back
  EXPECT_EQ(step(0.1, 1), 0);    // outside and leaving
  EXPECT_EQ(step(0.1, -1), 0);
  EXPECT_EQ(step(-0.2, 0), 1);
  const Vector x = vector(0, -0.3, 0);
  EXPECT_DOUBLE_EQ(
      springs.evaluate({.x0 = x.data(), .nodes = std::vector<WeightedNode>{{.value = 1}}}),
      200 * 0.09);  // k g², not half of it
}

}  // namespace
}  // namespace lilyan
