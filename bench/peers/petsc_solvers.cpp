// PETSc on the same step: TAO minimises Φ, SNES looks for a root of its gradient.
//
// All stop at Lilyan's own measure of the error left; what else would stop them early is switched
// off.
#include <petscsnes.h>
#include <petsctao.h>

#include <cstdlib>

#include "petsc_step.hpp"

namespace peers {
namespace {

using namespace lilyan;

// Options carry a prefix of their own for every solver made.
std::string next_prefix(const std::string& options) {
  static int count = 0;
  const std::string prefix = fmt::format("p{}_", count++);
  std::string all = options;
  for (std::size_t at = 0; (at = all.find('@', at)) != std::string::npos;) {
    all.replace(at, 1, "-" + prefix);
  }
  check(PetscOptionsInsertString(nullptr, all.c_str()));
  return prefix;
}

// A part of PETSc's log of its own for every solver made.
PetscLogStage new_stage(const std::string& prefix, const std::string& options) {
  PetscLogStage stage = 0;
  check(PetscLogStageRegister((prefix + " " + options).c_str(), &stage));
  return stage;
}

class Logged {
 public:
  explicit Logged(PetscLogStage stage) { PetscLogStagePush(stage); }
  ~Logged() { PetscLogStagePop(); }
  Logged(const Logged&) = delete;
  Logged& operator=(const Logged&) = delete;
};

class TaoSolver final : public Candidate {
 public:
  TaoSolver(const Scene& scene, const Scheme& scheme, double h, bool blocks,
            const std::string& options)
      : step_(scene, scheme, h, blocks) {
    check(TaoCreate(PETSC_COMM_SELF, &tao_));
    const std::string prefix = next_prefix(options);
    stage_ = new_stage(prefix, options);
    check(TaoSetOptionsPrefix(tao_, prefix.c_str()));
    check(TaoSetSolution(tao_, step_.x));
    check(TaoSetObjectiveAndGradient(tao_, nullptr, evaluate, &step_));
    check(TaoSetHessian(tao_, step_.matrix, step_.matrix, hessian, &step_));
    check(TaoSetTolerances(tao_, 0, 0, 0));
    check(TaoSetMaximumIterations(tao_, scene.settings.solver.newton.max_iterations));
    check(TaoSetConvergenceTest(tao_, test, &step_));
    check(TaoSetFromOptions(tao_));
  }
  ~TaoSolver() override { TaoDestroy(&tao_); }

  Outcome solve() override {
    step_.problem.clear();
    Outcome o;
    const Logged logged(stage_);
    {
      const CpuTimer timer(o.seconds);
      PetscStep::write(step_.problem.start(), step_.x);
      check(TaoSolve(tao_));
    }
    TaoConvergedReason reason{};
    TaoGetConvergedReason(tao_, &reason);
    PetscInt n = 0, linear = 0;
    TaoGetTotalIterationNumber(tao_, &n);
    TaoGetIterationNumber(tao_, &n);
    TaoGetLinearSolveIterations(tao_, &linear);
    o.iterations = n;
    o.linear = linear;
    o.evaluations = step_.problem.evaluations();
    o.callback = step_.problem.seconds();
    o.d.resize(step_.problem.size());
    PetscStep::read(step_.x, o.d);
    if (reason < 0) o.status = TaoConvergedReasons[reason];
    return o;
  }

 private:
  static PetscErrorCode evaluate(Tao, Vec x, PetscReal* phi, Vec g, void* step) {
    *phi = static_cast<PetscStep*>(step)->evaluate(x, g);
    return 0;
  }
  static PetscErrorCode hessian(Tao, Vec x, Mat m, Mat, void* step) {
    static_cast<PetscStep*>(step)->fill(x, m);
    return 0;
  }
  static PetscErrorCode test(Tao tao, void* step) {
    Vec x = nullptr, g = nullptr;
    PetscInt n = 0, most = 0;
    TaoGetSolution(tao, &x);
    TaoGetGradient(tao, &g, nullptr, nullptr);
    TaoGetIterationNumber(tao, &n);
    TaoGetMaximumIterations(tao, &most);
    if (static_cast<PetscStep*>(step)->arrived(x, g)) {
      TaoSetConvergedReason(tao, TAO_CONVERGED_USER);
    } else if (n >= most) {
      TaoSetConvergedReason(tao, TAO_DIVERGED_MAXITS);
    }
    return 0;
  }

  PetscStep step_;
  Tao tao_ = nullptr;
  PetscLogStage stage_ = 0;
};

class SnesSolver final : public Candidate {
 public:
  SnesSolver(const Scene& scene, const Scheme& scheme, double h, bool blocks,
             const std::string& options)
      : step_(scene, scheme, h, blocks) {
    check(SNESCreate(PETSC_COMM_SELF, &snes_));
    const std::string prefix = next_prefix(options);
    stage_ = new_stage(prefix, options);
    check(SNESSetOptionsPrefix(snes_, prefix.c_str()));
    check(SNESSetFunction(snes_, step_.f, evaluate, &step_));
    check(SNESSetJacobian(snes_, step_.matrix, step_.matrix, jacobian, &step_));
    check(SNESSetTolerances(snes_, 0, 0, 0, scene.settings.solver.newton.max_iterations, 100000));
    check(SNESSetConvergenceTest(snes_, test, &step_, nullptr));
    check(SNESSetFromOptions(snes_));
  }
  ~SnesSolver() override { SNESDestroy(&snes_); }

  Outcome solve() override {
    step_.problem.clear();
    Outcome o;
    const Logged logged(stage_);
    {
      const CpuTimer timer(o.seconds);
      PetscStep::write(step_.problem.start(), step_.x);
      check(SNESSolve(snes_, nullptr, step_.x));
    }
    SNESConvergedReason reason{};
    SNESGetConvergedReason(snes_, &reason);
    PetscInt n = 0, linear = 0;
    SNESGetIterationNumber(snes_, &n);
    SNESGetLinearSolveIterations(snes_, &linear);
    o.iterations = n;
    o.linear = linear;
    o.evaluations = step_.problem.evaluations();
    o.callback = step_.problem.seconds();
    o.d.resize(step_.problem.size());
    PetscStep::read(step_.x, o.d);
    if (reason < 0) o.status = SNESConvergedReasons[reason];
    return o;
  }

 private:
  static PetscErrorCode evaluate(SNES, Vec x, Vec f, void* step) {
    static_cast<PetscStep*>(step)->evaluate(x, f);
    return 0;
  }
  static PetscErrorCode jacobian(SNES, Vec x, Mat m, Mat, void* step) {
    static_cast<PetscStep*>(step)->fill(x, m);
    return 0;
  }
  static PetscErrorCode test(SNES snes, PetscInt, PetscReal, PetscReal, PetscReal,
                             SNESConvergedReason* reason, void* step) {
    Vec x = nullptr, f = nullptr;
    SNESGetSolution(snes, &x);
    SNESGetFunction(snes, &f, nullptr, nullptr);
    *reason = static_cast<PetscStep*>(step)->arrived(x, f) ? SNES_CONVERGED_FNORM_ABS
                                                           : SNES_CONVERGED_ITERATING;
    return 0;
  }

  PetscStep step_;
  SNES snes_ = nullptr;
  PetscLogStage stage_ = 0;
};

// '@' in the options stands for the solver's own prefix.
template <class T>
NamedSolver named(const std::string& name, bool blocks, const std::string& options) {
  return {
      name, [=](const Scene& scene, const Scheme& scheme, double h) {
        return std::unique_ptr<Candidate>(std::make_unique<T>(scene, scheme, h, blocks, options));
      }};
}

}  // namespace

std::vector<NamedSolver> petsc_solvers() {
  check(PetscInitializeNoArguments());
  // So that PETSc writes its log at the end, where PETSC_OPTIONS=-log_view asks for it.
  std::atexit([] { PetscFinalize(); });
  check(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
  const std::string nls = "@tao_type nls ", ntr = "@tao_type ntr ", bnls = "@tao_type bnls ";
  const std::string newton = "@snes_type newtonls ", direct = "@ksp_type preonly ";
  return {
      named<TaoSolver>("TAO nls, default", true, nls),
      named<TaoSolver>("TAO nls, Cholesky PETSc", false, nls + "@tao_nls_pc_type cholesky"),
      named<TaoSolver>("TAO nls, Cholesky MUMPS", false,
                       nls + "@tao_nls_pc_type cholesky @tao_nls_pc_factor_mat_solver_type mumps"),
      named<TaoSolver>("TAO bnls, default", true, bnls),
      named<TaoSolver>("TAO bnls, Cholesky MUMPS", false,
                       bnls + "@tao_bnk_pc_type cholesky @tao_bnk_pc_factor_mat_solver_type mumps"),
      named<TaoSolver>("TAO ntr, default", true, ntr),
      named<TaoSolver>("TAO ntr, Cholesky MUMPS", false,
                       ntr + "@tao_ntr_pc_type cholesky @tao_ntr_pc_factor_mat_solver_type mumps"),
      named<SnesSolver>("SNES newtonls, default", true, newton),
      named<SnesSolver>("SNES newtonls, LU PETSc", false, newton + direct + "@pc_type lu"),
      named<SnesSolver>("SNES newtonls, LU MUMPS", false,
                        newton + direct + "@pc_type lu @pc_factor_mat_solver_type mumps"),
      named<SnesSolver>("SNES newtonls, LU UMFPACK", false,
                        newton + direct + "@pc_type lu @pc_factor_mat_solver_type umfpack")};
}

}  // namespace peers
