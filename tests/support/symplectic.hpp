// Symplecticity of a step map, by its Jacobian.
#pragma once

#include <gtest/gtest.h>

#include "lilyan/integrate/integrator.hpp"
#include "support/body.hpp"
#include "support/dense.hpp"

namespace lilyan::test {

// Largest entry of Jᵀ Ω J − Ω, where J is the Jacobian of one step in the coordinates (√M x, √M v),
// which are as canonical as (x, Mv) and of one scale. By fourth-order differences, whose error is
// far below the defect of a method that is not symplectic.
inline double symplectic_defect(const System& system, Integrator& integrator, const State& at,
                                double h) {
  const int n = system.dofs();
  const Vector root = system.mass().cwiseSqrt();
  const auto map = [&](int column, double shift) {
    State s = at;
    (column < n ? s.x : s.v)[column % n] += shift / root[column % n];
    const StepReport r = integrator.step(s, h);
    EXPECT_TRUE(succeeded(r.status)) << describe(r.status);
    Vector out(2 * n);
    out << root.cwiseProduct(s.x), root.cwiseProduct(s.v);
    return out;
  };
  constexpr double e = 1e-3;
  Matrix J(2 * n, 2 * n);
  for (int c = 0; c < 2 * n; ++c) {
    J.col(c) = (8 * (map(c, e) - map(c, -e)) - (map(c, 2 * e) - map(c, -2 * e))) / (12 * e);
  }
  Matrix omega = Matrix::Zero(2 * n, 2 * n);
  omega.topRightCorner(n, n).setIdentity();
  omega.bottomLeftCorner(n, n) = -Matrix::Identity(n, n);
  return (J.transpose() * omega * J - omega).cwiseAbs().maxCoeff();
}

}  // namespace lilyan::test
