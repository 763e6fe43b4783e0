// Where the energy of a step in stages went.
#include "lilyan/integrate/step/minimise.hpp"
#include "lilyan/integrate/step/prescribed_work.hpp"

namespace lilyan {
namespace {

double potential_change(const Invariants& before, const Invariants& after) {
  double change = 0;
  for (std::size_t k = 0; k < kEnergyKinds; ++k) change += after.potential[k] - before.potential[k];
  return change;
}

}  // namespace

// What the forces of a stage add to M v₁, directly and through later stages.
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

// Kinetic energy changes by ½(v₀+v₁)·M(v₁−v₀): the residuals' part of M(v₁−v₀) is the solver's,
// that of external forces is work. The potentials' part and the change of potential energy should
// cancel: what is left is, for averaged forces (where ½(v₀+v₁) = u), the quadrature error of ∇E·d,
// and for the others what the method does to the energy. A method that looks at the step before
// changes the velocity by that as well.
Ledger MinimiseIntegrator::ledger(const TablePlan& plan, const State& start, const Vector& v1,
                                  const StepReport& report) {
  Ledger result;
  const Vector& v0 = start.v;
  const auto mean = 0.5 * (v0 + v1);
  result.solver = mean.dot(solver_impulse_);
  const bool own = plan.stages.back().stage.force_velocity == ForceVelocity::own;
  const Point& end = points_[plan.stages.size() - 1];
  double beside = 0;  // of the kinetic energy, what dissipation takes beyond its own velocity
  if (forced_) {
    if (plan.needs_history) {
      // The force of this step goes on acting through later ones: the trapezoidal rule instead.
      const auto trapezoid = [&](const Vector& at_start, const Vector& at_end) {
        return 0.5 * report.h * (at_start.dot(v0) + at_end.dot(v1));
      };
      result.work = trapezoid(start_.force, end.force);
      result.dissipation = trapezoid(start_.dissipation, end.dissipation);
      driven_work_ = -0.5 * report.h * (start_.driven + end.driven);
    } else if (own) {
      result.work = forces_.own_work;
      result.dissipation = dissipation_.own_work;
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
    const double work = rule_.empty()
                            ? prescribed_work(system_, start.x, end.d, weighted_forces_)
                            : prescribed_work(system_, start.x, end.d, rule_, weighted_forces_);
    result.work += work;
    (plan.averages_force ? result.quadrature : result.method) -= work;
  }
  if (plan.needs_history || (forced_ && own)) {
    result.method =
        report.after.total - report.before.total - result.solver - result.work - result.dissipation;
    return result;
  }
  result.method += beside;
  (plan.averages_force ? result.quadrature : result.method) +=
      mean.dot(potential_impulse_) + potential_change(report.before, report.after);
  return result;
}

}  // namespace lilyan
