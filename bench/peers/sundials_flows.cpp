// SUNDIALS with error control: ARKODE's explicit Runge–Kutta methods, CVODE's Adams and BDF.
#include <arkode/arkode_arkstep.h>
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <stdexcept>

#include "flow.hpp"

namespace peers {
namespace {

constexpr double kAbsolute = 1e-2;  // absolute tolerance per relative one
// With too loose a tolerance a run can blow up and creep.
constexpr long kMaxSteps = 100000;

int right_hand_side(double, N_Vector y, N_Vector dy, void* acceleration) {
  auto& a = *static_cast<Acceleration*>(acceleration);
  const int n = a.size();
  const double* from = N_VGetArrayPointer(y);
  double* to = N_VGetArrayPointer(dy);
  std::copy(from + n, from + 2 * n, to);
  a(from, to + n);
  return 0;
}

// Displacements and velocities in one of SUNDIALS' vectors.
class Problem {
 public:
  explicit Problem(const lilyan::Scene& scene) : acceleration(scene), scene_(scene) {
    SUNContext_Create(nullptr, &context);
    const int n = acceleration.size();
    y = N_VNew_Serial(2 * n, context);
    std::fill_n(N_VGetArrayPointer(y), n, 0.0);
    std::copy_n(scene.initial.v.data(), n, N_VGetArrayPointer(y) + n);
  }
  ~Problem() {
    N_VDestroy(y);
    SUNContext_Free(&context);
  }
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;

  [[nodiscard]] Arrival arrive(long steps, bool failed) const {
    const int n = acceleration.size();
    const double* a = N_VGetArrayPointer(y);
    return {.x = scene_.initial.x + Eigen::Map<const lilyan::Vector>(a, n),
            .v = Eigen::Map<const lilyan::Vector>(a + n, n),
            .steps = static_cast<int>(steps),
            .evaluations = acceleration.evaluations(),
            .failed = failed};
  }

  Acceleration acceleration;
  SUNContext context = nullptr;
  N_Vector y = nullptr;

 private:
  const lilyan::Scene& scene_;
};

Flow arkode(int order) {
  const auto run = [order](const lilyan::Scene& scene, double time, double effort) {
    Problem p(scene);
    void* memory = ARKStepCreate(right_hand_side, nullptr, 0, p.y, p.context);
    ARKStepSetUserData(memory, &p.acceleration);
    ARKStepSetOrder(memory, order);
    ARKStepSStolerances(memory, 1 / effort, kAbsolute / effort);
    ARKStepSetMaxNumSteps(memory, kMaxSteps);
    ARKStepSetStopTime(memory, time);
    ARKStepSetErrFile(memory, nullptr);
    double t = 0;
    const bool failed = ARKStepEvolve(memory, time, p.y, &t, ARK_NORMAL) < 0;
    long steps = 0;
    ARKStepGetNumSteps(memory, &steps);
    ARKStepFree(&memory);
    return p.arrive(steps, failed);
  };
  return {"ARKODE explicit (" + std::to_string(order) + ")", true, run};
}

// Adams with fixed-point iteration; BDF with Newton's and GMRES without a matrix.
Arrival cvode(const lilyan::Scene& scene, double time, double effort, int method) {
  Problem p(scene);
  void* memory = CVodeCreate(method, p.context);
  CVodeInit(memory, right_hand_side, 0, p.y);
  CVodeSetUserData(memory, &p.acceleration);
  CVodeSStolerances(memory, 1 / effort, kAbsolute / effort);
  CVodeSetMaxNumSteps(memory, kMaxSteps);
  CVodeSetStopTime(memory, time);
  CVodeSetErrFile(memory, nullptr);
  SUNNonlinearSolver fixed_point = nullptr;
  SUNLinearSolver gmres = nullptr;
  if (method == CV_ADAMS) {
    fixed_point = SUNNonlinSol_FixedPoint(p.y, 0, p.context);
    CVodeSetNonlinearSolver(memory, fixed_point);
  } else {
    gmres = SUNLinSol_SPGMR(p.y, SUN_PREC_NONE, 0, p.context);
    CVodeSetLinearSolver(memory, gmres, nullptr);
  }
  double t = 0;
  const bool failed = CVode(memory, time, p.y, &t, CV_NORMAL) < 0;
  long steps = 0;
  CVodeGetNumSteps(memory, &steps);
  CVodeFree(&memory);
  if (fixed_point) SUNNonlinSolFree(fixed_point);
  if (gmres) SUNLinSolFree(gmres);
  return p.arrive(steps, failed);
}

}  // namespace

std::vector<Flow> sundials_flows() {
  return {arkode(4),
          arkode(8),
          {"CVODE Adams", true,
           [](const lilyan::Scene& s, double t, double e) { return cvode(s, t, e, CV_ADAMS); }},
          {"CVODE BDF, GMRES", true,
           [](const lilyan::Scene& s, double t, double e) { return cvode(s, t, e, CV_BDF); }}};
}

}  // namespace peers
