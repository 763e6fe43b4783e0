// TR-BDF2: the trapezoidal rule over a part of the step, then BDF2 over the whole.
//
// Bank, Coughran, Fichtner, Grosse, Rose, Smith: Transient simulation of silicon devices and
// circuits, IEEE Trans. CAD 4, 1985. Hosea, Shampine: Analysis and implementation of TR-BDF2, Appl.
// Numer. Math. 20, 1996.
//
// With δ = (2−√2)/2, γ = 2δ and s the point at t₀ + γh,
//   x_s = x₀ + δh (v₀ + v_s),   v_s = v₀ + δh (a₀ + a_s)                                        (1)
//   x₁ = x₀ + (1−δ)/2 h (v₀+v_s) + δh v₁,   v₁ = v₀ + (1−δ)/2 h (a₀+a_s) + δh a₁                (2)
// (2) is BDF2 on the points 0, γ, 1 with (1) inserted. Eliminating a_s and v_s by (1):
//   d_s = 2δh v₀ + δ²h² (a₀ + a_s),   v_s = d_s/(δh) − v₀                                       (3)
//   (v₀+v_s) = d_s/(δh),   (a₀+a_s) = (v_s − v₀)/(δh),   with k = (1−δ)/(2δ):                   (4)
//   v₁ = (d − k d_s)/(δh),   d = k d_s + δh [v₀ + k (v_s − v₀)] + δ²h² a₁                       (5)
// so both stages have the node (1, δ²).
#include <numbers>

#include "lilyan/method/method.hpp"

namespace lilyan::method {
namespace {

MinimisationTable tr_bdf2_table() {
  const double delta = (2 - std::numbers::sqrt2) / 2;
  const double k = (1 - delta) / (2 * delta);
  const Stage trapezoid{
      .time = 2 * delta,
      .target = {{.point = 0, .velocity = 2 * delta, .force = delta * delta}},  // (3)
      .nodes = {{1, delta * delta}},
      .displacement = 1 / delta,
      .velocity = {{.point = 0, .velocity = -1}},
      .force_velocity = ForceVelocity::own};
  const Stage bdf{.target = {{.point = 1, .position = k, .velocity = delta * k},
                             {.point = 0, .velocity = delta * (1 - k)}},  // (5)
                  .nodes = {{1, delta * delta}},
                  .displacement = 1 / delta,
                  .velocity = {{.point = 1, .position = -k / delta}},
                  .force_velocity = ForceVelocity::own};
  return {.stages = {trapezoid, bdf}};
}

}  // namespace

Method tr_bdf2() {
  return {.name = "tr-bdf2",
          .aliases = {},
          .summary = "second order, two stages; damps the fast motions only",
          .citation = "Bank et al. 1985",
          .use = "stiff, damped motion with some accuracy",
          .parameters = {},
          .make = [](const Parameters&) {
            const double delta = (2 - std::numbers::sqrt2) / 2;
            const double w = (1 - delta) / 2;
            return Scheme{.label = "tr-bdf2",
                          .solve = SolveKind::minimisation,
                          .claims = {.order = 2, .energy = EnergyBehaviour::none},
                          .table = tr_bdf2_table(),
                          .lagrangian = runge_kutta_table({0, 0, 0, delta, delta, 0, w, w, delta},
                                                          {w, w, delta}, {0, 2 * delta, 1})};
          }};
}

}  // namespace lilyan::method
