#include "lilyan/step/stage_account.hpp"

#include "lilyan/model/sums.hpp"

namespace lilyan {
namespace {

// Adds the impulses of the stages' forces: their effect on M v₁, directly and through later stages.
struct Bookkeeper {
  const System& system;
  const TablePlan& plan;
  double h;
  StepData& data;

  [[nodiscard]] bool forced() const {
    return !system.forces().empty() || !system.dissipations().empty();
  }

  // Calls what is given for the known points of a stage, with the effect on v₁ that they have through it.
  template <class Add>
  void each_known(const StagePlan& stage, double through_d, double directly, const Add& add) const {
    for (const Known& known : stage.stage.target) add(known, through_d);
    for (const Known& known : stage.stage.velocity) add(known, directly);
  }

  void book(const StagePlan& stage, const StageSolution& solution) const {
    StepImpulses& sum = data.impulses;
    const double through_d = h * stage.displacement_effect;
    const double directly = h * stage.velocity_effect;
    if (solution.solved) {
      sum.residual += (stage.displacement_effect / h) * solution.found.residual;
      sum.potential -= (through_d / (h * h)) * solution.found.potential;
    }
    const double start_weight = through_d * stage.start_weight + directly * stage.end_start_weight;
    if (start_weight != 0) sum.potential -= start_weight * data.start.gradient;
    if (!stage.end_nodes.empty()) sum.potential -= directly * solution.end_gradients;
    each_known(stage, through_d, directly, [&](const Known& p, double weight) {
      if (p.force != 0) sum.potential -= (weight * p.force) * data.point(p.point).gradient;
    });
    if (forced()) book_forces(stage, solution, start_weight);
    if (plan.needs_history) book_coasting(stage);
  }

  void book_forces(const StagePlan& stage, const StageSolution& solution,
                   double start_weight) const {
    StepImpulses& sum = data.impulses;
    const double through_d = h * stage.displacement_effect;
    const double directly = h * stage.velocity_effect;
    const bool own = stage.stage.force_velocity == ForceVelocity::own;
    Vector& weighted = data.scratch;
    weighted = solution.dissipation_weight * solution.found.dissipation;
    if (own) weighted += stage.start_weight * data.start.dissipation;
    book(stage, solution, &StagePoint::dissipation, weighted, sum.dissipation,
         sum.dissipation_work);
    sum.dissipation += (directly * solution.end_dissipation) * solution.found.dissipation;
    if (own) {
      const double weight = directly * stage.end_start_weight;
      sum.dissipation += weight * data.start.dissipation;
      sum.force += weight * data.start.dissipation;
    }
    weighted += solution.forces.force;
    book(stage, solution, &StagePoint::force, weighted, sum.force, sum.force_work);
    sum.force += directly * solution.end_forces;
    sum.driven -= (through_d * solution.dissipation_weight + directly * solution.end_dissipation) *
                  solution.driven;
    if (own) sum.driven -= start_weight * data.start.driven;
    each_known(stage, through_d, directly, [&](const Known& p, double weight) {
      sum.driven -= weight * p.force * data.point(p.point).driven;
    });
  }

  void book(const StagePlan& stage, const StageSolution& solution, Vector StagePoint::*force,
            const Vector& weighted, Vector& impulse, double& own_work) const {
    const double through_d = h * stage.displacement_effect;
    const double directly = h * stage.velocity_effect;
    impulse += through_d * weighted;
    // Forces at θ = 0 work with the start's velocity, the others with the stage's.
    const Vector& at_start = data.start.*force;
    const Vector& v = solution.point.v;
    own_work += (through_d * stage.start_weight + directly * stage.end_start_weight) *
                inner(system, at_start, data.start.v);
    own_work +=
        through_d * (inner(system, weighted, v) - stage.start_weight * inner(system, at_start, v));
    each_known(stage, through_d, directly, [&](const Known& p, double weight) {
      if (p.force == 0) return;
      const StagePoint& point = data.point(p.point);
      impulse += (weight * p.force) * (point.*force);
      own_work += (weight * p.force) * inner(system, point.*force, point.v);
    });
  }

  // The velocity at the end of the step that the method would give without any force: v₀, but for
  // methods that look at the step before.
  void book_coasting(const StagePlan& stage) const {
    Vector& coasting = data.impulses.coasting;
    each_known(stage, stage.displacement_effect, stage.velocity_effect,
               [&](const Known& p, double effect) {
                 if (p.point > 0) return;
                 const StagePoint& point = data.point(p.point);
                 if (p.position != 0) coasting += (effect * p.position) * (point.d / h);
                 if (p.velocity != 0) coasting += (effect * p.velocity) * point.v;
               });
  }
};

}  // namespace

void add_up(const System& system, const TablePlan& plan, double h, StepData& data) {
  data.impulses.clear(system.dofs());
  const Bookkeeper books{system, plan, h, data};
  for (std::size_t k = 0; k < plan.stages.size(); ++k) books.book(plan.stages[k], data.stages[k]);
}

StepAccount account_of(const System& system, const TablePlan& plan, double h, StepData& data) {
  const StepImpulses& sum = data.impulses;
  const StagePoint& start = data.start;
  const StagePoint& end = data.stages[plan.stages.size() - 1].point;
  const auto by_mean = [&](const Vector& impulse) {  // w·impulse
    return sum_over(system, [&](int first, int last) {
      const auto part = [&](const Vector& v) { return v.segment(first, last - first); };
      return (0.5 * (part(start.v) + part(end.v))).dot(part(impulse));
    });
  };
  StepAccount account{.residual = by_mean(sum.residual),
                      .potential = by_mean(sum.potential),
                      .driven = sum.driven,
                      .averages_force = plan.averages_force};
  if (!system.forces().empty() || !system.dissipations().empty()) {
    const double all = by_mean(sum.force);  // w·F
    double along = all;                     // the work along the velocities that forces see
    if (plan.needs_history) {
      // The force of this step goes on acting through later ones: the trapezoidal rule instead.
      const auto trapezoid = [&](const Vector& at_start, const Vector& at_end) {
        return 0.5 * h * (inner(system, at_start, start.v) + inner(system, at_end, end.v));
      };
      along = trapezoid(start.force, end.force);
      account.dissipation = trapezoid(start.dissipation, end.dissipation);
      account.driven = -0.5 * h * (start.driven + end.driven);
    } else if (plan.stages.back().stage.force_velocity == ForceVelocity::own) {
      along = sum.force_work;
      account.dissipation = sum.dissipation_work;
    } else {
      // The velocity that dissipation sees is that of the path.
      account.dissipation = inner(system, end.d, sum.dissipation) / h;
      along -= by_mean(sum.dissipation) - account.dissipation;
    }
    account.beside = all - along;
    account.force = along - account.dissipation;
  }
  if (plan.needs_history) {
    system.mass().apply(sum.coasting - start.v, data.scratch);
    account.beside += by_mean(data.scratch);
  }
  return account;
}

}  // namespace lilyan
