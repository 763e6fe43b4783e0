// A conservative system as an explicit solver sees it, and what such solvers are asked for.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "app/scene/scene.hpp"
#include "lilyan/assemble/assembler.hpp"
#include "lilyan/model/state.hpp"

namespace peers {

// a = −M⁻¹∇E(x₀ + u) for displacements u from the start; zero at fixed vertices. (Displacements,
// since a relative tolerance on positions would depend on where the origin is.)
class Acceleration {
 public:
  explicit Acceleration(const lilyan::Scene& scene)
      : start_(scene.initial.x),
        inverse_mass_(scene.system->mass().cwiseInverse()),
        assembler_(*scene.system),
        u_(start_.size()),
        gradient_(start_.size()) {}

  [[nodiscard]] int size() const { return static_cast<int>(start_.size()); }
  [[nodiscard]] int evaluations() const { return evaluations_; }

  void operator()(const double* u, double* a) {
    ++evaluations_;
    u_ = Eigen::Map<const lilyan::Vector>(u, u_.size());
    assembler_.gradient(start_, &u_, kThere, gradient_);
    Eigen::Map<lilyan::Vector>(a, u_.size()).array() = -inverse_mass_.array() * gradient_.array();
  }

 private:
  static constexpr std::array<lilyan::WeightedNode, 1> kThere{{{.theta = 1, .gradient = 1}}};

  const lilyan::Vector& start_;
  lilyan::Vector inverse_mass_;
  lilyan::Assembler assembler_;
  lilyan::Vector u_, gradient_;
  int evaluations_ = 0;
};

struct Arrival {
  lilyan::Vector x, v;
  int steps = 0;
  int evaluations = 0;
  bool failed = false;
};

// Goes from the scene's start to the given time. `effort` is the number of steps per unit of time,
// or, with error control, one over the tolerance.
struct Flow {
  std::string name;
  bool tolerance = false;
  std::function<Arrival(const lilyan::Scene&, double time, double effort)> run;
};

// Empty where the package was not found.
[[nodiscard]] std::vector<Flow> odeint_flows();
[[nodiscard]] std::vector<Flow> sundials_flows();

}  // namespace peers
