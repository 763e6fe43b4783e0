// One coordinate in a polynomial potential:
//
//   L = ½ m ẋ² − (c₁ x + c₂ x² + c₃ x³ + c₄ x⁴)                                                 (1)
//
// The one-dimensional examples of Rojas, Liu, Kavan: figure 2 is c₄ = 128; figure 3,
// 10x + 1500(x²−1)², is c₁ = 10, c₂ = −3000, c₄ = 1500 (up to a constant).
#include "lilyan/lagrangian/problem.hpp"
#include "lilyan/physics/small_potential.hpp"

namespace lilyan::problem {

Problem polynomial() {
  return {.name = "polynomial",
          .summary = "one coordinate in a polynomial potential of degree four",
          .citation = "Rojas, Liu, Kavan, figures 2 and 3",
          .parameters = {{"mass", "m > 0", 1.0},
                         {"c1", "coefficient of x", 0.0},
                         {"c2", "coefficient of x²", 0.0},
                         {"c3", "coefficient of x³", 0.0},
                         {"c4", "coefficient of x⁴", 0.25},
                         {"x", "initial position", 1.0},
                         {"v", "initial velocity", 0.0}},
          .make = [](const Parameters& given) {
            ProblemInstance p;
            p.system = std::make_unique<System>(std::vector{positive(given, "mass")}, 1);
            const double c1 = given.number("c1");
            const double c2 = given.number("c2");
            const double c3 = given.number("c3");
            const double c4 = given.number("c4");
            p.system->add(std::make_unique<SmallPotential>(
                1, 1, [=](const double* q, double* gradient, double* hessian) {
                  const double x = q[0];
                  if (gradient) gradient[0] = c1 + x * (2 * c2 + x * (3 * c3 + x * 4 * c4));
                  if (hessian) hessian[0] = 2 * c2 + x * (6 * c3 + x * 12 * c4);
                  return x * (c1 + x * (c2 + x * (c3 + x * c4)));
                }));
            p.initial.x = Vector::Constant(1, given.number("x"));
            p.initial.v = Vector::Constant(1, given.number("v"));
            p.coordinates = {"x"};
            return p;
          }};
}

}  // namespace lilyan::problem
