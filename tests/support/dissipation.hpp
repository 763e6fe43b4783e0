// Derivatives of dissipation as seen through a DissipationAssembler.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "lilyan/assemble/assembler.hpp"
#include "support/body.hpp"
#include "support/dense.hpp"
#include "support/difference.hpp"

namespace lilyan::test {

// ∂R/∂v is the derivative of R and ∂²R/∂v² that of ∂R/∂v, for a step of h from `start`, along random
// directions about the velocity v. All vertices must be free.
inline void expect_rate_derivatives(const World& world, const State& start, double h,
                                    const Vector& v, double bound) {
  std::mt19937 random(11);
  DissipationAssembler assembler(world);
  assembler.begin_step(start, h);
  const BlockPattern pattern(world);
  for (const auto which : {DissipationVelocity::path, DissipationVelocity::end}) {
    const auto value = [&](const Vector& at) {
      Vector unused = Vector::Zero(at.size());
      return assembler.value_and_gradient(which, at, 1, unused);
    };
    const auto gradient = [&](const Vector& at) {
      Vector g = Vector::Zero(at.size());
      assembler.value_and_gradient(which, at, 1, g);
      return g;
    };
    constexpr double kWeight = 0.7;
    std::vector<double> hessian(static_cast<std::size_t>(pattern.storage()), 0.0);
    assembler.add_hessian(which, v, kWeight, 0, pattern, hessian);
    const Matrix matrix = dense(pattern, hessian) / kWeight;
    const double step = 1e-4 * v.norm();
    for (int k = 0; k < 4; ++k) {
      const Vector direction = random_vector(v.size(), 1, random).normalized();
      const double slope = difference([&](double s) { return value(v + s * direction); }, step);
      EXPECT_NEAR(gradient(v).dot(direction), slope, bound * (1 + std::abs(slope)));
      const Vector change = difference([&](double s) { return gradient(v + s * direction); }, step);
      EXPECT_LE((matrix * direction - change).norm(), bound * (1 + change.norm()));
    }
  }
}

}  // namespace lilyan::test
