#include "lilyan/control/error_control.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <variant>

#include "lilyan/assemble/assembler.hpp"
#include "lilyan/step/external_forces.hpp"

namespace lilyan {
namespace {

constexpr double kSafety = 0.9;
constexpr double kShrink = 0.2;
constexpr double kGrow = 5;
constexpr double kUnsolved = 0.25;
constexpr double kTwoStep = 1.2;   // for 2ᵖ − 1, from (2)
constexpr double kMinStep = 1e-9;  // share of the first step, unless given
// A force that swings through zero at the start is only almost zero there: relative to what it
// gives.
constexpr double kNoForce = 1e-12;
constexpr double kMemory = 4;  // in units of V/A, the time in which V and A fade
constexpr double kLeastVelocity = 1e-3;
constexpr double kLeastAcceleration = 1e-6;

int order(const Claims& claims, const System& system) {
  return !system.forces().empty() && claims.forced_order > 0 ? claims.forced_order : claims.order;
}

}  // namespace

ErrorControl::ErrorControl(Integrator& integrator, const System& system, const Scheme& scheme,
                           const StepControlOptions& options)
    : integrator_(integrator),
      system_(system),
      order_(order(scheme.claims, system)),
      looks_back_(std::holds_alternative<MultistepTable>(scheme.table)),
      doubling_(std::pow(2.0, order_) - 1),
      doubling_after_(looks_back_ ? kTwoStep : doubling_),
      tolerance_(options.tolerance),
      min_step_(options.min_step.value_or(kMinStep * options.step)),
      max_step_(options.max_step.value_or(std::numeric_limits<double>::infinity())),
      h_(std::min(options.step, max_step_)) {}

std::string ErrorControl::attempts() const {
  return fmt::format(", also with a step of {:.3g}, the shortest allowed", min_step_);
}

void ErrorControl::see(const Invariants& at) {
  sizes_.velocity = std::max(sizes_.velocity, std::sqrt(2 * at.scale()));
}

void ErrorControl::fade(double h, double acceleration) {
  sizes_.largest_velocity = std::max(sizes_.largest_velocity, sizes_.velocity);
  sizes_.largest_acceleration =
      std::max({sizes_.largest_acceleration, sizes_.acceleration, acceleration});
  const double left =
      sizes_.velocity > 0 ? std::exp(-h * sizes_.acceleration / (kMemory * sizes_.velocity)) : 1;
  sizes_.velocity = std::max(sizes_.velocity * left, kLeastVelocity * sizes_.largest_velocity);
  sizes_.acceleration = std::max(
      {acceleration, sizes_.acceleration * left, kLeastAcceleration * sizes_.largest_acceleration});
}

StepReport ErrorControl::attempt(State& state, double h) {
  whole_ = start_;
  StepReport whole = integrator_.step(whole_, h);
  if (!succeeded(whole.status)) return whole;
  StepReport halves = integrator_.step(state, h / 2);
  if (looks_back_ && start_.h_previous == 0) state.h_previous = 0;
  if (succeeded(halves.status)) halves.append(integrator_.step(state, h / 2));
  halves.solver_work += whole.solver_work;
  halves.h = h;
  halves.substeps = 1;  // its halves are the rule, not a rescue
  return halves;
}

template <class Expression>
double ErrorControl::norm(const Expression& u) {
  // Prescribed vertices are where they are told to be: their velocities are not the method's.
  if (system_.motions().empty()) {
    return std::sqrt(system_.mass().square(u));
  }
  free_ = u;
  system_.embedding().restrict_displacement(free_);
  return std::sqrt(system_.mass().square(free_));
}

// A difference of the two results that is only rounding error is no reason for shorter steps. Some
// methods make velocities of differences of positions.
double ErrorControl::rounding_x(const State& state) { return 8 * kEpsilon * norm(state.x); }
double ErrorControl::rounding_v(const State& state, double h) {
  return 8 * kEpsilon * norm(state.v) + rounding_x(state) / h;
}

void ErrorControl::start(const State& state) {
  const std::array<WeightedNode, 1> here{{{.theta = 0, .gradient = -1}}};
  Vector force(system_.dofs()), scratch(system_.dofs());
  Assembler({system_, integrator_.memory()}).gradient(state.x, nullptr, here, force);
  add_forces(system_, {state.t, state.t + h_}, state.t, state.x, state.v, 1, scratch, force);
  scratch.setZero();
  system_.mass().add_solved(1, force, scratch);
  sizes_.acceleration = norm(scratch);
  // A body at rest has no energies yet: what its forces give it in the first step will have to do.
  sizes_.velocity = h_ * sizes_.acceleration;
  started_ = true;
}

void ErrorControl::see_start(const State& state, double h) {
  const double gained = norm(state.v - start_.v);
  const double rounding = rounding_v(state, h);
  if (!(gained > rounding) || !std::isfinite(gained)) return;
  const double nothing = rounding + kNoForce * gained;
  if (h * sizes_.acceleration <= nothing) sizes_.acceleration = gained / h;
  if (sizes_.velocity <= nothing) sizes_.velocity = gained;
}

double ErrorControl::error(const State& state, double h) {
  const auto share = [&](double difference, double rounding, double scale) {
    return difference <= rounding ? 0 : (difference - rounding) / (h * scale);
  };
  return std::hypot(share(norm(state.x - whole_.x), rounding_x(state), sizes_.velocity),
                    share(norm(state.v - whole_.v), rounding_v(state, h), sizes_.acceleration)) /
         ((start_.h_previous == 0 ? doubling_ : doubling_after_) * tolerance_);
}

StepReport ErrorControl::step(State& state, double until) {
  if (!started_) start(state);
  start_ = state;
  const double shortest = std::max(min_step_, 16 * kEpsilon * std::abs(state.t));
  const double left = until - state.t;
  double h = fit_step(h_, left);
  SolverWork given_up;  // by attempts that failed or were not accurate enough
  for (bool first = true;; first = false) {
    StepReport report = attempt(state, h);
    const bool solved = succeeded(report.status);
    double e = 0;
    if (solved) {
      see(report.before);  // not of its end, which may be far off
      see_start(state, h);
      e = error(state, h);
    }
    report.solver_work += given_up;
    if (solved && e <= 1) {
      double factor = kGrow;
      if (e > 0) {
        factor = kSafety * std::pow(e, -0.7 / order_) * std::pow(previous_error_, 0.4 / order_);
      }
      // The length just given up would only be given up again.
      factor = std::clamp(factor, kShrink, first ? kGrow : 1.0);
      previous_error_ = std::max(e, 1e-4);
      fade(h, norm(state.v - start_.v) / h);
      see(report.after);
      h_ = std::clamp(factor * h, shortest, std::max(shortest, max_step_));
      if (h == left) state.t = until;
      return report;
    }
    state = start_;
    if (h <= shortest || report.status == StepStatus::stopped) {
      if (solved) report.status = StepStatus::inaccurate;
      report.after = report.before;
      report.ledger = {};
      return report;
    }
    ++rejected_;
    given_up = report.solver_work;
    double factor = kUnsolved;
    if (solved) {
      factor = std::isfinite(e) ? std::clamp(kSafety * std::pow(e, -1.0 / order_), kShrink, kSafety)
                                : kShrink;
    }
    h = std::max(factor * h, shortest);
  }
}

}  // namespace lilyan
