#include "lilyan/contact/obstacle_contact.hpp"
#include "lilyan/saving/archive.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <random>
#include <vector>

#include "lilyan/base/error.hpp"
#include "support/contact.hpp"
#include "support/discrete.hpp"

namespace lilyan::obstacle_contact_test {
namespace {

// One vertex and one obstacle.
struct Drop {
  System system{{1.0}};
  ObstacleContact* contact;

  explicit Drop(ObstacleShape shape, bool inside = false, double thickness = 0) {
    auto made = std::make_unique<ObstacleContact>(Obstacle{.shape = shape, .inside_out = inside},
                                                  std::vector<int>{0}, 50.0, thickness);
    contact = made.get();
    system.add(std::move(made));
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
        test::expect_path_derivatives(drop.system, x0, d, PathMeanWeights{0.7, start}, 2e-6, 1e-4,
                                      1e-3);
      }
    }
  }
}

// A node may lie before the start of the path, as where a derivative along the velocity is a
// difference.
TEST(ObstacleContact, NodesBeforeTheStartOfThePathCount) {
  const std::vector<WeightedNode> before{{.theta = -1, .value = 1}};
  const std::vector<WeightedNode> here{{.value = 1}};
  int touched = 0;
  for (const auto& [shape, inside] : kObstacles) {
    const Drop drop(shape, inside, 0.01);
    for (const auto& [x0, d] : kPaths) {
      const Vector there = x0 - d;
      const double expected = drop.contact->evaluate({.x0 = there.data(), .nodes = here});
      EXPECT_NEAR(drop.contact->evaluate({.x0 = x0.data(), .d = d.data(), .nodes = before}),
                  expected, 1e-14 * (1 + expected));
      touched += expected > 0;
    }
  }
  EXPECT_GT(touched, 5);
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
      const auto sums = test::path_sums(drop.system, x0, d, PathMeanWeights{1, 0});
      EXPECT_NEAR(sums.gradient.dot(d), after - before, 1e-14 * (1 + before + after));
      Vector discrete = Vector::Zero(3);
      drop.contact->discrete_gradient(
          {.x0 = x0.data(), .d = d.data(), .gradient = discrete.data()});
      EXPECT_LE((discrete - sums.gradient).norm(), 1e-14 * (1 + sums.gradient.norm()));
    }
  }
}

// The value of a mean is ∫ (E(z(s)) − E(z₀))/s ds: nothing where there is no way, and along a way the
// work of the mean force, as far as it has come.
TEST(ObstacleContact, ValueOfTheMeanStartsFromZero) {
  const PathMeanWeights mean{0.7, 0};
  for (const auto& [shape, inside] : kObstacles) {
    if (std::holds_alternative<PlaneShape>(shape)) continue;  // has another constant
    const Drop drop(shape, inside, 0.01);
    const Vector x0 = vector(0.05, -0.05, 0.02);
    const Vector d = vector(0.03, -0.05, 0.02);
    const auto sums = [&](double s) { return test::path_sums(drop.system, x0, s * d, mean); };
    ASSERT_GT(sums(0).gradient.norm(), 0.1);
    EXPECT_EQ(sums(0).value, 0);
    constexpr int kParts = 8;  // of Simpson's rule
    double work = 0;
    for (int k = 0; k < kParts; ++k) {
      for (const auto& [at, weight] :
           {std::pair{0.0, 1.0 / 6}, std::pair{0.5, 4.0 / 6}, std::pair{1.0, 1.0 / 6}}) {
        work += weight / kParts * sums((k + at) / kParts).gradient.dot(d);
      }
    }
    EXPECT_NEAR(sums(1).value, work, 1e-9) << shape.index();
  }
}

// Both branches of the closed form agree with the adaptive integral, which knows nothing of it: a
// very large sphere is a plane.
TEST(ObstacleContact, PlaneIsTheLimitOfALargeSphere) {
  const Drop plane(PlaneShape{});
  const double radius = 1e7;
  const Drop sphere(SphereShape{.center = Vec3(0, -radius, 0), .radius = radius});
  for (const auto& [x0, d] : kPaths) {
    const auto flat = test::path_sums(plane.system, x0, d, PathMeanWeights{1, 0});
    const auto round = test::path_sums(sphere.system, x0, d, PathMeanWeights{1, 0});
    EXPECT_LE((flat.gradient - round.gradient).norm(), 1e-5);
    EXPECT_LE((flat.hessian - round.hessian).norm(), 1e-5);
  }
}

// Every branch of the closed form (2): inside to inside, outside to inside, inside to outside, from
// the surface itself, and never inside.
TEST(ObstacleContact, DerivativesMatchDifferencesInEveryBranchOfTheClosedForm) {
  const Drop drop(PlaneShape{});
  for (const double from : {-0.3, 0.0, 0.3}) {
    for (const double to : {-0.2, 0.2, 0.5}) {
      const Vector x0 = vector(0.1, from, 0.2);
      const Vector d = vector(0.3, to - from, -0.1);
      for (const double start : {0.0, 0.2}) {
        SCOPED_TRACE(testing::Message() << from << " to " << to);
        test::expect_path_derivatives(drop.system, x0, d, PathMeanWeights{0.7, start}, 1e-8, 1e-4);
      }
      const auto sums = test::path_sums(drop.system, x0, d, PathMeanWeights{1, 0});
      const auto energy = [](double y) { return y < 0 ? 25 * y * y : 0.0; };
      EXPECT_NEAR(sums.gradient.dot(d), energy(to) - energy(from), 1e-14);
    }
  }
}

// The curved part k d ∇²d of the Hessian is negative outside a sphere's centre, and is raised as far
// as asked for.
TEST(ObstacleContact, CurvedObstaclesAreProjected) {
  const Vector x = vector(0.1, -0.1, 0.05);
  const Vector still = Vector::Zero(3);
  const std::vector<WeightedNode> here{{.hessian = 1}};
  for (const auto& [shape, inside] : kObstacles) {
    const Drop drop(shape, inside, 0.01);
    Assembler assembler(drop.system);
    const auto hessian = [&](double projection, const PathMeanWeights* mean) {
      const BlockPattern& pattern = assembler.hessian_pattern();
      std::vector<double> values(static_cast<std::size_t>(pattern.storage()));
      assembler.hessian(x, still, here, projection, values, mean);
      return test::dense(pattern, values);
    };
    const SignedDistance d = drop.contact->obstacle().distance({}, x);
    const double depth = d.value - 0.01;
    ASSERT_LT(depth, 0);
    const test::Matrix stiff = 50 * d.normal * d.normal.transpose();
    const test::Matrix curved = 50 * depth * d.curvature;
    const bool negative = curved.trace() < 0;
    const PathMeanWeights mean{2, 0};  // half of it: the Hessian of the mean has s in it
    for (const double projection : {0.0, 0.4, 1.0}) {
      const test::Matrix expected = stiff + (negative ? 1 - projection : 1) * curved;
      EXPECT_LE((hessian(projection, nullptr) - expected).norm(), 1e-11) << shape.index();
      EXPECT_LE((hessian(projection, &mean) - expected).norm(), 1e-9) << shape.index();
    }
    EXPECT_GE(Eigen::SelfAdjointEigenSolver<test::Matrix>(hessian(1, nullptr)).eigenvalues()[0],
              -1e-11);
  }
}

// Three vertices with a stiffness each, of which the one in the middle does not touch: values add up as those of
// three contacts, and derivatives and the exact mean follow.
TEST(ObstacleContact, EveryVertexMayHaveItsOwnStiffness) {
  const std::vector<double> k = {50, 400, 7};
  for (const auto& [shape, inside] : kObstacles) {
    const Obstacle obstacle{.shape = shape, .inside_out = inside};
    System system({1.0, 1.0, 1.0, 1.0});
    auto made = std::make_unique<ObstacleContact>(obstacle, std::vector{3, 0, 2},
                                                  ContactStiffness(k), 0.01);
    const ObstacleContact& contact = *made;
    system.add(std::move(made));
    for (std::size_t path = 0; path < kPaths.size(); ++path) {
      Vector x0 = Vector::Zero(12);
      Vector d = Vector::Zero(12);
      for (const int vertex : {0, 2, 3}) {
        const auto& [from, way] = kPaths[(path + static_cast<std::size_t>(vertex)) % kPaths.size()];
        x0.segment<3>(3 * vertex) = from;
        d.segment<3>(3 * vertex) = way;
      }
      const auto energy = [](const Energy& of, const Vector& x) {
        return of.evaluate({.x0 = x.data(), .nodes = std::vector<WeightedNode>{{.value = 1}}});
      };
      const Vector x1 = x0 + d;
      double sum = 0;
      double before = 0;
      for (std::size_t n = 0; n < 3; ++n) {
        const ObstacleContact alone(obstacle, {std::array{3, 0, 2}[n]}, k[n], 0.01);
        sum += energy(alone, x1);
        before += energy(alone, x0);
      }
      EXPECT_NEAR(energy(contact, x1), sum, 1e-13 * (1 + sum));
      test::expect_path_derivatives(system, x0, d, {}, 2e-5, 1e-4);
      test::expect_path_derivatives(system, x0, d, PathMeanWeights{0.7, 0.2}, 2e-6, 1e-4, 1e-3);
      const auto mean = test::path_sums(system, x0, d, PathMeanWeights{1, 0});
      EXPECT_NEAR(mean.gradient.dot(d), sum - before, 1e-13 * (1 + sum + before));
      for (std::size_t n = 0; n < 3; ++n) {
        const ObstacleContact alone(obstacle, {std::array{3, 0, 2}[n]}, k[n], 0.01);
        EXPECT_NEAR(contact.contact_point(n, x0.data(), d.data(), nullptr).pressure,
                    alone.contact_point(0, x0.data(), d.data(), nullptr).pressure, 1e-12);
      }
    }
  }
}

TEST(ObstacleContact, MovesAtTheMiddleOfTheStep) {
  const RigidMotion up({{.t = 0}, {.t = 1, .shift = Vec3(0, 1, 0)}}, Vec3::UnitY(), Vec3::Zero(),
                       Easing::linear, false);
  const Obstacle obstacle{.shape = PlaneShape{}, .motion = up};
  const ObstacleContact floor(obstacle, {0}, 1, 0);
  EXPECT_TRUE(floor.changes_between_steps());
  const auto memory = floor.make_memory();
  const auto height = [&] {
    return obstacle.distance(floor.poses(memory.get()).now, Vec3(0, 1, 0)).value;
  };
  EXPECT_DOUBLE_EQ(height(), 1);
  floor.begin_step({.t = 0.2, .h = 0.2}, *memory);
  EXPECT_NEAR(height(), 0.7, 1e-14);
  EXPECT_NEAR(floor.poses(memory.get()).velocity(Vec3(3, 0, 1)).y(), 1, 1e-14);
  floor.end_step(0.4, *memory);
  EXPECT_NEAR(height(), 0.6, 1e-14);
}

// The velocity of a turning obstacle is that of its material, which is at x in the middle of the
// step: ω × (x − c) + shift, with sin(ωh/2)/(h/2) for ω, since the material goes straight.
TEST(ObstacleContact, MaterialOfATurningObstacleMoves) {
  const double rate = 0.8;
  const double h = 0.1;
  const Vec3 center(0.2, 0, -0.1);
  const RigidMotion turn({{.t = 0}, {.t = 5, .shift = Vec3(0, 1, 0), .angle = 5 * rate}},
                         Vec3::UnitZ(), center, Easing::linear, false);
  const ObstacleContact wheel({.shape = SphereShape{}, .motion = turn}, {0}, 1, 0);
  const auto memory = wheel.make_memory();
  wheel.begin_step({.t = 1, .h = h}, *memory);
  const Vec3 x(0.5, 1.4, 0.3);
  const Vec3 r = x - (center + Vec3(0, 0.2 * 1.05, 0));
  const double spin = 2 / h * std::sin(rate * h / 2);
  const Vec3 expected = Vec3(0, 0.2, 0) + spin * Vec3(-r.y(), r.x(), 0);
  EXPECT_LE((wheel.poses(memory.get()).velocity(x) - expected).norm(), 1e-12);
}

// Distances, normals and curvatures turn with the obstacle.
TEST(ObstacleContact, DerivativesOfATurnedObstacleMatchDifferences) {
  const RigidMotion turn({{.t = 0}, {.t = 1, .shift = Vec3(0.1, 0.05, 0), .angle = 1.2}},
                         Vec3(1, 2, 0.5), Vec3(0, 0.2, 0), Easing::linear, false);
  for (const auto& [shape, inside] : kObstacles) {
    System system({1.0});
    system.add(std::make_unique<ObstacleContact>(
        Obstacle{.shape = shape, .inside_out = inside, .motion = turn}, std::vector{0}, 50.0, 0.2));
    WorldMemory memory(system);
    memory.begin_step({.t = 0.3, .h = 0.2});
    const Vector x0 = vector(0.05, -0.05, 0.02);
    const Vector d = vector(0.03, -0.04, 0.02);
    const World world(system, &memory);
    EXPECT_NE(test::energy(world, x0), 0);
    test::expect_path_derivatives(world, x0, d, {}, 2e-5, 1e-4);
    test::expect_path_derivatives(world, x0, d, PathMeanWeights{0.7, 0.2}, 2e-6, 1e-4, 1e-3);
  }
}

TEST(ObstacleContact, MemoryIsTheSameAfterSavingAndLoading) {
  const RigidMotion turn({{.t = 0}, {.t = 1, .shift = Vec3(0.1, 0.5, 0), .angle = 1.2}},
                         Vec3(1, 2, 0.5), Vec3(0, 0.2, 0), Easing::linear, false);
  const ObstacleContact contact({.shape = BoxShape{}, .motion = turn}, {0}, 1, 0);
  const auto memory = contact.make_memory();
  contact.begin_step({.t = 0.3, .h = 0.2}, *memory);
  contact.end_step(0.5, *memory);
  std::string bytes;
  Archive save(&bytes);
  memory->archive(save);
  const auto read = contact.make_memory();
  Archive load(std::string_view{bytes});
  read->archive(load);
  load.require_end();
  const Vec3 x(0.3, 0.2, 0.1);
  EXPECT_EQ(contact.poses(read.get()).now.undo(x), contact.poses(memory.get()).now.undo(x));
  EXPECT_EQ(contact.poses(read.get()).velocity(x), contact.poses(memory.get()).velocity(x));
}

TEST(ObstacleContact, RefusesNonsense) {
  EXPECT_THROW(ObstacleContact({.shape = PlaneShape{}}, {0}, 0, 0), Error);
  EXPECT_THROW(ObstacleContact({.shape = PlaneShape{}}, {0}, -1, 0), Error);
  const auto each = [](std::vector<double> k) { return ContactStiffness(std::move(k)); };
  EXPECT_THROW(ObstacleContact({.shape = PlaneShape{}}, {0, 1}, each({1}), 0), Error);
  EXPECT_THROW(ObstacleContact({.shape = PlaneShape{}}, {0, 1}, each({1, 0}), 0), Error);
  EXPECT_NO_THROW(ObstacleContact({.shape = PlaneShape{}}, {0, 1}, each({1, 2}), 0));
}

}  // namespace
}  // namespace lilyan::obstacle_contact_test
