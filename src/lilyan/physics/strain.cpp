#include "lilyan/physics/strain.hpp"

#include <algorithm>
#include <array>

#include "lilyan/core/error.hpp"

namespace lilyan {
namespace {

void check(const Energy& energy, double k) {
  if (!(k >= 0)) throw Error("damping coefficients must not be negative");
  if (!energy.has_moving_rest()) {
    throw Error("strain damping is for elastic energies that have a rest shape of elements (tets)");
  }
}

}  // namespace

ExplicitStrainDamping::ExplicitStrainDamping(const Energy& energy, double k)
    : energy_(energy), k_(k) {
  check(energy, k);
}

void ExplicitStrainDamping::add(const double* x_previous, const double* x, double* impulse) const {
  const std::array<WeightedNode, 1> here{{{.theta = 0, .gradient = -k_}}};
  energy_.evaluate_from(x_previous,
                        {.x0 = x, .nodes = here, .want_value = false, .gradient = impulse});
}

ImplicitStrainDamping::ImplicitStrainDamping(const Energy& energy, double k, int dofs)
    : energy_(energy), k_(k), dofs_(dofs) {
  check(energy, k);
}

void ImplicitStrainDamping::begin_step(const StepStart& start, std::vector<double>& lagged) const {
  lagged.assign(start.x, start.x + dofs_);
  lagged.push_back(start.h);
}

double ImplicitStrainDamping::evaluate(const std::vector<double>& lagged,
                                       const RateEvaluation& at) const {
  const double h = lagged.back();
  const std::array<WeightedNode, 1> there{{{.theta = h,
                                            .value = k_ / (h * h),
                                            .gradient = at.gradient_weight * k_ / h,
                                            .hessian = at.hessian_weight * k_}}};
  return energy_.evaluate_from(lagged.data(), {.x0 = lagged.data(),
                                               .d = at.v,
                                               .nodes = there,
                                               .gradient = at.gradient,
                                               .hessian = at.hessian,
                                               .slots = at.slots,
                                               .projection = at.projection});
}

}  // namespace lilyan
