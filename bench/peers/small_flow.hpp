// What solvers of small systems are asked for.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "small_problem.hpp"

namespace peers {

struct SmallArrival {
  std::vector<double> q, v;
  long steps = 0;
  long evaluations = 0;
  bool failed = false;
};

// Goes from the problem's start to its end. `effort` is the number of steps, or, with error
// control, one over the tolerance.
struct SmallFlow {
  std::string name;
  bool tolerance = false;
  std::function<SmallArrival(double effort, int lengths)> run;
};

// a = −M⁻¹∇E, counting.
template <class Problem>
class SmallAcceleration {
 public:
  SmallAcceleration() {
    for (double& m : inverse_mass_) m = 1 / m;
  }
  [[nodiscard]] std::size_t size() const { return inverse_mass_.size(); }
  [[nodiscard]] long evaluations() const { return evaluations_; }
  void operator()(const double* q, double* a) {
    ++evaluations_;
    problem_.gradient(q, a);
    for (std::size_t i = 0; i < inverse_mass_.size(); ++i) a[i] *= -inverse_mass_[i];
  }

 private:
  Problem problem_;
  typename Problem::Values inverse_mass_ = Problem::mass();
  long evaluations_ = 0;
};

// For SolarSystem and Chain; empty where the package was not found.
template <class Problem>
[[nodiscard]] std::vector<SmallFlow> small_odeint_flows();
template <class Problem>
[[nodiscard]] std::vector<SmallFlow> small_sundials_flows();

}  // namespace peers
