#include "lilyan/contact/barrier_path.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace lilyan {
namespace {

constexpr int kDeepest = 48;  // halvings of the path
constexpr int kMostParts = 6000;
constexpr double kLongest = 3;  // ratio of the ends of a part
// A gap that is nothing beside the reach of the barrier, or not known for rounding errors of positions: near a place
// where both pass through each other the distance is not zero, but any number as small as that.
constexpr double kTouching = 1e-12;
constexpr double kRounding = 8e-16;
// Nearest points on needles are not known well, so that distances as small as this beside their primitives may be too
// large. Bounds that ask for no nearest points hold all the same.
constexpr double kBlurred = 1e-6;

// Bounds of polynomials with vectors as coefficients, by Bernstein's.
template <class Value, std::size_t N>
std::array<Value, N> bernstein(const std::array<Value, N>& power, double from, double to) {
  // Taylor's coefficients about `from`, in units of the part's length; then Bernstein's.
  std::array<Value, N> b = power;
  for (std::size_t i = 0; i + 1 < N; ++i) {
    for (std::size_t k = N - 1; k > i; --k) b[k - 1] += from * b[k];
  }
  double scale = 1;
  double binomial = 1;
  for (std::size_t k = 0; k < N; ++k) {
    b[k] *= scale / binomial;
    scale *= to - from;
    binomial *= static_cast<double>(N - 1 - k) / static_cast<double>(k + 1);
  }
  for (std::size_t i = 1; i < N; ++i) {
    for (std::size_t k = N - 1; k >= i; --k) b[k] += b[k - 1];
  }
  return b;
}

// A part of the path, with what is known at its ends.
struct Part {
  double from, to;
  PairBarrier::Course start, end;
  int depth;
};

class Path {
 public:
  Path(const PairBarrier& barrier, const PairCoordinates& z0, const PairCoordinates& d)
      : barrier_(barrier),
        z0_(z0),
        d_(d),
        fastest_(relative_motion(barrier.pair().kind, d)),
        size_(z0.norm() + d.norm()),
        touching_(kTouching * barrier.reach() + kRounding * size_) {}

  [[nodiscard]] PairBarrier::Course at(double s) const {
    return barrier_.course(PairCoordinates(z0_ + s * d_), d_);
  }
  [[nodiscard]] double fastest() const { return fastest_; }
  // Gaps that are not larger may be none.
  [[nodiscard]] double touching() const { return touching_; }
  [[nodiscard]] bool blurred(double gap) const {
    const BarrierPair& pair = barrier_.pair();
    return !pair.inside && pair.thickness + gap < kBlurred * size_;
  }

  // The least gap there may be on a part.
  [[nodiscard]] double least(const Part& part) {
    const double ends = std::min(part.start.gap, part.end.gap);
    if (barrier_.pair().kind == PairKind::point_plane) return ends;
    const double by_motion =
        blurred(ends) ? -1.0
                      : 0.5 * (part.start.gap + part.end.gap - fastest_ * (part.to - part.from));
    // (Another bound is worth its price where this one does not tell.)
    if (by_motion > 0.5 * std::min(ends, barrier_.reach())) return by_motion;
    const double sliding = std::max(by_motion, by_direction(part));
    if (sliding > 0.5 * std::min(ends, barrier_.reach())) return sliding;
    return std::max(sliding, by_volume(part));
  }

 private:
  [[nodiscard]] double by_direction(const Part& part) const {
    const BarrierPair& pair = barrier_.pair();
    const Vec3 sum = part.start.direction + part.end.direction;
    const double length = sum.norm();
    if (pair.inside || !(length > 0)) return -1;
    const int of_first = pair.kind == PairKind::edge_edge ? 2 : 1;
    double lowest = std::numeric_limits<double>::infinity();
    for (const double s : {part.from, part.to}) {
      const PairCoordinates z = z0_ + s * d_;
      double first = std::numeric_limits<double>::infinity();
      double second = -first;
      for (int i = 0; i < size_of(pair.kind); ++i) {
        const double along = sum.dot(z.segment<3>(3 * i));
        if (i < of_first) {
          first = std::min(first, along);
        } else {
          second = std::max(second, along);
        }
      }
      lowest = std::min(lowest, first - second);
    }
    return lowest / length - touching_ - pair.thickness;
  }

  [[nodiscard]] double by_volume(const Part& part) {
    const BarrierPair& pair = barrier_.pair();
    if (pair.inside || size_of(pair.kind) < 4) return -1;
    if (!has_volume_) find_volume();
    const auto v = bernstein(volume_, part.from, part.to);
    const auto n = bernstein(normal_, part.from, part.to);
    double lowest = std::abs(v[0]);
    double highest = 0;
    for (const double c : v) {
      if ((c < 0) != (v[0] < 0)) return -1;
      lowest = std::min(lowest, std::abs(c));
    }
    for (const Vec3& c : n) highest = std::max(highest, c.squaredNorm());
    constexpr double kRounding = 1e-14;
    lowest -= kRounding * volume_size_;
    return highest > 0 ? lowest / std::sqrt(highest) - pair.thickness : -1;
  }

  void find_volume() {
    const auto edge = [](const PairCoordinates& z, int i, int k) {
      return Vec3(z.segment<3>(3 * i) - z.segment<3>(3 * k));
    };
    const bool edges = barrier_.pair().kind == PairKind::edge_edge;
    const std::array<std::array<int, 2>, 3> of =
        edges ? std::array<std::array<int, 2>, 3>{{{1, 0}, {3, 2}, {2, 0}}}
              : std::array<std::array<int, 2>, 3>{{{2, 1}, {3, 1}, {0, 1}}};
    std::array<Vec3, 3> x;
    std::array<Vec3, 3> v;
    for (std::size_t i = 0; i < 3; ++i) {
      x[i] = edge(z0_, of[i][0], of[i][1]);
      v[i] = edge(d_, of[i][0], of[i][1]);
    }
    normal_ = {x[0].cross(x[1]), x[0].cross(v[1]) + v[0].cross(x[1]), v[0].cross(v[1])};
    volume_ = {normal_[0].dot(x[2]), normal_[0].dot(v[2]) + normal_[1].dot(x[2]),
               normal_[1].dot(v[2]) + normal_[2].dot(x[2]), normal_[2].dot(v[2])};
    volume_size_ = 1;
    for (std::size_t i = 0; i < 3; ++i) volume_size_ *= x[i].norm() + v[i].norm();
    has_volume_ = true;
  }

  const PairBarrier& barrier_;
  const PairCoordinates& z0_;
  const PairCoordinates& d_;
  double fastest_;
  double size_;
  double touching_;
  bool has_volume_ = false;
  std::array<Vec3, 3> normal_;
  std::array<double, 4> volume_{};
  double volume_size_ = 0;
};

// Where the gap is smallest between two places before which it falls and after which it grows.
double closest(const Path& path, double from, double to) {
  for (int k = 0; k < 40; ++k) {
    const double middle = 0.5 * (from + to);
    if (!(middle > from && middle < to)) break;
    (path.at(middle).slope < 0 ? from : to) = middle;
    if (to - from < 1e-6 * to) break;
  }
  return 0.5 * (from + to);
}

// Where the barrier begins or ends on a part.
double activation(const Path& path, const Part& part, double reach) {
  double low = part.from;
  double high = part.to;
  const bool inactive = part.start.gap >= reach;
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    if (!(middle > low && middle < high)) break;
    ((path.at(middle).gap >= reach) == inactive ? low : high) = middle;
  }
  return high;
}

// Where another formula of the distance takes over.
double change_of_feature(const Path& path, const Part& part) {
  double low = part.from;
  double high = part.to;
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    if (!(middle > low && middle < high)) break;
    (path.at(middle).feature == part.start.feature ? low : high) = middle;
  }
  return high;
}

}  // namespace

BarrierMean barrier_mean(const PairBarrier& barrier, const PairCoordinates& z0,
                         const PairCoordinates& d, double tolerance, bool want_hessian) {
  BarrierMean mean;
  Path path(barrier, z0, d);
  const double reach = barrier.reach();
  const PairBarrier::Course start = path.at(0);
  if (start.gap - path.fastest() >= reach) {
    mean.apart = true;
    return mean;
  }
  if (!(start.gap > path.touching())) return mean;
  const double before = barrier.energy(z0, start.gap);
  const double size = z0.norm();
  const double way = d.norm();
  std::array<Part, kDeepest + 8> stack;
  std::size_t count = 0;
  stack[count++] = {0, 1, start, path.at(1), 0};
  int parts = 0;
  const PathRule& rule = path_rule();
  while (count > 0) {
    const Part part = stack[--count];
    const double length = part.to - part.from;
    const double nearest = std::min(part.start.gap, part.end.gap);
    if (!(nearest > path.touching()) || part.depth > kDeepest || ++parts > kMostParts) {
      return mean;
    }
    const auto divide_at = [&](double s, const PairBarrier::Course& there) {
      stack[count++] = {s, part.to, there, part.end, part.depth + 1};
      stack[count++] = {part.from, s, part.start, there, part.depth + 1};
    };
    const auto divide = [&](double s) { divide_at(s, path.at(s)); };
    const double least = path.least(part);
    if (least >= reach) {
      if (before != 0) mean.sum.value -= before * std::log(part.to / part.from);
      continue;
    }
    // Gauss's rule is blind to a dip in its middle.
    if (part.start.slope < 0 && part.end.slope > 0) {
      const double s = closest(path, part.from, part.to);
      PairBarrier::Course there = path.at(s);
      there.slope = 0;
      divide_at(s, there);
      continue;
    }
    const double middle = part.from + 0.5 * length;
    const bool away = nearest >= reach;
    // (On a longer part Gauss's rule would not find the 1/s of the value.)
    const bool long_part = part.from > 0 && part.to > kLongest * part.from;
    if ((away && least < 0.9 * reach) || least < 0.5 * std::min(nearest, reach) || long_part) {
      divide(middle);
      continue;
    }
    LocalDerivatives<12> sum;
    double logarithm = 0;  // the rule's ∫ ds/s
    for (std::size_t i = 0; i < kPathPoints; ++i) {
      const double s = part.from + rule.s[i] * length;
      const LocalDerivatives<12> e = barrier.derivatives(PairCoordinates(z0 + s * d), want_hessian);
      path_mean::add_at(s, rule.weight[i] * length, before, e, want_hessian, sum);
      logarithm += rule.weight[i] * length / s;
    }
    const double from = barrier.energy(PairCoordinates(z0 + part.from * d), part.start.gap);
    const double to = barrier.energy(PairCoordinates(z0 + part.to * d), part.end.gap);
    const double defect = std::abs(to - from - sum.gradient.dot(d));
    const double steep =
        std::max(std::abs(lilyan::barrier(part.start.gap, reach, barrier.pair().stiffness).first),
                 std::abs(lilyan::barrier(part.end.gap, reach, barrier.pair().stiffness).first));
    // (Parts that are halved again and again without getting better tell of larger rounding errors.)
    const double rounding =
        kRounding * (0.5 + part.depth / 8) * (steep * (size + part.to * way) + std::max(from, to));
    if (!(defect > tolerance + rounding) || part.depth == kDeepest) {
      if (part.from > 0) sum.value += before * (logarithm - std::log(part.to / part.from));
      mean.active = mean.active || sum.gradient.squaredNorm() > 0 || before != 0;
      path_mean::add(sum, want_hessian, mean.sum);
      continue;
    }
    if ((part.start.gap >= reach) != (part.end.gap >= reach)) {
      const double s = activation(path, part, reach);
      divide(s < part.to ? s : middle);
    } else if (part.start.feature != part.end.feature) {
      const double s = change_of_feature(path, part);
      divide(s < part.to ? s : middle);
    } else {
      divide(middle);
    }
  }
  mean.apart = true;
  return mean;
}

bool stays_apart(const PairBarrier& barrier, const PairCoordinates& z0, const PairCoordinates& d) {
  Path path(barrier, z0, d);
  const PairBarrier::Course start = path.at(0);
  if (start.gap > path.fastest() + path.touching() && !path.blurred(start.gap)) return true;
  std::array<Part, kDeepest + 8> stack;
  std::size_t count = 0;
  stack[count++] = {0, 1, start, path.at(1), 0};
  int parts = 0;
  while (count > 0) {
    const Part part = stack[--count];
    if (!(std::min(part.start.gap, part.end.gap) > path.touching()) || part.depth > kDeepest ||
        ++parts > kMostParts) {
      return false;
    }
    if (path.least(part) > 0.5 * path.touching()) continue;
    const double middle = 0.5 * (part.from + part.to);
    const PairBarrier::Course there = path.at(middle);
    stack[count++] = {middle, part.to, there, part.end, part.depth + 1};
    stack[count++] = {part.from, middle, part.start, there, part.depth + 1};
  }
  return true;
}

}  // namespace lilyan
