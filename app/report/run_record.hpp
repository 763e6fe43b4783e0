// The record of one run that reports are made of, gathered while the run goes on, and its curves as
// figures. Its size does not grow with the length of the run.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/report/figure.hpp"
#include "app/report/render.hpp"
#include "app/run/conservation.hpp"
#include "app/run/runner.hpp"
#include "app/run/thinned_table.hpp"
#include "lilyan/core/drift.hpp"

namespace lilyan {

struct KeptFrame {
  int step = 0;
  double t = 0;
  std::vector<float> points = {};
};

// The bodies and obstacles of a scene, without the places of its vertices.
[[nodiscard]] Scenery scenery_of(const Scene& scene);

// Columns of RunRecord::series.
enum class Curve : std::size_t {
  t,
  energy_change,  // (H − H₀) / E₀
  energy_error,   // |H − H₀ − work − dissipation| / E₀
  linear_drift,   // of momentum
  angular_drift,
  solver,  // the ledger, summed up since the start
  quadrature,
  work,
  dissipation,
  method,
  iterations,  // of the step
  step_size,
  count,
};

struct RunRecord {
  std::string name;  // of the scene
  std::string title;
  std::string method;  // with its parameters
  std::string size;
  std::string plan;
  std::string unit;  // of time
  std::string resolved;
  bool started = true;  // otherwise summary.message says why not
  RunSummary summary;   // without its state
  int threads = 1;
  bool in_space = true;  // bodies rather than a small system
  Deviation energy, linear, angular;
  bool linear_invariant = false;
  bool angular_invariant = false;
  std::vector<Verdict> verdicts;
  std::vector<Watch::Quantity> invariants;
  bool has_exact = false;
  double exact_error = 0;
  double exact_worst = 0;
  std::map<std::string, int> events;
  ThinnedTable series{static_cast<std::size_t>(Curve::count), 20000};
  Scenery scenery;
  std::vector<KeptFrame> frames;                             // in the order of time
  std::vector<std::pair<std::string, FigureGrid>> pictures;  // of a small system: name, figure
  std::vector<std::string> files;                            // beside the report, or in `folder`
  std::string folder;                                        // from the report; empty: the same

  [[nodiscard]] const std::vector<double>& operator[](Curve curve) const {
    return series[static_cast<std::size_t>(curve)];
  }
  // "finished", "failed", "cannot run this scene", …
  [[nodiscard]] std::string status() const;
};

class Recorder {
 public:
  // The scene must outlive this.
  explicit Recorder(const Scene& scene);

  void add(const RunMoment& moment);
  void finish(const RunSummary& summary, const DriftTracker& drift, const Watch& watch);
  [[nodiscard]] RunRecord& record() { return record_; }

 private:
  void keep_frame(const RunMoment& moment);
  [[nodiscard]] KeptFrame frame_of(int step, const State& state) const;

  const Scene& scene_;
  RunRecord record_;
  double interval_ = 0;  // of time between frames
  double next_ = 0;
  double start_energy_ = 0;
};

using Runs = std::span<const RunRecord* const>;

// (H − H₀)/E₀ over time.
[[nodiscard]] Figure energy_figure(Runs runs);
// |relative energy error| on a logarithmic axis.
[[nodiscard]] Figure energy_error_figure(Runs runs);
// Relative drift of linear and angular momentum, where the scene promises them; no panels
// otherwise.
[[nodiscard]] FigureGrid momenta_figure(Runs runs);
// Linear solves of each step, of the methods that iterate; no series otherwise.
[[nodiscard]] Figure iterations_figure(Runs runs);
// The entries of the ledger, summed up since the start; a panel for each run.
[[nodiscard]] FigureGrid ledger_figure(Runs runs);

}  // namespace lilyan
