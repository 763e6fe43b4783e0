// The equation of a discrete-gradient step: its directions are Newton's.
#include "lilyan/step/discrete_gradient_step.hpp"

#include <gtest/gtest.h>

#include "lilyan/control/make_integrator.hpp"
#include "support/body.hpp"
#include "support/dense.hpp"
#include "support/difference.hpp"
#include "support/schemes.hpp"

namespace lilyan::test::discrete_equation_test {
namespace {

// J p = −r with J by differences of the residual. The midpoint discrete gradient has a dense part
// of rank one in J, which must not be lost.
TEST(DiscreteEquationOf, DirectionsAreNewtons) {
  const Body body({.mu = 3, .lambda = 2, .gravity = {0, -2, 0}, .fixed = {0, 5}});
  Assembler assembler(body.system);
  const BlockPattern& half = assembler.hessian_pattern();
  const FullPattern full(half);
  const auto equation = std::make_unique<GlobalEquation>(assembler, full, SolverOptions{});
  std::mt19937 random(8);
  const Vector x0 = body.moving().x;
  Vector d = random_vector(x0.size(), 0.2, random);
  Vector r = random_vector(x0.size(), 1, random);
  for (Vector* v : {&d, &r}) {
    for (const int fixed : {0, 5}) v->segment<3>(3 * fixed).setZero();
  }
  constexpr std::array<WeightedNode, 1> here{{{.theta = 0, .value = 1}}};
  double potential = 0;
  for (const double e : assembler.values(x0, nullptr, here, true)) potential += e;
  const State start{.x = x0, .v = body.moving().v};
  equation->prepare(start, 0.7, {0, 0.7}, 1, potential);

  SolverWork work;
  NewtonTimes times;
  ASSERT_TRUE(equation->factorise(d, work, times));
  EXPECT_EQ(work.factorisations, 1);
  Vector p = Vector::Constant(d.size(), 7);
  equation->solve(r, p);
  for (const int fixed : {0, 5}) EXPECT_TRUE(p.segment<3>(3 * fixed).isZero(0));
  const Vector along = difference(
      [&](double t) {
        Iterate at{.z = d + t * p, .residual = Vector(d.size())};
        equation->evaluate(at);
        return at.residual;
      },
      1e-3 / p.norm());
  EXPECT_LE(free_part(half, along + r).norm(), 1e-8 * r.norm());
}

// At rest d = 0 is the first guess, and the rounding errors of two energies are not to be divided by its square.
TEST(DiscreteEquationOf, BodiesThatFallFromRest) {
  const Body body({.size = {0.3, 0.05, 0.05},
                   .cells = {6, 1, 1},
                   .mu = 4e4,
                   .lambda = 6e4,
                   .mass = 0.8,
                   .gravity = {0, -9.81, 0}});
  State state = body.at_rest();
  const auto integrator = make_integrator(body.system, make_scheme("discrete-gradient"), {});
  for (int k = 0; k < 10; ++k) {
    const StepReport r = integrator->step(state, 1.0 / 60);
    ASSERT_TRUE(succeeded(r.status)) << describe(r.status);
  }
  EXPECT_NEAR(state.x[1] - body.rest[1], -0.5 * 9.81 / 36, 1e-6);
}

}  // namespace
}  // namespace lilyan::test::discrete_equation_test
