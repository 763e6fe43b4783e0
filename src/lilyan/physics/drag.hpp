// Viscous drag:  F = −rate · M v. Takes energy out: rate · 2 · kinetic energy per unit of time.
#pragma once

#include "lilyan/core/system_parts.hpp"
#include "lilyan/core/types.hpp"

namespace lilyan {

class Drag final : public Force {
 public:
  // mass: of each degree of freedom; rate ≥ 0 in 1/time.
  Drag(Vector mass, double rate) : mass_(std::move(mass)), rate_(rate) {}

  void add(double t, const double* x, const double* v, double* force) const override {
    static_cast<void>(t), static_cast<void>(x);
    for (Eigen::Index i = 0; i < mass_.size(); ++i) force[i] -= rate_ * mass_[i] * v[i];
  }
  void add_damping(double t, const double* x, const double* v, double* diagonal) const override {
    static_cast<void>(t), static_cast<void>(x), static_cast<void>(v);
    for (Eigen::Index i = 0; i < mass_.size(); ++i) diagonal[i] += rate_ * mass_[i];
  }

 private:
  Vector mass_;
  double rate_;
};

}  // namespace lilyan
