#include "lilyan/verify/verification.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lilyan/base/error.hpp"
#include "lilyan/verify/measure.hpp"

namespace lilyan {
namespace {

// A claimed property must hold to solver accuracy; a property that is not claimed must be clearly
// absent. Nothing may lie between.
Check present_or_absent(std::string property, bool claimed, double defect, double holds,
                        double absent) {
  return {std::move(property), claimed ? "yes" : "no", fmt::format("{:.1e}", defect),
          claimed ? defect <= holds : defect >= absent};
}

Check order_check(const std::string& property, int claimed, const ProblemInstance& problem,
                  const Scheme& scheme) {
  const OrderFit fit = measured_order(problem, scheme);
  Check check{property, fmt::format("{}", claimed), "too few errors to fit", false};
  if (fit.points < 3) return check;
  check.measured = fmt::format("{:.2f} (errors {:.0e} to {:.0e})", fit.order, fit.largest_error,
                               fit.smallest_error);
  check.passed = std::abs(fit.order - claimed) <= 0.15 + 0.02 * claimed;
  return check;
}

}  // namespace

Check check_order_conditions(const Scheme& scheme) {
  Check check{"order conditions of the table", fmt::format("{}", scheme.claims.order),
              "no coefficients", true};
  if (const auto order = order_by_conditions(scheme)) {
    check.measured = fmt::format("{}", *order);
    check.passed = *order == scheme.claims.order;
  }
  return check;
}

std::vector<Check> check_order(const Scheme& scheme) {
  std::vector<Check> checks;
  for (const char* name : {"pendulum", "henon-heiles", "body"}) {
    checks.push_back(order_check(fmt::format("order on {}", name), scheme.claims.order,
                                 verification_problem(name), scheme));
  }
  return checks;
}

Check check_forced_order(const Scheme& scheme) {
  const int claimed = scheme.claims.forced_order ? scheme.claims.forced_order : scheme.claims.order;
  return order_check("order with drag and drive", claimed, forced_problem(), scheme);
}

std::vector<Check> check_symplectic(const Scheme& scheme) {
  const bool claimed = scheme.claims.symplectic;
  return {present_or_absent(
              "symplectic, by the Jacobian", claimed,
              std::max(symplectic_defect(verification_problem("body"), scheme, 0.1),
                       symplectic_defect(verification_problem("henon-heiles"), scheme, 0.5)),
              1e-8, 1e-5),
          present_or_absent("symplectic, by ∮p·dq", claimed,
                            loop_defect(verification_problem("henon-heiles"), scheme, 0.5, 10),
                            1e-10, 1e-7)};
}

Check check_symmetric(const Scheme& scheme) {
  return present_or_absent("symmetric", scheme.claims.symmetric,
                           return_distance(verification_problem("body"), scheme, 0.1), 1e-11, 1e-5);
}

std::vector<Check> check_momenta(const Scheme& scheme) {
  // Explicit Euler survives only short steps.
  const bool fragile = scheme.claims.energy == EnergyBehaviour::none &&
                       scheme.solve == SolveKind::explicit_ && scheme.claims.order == 1;
  const MomentumChange change =
      momentum_change(verification_problem("body"), scheme, fragile ? 0.005 : 0.05, 200);
  return {present_or_absent("linear momentum", scheme.claims.linear_momentum, change.linear, 1e-12,
                            1e-9),
          present_or_absent("angular momentum", scheme.claims.angular_momentum, change.angular,
                            1e-11, 1e-8)};
}

Check check_energy(const Scheme& scheme) {
  const MeasuredEnergy measured = measured_energy(scheme);
  return {"energy", std::string(name(scheme.claims.energy)),
          fmt::format("{}: {}", name(measured.behaviour), measured.how),
          measured.behaviour == scheme.claims.energy};
}

Check check_stiff(const Scheme& scheme) {
  constexpr int kSteps = 20;
  constexpr double kHolds = 1e-9;
  const ProblemInstance& body = stiff_problem();
  const Claims& claims = scheme.claims;
  // Explicit steps are unstable there.
  const bool claimed = claims.stiff && scheme.solve != SolveKind::explicit_;
  Check check{"what is exact, of a stiff body", claimed ? "yes" : "no", "", false};
  const auto judge = [&](bool holds, std::string measured) {
    check.measured = std::move(measured);
    check.passed = holds == claimed;
    return check;
  };
  const EnergyMotion energy = energy_motion(*body.system, body.initial, scheme, kStiffStep, kSteps);
  if (!energy.completed || !std::isfinite(energy.worst)) return judge(false, "a step fails");
  const MomentumChange momenta = momentum_change(body, scheme, kStiffStep, kSteps);
  double worst = 0;
  std::string text;
  const auto look = [&](bool claimed, const char* symbol, double change) {
    if (!claimed) return;
    worst = std::max(worst, std::isnan(change) ? 1 : change);
    text += fmt::format("{}{} {:.0e}", text.empty() ? "" : ", ", symbol, change);
  };
  look(claims.energy == EnergyBehaviour::exact, "|ΔE|/E", energy.worst);
  look(claims.linear_momentum, "|ΔP|/|P|", momenta.linear);
  look(claims.angular_momentum, "|ΔL|/|L|", momenta.angular);
  return judge(worst <= kHolds, text);
}

bool Verification::passed() const {
  return std::ranges::all_of(checks, [](const Check& c) { return c.passed; });
}

Verification verify(const Scheme& scheme) {
  Verification result;
  const auto add = [&](std::vector<Check> more) {
    for (Check& c : more) result.checks.push_back(std::move(c));
  };
  // A step that cannot even be taken is a failed check, not the end of the verification.
  const auto guarded = [&](const char* what, const auto& measure) {
    try {
      add(measure());
    } catch (const Error& error) {
      result.checks.push_back({what, "", error.what(), false});
    }
  };
  guarded("order conditions", [&] { return std::vector{check_order_conditions(scheme)}; });
  guarded("order", [&] { return check_order(scheme); });
  guarded("order with drag and drive", [&] { return std::vector{check_forced_order(scheme)}; });
  guarded("symplectic", [&] { return check_symplectic(scheme); });
  guarded("symmetric", [&] { return std::vector{check_symmetric(scheme)}; });
  guarded("momenta", [&] { return check_momenta(scheme); });
  guarded("energy", [&] { return std::vector{check_energy(scheme)}; });
  guarded("what is exact, of a stiff body", [&] { return std::vector{check_stiff(scheme)}; });
  return result;
}

}  // namespace lilyan
