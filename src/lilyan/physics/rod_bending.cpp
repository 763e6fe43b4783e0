// Bending of rods made of straight segments, the same in all directions and without twist.
//
// Bergou, Wardetzky, Robinson, Audoly, Grinspun: Discrete Elastic Rods, SIGGRAPH 2008. At an inner
// vertex with the segments e before and f after it and the angle φ between them,
//   |κ| = 2 tan(φ/2),   |κ|² = 4 (|e||f| − e·f)/(|e||f| + e·f)                                  (1)
//   E = ½ k (|κ| − κ₀)²/l,   l half the two segments' rest length                               (2)
// where κ₀ is the rest shape's and k a stiffness times length². Without a material frame a rod bent
// at rest resists the size of curvature, not its direction; for such |κ| is replaced by
// √(|κ|² + ε²), ε = κ₀/1000, in both places of (2), which takes the kink out of a straight rod.
// Written in the products of the two edges from the vertex, a = −e and b = f, |e||f| = √(a·a b·b).
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "lilyan/assemble/gram_element.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/numeric/jet.hpp"
#include "lilyan/physics/energies.hpp"

namespace lilyan {
namespace {

// (1) from (a·a, a·b, b·b).
template <class T>
T squared_curvature(const std::array<T, 3>& c) {
  using std::sqrt;
  const T size = sqrt(c[0] * c[2]);
  return 4.0 * (size + c[1]) / (size - c[1]);
}

struct RodLaw {
  static constexpr bool kQuadratic = false;
  double half;         // k/(2l)
  double rest = 0;     // √(κ₀² + ε²)
  double epsilon = 0;  // of κ₀; 0 for a straight rod

  template <class T>
  [[nodiscard]] T energy(const std::array<T, 3>& c) const {
    using std::sqrt;
    const T square = squared_curvature(c);
    if (rest == 0) return half * square;
    const T change = sqrt(square + epsilon * epsilon) - rest;
    return half * change * change;  // (2)
  }

  double value(const Eigen::Vector3d& c, Eigen::Vector3d* p, Eigen::Matrix3d* Q) const {
    const std::array<double, 3> at = {c[0], c[1], c[2]};
    if (!p && !Q) return energy(at);
    const Jet2<3> f = energy(Jet2<3>::variables(at));
    for (int i = 0; i < 3; ++i) {
      if (p) (*p)[i] = f.gradient[static_cast<std::size_t>(i)];
      if (!Q) continue;
      for (int j = 0; j < 3; ++j) (*Q)(i, j) = f.hessian(i, j);
    }
    return f.value;
  }
};

}  // namespace

std::unique_ptr<Energy> rod_bending(double stiffness, const Vector& rest,
                                    std::span<const std::array<int, 3>> corners) {
  if (!(stiffness > 0)) throw Error("the bending stiffness must be positive");
  std::vector<Element<GramElement<RodLaw>>> elements;
  elements.reserve(corners.size());
  for (const auto& [before, inner, after] : corners) {
    const Vec3 a = rest.segment<3>(3 * before) - rest.segment<3>(3 * inner);
    const Vec3 b = rest.segment<3>(3 * after) - rest.segment<3>(3 * inner);
    const double square = squared_curvature(std::array{a.squaredNorm(), a.dot(b), b.squaredNorm()});
    if (!std::isfinite(square) || !(square < 1e12)) {
      throw Error(
          fmt::format("the rod has no direction at vertex {}: a segment of length zero, or "
                      "two that are folded onto each other",
                      inner));
    }
    RodLaw law{.half = stiffness / (a.norm() + b.norm())};
    constexpr double kStraight = 1e-12;  // rounding error of a straight rod's curvature, squared
    if (square > kStraight) {
      law.epsilon = 1e-3 * std::sqrt(square);
      law.rest = std::sqrt(square + law.epsilon * law.epsilon);
    }
    elements.emplace_back(GramElement<RodLaw>(law), std::array{inner, before, after});
  }
  return std::make_unique<Elements<GramElement<RodLaw>>>(std::move(elements));
}

EnergyInfo rod_bending_info() {
  return {.name = "rod bending",
          .summary = "bending of rods, the same in all directions and without twist",
          .formula = "E = Σ ½ k (κ − κ₀)²/l, κ = 2 tan(φ/2), φ the angle between two segments",
          .citation = "Bergou, Wardetzky, Robinson, Audoly, Grinspun 2008"};
}

}  // namespace lilyan
