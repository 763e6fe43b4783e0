// SUNDIALS with error control on small systems: ARKODE's explicit Runge–Kutta methods (ERKStep) and
// CVODE's Adams methods.
#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>

#include "small_flow.hpp"

namespace peers {
namespace {

constexpr double kAbsolute = 1e-2;  // absolute tolerance per relative one, of the largest value
constexpr long kMaxSteps = 3000000;

template <class Problem>
int right_hand_side(double, N_Vector y, N_Vector dy, void* data) {
  auto& acceleration = *static_cast<SmallAcceleration<Problem>*>(data);
  const auto n = static_cast<std::ptrdiff_t>(acceleration.size());
  const double* from = N_VGetArrayPointer(y);
  double* to = N_VGetArrayPointer(dy);
  std::copy(from + n, from + 2 * n, to);
  acceleration(from, to + n);
  return 0;
}

// Positions and velocities in one of SUNDIALS' vectors, and their absolute tolerances in another.
template <class Problem>
struct Both {
  SmallAcceleration<Problem> acceleration;
  SUNContext context = nullptr;
  N_Vector y, tolerance;

  explicit Both(double relative) {
    SUNContext_Create(nullptr, &context);
    const auto n = static_cast<std::ptrdiff_t>(acceleration.size());
    y = N_VNew_Serial(2 * n, context);
    tolerance = N_VNew_Serial(2 * n, context);
    double* at = N_VGetArrayPointer(y);
    double* within = N_VGetArrayPointer(tolerance);
    for (const auto& values : {Problem::position(), Problem::velocity()}) {
      const double largest =
          std::abs(*std::max_element(values.begin(), values.end(),
                                     [](double a, double b) { return std::abs(a) < std::abs(b); }));
      at = std::copy(values.begin(), values.end(), at);
      within = std::fill_n(within, n, kAbsolute * relative * largest);
    }
  }
  ~Both() {
    N_VDestroy(y);
    N_VDestroy(tolerance);
    SUNContext_Free(&context);
  }
  Both(const Both&) = delete;
  Both& operator=(const Both&) = delete;

  [[nodiscard]] SmallArrival arrive(long steps, bool failed) const {
    const double* a = N_VGetArrayPointer(y);
    const std::size_t n = acceleration.size();
    return {{a, a + n}, {a + n, a + 2 * n}, steps, acceleration.evaluations(), failed};
  }
};

template <class Problem>
SmallFlow arkode(int order) {
  const auto run = [order](double effort, int lengths) {
    const double end = lengths * Problem::kTime;
    Both<Problem> p(1 / effort);
    void* memory = ERKStepCreate(right_hand_side<Problem>, 0, p.y, p.context);
    ERKStepSetUserData(memory, &p.acceleration);
    ERKStepSetOrder(memory, order);
    ERKStepSVtolerances(memory, 1 / effort, p.tolerance);
    ERKStepSetMaxNumSteps(memory, kMaxSteps);
    ERKStepSetStopTime(memory, end);
    ERKStepSetErrFile(memory, nullptr);
    double t = 0;
    const bool failed = ERKStepEvolve(memory, end, p.y, &t, ARK_NORMAL) < 0;
    long steps = 0;
    ERKStepGetNumSteps(memory, &steps);
    ERKStepFree(&memory);
    return p.arrive(steps, failed);
  };
  return {"ARKODE explicit (" + std::to_string(order) + ")", true, run};
}

template <class Problem>
SmallArrival adams(double effort, int lengths) {
  const double end = lengths * Problem::kTime;
  Both<Problem> p(1 / effort);
  void* memory = CVodeCreate(CV_ADAMS, p.context);
  CVodeInit(memory, right_hand_side<Problem>, 0, p.y);
  CVodeSetUserData(memory, &p.acceleration);
  CVodeSVtolerances(memory, 1 / effort, p.tolerance);
  CVodeSetMaxNumSteps(memory, kMaxSteps);
  CVodeSetStopTime(memory, end);
  CVodeSetErrFile(memory, nullptr);
  SUNNonlinearSolver fixed_point = SUNNonlinSol_FixedPoint(p.y, 0, p.context);
  CVodeSetNonlinearSolver(memory, fixed_point);
  double t = 0;
  const bool failed = CVode(memory, end, p.y, &t, CV_NORMAL) < 0;
  long steps = 0;
  CVodeGetNumSteps(memory, &steps);
  CVodeFree(&memory);
  SUNNonlinSolFree(fixed_point);
  return p.arrive(steps, failed);
}

}  // namespace

template <class Problem>
std::vector<SmallFlow> small_sundials_flows() {
  return {arkode<Problem>(4),
          arkode<Problem>(5),
          arkode<Problem>(8),
          {"CVODE Adams", true, adams<Problem>}};
}

template std::vector<SmallFlow> small_sundials_flows<SolarSystem>();
template std::vector<SmallFlow> small_sundials_flows<Chain>();

}  // namespace peers
