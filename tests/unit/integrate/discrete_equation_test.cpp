// The equation of a discrete-gradient step: its directions are Newton's.
#include "lilyan/integrate/step/discrete_gradient.hpp"

#include <gtest/gtest.h>

#include "support/body.hpp"
#include "support/dense.hpp"
#include "support/difference.hpp"

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
        Vector residual(d.size());
        equation->evaluate(d + t * p, residual);
        return residual;
      },
      1e-3 / p.norm());
  EXPECT_LE(free_part(half, along + r).norm(), 1e-8 * r.norm());
}

}  // namespace
}  // namespace lilyan::test::discrete_equation_test
