// Boost.odeint's explicit symplectic steppers with constant steps: std::array where the number of
// coordinates is known, std::vector otherwise.
#include <boost/numeric/odeint/stepper/base/symplectic_rkn_stepper_base.hpp>
#include <boost/numeric/odeint/stepper/symplectic_rkn_sb3a_m4_mclachlan.hpp>
#include <boost/numeric/odeint/stepper/symplectic_rkn_sb3a_mclachlan.hpp>
#include <boost/numeric/odeint/stepper/velocity_verlet.hpp>

#include "small_flow.hpp"

namespace peers {
namespace {

namespace odeint = boost::numeric::odeint;

template <class Problem, class Stepper, class Kick>
SmallArrival run(double effort, int lengths, const Kick& kick,
                 SmallAcceleration<Problem>& acceleration) {
  typename Problem::Values q = Problem::position(), v = Problem::velocity();
  const double h = Problem::kTime / std::ceil(effort);
  const long steps = lengths * static_cast<long>(std::ceil(effort));
  Stepper stepper;
  for (long k = 0; k < steps; ++k) {
    stepper.do_step(kick, std::make_pair(std::ref(q), std::ref(v)), static_cast<double>(k) * h, h);
  }
  return {{q.begin(), q.end()}, {v.begin(), v.end()}, steps, acceleration.evaluations(), false};
}

template <class Problem, class Stepper>
SmallArrival composed(double effort, int lengths) {
  using Values = typename Problem::Values;
  SmallAcceleration<Problem> acceleration;
  const auto kick = [&](const Values& at, Values& a) { acceleration(at.data(), a.data()); };
  return run<Problem, Stepper>(effort, lengths, kick, acceleration);
}

template <class Problem>
SmallArrival verlet(double effort, int lengths) {
  using Values = typename Problem::Values;
  SmallAcceleration<Problem> acceleration;
  const auto kick = [&](const Values& at, const Values&, Values& a, double) {
    acceleration(at.data(), a.data());
  };
  return run<Problem, odeint::velocity_verlet<Values>>(effort, lengths, kick, acceleration);
}

}  // namespace

template <class Problem>
std::vector<SmallFlow> small_odeint_flows() {
  using Values = typename Problem::Values;
  return {{"odeint velocity_verlet", false, verlet<Problem>},
          {"odeint sb3a_m4_mclachlan", false,
           composed<Problem, odeint::symplectic_rkn_sb3a_m4_mclachlan<Values>>},
          {"odeint sb3a_mclachlan", false,
           composed<Problem, odeint::symplectic_rkn_sb3a_mclachlan<Values>>}};
}

template std::vector<SmallFlow> small_odeint_flows<SolarSystem>();
template std::vector<SmallFlow> small_odeint_flows<Chain>();

}  // namespace peers
