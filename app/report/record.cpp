#include "app/report/record.hpp"

#include <fmt/format.h>

#include <cmath>

#include "app/files/surface.hpp"
#include "app/scene/geometry_of.hpp"
#include "lilyan/core/threads.hpp"

namespace lilyan {
namespace {

constexpr int kIntervals = 10;  // between the frames that are kept, at most

}  // namespace

Scenery scenery_of(const Scene& scene) {
  Scenery scenery{.parts = surface_parts(geometry_of(scene)), .obstacles = scene.obstacles};
  if (scene.output.up == UpAxis::z) scenery.up = Eigen::Vector3f::UnitZ();
  Eigen::Index axis = 0;
  if (!scene.gravity.isZero(0)) {
    scene.gravity.cwiseAbs().maxCoeff(&axis);
    scenery.up = (scene.gravity[axis] > 0 ? -1.0F : 1.0F) * Eigen::Vector3f::Unit(axis);
  }
  return scenery;
}

std::string RunRecord::status() const {
  if (!started) return "could not start";
  return summary.end == RunEnd::event ? "ended by an event"
                                      : std::string(lilyan::name(summary.end));
}

Recorder::Recorder(const Scene& scene) : scene_(scene) {
  record_.name = scene.name;
  record_.title = scene.title;
  record_.method = scene.scheme.label;
  record_.size = describe_size(scene);
  record_.plan = describe_plan(scene);
  record_.unit = time_unit(scene);
  record_.resolved = scene.resolved;
  record_.in_space = scene.coordinates.empty();
  record_.linear_invariant = scene.system->translation_invariant();
  record_.angular_invariant = scene.system->rotation_invariant();
  if (!record_.in_space) return;
  record_.scenery = scenery_of(scene);
  // A step or more at first, and doubled until the run's end is reached: frames of a complete run
  // are evenly spaced, and one that ends early has as many.
  interval_ = scene.duration / kIntervals;
  while (interval_ > 1.999 * scene.step) interval_ /= 2;
  next_ = scene.initial.t;
}

KeptFrame Recorder::frame_of(int step, const State& state) const {
  KeptFrame frame{.step = step, .t = state.t};
  gather(record_.scenery.parts, {state.x.data(), static_cast<std::size_t>(state.x.size())},
         frame.points);
  return frame;
}

void Recorder::keep_frame(const RunMoment& moment) {
  const double t = moment.state.t;
  if (t < next_ - 1e-6 * scene_.step) return;
  std::vector<KeptFrame>& frames = record_.frames;
  if (frames.size() > kIntervals) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < frames.size(); i += 2) {
      if (kept != i) frames[kept] = std::move(frames[i]);
      ++kept;
    }
    frames.resize(kept);
    interval_ *= 2;
  }
  const double start = scene_.initial.t;
  const double due = start + interval_ * static_cast<double>(frames.size());
  next_ = due;
  if (t < due - 1e-6 * scene_.step) return;
  frames.push_back(frame_of(moment.step, moment.state));
  // A long step may jump over several; places in the list stay multiples of the interval only
  // where it does not, which is near enough.
  next_ = interval_ > 0 ? std::max(due + interval_, t) : t;
}

void Recorder::add(const RunMoment& moment) {
  if (!moment.report) start_energy_ = moment.invariants.total;
  if (record_.in_space && !record_.scenery.parts.empty()) keep_frame(moment);
  if (!record_.series.due()) return;
  const auto set = [&](Curve curve, double value) {
    record_.series.set(static_cast<std::size_t>(curve), value);
  };
  const Deviation& energy = moment.drift.energy();
  const Ledger& ledger = moment.so_far.ledger;
  set(Curve::t, moment.state.t);
  set(Curve::energy_change,
      (moment.invariants.total - start_energy_) / (energy.scale > 0 ? energy.scale : 1));
  set(Curve::energy_error, energy.relative());
  set(Curve::momentum_drift, moment.drift.linear_momentum().relative());
  set(Curve::spin_drift, moment.drift.angular_momentum().relative());
  set(Curve::solver, ledger.solver);
  set(Curve::quadrature, ledger.quadrature);
  set(Curve::work, ledger.work);
  set(Curve::dissipation, ledger.dissipation);
  set(Curve::method, ledger.method);
  set(Curve::iterations, moment.report ? moment.report->iterations : 0);
  set(Curve::step_size, moment.report ? moment.report->h : 0);
}

void Recorder::finish(const RunSummary& summary, const DriftTracker& drift, const Watch& watch) {
  std::vector<KeptFrame>& frames = record_.frames;
  if (!frames.empty() && frames.back().step != summary.steps) {
    frames.push_back(frame_of(summary.steps, summary.state));
  }
  record_.summary = summary;
  record_.summary.state = {};
  record_.threads = threads();
  record_.energy = drift.energy();
  record_.linear = drift.linear_momentum();
  record_.angular = drift.angular_momentum();
  if (summary.steps > 0) record_.verdicts = verdicts(*scene_.system, summary, drift);
  record_.invariants = watch.invariants();
  record_.has_exact = watch.has_exact();
  record_.exact_error = watch.error();
  record_.exact_worst = watch.worst_error();
}

}  // namespace lilyan
