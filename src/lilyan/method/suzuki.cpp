// Suzuki's fractal composition of order 4.
//
// Suzuki: Fractal decomposition of exponential operators with applications to many-body theories
// and Monte Carlo simulations, Phys. Lett. A 146, 1990.
//
//   Φ_h = S_{γh} ∘ S_{γh} ∘ S_{(1−4γ)h} ∘ S_{γh} ∘ S_{γh},   γ = 1/(4 − 4^{1/3})                (1)
//
// of a symmetric method S of order two: 4γ³ + (1−4γ)³ = 0. Two substeps more than Yoshida's, all
// shorter than the step, and an error some tens of times smaller at the same step.
#include <cmath>

#include "lilyan/method/method.hpp"

namespace lilyan::method {

Method suzuki() {
  return {.name = "suzuki",
          .aliases = {},
          .summary = "order 4 from a symmetric method of order two, keeping what it keeps",
          .citation = "Suzuki 1990",
          .use = "accurate long runs; over avf: order 4 and energy exact",
          .parameters = composition_parameters(),
          .variants = {{{"base", "implicit-midpoint"}}, {{"base", "avf"}}},
          .make = [](const Parameters& given) {
            // As a number: compilers differ in the last digit of std::cbrt.
            constexpr double kCubeRootOf4 = 1.58740105196819947475170563927;
            const double g = 1 / (4 - kCubeRootOf4);
            return compose("suzuki 4", 4, symmetric_fractions({g, g}), given);
          }};
}

}  // namespace lilyan::method
