// Lilyan's two ways to solve an implicit step: its minimiser, and a root find on the gradient.
#include "lilyan/control/make_integrator.hpp"
#include "lilyan/solve/linear_solver.hpp"
#include "lilyan/solve/root.hpp"
#include "lilyan/solve/timer.hpp"
#include "step_problem.hpp"

namespace peers {
namespace {

using namespace lilyan;

// As the program does it: a step of the integrator, its ledger of energies included.
class Minimiser final : public Candidate {
 public:
  Minimiser(const Scene& scene, const Scheme& scheme, double h)
      : scene_(scene),
        h_(h),
        integrator_(make_integrator(*scene.system, scheme, scene.settings.solver)) {}

  Outcome solve() override {
    State state = scene_.initial;
    const NewtonTimes before = integrator_->times();
    Outcome outcome;
    StepReport report;
    {
      const CpuTimer timer(outcome.seconds);
      report = integrator_->step(state, h_);
    }
    const NewtonTimes after = integrator_->times();
    outcome.iterations = static_cast<int>(report.solver_work.iterations);
    outcome.linear = static_cast<int>(report.solver_work.linear_iterations);
    outcome.evaluations = static_cast<int>(report.solver_work.evaluations);
    outcome.callback = after.assembly - before.assembly + after.evaluation - before.evaluation;
    outcome.d = state.x - scene_.initial.x;
    outcome.status = succeeded(report.status) ? "" : std::string(describe(report.status));
    return outcome;
  }

 private:
  const Scene& scene_;
  double h_;
  std::unique_ptr<Integrator> integrator_;
};

// ∇Φ = 0 as an equation whose symmetry is not made use of.
class GradientEquation final : public Equation {
 public:
  explicit GradientEquation(StepProblem& problem)
      : problem_(problem), lu_(make_lu()), diagonal_(problem.size()) {
    const FullPattern& p = problem.pattern();
    const std::vector<double> zero(p.row().size(), 0.0);
    jacobian_ = Eigen::Map<const SparseMatrix>(
        p.dofs(), p.dofs(), p.entries(), p.column_start().data(), p.row().data(), zero.data());
  }

  void evaluate(Iterate& at) override {
    problem_.evaluate(at.z, at.residual);
    at.norm = problem_.equation().norm(at.residual);
  }
  bool factorise(const Vector& d, SolverWork& work, NewtonTimes& times) override {
    const Timer timer(times.factorisation);
    ++work.factorisations;
    const FullPattern& p = problem_.pattern();
    p.mirror(problem_.hessian(d),
             {jacobian_.valuePtr(), static_cast<std::size_t>(jacobian_.nonZeros())});
    for (int c = 0; c < p.dofs(); ++c) diagonal_[c] = jacobian_.valuePtr()[p.diagonal()[c]];
    return lu_->factorise(jacobian_);
  }
  void solve(const Vector& residual, Vector& direction) override {
    lu_->solve(residual, direction);
    direction = -direction;
  }
  Defect defect(const Iterate& at) override {
    return problem_.equation().defect(at.z, at.residual);
  }
  bool at_rounding(const Iterate& at) override {
    return at.norm <= problem_.equation().rounding(at.z, 0, diagonal_).gradient;
  }

 private:
  StepProblem& problem_;
  std::unique_ptr<GeneralSolver> lu_;
  SparseMatrix jacobian_;
  Vector diagonal_;
};

class Root final : public Candidate {
 public:
  Root(const Scene& scene, const Scheme& scheme, double h)
      : problem_(scene, scheme, h),
        equation_(problem_),
        finder_(problem_.size(), scene.settings.solver.newton) {}

  Outcome solve() override {
    problem_.clear();
    Outcome outcome;
    NewtonResult result;
    {
      const CpuTimer timer(outcome.seconds);
      Iterate at{.z = problem_.start()};
      result = finder_.solve(equation_, at, problem_.scene().settings.solver.newton.max_iterations);
      outcome.d = at.z;
    }
    outcome.iterations = static_cast<int>(result.work.iterations);
    outcome.evaluations = problem_.evaluations();
    outcome.callback = problem_.seconds();
    outcome.status = succeeded(result.status) ? "" : std::string(describe(result.status));
    return outcome;
  }

 private:
  StepProblem problem_;
  GradientEquation equation_;
  RootFinder finder_;
};

template <class T>
NamedSolver named(std::string name) {
  return {std::move(name), [](const Scene& scene, const Scheme& scheme, double h) {
            return std::unique_ptr<Candidate>(std::make_unique<T>(scene, scheme, h));
          }};
}

}  // namespace

std::vector<NamedSolver> lilyan_solvers() {
  return {named<Minimiser>("lilyan minimiser"),
          named<Root>("lilyan root, " + std::string(make_lu()->name()))};
}

}  // namespace peers
