// Systems that change between steps: prescribed vertices and moving obstacles.
#include "lilyan/integrate/control/changing.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "lilyan/assemble/invariants.hpp"
#include "lilyan/contact/obstacle_contact.hpp"
#include "lilyan/contact/repulsion_springs.hpp"
#include "lilyan/core/error.hpp"
#include "lilyan/integrate/control/step_control.hpp"
#include "lilyan/physics/distance.hpp"
#include "lilyan/physics/rayleigh.hpp"
#include "lilyan/physics/scripted.hpp"
#include "support/body.hpp"

namespace lilyan {
namespace {

constexpr double kStep = 0.02;

test::BodyOptions bar() {
  return {.size = {2, 0.5, 0.5}, .cells = {4, 1, 1}, .mu = 100, .lambda = 100};
}

std::vector<int> left_end(const test::Body& body) {
  std::vector<int> vertices;
  for (int i = 0; i < body.system.vertices(); ++i) {
    if (body.rest[3 * i] < -0.99) vertices.push_back(i);
  }
  return vertices;
}

RigidMotion shake() {
  return {{{.t = 0}, {.t = 0.3, .shift = Vec3(0.1, 0.4, 0), .angle = 0.8}, {.t = 0.6}},
          Vec3::UnitX(),
          Vec3(-1, 0, 0),
          Easing::smooth,
          false};
}

const char* const kMethods[] = {
    "avf", "implicit-midpoint", "newmark", "bdf2",   "bathe",           "tr-bdf2",
    "hp",  "energy-momentum",   "gauss",   "suzuki", "stoermer-verlet", "backward-euler",
    "rk4"};

TEST(Changing, PrescribedVerticesGoWhereTheyAreTold) {
  for (const char* method : kMethods) {
    test::Body body(bar());
    const std::vector<int> moved = left_end(body);
    body.system.add(std::make_unique<ScriptedVertices>(moved, body.rest, shake()));
    State state = body.at_rest();
    const auto integrator = make_integrator(body.system, make_scheme(method), {});
    Ledger ledger;
    const double start = invariants(body.system, state).total;
    for (int k = 0; k < 40; ++k) {
      const double h = std::string(method) == "stoermer-verlet" || std::string(method) == "rk4"
                           ? kStep / 4
                           : kStep;
      const StepReport report = integrator->step(state, h);
      ASSERT_TRUE(succeeded(report.status)) << method << " " << k;
      EXPECT_NEAR(report.ledger.total(), report.after.total - report.before.total, 1e-12) << method;
      ledger += report.ledger;
      const Pose pose = shake().at(state.t);
      for (const int i : moved) {
        EXPECT_LE((state.x.segment<3>(3 * i) - pose.apply(body.rest.segment<3>(3 * i))).norm(),
                  1e-13)
            << method;
      }
    }
    EXPECT_NEAR(ledger.total(), invariants(body.system, state).total - start, 1e-11) << method;
    EXPECT_GT(ledger.work, 0.01) << method;
  }
}

// All energy of a body that was at rest came from the script: for methods that keep energy, all of
// the change is work.
TEST(Changing, WorkOfAScriptIsAllThereIs) {
  for (const char* method : {"avf", "energy-momentum"}) {
    test::Body body(bar());
    body.system.add(std::make_unique<ScriptedVertices>(left_end(body), body.rest, shake()));
    State state = body.at_rest();
    const auto integrator = make_integrator(body.system, make_scheme(method), {});
    for (int k = 0; k < 60; ++k) {
      const StepReport report = integrator->step(state, kStep);
      ASSERT_TRUE(succeeded(report.status));
      EXPECT_NEAR(report.ledger.work, report.after.total - report.before.total, 1e-12) << method;
    }
  }
}

// As many quadrature points as the material needs, not as many as the work of the script.
TEST(Changing, AdaptiveQuadratureDoesNotChaseTheWork) {
  test::BodyOptions options = bar();
  options.material = "neo-hookean";
  test::Body body(options);
  body.system.add(std::make_unique<ScriptedVertices>(left_end(body), body.rest, shake()));
  State state = body.at_rest();
  SolverOptions solver;
  solver.energy_tolerance = 1e-10;
  const auto integrator = make_integrator(
      body.system, make_scheme("avf", {{"quadrature", std::string("auto")}}), solver);
  for (int k = 0; k < 30; ++k) {
    const StepReport report = integrator->step(state, kStep);
    ASSERT_TRUE(succeeded(report.status));
    EXPECT_LE(report.nodes, 8);
  }
}

// A body carried along by its script at constant velocity feels no damping.
TEST(Changing, CarriedBodiesAreNotDamped) {
  test::Body body(bar());
  const RigidMotion along({{.t = 0}, {.t = 10, .shift = Vec3(10, 5, 0)}}, Vec3::UnitX(),
                          Vec3::Zero(), Easing::linear, false);
  body.system.add(std::make_unique<ScriptedVertices>(left_end(body), body.rest, along));
  body.system.add(std::make_unique<Rayleigh>(*body.system.energies()[0], 0.1));
  State state = body.at_rest();
  for (Eigen::Index i = 0; i < state.v.size(); i += 3) state.v.segment<3>(i) = Vec3(1, 0.5, 0);
  const auto integrator = make_integrator(body.system, make_scheme("avf"), {});
  for (int k = 0; k < 20; ++k) {
    const StepReport report = integrator->step(state, kStep);
    ASSERT_TRUE(succeeded(report.status));
    EXPECT_NEAR(report.ledger.dissipation, 0, 1e-14);
    EXPECT_NEAR(report.ledger.work, 0, 1e-13);
  }
}

// Second order in time, as the methods themselves.
TEST(Changing, ScriptedMotionIsOfSecondOrder) {
  std::vector<State> ends;
  for (const int refine : {1, 2, 4, 8, 16}) {
    test::Body body(bar());
    body.system.add(std::make_unique<ScriptedVertices>(left_end(body), body.rest, shake()));
    State state = body.at_rest();
    const auto integrator = make_integrator(body.system, make_scheme("implicit-midpoint"), {});
    for (int k = 0; k < 20 * refine; ++k) {
      ASSERT_TRUE(succeeded(integrator->step(state, 0.01 / refine).status));
    }
    ends.push_back(state);
  }
  const double coarse = (ends[2].x - ends[4].x).norm();
  const double fine = (ends[3].x - ends[4].x).norm();
  // (1 − 1/16)/(1/4 − 1/16) = 5 for order two, 3 for order one.
  EXPECT_GT(coarse / fine, 4.2);
}

TEST(Changing, PushingObstaclesDoWork) {
  test::Body body(bar());
  std::vector<int> all(static_cast<std::size_t>(body.system.vertices()));
  std::iota(all.begin(), all.end(), 0);
  const RigidMotion push({{.t = 0}, {.t = 0.5, .shift = Vec3(1, 0, 0)}}, Vec3::UnitY(),
                         Vec3::Zero(), Easing::smooth, false);
  body.system.add(std::unique_ptr<Energy>(std::make_unique<ObstacleContact>(
      Obstacle{.shape = PlaneShape{.point = Vec3(-1.05, 0, 0), .normal = Vec3::UnitX()},
               .motion = push},
      all, 500.0, 0.0)));
  for (const char* method : {"avf", "newmark", "gauss", "stoermer-verlet"}) {
    State state = body.at_rest();
    for (const auto& energy : body.system.energies()) energy->end_step(0);
    const auto integrator = make_integrator(body.system, make_scheme(method), {});
    Ledger ledger;
    for (int k = 0; k < 200; ++k) {
      const StepReport report = integrator->step(state, 0.005);
      ASSERT_TRUE(succeeded(report.status)) << method;
      EXPECT_NEAR(report.ledger.total(), report.after.total - report.before.total, 1e-11) << method;
      ledger += report.ledger;
    }
    const Invariants end = invariants(body.system, state);
    EXPECT_GT(end.linear_momentum.x(), 0.5) << method;
    if (std::string(method) == "avf") {
      EXPECT_NEAR(ledger.work, end.total, 1e-9);
    }
  }
}

// A rod from the middle to a point beside: the scripted end must still go where it is told.
TEST(Changing, ConstraintsDoNotHoldPrescribedVerticesBack) {
  for (const char* method : {"avf", "implicit-midpoint", "suzuki"}) {
    test::Body body(bar());
    const std::vector<int> moved = left_end(body);
    body.system.add(std::make_unique<ScriptedVertices>(moved, body.rest, shake()));
    const int held = body.system.vertices() / 2;
    body.system.add(std::make_unique<DistanceConstraint>(
        held, body.rest.segment<3>(3 * held) + Vec3(0, 1, 0), 1));
    State state = body.at_rest();
    const auto integrator = make_integrator(body.system, make_scheme(method), {});
    for (int k = 0; k < 30; ++k) {
      const StepReport report = integrator->step(state, kStep);
      ASSERT_TRUE(succeeded(report.status)) << method;
      EXPECT_NEAR(report.ledger.total(), report.after.total - report.before.total, 1e-11) << method;
      for (const int i : moved) {
        const Vec3 told = shake().at(state.t).apply(body.rest.segment<3>(3 * i));
        EXPECT_LE((state.x.segment<3>(3 * i) - told).norm(), 1e-12) << method << " " << k;
      }
    }
  }
}

// What is taken by damping never adds energy, also where vertices are moved against it.
TEST(Changing, DampingOfScriptedBodiesOnlyTakes) {
  for (const char* method : {"avf", "backward-euler", "newmark", "energy-momentum"}) {
    test::Body body(bar());
    body.system.add(std::make_unique<ScriptedVertices>(left_end(body), body.rest, shake()));
    body.system.add(std::make_unique<Rayleigh>(*body.system.energies()[0], 0.02));
    State state = body.at_rest();
    const auto integrator = make_integrator(body.system, make_scheme(method), {});
    for (int k = 0; k < 40; ++k) {
      const StepReport report = integrator->step(state, kStep);
      ASSERT_TRUE(succeeded(report.status)) << method;
      EXPECT_LE(report.ledger.dissipation, 1e-14) << method << " " << k;
      EXPECT_NEAR(report.ledger.total(), report.after.total - report.before.total, 1e-12) << method;
    }
  }
}

// Steps that are tried and given up leave nothing behind in obstacles and springs: what the reports
// say adds up from the first state to the last.
TEST(Changing, GivenUpAttemptsLeaveNothingBehind) {
  for (const bool springs : {false, true}) {
    test::Body body(bar());
    std::vector<int> all(static_cast<std::size_t>(body.system.vertices()));
    std::iota(all.begin(), all.end(), 0);
    const RigidMotion push({{.t = 0}, {.t = 0.5, .shift = Vec3(1, 0, 0)}}, Vec3::UnitY(),
                           Vec3::Zero(), Easing::smooth, false);
    Obstacle wall{.shape = PlaneShape{.point = Vec3(-1.05, 0, 0), .normal = Vec3::UnitX()},
                  .motion = push};
    if (springs) {
      body.system.add(std::unique_ptr<Energy>(
          std::make_unique<RepulsionSprings>(std::move(wall), all, 250.0, 0.0)));
    } else {
      body.system.add(std::unique_ptr<Energy>(
          std::make_unique<ObstacleContact>(std::move(wall), all, 500.0, 0.0)));
    }
    SolverOptions solver;
    solver.newton.max_iterations = 3;  // many steps fail at first
    State state = body.at_rest();
    const double start = invariants(body.system, state).total;
    const auto integrator = make_integrator(body.system, make_scheme("avf"), solver);
    Ledger sum;
    double last = start;
    int halved = 0;
    for (int k = 0; k < 30; ++k) {
      const StepReport report = advance(*integrator, state, 0.02, 10);
      ASSERT_TRUE(succeeded(report.status)) << k;
      halved += report.substeps > 1;
      EXPECT_NEAR(report.before.total, last, 1e-12);
      last = report.after.total;
      sum += report.ledger;
    }
    EXPECT_GT(halved, 3);
    EXPECT_NEAR(sum.total(), last - start, 1e-11) << springs;
  }
}

// Error control sees the method's error, not the curve of a script.
TEST(Changing, ErrorControlFollowsAScript) {
  test::Body body(bar());
  body.system.add(std::make_unique<ScriptedVertices>(left_end(body), body.rest, shake()));
  State state = body.at_rest();
  const Scheme scheme = make_scheme("avf");
  const auto integrator = make_integrator(body.system, scheme, {});
  StepControlOptions options;
  options.kind = StepControlKind::error;
  options.step = 0.01;
  options.tolerance = 1e-3;
  const auto control = make_step_control(*integrator, body.system, scheme, options);
  int steps = 0;
  while (state.t < 0.5 && steps < 2000) {
    ASSERT_TRUE(succeeded(control->step(state, 0.5).status));
    ++steps;
  }
  EXPECT_LT(steps, 400);
}

TEST(Changing, FailedStepsLeaveTheStateAsItWas) {
  test::BodyOptions options = bar();
  options.material = "neo-hookean";
  test::Body body(options);
  // So fast that elements turn inside out: the step cannot be solved.
  const RigidMotion jump({{.t = 0}, {.t = 0.01, .shift = Vec3(30, 0, 0)}}, Vec3::UnitX(),
                         Vec3::Zero(), Easing::linear, false);
  body.system.add(std::make_unique<ScriptedVertices>(left_end(body), body.rest, jump));
  State state = body.at_rest();
  const auto integrator = make_integrator(body.system, make_scheme("avf"), {});
  const StepReport report = integrator->step(state, 0.01);
  ASSERT_FALSE(succeeded(report.status));
  EXPECT_EQ(state.x, body.rest);
  EXPECT_EQ(state.v.norm(), 0);
  EXPECT_EQ(state.t, 0);
}

// The correction of the global discrete gradient would not know whose work it is.
TEST(Changing, GlobalDiscreteGradientIsRefused) {
  test::Body body(bar());
  body.system.add(std::make_unique<ScriptedVertices>(left_end(body), body.rest, shake()));
  EXPECT_THROW(
      static_cast<void>(make_integrator(body.system, make_scheme("discrete-gradient"), {})), Error);
}

TEST(Changing, RefusesVerticesThatAreTakenAlready) {
  test::Body body(bar());
  body.system.fix(0);
  EXPECT_THROW(
      body.system.add(std::make_unique<ScriptedVertices>(std::vector<int>{0}, body.rest, shake())),
      Error);
  body.system.add(std::make_unique<ScriptedVertices>(std::vector<int>{1}, body.rest, shake()));
  EXPECT_THROW(
      body.system.add(std::make_unique<ScriptedVertices>(std::vector<int>{1}, body.rest, shake())),
      Error);
}

TEST(RigidMotion, InterpolatesAndRepeats) {
  const RigidMotion motion({{.t = 1}, {.t = 2, .shift = Vec3(2, 0, 0), .angle = std::numbers::pi}},
                           Vec3::UnitZ(), Vec3(1, 0, 0), Easing::linear, false);
  EXPECT_LE((motion.at(0).apply(Vec3(2, 0, 0)) - Vec3(2, 0, 0)).norm(), 1e-15);
  EXPECT_LE((motion.at(1.5).apply(Vec3(2, 0, 0)) - Vec3(2, 1, 0)).norm(), 1e-15);
  EXPECT_LE((motion.at(7).apply(Vec3(2, 0, 0)) - Vec3(2, 0, 0)).norm(), 1e-15);
  const Vec3 x(0.3, -0.2, 0.9);
  EXPECT_LE((motion.at(1.3).undo(motion.at(1.3).apply(x)) - x).norm(), 1e-15);
  const RigidMotion again({{.t = 0}, {.t = 1, .shift = Vec3(1, 0, 0)}}, Vec3::UnitZ(), Vec3::Zero(),
                          Easing::linear, true);
  EXPECT_NEAR(again.at(2.25).shift.x(), 0.25, 1e-14);
  EXPECT_THROW(
      RigidMotion({{.t = 1}, {.t = 1}}, Vec3::UnitZ(), Vec3::Zero(), Easing::linear, false), Error);
  EXPECT_THROW(RigidMotion({{.t = 1}, {.t = 2}}, Vec3::Zero(), Vec3::Zero(), Easing::linear, false),
               Error);
}

}  // namespace
}  // namespace lilyan
