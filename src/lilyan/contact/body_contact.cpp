#include "lilyan/contact/body_contact.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "lilyan/assemble/raise_negative.hpp"
#include "lilyan/core/error.hpp"

namespace lilyan {
namespace {

// How far beyond h|v| pairs are looked for, in thicknesses; and how much farther still when the
// list is made anew, so that it lasts for some steps: a new list means a new sparsity pattern.
constexpr double kSlack = 0.5;
constexpr double kSpare = 1.0;

}  // namespace

BodyContact::BodyContact(const std::vector<ContactSurface>& surfaces, double k, double thickness,
                         const Vector& x)
    : k_(k), thickness_(thickness), start_(x) {
  if (!(k > 0)) throw Error("the stiffness of a contact must be positive");
  if (!(thickness > 0)) throw Error("the thickness of a contact between bodies must be positive");
  std::set<int> seen;
  for (const ContactSurface& surface : surfaces) {
    for (const int v : surface.vertices) {
      if (!seen.insert(v).second) {
        throw Error("vertex " + std::to_string(v) + " is on two of the surfaces of a contact");
      }
      points_.push_back({v, surface.body});
    }
    for (const auto& t : surface.triangles) triangles_.push_back({t, surface.body});
  }
  const auto n = static_cast<std::size_t>(x.size() / 3);
  reach_.assign(n, kSlack * thickness);
  needed_.assign(n, 0.0);
  const Vector rest = Vector::Zero(x.size());
  begin_step({.x = x.data(), .v = rest.data()});
}

PointTriangle BodyContact::gather(const Pair& pair, const double* x) {
  PointTriangle z;
  for (std::size_t a = 0; a < 4; ++a) {
    z.segment<3>(static_cast<Eigen::Index>(3 * a)) =
        Eigen::Map<const Vec3>(x + 3 * static_cast<std::ptrdiff_t>(pair.vertex[a]));
  }
  return z;
}

// All pairs whose ways, grown by the thickness and `extra`, meet.
std::vector<BodyContact::Pair> BodyContact::near_pairs(double extra) {
  const auto around = [&](int v, double grow) {
    const Vec3 x = start_.segment<3>(3 * v);
    const Vec3 reach = Vec3::Constant(reach_[static_cast<std::size_t>(v)] + grow);
    return Box(x - reach, x + reach);
  };
  boxes_.clear();
  double size = 0;
  for (const Triangle& t : triangles_) {
    Box box = around(t.corner[0], 0);
    box.extend(around(t.corner[1], 0)).extend(around(t.corner[2], 0));
    size += box.sizes().maxCoeff();
    boxes_.push_back(box);
  }
  std::vector<Pair> pairs;
  if (triangles_.empty()) return pairs;
  hash_.build(boxes_, std::max(size / static_cast<double>(triangles_.size()), 2 * thickness_));
  for (const Point& p : points_) {
    hash_.find(around(p.vertex, thickness_ + extra), found_);
    for (const int f : found_) {
      const Triangle& t = triangles_[static_cast<std::size_t>(f)];
      if (t.body == p.body) continue;
      Pair pair{.vertex = {p.vertex, t.corner[0], t.corner[1], t.corner[2]}, .place = {}};
      std::array<int, 4> order{0, 1, 2, 3};
      std::ranges::sort(order, {}, [&](int a) { return pair.vertex[static_cast<std::size_t>(a)]; });
      for (int i = 0; i < 4; ++i) {
        pair.place[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])] = i;
      }
      pairs.push_back(pair);
    }
  }
  std::ranges::sort(pairs);
  return pairs;
}

bool BodyContact::begin_step(const StepOpening& opening) {
  std::copy(opening.x, opening.x + start_.size(), start_.data());
  for (std::size_t i = 0; i < reach_.size(); ++i) {
    const Vec3 v = Eigen::Map<const Vec3>(opening.v + 3 * i);
    reach_[i] = std::max(std::abs(opening.h) * v.norm() + kSlack * thickness_, needed_[i]);
  }
  const std::vector<Pair> needed = near_pairs(0);
  const bool enough = std::ranges::includes(pairs_, needed);
  if (enough && pairs_.size() <= 4 * needed.size() + 64) return false;
  pairs_ = near_pairs(kSpare * thickness_);
  vertices_.resize(4 * pairs_.size());
  for (std::size_t n = 0; n < pairs_.size(); ++n) {
    for (std::size_t a = 0; a < 4; ++a) {
      vertices_[4 * n + static_cast<std::size_t>(pairs_[n].place[a])] = pairs_[n].vertex[a];
    }
  }
  return true;
}

bool BodyContact::covers(const double* x) {
  bool all = true;
  for (std::size_t i = 0; i < reach_.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(3 * i);
    const double moved = (Eigen::Map<const Vec3>(x + at) - start_.segment<3>(at)).norm();
    needed_[i] = 0;
    if (moved <= reach_[i]) continue;
    needed_[i] = 1.5 * moved;
    all = false;
  }
  return all;
}

LocalDerivatives<12> BodyContact::energy(const PointTriangle& z, bool want_hessian) const {
  LocalDerivatives<12> e;
  if (!(point_triangle_distance(z) < thickness_)) return e;
  const PointTriangleDistance d = point_triangle_derivatives(z, want_hessian);
  const double depth = thickness_ - d.value;
  e.value = 0.5 * k_ * depth * depth;
  e.gradient = -k_ * depth * d.gradient;
  if (want_hessian) {
    e.hessian = k_ * (d.gradient * d.gradient.transpose() - depth * d.hessian);
  }
  return e;
}

double BodyContact::evaluate(const Evaluation& at) const {
  double value = 0;
  const bool want_hessian = at.hessian != nullptr;
  const auto local = [&](const PointTriangle& z, bool hessian) { return energy(z, hessian); };
  for (std::size_t n = 0; n < pairs_.size(); ++n) {
    const Pair& pair = pairs_[n];
    const PointTriangle z0 = gather(pair, at.x0);
    const PointTriangle d = at.d ? gather(pair, at.d) : PointTriangle(PointTriangle::Zero());
    // The distance changes by no more than point and triangle move.
    double farthest = 0;
    for (int a = 1; a < 4; ++a) farthest = std::max(farthest, d.segment<3>(3 * a).norm());
    if (point_triangle_distance(z0) - d.segment<3>(0).norm() - farthest > thickness_) continue;
    LocalDerivatives<12> sum;
    if (at.mean) {
      const LocalDerivatives<12> m = path_mean<12>(local, z0, d, z0.norm(), want_hessian);
      const double w = at.mean->weight;
      sum.value = w * m.value;
      sum.gradient = w * m.gradient;
      if (want_hessian) sum.hessian = w * m.hessian;
      if (at.mean->start != 0) {
        const PointTriangle known = at.mean->start * energy(z0, false).gradient;
        sum.value -= known.dot(d);
        sum.gradient -= known;
      }
    } else {
      for (const WeightedNode& node : at.nodes) {
        const LocalDerivatives<12> e = energy(z0 + node.theta * d, want_hessian);
        sum.value += node.value * e.value;
        sum.gradient += node.gradient * e.gradient;
        if (want_hessian) sum.hessian += node.hessian * e.hessian;
      }
    }
    value += sum.value;
    if (at.gradient) {
      for (int a = 0; a < 4; ++a) {
        const std::ptrdiff_t i = pair.vertex[static_cast<std::size_t>(a)];
        Eigen::Map<Vec3>(at.gradient + 3 * i) += sum.gradient.segment<3>(3 * a);
      }
    }
    if (!want_hessian) continue;
    if (at.projection > 0) raise_negative<12>(sum.hessian, at.projection);
    const int* position = at.slots->position.data() + 10 * n;
    const int* length = at.slots->column_length.data() + 4 * n;
    for (int a = 0; a < 4; ++a) {
      for (int b = 0; b < 4; ++b) {
        const int row = pair.place[static_cast<std::size_t>(a)];
        const int column = pair.place[static_cast<std::size_t>(b)];
        if (row < column) continue;
        const int block = position[4 * column - column * (column - 1) / 2 + row - column];
        for (int c = 0; c < 3; ++c) {
          double* target = at.hessian + block + c * length[column] - c * (c + 1) / 2;
          for (int r = (row == column ? c : 0); r < 3; ++r) {
            target[r] += sum.hessian(3 * a + r, 3 * b + c);
          }
        }
      }
    }
  }
  return value;
}

Touch BodyContact::touch(std::size_t n, const double* x, const double* d) const {
  const Pair& pair = pairs_[n];
  const PointTriangle z0 = gather(pair, x);
  const PointTriangle moved = d ? gather(pair, d) : PointTriangle(PointTriangle::Zero());
  const auto local = [&](const PointTriangle& z, bool hessian) { return energy(z, hessian); };
  Touch t;
  const Vec3 force = path_mean<12>(local, z0, moved, z0.norm(), false).gradient.segment<3>(0);
  t.pressure = force.norm();
  if (t.pressure == 0) return t;
  t.normal = force / t.pressure;
  const NearestPoint nearest = nearest_point(z0 + 0.5 * moved);
  t.weight[static_cast<std::size_t>(pair.place[0])] = 1;
  for (std::size_t a = 1; a < 4; ++a) {
    t.weight[static_cast<std::size_t>(pair.place[a])] = -nearest.weight[a - 1];
  }
  return t;
}

}  // namespace lilyan
