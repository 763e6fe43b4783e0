#include "lilyan/contact/body_contact.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "lilyan/assemble/project.hpp"
#include "lilyan/assemble/scatter.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/contact/near_part.hpp"
#include "lilyan/contact/proximity.hpp"
#include "lilyan/numeric/exact_path_mean.hpp"
#include "lilyan/saving/archive.hpp"

namespace lilyan {
namespace {

// How far beyond h|v| pairs are looked for, in thicknesses; and how much farther still when the
// list is made anew, so that it lasts for some steps: a new list means a new sparsity pattern.
constexpr double kSlack = 0.5;
constexpr double kSpare = 1.0;

}  // namespace

struct BodyContact::Pair {
  std::array<int, 4> vertex;     // point, then corners
  std::array<int, 4> ascending;  // which of them is the first, second, … in ascending order

  explicit Pair(const std::array<int, 4>& v) : vertex(v), ascending{0, 1, 2, 3} {
    std::ranges::sort(ascending, {}, [&](int a) { return v[static_cast<std::size_t>(a)]; });
  }
  auto operator<=>(const Pair& o) const { return vertex <=> o.vertex; }
  bool operator==(const Pair& o) const { return vertex == o.vertex; }

  // Positions as seen from the point: far from the origin their own rounding errors would drown the
  // distance.
  [[nodiscard]] PointTriangle gather_positions(const double* x) const {
    const Vec3 point = Eigen::Map<const Vec3>(x + 3 * std::ptrdiff_t{vertex[0]});
    PointTriangle z = gather(x);
    for (int a = 0; a < 4; ++a) z.segment<3>(3 * a) -= point;
    return z;
  }
  [[nodiscard]] PointTriangle gather(const double* x) const {
    PointTriangle z = PointTriangle::Zero();
    if (!x) return z;
    for (std::size_t a = 0; a < 4; ++a) {
      z.segment<3>(static_cast<Eigen::Index>(3 * a)) =
          Eigen::Map<const Vec3>(x + 3 * std::ptrdiff_t{vertex[a]});
    }
    return z;
  }
};

struct BodyContact::Memory final : EnergyMemory {
  std::vector<Pair> pairs;
  std::vector<int> vertices;  // of the pairs, each four ascending
  // In this step: where vertices started, how far from there pairs have been looked for, and how
  // far that should be when the step is repeated.
  Vector start;
  std::vector<double> reach, needed;
  // Storage for the search.
  std::vector<Pair> near_pairs;
  std::vector<std::array<int, 4>> corners;  // of pairs that are saved or loaded
  std::vector<Box> boxes;
  std::vector<int> found;
  SpatialHash hash;

  void set_pairs(const std::vector<Pair>& all) {
    pairs = all;
    vertices.resize(4 * pairs.size());
    for (std::size_t n = 0; n < pairs.size(); ++n) {
      for (std::size_t i = 0; i < 4; ++i) {
        vertices[4 * n + i] = pairs[n].vertex[static_cast<std::size_t>(pairs[n].ascending[i])];
      }
    }
  }

  // The rest is set by the next step before it is used.
  void archive(Archive& a) override {
    corners.clear();
    for (const Pair& pair : pairs) corners.push_back(pair.vertex);
    const std::size_t vertices_of_all = needed.size();
    a(corners, needed);
    if (!a.loading()) return;
    Archive::require(needed.size() == vertices_of_all);
    near_pairs.clear();
    for (const std::array<int, 4>& vertex : corners) {
      for (const int v : vertex) {
        Archive::require(v >= 0 && static_cast<std::size_t>(v) < needed.size());
      }
      const Pair& pair = near_pairs.emplace_back(vertex);
      for (std::size_t k = 1; k < 4; ++k) {
        const auto at = [&](std::size_t i) {
          return vertex[static_cast<std::size_t>(pair.ascending[i])];
        };
        Archive::require(at(k - 1) != at(k));
      }
    }
    set_pairs(near_pairs);
  }
};

BodyContact::BodyContact(const std::vector<ContactSurface>& surfaces, const ContactStiffness& k,
                         double thickness, const Vector& x)
    : thickness_(thickness), first_(std::make_unique<Memory>()) {
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
  const std::vector<double> of_points = k.of(points_.size());
  k_.resize(n);
  for (std::size_t i = 0; i < points_.size(); ++i) {
    k_[static_cast<std::size_t>(points_[i].vertex)] = of_points[i];
  }
  first_->start = x;
  first_->reach.assign(n, kSlack * thickness);
  first_->needed.assign(n, 0.0);
  const Vector rest = Vector::Zero(x.size());
  begin_step({.x = x.data(), .v = rest.data()}, *first_);
}

BodyContact::~BodyContact() = default;

const BodyContact::Memory& BodyContact::known(const EnergyMemory* memory) const {
  return memory ? *static_cast<const Memory*>(memory) : *first_;
}

Stencils BodyContact::stencils() const { return {4, first_->vertices}; }

std::optional<Stencils> BodyContact::stencils_now(const EnergyMemory& memory) const {
  return Stencils{4, known(&memory).vertices};
}

std::unique_ptr<EnergyMemory> BodyContact::make_memory() const {
  return std::make_unique<Memory>(*first_);
}

void BodyContact::find_near_pairs(double extra, Memory& memory) const {
  const auto around = [&](int v, double grow) {
    const Vec3 x = memory.start.segment<3>(3 * v);
    const Vec3 reach = Vec3::Constant(memory.reach[static_cast<std::size_t>(v)] + grow);
    return Box(x - reach, x + reach);
  };
  memory.near_pairs.clear();
  if (triangles_.empty()) return;
  memory.boxes.clear();
  double size = 0;
  for (const Triangle& t : triangles_) {
    Box box = around(t.corner[0], 0);
    box.extend(around(t.corner[1], 0)).extend(around(t.corner[2], 0));
    size += box.sizes().maxCoeff();
    memory.boxes.push_back(box);
  }
  memory.hash.build(memory.boxes,
                    std::max(size / static_cast<double>(triangles_.size()), 2 * thickness_));
  for (const Point& p : points_) {
    memory.hash.find(around(p.vertex, thickness_ + extra), memory.found);
    for (const int f : memory.found) {
      const Triangle& t = triangles_[static_cast<std::size_t>(f)];
      if (t.body == p.body) continue;
      memory.near_pairs.emplace_back(std::array{p.vertex, t.corner[0], t.corner[1], t.corner[2]});
    }
  }
  std::ranges::sort(memory.near_pairs);
}

bool BodyContact::begin_step(const StepStart& start, EnergyMemory& memory) const {
  auto& m = static_cast<Memory&>(memory);
  std::copy(start.x, start.x + m.start.size(), m.start.data());
  for (std::size_t i = 0; i < m.reach.size(); ++i) {
    const Vec3 v = Eigen::Map<const Vec3>(start.v + 3 * i);
    m.reach[i] = std::max(std::abs(start.h) * v.norm() + kSlack * thickness_, m.needed[i]);
  }
  find_near_pairs(0, m);
  const bool enough = std::ranges::includes(m.pairs, m.near_pairs);
  if (enough && m.pairs.size() <= 4 * m.near_pairs.size() + 64) return false;
  find_near_pairs(kSpare * thickness_, m);
  m.set_pairs(m.near_pairs);
  return true;
}

bool BodyContact::found_all_contacts(const double* x, EnergyMemory& memory) const {
  auto& m = static_cast<Memory&>(memory);
  bool all = true;
  for (std::size_t i = 0; i < m.reach.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(3 * i);
    const double moved = (Eigen::Map<const Vec3>(x + at) - m.start.segment<3>(at)).norm();
    m.needed[i] = 0;
    if (moved <= m.reach[i]) continue;
    m.needed[i] = 1.5 * moved;
    all = false;
  }
  return all;
}

namespace {

// ½ k (thickness − distance)² of a point and a triangle that are nearer to each other than the thickness.
LocalDerivatives<12> pair_energy(const PointTriangle& z, double k, double thickness,
                                 bool want_hessian) {
  LocalDerivatives<12> e;
  if (!(point_triangle_distance(z) < thickness)) return e;
  const PointTriangleDistance d = point_triangle_derivatives(z, want_hessian);
  const double depth = thickness - d.value;
  e.value = 0.5 * k * depth * depth;
  e.gradient = -k * depth * d.gradient;
  if (want_hessian) {
    e.hessian = k * (d.gradient * d.gradient.transpose() - depth * d.hessian);
  }
  return e;
}

// Which formula of the energy holds: none where they do not touch, or that of the nearest part of the triangle.
int branch_of(const PointTriangle& z, double thickness) {
  const NearestPoint nearest = nearest_point(z);
  return distance(z, nearest) < thickness ? 1 + static_cast<int>(nearest.feature) : 0;
}

}  // namespace

double BodyContact::evaluate(const Evaluation& at) const {
  const Memory& memory = known(at.memory);
  double value = 0;
  const bool want_hessian = at.hessian != nullptr;
  for (std::size_t n = 0; n < memory.pairs.size(); ++n) {
    const Pair& pair = memory.pairs[n];
    const double k = k_[static_cast<std::size_t>(pair.vertex[0])];
    const auto local = [&](const PointTriangle& z, bool hessian) {
      return pair_energy(z, k, thickness_, hessian);
    };
    const auto branch = [&](const PointTriangle& z) { return branch_of(z, thickness_); };
    const PointTriangle z0 = pair.gather_positions(at.x0);
    const PointTriangle d = pair.gather(at.d);
    // The distance changes by no more than point and triangle move.
    double farthest = 0;
    for (int a = 1; a < 4; ++a) farthest = std::max(farthest, d.segment<3>(3 * a).norm());
    if (point_triangle_distance(z0) - d.segment<3>(0).norm() - farthest > thickness_) continue;
    const NearPart near(z0, d, thickness_);
    if (near.empty()) continue;
    LocalDerivatives<12> sum;
    if (at.mean) {
      const LocalDerivatives<12> m =
          exact_path_mean(local, z0, d, z0.norm(), want_hessian, near.path(), branch);
      const double w = at.mean->weight;
      sum.value = w * m.value;
      sum.gradient = w * m.gradient;
      if (want_hessian) sum.hessian = w * m.hessian;
      if (at.mean->start != 0) {
        const PointTriangle start = at.mean->start * pair_energy(z0, k, thickness_, false).gradient;
        sum.value -= start.dot(d);
        sum.gradient -= start;
      }
    } else {
      for (const WeightedNode& node : at.nodes) {
        const LocalDerivatives<12> e =
            pair_energy(z0 + node.theta * d, k, thickness_, want_hessian);
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
    if (at.projection > 0) raise_negative(sum.hessian.data(), 12, at.projection);
    const auto entry = [&](int a, int b, int r, int c) {
      return sum.hessian(3 * pair.ascending[static_cast<std::size_t>(a)] + r,
                         3 * pair.ascending[static_cast<std::size_t>(b)] + c);
    };
    add_element(*at.slots, n, {.vertices = 4}, entry, at.hessian);
  }
  return value;
}

namespace {

Eigen::Matrix3d cross_matrix(const Vec3& a) {
  Eigen::Matrix3d m;
  m << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0;
  return m;
}

// The gap r from the nearest point of a triangle to a point, as a vector that the triangle carries along:
// with its edges e, f and its normal n, r = a e + b f + c n and ṙ = a ė + b ḟ + c ṅ. Returns ∂ṙ/∂v of the
// triangle's corners. n is m/|m| with m = e × f, so ṅ is the part of ṁ/|m| across n.
std::array<Eigen::Matrix3d, 3> gap_velocity(const PointTriangle& z, const NearestPoint& nearest) {
  std::array<Eigen::Matrix3d, 3> result = {Eigen::Matrix3d::Zero(), Eigen::Matrix3d::Zero(),
                                           Eigen::Matrix3d::Zero()};
  const std::array<Vec3, 3> x = {z.segment<3>(3), z.segment<3>(6), z.segment<3>(9)};
  const Vec3 e = x[1] - x[0];
  const Vec3 f = x[2] - x[0];
  const Vec3 m = e.cross(f);
  const double area = m.norm();
  if (!(area > 1e-10 * e.norm() * f.norm())) return result;  // a needle has no normal
  Vec3 gap = z.segment<3>(0);
  for (std::size_t i = 0; i < 3; ++i) gap -= nearest.weight[i] * x[i];
  const Vec3 n = m / area;
  const double c = gap.dot(n);
  const double a = gap.cross(f).dot(n) / area;
  const double b = e.cross(gap).dot(n) / area;
  const Eigen::Matrix3d across = Eigen::Matrix3d::Identity() - n * n.transpose();
  for (std::size_t i = 0; i < 3; ++i) {
    const double share = i == 0 ? -a - b : i == 1 ? a : b;
    const Vec3 opposite = x[(i + 1) % 3] - x[(i + 2) % 3];  // ṁ = Σ vᵢ × oppositeᵢ
    result[i] = share * Eigen::Matrix3d::Identity() - (c / area) * across * cross_matrix(opposite);
  }
  return result;
}

}  // namespace

ContactPoint BodyContact::contact_point(std::size_t n, const double* x, const double* d,
                                        const EnergyMemory* memory) const {
  const Pair& pair = known(memory).pairs[n];
  const PointTriangle z0 = pair.gather_positions(x);
  const PointTriangle moved = pair.gather(d);
  const double k = k_[static_cast<std::size_t>(pair.vertex[0])];
  const auto local = [&](const PointTriangle& z, bool hessian) {
    return pair_energy(z, k, thickness_, hessian);
  };
  const auto branch = [&](const PointTriangle& z) { return branch_of(z, thickness_); };
  ContactPoint point;
  const NearPart near(z0, moved, thickness_);
  if (near.empty()) return {};
  const Vec3 force = exact_path_mean(local, z0, moved, z0.norm(), false, near.path(), branch)
                         .gradient.segment<3>(0);
  point.pressure = force.norm();
  if (point.pressure == 0) return point;
  point.normal = force / point.pressure;
  const NearestPoint nearest = nearest_point(z0 + 0.5 * moved);
  for (std::size_t i = 0; i < 4; ++i) {
    const auto a = static_cast<std::size_t>(pair.ascending[i]);
    point.weight[i] = a == 0 ? 1.0 : -nearest.weight[a - 1];
  }
  const std::array<Eigen::Matrix3d, 3> turn = gap_velocity(z0 + 0.5 * moved, nearest);
  for (std::size_t i = 0; i < 4; ++i) {
    const auto a = static_cast<std::size_t>(pair.ascending[i]);
    if (a > 0) point.turn[i] = -turn[a - 1];
  }
  return point;
}

}  // namespace lilyan
