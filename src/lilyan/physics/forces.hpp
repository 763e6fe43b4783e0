// External forces: viscous drag, and pushes that swing with time.
#pragma once

#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include "lilyan/base/types.hpp"
#include "lilyan/model/mass.hpp"
#include "lilyan/model/system_parts.hpp"

namespace lilyan {

// Viscous drag:  F = −rate · M v. Takes energy out: rate · 2 · kinetic energy per unit of time.
class Drag final : public Force {
 public:
  // mass: of each degree of freedom; rate ≥ 0 in 1/time.
  Drag(Vector mass, double rate) : mass_(std::move(mass)), rate_(rate) {}
  Drag(const Mass& mass, double rate) : Drag(mass.diagonal(), rate) {}

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

// A given force that swings with time:  F = amplitude · cos(2π frequency t + phase), between two
// moments. With frequency and phase zero it is a constant push.
struct DriveTiming {
  double frequency = 0;  // cycles per unit of time
  double phase = 0;      // radians
  double from = -std::numeric_limits<double>::infinity();
  double until = std::numeric_limits<double>::infinity();
};

class Drive final : public Force {
 public:
  // amplitude: force on each degree of freedom.
  Drive(Vector amplitude, const DriveTiming& timing)
      : amplitude_(std::move(amplitude)), timing_(timing) {
    for (const double t : {timing.from, timing.until}) {
      if (std::isfinite(t)) jumps_.push_back(t);
    }
  }

  void add(double t, const double* x, const double* v, double* force) const override {
    static_cast<void>(x), static_cast<void>(v);
    if (t >= timing_.from && t <= timing_.until) swing(t, force);
  }
  [[nodiscard]] std::span<const double> jumps() const override { return jumps_; }
  void add_between_jumps(const TimeSpan& between, double t, const double* x, const double* v,
                         double* force) const override {
    static_cast<void>(x), static_cast<void>(v);
    if (between.begin >= timing_.from && between.end <= timing_.until) swing(t, force);
  }

 private:
  void swing(double t, double* force) const {
    const double swing = std::cos(2 * std::numbers::pi * timing_.frequency * t + timing_.phase);
    for (Eigen::Index i = 0; i < amplitude_.size(); ++i) force[i] += swing * amplitude_[i];
  }

  Vector amplitude_;
  DriveTiming timing_;
  std::vector<double> jumps_;
};

}  // namespace lilyan
