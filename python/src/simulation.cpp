#include "simulation.hpp"

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <limits>
#include <utility>

#include "app/run/conservation.hpp"
#include "callbacks.hpp"
#include "lilyan/base/error.hpp"

namespace lilyan::python {
namespace {

constexpr std::chrono::milliseconds kPulse{50};
constexpr int kFewSteps = 10;
constexpr int kSmallSystem = 50;  // coordinates

// While a step of a large system is made nobody looks for Ctrl-C, so its signal also sets the flag that steps look at.
class InterruptFlag {
 public:
  InterruptFlag(std::atomic<bool>& flag, bool wanted) : wanted_(wanted) {
    if (!wanted_) return;
    target = &flag;
    struct sigaction ours = {};
    ours.sa_handler = on_interrupt;
    sigaction(SIGINT, &ours, &python);
    wanted_ = python.sa_handler != SIG_IGN && python.sa_handler != SIG_DFL;
    if (!wanted_) sigaction(SIGINT, &python, nullptr);
  }
  ~InterruptFlag() {
    if (!wanted_) return;
    sigaction(SIGINT, &python, nullptr);
    target = nullptr;
  }
  InterruptFlag(const InterruptFlag&) = delete;
  InterruptFlag& operator=(const InterruptFlag&) = delete;

 private:
  static void on_interrupt(int signal) {
    if (std::atomic<bool>* flag = target) *flag = true;
    python.sa_handler(signal);
  }

  static inline std::atomic<std::atomic<bool>*> target = nullptr;
  static inline struct sigaction python = {};
  bool wanted_;
};

bool is_main_thread() {
  const py::module_ threading = py::module_::import("threading");
  return threading.attr("current_thread")().is(threading.attr("main_thread")());
}

}  // namespace

PlannedScene::PlannedScene(Scene given)
    : scene(std::move(given)), steps(scene.settings.steps), duration(scene.settings.duration) {
  scene.settings.output.interval = 0;
  if (scene.settings.variable_steps()) return;
  scene.settings.steps = std::numeric_limits<int>::max();
  scene.settings.duration = std::numeric_limits<double>::infinity();
}

void Recording::add(const RunMoment& moment) {
  if (moment.report) {
    ledger_ += moment.report->ledger;
    iterations_ += moment.report->solver_work.iterations;
  }
  if (moment.step % every_ == 0) add_row(moment);
  if (frames_every_ > 0 && moment.step % frames_every_ == 0) add_frame(moment);
}

void Recording::add_last(const RunMoment& moment) {
  if (row_step_ != moment.step) add_row(moment);
  if (frames_every_ > 0 && frame_step_ != moment.step) add_frame(moment);
}

void Recording::add_row(const RunMoment& moment) {
  const Invariants& now = moment.invariants;
  row_step_ = moment.step;
  const double h = moment.report ? moment.report->h : 0;
  const Vec3& p = now.linear_momentum;
  const Vec3& l = now.angular_momentum;
  for (const double number : {moment.state.t,
                              h,
                              now.kinetic,
                              now.of(EnergyKind::elastic),
                              now.of(EnergyKind::gravity),
                              now.of(EnergyKind::contact),
                              now.of(EnergyKind::potential),
                              now.total,
                              moment.drift.energy().relative(),
                              p[0],
                              p[1],
                              p[2],
                              l[0],
                              l[1],
                              l[2],
                              ledger_.solver,
                              ledger_.quadrature,
                              ledger_.work,
                              ledger_.dissipation,
                              ledger_.method,
                              static_cast<double>(iterations_)}) {
    rows.push_back(number);
  }
  ledger_ = {};
  iterations_ = 0;
}

void Recording::add_frame(const RunMoment& moment) {
  const State& state = moment.state;
  frame_step_ = moment.step;
  frame_times.push_back(state.t);
  x.insert(x.end(), state.x.begin(), state.x.end());
  v.insert(v.end(), state.v.begin(), state.v.end());
}

Simulation::Simulation(py::object scene)
    : scene_of_python_(std::move(scene)),
      scene_(&py::cast<PlannedScene&>(scene_of_python_)),
      drift_(follow_drift(scene_->scene)),
      run_(scene_->scene, drift_, &stop_),
      watch_(scene_->scene) {}

void Simulation::require_still(const std::string& to_do) const {
  if (!busy_ || (between_steps_ && stepper_ == std::this_thread::get_id())) return;
  throw Error(fmt::format(
      "cannot {} while this simulation is being stepped{}: wait until the steps are made, "
      "or do it in the callback of step()",
      to_do, stepper_ == std::this_thread::get_id() ? "" : " by another thread"));
}

State& Simulation::begin_editing() {
  require_still("edit the state");
  ++editors_;
  return run_.editable_state();
}

void Simulation::end_editing() {
  --editors_;
  run_.state_changed();
}

int Simulation::advance(int n, const py::object& callback, int every, Recording* recording,
                        bool whole) {
  if (n < 0) throw Error("the number of steps cannot be negative");
  if (every < 1) throw Error("'every' must be at least 1");
  if (busy_) throw Error("this simulation is being stepped already, by another thread");
  if (editors_ > 0) {
    throw Error(
        "this simulation is being edited: its steps can be made after the block of editing()");
  }
  struct Busy {
    explicit Busy(Simulation& s) : simulation(s) {
      s.busy_ = true;
      s.stepper_ = std::this_thread::get_id();
      ++s.scene_->stepping;
    }
    ~Busy() {
      simulation.busy_ = false;
      --simulation.scene_->stepping;
    }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;
    Simulation& simulation;
  } busy(*this);
  stop_ = false;
  run_.go_on();
  const bool large = scene_->scene.system->dofs() >= 300;
  const InterruptFlag interrupts(stop_, large && is_main_thread());
  const double before = whole ? thread_seconds() : 0;  // asking takes as long as some steps
  const int made = make_steps(n, callback, every, recording, whole);
  if (whole) processor_seconds_ += thread_seconds() - before;
  rethrow_python_error();
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  return made;
}

int Simulation::make_steps(int n, const py::object& callback, int every, Recording* recording,
                           bool whole) {
  using Clock = std::chrono::steady_clock;
  const bool calls = !callback.is_none();
  // Letting go of Python's lock takes longer than a few steps of a small system.
  std::optional<py::gil_scoped_release> free;
  if (n > kFewSteps || scene_->scene.system->dofs() > kSmallSystem) free.emplace();
  if (recording && recording->rows.empty()) recording->add(run_.start());
  if (whole) {
    run_.end_at(scene_->scene.initial.t + scene_->duration);
    watch_.start(run_.state(), run_.summary().invariants.kinetic, run_.summary().contact.now);
  }
  Clock::time_point next = Clock::now() + kPulse;
  for (int k = 0; k < n; ++k) {
    if (run_.done()) return k;
    const std::optional<RunMoment> moment = run_.step();
    if (!moment) return k;
    if (whole) watch_.add(moment->state, moment->invariants.kinetic, moment->so_far.contact.now);
    if (recording) {
      recording->add(*moment);
      if (k + 1 == n || run_.done()) recording->add_last(*moment);
    }
    const bool due = calls && (k + 1) % every == 0;
    // The clock is looked at now and then only: a step may take less than looking does.
    const bool look = (k & 63) == 63 || scene_->scene.system->dofs() > kSmallSystem;
    if (!due && !(look && Clock::now() > next)) continue;
    const py::gil_scoped_acquire locked;
    if (!go_on(callback, due)) return k + 1;
    next = Clock::now() + kPulse;
  }
  return n;
}

bool Simulation::go_on(const py::object& callback, bool due) {
  struct Between {
    bool& flag;
    explicit Between(bool& f) : flag(f) { flag = true; }
    ~Between() { flag = false; }
    Between(const Between&) = delete;
    Between& operator=(const Between&) = delete;
  } between(between_steps_);
  const bool wanted = !due || !callback().is(py::bool_(false));
  if (wanted && PyErr_CheckSignals() != 0) throw py::error_already_set();
  if (editors_ > 0)
    throw Error("the callback left the block of editing() open: no step can be made");
  return wanted;
}

}  // namespace lilyan::python
