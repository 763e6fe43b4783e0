// Boost.odeint's explicit symplectic steppers with constant steps, on its default states.
#include <boost/numeric/odeint/stepper/base/symplectic_rkn_stepper_base.hpp>
#include <boost/numeric/odeint/stepper/symplectic_rkn_sb3a_m4_mclachlan.hpp>
#include <boost/numeric/odeint/stepper/symplectic_rkn_sb3a_mclachlan.hpp>
#include <boost/numeric/odeint/stepper/velocity_verlet.hpp>
#include <cmath>

#include "flow.hpp"

namespace peers {
namespace {

namespace odeint = boost::numeric::odeint;
using Values = std::vector<double>;

Arrival arrive(const lilyan::Scene& scene, const Values& u, const Values& v, int steps,
               const Acceleration& acceleration) {
  const auto n = static_cast<Eigen::Index>(u.size());
  Arrival end{.x = scene.initial.x + Eigen::Map<const lilyan::Vector>(u.data(), n),
              .v = Eigen::Map<const lilyan::Vector>(v.data(), n),
              .steps = steps,
              .evaluations = acceleration.evaluations()};
  end.failed = !end.x.allFinite();
  return end;
}

Values start_velocity(const lilyan::Scene& scene) {
  return {scene.initial.v.data(), scene.initial.v.data() + scene.initial.v.size()};
}

template <class Stepper>
Arrival composed(const lilyan::Scene& scene, double time, double effort) {
  Acceleration acceleration(scene);
  Values u(acceleration.size(), 0.0), v = start_velocity(scene);
  const int steps = static_cast<int>(std::ceil(time * effort));
  const double h = time / steps;
  Stepper stepper;
  const auto kick = [&](const Values& at, Values& a) { acceleration(at.data(), a.data()); };
  for (int k = 0; k < steps; ++k)
    stepper.do_step(kick, std::make_pair(std::ref(u), std::ref(v)), k * h, h);
  return arrive(scene, u, v, steps, acceleration);
}

Arrival verlet(const lilyan::Scene& scene, double time, double effort) {
  Acceleration acceleration(scene);
  Values u(acceleration.size(), 0.0), v = start_velocity(scene);
  const int steps = static_cast<int>(std::ceil(time * effort));
  const double h = time / steps;
  odeint::velocity_verlet<Values> stepper;
  const auto kick = [&](const Values& at, const Values&, Values& a, double) {
    acceleration(at.data(), a.data());
  };
  for (int k = 0; k < steps; ++k)
    stepper.do_step(kick, std::make_pair(std::ref(u), std::ref(v)), k * h, h);
  return arrive(scene, u, v, steps, acceleration);
}

}  // namespace

std::vector<Flow> odeint_flows() {
  return {{"odeint velocity_verlet", false, verlet},
          {"odeint sb3a_m4_mclachlan (4)", false,
           composed<odeint::symplectic_rkn_sb3a_m4_mclachlan<Values>>},
          {"odeint sb3a_mclachlan (5)", false,
           composed<odeint::symplectic_rkn_sb3a_mclachlan<Values>>}};
}

}  // namespace peers
