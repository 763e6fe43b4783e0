// A star in the meridian plane of a galaxy:
//
//   L = ½ (ẋ² + ẏ²) − ½ (x² + y²) − x² y + y³/3                                                 (1)
//
// Nonlinear, without momenta, chaotic above an energy of about 1/8; bounded below 1/6.
#include "lilyan/lagrangian/problem.hpp"
#include "lilyan/physics/small_potential.hpp"

namespace lilyan::problem {

Problem henon_heiles() {
  return {.name = "henon-heiles",
          .summary = "a star in a galaxy, two degrees of freedom, chaotic from energy 1/8",
          .citation = "Hénon, Heiles: The applicability of the third integral of motion, 1964",
          .parameters = {{"x", "initial x", 0.1},
                         {"y", "initial y", -0.2},
                         {"vx", "initial ẋ", 0.3},
                         {"vy", "initial ẏ", 0.2}},
          .make = [](const Parameters& given) {
            ProblemInstance p;
            p.system = std::make_unique<System>(std::vector{1.0, 1.0}, 1);
            p.system->add(std::make_unique<SmallPotential>(
                2, 1, [](const double* q, double* gradient, double* hessian) {
                  const double x = q[0];
                  const double y = q[1];
                  if (gradient) {
                    gradient[0] = x + 2 * x * y;
                    gradient[1] = y + x * x - y * y;
                  }
                  if (hessian) {
                    hessian[0] = 1 + 2 * y;
                    hessian[1] = hessian[2] = 2 * x;
                    hessian[3] = 1 - 2 * y;
                  }
                  return 0.5 * (x * x + y * y) + x * x * y - y * y * y / 3;
                }));
            p.initial.x.resize(2);
            p.initial.v.resize(2);
            p.initial.x << given.number("x"), given.number("y");
            p.initial.v << given.number("vx"), given.number("vy");
            p.coordinates = {"x", "y"};
            return p;
          }};
}

}  // namespace lilyan::problem
