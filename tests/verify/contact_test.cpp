// Energy through contact: bodies that bounce at an animator's step.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "lilyan/assemble/invariants.hpp"
#include "lilyan/contact/body_contact.hpp"
#include "lilyan/contact/friction.hpp"
#include "lilyan/contact/obstacle_contact.hpp"
#include "lilyan/contact/repulsion_springs.hpp"
#include "lilyan/control/make_integrator.hpp"
#include "lilyan/control/step_control.hpp"
#include "support/body.hpp"
#include "support/contact.hpp"

namespace lilyan::contact_test {
namespace {

constexpr double kStep = 1.0 / 30;

std::vector<int> all_vertices(const test::Body& body) {
  std::vector<int> vertices(static_cast<std::size_t>(body.system.vertices()));
  std::iota(vertices.begin(), vertices.end(), 0);
  return vertices;
}

struct Bounce {
  double worst = 0;  // |ΔE| relative to the energy above the floor
  int steps_in_contact = 0;
  int failures = 0;
  double lowest = 1e9;
  double worst_imbalance = 0;
  Ledger ledger;
};

Bounce bounce(const System& system, State state, const Scheme& scheme, int steps,
              double floor_energy) {
  Bounce result;
  const auto integrator = make_integrator(system, scheme, {});
  const double start = invariants(system, state).total;
  for (int k = 0; k < steps; ++k) {
    const StepReport report = step_with_halving(*integrator, state, kStep, 6);
    if (!succeeded(report.status)) {
      ++result.failures;
      break;
    }
    const double size = start - floor_energy;
    result.worst = std::max(result.worst, std::abs(report.after.total - start) / size);
    result.steps_in_contact += report.after.of(EnergyKind::contact) > 0;
    result.worst_imbalance =
        std::max(result.worst_imbalance,
                 std::abs(report.ledger.total() - report.after.total + report.before.total) / size);
    result.ledger += report.ledger;
    for (Eigen::Index i = 1; i < state.x.size(); i += 3) {
      result.lowest = std::min(result.lowest, state.x[i]);
    }
  }
  return result;
}

test::BodyOptions falling_block() {
  return {.size = {1, 1, 1},
          .cells = {3, 3, 3},
          .mu = 400,
          .lambda = 400,
          .mass = 1,
          .gravity = Vec3(0, -9.81, 0)};
}

State dropped(const test::Body& body, double height, double tilt = 0.3) {
  State state = body.at_rest();
  const Eigen::Matrix3d turn =
      (Eigen::AngleAxisd(tilt, Vec3::UnitZ()) * Eigen::AngleAxisd(0.4, Vec3::UnitX()))
          .toRotationMatrix();
  for (int i = 0; i < body.system.vertices(); ++i) {
    state.x.segment<3>(3 * i) = turn * body.rest.segment<3>(3 * i) + Vec3(0, height, 0);
  }
  return state;
}

void add_obstacle(test::Body& body, const ObstacleShape& shape, double stiffness,
                  bool inside = false) {
  body.system.add(std::unique_ptr<Energy>(std::make_unique<ObstacleContact>(
      Obstacle{.shape = shape, .inside_out = inside}, all_vertices(body), stiffness, 0.0)));
}

// Potential energy of the body resting on the floor y = 0, about.
double resting_energy() { return 9.81 * 0.5; }

TEST(Contact, BouncingBodyKeepsItsEnergy) {
  test::Body body(falling_block());
  add_obstacle(body, PlaneShape{}, 2000);
  const Bounce result =
      bounce(body.system, dropped(body, 1.6), make_scheme("avf"), 900, resting_energy());
  std::printf("    %d steps in contact, worst %.1e\n", result.steps_in_contact, result.worst);
  EXPECT_EQ(result.failures, 0);
  EXPECT_GT(result.steps_in_contact, 200);
  EXPECT_LE(result.worst, 1e-11);
  EXPECT_LE(result.worst_imbalance, 1e-12);
  EXPECT_GT(result.lowest, -0.3);
}

// With Simpson's rule, whose first node is known, and with points as needed.
TEST(Contact, AnyQuadratureKeepsTheEnergyOfContact) {
  for (const char* rule : {"simpson", "auto"}) {
    test::Body body(falling_block());
    add_obstacle(body, PlaneShape{}, 2000);
    const Bounce result =
        bounce(body.system, dropped(body, 1.6),
               make_scheme("avf", {{"quadrature", std::string(rule)}}), 150, resting_energy());
    EXPECT_EQ(result.failures, 0) << rule;
    EXPECT_LE(result.worst, 1e-9) << rule;
  }
}

TEST(Contact, EnergyMomentumKeepsItToo) {
  test::Body body(falling_block());
  add_obstacle(body, PlaneShape{}, 2000);
  const Bounce result = bounce(body.system, dropped(body, 1.6), make_scheme("energy-momentum"), 150,
                               resting_energy());
  EXPECT_EQ(result.failures, 0);
  EXPECT_GT(result.steps_in_contact, 10);
  EXPECT_LE(result.worst, 1e-9);
}

TEST(Contact, CurvedObstaclesKeepTheEnergy) {
  const std::vector<std::pair<ObstacleShape, bool>> obstacles{
      {SphereShape{.center = Vec3(0, 2, 0), .radius = 2.2}, true},  // a bowl
      {BoxShape{.center = Vec3(0, 2, 0), .half = Vec3(1.2, 2, 1.2)}, true},
      {CapsuleShape{.from = Vec3(-5, -1, 0), .to = Vec3(5, -1, 0), .radius = 1}, false}};
  for (const auto& [shape, inside] : obstacles) {
    test::Body body(falling_block());
    add_obstacle(body, shape, 2000, inside);
    const Bounce result =
        bounce(body.system, dropped(body, 1.6), make_scheme("avf"), 200, resting_energy());
    EXPECT_EQ(result.failures, 0) << shape.index();
    EXPECT_GT(result.steps_in_contact, 5) << shape.index();
    EXPECT_LE(result.worst, 1e-9) << shape.index();
  }
}

// What the exact mean is worth: implicit midpoint and AVF with repulsion springs do not keep it,
// and the ledger says where it went.
TEST(Contact, OthersDoNotKeepIt) {
  {
    test::Body body(falling_block());
    add_obstacle(body, PlaneShape{}, 2000);
    const Bounce result = bounce(body.system, dropped(body, 1.6), make_scheme("implicit-midpoint"),
                                 150, resting_energy());
    EXPECT_GT(result.worst, 1e-3);
  }
  test::Body body(falling_block());
  body.system.add(std::unique_ptr<Energy>(std::make_unique<RepulsionSprings>(
      Obstacle{.shape = PlaneShape{}}, all_vertices(body), 1000.0, 0.0)));
  const Bounce result =
      bounce(body.system, dropped(body, 1.6), make_scheme("avf"), 150, resting_energy());
  EXPECT_EQ(result.failures, 0);
  EXPECT_GT(result.worst, 1e-3);
  EXPECT_GT(std::abs(result.ledger.method), 1e-3);
  EXPECT_NEAR(result.ledger.work, 0, 1e-12);
  EXPECT_LE(result.worst_imbalance, 1e-11);
}

// Nothing gets through at the documented speeds: a penalty lets a vertex in by v √(m/k) at most
// (its kinetic energy as that of the spring), and the floor has no other side to come out at.
TEST(Contact, FastBodiesDoNotGetThroughTheFloor) {
  test::Body body(falling_block());
  add_obstacle(body, PlaneShape{}, 2000);
  State state = dropped(body, 2.0);
  for (Eigen::Index i = 1; i < state.v.size(); i += 3) state.v[i] = -30;
  const Bounce result = bounce(body.system, state, make_scheme("avf"), 90, resting_energy());
  EXPECT_EQ(result.failures, 0);
  EXPECT_LE(result.worst, 1e-9);
  EXPECT_GT(result.lowest, -30 * std::sqrt(1.0 / 2000) - 0.2);
}

// A block on a slope of angle a: friction holds it while μ > tan a, and otherwise it goes with
// g (sin a − μ cos a).
TEST(Friction, SlopesHoldOrLetGo) {
  const double slope = 0.4;
  const double g = 9.81;
  for (const double mu : {0.0, 0.2, 0.8}) {
    // The floor is level, and gravity leans.
    test::Body body({.size = {1, 0.5, 1},
                     .cells = {2, 1, 2},
                     .mu = 2000,
                     .lambda = 2000,
                     .gravity = g * Vec3(std::sin(slope), -std::cos(slope), 0)});
    auto contact = std::make_unique<ObstacleContact>(Obstacle{.shape = PlaneShape{}},
                                                     all_vertices(body), 1000.0, 0.0);
    const ContactEnergy& energy = *contact;
    body.system.add(std::move(contact));
    if (mu > 0) body.system.add(std::make_unique<Friction>(energy, mu, 1e-3));
    State state = dropped(body, 0.25, 0);
    for (int i = 0; i < body.system.vertices(); ++i) {  // not turned
      state.x.segment<3>(3 * i) = body.rest.segment<3>(3 * i) + Vec3(0, 0.2495, 0);
    }
    const auto integrator = make_integrator(body.system, make_scheme("backward-euler"), {});
    double before = 0;
    constexpr int kSteps = 60;
    for (int k = 0; k < kSteps; ++k) {
      if (k == kSteps / 2) before = invariants(body.system, state).linear_momentum.x();
      const StepReport report = integrator->step(state, kStep);
      ASSERT_TRUE(succeeded(report.status)) << mu << " " << k;
      EXPECT_LE(report.ledger.dissipation, 0);
      EXPECT_NEAR(report.ledger.total(), report.after.total - report.before.total, 1e-10);
    }
    const double gained = invariants(body.system, state).linear_momentum.x() - before;
    const double acceleration = gained / (kSteps / 2 * kStep);
    if (mu > std::tan(slope)) {
      EXPECT_NEAR(acceleration, 0, 0.02) << mu;
      EXPECT_LT(invariants(body.system, state).linear_momentum.x(), 2e-3) << mu;  // creep
    } else {
      EXPECT_NEAR(acceleration, g * (std::sin(slope) - mu * std::cos(slope)), 0.02) << mu;
    }
  }
}

// A conveyor belt: the floor slides along below a block at rest until the block goes with it. What
// the belt does is work, what is lost in sliding is dissipation, whatever the method.
TEST(Friction, BeltsDoWork) {
  for (const char* method : {"avf", "implicit-midpoint", "backward-euler", "newmark", "bathe",
                             "tr-bdf2", "bdf2", "energy-momentum"}) {
    test::Body body({.size = {1, 0.5, 1},
                     .cells = {2, 1, 2},
                     .mu = 2000,
                     .lambda = 2000,
                     .gravity = Vec3(0, -9.81, 0)});
    const RigidMotion along({{.t = 0}, {.t = 100, .shift = Vec3(100, 0, 0)}}, Vec3::UnitY(),
                            Vec3::Zero(), Easing::linear, false);
    auto contact = std::make_unique<ObstacleContact>(
        Obstacle{.shape = PlaneShape{}, .motion = along}, all_vertices(body), 1000.0, 0.0);
    const ContactEnergy& energy = *contact;
    body.system.add(std::move(contact));
    body.system.add(std::make_unique<Friction>(energy, 0.5, 1e-2));
    State state = body.at_rest();
    for (Eigen::Index i = 1; i < state.x.size(); i += 3) state.x[i] += 0.2495;
    const auto integrator = make_integrator(body.system, make_scheme(method), {});
    Ledger ledger;
    const double start = invariants(body.system, state).total;
    for (int k = 0; k < 120; ++k) {
      const StepReport report = integrator->step(state, 0.5 * kStep);
      ASSERT_TRUE(succeeded(report.status)) << method << " " << k;
      EXPECT_LE(report.ledger.dissipation, 1e-12) << method << " " << k;
      ledger += report.ledger;
    }
    const Invariants end = invariants(body.system, state);
    EXPECT_NEAR(end.linear_momentum.x(), 1, 0.05) << method;
    EXPECT_GT(ledger.work, 0.7) << method;  // ½v² for the block, and as much again lost on the way
    EXPECT_LT(ledger.dissipation, -0.3) << method;
    EXPECT_NEAR(ledger.total(), end.total - start, 1e-10) << method;
  }
}

// Two blocks thrown at each other.
struct Pair {
  TetMesh mesh = block({1, 1, 1}, {2, 2, 2});
  int count = static_cast<int>(mesh.vertices.size());
  System system;
  State state;
  BodyContact* contact = nullptr;

  Pair(double speed, double stiffness, double thickness, double friction = 0)
      : system([&] {
          std::vector<double> masses = test::lumped_masses(mesh, 1);
          masses.insert(masses.end(), masses.begin(), masses.begin() + count);
          return masses;
        }()) {
    const Vector one = test::positions(mesh);
    Vector rest(6 * count);
    rest << one, one;
    std::vector<std::array<int, 4>> other = mesh.tets;
    for (auto& t : other) {
      for (int& v : t) v += count;
    }
    system.add(find_material("stvk")->make({rest, mesh.tets}, test::lame_of(400, 400)));
    system.add(find_material("stvk")->make({rest, other}, test::lame_of(400, 400)));
    state = {.x = rest, .v = Vector::Zero(rest.size())};
    const Eigen::Matrix3d turn = Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()).matrix();
    for (int i = 0; i < 2 * count; ++i) {
      Vec3 x = rest.segment<3>(3 * i);
      if (i < count) {
        x += Vec3(-1.2, 0.1, 0);
      } else {
        x = turn * x + Vec3(1.2, 0, 0);
      }
      state.x.segment<3>(3 * i) = x;
      state.v[3 * i] = i < count ? speed : -speed;
    }
    auto made = std::make_unique<BodyContact>(
        std::vector{test::surface_of(mesh, 0, 0), test::surface_of(mesh, 1, count)}, stiffness,
        thickness, state.x);
    contact = made.get();
    system.add(std::move(made));
    if (friction > 0) system.add(std::make_unique<Friction>(*contact, friction, 0.01));
  }

  [[nodiscard]] double center(int body) const {
    double sum = 0;
    for (int i = 0; i < count; ++i) sum += state.x[3 * (i + body * count)];
    return sum / count;
  }
};

TEST(BodyContact, CollisionKeepsEnergyAndMomentum) {
  Pair pair(3, 2000, 0.1);
  const Invariants start = invariants(pair.system, pair.state);
  const auto integrator = make_integrator(pair.system, make_scheme("avf"), {});
  int in_contact = 0;
  for (int k = 0; k < 60; ++k) {
    const StepReport report = integrator->step(pair.state, kStep);
    ASSERT_TRUE(succeeded(report.status)) << k;
    in_contact += report.after.of(EnergyKind::contact) > 0;
    EXPECT_NEAR(report.after.total, start.total, 1e-9 * start.total);
    EXPECT_LE((report.after.linear_momentum - start.linear_momentum).norm(), 1e-10);
    EXPECT_LT(pair.center(0), pair.center(1)) << "they passed through each other";
  }
  EXPECT_GT(in_contact, 2);
  EXPECT_LT(invariants(pair.system, pair.state).linear_momentum.norm(), 1e-10);
  // They have parted again.
  EXPECT_GT(pair.center(1) - pair.center(0), 2);
}

// As fast as documented (2r/h relative speed would be 6): no vertex of one inside the other at the
// end, when they have parted.
TEST(BodyContact, NothingPassesAtTheDocumentedSpeed) {
  Pair pair(2.9, 20000, 0.1, 0.3);
  const auto integrator = make_integrator(pair.system, make_scheme("avf"), {});
  double last = 1e9;
  for (int k = 0; k < 60; ++k) {
    const StepReport report = step_with_halving(*integrator, pair.state, kStep, 6);
    ASSERT_TRUE(succeeded(report.status)) << k;
    EXPECT_LE(report.ledger.dissipation, 1e-12);
    EXPECT_LT(pair.center(0), pair.center(1));
    last = report.after.of(EnergyKind::contact);
  }
  EXPECT_EQ(last, 0);
}

// Candidates are only that: a slow look at all pairs gives the same energy.
TEST(BodyContact, MissesNoPair) {
  Pair pair(3, 2000, 0.1);
  const auto integrator = make_integrator(pair.system, make_scheme("avf"), {});
  for (int k = 0; k < 20; ++k) {
    const StepReport report = integrator->step(pair.state, kStep);
    ASSERT_TRUE(succeeded(report.status));
    double all = 0;
    const auto add = [&](const ContactSurface& points, const ContactSurface& faces) {
      for (const int p : points.vertices) {
        for (const auto& f : faces.triangles) {
          PointTriangle z;
          z << pair.state.x.segment<3>(3 * p), pair.state.x.segment<3>(3 * f[0]),
              pair.state.x.segment<3>(3 * f[1]), pair.state.x.segment<3>(3 * f[2]);
          const double depth = 0.1 - point_triangle_distance(z);
          if (depth > 0) all += 0.5 * 2000 * depth * depth;
        }
      }
    };
    const ContactSurface a = test::surface_of(pair.mesh, 0, 0);
    const ContactSurface b = test::surface_of(pair.mesh, 1, pair.count);
    add(a, b);
    add(b, a);
    EXPECT_NEAR(report.after.of(EnergyKind::contact), all, 1e-12 * (1 + all));
    EXPECT_NEAR(invariants(pair.system, pair.state).of(EnergyKind::contact), all,
                1e-12 * (1 + all));
  }
}

}  // namespace
}  // namespace lilyan::contact_test
