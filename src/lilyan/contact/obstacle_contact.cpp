#include "lilyan/contact/obstacle_contact.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "lilyan/assemble/scatter.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/contact/law.hpp"
#include "lilyan/numeric/exact_path_mean.hpp"
#include "lilyan/saving/archive.hpp"

namespace lilyan {
namespace {

// The part k d ∇²d of (1)'s Hessian, which is at right angles to the other part k n nᵀ. Only this
// one can be negative, and is then raised.
Eigen::Matrix3d curved_part(const SignedDistance& d, double projection) {
  const double negative = d.value * d.curvature.trace();
  return (negative < 0 ? 1 - projection : 1.0) * d.value * d.curvature;
}

Vec3 vertex_at(const double* x, int vertex) {
  return x ? Vec3(Eigen::Map<const Vec3>(x + 3 * std::ptrdiff_t{vertex})) : Vec3(Vec3::Zero());
}

}  // namespace

struct ObstacleContact::Memory final : EnergyMemory {
  explicit Memory(const ObstaclePoses& p) : poses(p) {}
  ObstaclePoses poses;

  void archive(Archive& a) override { a(poses.now, poses.step_from, poses.step_to, poses.step_h); }
};

// The energy of one vertex, of stiffness k. Points and directions are those that the obstacle sees, from its
// origin_ and in the frame in which it rests: far from the world's origin the rounding errors of positions
// would be as large as the distances.
class ObstacleContact::Penalty {
 public:
  Penalty(const ObstacleContact& contact, const EnergyMemory* memory, double projection)
      : contact_(contact),
        pose_(contact.poses(memory).now),
        moves_(contact.obstacle_.motion.moves()),
        center_(pose_.center - contact.origin_),
        flat_(std::holds_alternative<PlaneShape>(contact.obstacle_.shape)),
        projection_(projection) {}

  // Points, displacements and derivatives as the obstacle sees them, and back.
  [[nodiscard]] Vec3 seen(const Vec3& x) const {
    return moves_ ? Vec3(center_ + pose_.from_center(x)) : Vec3(x - contact_.origin_);
  }
  [[nodiscard]] Vec3 turned(const Vec3& d) const {
    return moves_ ? Vec3(pose_.rotation.transpose() * d) : d;
  }
  [[nodiscard]] LocalDerivatives<3> in_world(LocalDerivatives<3> e) const {
    if (!moves_) return e;
    e.gradient = pose_.rotation * e.gradient;
    e.hessian = pose_.rotation * e.hessian * pose_.rotation.transpose();
    return e;
  }

  // d(x) − r.
  [[nodiscard]] SignedDistance distance(const Vec3& x) const {
    SignedDistance d = contact_.near_.distance_at_rest(x);
    d.value -= contact_.thickness_;
    return d;
  }

  // Not inlined, so that it rounds the same way wherever it is called from.
  [[nodiscard, gnu::noinline]] LocalDerivatives<3> at(const Vec3& x, double k,
                                                      bool want_hessian) const {
    const SignedDistance d = distance(x);
    if (!(d.value < 0)) return {};
    if (!want_hessian) return penalty(k, d.value, d.normal);
    return penalty(k, d.value, d.normal, curved_part(d, projection_));
  }

  // weight times the mean over the path x0 → x0 + d. `start` is the distance at x0.
  [[nodiscard]] LocalDerivatives<3> mean(const Vec3& x0, const Vec3& d, const SignedDistance& start,
                                         double k, double weight, bool want_hessian) const {
    LocalDerivatives<3> sum;
    // The distance changes by no more than the vertex moves.
    if (start.value > d.norm()) return sum;
    if (flat_) {
      const double end = start.value + start.normal.dot(d);
      const PenaltyMean m = penalty_mean(k, start.value, end);
      sum.value = weight * m.value;
      sum.gradient = weight * m.first * start.normal;
      sum.hessian = weight * m.second * start.normal * start.normal.transpose();
      return sum;
    }
    const auto energy = [&](const Vec3& x, bool hessian) { return at(x, k, hessian); };
    // The lengths that distances of a vertex near x0 are computed from.
    const double size = contact_.extent_ + x0.norm();
    const LocalDerivatives<3> m = exact_path_mean(energy, x0, d, size, want_hessian);
    sum.value = weight * m.value;
    sum.gradient = weight * m.gradient;
    if (want_hessian) sum.hessian = weight * m.hessian;
    return sum;
  }

 private:
  const ObstacleContact& contact_;
  const Pose& pose_;
  bool moves_;
  Vec3 center_;  // of the motion
  bool flat_;
  double projection_;
};

ObstacleContact::ObstacleContact(Obstacle obstacle, std::vector<int> vertices,
                                 const ContactStiffness& k, double thickness)
    : obstacle_(std::move(obstacle)),
      origin_(origin(obstacle_.shape)),
      near_{.shape = seen_from(origin_, obstacle_.shape),
            .inside_out = obstacle_.inside_out,
            .motion = {}},
      vertices_(std::move(vertices)),
      k_(k.of(vertices_.size())),
      thickness_(thickness),
      extent_(extent(near_.shape)) {
  at_rest_.now = at_rest_.step_from = at_rest_.step_to = obstacle_.motion.at(0);
}

void ObstacleContact::raise_own_lengths(const double* x, int /*dimension*/,
                                        const EnergyMemory* memory,
                                        std::span<double> lengths) const {
  const Penalty penalty(*this, memory, 0);
  for (const int v : vertices_) {
    const double size = extent_ + penalty.seen(vertex_at(x, v)).norm();
    for (double& length : lengths.subspan(3 * static_cast<std::size_t>(v), 3)) {
      length = std::max(length, size);
    }
  }
}

const ObstaclePoses& ObstacleContact::poses(const EnergyMemory* memory) const {
  return memory ? static_cast<const Memory*>(memory)->poses : at_rest_;
}

std::unique_ptr<EnergyMemory> ObstacleContact::make_memory() const {
  return std::make_unique<Memory>(at_rest_);
}

bool ObstacleContact::begin_step(const StepStart& start, EnergyMemory& memory) const {
  static_cast<Memory&>(memory).poses.begin_step(obstacle_.motion, start.t, start.h);
  return false;
}

void ObstacleContact::end_step(double t, EnergyMemory& memory) const {
  static_cast<Memory&>(memory).poses.now = obstacle_.motion.at(t);
}

ContactPoint ObstacleContact::contact_point(std::size_t n, const double* x, const double* d,
                                            const EnergyMemory* memory) const {
  const Penalty penalty(*this, memory, 0);
  const Vec3 at = vertex_at(x, vertices_[n]);
  const Vec3 start = penalty.seen(at);
  const Vec3 gradient =
      penalty
          .in_world(penalty.mean(start, penalty.turned(vertex_at(d, vertices_[n])),
                                 penalty.distance(start), k_[n], 1, false))
          .gradient;
  ContactPoint point{.pressure = gradient.norm(), .weight = {1}};
  if (point.pressure == 0) return point;
  point.normal = gradient / point.pressure;
  point.velocity = poses(memory).velocity(at);
  return point;
}

double ObstacleContact::evaluate(const Evaluation& at) const {
  const Penalty penalty(*this, at.memory, at.projection);
  const bool want_hessian = at.hessian != nullptr;
  double value = 0;
  for (std::size_t n = 0; n < vertices_.size(); ++n) {
    const Vec3 x0 = penalty.seen(vertex_at(at.x0, vertices_[n]));
    const Vec3 d = penalty.turned(vertex_at(at.d, vertices_[n]));
    const SignedDistance start = penalty.distance(x0);
    LocalDerivatives<3> sum;
    if (at.mean) {
      sum = penalty.mean(x0, d, start, k_[n], at.mean->weight, want_hessian);
      if (at.mean->start != 0 && start.value < 0) {
        const Vec3 known = at.mean->start * k_[n] * start.value * start.normal;
        sum.value -= known.dot(d);
        sum.gradient -= known;
      }
    } else {
      for (const WeightedNode& node : at.nodes) {
        if (start.value > std::abs(node.theta) * d.norm()) continue;
        const LocalDerivatives<3> e = penalty.at(x0 + node.theta * d, k_[n], want_hessian);
        sum.value += node.value * e.value;
        sum.gradient += node.gradient * e.gradient;
        if (want_hessian) sum.hessian += node.hessian * e.hessian;
      }
    }
    value += sum.value;
    sum = penalty.in_world(sum);
    if (at.gradient) {
      Eigen::Map<Vec3>(at.gradient + 3 * std::ptrdiff_t{vertices_[n]}) += sum.gradient;
    }
    if (!want_hessian) continue;
    add_element(
        *at.slots, n, {.vertices = 1}, [&](int, int, int r, int c) { return sum.hessian(r, c); },
        at.hessian);
  }
  return value;
}

// The mean over the path is a discrete gradient.
void ObstacleContact::discrete_gradient(const DiscreteEvaluation& at) const {
  const Penalty penalty(*this, at.memory, 0);
  for (std::size_t n = 0; n < vertices_.size(); ++n) {
    const Vec3 x0 = penalty.seen(vertex_at(at.x0, vertices_[n]));
    const Vec3 d = penalty.turned(vertex_at(at.d, vertices_[n]));
    const LocalDerivatives<3> m =
        penalty.in_world(penalty.mean(x0, d, penalty.distance(x0), k_[n], 1, false));
    Eigen::Map<Vec3>(at.gradient + 3 * std::ptrdiff_t{vertices_[n]}) +=
        at.gradient_weight * m.gradient;
  }
}

}  // namespace lilyan
