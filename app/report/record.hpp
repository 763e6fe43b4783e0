// What a report tells of one run, gathered while it goes on. Its size does not grow with the length
// of the run.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/report/render.hpp"
#include "app/run/describe.hpp"
#include "app/run/runner.hpp"
#include "app/run/thin_table.hpp"
#include "app/run/watch.hpp"
#include "lilyan/core/drift.hpp"

namespace lilyan {

struct KeptFrame {
  int step = 0;
  double t = 0;
  std::vector<float> points = {};
};

// What a scene looks like, but for where its vertices are.
[[nodiscard]] Scenery scenery_of(const Scene& scene);

// Columns of RunRecord::series.
enum class Curve : std::size_t {
  t,
  energy_change,  // (H − H₀) / E₀
  energy_error,   // |H − H₀ − work − dissipation| / E₀
  momentum_drift,
  spin_drift,
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
  ThinTable series{static_cast<std::size_t>(Curve::count), 20000};
  Scenery scenery;
  std::vector<KeptFrame> frames;                              // in the order of time
  std::vector<std::pair<std::string, std::string>> pictures;  // name, SVG
  std::vector<std::string> files;                             // beside the report, or in `folder`
  std::string folder;                                         // from the report; empty: the same

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

}  // namespace lilyan
