// Steps of bodies large enough for conjugate gradients: what is conserved must not depend on them.
#include <gtest/gtest.h>

#include "app/scene/scene.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/control/make_integrator.hpp"
#include "lilyan/parallel/threads.hpp"
#include "support/body.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test::pcg_step_test {
namespace {

// The same block twice, far apart.
TetMesh two_blocks(const std::array<double, 3>& size, const std::array<int, 3>& cells) {
  TetMesh mesh = block(size, cells);
  const TetMesh one = mesh;
  const int n = static_cast<int>(one.vertices.size());
  for (auto v : one.vertices) {
    v[1] += 7;
    mesh.vertices.push_back(v);
  }
  for (auto t : one.tets) {
    for (int& i : t) i += n;
    mesh.tets.push_back(t);
  }
  return mesh;
}

struct Drift {
  double linear = 0, angular = 0, energy = 0;
};

Drift drift(const Body& body, const std::string& method, LinearChoice linear, int steps, double h) {
  State state = body.moving(1.1, 0.5, 0.3);
  SolverOptions options;
  options.newton.linear = linear;
  const auto integrator = make_integrator(body.system, make_scheme(method), options);
  const Invariants start = invariants(body.system, state);
  Drift worst;
  for (int k = 0; k < steps; ++k) {
    const StepReport r = integrator->step(state, h);
    EXPECT_TRUE(succeeded(r.status)) << describe(r.status);
    const auto larger = [](double& a, double b) { a = std::max(a, b); };
    larger(worst.linear, (r.after.linear_momentum - start.linear_momentum).norm());
    larger(worst.angular, (r.after.angular_momentum - start.angular_momentum).norm());
    larger(worst.energy, std::abs(r.after.total - start.total));
  }
  worst.linear /= start.linear_momentum.norm();
  worst.angular /= start.angular_momentum.norm();
  worst.energy /= start.total;
  return worst;
}

TEST(PcgSteps, KeepMomentaAsExactlyAsAFactorDoes) {
  const BodyOptions options{.mu = 50, .lambda = 20};
  const Body bodies[] = {Body(block({3, 1, 1}, {9, 4, 4}), options),
                         Body(two_blocks({2, 1, 1}, {6, 3, 3}), options)};
  for (const Body& body : bodies) {
    const Drift pcg = drift(body, "implicit-midpoint", LinearChoice::pcg, 400, 0.02);
    EXPECT_LE(pcg.linear, 2e-14);
    EXPECT_LE(pcg.angular, 2e-14);
    const Drift factor = drift(body, "implicit-midpoint", LinearChoice::cholesky, 400, 0.02);
    EXPECT_LE(factor.angular, 2e-14);
  }
}

TEST(PcgSteps, AvfKeepsTheEnergy) {
  const Body body(block({3, 1, 1}, {9, 4, 4}), {.mu = 50, .lambda = 20});
  const Drift pcg = drift(body, "avf", LinearChoice::pcg, 400, 0.05);
  EXPECT_LE(pcg.energy, 1e-12);
  EXPECT_LE(pcg.linear, 2e-14);
}

TEST(PcgSteps, FarFromTheOrigin) {
  Body body(block({3, 1, 1}, {9, 4, 4}), {.mu = 50, .lambda = 20});
  State state = body.moving(1.1, 0.5, 0.3);
  for (int i = 0; i < state.x.size(); i += 3) state.x[i] += 1e4;
  SolverOptions options;
  options.newton.linear = LinearChoice::pcg;
  const auto integrator = make_integrator(body.system, make_scheme("avf"), options);
  const double start = invariants(body.system, state).total;
  for (int k = 0; k < 20; ++k) {
    const StepReport r = integrator->step(state, 0.02);
    ASSERT_TRUE(succeeded(r.status)) << describe(r.status);
    EXPECT_NEAR(r.after.total, start, 1e-9 * start);
  }
}

// Loose tolerances and large steps: the last iteration of a step may be one of a modified Hessian,
// with trial points beyond the result. The ledger has to speak of the result.
TEST(PcgSteps, LedgerBalancesWhereStepsWereLengthened) {
  const TempFolder folder;
  const Scene scene = load_scene(
      folder.write("s.toml",
                   "[integrator]\nmethod = \"implicit-midpoint\"\nstep = 0.1\nsteps = 60\n"
                   "[solver]\nenergy_tolerance = 1e-2\nvelocity_tolerance = 1e-2\n"
                   "[[body]]\nmass = 1\nmaterial = { mu = 1000, lambda = 500 }\n"
                   "shape = { kind = \"bar\", size = [8, 0.4, 0.4], cells = [24, 2, 2] }\n"
                   "deform = [{ kind = \"twist\", axis = \"x\", angle = 360 }]\n"));
  for (const LinearChoice linear : {LinearChoice::automatic, LinearChoice::cholesky}) {
    SolverOptions options = scene.settings.solver;
    options.newton.linear = linear;
    const auto integrator = make_integrator(*scene.system, scene.settings.scheme, options);
    State state = scene.initial;
    for (int k = 0; k < 60; ++k) {
      const StepReport r = integrator->step(state, 0.1);
      if (!succeeded(r.status)) break;
      const double change = r.after.total - r.before.total;
      EXPECT_NEAR(change, r.ledger.total(), 1e-12 * r.after.scale()) << "step " << k;
    }
  }
}

// Root finds start from an AVF step whose minimiser uses conjugate gradients: all of its work is
// part of the step's.
TEST(PcgSteps, WorkOfPredictorsIsCounted) {
  const Body body(block({3, 1, 1}, {9, 4, 4}), {.mu = 50, .lambda = 20});
  SolverOptions options;
  options.newton.linear = LinearChoice::pcg;
  SolverOptions loose = options;
  loose.energy_tolerance = loose.velocity_tolerance = 1e-3;
  State state = body.moving(1.1, 0.5, 0.3);
  const SolverWork predictor =
      make_integrator(body.system, make_scheme("avf"), loose)->step(state, 0.02).solver_work;
  ASSERT_GT(predictor.linear_iterations, 0);
  for (const std::string method : {"discrete-gradient", "gauss"}) {
    state = body.moving(1.1, 0.5, 0.3);
    Parameters parameters;
    if (method == "discrete-gradient") parameters.set("predictor", "avf");
    const auto integrator = make_integrator(body.system, make_scheme(method, parameters), options);
    const StepReport r = integrator->step(state, 0.02);
    EXPECT_EQ(r.solver_work.linear_iterations, predictor.linear_iterations) << method;
    EXPECT_GT(r.solver_work.iterations, predictor.iterations) << method;
    EXPECT_GT(r.solver_work.evaluations, predictor.evaluations) << method;
    EXPECT_GT(r.solver_work.factorisations, 0) << method;
  }
}

TEST(PcgSteps, SameBitsForAnyNumberOfThreads) {
  const Body body(block({4, 2, 2}, {24, 12, 12}), {.mu = 50, .lambda = 20});  // 20736 tets
  std::vector<State> ends;
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    State state = body.moving(1.1, 0.5, 0.3);
    const auto integrator = make_integrator(body.system, make_scheme("avf"), {});
    for (int k = 0; k < 2; ++k) ASSERT_TRUE(succeeded(integrator->step(state, 0.03).status));
    EXPECT_EQ(integrator->linear_solver(), "pcg");
    ends.push_back(state);
  }
  set_threads(1);
  for (const State& end : ends) {
    EXPECT_EQ(end.x, ends[0].x);
    EXPECT_EQ(end.v, ends[0].v);
  }
}

}  // namespace
}  // namespace lilyan::test::pcg_step_test
