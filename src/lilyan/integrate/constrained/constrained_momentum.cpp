#include <cmath>
#include <limits>

#include "lilyan/integrate/constrained/constrained.hpp"

namespace lilyan {
namespace {

// |g| in units of the rounding error of its terms, as in constrained.cpp.
constexpr double kClosedGap = 4;
constexpr double kNearlyClosedGap = 64;

}  // namespace

// C and ν are those of z itself, so that the residual is, too.
bool ConstrainedMomentumEquation::evaluate(const Vector& z, Vector& residual) {
  if (!z.allFinite() || equation_.arrive(z) == Equation::Arrival::singular) return false;
  return std::isfinite(equation_.evaluate(z, residual).norm);
}

double ConstrainedMomentumEquation::defect(const Vector& z, const Vector& left) {
  const double velocity = equation_.defect(z, left);
  const double gap = equation_.gap(left);
  closed_ = gap <= kNearlyClosedGap;
  velocity_error_ = gap <= kNearlyClosedGap ? free_.relative_velocity_error()
                                            : std::numeric_limits<double>::infinity();
  return larger(velocity, gap / kClosedGap);
}

bool ConstrainedMomentumEquation::solve(const Vector& z, const Vector& left,
                                        const Newton::Correction& request, Vector& direction,
                                        SolverWork& work) {
  if ((request.renew || !equation_.factorised()) && !equation_.factorise(z, work, times_)) {
    return false;
  }
  const Timer timer(times_.solve);
  equation_.solve(left, direction);
  return direction.allFinite();
}

void ConstrainedMomentumEquation::add_constraints(const Vector& z, Vector& sum) {
  multipliers_ = z.tail(equation_.set().equations());
  equation_.set().add_transposed(equation_.directions(), multipliers_, -1, sum);
}

}  // namespace lilyan
