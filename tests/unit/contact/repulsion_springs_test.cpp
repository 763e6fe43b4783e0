#include "lilyan/contact/repulsion_springs.hpp"
#include "lilyan/saving/archive.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "support/contact.hpp"
#include "support/discrete.hpp"

namespace lilyan::repulsion_springs_test {
namespace {

Vector vector(double x, double y, double z) {
  Vector v(3);
  v << x, y, z;
  return v;
}

// Rojas, Liu, Kavan: a spring appears inside; it stays while the vertex is outside but coming back,
// and goes when it is outside and leaving.
TEST(RepulsionSprings, AppearAndDisappearByTheRule) {
  const RepulsionSprings springs({.shape = PlaneShape{}}, {0}, 200, 0);
  const auto memory = springs.make_memory();
  double t = 0;
  const auto step = [&](double y, double speed) {
    const Vector x = vector(0, y, 0);
    const Vector v = vector(0, speed, 0);
    springs.begin_step({.t = t, .x = x.data(), .v = v.data()}, *memory);
    springs.end_step(t += 1, *memory);
    return RepulsionSprings::count(*memory);
  };
  EXPECT_EQ(step(0.1, -1), 0);   // outside, coming: not yet
  EXPECT_EQ(step(-0.1, -1), 1);  // inside
  EXPECT_EQ(step(-0.1, 1), 1);   // inside, leaving: still in collision
  EXPECT_EQ(step(0.1, -1), 1);   // outside, but coming back
  EXPECT_EQ(step(0.1, 1), 0);    // outside and leaving
  EXPECT_EQ(step(0.1, -1), 0);
  EXPECT_EQ(step(-0.2, 0), 1);
  const Vector x = vector(0, -0.3, 0);
  EXPECT_DOUBLE_EQ(springs.evaluate({.x0 = x.data(),
                                     .nodes = std::vector<WeightedNode>{{.value = 1}},
                                     .memory = memory.get()}),
                   200 * 0.09);  // k g², not half of it
}

// Vertices are as thick as they are said to be: a spring appears, and pulls, from there on.
TEST(RepulsionSprings, BeginAtTheThickness) {
  const RepulsionSprings springs({.shape = PlaneShape{}}, {0}, 200, 0.1);
  const Vector still = Vector::Zero(3);
  for (const double y : {0.07, 0.12}) {
    const auto memory = springs.make_memory();
    const Vector x = vector(0, y, 0);
    springs.begin_step({.x = x.data(), .v = still.data()}, *memory);
    const bool touches = y < 0.1;
    EXPECT_EQ(RepulsionSprings::count(*memory), touches);
    EXPECT_NEAR(springs.evaluate({.x0 = x.data(),
                                  .nodes = std::vector<WeightedNode>{{.value = 1}},
                                  .memory = memory.get()}),
                touches ? 200 * 0.03 * 0.03 : 0.0, 1e-14);
  }
}

// Two vertices inside a sphere and one outside.
struct Springs {
  System system{{1.0, 1.0, 1.0}};
  std::unique_ptr<WorldMemory> memory;
  Vector x = Vector::Zero(9);

  Springs() {
    system.add(std::make_unique<RepulsionSprings>(Obstacle{.shape = SphereShape{}},
                                                  std::vector{2, 0, 1}, 30.0, 0.05));
    memory = std::make_unique<WorldMemory>(system);
    x << 0.5, 0.6, 0.4, 0, 2, 0, -0.3, 0.9, 0.2;
    const Vector v = Vector::Zero(9);
    memory->begin_step({.h = 0.1, .x = x.data(), .v = v.data()});
  }
  [[nodiscard]] World world() const { return {system, memory.get()}; }
};

TEST(RepulsionSprings, DerivativesMatchDifferences) {
  const Springs springs;
  Vector d(9);
  d << 0.1, -0.2, 0.05, 0, -1.5, 0.1, 0.02, -0.3, 0.2;
  test::expect_path_derivatives(springs.world(), springs.x, d, {}, 1e-9);
  EXPECT_GT(test::path_sums(springs.world(), springs.x, d, {}).gradient.norm(), 1);
}

// ∇̄E·d = E(x + d) − E(x).
TEST(RepulsionSprings, DiscreteGradientIsExact) {
  const Springs springs;
  const test::Discrete discrete(springs.world());
  Vector d(9);
  d << 0.1, -0.2, 0.05, 0, -1.5, 0.1, 0.02, -0.3, 0.2;
  const double change =
      test::energy(springs.world(), springs.x + d) - test::energy(springs.world(), springs.x);
  ASSERT_GT(std::abs(change), 0.1);
  EXPECT_NEAR(discrete.gradient(springs.x, d).dot(d), change, 1e-12);
}

// A spring lets go by the velocity relative to the obstacle.
TEST(RepulsionSprings, FollowAMovingObstacle) {
  const RigidMotion up({{.t = 0}, {.t = 10, .shift = Vec3(0, 10, 0)}}, Vec3::UnitY(), Vec3::Zero(),
                       Easing::linear, false);
  const RepulsionSprings springs({.shape = PlaneShape{}, .motion = up}, {0}, 200, 0);
  const auto memory = springs.make_memory();
  const auto step = [&](double t, double y, double speed) {
    const Vector x = vector(0, y, 0);
    const Vector v = vector(0, speed, 0);
    springs.begin_step({.t = t, .h = 0.2, .x = x.data(), .v = v.data()}, *memory);
    return RepulsionSprings::count(*memory);
  };
  // The floor is at t + 0.1 in the middle of the step and rises with speed 1.
  EXPECT_EQ(step(0, 0.11, 0), 0);
  EXPECT_EQ(step(0, 0.09, 0), 1);
  EXPECT_EQ(step(1, 1.2, 0.9), 1);  // outside, but the floor is faster
  EXPECT_EQ(step(1, 1.2, 1.1), 0);
}

TEST(RepulsionSprings, MemoryIsTheSameAfterSavingAndLoading) {
  const Springs springs;
  std::string bytes;
  Archive save(&bytes);
  springs.memory->archive(save);
  WorldMemory other(springs.system);
  const World read(springs.system, &other);
  EXPECT_EQ(test::energy(read, springs.x), 0);
  Archive load(std::string_view{bytes});
  other.archive(load);
  EXPECT_EQ(test::energy(read, springs.x), test::energy(springs.world(), springs.x));
  EXPECT_EQ(test::gradient(read, springs.x), test::gradient(springs.world(), springs.x));
}

}  // namespace
}  // namespace lilyan::repulsion_springs_test
