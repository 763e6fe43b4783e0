// One implicit step of a scene as others see it: Φ(d), its gradient and Hessian, a start, and the
// test for having arrived that Lilyan itself uses.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "app/scene/scene.hpp"
#include "lilyan/assemble/assembler.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/assemble/pattern.hpp"
#include "lilyan/step/integrator.hpp"
#include "lilyan/step/stage_equation.hpp"
#include "peer.hpp"

namespace peers {

// Methods of one stage without known forces at the start of the step: implicit midpoint, AVF with
// Gauss points, backward Euler.
class StepProblem {
 public:
  StepProblem(const lilyan::Scene& scene, const lilyan::Scheme& scheme, double h)
      : scene_(scene),
        stage_(std::get<lilyan::MinimisationTable>(scheme.table).stages.at(0)),
        h_(h),
        assembler_(*scene.system),
        work_(assembler_, scene.settings.solver),
        full_(assembler_.hessian_pattern()),
        lower_(static_cast<std::size_t>(assembler_.hessian_pattern().storage())) {
    const lilyan::State& start = scene.initial;
    work_.begin_step(start, h, {start.t, start.t + h});
    target_ = h * start.v;
    equation_.emplace(work_,
                      lilyan::StageTerms{.x0 = &start.x,
                                         .target = &target_,
                                         .h = h,
                                         .nodes = stage_.nodes,
                                         .force_nodes = stage_.nodes,
                                         .velocity_weight = stage_.displacement,
                                         .energy_scale = invariants(*scene.system, start).scale()});
  }

  [[nodiscard]] const lilyan::Scene& scene() const { return scene_; }
  [[nodiscard]] double h() const { return h_; }
  [[nodiscard]] int size() const { return static_cast<int>(scene_.initial.x.size()); }
  [[nodiscard]] lilyan::Vector start() const { return h_ * scene_.initial.v; }
  [[nodiscard]] const lilyan::FullPattern& pattern() const { return full_; }
  [[nodiscard]] const lilyan::StageEquation& equation() const { return *equation_; }

  double evaluate(const lilyan::Vector& d, lilyan::Vector& gradient) {
    const CpuTimer timer(seconds_);
    ++evaluations_;
    at_.z = d;
    equation_->linearise(d, forces_);
    equation_->evaluate(forces_, at_);
    gradient = at_.residual;
    return at_.value;
  }
  // Lower triangle in the half pattern of pattern().
  const std::vector<double>& hessian(const lilyan::Vector& d) {
    const CpuTimer timer(seconds_);
    equation_->hessian(forces_, d, 0, lower_);
    return lower_;
  }
  [[nodiscard]] double defect(const lilyan::Vector& d, const lilyan::Vector& gradient) {
    return equation_->defect(d, gradient).share;
  }

  // Counts what is done until its end as time within callbacks.
  [[nodiscard]] CpuTimer timer() { return CpuTimer(seconds_); }

  // Since the last call of clear().
  [[nodiscard]] int evaluations() const { return evaluations_; }
  [[nodiscard]] double seconds() const { return seconds_; }
  void clear() {
    evaluations_ = 0;
    seconds_ = 0;
  }

 private:
  const lilyan::Scene& scene_;
  lilyan::Stage stage_;
  double h_;
  lilyan::Assembler assembler_;
  lilyan::StageWorkspace work_;
  std::optional<lilyan::StageEquation> equation_;
  lilyan::Linearised forces_;
  lilyan::Iterate at_;
  lilyan::Vector target_;
  lilyan::FullPattern full_;
  std::vector<double> lower_;
  int evaluations_ = 0;
  double seconds_ = 0;
};

struct Outcome {
  int iterations = 0;
  int linear = -1;
  int evaluations = 0;
  double seconds = 0;
  double callback = kNone;
  lilyan::Vector d;
  std::string status;
};

// A way to solve the step, prepared once and run from the same start again and again.
class Candidate {
 public:
  Candidate() = default;
  Candidate(const Candidate&) = delete;
  Candidate& operator=(const Candidate&) = delete;
  virtual ~Candidate() = default;
  virtual Outcome solve() = 0;
};

struct NamedSolver {
  std::string name;
  std::function<std::unique_ptr<Candidate>(const lilyan::Scene&, const lilyan::Scheme&, double h)>
      make;
};

[[nodiscard]] std::vector<NamedSolver> lilyan_solvers();
// Empty without PETSc.
[[nodiscard]] std::vector<NamedSolver> petsc_solvers();

}  // namespace peers
