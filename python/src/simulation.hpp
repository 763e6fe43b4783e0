// A scene with its plan, and its run step by step, as Python sees them.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/run/conservation.hpp"
#include "app/run/runner.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/conservation/drift.hpp"

namespace lilyan::python {

namespace py = pybind11;

// The scene itself has no end, so that any number of steps can be asked for; `steps` and `duration` are what it plans.
struct PlannedScene {
  explicit PlannedScene(Scene given);

  Scene scene;
  int steps;
  double duration;
  int stepping = 0;  // simulations of it that are being stepped
};

// Columns of a recording's series.
inline constexpr std::array kColumns = {
    "t",     "h",      "kinetic",    "elastic", "gravity",     "contact", "potential",
    "total", "error",  "px",         "py",      "pz",          "lx",      "ly",
    "lz",    "solver", "quadrature", "work",    "dissipation", "method",  "iterations"};

// What a run leaves: a row for every so many steps, and states for every so many.
class Recording {
 public:
  Recording(int every, int frames_every) : every_(every), frames_every_(frames_every) {}
  void add(const RunMoment& moment);
  // Also when they are not due: the last ones of a run.
  void add_last(const RunMoment& moment);

  std::vector<double> rows;  // kColumns numbers each
  std::vector<double> frame_times, x, v;

 private:
  void add_row(const RunMoment& moment);
  void add_frame(const RunMoment& moment);

  int every_, frames_every_;
  int row_step_ = -1, frame_step_ = -1;
  Ledger ledger_;  // since the last row
  long iterations_ = 0;
};

class Simulation {
 public:
  // Of a PlannedScene as Python has it, which it keeps alive.
  explicit Simulation(py::object scene);

  // Makes up to n steps without Python's lock. It calls `callback` (None: nothing) after every `every` of them, and
  // ends early when that returns False, when the run fails or ends, or at stop(). Throws what the callback, an energy
  // of Python's or Ctrl-C throws. Returns the steps made. With `whole` these are the steps that the scene plans: the last
  // of them may be shorter, to end at its duration.
  int advance(int n, const py::object& callback, int every, Recording* recording, bool whole);
  // From any thread: ends what advance() is at.
  void stop() { stop_ = true; }

  // Refuses to do something, such as "set x", while steps are being made. Between two steps the callback of the
  // stepping thread may do it.
  void require_still(const std::string& to_do) const;
  // The state, which is being edited until end_editing(): no step can be made meanwhile.
  State& begin_editing();
  void end_editing();
  [[nodiscard]] py::handle scene_of_python() const { return scene_of_python_; }

  [[nodiscard]] PlannedScene& planned() { return *scene_; }
  [[nodiscard]] SceneRun& run() { return run_; }
  [[nodiscard]] DriftTracker& drift() { return drift_; }
  // Invariants that the scene names, in whole runs.
  [[nodiscard]] const Watch& watch() const { return watch_; }
  // Of the thread that made a whole run.
  [[nodiscard]] double processor_seconds() const { return processor_seconds_; }

 private:
  int make_steps(int n, const py::object& callback, int every, Recording* recording, bool whole);
  // Whether Python's functions, called between two steps, want another one. Python is locked.
  bool go_on(const py::object& callback, bool due);

  py::object scene_of_python_;
  PlannedScene* scene_;
  std::atomic<bool> stop_ = false;
  DriftTracker drift_;
  SceneRun run_;
  Watch watch_;
  double processor_seconds_ = 0;
  // Read and written with Python locked.
  bool busy_ = false;
  bool between_steps_ = false;
  std::thread::id stepper_;
  int editors_ = 0;
};

}  // namespace lilyan::python
