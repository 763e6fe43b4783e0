// energy-momentum with constraints: energy is kept, and the momenta of the rigid motions that the constraints
// leave free. Plain AVF beside it shows that there was something to correct.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "lilyan/assemble/constraint_set.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/conservation/drift.hpp"
#include "lilyan/control/make_integrator.hpp"
#include "lilyan/parallel/threads.hpp"
#include "lilyan/physics/constraints.hpp"
#include "lilyan/physics/damping.hpp"
#include "support/body.hpp"
#include "support/momenta.hpp"
#include "support/schemes.hpp"

namespace lilyan::test::constrained_momentum_test {
namespace {

const BodyOptions kSoft{.size = {2, 1, 1}, .cells = {2, 1, 1}, .mu = 5, .lambda = 3};

// With velocities that obey the constraints.
State start_of(const Body& body, const State& state) {
  State projected = state;
  project_velocities(body.system, projected);
  return projected;
}

// How far constraints are from holding, and velocities from obeying them.
struct Violation {
  double position = 0;
  double velocity = 0;
};
Violation violation(const System& system, const State& state) {
  const ConstraintSet set(system);
  Vector g(set.equations()), rate(set.equations());
  auto jacobian = set.make_jacobian();
  set.evaluate(state.x, g, jacobian);
  set.apply(jacobian, state.v, rate);
  return {g.cwiseAbs().maxCoeff(), rate.cwiseAbs().maxCoeff()};
}

void expect_constrained(const System& system, const State& state, const std::string& what) {
  const Violation v = violation(system, state);
  EXPECT_LE(v.position, 1e-14) << what;
  EXPECT_LE(v.velocity, 2e-13) << what;
}

TEST(ConstrainedMomentum, KeepsTheSpinAboutAPoint) {
  Body body(kSoft);
  const State moving = body.moving(1.3, 1.5, 0);
  const Vec3 pivot = moving.x.segment<3>(9);
  body.system.add(std::make_unique<PointConstraint>(3, pivot));
  State plain = start_of(body, moving);
  State state = plain;
  EXPECT_GT(run_kept(body.system, plain, make_scheme("avf"), 0.1, 60, pivot).angular, 1e-5);
  const RunKept kept = run_kept(body.system, state, make_scheme("energy-momentum"), 0.1, 60, pivot);
  EXPECT_LE(kept.angular, 1e-12);
  EXPECT_LE(kept.energy, 1e-12);
  EXPECT_LE(kept.imbalance, 1e-13);
  expect_constrained(body.system, state, "a point");
}

// The rest of the angular momentum goes into the hinge.
TEST(ConstrainedMomentum, KeepsTheSpinAboutAHinge) {
  Body body(kSoft);
  const State moving = body.moving(1.3, 1.5, 0);
  const Vec3 pivot = moving.x.segment<3>(0);
  const Vec3 axis = (moving.x.segment<3>(3) - pivot).normalized();
  for (const int i : {0, 1}) {
    body.system.add(std::make_unique<PointConstraint>(i, moving.x.segment<3>(3 * i)));
  }
  const State first = start_of(body, moving);
  const double spin = spin_about(body.system, first, pivot).dot(axis);
  const auto change = [&](const char* method) {
    State state = first;
    const RunKept kept = run_kept(body.system, state, make_scheme(method), 0.1, 60, pivot);
    EXPECT_LE(kept.energy, 1e-12) << method;
    EXPECT_LE(kept.imbalance, 1e-13) << method;
    EXPECT_GT(kept.angular, 1e-3) << method;
    expect_constrained(body.system, state, method);
    return std::abs(spin_about(body.system, state, pivot).dot(axis) - spin) / std::abs(spin);
  };
  EXPECT_GT(change("avf"), 1e-6);
  EXPECT_LE(change("energy-momentum"), 1e-12);
}

// On a plane it slides along, and turns about the normal; on two planes nothing of the spin is kept, and
// the step is AVF's.
TEST(ConstrainedMomentum, KeepsTheMomentaOfAPlane) {
  const Vec3 normal = Vec3(0.2, -0.3, 1).normalized();
  for (const bool second : {false, true}) {
    Body body(kSoft);
    const State moving = body.moving();
    for (const int i : {0, 5}) {
      body.system.add(std::make_unique<PlaneConstraint>(i, moving.x.segment<3>(3 * i), normal));
    }
    if (second) {
      body.system.add(std::make_unique<PlaneConstraint>(7, moving.x.segment<3>(21), Vec3(1, 0, 0)));
    }
    const State first = start_of(body, moving);
    const auto spin = [&](const State& s) {
      return spin_about(body.system, s, Vec3::Zero()).dot(normal);
    };
    const auto momentum = [&](const State& s) -> Vec3 {
      const Vec3 p = invariants(body.system, s).linear_momentum;
      return p - p.dot(normal) * normal;
    };
    State plain = first;
    run_kept(body.system, plain, make_scheme("avf"), 0.1, 60);
    EXPECT_GT(std::abs(spin(plain) - spin(first)), 1e-6);
    State state = first;
    const RunKept kept = run_kept(body.system, state, make_scheme("energy-momentum"), 0.1, 60);
    EXPECT_LE(kept.energy, 1e-12);
    expect_constrained(body.system, state, "a plane");
    if (second) {
      EXPECT_LE((state.x - plain.x).norm(), 1e-8);
      EXPECT_GT(std::abs(spin(state) - spin(first)), 1e-6);
    } else {
      EXPECT_LE(std::abs(spin(state) - spin(first)), 1e-12);
      EXPECT_LE((momentum(state) - momentum(first)).norm(), 1e-12);
    }
  }
}

// Two blocks of which one hangs on the other, and rods within and between them.
struct Chain {
  Body one{{.size = {1, 0.8, 0.8}, .cells = {1, 1, 1}}};
  int vertices = one.system.vertices();
  Vector rest;
  std::vector<std::array<int, 4>> tets;
  State state;
  std::unique_ptr<System> system;

  explicit Chain(bool hinged, double mu = 20) {
    const Eigen::Index n = one.rest.size();
    std::vector<double> masses;
    rest.resize(2 * n);
    state.x.resize(2 * n);
    state.v.resize(2 * n);
    const State moving = one.moving(1.2, 2, 0.5);
    for (int body = 0; body < 2; ++body) {
      const Vec3 offset = body * (moving.x.segment<3>(3 * (vertices - 1)) - moving.x.segment<3>(0));
      for (const auto& t : one.mesh.tets) {
        tets.push_back({t[0] + body * vertices, t[1] + body * vertices, t[2] + body * vertices,
                        t[3] + body * vertices});
      }
      for (int i = 0; i < vertices; ++i) {
        masses.push_back((1 + body) * one.system.vertex_masses()[static_cast<std::size_t>(i)]);
        rest.segment<3>(body * n + 3 * i) = one.rest.segment<3>(3 * i);
        state.x.segment<3>(body * n + 3 * i) = moving.x.segment<3>(3 * i) + offset;
        state.v.segment<3>(body * n + 3 * i) = (1 - 0.4 * body) * moving.v.segment<3>(3 * i);
      }
    }
    system = std::make_unique<System>(masses);
    system->add(find_material("stvk")->make({rest, tets}, lame_of(mu, mu / 2)));
    system->add(std::make_unique<PointConstraint>(vertices - 1, vertices));
    rod(1, vertices + 3);
    rod(0, 2);
    if (hinged) system->add(std::make_unique<PointConstraint>(0, state.x.head<3>()));
    project_velocities(*system, state);
  }
  void rod(int i, int j) {
    const double length = (state.x.segment<3>(3 * i) - state.x.segment<3>(3 * j)).norm();
    system->add(std::make_unique<DistanceConstraint>(i, j, length));
  }
};

TEST(ConstrainedMomentum, KeepsAllOfAFreeChain) {
  Chain chain(false);
  State plain = chain.state;
  EXPECT_GT(run_kept(*chain.system, plain, make_scheme("avf"), 0.05, 80).angular, 1e-6);
  const RunKept kept =
      run_kept(*chain.system, chain.state, make_scheme("energy-momentum"), 0.05, 80);
  expect_kept(kept, "a free chain");
  expect_constrained(*chain.system, chain.state, "a free chain");
}

TEST(ConstrainedMomentum, KeepsTheSpinOfAChainAboutItsPivot) {
  for (const char* method : {"avf", "energy-momentum", "suzuki"}) {
    Chain chain(true);
    const Vec3 pivot = chain.state.x.head<3>();
    const Scheme scheme = method[0] == 's'
                              ? make_scheme("suzuki", parameters({{"base", "energy-momentum"}}))
                              : make_scheme(method);
    const RunKept kept = run_kept(*chain.system, chain.state, scheme, 0.05, 60, pivot);
    EXPECT_LE(kept.energy, 1e-12) << method;
    EXPECT_LE(kept.imbalance, 1e-13) << method;
    expect_constrained(*chain.system, chain.state, method);
    if (method == std::string("avf")) {
      EXPECT_GT(kept.angular, 1e-6);
    } else {
      EXPECT_LE(kept.angular, 1e-12) << method;
    }
  }
}

// What is external stays: gravity's torque about the pivot is all that changes the spin. The part along
// gravity does not change, and is known as an invariant.
TEST(ConstrainedMomentum, LeavesTheTorqueOfGravityAboutAPivot) {
  const Vec3 gravity(1, -5, 2);
  Chain chain(true);
  std::vector<double> masses(chain.system->vertex_masses().begin(),
                             chain.system->vertex_masses().end());
  chain.system->add(std::make_unique<Gravity>(gravity, masses));
  State state = chain.state;
  const Vec3 pivot = state.x.head<3>();
  const SpinInvariant known = spin_invariant(*chain.system, state.x);
  EXPECT_EQ(known.about, SpinInvariant::About::axis);
  EXPECT_EQ(known.point, pivot);
  EXPECT_LE(known.axis.cross(gravity.normalized()).norm(), 1e-15);
  const auto integrator = make_integrator(*chain.system, make_scheme("energy-momentum"), {});
  const double h = 0.05;
  for (int k = 0; k < 60; ++k) {
    const State before = state;
    ASSERT_TRUE(succeeded(integrator->step(state, h).status));
    Vec3 torque = Vec3::Zero();
    for (int i = 0; i < chain.system->vertices(); ++i) {
      const Vec3 middle = 0.5 * (before.x + state.x).segment<3>(3 * i);
      torque += masses[static_cast<std::size_t>(i)] * (middle - pivot).cross(gravity);
    }
    const Vec3 change = spin_about(*chain.system, state, pivot) -
                        spin_about(*chain.system, before, pivot) - h * torque;
    EXPECT_LE(change.norm(), 1e-13 * spin_about(*chain.system, state, pivot).norm());
  }
}

// A violent motion leaves velocities tangent to the constraints.
TEST(ConstrainedMomentum, KeepsAllOfViolentMotion) {
  Body body({.size = {2, 0.4, 0.4}, .cells = {6, 2, 2}, .mu = 500, .lambda = 250});
  const State moving = body.moving(1.3, 6, 0);
  const Vec3 pivot = moving.x.segment<3>(0);
  body.system.add(std::make_unique<PointConstraint>(0, pivot));
  body.system.add(std::make_unique<DistanceConstraint>(
      20, 45, (moving.x.segment<3>(60) - moving.x.segment<3>(135)).norm()));
  State state = start_of(body, moving);
  const RunKept kept =
      run_kept(body.system, state, make_scheme("energy-momentum"), 1.0 / 30, 60, pivot);
  EXPECT_LE(kept.energy, 1e-12);
  EXPECT_LE(kept.imbalance, 1e-13);
  EXPECT_LE(kept.angular, 1e-12);
  const Violation v = violation(body.system, state);
  EXPECT_LE(v.position, 1e-14);
  EXPECT_LE(v.velocity, 1e-11);
}

// A tet of constant volume: a constraint between its vertices whose gradient is not linear, so that its
// mean has a torque about the middle of the step.
class VolumeConstraint final : public Constraint {
 public:
  VolumeConstraint(const std::array<int, 4>& tet, const Vector& x) : tet_(tet) {
    for (const int i : tet) {
      for (int c = 0; c < 3; ++c) dofs_.push_back(3 * i + c);
    }
    double values = 0;
    evaluate(x.data(), &values, nullptr);
    volume_ = values;
  }
  [[nodiscard]] std::string name() const override { return "volume"; }
  [[nodiscard]] int equations() const override { return 1; }
  [[nodiscard]] std::span<const int> dofs() const override { return dofs_; }
  [[nodiscard]] int dimension() const override { return 3; }
  void evaluate(const double* x, double* values, double* jacobian) const override {
    const auto at = [&](int k) {
      return Eigen::Map<const Vec3>(x + 3 * tet_[static_cast<std::size_t>(k)]);
    };
    const Vec3 a = at(1) - at(0), b = at(2) - at(0), c = at(3) - at(0);
    values[0] = a.dot(b.cross(c)) - volume_;
    if (!jacobian) return;
    const std::array<Vec3, 3> g = {b.cross(c), c.cross(a), a.cross(b)};
    for (int i = 0; i < 3; ++i) {
      jacobian[i] = -(g[0] + g[1] + g[2])[i];
      for (std::size_t k = 0; k < 3; ++k)
        jacobian[3 * (k + 1) + static_cast<std::size_t>(i)] = g[k][i];
    }
  }
  [[nodiscard]] double scale() const override { return std::abs(volume_); }
  void limit(Symmetry& /*symmetry*/) const override {}

 private:
  std::array<int, 4> tet_;
  std::vector<int> dofs_;
  double volume_ = 0;
};

TEST(ConstrainedMomentum, TakesAwayTheTorqueOfConstraints) {
  Body body(kSoft);
  const State moving = body.moving();
  body.system.add(std::make_unique<VolumeConstraint>(body.mesh.tets[0], moving.x));
  body.system.add(std::make_unique<VolumeConstraint>(body.mesh.tets[5], moving.x));
  State state = start_of(body, moving);
  expect_kept(run_kept(body.system, state, make_scheme("energy-momentum"), 0.05, 80), "volumes");
}

TEST(ConstrainedMomentum, KeepsAllWithDampingAndAutomaticPoints) {
  Body body(
      {.size = {2, 1, 1}, .cells = {2, 1, 1}, .material = "neo-hookean", .mu = 5, .lambda = 3});
  body.system.add(
      std::make_unique<KelvinVoigtDamping>(*body.system.energies()[0], body.rest, 0.02));
  const State moving = body.moving();
  body.system.add(std::make_unique<DistanceConstraint>(
      0, 11, (moving.x.segment<3>(0) - moving.x.segment<3>(33)).norm()));
  State state = start_of(body, moving);
  expect_kept(
      run_kept(body.system, state,
               make_scheme("energy-momentum", parameters({{"quadrature", "auto"}})), 0.05, 60),
      "damped");
}

TEST(ConstrainedMomentum, GivesTheSameBitsWithAnyNumberOfThreads) {
  std::vector<State> ends;
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    Body body({.size = {2, 1, 1}, .cells = {10, 8, 8}, .mu = 50, .lambda = 30});
    const State moving = body.moving(1.4, 6);
    body.system.add(std::make_unique<PointConstraint>(3, moving.x.segment<3>(9)));
    State state = start_of(body, moving);
    run_kept(body.system, state, make_scheme("energy-momentum"), 0.05, 4, moving.x.segment<3>(9));
    ends.push_back(state);
  }
  set_threads(1);
  EXPECT_EQ(ends[0].x, ends[1].x);
  EXPECT_EQ(ends[0].v, ends[1].v);
  EXPECT_EQ(ends[0].v, ends[2].v);
}

TEST(ConstrainedMomentum, GoesOnFromAnArchive) {
  Body body({.size = {2, 0.4, 0.4}, .cells = {5, 1, 1}, .mu = 500, .lambda = 250});
  const State moving = body.moving(1.2, 3, 0);
  body.system.add(std::make_unique<PointConstraint>(0, moving.x.segment<3>(0)));
  State state = start_of(body, moving);
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

// A fixed vertex and one that a constraint holds are a hinge.
TEST(ConstrainedMomentum, KeepsTheSpinAboutAFixedVertexAndAPoint) {
  Body body({.size = {2, 1, 1}, .cells = {2, 1, 1}, .mu = 5, .lambda = 3, .fixed = {0}});
  State moving = body.moving(1.3, 1.5, 0);
  moving.v.head<3>().setZero();
  const Vec3 pivot = moving.x.head<3>();
  const Vec3 axis = (moving.x.segment<3>(3) - pivot).normalized();
  body.system.add(std::make_unique<PointConstraint>(1, moving.x.segment<3>(3)));
  State state = start_of(body, moving);
  const double spin = spin_about(body.system, state, pivot).dot(axis);
  const RunKept kept = run_kept(body.system, state, make_scheme("energy-momentum"), 0.1, 60, pivot);
  EXPECT_LE(kept.energy, 1e-12);
  EXPECT_LE(std::abs(spin_about(body.system, state, pivot).dot(axis) - spin), 1e-12);
  expect_constrained(body.system, state, "a hinge");
}

// The same body on fixed vertices and on constraints that hold the same vertices moves in the same way.
TEST(ConstrainedMomentum, AgreesWithFixedVertices) {
  Body held({.size = {2, 1, 1}, .cells = {2, 1, 1}, .mu = 5, .lambda = 3, .fixed = {3}});
  Body tied(kSoft);
  State a = held.moving(1.3, 1.5, 0);
  a.v.segment<3>(9).setZero();
  State b = a;
  tied.system.add(std::make_unique<PointConstraint>(3, a.x.segment<3>(9)));
  run_kept(held.system, a, make_scheme("energy-momentum"), 0.05, 40, a.x.segment<3>(9));
  run_kept(tied.system, b, make_scheme("energy-momentum"), 0.05, 40, b.x.segment<3>(9));
  EXPECT_LE((a.x - b.x).norm(), 1e-9);
}

}  // namespace
}  // namespace lilyan::test::constrained_momentum_test
