// The record of a run that reports are made of: gathered while the run goes on, with its curves as
// figures. The size of a record does not grow with the length of the run.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/report/picture/drawn_motion.hpp"
#include "app/report/picture/figure.hpp"
#include "app/report/picture/render.hpp"
#include "app/run/conservation.hpp"
#include "app/run/runner.hpp"
#include "app/run/thinned_table.hpp"
#include "lilyan/conservation/drift.hpp"

namespace lilyan {

struct KeptFrame {
  int step = 0;
  double t = 0;
  std::vector<float> points = {};
  void archive(Archive& a) { a(step, t, points); }
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
  kinetic,     // energy, then those of each EnergyKind
  elastic,
  gravity,
  contact,
  potential,
  total,
  contact_depth,
  count,
};

struct RunRecord {
  std::string name;    // of the scene
  std::string method;  // with its parameters
  std::string size;
  std::string plan;
  std::string unit;  // of time
  std::string resolved;
  bool started = true;  // otherwise summary.message says why not
  RunSummary summary;
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
  DrawnMotion motion;                                        // of a small system that has a drawing
  std::vector<std::string> files;                            // beside the report, or in `folder`
  std::string folder;                                        // from the report; empty: the same

  [[nodiscard]] const std::vector<double>& operator[](Curve curve) const {
    return series[static_cast<std::size_t>(curve)];
  }
  // Returns "finished", "failed", "could not start", …
  [[nodiscard]] std::string status() const;
};

class Recorder {
 public:
  // The scene must outlive this.
  explicit Recorder(const Scene& scene);

  void add(const RunMoment& moment);
  void finish(const RunSummary& summary, const State& state, const DriftTracker& drift,
              const Watch& watch);
  [[nodiscard]] RunRecord& record() { return record_; }
  // Before finish(): all but what the scene says.
  void archive(Archive& a) { a(record_.series, record_.frames, interval_, next_, start_energy_); }

 private:
  // How many intervals there are between the frames that are kept, at most.
  [[nodiscard]] std::size_t intervals() const;
  void keep_frame(const RunMoment& moment);
  [[nodiscard]] KeptFrame frame_of(int step, const State& state) const;

  const Scene& scene_;
  RunRecord record_;
  double interval_ = 0;  // of time between frames
  double next_ = 0;
  double start_energy_ = 0;
};

using Runs = std::span<const RunRecord* const>;

// Shows (H − H₀)/E₀ over time.
[[nodiscard]] Figure energy_figure(Runs runs);
// Shows the parts of a run's energy and their sum.
[[nodiscard]] Figure energy_parts_figure(const RunRecord& run);
// Shows how far the energy of one run is off: with its sign where that can be seen, otherwise as
// energy_error_figure() does.
[[nodiscard]] Figure own_error_figure(const RunRecord& run);
// Shows |relative energy error| on a logarithmic axis.
[[nodiscard]] Figure energy_error_figure(Runs runs);
// Shows the relative drifts of linear and angular momentum. A momentum that the scene does not
// conserve has no panel.
[[nodiscard]] FigureGrid momenta_figure(Runs runs);
// Shows how deep bodies were in obstacles and in each other. Without contact there are no series.
[[nodiscard]] Figure contact_depth_figure(Runs runs);
// The index into the palette of each run: that of its method, where they differ.
[[nodiscard]] std::vector<int> run_colours(Runs runs);
// Shows the linear solves of each step. A method that does not iterate has no series.
[[nodiscard]] Figure iterations_figure(Runs runs);
// Shows the entries of the ledger, summed up since the start, with a panel for each run.
[[nodiscard]] FigureGrid ledger_figure(Runs runs);

// Writes figures as SVG files and returns the names of the files. Throws Error.
[[nodiscard]] std::vector<std::string> write_figures(
    const std::vector<std::pair<std::string, FigureGrid>>& figures,
    const std::filesystem::path& folder);

// The figures of a small system's run: its coordinates over time, its phase portrait, its energy,
// and those that the scene asks for ([[system.plot]], sections of [[system.event]]).
class SystemFigures {
 public:
  explicit SystemFigures(const Scene& scene);

  void add(const RunMoment& moment, const Watch& watch);
  // At the end of the run, before figures(): errors become shares of sizes that only the whole run tells.
  void finish(const DriftTracker& drift, const Watch& watch);
  // Each figure comes with the name of its files, without ending. They are thinned.
  [[nodiscard]] std::vector<std::pair<std::string, FigureGrid>> figures() const;
  // The drawing of the first periods, or of the whole run where it has only a few.
  [[nodiscard]] DrawnMotion motion() const { return motion_.motion(window()); }
  void archive(Archive& a) {
    a(begin_, states_, energies_, plots_, motion_, start_energy_);
    for (PlotSeries& points : sections_) a(points.x, points.y);
    a(portraits_);
    for (PlotSeries& points : orbit_sections_) a(points.x, points.y);
  }

 private:
  void add_orbits(const RunMoment& moment);
  void add_section_point(const EventHit& hit, PlotSeries& points, std::size_t most) const;
  [[nodiscard]] Figure section(std::size_t event) const;
  [[nodiscard]] FigureGrid trajectory() const;
  [[nodiscard]] Figure trajectory(const ThinnedTable& states, double end) const;
  [[nodiscard]] FigureGrid phase() const;
  // The time that the fastest coordinate needs for some twenty periods; the whole run where it makes
  // fewer.
  [[nodiscard]] double window() const;
  // Whether a coordinate turns round and round, so that its angle is shown between −π and π.
  [[nodiscard]] bool wrapped(std::size_t coordinate) const;
  [[nodiscard]] std::string label(std::size_t coordinate) const;
  [[nodiscard]] Figure energy_parts() const;
  [[nodiscard]] FigureGrid energy() const;

  const Scene& scene_;
  std::size_t shown_;         // coordinates
  std::vector<bool> angles_;  // which of them
  ThinnedTable begin_;        // t, q, v, kinetic, potential, total of the first steps
  ThinnedTable states_;       // t, q, v of all
  ThinnedTable energies_;  // t, kinetic, potential, total, error, invariants' changes, exact error
  ThinnedTable plots_;
  MotionRecorder motion_;
  std::vector<PlotSeries> sections_;  // one per event
  // q and v of each further orbit. With more coordinates orbits would lie on top of each other.
  ThinnedTable portraits_;
  std::vector<PlotSeries> orbit_sections_;  // events of the first orbit, of the second, …
  double start_energy_ = 0;
};

}  // namespace lilyan
