// energy-momentum keeps energy, linear and angular momentum, whatever a body is made of and whatever acts
// on it besides. Plain AVF beside it shows that there was something to correct.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include "lilyan/assemble/invariants.hpp"
#include "lilyan/contact/body_contact.hpp"
#include "lilyan/contact/friction.hpp"
#include "lilyan/contact/obstacle_contact.hpp"
#include "lilyan/control/make_integrator.hpp"
#include "lilyan/parallel/threads.hpp"
#include "lilyan/physics/damping.hpp"
#include "lilyan/physics/energies.hpp"
#include "lilyan/physics/rigid_motion.hpp"
#include "support/body.hpp"
#include "support/contact.hpp"
#include "support/momenta.hpp"
#include "support/schemes.hpp"

namespace lilyan::test::momentum_solve_test {
namespace {

TEST(MomentumSolve, KeepsAllOfAFreeBody) {
  for (const char* material : {"stvk", "neo-hookean"}) {
    const Body body({.material = material});
    const Parameters p = material[0] == 's' ? Parameters{} : parameters({{"quadrature", "auto"}});
    State plain = body.moving();
    EXPECT_GT(run_kept(body.system, plain, make_scheme("avf", p), 0.1, 60).angular, 1e-5);
    State state = body.moving();
    const RunKept kept = run_kept(body.system, state, make_scheme("energy-momentum", p), 0.1, 60);
    expect_kept(kept, material);
  }
}

// A soft bar, stretched and turning fast, vibrates violently: few steps have to be halved, and everything is kept.
TEST(MomentumSolve, KeepsAllOfViolentMotion) {
  const Body body({.size = {2, 0.4, 0.4}, .cells = {10, 2, 2}, .mu = 500, .lambda = 250});
  State state = body.moving(1.8, 15);
  const RunKept kept = run_kept(body.system, state, make_scheme("energy-momentum"), 1.0 / 30, 60,
                                Vec3::Zero(), {}, 4);
  expect_kept(kept, "violent");
}

// What is left of a step is within the tolerances, or as small as rounding errors of forces are: a stiff body twisted by
// half a turn is not taken for solved where its iteration is slow.
TEST(MomentumSolve, KeepsToItsTolerance) {
  const double young = 1e7;
  const double poisson = 0.4;
  const Body body({.size = {2, 0.4, 0.4},
                   .cells = {10, 2, 2},
                   .material = "neo-hookean",
                   .mu = young / (2 * (1 + poisson)),
                   .lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson)),
                   .mass = 1});
  State state = body.at_rest();
  for (int i = 0; i < body.system.vertices(); ++i) {
    const double turn = std::numbers::pi / 2 * state.x[3 * i];
    const double y = state.x[3 * i + 1];
    const double z = state.x[3 * i + 2];
    state.x[3 * i + 1] = std::cos(turn) * y - std::sin(turn) * z;
    state.x[3 * i + 2] = std::sin(turn) * y + std::cos(turn) * z;
  }
  const SolverOptions options{.energy_tolerance = 1e-11, .velocity_tolerance = 1e-11};
  const auto integrator = make_integrator(body.system, make_scheme("energy-momentum"), options);
  double first = 0;
  for (int k = 0; k < 20; ++k) {
    const StepReport r = step_with_halving(*integrator, state, 1.0 / 30, 6);
    ASSERT_TRUE(succeeded(r.status)) << "step " << k << ": " << describe(r.status);
    if (k == 0) first = r.before.total;
    EXPECT_LE(std::abs(r.after.total - first), 1e-10 * first) << "step " << k;
  }
}

// With damping, too, whose own torque is only as small as its lagged numbers are accurate where gravity acts.
TEST(MomentumSolve, KeepsWhatGravityLeaves) {
  for (const bool damped : {false, true}) {
    Body body({.mu = 5, .lambda = 3, .gravity = {1, -5, 2}});
    if (damped) {
      body.system.add(
          std::make_unique<KelvinVoigtDamping>(*body.system.energies()[0], body.rest, 0.05));
    }
    State state = body.moving();
    const Invariants first = invariants(body.system, state);
    const auto integrator = make_integrator(body.system, make_scheme("energy-momentum"), {});
    const double mass = body.system.mass().diagonal().sum() / 3;
    const auto own_spin = [&] {
      Vec3 centre = Vec3::Zero();
      for (int i = 0; i < body.system.vertices(); ++i) {
        centre +=
            body.system.vertex_masses()[static_cast<std::size_t>(i)] * state.x.segment<3>(3 * i);
      }
      return spin_about(body.system, state, centre / mass);
    };
    const Vec3 spin = own_spin();
    double lost = 0;
    for (int k = 0; k < 40; ++k) {
      const StepReport r = integrator->step(state, 0.1);
      ASSERT_TRUE(succeeded(r.status));
      lost += r.ledger.dissipation;
      EXPECT_NEAR(r.after.total - lost, first.total, 1e-12 * (first.scale() + r.after.kinetic));
    }
    EXPECT_LE((own_spin() - spin).norm(), 5e-12 * spin.norm()) << damped;
    EXPECT_EQ(lost < -1e-3, damped);
  }
}

// The same blocks side by side, not connected: each of them keeps its own.
struct Pair {
  Body one{{.size = {1, 0.8, 0.8}, .cells = {2, 2, 2}}};
  int vertices = one.system.vertices();
  std::vector<double> masses;
  std::vector<std::array<int, 4>> tets;
  State state;

  explicit Pair(const Vec3& apart) {
    const State first = one.moving(1.2, 3, 0);
    const State second = one.moving(1.1, -2, 0);
    const Eigen::Index n = one.rest.size();
    state.x.resize(2 * n);
    state.v.resize(2 * n);
    rest.resize(2 * n);
    for (int body = 0; body < 2; ++body) {
      for (const auto& t : one.mesh.tets) {
        tets.push_back({t[0] + body * vertices, t[1] + body * vertices, t[2] + body * vertices,
                        t[3] + body * vertices});
      }
      for (int i = 0; i < vertices; ++i) {
        masses.push_back(one.system.vertex_masses()[static_cast<std::size_t>(i)]);
        const State& s = body ? second : first;
        const Vec3 offset = body ? apart : Vec3::Zero();
        rest.segment<3>(body * n + 3 * i) = one.rest.segment<3>(3 * i) + offset;
        state.x.segment<3>(body * n + 3 * i) = s.x.segment<3>(3 * i) + offset;
        state.v.segment<3>(body * n + 3 * i) =
            s.v.segment<3>(3 * i) + (body ? -0.8 : 0.8) * apart.normalized();
      }
    }
  }
  Vector rest;
};

TEST(MomentumSolve, KeepsEachOfTwoBodies) {
  Pair pair({3, 0.5, 0.2});
  System system(pair.masses);
  system.add(find_material("stvk")->make({pair.rest, pair.tets}, lame_of(20, 10)));
  const auto spin = [&](int body) {
    return spin_about(system, pair.state, Vec3::Zero(), body * pair.vertices,
                      (body + 1) * pair.vertices);
  };
  const Vec3 first = spin(0);
  const Vec3 second = spin(1);
  const RunKept kept = run_kept(system, pair.state, make_scheme("energy-momentum"), 0.05, 50);
  expect_kept(kept, "two bodies");
  EXPECT_LE((spin(0) - first).norm(), 1e-12 * first.norm());
  EXPECT_LE((spin(1) - second).norm(), 1e-12 * second.norm());
}

TEST(MomentumSolve, KeepsAllInCollisions) {
  for (const double friction : {0.0, 0.5}) {
    Pair pair({1.6, 0.3, 0.2});
    System system(pair.masses);
    system.add(find_material("stvk")->make({pair.rest, pair.tets}, lame_of(200, 100)));
    auto made = std::make_unique<BodyContact>(
        std::vector<ContactSurface>{surface_of(pair.one.mesh, 0, 0),
                                    surface_of(pair.one.mesh, 1, pair.vertices)},
        500.0, 0.1, pair.state.x);
    const ContactEnergy& contact = *made;
    system.add(std::move(made));
    if (friction > 0) system.add(std::make_unique<Friction>(contact, friction, 0.05));
    State plain = pair.state;
    const RunKept avf = run_kept(system, plain, make_scheme("avf"), 0.02, 60);
    const RunKept kept = run_kept(system, pair.state, make_scheme("energy-momentum"), 0.02, 60);
    EXPECT_GT(avf.angular, 1e-5) << friction;
    EXPECT_LE(kept.angular, 1e-11) << friction;
    EXPECT_LE(kept.linear, 1e-12) << friction;
    EXPECT_LE(kept.energy, 1e-10) << friction;  // contact comes and goes between two steps
    EXPECT_LE(kept.energy, 2 * avf.energy + 1e-12) << friction;
  }
}

TEST(MomentumSolve, KeepsAllWithDampingWithinTheBody) {
  Body body({.mu = 20, .lambda = 10});
  body.system.add(
      std::make_unique<KelvinVoigtDamping>(*body.system.energies()[0], body.rest, 0.02));
  State state = body.moving();
  const RunKept kept = run_kept(body.system, state, make_scheme("energy-momentum"), 0.05, 60);
  expect_kept(kept, "damped");
}

// Bodies that lack something: two points have no inertia about their line, a sheet no thickness, a tet
// no inner vertex.
TEST(MomentumSolve, KeepsAllOfSmallAndFlatBodies) {
  const Scheme scheme = make_scheme("energy-momentum");
  {
    System system({1.0, 0.4});
    system.add(springs(SpringKind::stvk, {{0, 1, 3.0, 1.0}}));
    State state{.x = Vector(6), .v = Vector(6)};
    state.x << 1, 2, 3, 2.3, 2.1, 2.8;
    state.v << 0.3, 1, 0, -0.5, -1, 0.4;
    expect_kept(run_kept(system, state, scheme, 0.2, 100), "two points");
  }
  {
    const Body body(
        TetMesh{.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .tets = {{0, 1, 2, 3}}},
        {.mu = 5, .lambda = 3});
    State state = body.moving();
    expect_kept(run_kept(body.system, state, scheme, 0.1, 100), "a tet");
  }
  {
    // A square of springs that turns in its plane, and one that tumbles.
    for (const double tilt : {0.0, 1.0}) {
      System system({1.0, 1.0, 1.0, 0.5});
      system.add(springs(SpringKind::stvk, {{0, 1, 2.0, 1.0},
                                            {1, 2, 2.0, 1.0},
                                            {2, 3, 2.0, 1.0},
                                            {0, 3, 2.0, 1.0},
                                            {0, 2, 1.0, 1.4}}));
      State state{.x = Vector(12), .v = Vector(12)};
      state.x << 0, 0, 0, 1.2, 0, 0, 1, 1, 0, 0, 1.1, 0;
      for (int i = 0; i < 4; ++i) {
        state.v.segment<3>(3 * i) =
            Vec3(0.7 * tilt, 0.4 * tilt, 2).cross(state.x.segment<3>(3 * i));
      }
      expect_kept(run_kept(system, state, scheme, 0.1, 100), fmt::format("a sheet, {}", tilt));
    }
  }
}

TEST(MomentumSolve, LeavesRestAndRigidMotionAlone) {
  const Body body;
  State state = body.at_rest();
  const auto integrator = make_integrator(body.system, make_scheme("energy-momentum"), {});
  for (int k = 0; k < 5; ++k) ASSERT_TRUE(succeeded(integrator->step(state, 0.1).status));
  EXPECT_LE((state.x - body.rest).norm(), 1e-14);
  for (int i = 0; i < body.system.vertices(); ++i) state.v.segment<3>(3 * i) = Vec3(1, 2, 3);
  for (int k = 0; k < 5; ++k) {
    const StepReport r = integrator->step(state, 0.1);
    ASSERT_TRUE(succeeded(r.status));
  }
  for (int i = 0; i < body.system.vertices(); ++i) {
    EXPECT_LE((state.v.segment<3>(3 * i) - Vec3(1, 2, 3)).norm(), 1e-12);
  }
}

// About a fixed vertex, which is not the origin, all of it; about an axis of two, the part along it.
TEST(MomentumSolve, KeepsTheSpinAboutFixedVertices) {
  const Scheme scheme = make_scheme("energy-momentum");
  {
    Body body({.size = {2, 1, 1}, .cells = {2, 1, 1}, .mu = 5, .lambda = 3, .fixed = {3}});
    State state = body.moving();
    const Vec3 pivot = state.x.segment<3>(9);
    State plain = state;
    EXPECT_GT(run_kept(body.system, plain, make_scheme("avf"), 0.1, 60, pivot).angular, 1e-5);
    const RunKept kept = run_kept(body.system, state, scheme, 0.1, 60, pivot);
    EXPECT_LE(kept.angular, 1e-12);
    EXPECT_LE(kept.energy, 1e-12);
  }
  {
    Body body({.size = {2, 1, 1}, .cells = {2, 1, 1}, .mu = 5, .lambda = 3, .fixed = {0, 1}});
    State state = body.moving();
    for (const int i : {0, 1}) state.v.segment<3>(3 * i).setZero();
    const Vec3 pivot = state.x.segment<3>(0);
    const Vec3 axis = (state.x.segment<3>(3) - pivot).normalized();
    State plain = state;
    const double spin = spin_about(body.system, state, pivot).dot(axis);
    const auto change = [&](const Scheme& s, State& from) {
      const RunKept kept = run_kept(body.system, from, s, 0.1, 60, pivot);
      EXPECT_LE(kept.energy, 1e-12);
      return std::abs(spin_about(body.system, from, pivot).dot(axis) - spin) / std::abs(spin);
    };
    EXPECT_GT(change(make_scheme("avf"), plain), 1e-6);
    EXPECT_LE(change(scheme, state), 1e-12);
  }
}

// What is external stays: about a pivot, angular momentum changes by the torque of gravity at the middle
// of the step, and by nothing else.
TEST(MomentumSolve, LeavesTheTorqueOfGravityAboutAPivot) {
  const Vec3 gravity(1, -5, 2);
  const Body body({.mu = 20, .lambda = 10, .gravity = gravity, .fixed = {3}});
  for (const char* method : {"avf", "energy-momentum"}) {
    State state = body.moving();
    const Vec3 pivot = state.x.segment<3>(9);
    const auto integrator = make_integrator(body.system, make_scheme(method), {});
    const double h = 0.1;
    double worst = 0;
    for (int k = 0; k < 40; ++k) {
      const State before = state;
      ASSERT_TRUE(succeeded(integrator->step(state, h).status));
      Vec3 torque = Vec3::Zero();
      for (int i = 0; i < body.system.vertices(); ++i) {
        const Vec3 middle = 0.5 * (before.x + state.x).segment<3>(3 * i);
        torque += body.system.vertex_masses()[static_cast<std::size_t>(i)] *
                  (middle - pivot).cross(gravity);
      }
      const Vec3 change = spin_about(body.system, state, pivot) -
                          spin_about(body.system, before, pivot) - h * torque;
      worst = std::max(worst, change.norm() / spin_about(body.system, state, pivot).norm());
    }
    if (method == std::string("avf")) {
      EXPECT_GT(worst, 1e-5);
    } else {
      EXPECT_LE(worst, 1e-12);
    }
  }
}

// A constant force on one vertex.
class Push final : public Force {
 public:
  Push(int vertex, const Vec3& force) : vertex_(vertex), force_(force) {}
  void add(double /*t*/, const double* /*x*/, const double* /*v*/, double* force) const override {
    for (int c = 0; c < 3; ++c) force[3 * vertex_ + c] += force_[c];
  }

 private:
  int vertex_;
  Vec3 force_;
};

// So do those of a floor and of a push; about a vertex that a script moves, that of everything else.
TEST(MomentumSolve, LeavesTheTorqueOfObstaclesForcesAndScripts) {
  const Vec3 push(0.3, -0.4, 0.2);
  for (const bool scripted : {false, true}) {
    Body body({.mu = 20, .lambda = 10});
    std::vector<int> all(static_cast<std::size_t>(body.system.vertices()));
    std::iota(all.begin(), all.end(), 0);
    auto made = std::make_unique<ObstacleContact>(
        Obstacle{.shape =
                     PlaneShape{.point = {0, 0.1, 0}, .normal = Vec3(0.1, 1, 0.2).normalized()}},
        all, 30.0, 0.0);
    const Energy& floor = *made;
    body.system.add(std::move(made));
    body.system.add(std::make_unique<Push>(7, push));
    State state = body.moving();
    if (scripted) {
      body.system.add(std::make_unique<ScriptedVertices>(
          std::vector{3}, state.x,
          RigidMotion({{.t = 0}, {.t = 4, .shift = {0.5, 1, 0.3}}}, Vec3::UnitY(), Vec3::Zero(),
                      Easing::linear, false)));
    }
    const auto integrator = make_integrator(body.system, make_scheme("energy-momentum"), {});
    const double h = 0.1;
    double touched = 0;
    for (int k = 0; k < 40; ++k) {
      const State before = state;
      const StepReport r = integrator->step(state, h);
      ASSERT_TRUE(succeeded(r.status));
      EXPECT_LE(std::abs(r.after.total - r.before.total - r.ledger.total()), 1e-13);
      EXPECT_LE(std::abs(r.ledger.solver) + std::abs(r.ledger.quadrature), 1e-12);
      // The mean of the floor's force is exact, whatever the nodes are.
      const Vector d = state.x - before.x;
      Vector gradient = Vector::Zero(d.size());
      const std::array<WeightedNode, 1> nodes{{{.theta = 0.5, .gradient = 1}}};
      const PathMeanWeights mean{.weight = 1};
      (void)floor.evaluate({.x0 = before.x.data(),
                            .d = d.data(),
                            .nodes = nodes,
                            .want_value = false,
                            .gradient = gradient.data(),
                            .mean = &mean});
      touched += gradient.norm();
      const auto middle = [&](int i) -> Vec3 {
        return 0.5 * (before.x + state.x).segment<3>(3 * i);
      };
      const Vec3 centre = scripted ? middle(3) : Vec3::Zero();
      Vec3 sum = Vec3::Zero();
      for (int i = 0; i < body.system.vertices(); ++i) {
        if (body.system.embedding().fixed(i)) continue;
        Vec3 change = body.system.vertex_masses()[static_cast<std::size_t>(i)] *
                      (state.v - before.v).segment<3>(3 * i);
        change += h * gradient.segment<3>(3 * i);
        if (i == 7) change -= h * push;
        sum += (middle(i) - centre).cross(change);
      }
      EXPECT_LE(sum.norm(), 1e-12) << scripted << " step " << k;
    }
    EXPECT_GT(touched, 0.1);
  }
}

TEST(MomentumSolve, KeepsAllInCompositions) {
  const Body body;
  State state = body.moving();
  expect_kept(run_kept(body.system, state,
                       make_scheme("suzuki", parameters({{"base", "energy-momentum"}})), 0.1, 40),
              "suzuki");
}

TEST(MomentumSolve, KeepsAllWithConjugateGradients) {
  const Body body({.size = {2, 1, 1}, .cells = {6, 4, 4}, .mu = 50, .lambda = 30});
  State state = body.moving(1.2, 3);
  SolverOptions options;
  options.newton.linear = LinearChoice::pcg;
  const RunKept kept =
      run_kept(body.system, state, make_scheme("energy-momentum"), 0.05, 30, Vec3::Zero(), options);
  expect_kept(kept, "pcg");
}

TEST(MomentumSolve, GivesTheSameBitsWithAnyNumberOfThreads) {
  const Body body({.size = {2, 1, 1}, .cells = {10, 8, 8}, .mu = 50, .lambda = 30});
  std::vector<State> ends;
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    State state = body.moving(1.4, 6);
    run_kept(body.system, state, make_scheme("energy-momentum"), 0.05, 6);
    ends.push_back(state);
  }
  set_threads(1);
  EXPECT_EQ(ends[0].x, ends[1].x);
  EXPECT_EQ(ends[0].v, ends[1].v);
  EXPECT_EQ(ends[0].v, ends[2].v);
}

TEST(MomentumSolve, GoesOnFromAnArchive) {
  const Body body({.size = {2, 0.4, 0.4}, .cells = {5, 1, 1}, .mu = 500, .lambda = 250});
  State state = body.moving(1.5, 10);
  const auto integrator = make_integrator(body.system, make_scheme("energy-momentum"), {});
  for (int k = 0; k < 10; ++k) ASSERT_TRUE(succeeded(integrator->step(state, 1.0 / 30).status));
  std::string bytes;
  Archive save(&bytes);
  integrator->archive(save);
  const auto other = make_integrator(body.system, make_scheme("energy-momentum"), {});
  Archive load{std::string_view(bytes)};
  other->archive(load);
  load.require_end();
  State again = state;
  for (int k = 0; k < 5; ++k) {
    ASSERT_TRUE(succeeded(integrator->step(state, 1.0 / 30).status));
    ASSERT_TRUE(succeeded(other->step(again, 1.0 / 30).status));
  }
  EXPECT_EQ(state.x, again.x);
  EXPECT_EQ(state.v, again.v);
}

TEST(MomentumSolve, SaysWhatItCannotDo) {
  EXPECT_THROW((void)make_scheme("energy-momentum", parameters({{"points", 1.0}})), ParameterError);
  EXPECT_THROW((void)make_scheme("energy-momentum", parameters({{"quadrature", "trapezoid"}})),
               ParameterError);
}

}  // namespace
}  // namespace lilyan::test::momentum_solve_test
