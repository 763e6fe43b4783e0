// Means of a local energy over a straight path, exact to rounding error.
//
// For E of a few coordinates and the path z(s) = z₀ + s d, 0 ≤ s ≤ 1:
//   gradient  ∫ ∇E(z(s)) ds                                                                     (1)
//   hessian   ∫ s ∇²E(z(s)) ds                                                                  (2)
//   value     ∫ (E(z(s)) − E(z₀))/s ds                                                          (3)
// (2) and (1) are the derivatives of (1) and (3) by d; (2), which only steers the solve, is found
// to fewer digits. Contact begins or ends within a step, or a formula goes over to another branch, so E is
// not smooth along the path and no fixed rule would do. But over any part of the path ∫ ∇E·d ds must be the
// difference of E, which E itself tells: parts where Gauss's rule misses that are halved. Where it is known
// at which s the path comes to such places, the parts begin there. Where E can say which branch holds at z, a
// part with two branches is split where the one goes over to the other.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <type_traits>

#include <Eigen/Core>

#include "lilyan/numeric/path_breaks.hpp"
#include "lilyan/numeric/quadrature.hpp"

namespace lilyan {

template <int N>
struct LocalDerivatives {
  double value = 0;
  Eigen::Matrix<double, N, 1> gradient = Eigen::Matrix<double, N, 1>::Zero();
  Eigen::Matrix<double, N, N> hessian = Eigen::Matrix<double, N, N>::Zero();

  [[nodiscard]] static LocalDerivatives zero(Eigen::Index /*size*/) { return {}; }
};

inline constexpr int kPathPoints = 7;
struct PathRule {
  std::array<double, kPathPoints> s;  // in (0, 1)
  std::array<double, kPathPoints> weight;
};
[[nodiscard]] inline const PathRule& path_rule() {
  static const PathRule rule = [] {
    PathRule r{};
    const auto nodes = gauss(kPathPoints).nodes;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      r.s[i] = nodes[i].theta;
      r.weight[i] = nodes[i].weight;
    }
    r.s[kPathPoints / 2] = 0.5;  // exactly
    return r;
  }();
  return rule;
}

// What is known of a path beforehand: ascending numbers between 0 and 1 at which it comes to a place where E is not
// smooth, and a part beyond which E is zero.
struct KnownPath {
  std::span<const double> breaks = {};
  double from = 0;
  double to = 1;
};

namespace path_mean {

// A part of the path, with the energies at its ends.
struct Part {
  double from, to, energy_from, energy_to;
  int branch_from, branch_to;
  int depth;
};

// Where a part is split, and the branches that hold just before and after.
struct Split {
  double at;
  int before = 0;
  int after = 0;
};

// Where the branch at the start of a part ends. Where the slope of E goes on, a split that misses the place by `near`
// costs no more than its square; what it costs beyond the tolerance, a further halving finds.
template <class BranchAt>
[[nodiscard]] Split end_of_branch(const Part& part, const BranchAt& branch_at, double near) {
  double low = part.from;
  Split split{.at = part.to, .before = part.branch_from, .after = part.branch_to};
  while (split.at - low > near) {
    const double half = 0.5 * (low + split.at);
    if (!(half > low && half < split.at)) break;
    const int there = branch_at(half);
    if (there == split.before) {
      low = half;
    } else {
      split.at = half;
      split.after = there;
    }
  }
  return split;
}

// The parts between known breaks, the first one on top, given the energies at the ends of the path. Returns how many.
template <class EnergyAt, class BranchAt>
[[nodiscard]] std::size_t split_at_breaks(const KnownPath& known, const std::array<double, 2>& ends,
                                          const EnergyAt& energy_at, const BranchAt& branch_at,
                                          std::span<Part> stack) {
  std::size_t count = 0;
  Part last{.from = known.from,
            .to = known.to,
            .energy_from = ends[0],
            .energy_to = ends[1],
            .branch_from = branch_at(known.from),
            .branch_to = branch_at(known.to),
            .depth = 0};
  for (std::size_t k = std::min(known.breaks.size(), PathBreaks::kMost); k > 0; --k) {
    const double at = known.breaks[k - 1];
    const double there = energy_at(at);
    const int branch_there = branch_at(at);
    stack[count++] = {at, last.to, there, last.energy_to, branch_there, last.branch_to, 0};
    last.to = at;
    last.energy_to = there;
    last.branch_to = branch_there;
  }
  stack[count++] = last;
  return count;
}

struct OneBranch {
  template <class Coordinates>
  int operator()(const Coordinates& /*z*/) const {
    return 0;
  }
};

// sum += what a point of a rule with weight w, at s, has in (1) to (3).
template <class Derivatives>
void add_at(double s, double w, double start, const Derivatives& e, bool want_hessian,
            Derivatives& sum) {
  sum.value += w / s * (e.value - start);
  sum.gradient += w * e.gradient;
  if (want_hessian) sum.hessian += (w * s) * e.hessian;
}

template <class Derivatives>
void add(const Derivatives& part, bool want_hessian, Derivatives& sum) {
  sum.value += part.value;
  sum.gradient += part.gradient;
  if (want_hessian) sum.hessian += part.hessian;
}

}  // namespace path_mean

// energy(z, want_hessian) gives E and its derivatives at z. `size` is how large the lengths are
// that E is computed from: their rounding errors are errors of E, which no halving makes smaller. branch(z) is a
// number of the branch of E that holds at z.
template <class Function, class Coordinates, class Branch = path_mean::OneBranch>
[[nodiscard]] auto exact_path_mean(const Function& energy, const Coordinates& z0,
                                   const Coordinates& d, double size, bool want_hessian,
                                   const KnownPath& known = {}, const Branch& branch = {}) {
  using Derivatives = std::invoke_result_t<const Function&, const Coordinates&, bool>;
  // The tolerance is relative to the largest E met. Parts shorter than 2^-kDeepest are taken as
  // they are, and so is everything that is left after very many parts. Where a point goes through a
  // triangle the force jumps, and only parts as short as rounding errors are short enough.
  const double tolerance = want_hessian ? 1e-9 : 2e-15;
  constexpr double kRounding = 4e-16;
  const double near = want_hessian ? 1e-7 : 1e-11;  // to the end of a branch
  constexpr int kDeepest = 48;
  constexpr int kMostParts = 500;
  using path_mean::Part;
  std::array<Part, kDeepest + 2 + PathBreaks::kMost> stack;

  const PathRule& rule = path_rule();
  const double start = energy(z0, false).value;
  Derivatives mean = Derivatives::zero(z0.size());
  double largest = std::abs(start);
  double steepest = 0;
  int parts = 0;
  const auto branch_at = [&](double s) { return branch(Coordinates(z0 + s * d)); };
  const auto energy_at = [&](double s) { return energy(Coordinates(z0 + s * d), false).value; };
  const double end = known.to < 1 ? 0 : energy(Coordinates(z0 + d), false).value;
  if (known.to < 1 && known.to > 0) mean.value += start * std::log(known.to);
  std::size_t count = path_mean::split_at_breaks(known, {known.from > 0 ? 0 : start, end},
                                                 energy_at, branch_at, stack);
  while (count > 0) {
    const Part part = stack[--count];
    const double length = part.to - part.from;
    largest = std::fmax(largest, std::fmax(std::abs(part.energy_from), std::abs(part.energy_to)));
    Derivatives sum = Derivatives::zero(z0.size());
    double middle = 0;  // E there: the rule's middle point
    for (int i = 0; i < kPathPoints; ++i) {
      const double s = part.from + rule.s[static_cast<std::size_t>(i)] * length;
      const Derivatives e = energy(Coordinates(z0 + s * d), want_hessian);
      path_mean::add_at(s, rule.weight[static_cast<std::size_t>(i)] * length, start, e,
                        want_hessian, sum);
      largest = std::fmax(largest, std::abs(e.value));
      steepest = std::fmax(steepest, e.gradient.squaredNorm());
      if (i == kPathPoints / 2) middle = e.value;
    }
    const double defect = part.energy_to - part.energy_from - sum.gradient.dot(d);
    const double rounding = tolerance * largest + kRounding * std::sqrt(steepest) * size;
    if (!(std::abs(defect) > rounding) || part.depth == kDeepest || ++parts > kMostParts) {
      path_mean::add(sum, want_hessian, mean);
      continue;
    }
    path_mean::Split split{.at = part.from + 0.5 * length};
    if (part.branch_from == part.branch_to) {
      split.before = split.after = branch_at(split.at);
    } else {
      split = path_mean::end_of_branch(part, branch_at, near);
      middle = energy_at(split.at);
    }
    stack[count++] = {split.at,    part.to,        middle,        part.energy_to,
                      split.after, part.branch_to, part.depth + 1};
    stack[count++] = {part.from,        split.at,     part.energy_from, middle,
                      part.branch_from, split.before, part.depth + 1};
  }
  return mean;
}

}  // namespace lilyan
