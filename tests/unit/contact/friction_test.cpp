#include "lilyan/contact/friction.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "lilyan/base/error.hpp"
#include "lilyan/contact/body_contact.hpp"
#include "lilyan/contact/obstacle_contact.hpp"
#include "lilyan/control/make_integrator.hpp"
#include "support/body.hpp"
#include "support/contact.hpp"
#include "support/dissipation.hpp"

namespace lilyan::friction_test {
namespace {

constexpr double kMu = 0.4;
constexpr double kCreep = 0.05;

// A belt that goes along and turns, and three vertices: two press on it, one is above it.
struct Belt {
  System system{{1.0, 2.0, 1.0}};
  const ContactEnergy* contact = nullptr;
  const Friction* friction = nullptr;
  std::unique_ptr<WorldMemory> memory;
  State state;

  explicit Belt(const ObstacleShape& shape) {
    const RigidMotion along({{.t = 0}, {.t = 1, .shift = Vec3(0.3, 0, 0.1), .angle = 0.2}},
                            Vec3::UnitY(), Vec3::Zero(), Easing::linear, false);
    auto made = std::make_unique<ObstacleContact>(Obstacle{.shape = shape, .motion = along},
                                                  std::vector{0, 1, 2}, 100.0, 0.0);
    contact = made.get();
    system.add(std::move(made));
    auto rubs = std::make_unique<Friction>(*contact, kMu, kCreep);
    friction = rubs.get();
    system.add(std::move(rubs));
    memory = std::make_unique<WorldMemory>(system);
    state = {.t = 0.1, .x = Vector(9), .v = Vector::Zero(9)};
    state.x << 0.1, -0.05, 0.2, -0.3, -0.02, 0.1, 0.2, 0.4, 0;
    memory->begin_step({.t = 0.1, .h = 0.05, .x = state.x.data(), .v = state.v.data()});
  }
};

const std::vector<ObstacleShape> kFloors{PlaneShape{},
                                         SphereShape{.center = Vec3(0, -2, 0), .radius = 2.05}};

// A point presses on a triangle, and all four vertices move.
struct Pressed {
  System system{{1.0, 1.0, 1.0, 1.0}};
  const Friction* friction = nullptr;
  State state;

  Pressed() {
    state = {.x = Vector(12), .v = Vector::Zero(12)};
    state.x << 0, 0, 0, 1, 0.1, 0, 0.3, 0.2, 0.06, 0.1, 0.9, 0.05;
    auto made = std::make_unique<BodyContact>(
        std::vector<ContactSurface>{{.body = 0, .vertices = {2}, .triangles = {}},
                                    {.body = 1, .vertices = {0, 1, 3}, .triangles = {{1, 3, 0}}}},
        200.0, 0.15, state.x);
    const ContactEnergy& contact = *made;
    system.add(std::move(made));
    auto rubs = std::make_unique<Friction>(contact, kMu, kCreep);
    friction = rubs.get();
    system.add(std::move(rubs));
  }
};

TEST(Friction, DerivativesOfDissipationMatchDifferences) {
  std::mt19937 random(4);
  // Creeping, about the creep speed, and sliding.
  for (const double speed : {0.001, 0.05, 2.0}) {
    for (const ObstacleShape& floor : kFloors) {
      const Belt belt(floor);
      test::expect_rate_derivatives({belt.system, belt.memory.get()}, belt.state, 0.05,
                                    test::random_vector(9, speed, random), 1e-7);
    }
    const Pressed pressed;
    test::expect_rate_derivatives(pressed.system, pressed.state, 0.05,
                                  test::random_vector(12, speed, random), 1e-7);
  }
}

// μ N ε (√(1 + |w|²/ε²) − 1) with the pressure and the sliding velocity known beforehand.
TEST(Friction, DissipationIsCoulombsWithASmoothStart) {
  const Belt belt(PlaneShape{});
  Vector v = Vector::Zero(9);
  v.segment<3>(0) = Vec3(1, 0.7, -0.5);
  v.segment<3>(3) = Vec3(-0.01, 0, 0.02);
  v.segment<3>(6) = Vec3(5, 5, 5);  // in the air
  double expected = 0;
  double driven = 0;
  for (int i = 0; i < 2; ++i) {
    const double pressure = -100.0 * belt.state.x[3 * i + 1];
    const Vec3 x = belt.state.x.segment<3>(3 * i);
    // The belt's material over the step from 0.1 to 0.15.
    const RigidMotion along({{.t = 0}, {.t = 1, .shift = Vec3(0.3, 0, 0.1), .angle = 0.2}},
                            Vec3::UnitY(), Vec3::Zero(), Easing::linear, false);
    const Vec3 material = along.at(0.125).undo(x);
    const Vec3 belt_speed = (along.at(0.15).apply(material) - along.at(0.1).apply(material)) / 0.05;
    Vec3 w = v.segment<3>(3 * i) - belt_speed;
    w.y() = 0;
    expected += kMu * pressure * kCreep * (std::sqrt(1 + w.squaredNorm() / (kCreep * kCreep)) - 1);
    driven += kMu * pressure * w.dot(belt_speed) / std::hypot(kCreep, w.norm());
  }
  std::vector<double> lagged;
  belt.friction->begin_step({.t = 0.1,
                             .h = 0.05,
                             .x = belt.state.x.data(),
                             .v = belt.state.v.data(),
                             .memory = belt.memory.get()},
                            lagged);
  const RateEvaluation at{.v = v.data(), .memory = belt.memory.get()};
  EXPECT_NEAR(belt.friction->evaluate(lagged, at), expected, 1e-12);
  EXPECT_NEAR(belt.friction->driven_power(lagged, at), driven, 1e-12);
}

// After a solve the pressure is the mean over the step.
TEST(Friction, RenewsItsPressureFromTheSolvedStep) {
  const Belt belt(PlaneShape{});
  const StepStart start{.t = 0.1,
                        .h = 0.05,
                        .x = belt.state.x.data(),
                        .v = belt.state.v.data(),
                        .memory = belt.memory.get()};
  std::vector<double> lagged;
  belt.friction->begin_step(start, lagged);
  Vector v = Vector::Zero(9);
  v[0] = v[3] = v[6] = 1000;  // so fast that R = μ N |w| for all digits that matter
  const auto pressure = [&] {
    return belt.friction->evaluate(lagged, {.v = v.data(), .memory = belt.memory.get()}) /
           (kMu * (1000 - 0.3));
  };
  EXPECT_NEAR(pressure(), 100 * (0.05 + 0.02), 0.01);
  Vector d = Vector::Zero(9);
  d[1] = -0.1;  // deeper: from 0.05 to 0.15
  d[4] = 0.02;  // out
  d[7] = -0.5;  // comes in, from 0.4 to −0.1
  const double change = belt.friction->renew(start, d.data(), lagged);
  const double first = 100 * 0.1;
  const double second = 100 * 0.01;
  const double third = 100 * 0.5 * 0.1 * 0.1 / 0.5;
  EXPECT_NEAR(pressure(), first + second + third, 0.01);
  EXPECT_NEAR(change,
              (std::abs(first - 5) + std::abs(second - 2) + third) / (first + second + third),
              1e-12);
  EXPECT_LE(belt.friction->renew(start, d.data(), lagged), 1e-15) << "nothing changed since then";
}

// The pressure at the start of a step is that of this step, also after one that pressed otherwise.
TEST(Friction, StartsEachStepWithItsOwnPressure) {
  const ObstacleContact floor({.shape = PlaneShape{}}, {0}, 100, 0);
  const Friction friction(floor, kMu, kCreep);
  Vector v = Vector::Zero(3);
  v[0] = std::sqrt(3.0) * kCreep;  // so that √(1 + |w|²/ε²) = 2
  std::vector<double> lagged;
  for (const double depth : {0.1, 0.3, 0.2}) {
    Vector x = Vector::Zero(3);
    x[1] = -depth;
    friction.begin_step({.h = 0.05, .x = x.data(), .v = v.data()}, lagged);
    EXPECT_NEAR(friction.evaluate(lagged, {.v = v.data()}), kMu * 100 * depth * kCreep, 1e-14);
  }
}

// A vertex goes round a ball: it presses as hard as before, but in another direction.
TEST(Friction, NoticesThatTheNormalTurns) {
  const ObstacleContact ball({.shape = SphereShape{}}, {0}, 100, 0);
  const Friction friction(ball, kMu, kCreep);
  const Vec3 from(-0.25, 0.85, 0);
  const Vec3 to(0.25, 0.85, 0);
  Vector x = from;
  const Vector d = to - from;
  const Vector v = Vector::Zero(3);
  const StepStart start{.h = 0.05, .x = x.data(), .v = v.data()};
  std::vector<double> lagged;
  friction.begin_step(start, lagged);
  const ContactPoint before = ball.contact_point(0, x.data(), nullptr, nullptr);
  const ContactPoint now = ball.contact_point(0, x.data(), d.data(), nullptr);
  const Vec3 turned = now.pressure * now.normal - before.pressure * before.normal;
  ASSERT_GT(turned.norm(), 1.5 * std::abs(now.pressure - before.pressure));
  EXPECT_NEAR(friction.renew(start, d.data(), lagged), turned.norm() / now.pressure, 1e-13);
}

// Forces between bodies are equal and opposite, but not on one line; those of an obstacle come from
// outside.
// Between bodies nothing slides when both turn as one, and no motion makes friction a couple. The point is
// above the face, beside an edge and beyond a corner.
TEST(Friction, BetweenBodiesHasNoTorque) {
  std::mt19937 random(7);
  for (const Vec3& point :
       {Vec3(0.3, 0.2, 0.06), Vec3(0.4, -0.05, 0.05), Vec3(-0.06, -0.04, 0.05)}) {
    Pressed pressed;
    pressed.state.x.segment<3>(6) = point;
    WorldMemory memory(pressed.system);
    const StepStart start{
        .h = 0.05, .x = pressed.state.x.data(), .v = pressed.state.v.data(), .memory = &memory};
    memory.begin_step(start);
    std::vector<double> lagged;
    pressed.friction->begin_step(start, lagged);
    const auto force = [&](const Vector& v, double& value) {
      Vector gradient = Vector::Zero(12);
      value = pressed.friction->evaluate(
          lagged, {.v = v.data(), .gradient = gradient.data(), .memory = &memory});
      return gradient;
    };
    double value = 0;
    // Tangential motion of the point alone does rub.
    Vector v = Vector::Zero(12);
    v.segment<3>(6) = Vec3(1, -1, 0.1);
    EXPECT_GT(force(v, value).norm(), 0.1);
    const Vec3 omega(0.5, -1.2, 0.7);
    for (int i = 0; i < 4; ++i) {
      v.segment<3>(3 * i) = omega.cross(Vec3(pressed.state.x.segment<3>(3 * i))) + Vec3(1, 2, 3);
    }
    EXPECT_LE(force(v, value).norm(), 1e-12);
    EXPECT_LE(value, 1e-14);
    for (int k = 0; k < 5; ++k) {
      const Vector gradient = force(test::random_vector(12, 2, random), value);
      Vec3 sum = Vec3::Zero(), torque = Vec3::Zero();
      for (int i = 0; i < 4; ++i) {
        sum += gradient.segment<3>(3 * i);
        torque += Vec3(pressed.state.x.segment<3>(3 * i)).cross(Vec3(gradient.segment<3>(3 * i)));
      }
      EXPECT_LE(sum.norm(), 1e-13);
      EXPECT_LE(torque.norm(), 1e-13);
    }
  }
}

// Two free bodies that graze each other: friction takes energy, and the spin of both together stays.
TEST(Friction, BetweenBodiesKeepsAngularMomentum) {
  const test::BodyOptions options{.size = {1, 1, 1}, .cells = {1, 1, 1}, .mu = 200, .lambda = 100};
  const test::Body one(options);
  const Eigen::Index n = one.rest.size();
  const int vertices = static_cast<int>(n) / 3;
  State state{.x = Vector(2 * n), .v = Vector::Zero(2 * n)};
  std::vector<double> masses;
  for (int body = 0; body < 2; ++body) {
    masses.insert(masses.end(), one.system.vertex_masses().begin(),
                  one.system.vertex_masses().end());
  }
  System system(masses);
  std::vector<std::array<int, 4>> tets;
  for (int body = 0; body < 2; ++body) {
    for (const auto& t : one.mesh.tets) {
      tets.push_back({t[0] + body * vertices, t[1] + body * vertices, t[2] + body * vertices,
                      t[3] + body * vertices});
    }
    for (int i = 0; i < vertices; ++i) {
      const Vec3 r = one.rest.segment<3>(3 * i);
      state.x.segment<3>(body * n + 3 * i) = r + (body ? Vec3(0.35, 1.08, 0.2) : Vec3::Zero());
      state.v.segment<3>(body * n + 3 * i) = body ? Vec3(2, -1.5, 0.5) : Vec3(-1, 0.5, 0);
    }
  }
  system.add(find_material("stvk")->make({state.x, tets}, test::lame_of(200, 100)));
  const std::vector<ContactSurface> surfaces = {test::surface_of(one.mesh, 0, 0),
                                                test::surface_of(one.mesh, 1, vertices)};
  auto made = std::make_unique<BodyContact>(surfaces, 500.0, 0.1, state.x);
  const ContactEnergy& contact = *made;
  system.add(std::move(made));
  system.add(std::make_unique<Friction>(contact, 0.5, 0.05));
  EXPECT_TRUE(system.rotation_invariant());
  const auto integrator = make_integrator(system, make_scheme("implicit-midpoint"), {});
  double taken = 0;
  Vec3 spin = Vec3::Zero();
  for (int k = 0; k < 20; ++k) {
    const StepReport report = integrator->step(state, 0.02);
    ASSERT_TRUE(succeeded(report.status)) << describe(report.status);
    if (k == 0) spin = report.before.angular_momentum;
    EXPECT_LE(report.ledger.dissipation, 1e-15);
    taken -= report.ledger.dissipation;
    EXPECT_LE((report.after.angular_momentum - spin).norm(), 1e-10 * spin.norm()) << "step " << k;
  }
  EXPECT_GT(taken, 0.01);
}

TEST(Friction, SaysWhichMomentaItKeeps) {
  const Pressed pressed;
  EXPECT_TRUE(pressed.friction->keeps_linear_momentum());
  EXPECT_TRUE(pressed.friction->keeps_angular_momentum());
  EXPECT_TRUE(pressed.system.translation_invariant());
  EXPECT_TRUE(pressed.system.rotation_invariant());
  const Belt belt(PlaneShape{});
  EXPECT_FALSE(belt.friction->keeps_linear_momentum());
  EXPECT_FALSE(belt.friction->keeps_angular_momentum());
}

// In the very step in which a body touches the floor friction takes μ times the mean pressure over
// the step, also where a method takes part of it at the start of the step.
TEST(Friction, ActsInTheStepOfTheImpact) {
  for (const char* method :
       {"avf", "backward-euler", "implicit-midpoint", "newmark", "tr-bdf2", "bathe"}) {
    System system({1.0});
    auto made = std::make_unique<ObstacleContact>(Obstacle{.shape = PlaneShape{}}, std::vector{0},
                                                  400.0, 0.0);
    const ContactEnergy& contact = *made;
    system.add(std::move(made));
    system.add(std::make_unique<Friction>(contact, kMu, 1e-6));
    // Another floor, out of reach: that its friction does not change says nothing of the first.
    auto below = std::make_unique<ObstacleContact>(
        Obstacle{.shape = PlaneShape{.point = Vec3(0, -9, 0)}}, std::vector{0}, 400.0, 0.0);
    const ContactEnergy& far = *below;
    system.add(std::move(below));
    system.add(std::make_unique<Friction>(far, kMu, 1e-6));
    State state{.x = Vector::Zero(3), .v = Vector::Zero(3)};
    state.x[1] = 0.01;
    state.v << 3, -2, 0;
    const Vector x = state.x;
    const double h = 0.02;
    const auto integrator = make_integrator(system, make_scheme(method), {});
    const StepReport report = integrator->step(state, h);
    ASSERT_TRUE(succeeded(report.status)) << method;
    const Vector d = state.x - x;
    const double pressure = contact.contact_point(0, x.data(), d.data(), nullptr).pressure;
    ASSERT_GT(pressure, 1) << method;
    // The pressure is renewed to a thousandth.
    EXPECT_NEAR(3 - state.v[0], kMu * h * pressure, 2e-3 * kMu * h * pressure) << method;
    EXPECT_LT(report.ledger.dissipation, 0) << method;
  }
}

TEST(Friction, RefusesNonsense) {
  const ObstacleContact floor({.shape = PlaneShape{}}, {0}, 1, 0);
  EXPECT_THROW(Friction(floor, -0.1, 1), Error);
  EXPECT_THROW(Friction(floor, 0.1, 0), Error);
}

}  // namespace
}  // namespace lilyan::friction_test
