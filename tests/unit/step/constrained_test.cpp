// Constrained steps: what is refused and how, bodies on rods, forces, failures, the ledger.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "lilyan/assemble/constraint_set.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/control/make_integrator.hpp"
#include "lilyan/control/step_control.hpp"
#include "lilyan/lagrangian/problem.hpp"
#include "lilyan/physics/constraints.hpp"
#include "lilyan/physics/damping.hpp"
#include "lilyan/physics/small_potential.hpp"
#include "lilyan/step/constrained.hpp"
#include "support/body.hpp"
#include "support/momenta.hpp"
#include "support/schemes.hpp"

namespace lilyan::test::constrained_test {
namespace {

std::unique_ptr<Constraint> rod(int i, int j, double length) {
  return std::make_unique<DistanceConstraint>(i, j, length);
}
std::unique_ptr<Constraint> tether(int i, const Vec3& point, double length) {
  return std::make_unique<DistanceConstraint>(i, point, length);
}

State two_points() {
  State s;
  s.x.resize(6);
  s.x << 0, 0, 0, 1, 0, 0;
  s.v = Vector::Zero(6);
  return s;
}

std::string complaint(const System& system, State state, const char* method = "stoermer-verlet") {
  const State start = state;
  try {
    const auto integrator = make_integrator(system, make_scheme(method), {});
    (void)integrator->step(state, 0.1);
  } catch (const Error& error) {
    EXPECT_EQ(state.x, start.x);
    EXPECT_EQ(state.t, start.t);
    return error.what();
  }
  return "accepted";
}

TEST(ConstrainedErrors, MethodsThatCannotKeepConstraintsSayWhichCan) {
  System system({1.0, 1.0});
  system.add(rod(0, 1, 1));
  for (const char* method : {"newmark", "bdf2", "bathe", "rk4", "blanes-moan", "backward-euler",
                             "explicit-euler", "tr-bdf2"}) {
    const std::string text = complaint(system, two_points(), method);
    EXPECT_EQ(text.find(make_scheme(method).label +
                        " cannot keep constraints; methods that can: "
                        "avf, energy-momentum, hp, hp-quadrature, implicit-midpoint"),
              0U)
        << method << ": " << text;
    EXPECT_FALSE(supports_constraints(make_scheme(method)));
  }
  for (const char* method : {"avf", "hp", "hp-quadrature", "implicit-midpoint", "stoermer-verlet",
                             "suzuki", "symplectic-euler-a", "symplectic-euler-b", "yoshida"}) {
    EXPECT_EQ(complaint(system, two_points(), method), "accepted") << method;
  }
  // Neither symplectic nor exact in energy: nothing it could keep.
  const Scheme weak = make_scheme("avf", {{"quadrature", "trapezoid"}});
  EXPECT_FALSE(supports_constraints(weak));
  const std::string reason =
      "avf(trapezoid) cannot keep constraints: it needs a quadrature that keeps the energy "
      "exactly, "
      "of degree 3";
  EXPECT_EQ(constraints_unsupported(weak).find(reason), 0U) << constraints_unsupported(weak);
  const Scheme composed = make_scheme("suzuki", {{"base", "avf"}, {"quadrature", "trapezoid"}});
  EXPECT_EQ(constraints_unsupported(composed).find(
                composed.label + " cannot keep constraints, because its base cannot: " + reason),
            0U)
      << constraints_unsupported(composed);
}

TEST(ConstrainedErrors, RedundantConstraintsAreNamed) {
  System twice({1.0, 1.0});
  twice.add(rod(0, 1, 1));
  twice.add(rod(1, 0, 1));
  EXPECT_EQ(complaint(twice, two_points()),
            "constraint 1 (counted from 0: distance between vertices 1 and 0) is redundant: it "
            "follows from constraint 0 (distance between vertices 0 and 1); remove one of them");
  System fixed({1.0, 1.0});
  fixed.add(rod(0, 1, 1));
  fixed.fix(0);
  fixed.fix(1);
  EXPECT_EQ(complaint(fixed, two_points()),
            "constraint 0 (counted from 0: distance between vertices 0 and 1) acts only on fixed "
            "vertices; remove it or free one of them");
  System flat({1.0, 1.0});
  flat.add(std::make_unique<FunctionConstraint>("x squared", std::vector{0}, 1.0,
                                                [](const double* q, double* gradient) {
                                                  if (gradient) gradient[0] = 2 * q[0];
                                                  return q[0] * q[0];
                                                }));
  EXPECT_EQ(complaint(flat, two_points()),
            "constraint 0 (counted from 0: x squared) has a zero gradient at the start, so it has "
            "no direction to act in; write it so that its gradient does not vanish where it holds");
}

// Whichever of the two holds at the start; where neither does and they are the same, one is too
// many.
TEST(ConstrainedErrors, ContradictionsAreNotCalledRedundant) {
  const auto rods = [](double first, double second) {
    System system({1.0, 1.0});
    system.add(rod(0, 1, first));
    system.add(rod(0, 1, second));
    State state = two_points();
    std::string text = complaint(system, state);
    for (auto* check : {+[](const System&s, State&x) { check_constraints(s, x); },
                        +[](const System&s, State&x) { project_velocities(s, x); }}) {
      try {
        check(system, state);
        ADD_FAILURE() << "accepted";
      } catch (const ConstraintError& error) {
        EXPECT_EQ(error.what(), text);
        EXPECT_EQ(error.constraint(), 1);
      }
    }
    return text;
  };
  EXPECT_EQ(rods(1, 2),
            "constraint 1 (counted from 0: distance between vertices 0 and 1) contradicts "
            "constraint 0 (distance between vertices 0 and 1) at the start: both act in the same "
            "direction, and where the one holds the other has g = -1.5; change or remove one of "
            "them");
  EXPECT_NE(rods(2, 1).find("contradicts constraint 0"), std::string::npos);
  EXPECT_NE(rods(2, 2).find("is redundant: it follows from constraint 0"), std::string::npos);
}

TEST(ConstrainedErrors, InconsistentStartsAreNamedWithTheAmount) {
  System system({1.0, 1.0});
  system.add(tether(0, Vec3(0, 0, 2), 2));
  system.add(rod(0, 1, 1.1));
  EXPECT_EQ(complaint(system, two_points()),
            "constraint 1 (counted from 0: distance between vertices 0 and 1) does not hold at the "
            "start: g = -0.105, off by a distance of about 0.07425; move its vertices or change "
            "it");
  System moving({1.0, 1.0});
  moving.add(rod(0, 1, 1));
  State state = two_points();
  state.v[3] = 0.5;
  EXPECT_EQ(complaint(moving, state),
            "the initial velocities break constraint 0 (counted from 0: distance between vertices "
            "0 and 1): their part along its gradient is 0.3536, which must be zero; take it out "
            "(project_velocities() does, in a scene world.project_velocities = true, or "
            "system.project_velocities)");
  project_velocities(moving, state);
  EXPECT_NEAR(state.v[0], 0.25, 1e-15);  // momentum is kept
  EXPECT_NEAR(state.v[3], 0.25, 1e-15);
  EXPECT_EQ(complaint(moving, state), "accepted");
  EXPECT_NO_THROW(check_constraints(moving, state));
  // A fixed vertex does not move, whatever its velocity says.
  System held({1.0, 1.0});
  held.add(rod(0, 1, 1));
  held.fix(1);
  State still = two_points();
  still.v[3] = 0.5;
  EXPECT_EQ(complaint(held, still), "accepted");
}

// Where a sphere touches a plane their gradients are parallel: the step fails, and the state is as
// it was.
TEST(ConstrainedErrors, SingularPositionsDuringARunAreFailedSteps) {
  System system({1.0});
  system.add(tether(0, Vec3(0, 0, 0), 1));
  system.add(std::make_unique<PlaneConstraint>(0, Vec3(0, 0, -0.8), Vec3(0, 0, 1)));
  State state;
  state.x = Vec3(0.6, 0, -0.8);
  state.v = Vec3(0, 1, 0);
  const auto integrator = make_integrator(system, make_scheme("implicit-midpoint"), {});
  EXPECT_TRUE(succeeded(integrator->step(state, 0.1).status));
  // The same integrator, put where both gradients are along z.
  State top;
  top.x = Vec3(0, 0, -1);
  top.v = Vec3(0, 0, 0);
  const State before = top;
  const StepReport report = integrator->step(top, 0.1);
  EXPECT_EQ(report.status, StepStatus::singular_constraints);
  EXPECT_EQ(top.x, before.x);
  EXPECT_EQ(report.after.total, report.before.total);
}

// Farther in one step than any force along the old rod can bring it back from.
// The middle of the step that damping is about is that of the step solved, here as in free motion.
TEST(ConstrainedForces, DampingHasNoTorqueAboutAHinge) {
  Body body({.size = {0.2, 0.1, 0.1}, .cells = {3, 1, 1}, .mu = 4e5, .lambda = 4e5, .mass = 2.2});
  body.system.add(
      std::make_unique<KelvinVoigtDamping>(*body.system.energies()[0], body.rest, 5e-4));
  const Vec3 pivot = body.rest.head<3>();
  const Vec3 other = body.rest.segment<3>(6);
  const Vec3 axis = (other - pivot).normalized();
  body.system.add(std::make_unique<PointConstraint>(0, pivot));
  body.system.add(std::make_unique<PointConstraint>(2, other));
  State state = body.at_rest();
  for (int i = 0; i < body.system.vertices(); ++i) {
    const Vec3 r = body.rest.segment<3>(3 * i) - pivot;
    const Vec3 across = r - axis.dot(r) * axis;
    state.x.segment<3>(3 * i) += 0.01 * across;
    state.v.segment<3>(3 * i) = 5 * axis.cross(Vec3(1.01 * across));
  }
  const auto integrator = make_integrator(body.system, make_scheme("implicit-midpoint"), {});
  const double spin = spin_about(body.system, state, pivot).dot(axis);
  for (int k = 0; k < 40; ++k) {
    ASSERT_TRUE(succeeded(integrator->step(state, 1.0 / 60).status));
  }
  EXPECT_NEAR(spin_about(body.system, state, pivot).dot(axis), spin, 1e-10 * spin);
}

// Impulses that rounding errors leave in stiff elements hardly move them.
TEST(ConstrainedRest, RoundingOfASmallStiffBodyIsHarmless) {
  Body body({.size = {0.06, 0.01, 0.01},
             .cells = {6, 1, 1},
             .mu = 0.4e11,
             .lambda = 0.6e11,
             .mass = 1100 * 0.06e-4});
  for (const int i : {0, 2}) {
    body.system.add(std::make_unique<PointConstraint>(i, body.rest.segment<3>(3 * i)));
  }
  State state = body.at_rest();
  const auto integrator = make_integrator(body.system, make_scheme("avf"), {});
  for (int k = 0; k < 10; ++k) {
    const StepReport r = integrator->step(state, 1.0 / 24);
    ASSERT_TRUE(succeeded(r.status)) << k << ": " << describe(r.status);
  }
  EXPECT_LE((state.x - body.rest).norm(), 1e-12);
}

TEST(ConstrainedErrors, TooLargeStepsFailAndHalvesSucceed) {
  const ProblemInstance p = make_problem("spherical-pendulum", {{"angle", 10.0}, {"spin", 9.0}});
  for (const char* method : {"stoermer-verlet", "implicit-midpoint"}) {
    const auto integrator = make_integrator(*p.system, make_scheme(method), {});
    State state = p.initial;
    const StepReport failed = integrator->step(state, 3);
    EXPECT_FALSE(succeeded(failed.status)) << method;
    EXPECT_EQ(state.x, p.initial.x);
    EXPECT_EQ(state.v, p.initial.v);
    EXPECT_EQ(state.t, 0);
    const StepReport halved = step_with_halving(*integrator, state, 3, 6);
    EXPECT_TRUE(succeeded(halved.status)) << method;
    EXPECT_GT(halved.substeps, 1);
    EXPECT_NEAR(state.x.norm(), 1, 1e-15);
  }
}

// Nothing moves, so d is right from the start and only the multipliers are not.
void stays_at_rest(const System& system, const State& start, const Scheme& scheme) {
  SCOPED_TRACE(scheme.label);
  const auto integrator = make_integrator(system, scheme, {});
  State state = start;
  for (int k = 0; k < 5; ++k) {
    const StepReport report = integrator->step(state, 0.02);
    ASSERT_TRUE(succeeded(report.status)) << describe(report.status);
    EXPECT_LE(report.solver_work.iterations,
              20);  // two or three in each of five stages, six with avf
  }
  EXPECT_LE((state.x - start.x).cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_LE(state.v.cwiseAbs().maxCoeff(), 1e-14);
}

const char* const kConstrained[] = {"avf",
                                    "hp",
                                    "suzuki",
                                    "hp-quadrature",
                                    "yoshida",
                                    "implicit-midpoint",
                                    "stoermer-verlet",
                                    "symplectic-euler-a",
                                    "symplectic-euler-b"};

TEST(ConstrainedRest, PendulumsHangAndStand) {
  for (const double angle : {0.0, 180.0}) {
    for (const double gravity : {1.0, 9.81, 1e6}) {
      const ProblemInstance p = make_problem(
          "spherical-pendulum", {{"angle", angle}, {"spin", 0.0}, {"gravity", gravity}});
      // Upside down sin 180° is not zero, and it falls; here it stands.
      State start = p.initial;
      start.x[0] = 0;
      for (const char* method : kConstrained) {
        SCOPED_TRACE(gravity);
        stays_at_rest(*p.system, start, make_scheme(method));
      }
    }
  }
}

TEST(ConstrainedRest, BodiesStandOnPlanes) {
  for (const Vec3& direction : {Vec3(0, 1, 0), Vec3(0.1, -1.3, 0.7)}) {
    Body body({.size = {1, 1, 1}, .cells = {1, 1, 1}, .gravity = 9.81 * direction});
    const State start = body.at_rest();
    for (int i = 0; i < body.system.vertices(); ++i) {
      body.system.add(std::make_unique<PlaneConstraint>(i, start.x.segment<3>(3 * i), direction));
    }
    for (const char* method : kConstrained) {
      stays_at_rest(body.system, start, make_scheme(method));
    }
  }
}

struct HangingBody {
  Body body{{.size = {1, 1, 1}, .cells = {2, 2, 2}, .mu = 20, .lambda = 10, .gravity = {0, 0, -1}}};
  State start = body.moving(1.1, 1.0);
  double length = 0, between = 0;

  explicit HangingBody(const std::string& material = "stvk")
      : body({.size = {1, 1, 1},
              .cells = {2, 2, 2},
              .material = material,
              .mu = 20,
              .lambda = 10,
              .gravity = {0, 0, -1}}) {
    const Vec3 a = start.x.segment<3>(3 * 26), b = start.x.head<3>();
    length = (a - Vec3(0.3, 0.2, 2)).norm();
    between = (a - b).norm();
    body.system.add(tether(26, Vec3(0.3, 0.2, 2), length));
    body.system.add(rod(0, 26, between));
    body.system.add(std::make_unique<PlaneConstraint>(6, start.x.segment<3>(18), Vec3(0, 1, 1)));
    project_velocities(body.system, start);
  }
};

class HangingOn : public ::testing::TestWithParam<Scheme> {};

TEST_P(HangingOn, ElasticBodyOnRodsAndAPlane) {
  for (const char* material : {"stvk", "neo-hookean"}) {
    const HangingBody h(material);
    const auto integrator = make_integrator(h.body.system, GetParam(), {});
    State state = h.start;
    const bool exact = GetParam().claims.energy == EnergyBehaviour::exact;
    double first = 0, scale = 0, quadrature = 0;
    for (int k = 0; k < 100; ++k) {
      const StepReport r = integrator->step(state, 0.02);
      ASSERT_TRUE(succeeded(r.status)) << material << " step " << k << ": " << describe(r.status);
      if (k == 0) first = r.before.total;
      scale = std::max({scale, r.after.kinetic, std::abs(r.after.total)});
      quadrature += r.ledger.quadrature;
      ASSERT_NEAR(r.after.total - r.before.total, r.ledger.total(), 2e-14 * scale);
      EXPECT_EQ(r.ledger.work, 0);
      if (exact) {
        EXPECT_EQ(r.ledger.method, 0);
        // Rods do no work: all that changes is the elastic force's quadrature, none for StVK.
        ASSERT_NEAR(r.after.total - first, quadrature, 1e-12 * scale) << material;
        if (material == std::string("stvk")) {
          ASSERT_NEAR(quadrature, 0, 1e-12 * scale);
        }
        EXPECT_LE(std::abs(r.ledger.solver), 2e-14 * scale);
      }
      const Vec3 a = state.x.segment<3>(3 * 26), b = state.x.head<3>();
      ASSERT_NEAR((a - Vec3(0.3, 0.2, 2)).norm(), h.length, 4e-15);
      ASSERT_NEAR((a - b).norm(), h.between, 4e-15);
      ASSERT_NEAR((state.v.segment<3>(3 * 26) - state.v.head<3>()).dot(a - b), 0, 4e-15);
      ASSERT_NEAR((state.x - h.start.x).segment<3>(18).dot(Vec3(0, 1, 1)), 0, 1e-15);
      ASSERT_NEAR(state.v.segment<3>(18).dot(Vec3(0, 1, 1)), 0, 4e-15);
    }
    EXPECT_GT((state.x - h.start.x).norm(), 0.5);
    EXPECT_EQ(state.x_previous.size(), state.x.size());
    EXPECT_EQ(state.h_previous, 0.02);
    EXPECT_GT((state.x_previous - state.x).norm(), 0);
  }
}

// Crushed to a third of its length the body's Hessian is indefinite; the solve must make it
// definite and converge all the same.
TEST(HangingOnARod, IndefiniteHessiansAreMadeDefinite) {
  for (const Definiteness way : {Definiteness::project, Definiteness::shift}) {
    for (const char* method : {"avf", "implicit-midpoint"}) {
      Body body({.size = {1, 1, 1}, .cells = {2, 2, 2}, .mu = 200, .lambda = 100});
      State state = body.moving(0.35, 0.5);
      const Vec3 end = state.x.tail<3>();
      body.system.add(tether(26, Vec3(2, 1, 0), (end - Vec3(2, 1, 0)).norm()));
      project_velocities(body.system, state);
      SolverOptions options;
      options.newton.definiteness = way;
      const auto integrator = make_integrator(body.system, make_scheme(method), options);
      int fixes = 0;
      for (int k = 0; k < 20; ++k) {
        const StepReport r = integrator->step(state, 0.05);
        ASSERT_TRUE(succeeded(r.status)) << method << " step " << k << ": " << describe(r.status);
        fixes += r.solver_work.definiteness_fixes;
      }
      EXPECT_GT(fixes, 0) << method;
      EXPECT_NEAR((state.x.tail<3>() - Vec3(2, 1, 0)).norm(), (end - Vec3(2, 1, 0)).norm(), 4e-15);
    }
  }
}

std::vector<Scheme> some_schemes() {
  return {make_scheme("avf"),
          make_scheme("avf", {{"points", 2.0}}),
          make_scheme("implicit-midpoint"),
          make_scheme("hp", {{"alpha", 0.25}}),
          make_scheme("hp-quadrature"),
          make_scheme("stoermer-verlet"),
          make_scheme("symplectic-euler-a"),
          make_scheme("suzuki", {{"base", "avf"}})};
}
INSTANTIATE_TEST_SUITE_P(Integrate, HangingOn, ::testing::ValuesIn(some_schemes()), test_name);

// F = (0, 0, cos 3t) − ½v: work is booked as such, and the motion converges at the method's order
// to one that is independent of the method.
class Wind final : public Force {
 public:
  void add(double t, const double*, const double* v, double* force) const override {
    for (int c = 0; c < 3; ++c) force[c] -= 0.5 * v[c];
    force[2] += std::cos(3 * t);
  }
  void add_damping(double, const double*, const double*, double* diagonal) const override {
    for (int c = 0; c < 3; ++c) diagonal[c] += 0.5;
  }
};

TEST(ConstrainedForces, DriveAndDampThePendulum) {
  const auto run = [](const char* method, int steps, double* work) {
    ProblemInstance p = make_problem("spherical-pendulum", {{"speed", 0.3}});
    p.system->add(std::make_unique<Wind>());
    const auto integrator = make_integrator(*p.system, make_scheme(method), {});
    State state = p.initial;
    for (int k = 0; k < steps; ++k) {
      const StepReport r = integrator->step(state, 2.0 / steps);
      EXPECT_TRUE(succeeded(r.status)) << method;
      EXPECT_NEAR(r.after.total - r.before.total, r.ledger.total(), 1e-14);
      if (work) *work += r.ledger.work;
    }
    EXPECT_NEAR(state.x.norm(), 1, 1e-15);
    return state;
  };
  const State reference = run("implicit-midpoint", 4000, nullptr);
  for (const char* method : {"avf", "implicit-midpoint", "stoermer-verlet", "hp-quadrature"}) {
    double work = 0;
    const double coarse = (run(method, 50, nullptr).x - reference.x).norm();
    const double fine = (run(method, 100, &work).x - reference.x).norm();
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.15) << method;
    EXPECT_LT(fine, 1e-3) << method;
    EXPECT_LT(work, -0.05) << method;
  }
}

// A bead on the wire y = 1 − cos 2x under gravity, in generalised coordinates x and y: the wire's
// averaged gradient has a quadrature error, and with it does work.
struct Bead {
  System system{{1.5, 1.5}, 1};
  State start;
  Bead() {
    system.add(std::make_unique<SmallPotential>(
        2, 1, [](const double* q, double* gradient, double* hessian) {
          if (gradient) gradient[0] = 0, gradient[1] = 1.5;
          if (hessian) std::fill(hessian, hessian + 4, 0.0);
          return 1.5 * q[1];
        }));
    system.add(std::make_unique<FunctionConstraint>(
        "wire", std::vector{0, 1}, 1.0, [](const double* q, double* gradient) {
          if (gradient) gradient[0] = -2 * std::sin(2 * q[0]), gradient[1] = 1;
          return q[1] - 1 + std::cos(2 * q[0]);
        }));
    start.x.resize(2);
    start.x << 0.6, 1 - std::cos(1.2);
    start.v.resize(2);
    start.v << 0.5, 0.5 * 2 * std::sin(1.2);
  }
};

TEST(ConstrainedWire, WorkOfTheWireIsBookedAsQuadrature) {
  Bead bead;
  for (const double tolerance : {1e-14, 1e-3}) {
    const auto integrator =
        make_integrator(bead.system, make_scheme("avf", {{"points", 2.0}}),
                        {.energy_tolerance = tolerance, .velocity_tolerance = 10 * tolerance});
    State state = bead.start;
    double quadrature = 0, solver = 0;
    for (int k = 0; k < 200; ++k) {
      const StepReport r = integrator->step(state, 0.1);
      ASSERT_TRUE(succeeded(r.status)) << describe(r.status);
      ASSERT_NEAR(r.after.total - r.before.total, r.ledger.total(), 1e-14);
      EXPECT_EQ(r.ledger.method, 0);
      EXPECT_NEAR(state.x[1], 1 - std::cos(2 * state.x[0]), 5e-15);
      EXPECT_NEAR(state.v[1], 2 * std::sin(2 * state.x[0]) * state.v[0], 1e-15);
      quadrature = std::max(quadrature, std::abs(r.ledger.quadrature));
      solver = std::max(solver, std::abs(r.ledger.solver));
    }
    EXPECT_GT(quadrature, 1e-7);
    if (tolerance > 1e-10) {
      EXPECT_GT(solver, 1e-9);
    } else {
      EXPECT_LE(solver, 1e-14);
    }
  }
}

TEST(ConstrainedWire, EnoughPointsMakeEnergyExact) {
  Bead bead;
  const auto integrator =
      make_integrator(bead.system, make_scheme("avf", {{"quadrature", "auto"}}), {});
  State state = bead.start;
  double worst = 0, first = 0;
  int most = 0;
  for (int k = 0; k < 2000; ++k) {
    const StepReport r = integrator->step(state, 0.1);
    ASSERT_TRUE(succeeded(r.status)) << describe(r.status);
    if (k == 0) first = r.before.total;
    worst = std::max(worst, std::abs(r.after.total - first));
    most = std::max(most, r.nodes);
  }
  EXPECT_LE(worst, 1e-12);
  EXPECT_GT(most, 3);
}

}  // namespace
}  // namespace lilyan::test::constrained_test
