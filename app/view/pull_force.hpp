// A hand that pulls at one vertex:  F = k (target − x) − c v.
//
// Set between steps, the same all through each of them. What it does to the energy is booked as
// work.
#pragma once

#include <algorithm>

#include "lilyan/core/system_parts.hpp"
#include "lilyan/core/types.hpp"

namespace lilyan::view {

class PullForce final : public Force {
 public:
  void pull(int vertex, const Vec3& target, double stiffness, double damping) {
    vertex_ = vertex;
    target_ = target;
    stiffness_ = stiffness;
    damping_ = damping;
  }
  void release() { stiffness_ = damping_ = 0; }
  // To be called before a step that begins at t.
  void begin_step(double t) { begin_ = t; }

  void add(double t, const double* x, const double* v, double* force) const override {
    static_cast<void>(t);
    if (stiffness_ == 0) return;
    for (int c = 0; c < 3; ++c) {
      const int i = 3 * vertex_ + c;
      force[i] += stiffness_ * (target_[c] - x[i]) - damping_ * v[i];
    }
  }
  // Within a step positions are those at its start and a velocity times the time since: seen that
  // way stiffness is damping, and solvers know of both.
  void add_damping(double t, const double* x, const double* v, double* diagonal) const override {
    static_cast<void>(x), static_cast<void>(v);
    const double entry = damping_ + stiffness_ * std::max(0.0, t - begin_);
    for (int c = 0; c < 3; ++c) diagonal[3 * vertex_ + c] += entry;
  }

 private:
  int vertex_ = 0;
  Vec3 target_ = Vec3::Zero();
  double stiffness_ = 0;
  double damping_ = 0;
  double begin_ = 0;
};

}  // namespace lilyan::view
