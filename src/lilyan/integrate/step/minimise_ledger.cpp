// Where the energy of a step in stages went.
#include "lilyan/integrate/step/commit.hpp"
#include "lilyan/integrate/step/minimise.hpp"
#include "lilyan/integrate/step/prescribed_work.hpp"

namespace lilyan {

// Adds up the impulses of a stage's forces: their effect on M v₁, directly and through later stages.
void MinimiseIntegrator::book_impulses(const StagePlan& plan, std::size_t k, bool solved,
                                       double h) {
  const double through_d = h * plan.displacement_effect;
  const double directly = h * plan.velocity_effect;
  if (solved) potential_impulse_ -= (through_d / (h * h)) * objective_.weighted_gradients();
  const double start_weight = through_d * plan.start_weight + directly * plan.end_start_weight;
  if (start_weight != 0) potential_impulse_ -= start_weight * start_.gradient;
  if (!plan.end_nodes.empty()) potential_impulse_ -= directly * end_gradients_;
  const auto add = [&](const std::vector<Known>& known, double weight) {
    for (const Known& p : known) {
      if (p.force != 0) potential_impulse_ -= (weight * p.force) * point(p.point).gradient;
    }
  };
  add(plan.stage.target, through_d);
  add(plan.stage.velocity, directly);
  if (!forced_) return;

  const bool own = plan.stage.force_velocity == ForceVelocity::own;
  weighted_forces_ = objective_.dissipation_weight() * objective_.dissipation();
  if (own) weighted_forces_ += plan.start_weight * start_.dissipation;
  book(plan, k, h, &Point::dissipation, weighted_forces_, dissipation_);
  dissipation_.impulse += (directly * end_dissipation_) * objective_.dissipation();
  if (own) {
    const double weight = directly * plan.end_start_weight;
    dissipation_.impulse += weight * start_.dissipation;
    forces_.impulse += weight * start_.dissipation;
  }
  weighted_forces_ += objective_.weighted_forces();
  book(plan, k, h, &Point::force, weighted_forces_, forces_);
  forces_.impulse += directly * end_forces_;
  driven_work_ -= (through_d * objective_.dissipation_weight() + directly * end_dissipation_) *
                  objective_.driven_power(points_[k].d);
  if (own) driven_work_ -= start_weight * start_.driven;
  const auto add_driven = [&](const std::vector<Known>& known, double weight) {
    for (const Known& p : known) driven_work_ -= weight * p.force * point(p.point).driven;
  };
  add_driven(plan.stage.target, through_d);
  add_driven(plan.stage.velocity, directly);
}

// The velocity at the end of the step that the method would give without any force: v₀, but for
// methods that look at the step before.
void MinimiseIntegrator::book_coasting(const StagePlan& plan, double h) {
  const auto add = [&](const std::vector<Known>& known, double effect) {
    for (const Known& p : known) {
      if (p.point > 0) continue;
      if (p.position != 0) coasting_velocity_ += (effect * p.position) * (point(p.point).d / h);
      if (p.velocity != 0) coasting_velocity_ += (effect * p.velocity) * point(p.point).v;
    }
  };
  add(plan.stage.target, plan.displacement_effect);
  add(plan.stage.velocity, plan.velocity_effect);
}

void MinimiseIntegrator::book(const StagePlan& plan, std::size_t k, double h, Vector Point::*force,
                              const Vector& weighted, Exchange& to) const {
  const double through_d = h * plan.displacement_effect;
  const double directly = h * plan.velocity_effect;
  to.impulse += through_d * weighted;
  // Forces at θ = 0 work with the start's velocity, the others with the stage's.
  const Vector& at_start = start_.*force;
  to.own_work +=
      (through_d * plan.start_weight + directly * plan.end_start_weight) * at_start.dot(start_.v);
  to.own_work +=
      through_d * (weighted.dot(points_[k].v) - plan.start_weight * at_start.dot(points_[k].v));
  const auto add = [&](const std::vector<Known>& known, double weight) {
    for (const Known& p : known) {
      if (p.force == 0) continue;
      to.impulse += (weight * p.force) * (point(p.point).*force);
      to.own_work += (weight * p.force) * (point(p.point).*force).dot(point(p.point).v);
    }
  };
  add(plan.stage.target, through_d);
  add(plan.stage.velocity, directly);
}

// The impulses of a step add up to the change of momentum,
//   M (v₁ − v₀) = R + P + F + M (c − v₀),                                                       (1)
// R of the residuals, P of the potentials, F of all other forces; c is the velocity without any of
// them, v₀ unless the method looks at the step before. Kinetic energy changes by the product of (1)
// with w = ½(v₀+v₁), so that
//   H₁ − H₀ = w·R + [w·P + E₁ − E₀] + w·F + w·M (c − v₀).                                       (2)
// The first term is the solver's. The second should vanish: it is the quadrature error of ∇E·d for
// averaged forces (where w = u), and the method's own doing otherwise; of the change of potential
// energy, prescribed vertices take their part as work. Forces work along the velocity that they
// see, which need not be w. The difference is the method's, as is the last term.
Ledger MinimiseIntegrator::ledger(const TablePlan& plan, const State& start, const Vector& v1,
                                  const StepReport& report) {
  Ledger result;
  const Vector& v0 = start.v;
  const auto mean = 0.5 * (v0 + v1);
  result.solver = mean.dot(solver_impulse_);
  const bool own = plan.stages.back().stage.force_velocity == ForceVelocity::own;
  const Point& end = points_[plan.stages.size() - 1];
  double beside = 0;  // w·F less the work along the velocities that forces see
  if (forced_) {
    if (plan.needs_history) {
      // The force of this step goes on acting through later ones: the trapezoidal rule instead.
      const auto trapezoid = [&](const Vector& at_start, const Vector& at_end) {
        return 0.5 * report.h * (at_start.dot(v0) + at_end.dot(v1));
      };
      result.work = trapezoid(start_.force, end.force);
      result.dissipation = trapezoid(start_.dissipation, end.dissipation);
      driven_work_ = -0.5 * report.h * (start_.driven + end.driven);
      beside = mean.dot(forces_.impulse) - result.work;
    } else if (own) {
      result.work = forces_.own_work;
      result.dissipation = dissipation_.own_work;
      beside = mean.dot(forces_.impulse) - result.work;
    } else {
      result.work = mean.dot(forces_.impulse);
      // The velocity that dissipation sees is that of the path.
      result.dissipation = end.d.dot(dissipation_.impulse) / report.h;
      beside = mean.dot(dissipation_.impulse) - result.dissipation;
      result.work -= beside;
    }
    result.work -= result.dissipation;
    result.work += driven_work_;
    result.dissipation -= driven_work_;
  }
  if (!system_.motions().empty()) {
    // By the method's own average where it has one, which leaves the quadrature error what it is.
    rule_.clear();
    if (plan.averages_force) {
      for (const Node& node : plan.stages[0].stage.nodes) {
        rule_.push_back({node.theta, 2 * node.weight});
      }
    }
    const double work =
        rule_.empty()
            ? prescribed_work(assembler_.world(), start.x, end.d, weighted_forces_)
            : prescribed_work(assembler_.world(), start.x, end.d, rule_, weighted_forces_);
    result.work += work;
    (plan.averages_force ? result.quadrature : result.method) -= work;
  }
  result.method += beside;
  if (plan.needs_history) {
    weighted_forces_ = coasting_velocity_ - v0;
    result.method += mean.dot(system_.mass().cwiseProduct(weighted_forces_));
  }
  (plan.averages_force ? result.quadrature : result.method) +=
      mean.dot(potential_impulse_) + potential_change(report.before, report.after);
  return result;
}

}  // namespace lilyan
