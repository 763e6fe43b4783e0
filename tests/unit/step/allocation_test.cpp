// Steps allocate nothing once warm, except inside the sparse solver's library. malloc is replaced
// for the whole test program (Eigen's vectors use it directly, operator new through it); calls are
// counted only when they come from this program's own code, which the static library is part of,
// and not from shared libraries such as CHOLMOD or BLAS.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <numeric>

#include "lilyan/assemble/constraint_set.hpp"
#include "lilyan/contact/body_contact.hpp"
#include "lilyan/contact/friction.hpp"
#include "lilyan/contact/obstacle_contact.hpp"
#include "lilyan/contact/repulsion_springs.hpp"
#include "lilyan/control/make_integrator.hpp"
#include "lilyan/control/step_control.hpp"
#include "lilyan/lagrangian/compiled.hpp"
#include "lilyan/physics/constraints.hpp"
#include "lilyan/physics/damping.hpp"
#include "lilyan/physics/energies.hpp"
#include "lilyan/physics/meshes.hpp"
#include "lilyan/physics/rigid_motion.hpp"
#include "lilyan/step/capabilities.hpp"
#include "support/body.hpp"
#include "support/contact.hpp"
#include "support/schemes.hpp"

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)

extern "C" {
extern char __executable_start;
extern char etext;
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
}

namespace {

long allocations = 0;

void count(const void* caller) {
  if (caller >= &__executable_start && caller < &etext) ++allocations;
}

}  // namespace

extern "C" {
void* malloc(std::size_t n) {
  count(__builtin_return_address(0));
  return __libc_malloc(n);
}
void* calloc(std::size_t n, std::size_t m) {
  count(__builtin_return_address(0));
  return __libc_calloc(n, m);
}
void* realloc(void* p, std::size_t n) {
  count(__builtin_return_address(0));
  return __libc_realloc(p, n);
}
}

// Its own, since the standard library's calls malloc from a shared library. Not inlined, or GCC
// warns that new is freed.
[[gnu::noinline]] void* operator new(std::size_t n) {
  ++allocations;
  while (true) {
    if (void* p = __libc_malloc(n)) return p;
    const std::new_handler handler = std::get_new_handler();
    if (!handler) throw std::bad_alloc();
    handler();
  }
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace lilyan::test::allocation_test {
namespace {

TEST(AllocationCounter, SeesVectorsAndNew) {
  const long before = allocations;
  const Vector v = Vector::Random(100);
  const std::vector<double> w(100, v[3]);
  EXPECT_GE(allocations - before, 2) << w[0];
}

class Allocation : public ::testing::TestWithParam<Scheme> {};

TEST_P(Allocation, NoneInSteadyState) {
  const Body body({.cells = {4, 2, 2}, .gravity = {0, -1, 0}, .fixed = {0, 1}});
  State state = body.moving(1.1, 0.5);
  const auto integrator = make_integrator(body.system, GetParam(), {});
  if (integrator->linear_solver().starts_with("eigen")) {
    GTEST_SKIP() << "Eigen's factorisation allocates inside";
  }
  for (int k = 0; k < 3; ++k) ASSERT_TRUE(succeeded(integrator->step(state, 0.02).status));
  const long before = allocations;
  int failed = 0, round_off = 0;
  for (int k = 0; k < 20; ++k) {
    const StepStatus status = integrator->step(state, 0.02).status;
    failed += !succeeded(status);
    round_off += status == StepStatus::round_off;
  }
  const long during = allocations - before;
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(during, 0) << round_off << " of 20 steps ended at round-off";
}

// Large enough for conjugate gradients.
TEST(AllocationOfPcg, NoneInSteadyState) {
  const Body body({.cells = {10, 6, 6}, .mu = 50, .gravity = {0, -1, 0}, .fixed = {0, 1}});
  State state = body.moving(1.1, 0.5);
  const auto integrator = make_integrator(body.system, make_scheme("avf"), {});
  ASSERT_EQ(integrator->linear_solver(), "pcg");
  for (int k = 0; k < 3; ++k) ASSERT_TRUE(succeeded(integrator->step(state, 0.02).status));
  const long before = allocations;
  for (int k = 0; k < 5; ++k) EXPECT_TRUE(succeeded(integrator->step(state, 0.02).status));
  EXPECT_EQ(allocations - before, 0);
  EXPECT_EQ(integrator->linear_solver(), "pcg");
}

// Damping, contact with friction, a moving obstacle and scripted vertices.
TEST_P(Allocation, NoneWithAllThatActsOnBodies) {
  Body body({.cells = {4, 2, 2}, .gravity = {0, -1, 0}, .fixed = {0}});
  std::vector<int> all(static_cast<std::size_t>(body.system.vertices()));
  std::iota(all.begin(), all.end(), 0);
  const RigidMotion motion({{.t = 0}, {.t = 1, .shift = Vec3(0, 0.05, 0)}}, Vec3::UnitY(),
                           Vec3::Zero(), Easing::smooth, false);
  auto contact = std::make_unique<ObstacleContact>(
      Obstacle{.shape = SphereShape{.center = Vec3(0, -5.45, 0), .radius = 5}, .motion = motion},
      all, 1.0, 0.0);
  const ContactEnergy& energy = *contact;
  body.system.add(std::move(contact));
  body.system.add(std::make_unique<ScriptedVertices>(std::vector{1, 2}, body.rest, motion));
  body.system.add(std::make_unique<Rayleigh>(*body.system.energies()[0], 1e-3));
  body.system.add(std::make_unique<Friction>(energy, 0.1, 0.1));
  if (const std::string reason = reason_unsupported(body.system, GetParam()); !reason.empty()) {
    GTEST_SKIP() << reason;
  }
  State state = body.at_rest();
  const auto integrator = make_integrator(body.system, GetParam(), {});
  if (integrator->linear_solver().starts_with("eigen")) {
    GTEST_SKIP() << "Eigen's factorisation allocates inside";
  }
  for (int k = 0; k < 3; ++k) ASSERT_TRUE(succeeded(integrator->step(state, 0.01).status));
  const long before = allocations;
  int failed = 0;
  for (int k = 0; k < 20; ++k) failed += !succeeded(integrator->step(state, 0.01).status);
  const long during = allocations - before;
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(during, 0);
}

// Two blocks that rest on each other, and on a floor of repulsion springs: the search for pairs uses
// its storage again, and what depends on the past is kept only when it changes.
TEST(AllocationOfContacts, NoneWhenTheyDoNotChange) {
  TetMesh both = block({1, 1, 1}, {1, 1, 1});
  const int count = static_cast<int>(both.vertices.size());
  const ContactSurface lower = surface_of(both, 0, 0);
  const ContactSurface upper = surface_of(both, 1, count);
  for (const auto& t : std::vector(both.tets)) {
    both.tets.push_back({t[0] + count, t[1] + count, t[2] + count, t[3] + count});
  }
  for (const auto& v : std::vector(both.vertices))
    both.vertices.push_back({v[0], v[1] + 1.099, v[2]});
  Body body(both, {.mu = 200, .gravity = {0, -1, 0}});
  std::vector<int> all(static_cast<std::size_t>(2 * count));
  std::iota(all.begin(), all.end(), 0);
  auto contact = std::make_unique<BodyContact>(std::vector{lower, upper}, 100.0, 0.1, body.rest);
  const ContactEnergy& energy = *contact;
  body.system.add(std::move(contact));
  body.system.add(std::make_unique<Friction>(energy, 0.1, 0.1));
  body.system.add(std::make_unique<RepulsionSprings>(
      Obstacle{.shape = PlaneShape{.point = Vec3(0, -0.4985, 0)}}, all, 100.0, 0.0));
  State state = body.at_rest();
  const auto integrator = make_integrator(body.system, make_scheme("backward-euler"), {});
  if (integrator->linear_solver().starts_with("eigen")) {
    GTEST_SKIP() << "Eigen's factorisation allocates inside";
  }
  double contact_energy = 0;
  for (int k = 0; k < 200; ++k) {
    const StepReport report = integrator->step(state, 0.02);
    ASSERT_TRUE(succeeded(report.status));
    contact_energy = report.after.of(EnergyKind::contact);
  }
  EXPECT_GT(contact_energy, 0);
  const long before = allocations;
  int failed = 0;
  for (int k = 0; k < 20; ++k) failed += !succeeded(integrator->step(state, 0.02).status);
  EXPECT_EQ(allocations - before, 0);
  EXPECT_EQ(failed, 0);
}

TEST_P(Allocation, NoneByStepControl) {
  if (std::holds_alternative<MultistepTable>(GetParam().table)) {
    GTEST_SKIP() << "each new ratio of steps makes a new table of coefficients";
  }
  const Body body({.cells = {4, 2, 2}, .gravity = {0, -1, 0}, .fixed = {0, 1}});
  const auto integrator = make_integrator(body.system, GetParam(), {});
  if (integrator->linear_solver() == "eigen-simplicial") {
    GTEST_SKIP() << "Eigen's factorisation allocates inside";
  }
  for (const StepControlKind kind : {StepControlKind::error, StepControlKind::reversible}) {
    if (kind == StepControlKind::reversible && !GetParam().claims.symmetric) continue;
    State state = body.moving(1.1, 0.5);
    const auto control = make_step_control(*integrator, body.system, GetParam(),
                                           {.kind = kind, .step = 0.01, .max_step = 0.02});
    for (int k = 0; k < 5; ++k) ASSERT_TRUE(succeeded(control->step(state, 100).status));
    const long before = allocations;
    int failed = 0;
    for (int k = 0; k < 20; ++k) failed += !succeeded(control->step(state, 100).status);
    const long during = allocations - before;
    EXPECT_EQ(failed, 0);
    EXPECT_EQ(during, 0) << name(kind);
  }
}

TEST(AllocationConstrained, NoneInSteadyState) {
  for (const char* method : {"avf", "implicit-midpoint", "stoermer-verlet", "suzuki"}) {
    Body body({.cells = {4, 2, 2}, .gravity = {0, -1, 0}, .fixed = {0, 1}});
    State state = body.moving(1.1, 0.5);
    const int last = body.system.vertices() - 1;
    const Vec3 end = state.x.tail<3>();
    body.system.add(
        std::make_unique<DistanceConstraint>(last, Vec3(2, 2, 2), (end - Vec3(2, 2, 2)).norm()));
    body.system.add(std::make_unique<PlaneConstraint>(last, end, Vec3(0, 0, 1)));
    project_velocities(body.system, state);
    const auto integrator = make_integrator(body.system, make_scheme(method), {});
    if (integrator->linear_solver() == "eigen-simplicial") continue;
    for (int k = 0; k < 3; ++k) ASSERT_TRUE(succeeded(integrator->step(state, 0.02).status));
    const long before = allocations;
    for (int k = 0; k < 20; ++k) ASSERT_TRUE(succeeded(integrator->step(state, 0.02).status));
    EXPECT_EQ(allocations - before, 0) << method;
  }
}

TEST(AllocationThin, NoneInSteadyState) {
  for (const char* method : {"avf", "energy-momentum"}) {
    const ClothMesh shape = cloth_grid({1, 1}, {4, 3});
    System system(std::vector<double>(shape.vertices.size(), 0.1));
    State state{.x = Vector(60), .v = Vector::Zero(60)};
    for (std::size_t i = 0; i < shape.vertices.size(); ++i) {
      for (std::size_t c = 0; c < 3; ++c) {
        state.x[static_cast<Eigen::Index>(3 * i + c)] = shape.vertices[i][c];
      }
    }
    system.add(springs(SpringKind::hookean, {{0, 19, 1, 1}, {3, 16, 1, 1.2}}));
    system.add(membrane({5, 3}, state.x, shape.triangles));
    system.add(hinge_bending(0.01, state.x, hinges_of(shape.triangles)));
    system.add(rod_bending(0.01, state.x, std::vector<std::array<int, 3>>{{0, 4, 8}, {4, 8, 13}}));
    system.add(anchors({{7, Vec3(0, 0, 1), 1}}));
    std::mt19937 random(1);
    state.v = random_vector(60, 0.5, random);
    const auto integrator = make_integrator(system, make_scheme(method), {});
    if (integrator->linear_solver() == "eigen-simplicial") continue;
    for (int k = 0; k < 3; ++k) ASSERT_TRUE(succeeded(integrator->step(state, 0.02).status));
    const long before = allocations;
    for (int k = 0; k < 20; ++k) ASSERT_TRUE(succeeded(integrator->step(state, 0.02).status));
    EXPECT_EQ(allocations - before, 0) << method;
  }
}

INSTANTIATE_TEST_SUITE_P(Integrate, Allocation, ::testing::ValuesIn(all_schemes()), test_name);

struct Oscillators {
  template <class T>
  void gradient(const T* q, T* g) const {
    for (int i = 0; i < 100; ++i) g[i] = q[i];
  }
};

// Compiled runs allocate when they are made, and never again.
TEST(AllocationOfCompiledRuns, NoneFromTheFirstStepOn) {
  const Scheme scheme = make_scheme("yoshida");
  auto few = compiled_run<1>([](const auto& q) { return -cos(q[0]); }, {1.0}, scheme, 0.1);
  const std::vector<double> ones(100, 1.0);
  auto many = compiled_run<kAnySize>(Oscillators{}, ones, scheme, 0.1);
  auto batch = batch_run<1>([](const auto& q) { return -cos(q[0]); }, {1.0}, scheme, 0.1, 100);
  const long before = allocations;
  few.start({2.0}, {0.0});
  many.start(ones, ones);
  for (int k = 0; k < 100; ++k) batch.start(k, {0.01 * k}, {0.0});
  few.advance(100);
  many.advance(100);
  batch.advance(100);
  EXPECT_EQ(allocations - before, 0);
}

}  // namespace
}  // namespace lilyan::test::allocation_test

#endif
