// energy-momentum keeps energy, linear and angular momentum of bodies as stiff as real ones, in the time that a
// frame takes: sound crosses them once or a thousand times in a step.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>

#include "lilyan/control/make_integrator.hpp"
#include "lilyan/physics/damping.hpp"
#include "lilyan/physics/energies.hpp"
#include "support/body.hpp"
#include "support/momenta.hpp"
#include "support/schemes.hpp"

namespace lilyan::test::stiff_momentum_test {
namespace {

constexpr double kFrame = 1.0 / 60;
constexpr double kPoisson = 0.4;

// A bar of 30 cm of this Young's modulus, 1.1 kg a litre.
BodyOptions bar(const char* material, double young) {
  return {.size = {0.3, 0.06, 0.06},
          .cells = {6, 2, 2},
          .material = material,
          .mu = young / (2 * (1 + kPoisson)),
          .lambda = young * kPoisson / ((1 + kPoisson) * (1 - 2 * kPoisson)),
          .mass = 1100 * 0.3 * 0.06 * 0.06};
}

State turning(const Body& body, double spin) {
  State state = body.at_rest();
  const Vec3 omega = spin * Vec3(0.1, 0.2, 1).normalized();
  for (int i = 0; i < body.system.vertices(); ++i) {
    state.v.segment<3>(3 * i) = Vec3(0.5, 1, 0) + omega.cross(Vec3(state.x.segment<3>(3 * i)));
  }
  return state;
}

TEST(StiffMomentum, KeepsAllOfABodyThatTurns) {
  for (const char* material :
       {"stvk", "neo-hookean", "neo-hookean-log", "stable-neo-hookean", "fixed-corotated"}) {
    for (const double young : {1e3, 1e6, 1e8, 1e11}) {
      // h ω = 0.13 and 0.5
      for (const double spin : {8.0, 30.0}) {
        const Body body(bar(material, young));
        State state = turning(body, spin);
        const std::string what = fmt::format("{}, {:g} Pa, {} rad/s", material, young, spin);
        const RunKept kept =
            run_kept(body.system, state, make_scheme("energy-momentum"), kFrame, 12);
        EXPECT_LE(kept.energy, 1e-11) << what;
        EXPECT_LE(kept.linear, 1e-12) << what;
        EXPECT_LE(kept.angular, 1e-12) << what;
      }
    }
  }
}

// A rigid body turns by its spin; plain AVF turns a stiff one too slowly, or not at all.
TEST(StiffMomentum, TurnsAsFastAsARigidBody) {
  const Body body(bar("stvk", 1e9));
  State state = body.at_rest();
  for (int i = 0; i < body.system.vertices(); ++i) {
    state.v.segment<3>(3 * i) = Vec3(0, 0, 8).cross(Vec3(state.x.segment<3>(3 * i)));
  }
  // An edge along the bar: the bar may roll about itself.
  int end = 0;
  for (int i = 0; i < body.system.vertices(); ++i) {
    const Vec3 along = body.rest.segment<3>(3 * i) - body.rest.head<3>();
    const bool on_edge = std::hypot(along[1], along[2]) < 1e-9;
    if (on_edge && along[0] > body.rest[3 * end] - body.rest[0]) end = i;
  }
  const auto arm = [&] { return Vec3(state.x.segment<3>(3 * end) - state.x.head<3>()); };
  const Vec3 first = arm();
  const auto integrator = make_integrator(body.system, make_scheme("energy-momentum"), {});
  for (int k = 0; k < 60; ++k) ASSERT_TRUE(succeeded(integrator->step(state, kFrame).status));
  // A step turns by 2 atan(½hω) in place of hω.
  const double angle = 60 * 2 * std::atan(0.5 * kFrame * 8);
  const Vec3 expected = Eigen::AngleAxisd(angle, Vec3::UnitZ()) * first;
  // (The mesh is not quite symmetric, so that the bar does not keep to the plane.)
  EXPECT_LE((arm() - expected).norm(), 0.05 * first.norm())
      << arm().transpose() << " not " << expected.transpose();
}

TEST(StiffMomentum, IsSymmetricInTime) {
  for (const double young : {1e6, 1e10}) {
    const Body body(bar("neo-hookean", young));
    const State first = turning(body, 8);
    State state = first;
    const auto integrator = make_integrator(body.system, make_scheme("energy-momentum"), {});
    for (int k = 0; k < 20; ++k) ASSERT_TRUE(succeeded(integrator->step(state, kFrame).status));
    for (int k = 0; k < 20; ++k) ASSERT_TRUE(succeeded(integrator->step(state, -kFrame).status));
    EXPECT_LE((state.x - first.x).norm(), 1e-10 * first.x.norm()) << young;
  }
}

TEST(StiffMomentum, KeepsAngularMomentumWithDampingWithinTheBody) {
  for (const double young : {1e6, 1e9, 1e11}) {
    Body body(bar("stvk", young));
    body.system.add(
        std::make_unique<KelvinVoigtDamping>(*body.system.energies()[0], body.rest, 1e-3));
    State state = turning(body, 8);
    const RunKept kept = run_kept(body.system, state, make_scheme("energy-momentum"), kFrame, 12);
    EXPECT_LE(kept.energy, 1e-12) << young;
    EXPECT_LE(kept.linear, 1e-12) << young;
    EXPECT_LE(kept.angular, 1e-12) << young;
  }
}

// Damping turns with the body, however strong it is: solving the step anew alone would turn it too far.
TEST(StiffMomentum, KeepsAngularMomentumWithStrongDamping) {
  for (const auto& [method, young, time] : {std::tuple("energy-momentum", 1e7, 5e-4),
                                            {"energy-momentum", 1e9, 5e-4},
                                            {"implicit-midpoint", 1e6, 1e-2}}) {
    Body body(bar(method == std::string("implicit-midpoint") ? "stvk" : "neo-hookean", young));
    body.system.add(
        std::make_unique<KelvinVoigtDamping>(*body.system.energies()[0], body.rest, time));
    State state = turning(body, 10);
    for (int i = 0; i < body.system.vertices(); ++i) state.x[3 * i] *= 1.01;
    const RunKept kept =
        run_kept(body.system, state, make_scheme(method), kFrame, 40, Vec3::Zero(), {}, 6);
    EXPECT_LE(kept.angular, 1e-10) << method << ' ' << young;
  }
}

// One energy of parts that hang together nowhere, the first of them soft for their size and the second stiff, or the
// other way round.
TEST(StiffMomentum, KeepsAllOfAMeshInTwoParts) {
  for (const bool large_first : {true, false}) {
    TetMesh mesh = block({6, 1, 1}, {6, 1, 1});
    TetMesh second = block({1, 1, 1}, {1, 1, 1});
    if (!large_first) std::swap(mesh, second);
    const int n = static_cast<int>(mesh.vertices.size());
    for (auto vertex : second.vertices) {
      vertex[1] += 5;
      mesh.vertices.push_back(vertex);
    }
    for (auto tet : second.tets) {
      for (int& v : tet) v += n;
      mesh.tets.push_back(tet);
    }
    const Body body(std::move(mesh), {.mu = 1000, .lambda = 1000});
    State state = turning(body, 3);
    const RunKept kept = run_kept(body.system, state, make_scheme("energy-momentum"), 0.02, 60);
    expect_kept(kept, large_first ? "large first" : "small first");
  }
}

// Of steel, 7 mm long: sound crosses it thousands of times in a frame. Iterative solutions are as good there as a
// factor, which takes 6 or 7 solves.
TEST(StiffMomentum, TakesIterativeSolutionsOfTinySteel) {
  for (const auto& [young, cells] : {std::pair(1e9, std::array{6, 2, 2}), {1e11, {10, 3, 3}}}) {
    const Body body({.size = {0.007, 0.002, 0.002},
                     .cells = cells,
                     .mu = young / 2.6,
                     .lambda = young * 0.3 / (1.3 * 0.4),
                     .mass = 7800 * 0.007 * 0.002 * 0.002});
    State state = turning(body, 8);
    const auto integrator = make_integrator(body.system, make_scheme("energy-momentum"),
                                            {.newton = {.linear = LinearChoice::pcg}});
    SolverWork work;
    for (int k = 0; k < 10; ++k) {
      const StepReport r = integrator->step(state, kFrame);
      ASSERT_TRUE(succeeded(r.status)) << young << " Pa: " << describe(r.status);
      work += r.solver_work;
    }
    EXPECT_EQ(integrator->linear_solver(), "pcg");
    EXPECT_LE(work.iterations, 120) << young;
  }
}

// What a stretched bar does to a body that turns: sound crosses it many times in a step, and its strain changes sign
// in each. Stress that is not found yet must not turn the body.
TEST(StiffMomentum, SolvesBodiesThatVibrate) {
  struct Case {
    double young, stretch;
    int most;  // solves a step
  };
  for (const auto& [young, stretch, most] : {Case{1e7, 1e-3, 7},
                                             {1e9, 1e-3, 8},
                                             {1e10, 1e-5, 7},
                                             {1e11, 1e-5, 7},
                                             {1e11, 1e-3, 8},
                                             {1e11, 1e-2, 20}}) {
    const std::string what = fmt::format("{:g} Pa, {:g}", young, stretch);
    const Body body(bar("neo-hookean", young));
    State state = turning(body, 8);
    for (int i = 0; i < body.system.vertices(); ++i) state.x[3 * i] *= 1 + stretch;
    const auto integrator = make_integrator(body.system, make_scheme("energy-momentum"), {});
    SolverWork work;
    const State first = state;
    for (int k = 0; k < 20; ++k) {
      const StepReport r = integrator->step(state, kFrame);
      ASSERT_TRUE(succeeded(r.status)) << what << ", step " << k << ": " << describe(r.status);
      work += r.solver_work;
    }
    EXPECT_LE(work.iterations, 20 * most) << what;
    for (int k = 0; k < 20; ++k) ASSERT_TRUE(succeeded(integrator->step(state, -kFrame).status));
    EXPECT_LE((state.x - first.x).norm(), 1e-8 * first.x.norm()) << what;
  }
}

// Where the way of a soft body has no end, for one that is nearly stiff, that is seen before many solves.
TEST(StiffMomentum, SolvesBodiesBetweenSoftAndStiff) {
  for (const double young : {3e4, 5e4, 7e4, 1e5}) {
    const Body body(bar("neo-hookean", young));
    State state = turning(body, 8);
    const auto integrator = make_integrator(body.system, make_scheme("energy-momentum"), {});
    SolverWork work;
    for (int k = 0; k < 20; ++k) {
      const StepReport r = integrator->step(state, kFrame);
      ASSERT_TRUE(succeeded(r.status)) << young << " Pa: " << describe(r.status);
      work += r.solver_work;
    }
    EXPECT_LE(work.iterations, 20 * 30) << young;
  }
}

// There is nothing to be solved but rounding errors, far from the origin larger ones.
TEST(StiffMomentum, LeavesASoftBodyAtRest) {
  const Body body({.size = {2.6, 0.5, 0.5},
                   .cells = {6, 2, 2},
                   .material = "mooney-rivlin",
                   .mu = 3e5,
                   .lambda = 4e5,
                   .mass = 700});
  for (const double far : {0.0, 100.0}) {
    State state = body.at_rest();
    state.x.array() += far;
    const auto integrator = make_integrator(body.system, make_scheme("energy-momentum"), {});
    SolverWork work;
    for (int k = 0; k < 10; ++k) {
      const StepReport r = integrator->step(state, 0.032);
      ASSERT_TRUE(succeeded(r.status)) << describe(r.status);
      work += r.solver_work;
    }
    EXPECT_LE(work.iterations, 60) << far;
    EXPECT_LE((state.x.array() - far - body.rest.array()).abs().maxCoeff(), 1e-11 * (1 + far));
  }
}

// A soft body takes its mean over the path, a stiff one beside it over the strain.
TEST(StiffMomentum, KeepsAllOfASoftAndAStiffBody) {
  const Body soft(bar("stvk", 1e3));
  const Body stiff(bar("stvk", 1e9));
  const int n = soft.system.vertices();
  Vector rest(6 * n);
  rest << soft.rest, stiff.rest;
  std::vector<double> mass = lumped_masses(soft.mesh, 1);
  mass.insert(mass.end(), mass.begin(), mass.begin() + n);
  System system(mass);
  std::vector<std::array<int, 4>> second = stiff.mesh.tets;
  for (auto& tet : second) {
    for (int& v : tet) v += n;
  }
  for (const auto& [young, tets] : {std::pair(1e3, soft.mesh.tets), std::pair(1e9, second)}) {
    const BodyOptions o = bar("stvk", young);
    system.add(find_material("stvk")->make({rest, tets}, lame_of(o.mu, o.lambda)));
  }
  State state{.x = rest, .v = Vector::Zero(6 * n)};
  const State moving = turning(soft, 8);
  state.v << moving.v, moving.v;
  expect_kept(run_kept(system, state, make_scheme("energy-momentum"), kFrame, 20), "both");
}

}  // namespace
}  // namespace lilyan::test::stiff_momentum_test
