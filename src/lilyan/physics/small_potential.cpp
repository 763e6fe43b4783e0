// The potential energy of a small system, and its discrete gradients.
//
// In general, with x½ = x₀ + d/2 (Gonzalez: Time integration and discrete Hamiltonian systems,
// J. Nonlinear Sci. 6, 1996):
//   ∇̄E = ∇E(x½) + c d,   c = (E₁ − E₀ − ∇E(x½)·d)/|d|²                                          (1)
//
// For one point and E = e(s), s = |x|², with Δs = s₁ − s₀ = 2 x½·d:
//   ∇̄E = 2σ x½,   σ = (E₁ − E₀)/Δs                                                                (2)
// parallel to x½, so that angular momentum is conserved. Near Δs = 0 (at the apsides of an orbit)
// the quotient loses its digits, and Gauss's rule takes its place, σ = Σ w_k e'(s₀ + θ_k Δs).
//
// A mean over the path of an E that is not smooth where functions c(x) are zero is integrated from one zero
// to the next (numeric/exact_path_mean.hpp). Where ∇E itself jumps there, by J = j ∇c at s_k, the mean's derivative
// by d has one more term, as the place moves with d, ds_k/dd = −s_k ∇c/(∇c·d):
//   ∂/∂d ∫ ∇E(x₀ + s d) ds = ∫ s ∇²E ds + Σ_k s_k J Jᵀ/(J·d)                                    (4)
#include "lilyan/physics/small_potential.hpp"
#include "lilyan/assemble/scatter.hpp"

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lilyan/assemble/project.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/base/types.hpp"
#include "lilyan/numeric/exact_path_mean.hpp"
#include "lilyan/numeric/path_breaks.hpp"

namespace lilyan {
namespace {

constexpr int kMost = SmallPotential::kMost;
static_assert(kMost <= kMostRaised);
using SmallPotentialMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMost, kMost>;
using SmallPotentialVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMost, 1>;

// Relative to the positions. The correction's share of the energy is of third order in d: here it
// drops below rounding, while the rounding error of c d, ε|E|/|d|, would grow.
constexpr double kSmallStep = 6e-6;
constexpr double kSmallChange = 1e-2;  // of s; three Gauss points are exact to rounding there

SmallPotentialVector by_midpoint(const SmallPotential::Function& function,
                                 const SmallPotentialVector& x0, const SmallPotentialVector& d) {
  SmallPotentialVector gradient(x0.size());
  const SmallPotentialVector middle = x0 + 0.5 * d;
  function(middle.data(), gradient.data(), nullptr);
  if (d.norm() <= kSmallStep * (x0.norm() + d.norm())) return gradient;
  const SmallPotentialVector x1 = x0 + d;
  const double e1 = function(x1.data(), nullptr, nullptr);
  const double e0 = function(x0.data(), nullptr, nullptr);
  const double c = (e1 - e0 - gradient.dot(d)) / d.squaredNorm();  // (1)
  return gradient + c * d;
}

SmallPotentialVector by_radius(const SmallPotential::Function& function,
                               const SmallPotentialVector& x0, const SmallPotentialVector& d) {
  const SmallPotentialVector middle = x0 + 0.5 * d;
  const SmallPotentialVector x1 = x0 + d;
  const double s0 = x0.squaredNorm();
  const double ds = 2 * middle.dot(d);
  SmallPotentialVector g(3);
  double sigma = 0;
  if (std::abs(ds) > kSmallChange * s0) {
    sigma = (function(x1.data(), nullptr, nullptr) - function(x0.data(), nullptr, nullptr)) / ds;
  } else {
    constexpr double kOuter = 0.11270166537925831148;
    constexpr std::array<double, 3> thetas = {kOuter, 0.5, 1 - kOuter};
    constexpr std::array<double, 3> weights = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    for (std::size_t k = 0; k < 3; ++k) {
      const double s = s0 + thetas[k] * ds;
      const SmallPotentialVector x = std::sqrt(s) * x0.normalized();
      function(x.data(), g.data(), nullptr);
      sigma += weights[k] * g.dot(x) / (2 * s);  // e'
    }
  }
  return 2 * sigma * middle;  // (2)
}

// E and its derivatives at a point, or means of them.
struct PathDerivatives {
  double value = 0;
  SmallPotentialVector gradient;
  SmallPotentialMatrix hessian;

  static PathDerivatives zero(Eigen::Index n) {
    return {0, SmallPotentialVector::Zero(n), SmallPotentialMatrix::Zero(n, n)};
  }
};

PathBreaks breaks_of(const PotentialSwitches& switches, const SmallPotentialVector& x0,
                     const SmallPotentialVector& d) {
  thread_local std::vector<double> before, after, middle;
  for (auto* v : {&before, &after, &middle}) v->resize(static_cast<std::size_t>(switches.count));
  return find_breaks(
      [&](double s, std::vector<double>& values) {
        const SmallPotentialVector x = x0 + s * d;
        switches.evaluate(x.data(), values.data());
      },
      before, after, middle);
}

// What the nodes of an evaluation are a rule for (PathMeanWeights), part by part.
PathDerivatives broken_mean(const SmallPotential::Function& function,
                            const SmallPotentialVector& x0, const SmallPotentialVector& d,
                            const PathBreaks& breaks, const PathMeanWeights& weights,
                            bool want_hessian) {
  constexpr double kNoJump = 1e-6;
  constexpr double kAside = 1e-9;
  const auto energy = [&](const SmallPotentialVector& x, bool hessian) {
    PathDerivatives e = PathDerivatives::zero(x.size());
    e.value = function(x.data(), e.gradient.data(), hessian ? e.hessian.data() : nullptr);
    return e;
  };
  std::array<double, PathBreaks::kMost> places{};
  for (std::size_t k = 0; k < breaks.count; ++k) places[k] = breaks.bracket[k].second;
  PathDerivatives m = exact_path_mean(energy, x0, d, x0.norm() + d.norm(), want_hessian,
                                      {.breaks = std::span(places).first(breaks.count)});
  for (std::size_t k = 0; want_hessian && k < breaks.count; ++k) {
    const auto [low, high] = breaks.bracket[k];
    // Beside the break: at it the formula may have a value of its own, as sign(0).
    const SmallPotentialVector below = energy(x0 + (low - kAside) * d, false).gradient;
    const SmallPotentialVector above = energy(x0 + (high + kAside) * d, false).gradient;
    const SmallPotentialVector jump = above - below;
    const double along = jump.dot(d);
    if (std::abs(along) <= kNoJump * (below.norm() + above.norm()) * d.norm()) continue;
    m.hessian += (high / along) * jump * jump.transpose();  // (4)
  }
  m.value *= weights.weight;
  m.gradient *= weights.weight;
  m.hessian *= weights.weight;
  if (weights.start != 0) {
    const SmallPotentialVector start = weights.start * energy(x0, false).gradient;
    m.value -= start.dot(d);
    m.gradient -= start;
  }
  return m;
}

}  // namespace

SmallPotential::SmallPotential(int vertices, int dimension, Function function,
                               PotentialSymmetry symmetry, PotentialSwitches switches)
    : vertices_(static_cast<std::size_t>(vertices)),
      dimension_(dimension),
      function_(std::move(function)),
      symmetry_(symmetry),
      switches_(std::move(switches)) {
  if (vertices * dimension > kMost) {
    throw Error("a small potential may have at most " + std::to_string(kMost) +
                " degrees of freedom");
  }
  std::iota(vertices_.begin(), vertices_.end(), 0);
}

double SmallPotential::evaluate(const Evaluation& at) const {
  const int n = dimension_ * static_cast<int>(vertices_.size());
  std::array<double, kMost> q{};
  std::array<double, kMost> g{};
  SmallPotentialMatrix h(n, n);
  SmallPotentialMatrix sum = SmallPotentialMatrix::Zero(n, n);
  double value = 0;
  PathBreaks breaks;
  if (at.mean && at.d && switches_.count > 0) {
    breaks =
        breaks_of(switches_, Eigen::Map<const Vector>(at.x0, n), Eigen::Map<const Vector>(at.d, n));
  }
  if (!breaks.empty()) {
    const PathDerivatives m =
        broken_mean(function_, Eigen::Map<const Vector>(at.x0, n),
                    Eigen::Map<const Vector>(at.d, n), breaks, *at.mean, at.hessian != nullptr);
    value = m.value;
    if (at.gradient) Eigen::Map<Vector>(at.gradient, n) += m.gradient;
    if (at.hessian) sum = m.hessian;
  }
  for (const WeightedNode& node : breaks.empty() ? at.nodes : std::span<const WeightedNode>()) {
    for (int i = 0; i < n; ++i) q[i] = at.x0[i] + (at.d ? node.theta * at.d[i] : 0.0);
    const double e =
        function_(q.data(), at.gradient ? g.data() : nullptr, at.hessian ? h.data() : nullptr);
    value += node.value * e;
    if (at.gradient) {
      for (int i = 0; i < n; ++i) at.gradient[i] += node.gradient * g[i];
    }
    if (at.hessian) sum += node.hessian * h;
  }
  if (at.hessian) {
    if (at.projection > 0) raise_negative(sum.data(), n, at.projection);
    add_element(
        *at.slots, 0, {static_cast<int>(vertices_.size()), dimension_},
        [&](int a, int b, int r, int c) { return sum(dimension_ * a + r, dimension_ * b + c); },
        at.hessian);
  }
  return value;
}

void SmallPotential::discrete_gradient(const DiscreteEvaluation& at) const {
  const auto vertices = static_cast<int>(vertices_.size());
  const int n = dimension_ * vertices;
  const SmallPotentialVector x0 = Eigen::Map<const Vector>(at.x0, n);
  const SmallPotentialVector d = Eigen::Map<const Vector>(at.d, n);
  // From the origin the path is radial, and (1) itself parallel to it.
  const bool point = symmetry_.rotation && vertices == 1 && dimension_ == 3 && !x0.isZero(0);
  Eigen::Map<Vector>(at.gradient, n) +=
      at.gradient_weight * (point ? by_radius(function_, x0, d) : by_midpoint(function_, x0, d));
}

}  // namespace lilyan
