#include "app/report/record/run_record.hpp"
#include "app/report/picture/method_colours.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/files/surface.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/parallel/threads.hpp"

namespace lilyan {
namespace {

// Between the frames that are kept, at most: enough for an animation, or for some pictures of a body that
// is so large that it would take too long.
constexpr std::size_t kManyIntervals = 30;
constexpr std::size_t kFewIntervals = 10;
constexpr std::size_t kLargeSurface = 40'000;  // vertices

// Deviations below this are rounding errors. Zero is drawn here, as it has no logarithm.
constexpr double kNothing = 1e-17;
// A larger relative change of the energy is an explosion. Beside it nothing else could be seen.
constexpr double kFar = 3;

std::string time_label(Runs runs) {
  return runs.empty() || runs.front()->unit.empty() ? "time" : "time (s)";
}

// Returns one curve of every run. Several runs have the colours of their methods.
std::vector<PlotSeries> overlaid(Runs runs, Curve curve, bool logarithmic) {
  std::vector<PlotSeries> all;
  const std::vector<int> colours = run_colours(runs);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i]->series.empty()) continue;
    PlotSeries series{.x = (*runs[i])[Curve::t],
                      .y = (*runs[i])[curve],
                      .label = runs.size() > 1 ? runs[i]->method : "",
                      .colour = colours[i]};
    if (logarithmic) {
      for (double& y : series.y) y = std::max(y, kNothing);
      // At the start nothing can have changed yet, so this zero is no result and is not shown.
      if (series.y.size() > 1) series.y[0] = series.y[1];
    }
    all.push_back(std::move(series));
  }
  return all;
}

bool any_nonzero(const std::vector<double>& values) {
  return std::ranges::any_of(values, [](double v) { return v != 0; });
}

}  // namespace

std::vector<int> run_colours(Runs runs) {
  if (runs.size() == 1) return {0};
  std::vector<std::string> methods;
  for (const RunRecord* run : runs) methods.push_back(run->method);
  return method_colours(methods);
}

Scenery scenery_of(const Scene& scene) {
  Scenery scenery{.parts = surface_parts(geometry_of(scene)),
                  .obstacles = scene.bodies().obstacles};
  if (scene.settings.output.up == UpAxis::z) scenery.up = Eigen::Vector3f::UnitZ();
  Eigen::Index axis = 0;
  if (!scene.bodies().gravity.isZero(0)) {
    scene.bodies().gravity.cwiseAbs().maxCoeff(&axis);
    scenery.up = (scene.bodies().gravity[axis] > 0 ? -1.0F : 1.0F) * Eigen::Vector3f::Unit(axis);
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
  record_.method = scene.settings.scheme.label;
  record_.size = describe_size(scene);
  record_.plan = describe_plan(scene);
  record_.unit = time_unit(scene);
  record_.resolved = scene.resolved;
  record_.in_space = scene.has_bodies();
  record_.linear_invariant = scene.system->translation_invariant();
  if (!record_.in_space) return;
  record_.scenery = scenery_of(scene);
  // At first the interval is about a step. It is doubled whenever there are too many frames. So the
  // frames of a complete run are evenly spaced, and a run that ends early has as many.
  interval_ = scene.settings.duration / static_cast<double>(intervals());
  while (interval_ > 1.999 * scene.settings.step) interval_ /= 2;
  next_ = scene.initial.t;
}

std::size_t Recorder::intervals() const {
  std::size_t vertices = 0;
  for (const SurfacePart& part : record_.scenery.parts) vertices += part.vertices.size();
  return vertices > kLargeSurface ? kFewIntervals : kManyIntervals;
}

KeptFrame Recorder::frame_of(int step, const State& state) const {
  KeptFrame frame{.step = step, .t = state.t};
  gather(record_.scenery.parts, {state.x.data(), static_cast<std::size_t>(state.x.size())},
         frame.points);
  return frame;
}

void Recorder::keep_frame(const RunMoment& moment) {
  const double t = moment.state.t;
  if (t < next_ - 1e-6 * scene_.settings.step) return;
  std::vector<KeptFrame>& frames = record_.frames;
  if (frames.size() > intervals()) {
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
  if (t < due - 1e-6 * scene_.settings.step) return;
  frames.push_back(frame_of(moment.step, moment.state));
  // A long step may jump over several intervals. Frames are then not quite evenly spaced.
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
  // In finish() they become shares of sizes that only the whole run tells.
  set(Curve::energy_change, moment.invariants.total - start_energy_);
  set(Curve::energy_error, energy.now);
  set(Curve::linear_drift, moment.drift.linear_momentum().now);
  set(Curve::angular_drift, moment.drift.angular_momentum().now);
  set(Curve::solver, ledger.solver);
  set(Curve::quadrature, ledger.quadrature);
  set(Curve::work, ledger.work);
  set(Curve::dissipation, ledger.dissipation);
  set(Curve::method, ledger.method);
  set(Curve::iterations, moment.report ? moment.report->solver_work.iterations : 0);
  set(Curve::kinetic, moment.invariants.kinetic);
  for (std::size_t k = 0; k < kEnergyKinds; ++k) {
    record_.series.set(static_cast<std::size_t>(Curve::elastic) + k,
                       moment.invariants.potential[k]);
  }
  set(Curve::total, moment.invariants.total);
  set(Curve::contact_depth, moment.so_far.contact.now);
}

void Recorder::finish(const RunSummary& summary, const State& state, const DriftTracker& drift,
                      const Watch& watch) {
  std::vector<KeptFrame>& frames = record_.frames;
  if (!frames.empty() && frames.back().step != summary.steps) {
    frames.push_back(frame_of(summary.steps, state));
  }
  record_.summary = summary;
  record_.threads = threads();
  const auto in_shares = [&](Curve curve, const Deviation& deviation) {
    const double size = deviation.size().value;
    if (size > 0) record_.series.divide(static_cast<std::size_t>(curve), size);
  };
  in_shares(Curve::energy_change, drift.energy());
  in_shares(Curve::energy_error, drift.energy());
  in_shares(Curve::linear_drift, drift.linear_momentum());
  in_shares(Curve::angular_drift, drift.angular_momentum());
  record_.energy = drift.energy();
  record_.linear = drift.linear_momentum();
  record_.angular = drift.angular_momentum();
  record_.angular_invariant = drift.spin().any();
  if (summary.steps > 0) record_.verdicts = verdicts(*scene_.system, summary, drift);
  record_.invariants = watch.invariants();
  record_.has_exact = watch.has_exact();
  record_.exact_error = watch.error();
  record_.exact_worst = watch.worst_error();
}

Figure energy_figure(Runs runs) {
  return {.title = "Energy, relative to the start",
          .x_label = time_label(runs),
          .y_label = "(H − H₀) / E₀",
          .over_time = true,
          .cut = kFar,
          .series = overlaid(runs, Curve::energy_change, false)};
}

Figure energy_parts_figure(const RunRecord& run) {
  const RunRecord* const one = &run;
  Figure figure{.title = "Energy: the parts and their sum",
                .x_label = time_label({&one, 1}),
                .y_label = run.in_space ? "J" : "",
                .over_time = true};
  if (run.series.empty()) return figure;
  int colour = 1;
  constexpr int kSumLike = 5;  // a lighter blue than that of the sum
  const auto add = [&](Curve curve, std::string_view label, int of) {
    figure.series.push_back(
        {.x = run[Curve::t], .y = run[curve], .label = std::string(label), .colour = of});
  };
  for (const auto& [curve, label] :
       {std::pair{Curve::kinetic, "kinetic"}, std::pair{Curve::elastic, "elastic"},
        std::pair{Curve::gravity, "gravity"}, std::pair{Curve::contact, "contact"},
        std::pair{Curve::potential, "potential"}}) {
    if (any_nonzero(run[curve])) add(curve, label, colour == kSumLike ? colour + 1 : colour);
    ++colour;
  }
  add(Curve::total, figure.series.size() > 1 ? "sum" : "total", 0);
  return figure;
}

Figure own_error_figure(const RunRecord& run) {
  const RunRecord* const one = &run;
  const bool alone = !any_nonzero(run[Curve::work]) && !any_nonzero(run[Curve::dissipation]);
  if (!alone || run.energy.kept() == Kept::conserved) return energy_error_figure({&one, 1});
  Figure figure = energy_figure({&one, 1});
  figure.title = "Energy error";
  return figure;
}

Figure energy_error_figure(Runs runs) {
  return {.title = "Energy error",
          .x_label = time_label(runs),
          .y_label = "|relative error|",
          .over_time = true,
          .log_y = true,
          .series = overlaid(runs, Curve::energy_error, true)};
}

FigureGrid momenta_figure(Runs runs) {
  FigureGrid grid{.columns = 2};
  const auto add = [&](Curve curve, const char* title, bool promised) {
    if (!promised) return;
    grid.panels.push_back({.title = title,
                           .x_label = time_label(runs),
                           .y_label = "|relative drift|",
                           .over_time = true,
                           .log_y = true,
                           .series = overlaid(runs, curve, true)});
  };
  const auto promises = [&](auto member) {
    return std::ranges::any_of(runs, [&](const RunRecord* r) { return r->in_space && r->*member; });
  };
  add(Curve::linear_drift, "Linear momentum", promises(&RunRecord::linear_invariant));
  add(Curve::angular_drift, "Angular momentum", promises(&RunRecord::angular_invariant));
  return grid;
}

Figure contact_depth_figure(Runs runs) {
  Figure figure{.title = "Depth of contact",
                .x_label = time_label(runs),
                .y_label = "m, of the deepest vertex",
                .over_time = true};
  for (PlotSeries& s : overlaid(runs, Curve::contact_depth, false)) {
    if (any_nonzero(s.y)) figure.series.push_back(std::move(s));
  }
  return figure;
}

Figure iterations_figure(Runs runs) {
  Figure figure{.title = "Iterations of each step",
                .x_label = time_label(runs),
                .y_label = "linear solves",
                .over_time = true};
  for (PlotSeries& s : overlaid(runs, Curve::iterations, false)) {
    if (!any_nonzero(s.y)) continue;
    // The initial state is no step.
    s.x.erase(s.x.begin());
    s.y.erase(s.y.begin());
    figure.series.push_back(std::move(s));
  }
  return figure;
}

FigureGrid ledger_figure(Runs runs) {
  FigureGrid grid;
  for (const RunRecord* run : runs) {
    if (run->series.empty()) continue;
    Figure figure{.title = runs.size() > 1 ? run->method : "Where the energy went",
                  .x_label = time_label(runs),
                  .y_label = run->in_space ? "J since the start" : "since the start",
                  .over_time = true};
    int colour = 0;
    for (const auto& [curve, label] :
         {std::pair{Curve::method, "method"}, std::pair{Curve::dissipation, "dissipation"},
          std::pair{Curve::work, "work"}, std::pair{Curve::quadrature, "quadrature"},
          std::pair{Curve::solver, "solver"}}) {
      if (any_nonzero((*run)[curve])) {
        figure.series.push_back(
            {.x = (*run)[Curve::t], .y = (*run)[curve], .label = label, .colour = colour});
      }
      ++colour;
    }
    // A single entry is the change of the energy, which is shown already.
    if (figure.series.size() < 2) continue;
    grid.panels.push_back(std::move(figure));
  }
  grid.columns = grid.panels.size() > 1 ? 2 : 1;
  return grid;
}

}  // namespace lilyan
