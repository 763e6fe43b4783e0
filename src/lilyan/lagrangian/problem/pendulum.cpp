// The planar pendulum, in its angle q from the lower rest position:
//
//   L = ½ m l² q̇² − m g l (1 − cos q)                                                           (1)
//
// Solved by Jacobi's elliptic functions; from rest at the amplitude q₀ the period is
// 4 √(l/g) K(sin²(q₀/2)).
#include <cmath>
#include <numbers>

#include "lilyan/lagrangian/problem.hpp"
#include "lilyan/physics/small_potential.hpp"

namespace lilyan::problem {

Problem pendulum() {
  return {.name = "pendulum",
          .summary = "a mass on a rigid rod, in its angle",
          .citation = "Stern, Desbrun 2006; Hairer, Lubich, Wanner 2006, section I.1",
          .parameters = {{"mass", "m > 0", 1.0},
                         {"length", "l > 0", 1.0},
                         {"gravity", "g > 0", 1.0},
                         {"angle", "initial angle in degrees, from below", 45.0},
                         {"speed", "initial angular speed, in radians per unit of time", 0.0}},
          .make = [](const Parameters& given) {
            const double m = positive(given, "mass");
            const double l = positive(given, "length");
            const double weight = m * positive(given, "gravity") * l;
            ProblemInstance p;
            p.system = std::make_unique<System>(std::vector{m * l * l}, 1);
            p.system->add(std::make_unique<SmallPotential>(
                1, 1, [weight](const double* q, double* gradient, double* hessian) {
                  const double half = std::sin(q[0] / 2);
                  if (gradient) gradient[0] = weight * std::sin(q[0]);
                  if (hessian) hessian[0] = weight * std::cos(q[0]);
                  return weight * 2 * half * half;  // 1 − cos q without its cancellation
                }));
            p.initial.x = Vector::Constant(1, given.number("angle") * std::numbers::pi / 180);
            p.initial.v = Vector::Constant(1, given.number("speed"));
            p.coordinates = {"angle"};
            return p;
          }};
}

}  // namespace lilyan::problem
