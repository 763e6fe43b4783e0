// A world looks the same from everywhere: moved, turned, mirrored, renumbered or in other units it makes the
// same steps, up to the rounding errors of its numbers.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include "lilyan/control/make_integrator.hpp"
#include "lilyan/control/step_control.hpp"
#include "support/contact.hpp"
#include "support/framed_world.hpp"

namespace lilyan::invariance_test {
namespace {

using test::Frame;
using test::FramedWorld;

const Vec3 kGravity(0, -9.81, 0);

std::vector<int> all_from(int first, std::size_t count) {
  std::vector<int> all(count);
  std::iota(all.begin(), all.end(), first);
  return all;
}

Obstacle plane(const Frame& f, const Vec3& point, const Vec3& normal) {
  return {.shape = PlaneShape{.point = f.point(point), .normal = f.direction(normal)},
          .motion = {}};
}

// A bar that falls on a floor, turns over and slides.
void sliding_bar(FramedWorld& w) {
  const TetMesh mesh = block({1, 0.4, 0.4}, {3, 1, 1});
  const int first = w.add_vertices(mesh.vertices, test::lumped_masses(mesh, 1), Vec3(0, 0.3, 0),
                                   Vec3(1, -1, 0), Vec3(0, 0, 1));
  w.make_system();
  w.add_tets(first, mesh.tets, "stvk", 200, 100);
  w.add_gravity(kGravity);
  w.add_obstacle(plane(w.frame(), Vec3(0, 0, 0), Vec3(0, 1, 0)),
                 all_from(first, mesh.vertices.size()), 500, 0.3, 0.01);
}

// A box between a ball that passes by and a capsule that turns.
void moving_obstacles(FramedWorld& w) {
  const TetMesh mesh = block({0.6, 0.4, 0.5}, {2, 1, 1});
  const int first = w.add_vertices(mesh.vertices, test::lumped_masses(mesh, 1), Vec3(0.1, 0.2, 0),
                                   Vec3(0, -0.3, 0.2), Vec3::Zero());
  w.make_system();
  const Frame& f = w.frame();
  w.add_tets(first, mesh.tets, "stvk", 300, 200);
  const std::vector<int> all = all_from(first, mesh.vertices.size());
  const auto motion = [&](const Vec3& by, double angle, const Vec3& center) {
    return RigidMotion(
        {{.t = 0}, {.t = f.time, .shift = f.length * f.direction(by), .angle = angle}},
        f.axis(Vec3(0.2, 0.9, 0.1)), f.point(center), Easing::smooth, false);
  };
  w.add_obstacle(
      {.shape = SphereShape{.center = f.point(Vec3(0.1, -0.5, 0.1)), .radius = f.length * 0.5},
       .motion = motion(Vec3(0.4, 0, 0.2), 1, Vec3(0.1, -0.5, 0.1))},
      all, 400, 0.4, 0.02);
  w.add_obstacle({.shape = CapsuleShape{.from = f.point(Vec3(-0.5, 0.1, -0.4)),
                                        .to = f.point(Vec3(-0.5, 0.2, 0.5)),
                                        .radius = f.length * 0.2},
                  .motion = motion(Vec3(0.2, 0.1, 0), 0.5, Vec3(-0.5, 0, 0))},
                 all, 400, 0.2, 0.02);
}

// Two small boxes that rub against each other.
void two_bodies(FramedWorld& w) {
  constexpr double kMm = 1e-3;
  const TetMesh mesh = block({20 * kMm, 8 * kMm, 12 * kMm}, {2, 1, 1});
  const std::vector<double> masses = test::lumped_masses(mesh, 2e-3);
  const int low = w.add_vertices(mesh.vertices, masses, Vec3::Zero(), Vec3::Zero(), Vec3::Zero());
  const int high = w.add_vertices(mesh.vertices, masses, Vec3(6, 8.9, 3) * kMm,
                                  Vec3(0.03, -0.06, 0.01), Vec3(0, 0.5, 0.4));
  w.make_system();
  w.add_tets(low, mesh.tets, "stvk", 3000, 2000);
  w.add_tets(high, mesh.tets, "stvk", 2000, 1000);
  w.add_contact({test::surface_of(mesh, 0, low), test::surface_of(mesh, 1, high)}, 20, 1 * kMm, 0.3,
                1e-3);
}

// A cloth that hangs at two corners and blows in a gust of wind.
void cloth(FramedWorld& w) {
  const ClothMesh mesh = cloth_grid({1, 0.8}, {3, 3});
  const int first = w.add_vertices(mesh.vertices, std::vector<double>(mesh.vertices.size(), 0.02),
                                   Vec3(0.2, 0, 0), Vec3(0, 0, 0.4), Vec3(0.3, 0.2, 0));
  w.make_system();
  const Frame& f = w.frame();
  w.add_cloth(first, mesh, 20, 1e-2);
  w.add_gravity(kGravity);
  std::vector<Anchor> corners;
  for (const int i : {3, 15}) {
    corners.push_back({.vertex = w.number(first + i),
                       .point = f.point(Vec3(mesh.vertices[i][0] + 0.2, mesh.vertices[i][1], 0.01)),
                       .stiffness = f.stiffness(100)});
  }
  w.system->add(anchors(corners));
  Vector wind(w.state.x.size());
  for (Eigen::Index i = 0; i < wind.size() / 3; ++i) {
    wind.segment<3>(3 * i) = 0.02 * f.mass * f.acceleration(Vec3(1, 0.2, 3));
  }
  w.system->add(std::make_unique<Drive>(
      wind, DriveTiming{.frequency = 1 / f.time, .from = 0.1 * f.time, .until = 0.4 * f.time}));
}

// Masses on springs and rods, one of them held.
void joints(FramedWorld& w) {
  std::vector<int> v;
  for (int i = 0; i < 5; ++i) {
    v.push_back(w.add_vertex(Vec3(0.3 * i, -0.1 * i * i, 0.05 * i), Vec3(0, 0, 0), 0.5 + 0.1 * i));
  }
  w.make_system();
  const Frame& f = w.frame();
  System& system = *w.system;
  w.add_gravity(kGravity);
  system.add(std::make_unique<PointConstraint>(w.number(v[0]), f.point(Vec3(0, 0, 0))));
  const auto distance = [&](int a, int b) {
    return (w.state.x.segment<3>(3 * w.number(a)) - w.state.x.segment<3>(3 * w.number(b))).norm();
  };
  system.add(
      std::make_unique<DistanceConstraint>(w.number(v[0]), w.number(v[1]), distance(v[0], v[1])));
  system.add(
      std::make_unique<DistanceConstraint>(w.number(v[1]), w.number(v[2]), distance(v[1], v[2])));
  std::vector<Spring> all;
  for (const auto& [a, b] : {std::pair{2, 3}, std::pair{3, 4}, std::pair{1, 3}}) {
    all.push_back({.a = w.number(v[a]),
                   .b = w.number(v[b]),
                   .stiffness = f.stiffness(60),
                   .length = 0.9 * distance(v[a], v[b])});
  }
  system.add(springs(SpringKind::hookean, all));
}

// A net of masses and springs that bounces off a ball.
void spring_net(FramedWorld& w) {
  for (int i = 0; i < 9; ++i) {
    w.add_vertex(Vec3(0.4 * (i % 3), 0.05 * i, 0.4 * (i / 3)), Vec3(0.1 * i, -0.5, 0.2), 0.3);
  }
  w.make_system();
  const Frame& f = w.frame();
  std::vector<Spring> all;
  for (int i = 0; i < 9; ++i) {
    for (const int j : {i + 1, i + 3, i + 4}) {
      if (j >= 9 || (i % 3 == 2 && j != i + 3)) continue;
      all.push_back({.a = w.number(i),
                     .b = w.number(j),
                     .stiffness = f.stiffness(20),
                     .length = f.length * 0.5});
    }
  }
  f.rearrange(all);
  w.system->add(springs(SpringKind::hookean, all));
  w.add_gravity(kGravity);
  w.add_obstacle(
      {.shape = SphereShape{.center = f.point(Vec3(0.3, -0.6, 0.5)), .radius = f.length * 0.5},
       .motion = {}},
      all_from(0, 9), 100, 0, 1);
}

// A bar that is damped while it swings, of a material whose mean needs more than two points.
void damped_bar(FramedWorld& w) {
  const TetMesh mesh = block({1, 0.4, 0.4}, {3, 1, 1});
  const int first = w.add_vertices(mesh.vertices, test::lumped_masses(mesh, 1), Vec3(0.5, 1, 2),
                                   Vec3(0.3, 0.2, 0), Vec3(0, 1, 2));
  w.make_system();
  const Frame& f = w.frame();
  const Energy& energy = w.add_tets(first, mesh.tets, "stable-neo-hookean", 200, 300);
  w.system->add(std::make_unique<Rayleigh>(energy, 0.02 * f.time, DissipationVelocity::path));
}

struct World {
  std::string name;
  std::function<void(FramedWorld&)> make;
  double size;  // length
  double h;
  std::vector<std::string> methods;
};

const std::vector<World>& worlds() {
  static const std::vector<World> all{
      {"sliding bar",
       sliding_bar,
       1,
       0.02,
       {"avf", "implicit-midpoint", "backward-euler", "bdf2", "bathe", "newmark", "energy-momentum",
        "discrete-gradient"}},
      {"moving obstacles", moving_obstacles, 1, 0.02, {"avf", "tr-bdf2", "energy-momentum"}},
      {"two bodies", two_bodies, 0.02, 2e-3, {"avf", "implicit-midpoint"}},
      {"cloth", cloth, 1, 0.02, {"avf, two points", "bdf2", "energy-momentum", "gauss"}},
      {"joints", joints, 1, 0.02, {"avf, two points", "implicit-midpoint"}},
      {"spring net",
       spring_net,
       1,
       0.01,
       {"stoermer-verlet", "yoshida", "rk4", "symplectic-euler-a", "hp", "avf, two points"}},
      {"damped bar", damped_bar, 1, 0.02, {"avf", "implicit-midpoint", "discrete-gradient"}},
  };
  return all;
}

constexpr int kSteps = 30;

struct Outcome {
  Vector x;
  int halved = 0;
  long iterations = 0;
  bool constrained = false;
};

Scheme scheme_of(const std::string& method) {
  if (method == "avf, two points") return make_scheme("avf", {{"points", 2.0}});
  return make_scheme(method);
}

Outcome run(const World& world, const std::string& method, const Frame& frame) {
  FramedWorld w(frame);
  world.make(w);
  const auto integrator = make_integrator(*w.system, scheme_of(method), {});
  Outcome outcome;
  for (int k = 0; k < kSteps; ++k) {
    const StepReport report = step_with_halving(*integrator, w.state, frame.time * world.h, 6);
    EXPECT_TRUE(succeeded(report.status)) << "step " << k << " " << describe(report.status);
    if (!succeeded(report.status)) break;
    outcome.halved += report.substeps > 1;
    outcome.iterations += report.solver_work.iterations;
  }
  outcome.x = w.positions();
  outcome.constrained = !w.system->constraints().empty();
  return outcome;
}

// Rounding errors of positions, relative to the size of the world, and what a run makes of them.
void expect_same(const World& world, const std::string& method, const Frame& frame, double growth) {
  SCOPED_TRACE(world.name + " with " + method);
  const Outcome here = run(world, method, Frame{});
  const Outcome there = run(world, method, frame);
  ASSERT_EQ(here.x.size(), there.x.size());
  const double rounding = kEpsilon * (world.size + frame.shift.norm() / frame.length);
  const double apart = (here.x - there.x).lpNorm<Eigen::Infinity>();
  EXPECT_LE(apart, growth * rounding);
  EXPECT_EQ(here.halved, there.halved);
  const auto expected = static_cast<double>(here.iterations);
  // The iteration of energy-momentum finds that only rounding errors are left by waiting for it.
  const double spare = (method == "energy-momentum" ? 0.2 : 0.1) * expected + 3;
  EXPECT_LE(static_cast<double>(there.iterations), expected + spare);
  // Constraints are closed to the rounding errors of positions, which takes less where these are larger.
  if (!here.constrained) {
    EXPECT_GE(static_cast<double>(there.iterations), expected - spare);
  }
}

void expect_same(const std::function<Frame(const World&)>& frame, double growth) {
  for (const World& world : worlds()) {
    for (const std::string& method : world.methods) {
      expect_same(world, method, frame(world), growth);
    }
  }
}

const Eigen::Matrix3d kTurn =
    Eigen::AngleAxisd(1.1, Vec3(0.3, -0.5, 0.7).normalized()).toRotationMatrix();

TEST(Invariance, Translation) {
  for (const double far : {1e3, 1e5}) {
    expect_same(
        [&](const World& world) { return Frame{.shift = far * world.size * Vec3(1, -2, 1)}; }, 200);
  }
}

TEST(Invariance, Rotation) {
  expect_same([](const World&) { return Frame{.turn = kTurn}; }, 200);
}

TEST(Invariance, Reflection) {
  const Eigen::Matrix3d mirror = Vec3(-1, 1, 1).asDiagonal();
  expect_same([&](const World&) { return Frame{.turn = kTurn * mirror}; }, 200);
}

TEST(Invariance, Renumbering) {
  expect_same([](const World&) { return Frame{.order = 5}; }, 200);
}

TEST(Invariance, Units) {
  expect_same([](const World&) { return Frame{.length = 1024, .mass = 0.125, .time = 64}; }, 200);
  expect_same([](const World&) { return Frame{.length = 1e-3, .mass = 3e4, .time = 7}; }, 200);
}

}  // namespace
}  // namespace lilyan::invariance_test
