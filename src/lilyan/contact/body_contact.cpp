#include "lilyan/contact/body_contact.hpp"

#include <algorithm>

#include "lilyan/assemble/project.hpp"
#include "lilyan/assemble/scatter.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/contact/law.hpp"
#include "lilyan/contact/near_pairs.hpp"
#include "lilyan/contact/near_part.hpp"
#include "lilyan/numeric/exact_path_mean.hpp"

namespace lilyan {
namespace {

double positive(double thickness) {
  if (thickness > 0) return thickness;
  throw Error("the thickness of a contact between bodies must be positive");
}

}  // namespace

BodyContact::BodyContact(const std::vector<ContactSurface>& surfaces, const ContactStiffness& k,
                         double thickness, const Vector& x)
    : surfaces_(surfaces),
      k_(static_cast<std::size_t>(x.size() / 3)),
      thickness_(positive(thickness)),
      first_(std::make_unique<const NearPairs>(surfaces_, thickness, x)) {
  const std::vector<double> of_points = k.of(surfaces_.points.size());
  for (std::size_t i = 0; i < of_points.size(); ++i) {
    k_[static_cast<std::size_t>(surfaces_.points[i])] = of_points[i];
  }
}

BodyContact::~BodyContact() = default;

Stencils BodyContact::stencils() const { return first_->stencils(); }

const NearPairs& BodyContact::known(const EnergyMemory* memory) const {
  return memory ? *static_cast<const NearPairs*>(memory) : *first_;
}

std::optional<Stencils> BodyContact::stencils_now(const EnergyMemory& memory) const {
  return known(&memory).stencils();
}

std::unique_ptr<EnergyMemory> BodyContact::make_memory() const {
  return std::make_unique<NearPairs>(*first_);
}

bool BodyContact::begin_step(const StepStart& start, EnergyMemory& memory) const {
  return static_cast<NearPairs&>(memory).begin_step(start);
}

bool BodyContact::found_all_contacts(const double* x, EnergyMemory& memory) const {
  return static_cast<NearPairs&>(memory).found_all(x);
}

namespace {

// ½ k (thickness − distance)² of a point and a triangle that are nearer to each other than the thickness.
LocalDerivatives<12> pair_energy(const PointTriangle& z, double k, double thickness,
                                 bool want_hessian) {
  const NearestPoint nearest = nearest_point(z);
  if (!(distance(z, nearest) < thickness)) return {};
  const PointTriangleDistance d = point_triangle_derivatives(z, nearest, want_hessian);
  const double beyond = d.value - thickness;
  if (!want_hessian) return penalty(k, beyond, d.gradient);
  return penalty(k, beyond, d.gradient, beyond * d.hessian);
}

// Which formula of the energy holds: none where they do not touch, or that of the nearest part of the triangle.
int branch_of(const PointTriangle& z, double thickness) {
  const NearestPoint nearest = nearest_point(z);
  return distance(z, nearest) < thickness ? 1 + static_cast<int>(nearest.feature) : 0;
}

}  // namespace

double BodyContact::evaluate(const Evaluation& at) const {
  const std::vector<NearPair>& pairs = known(at.memory).all();
  double value = 0;
  const bool want_hessian = at.hessian != nullptr;
  for (std::size_t n = 0; n < pairs.size(); ++n) {
    const NearPair& pair = pairs[n];
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

ContactPoint BodyContact::contact_point(std::size_t n, const double* x, const double* d,
                                        const EnergyMemory* memory) const {
  const NearPair& pair = known(memory).all()[n];
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
