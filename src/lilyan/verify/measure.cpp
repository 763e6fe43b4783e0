#include "lilyan/verify/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lilyan/assemble/invariants.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/control/make_integrator.hpp"

namespace lilyan {
namespace {

using Matrix = Eigen::MatrixXd;

// Advances by a number of steps; throws when one fails.
State run_steps(const System& system, const Scheme& scheme, State state, double h, int steps) {
  const auto integrator = make_integrator(system, scheme, {});
  for (int k = 0; k < steps; ++k) {
    const StepReport r = integrator->step(state, h);
    if (!succeeded(r.status)) {
      throw Error(fmt::format("{}: a step of {} {}", scheme.label, h, describe(r.status)));
    }
    state.t = (k + 1) * h;  // not a sum of rounding errors, which forces would see
  }
  return state;
}

// How long each motion is followed to measure the order, and with how many steps the reference is
// computed: explicit methods of order 6 and, for forces that depend on velocities, 4, whose errors
// at that many steps are below 1e-13.
struct OrderRun {
  double time;
  int first_steps;  // of the coarsest run
  int reference_steps;
};

OrderRun order_run(const ProblemInstance& problem) {
  if (!problem.system->forces().empty()) return {3, 12, 60000};
  return problem.system->dimension() == 3 ? OrderRun{1.2, 10, 1500} : OrderRun{3, 12, 2000};
}

State reference_state(const ProblemInstance& problem) {
  const OrderRun s = order_run(problem);
  const Scheme scheme = problem.system->forces().empty()
                            ? make_scheme("blanes-moan", {{"order", 6.0}})
                            : make_scheme("rk4");
  return run_steps(*problem.system, scheme, problem.initial, s.time / s.reference_steps,
                   s.reference_steps);
}

}  // namespace

double state_distance(const System& system, const State& a, const State& b) {
  return std::sqrt(system.mass().square(a.x - b.x) + system.mass().square(a.v - b.v));
}

OrderFit measured_order(const ProblemInstance& problem, const Scheme& scheme) {
  // High orders pass quickly from errors that do not show the order yet to the plateau.
  const int p = scheme.claims.order;
  const double growth = p < 6 ? 1.5 : 1.2;
  const double largest = 2e-2 * std::pow(10, -0.5 * (p - 1));  // relative
  // Solved to rounding errors, which leaves the high orders room between their plateau and where
  // they begin to show.
  const SolverOptions tight{.energy_tolerance = 1e-16, .velocity_tolerance = 1e-16};
  constexpr double kPlateau = 1e-12;
  constexpr int kPoints = 5;
  const OrderRun s = order_run(problem);
  const State truth = reference_state(problem);
  State origin = truth;
  origin.x.setZero();
  origin.v.setZero();
  const double size = state_distance(*problem.system, truth, origin);
  std::vector<double> log_h, log_error;
  const double most = 16000.0 / std::max(1, cost(scheme).solves + cost(scheme).forces);
  for (double n = p < 6 ? s.first_steps : s.first_steps / 4.0; n < most; n *= growth) {
    const int steps = static_cast<int>(std::lround(n));
    const auto integrator = make_integrator(*problem.system, scheme, tight);
    State state = problem.initial;
    bool ran = true;
    for (int k = 0; k < steps && ran; ++k) {
      ran = succeeded(integrator->step(state, s.time / steps).status);
      state.t = s.time * (k + 1) / steps;
    }
    if (!ran) continue;  // unstable at this step
    const double error = state_distance(*problem.system, state, truth) / size;
    if (error > largest) continue;
    if (error < kPlateau) break;
    log_h.push_back(std::log(s.time / steps));
    log_error.push_back(std::log(error));
    // Low orders need no more than a few points at small errors.
    if (static_cast<int>(log_h.size()) >= kPoints && error < 1e-3 * std::pow(10, -p)) {
      break;
    }
  }
  // The finest ones: errors of higher order have faded there.
  while (static_cast<int>(log_h.size()) > kPoints) {
    log_h.erase(log_h.begin());
    log_error.erase(log_error.begin());
  }
  OrderFit result{.points = static_cast<int>(log_h.size())};
  if (result.points < 3) return result;
  result.order = fit(log_h, log_error).slope;
  result.smallest_error = std::exp(log_error.back());
  result.largest_error = std::exp(log_error.front());
  return result;
}

double symplectic_defect(const ProblemInstance& problem, const Scheme& scheme, double h) {
  const System& system = *problem.system;
  const int n = system.dofs();
  const Mass& mass = system.mass();
  const auto unit = [&](int k) { return 1 / std::sqrt(mass.square(Vector::Unit(n, k))); };
  const auto map = [&](int column, double shift) {
    State s = problem.initial;
    (column < n ? s.x : s.v)[column % n] += shift * unit(column % n);
    s = run_steps(system, scheme, s, h, 3);
    Vector out(2 * n);
    out << s.x, s.v;
    return out;
  };
  // Fourth-order differences, whose error is far below the defect of what is not symplectic.
  constexpr double e = 5e-4;
  Matrix J(2 * n, 2 * n);
  for (int c = 0; c < 2 * n; ++c) {
    J.col(c) = (8 * (map(c, e) - map(c, -e)) - (map(c, 2 * e) - map(c, -2 * e))) / (12 * e);
  }
  // Entry (i, j) of JᵀΩJ is q_i·M v_j − v_i·M q_j for the columns (q, v) of J; Ω has ±1 at i = j ∓ n.
  Matrix defect(2 * n, 2 * n);
  for (int i = 0; i < 2 * n; ++i) {
    for (int j = 0; j < 2 * n; ++j) {
      const double omega = j == i + n ? 1 : i == j + n ? -1 : 0;
      defect(i, j) = mass.product(J.col(i).head(n), J.col(j).tail(n)) -
                     mass.product(J.col(i).tail(n), J.col(j).head(n)) - omega;
    }
  }
  return defect.cwiseAbs().maxCoeff();
}

double loop_defect(const ProblemInstance& problem, const Scheme& scheme, double h, int steps) {
  const System& system = *problem.system;
  constexpr int kPoints = 96;  // the curve is smooth, so its Fourier series converges fast
  const int n = system.dofs();
  Matrix q(kPoints, n), p(kPoints, n);
  const auto integral = [&] {
    // dq/ds by the derivative of the trigonometric interpolant.
    double sum = 0;
    for (int i = 0; i < kPoints; ++i) {
      for (int j = 0; j < kPoints; ++j) {
        if (i == j) continue;
        const double weight =
            ((i - j) % 2 == 0 ? 0.5 : -0.5) / std::tan(std::numbers::pi * (i - j) / kPoints);
        sum += weight * p.row(i).dot(q.row(j));
      }
    }
    return sum * 2 * std::numbers::pi / kPoints;
  };
  double before = 0;
  for (const bool moved : {false, true}) {
    for (int i = 0; i < kPoints; ++i) {
      const double s = 2 * std::numbers::pi * i / kPoints;
      State state = problem.initial;
      for (int k = 0; k < n; ++k) {
        state.x[k] += 0.1 * std::cos(s + k);
        state.v[k] += 0.1 * std::sin(s + 0.3 * k);
      }
      if (moved) state = run_steps(system, scheme, state, h, steps);
      q.row(i) = state.x;
      system.mass().apply(state.v, p.row(i));
    }
    if (!moved) before = integral();
  }
  return std::abs(integral() / before - 1);
}

double return_distance(const ProblemInstance& problem, const Scheme& scheme, double h) {
  const auto integrator = make_integrator(*problem.system, scheme, {});
  State state = problem.initial;
  for (const double step : {h, -h}) {
    const StepReport r = integrator->step(state, step);
    if (!succeeded(r.status)) throw Error(scheme.label + ": " + std::string(describe(r.status)));
  }
  return state_distance(*problem.system, state, problem.initial);
}

MomentumChange momentum_change(const ProblemInstance& problem, const Scheme& scheme, double h,
                               int steps) {
  const auto integrator = make_integrator(*problem.system, scheme, {});
  State state = problem.initial;
  const Invariants first = invariants(*problem.system, state);
  MomentumChange worst;
  for (int k = 0; k < steps; ++k) {
    const StepReport r = integrator->step(state, h);
    if (!succeeded(r.status)) throw Error(scheme.label + ": " + std::string(describe(r.status)));
    worst.linear = std::max(worst.linear, (r.after.linear_momentum - first.linear_momentum).norm());
    worst.angular =
        std::max(worst.angular, (r.after.angular_momentum - first.angular_momentum).norm());
  }
  worst.linear /= first.linear_momentum.norm();
  worst.angular /= first.angular_momentum.norm();
  return worst;
}

EnergyMotion energy_motion(const System& system, const State& start, const Scheme& scheme, double h,
                           int steps) {
  EnergyMotion result;
  const auto integrator = make_integrator(system, scheme, {});
  State state = start;
  std::vector<double> t, H;
  double H0 = 0;
  for (int k = 0; k < steps; ++k) {
    const StepReport r = integrator->step(state, h);
    if (!succeeded(r.status)) {
      result.completed = false;
      return result;
    }
    if (k == 0) H0 = r.before.total;
    result.worst = std::max(result.worst, std::abs(r.after.total - H0) / H0);
    // Gains below rounding are none.
    result.increases += r.after.total - r.before.total > 1e-14 * H0;
    // The first half lets the oscillation settle: it spreads over the modes.
    if (2 * k >= steps) {
      t.push_back(state.t);
      H.push_back(r.after.total / H0);
    }
  }
  const Fit line = fit(t, H);
  result.drift = line.slope * (t.back() - t.front());
  result.band = line.band;
  return result;
}

MeasuredEnergy measured_energy(const Scheme& scheme) {
  const ProblemInstance& body = verification_problem("body");
  const EnergyMotion large = energy_motion(*body.system, body.initial, scheme, 0.25, 200);
  if (large.completed && large.worst <= 1e-11) {
    return {EnergyBehaviour::exact, fmt::format("|ΔE|/E {:.0e} at large steps", large.worst)};
  }
  const EnergyMotion small = energy_motion(*body.system, body.initial, scheme, 0.02, 2000);
  const EnergyMotion pressed = energy_motion(*body.system, compressed_body(), scheme, 0.02, 200);
  if (small.completed && pressed.completed && small.increases + pressed.increases == 0 &&
      small.worst > 1e-9) {
    return {EnergyBehaviour::dissipates, fmt::format("lost {:.0e} in 2000 steps", small.worst)};
  }
  // Long runs, at a step where the oscillation is far above rounding errors.
  const ProblemInstance& star = verification_problem("henon-heiles");
  double h = 0.1;
  while (h < 0.4) {
    const EnergyMotion tried = energy_motion(*star.system, star.initial, scheme, h, 400);
    if (!tried.completed || tried.worst > 1e-9) break;
    h *= 2;
  }
  const EnergyMotion motion = energy_motion(*star.system, star.initial, scheme, h, 20000);
  const bool bounded =
      motion.completed && motion.worst < 0.2 && std::abs(motion.drift) <= 0.1 * motion.band;
  return {bounded ? EnergyBehaviour::bounded : EnergyBehaviour::none,
          motion.completed ? fmt::format("drift {:+.0e} in a band of {:.0e} over 20000 steps",
                                         motion.drift, motion.band)
                           : "a long run failed"};
}

}  // namespace lilyan
