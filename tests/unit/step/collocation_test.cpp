// The coupled equations of collocation: their Jacobian, and what they stand for.
#include <gtest/gtest.h>

#include <random>

#include "lilyan/control/make_integrator.hpp"
#include "lilyan/physics/forces.hpp"
#include "lilyan/step/collocation.hpp"
#include "support/body.hpp"
#include "support/difference.hpp"

namespace lilyan::test::collocation_test {
namespace {

TEST(Collocation, JacobianIsThatOfTheResidual) {
  Body body({.gravity = {0, -2, 0}, .fixed = {0, 5}});
  body.system.add(std::make_unique<Drag>(body.system.mass(), 0.7));
  Assembler assembler(body.system);
  const auto table = std::get<CollocationTable>(make_scheme("gauss", {{"stages", 3.0}}).table);
  CollocationEquation equation(assembler, table, {});
  State start = body.moving();
  const Eigen::Index n = start.x.size();
  for (const int i : {0, 5}) start.v.segment<3>(3 * i).setZero();
  equation.prepare(start, 0.4, {0, 0.4}, 1);
  std::mt19937 random(3);
  Vector z = random_vector(3 * n, 0.2, random);
  Vector r = random_vector(3 * n, 1, random);
  for (Vector* v : {&z, &r}) {
    for (int s = 0; s < 3; ++s) {
      for (const int i : {0, 5}) v->segment<3>(s * n + 3 * i).setZero();
    }
  }
  SolverWork work;
  NewtonTimes times;
  ASSERT_TRUE(equation.factorise(z, work, times));
  Vector p(3 * n);
  equation.solve(r, p);
  const Vector along = difference(
      [&](double t) {
        Iterate at{.z = z + t * p, .residual = Vector(3 * n)};
        equation.evaluate(at);
        return at.residual;
      },
      1e-3 / p.norm());
  EXPECT_LE((along + r).norm(), 1e-9 * r.norm());
}

// Runge–Kutta equations (1), (2) of the method's file, written out.
TEST(Collocation, StepSatisfiesTheRungeKuttaEquations) {
  const Body body;
  const State start = body.moving();
  State state = start;
  const auto table = std::get<CollocationTable>(make_scheme("gauss").table);
  const double h = 0.2;
  const auto integrator = make_integrator(body.system, make_scheme("gauss"), {});
  ASSERT_TRUE(succeeded(integrator->step(state, h).status));
  // Solve them by fixed-point iteration.
  Assembler assembler(body.system);
  const WeightedNode here[] = {{.theta = 0, .gradient = 1}};
  std::vector<Vector> X(2, start.x), V(2, start.v), a(2, start.x);
  for (int iteration = 0; iteration < 200; ++iteration) {
    for (int i = 0; i < 2; ++i) {
      assembler.gradient(X[i], nullptr, here, a[i]);
      a[i] = -a[i].cwiseQuotient(body.system.mass().diagonal());
    }
    for (int i = 0; i < 2; ++i) {
      V[i] = start.v + h * (table.A[2 * i] * a[0] + table.A[2 * i + 1] * a[1]);
    }
    for (int i = 0; i < 2; ++i) {
      X[i] = start.x + h * (table.A[2 * i] * V[0] + table.A[2 * i + 1] * V[1]);
    }
  }
  EXPECT_LE((state.x - start.x - h * (table.b[0] * V[0] + table.b[1] * V[1])).norm(), 1e-13);
  EXPECT_LE((state.v - start.v - h * (table.b[0] * a[0] + table.b[1] * a[1])).norm(), 1e-12);
}

}  // namespace
}  // namespace lilyan::test::collocation_test
