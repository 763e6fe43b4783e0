// A planet of unit mass about a fixed sun:
//
//   L = ½ |ẋ|² − (−1/|x|)                                                                       (1)
//
// from perihelion, x = (1−e, 0, 0), ẋ = (0, √((1+e)/(1−e)), 0): an ellipse of eccentricity e with
// semi-major axis 1, period 2π, energy −½ and angular momentum √(1−e²).
#include <fmt/format.h>
#include <Eigen/Core>
#include <cmath>

#include "lilyan/lagrangian/problem.hpp"
#include "lilyan/physics/small_potential.hpp"

namespace lilyan::problem {

Problem kepler() {
  return {.name = "kepler",
          .summary = "a planet on an ellipse about a fixed sun, from perihelion",
          .citation = "Hairer, Lubich, Wanner 2006, section I.2",
          .parameters = {{"eccentricity", "e in [0, 1)", 0.6}},
          .dimension = 3,
          .make = [](const Parameters& given) {
            const double e = given.number("eccentricity");
            if (!(e >= 0 && e < 1)) {
              throw ParameterError("eccentricity",
                                   fmt::format("eccentricity must be in [0, 1), not {}", e));
            }
            ProblemInstance p;
            p.system = std::make_unique<System>(std::vector{1.0});
            p.system->add(std::make_unique<SmallPotential>(
                1, 3,
                [](const double* q, double* gradient, double* hessian) {
                  const Eigen::Map<const Eigen::Vector3d> x(q);
                  const double r = x.norm();
                  const double cube = 1 / (r * r * r);
                  if (gradient) Eigen::Map<Eigen::Vector3d>{gradient} = cube * x;
                  if (hessian) {
                    Eigen::Map<Eigen::Matrix3d> h(hessian);
                    h = (-3 * cube / (r * r)) * x * x.transpose();
                    h.diagonal().array() += cube;
                  }
                  return -1 / r;
                },
                PotentialSymmetry{.rotation = true}));
            p.initial.x = Vector::Unit(3, 0) * (1 - e);
            p.initial.v = Vector::Unit(3, 1) * std::sqrt((1 + e) / (1 - e));
            p.coordinates = {"x", "y", "z"};
            return p;
          }};
}

}  // namespace lilyan::problem
