// The spherical pendulum, as a point mass in space with a rigid rod to the origin:
//
//   L = ½ m |ẋ|² − m g z,   ½ (|x|² − l²) = 0                                                   (1)
//
// in coordinates with z upwards. Energy and the angular momentum about the vertical are conserved.
// Without spin it swings in the plane y = 0 and is the problem `pendulum`.
#include <cmath>
#include <numbers>

#include "lilyan/lagrangian/problem.hpp"
#include "lilyan/physics/constraints.hpp"
#include "lilyan/physics/energies.hpp"

namespace lilyan::problem {

Problem spherical_pendulum() {
  return {
      .name = "spherical-pendulum",
      .summary = "a mass on a rigid rod, in space, with the rod as a constraint",
      .citation = "Hairer, Lubich, Wanner 2006, section VII.1",
      .parameters = {{"mass", "m > 0", 1.0},
                     {"length", "l > 0", 1.0},
                     {"gravity", "g > 0", 1.0},
                     {"angle", "initial angle in degrees, from below", 60.0},
                     {"speed", "initial rate of that angle, in radians per unit of time", 0.0},
                     {"spin", "initial rate about the vertical, in radians per unit of time", 0.5}},
      .dimension = 3,
      .make = [](const Parameters& given) {
        const double m = positive(given, "mass");
        const double l = positive(given, "length");
        const double g = positive(given, "gravity");
        ProblemInstance p;
        p.system = std::make_unique<System>(std::vector{m});
        p.system->add(std::make_unique<Gravity>(Vec3(0, 0, -g), std::vector{m}));
        p.system->add(std::make_unique<DistanceConstraint>(0, Vec3(0, 0, 0), l));
        const double a = given.number("angle") * std::numbers::pi / 180;
        const double speed = given.number("speed");
        p.initial.x.resize(3);
        p.initial.v.resize(3);
        p.initial.x << l * std::sin(a), 0, -l * std::cos(a);
        p.initial.v << l * speed * std::cos(a), l * given.number("spin") * std::sin(a),
            l * speed * std::sin(a);
        p.coordinates = {"x", "y", "z"};
        return p;
      }};
}

}  // namespace lilyan::problem
