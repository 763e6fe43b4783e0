// Measuring what a method keeps.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "lilyan/lagrangian/problem.hpp"
#include "lilyan/step/integrator.hpp"

namespace lilyan {

// Straight line through points, least squares.
struct Fit {
  double slope = 0;
  double middle = 0;  // mean of y
  double band = 0;    // largest minus smallest deviation from the line
};

inline Fit fit(const std::vector<double>& x, const std::vector<double>& y) {
  const double n = static_cast<double>(x.size());
  double mx = 0, my = 0, xy = 0, xx = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mx += x[i] / n;
    my += y[i] / n;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mx) * (y[i] - my);
    xx += (x[i] - mx) * (x[i] - mx);
  }
  Fit f{.slope = xy / xx, .middle = my};
  double low = INFINITY, high = -INFINITY;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double off = y[i] - my - f.slope * (x[i] - mx);
    low = std::fmin(low, off);
    high = std::fmax(high, off);
  }
  f.band = high - low;
  return f;
}

// The nonlinear motions on which methods are measured, none of them with a symmetry that could hide
// an error: "pendulum" (large swings), "henon-heiles" (two degrees of freedom) and "body" (a small
// St. Venant–Kirchhoff block, stretched, spinning, drifting and twisting). Made once.
[[nodiscard]] const ProblemInstance& verification_problem(const std::string& name);
// A block like "body" that spins and twists a little, and is so stiff that sound crosses it ten times in a step of
// kStiffStep.
[[nodiscard]] const ProblemInstance& stiff_problem();
inline constexpr double kStiffStep = 0.05;
// A pendulum with drag and a periodic drive.
[[nodiscard]] const ProblemInstance& forced_problem();
// The body pressed to 0.4 of its length, where its Hessian is indefinite.
[[nodiscard]] State compressed_body();

// Mass-weighted distance of two states.
[[nodiscard]] double state_distance(const System& system, const State& a, const State& b);

// Slope of log(error) over log(h) at the end of a fixed time, fitted to the errors that are neither
// too large to show the order nor on the plateau of rounding and solver errors.
struct OrderFit {
  double order = 0;
  double smallest_error = 0;
  double largest_error = 0;
  int points = 0;
};
[[nodiscard]] OrderFit measured_order(const ProblemInstance& problem, const Scheme& scheme);

// Largest entry of JᵀΩJ − Ω, where J is the Jacobian of three steps in (√M x, √M v).
[[nodiscard]] double symplectic_defect(const ProblemInstance& problem, const Scheme& scheme,
                                       double h);
// Relative change of ∮ p·dq over a closed curve of initial states, after some steps.
[[nodiscard]] double loop_defect(const ProblemInstance& problem, const Scheme& scheme, double h,
                                 int steps);
// Distance from the start after a step of h and one of −h.
[[nodiscard]] double return_distance(const ProblemInstance& problem, const Scheme& scheme,
                                     double h);

// Largest relative changes of the momenta over a run.
struct MomentumChange {
  double linear = 0;
  double angular = 0;
};
[[nodiscard]] MomentumChange momentum_change(const ProblemInstance& problem, const Scheme& scheme,
                                             double h, int steps);

struct EnergyMotion {
  double worst = 0;       // |H − H₀|/H₀
  double drift = 0;       // slope × duration of a fit to the second half, relative to H₀
  double band = 0;        // of the oscillation about that fit, relative to H₀
  int increases = 0;      // steps that gained energy
  bool completed = true;  // false when a step failed
};
[[nodiscard]] EnergyMotion energy_motion(const System& system, const State& start,
                                         const Scheme& scheme, double h, int steps);

// The kind of behaviour that a method's energies show, and a line that says how.
struct MeasuredEnergy {
  EnergyBehaviour behaviour = EnergyBehaviour::none;
  std::string how;
};
[[nodiscard]] MeasuredEnergy measured_energy(const Scheme& scheme);

}  // namespace lilyan
