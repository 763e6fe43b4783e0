#include "lilyan/contact/obstacle_contact.hpp"

#include <cmath>
#include <utility>

#include "lilyan/contact/path_mean.hpp"
#include "lilyan/core/error.hpp"

namespace lilyan {
namespace {

// φ = ½k min(d,0)² averaged over the way of d from d₀ to d₁, (2): the function G whose derivative
// the average is, the average itself, and its derivative.
struct LinearMean {
  double value = 0;
  double first = 0;
  double second = 0;
};

LinearMean linear_mean(double k, double d0, double d1) {
  LinearMean m;
  const double half = 0.5 * k;
  if (d0 < 0 && d1 < 0) {
    m = {.value = half * (d0 * d1 + 0.5 * d1 * d1), .first = half * (d0 + d1), .second = half};
  } else if (d1 < 0) {
    const double u = d1 - d0;
    const double log_part = d0 > 0 ? d0 * d0 * std::log(-u / d0) : 0.0;
    m.value = half * (0.5 * (u * u - d0 * d0) + 2 * d0 * (u + d0) + log_part);
    m.first = half * d1 * d1 / u;
    m.second = half * d1 * (d1 - 2 * d0) / (u * u);
  } else if (d0 < 0) {
    const double u = d1 - d0;
    m.value = -half * d0 * d0 * std::log(u / -d0);
    m.first = -half * d0 * d0 / u;
    m.second = half * d0 * d0 / (u * u);
  }
  return m;
}

// Raises the negative one of the two parts of (1)'s Hessian: k n nᵀ is not, and k d ∇²d is at right
// angles to it.
Eigen::Matrix3d curved_part(const SignedDistance& d, double projection) {
  const double negative = d.value * d.curvature.trace();
  return (negative < 0 ? 1 - projection : 1.0) * d.value * d.curvature;
}

LocalDerivatives<3> penalty(const ObstacleContact& contact, double k, const Vec3& x,
                            bool want_hessian, double projection) {
  LocalDerivatives<3> e;
  const SignedDistance d = contact.distance(x);
  if (!(d.value < 0)) return e;
  e.value = 0.5 * k * d.value * d.value;
  e.gradient = k * d.value * d.normal;
  if (want_hessian) {
    e.hessian = k * (d.normal * d.normal.transpose() + curved_part(d, projection));
  }
  return e;
}

}  // namespace

ObstacleContact::ObstacleContact(Obstacle obstacle, std::vector<int> vertices, double k,
                                 double thickness)
    : obstacle_(std::move(obstacle)),
      vertices_(std::move(vertices)),
      k_(k),
      thickness_(thickness),
      pose_(obstacle_.motion.at(0)),
      step_from_(pose_),
      step_to_(pose_),
      extent_(extent(obstacle_.shape)) {
  if (!(k > 0)) throw Error("the stiffness of a contact must be positive");
}

bool ObstacleContact::begin_step(const StepOpening& opening) {
  pose_ = obstacle_.motion.at(opening.t + 0.5 * opening.h);
  step_from_ = obstacle_.motion.at(opening.t);
  step_to_ = obstacle_.motion.at(opening.t + opening.h);
  step_h_ = opening.h;
  return false;
}

void ObstacleContact::end_step(double t) { pose_ = obstacle_.motion.at(t); }

SignedDistance ObstacleContact::distance(const Vec3& x) const {
  const bool moves = obstacle_.motion.moves();
  SignedDistance d = signed_distance(obstacle_.shape, moves ? pose_.undo(x) : x);
  if (moves) {
    d.normal = pose_.rotation * d.normal;
    d.curvature = pose_.rotation * d.curvature * pose_.rotation.transpose();
  }
  if (obstacle_.inside_out) {
    d.value = -d.value;
    d.normal = -d.normal;
    d.curvature = -d.curvature;
  }
  d.value -= thickness_;
  return d;
}

Vec3 ObstacleContact::velocity(const Vec3& x) const {
  if (step_h_ == 0 || !obstacle_.motion.moves()) return Vec3::Zero();
  const Vec3 material = pose_.undo(x);
  return (step_to_.apply(material) - step_from_.apply(material)) / step_h_;
}

Vec3 ObstacleContact::mean_gradient(const Vec3& x0, const Vec3& d) const {
  const SignedDistance start = distance(x0);
  if (start.value > d.norm()) return Vec3::Zero();
  if (flat())
    return linear_mean(k_, start.value, start.value + start.normal.dot(d)).first * start.normal;
  const auto energy = [&](const Vec3& x, bool hessian) {
    return penalty(*this, k_, x, hessian, 0);
  };
  return path_mean<3>(energy, x0, d, size(x0), false).gradient;
}

Touch ObstacleContact::touch(std::size_t n, const double* x, const double* d) const {
  const std::ptrdiff_t i = 3 * static_cast<std::ptrdiff_t>(vertices_[n]);
  const Vec3 start = Eigen::Map<const Vec3>(x + i);
  const Vec3 moved = d ? Vec3(Eigen::Map<const Vec3>(d + i)) : Vec3(Vec3::Zero());
  const Vec3 gradient = mean_gradient(start, moved);
  Touch t{.pressure = gradient.norm(), .weight = {1}};
  if (t.pressure == 0) return t;
  t.normal = gradient / t.pressure;
  t.velocity = velocity(start);
  return t;
}

double ObstacleContact::evaluate(const Evaluation& at) const {
  double value = 0;
  for (std::size_t n = 0; n < vertices_.size(); ++n) {
    const std::ptrdiff_t i = 3 * static_cast<std::ptrdiff_t>(vertices_[n]);
    const Vec3 x0 = Eigen::Map<const Vec3>(at.x0 + i);
    const Vec3 d = at.d ? Vec3(Eigen::Map<const Vec3>(at.d + i)) : Vec3(Vec3::Zero());
    const SignedDistance start = distance(x0);
    LocalDerivatives<3> sum;
    if (at.mean) {
      // The distance changes by no more than the vertex moves.
      if (start.value > d.norm()) continue;
      if (flat()) {
        const LinearMean m = linear_mean(k_, start.value, start.value + start.normal.dot(d));
        sum.value = at.mean->weight * m.value;
        sum.gradient = at.mean->weight * m.first * start.normal;
        sum.hessian = at.mean->weight * m.second * start.normal * start.normal.transpose();
      } else {
        const auto energy = [&](const Vec3& x, bool hessian) {
          return penalty(*this, k_, x, hessian, at.projection);
        };
        const LocalDerivatives<3> m = path_mean<3>(energy, x0, d, size(x0), at.hessian != nullptr);
        sum.value = at.mean->weight * m.value;
        sum.gradient = at.mean->weight * m.gradient;
        if (at.hessian) sum.hessian = at.mean->weight * m.hessian;
      }
      if (at.mean->start != 0 && start.value < 0) {
        const Vec3 known = at.mean->start * k_ * start.value * start.normal;
        sum.value -= known.dot(d);
        sum.gradient -= known;
      }
    } else {
      for (const WeightedNode& node : at.nodes) {
        if (start.value > std::abs(node.theta) * d.norm()) continue;
        const LocalDerivatives<3> e =
            penalty(*this, k_, x0 + node.theta * d, at.hessian != nullptr, at.projection);
        sum.value += node.value * e.value;
        sum.gradient += node.gradient * e.gradient;
        if (at.hessian) sum.hessian += node.hessian * e.hessian;
      }
    }
    value += sum.value;
    if (at.gradient) Eigen::Map<Vec3>(at.gradient + i) += sum.gradient;
    if (at.hessian) {
      const int length = at.slots->column_length[n];
      for (int c = 0; c < 3; ++c) {
        double* column = at.hessian + at.slots->position[n] + c * length - c * (c + 1) / 2;
        for (int r = c; r < 3; ++r) column[r] += sum.hessian(r, c);
      }
    }
  }
  return value;
}

// The mean over the path is a discrete gradient.
void ObstacleContact::discrete_gradient(const DiscreteEvaluation& at) const {
  for (std::size_t n = 0; n < vertices_.size(); ++n) {
    const std::ptrdiff_t i = 3 * static_cast<std::ptrdiff_t>(vertices_[n]);
    const Vec3 x0 = Eigen::Map<const Vec3>(at.x0 + i);
    const Vec3 d = Eigen::Map<const Vec3>(at.d + i);
    const SignedDistance start = distance(x0);
    if (start.value > d.norm()) continue;
    LocalDerivatives<3> m;
    if (flat()) {
      const LinearMean l = linear_mean(k_, start.value, start.value + start.normal.dot(d));
      m.gradient = l.first * start.normal;
      m.hessian = l.second * start.normal * start.normal.transpose();
    } else {
      const auto energy = [&](const Vec3& x, bool hessian) {
        return penalty(*this, k_, x, hessian, 0);
      };
      m = path_mean<3>(energy, x0, d, size(x0), at.jacobian != nullptr);
    }
    if (at.gradient) Eigen::Map<Vec3>(at.gradient + i) += at.gradient_weight * m.gradient;
    if (at.jacobian && at.slots->position[n] >= 0) {
      for (int c = 0; c < 3; ++c) {
        double* column = at.jacobian + at.slots->position[n] + c * at.slots->column_length[n];
        for (int r = 0; r < 3; ++r) column[r] += at.jacobian_weight * m.hessian(r, c);
      }
    }
  }
}

}  // namespace lilyan
