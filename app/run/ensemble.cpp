#include "app/run/ensemble.hpp"

#include <fmt/format.h>

#include <string>

#include "app/run/conservation.hpp"
#include "app/scene/scene.hpp"

namespace lilyan {
namespace {

// The first few of the coordinates and velocities that differ from those of the scene.
std::string how_it_starts(const Scene& scene, const State& s) {
  constexpr int kMostNamed = 4;
  std::string text;
  int named = 0;
  const auto add = [&](const Vector& first, const Vector& now, const char* mark) {
    for (Eigen::Index i = 0; i < now.size(); ++i) {
      if (now[i] == first[i] || named++ >= kMostNamed) continue;
      text += fmt::format("{}{}{} = {:.6g}", text.empty() ? "" : ", ",
                          scene.small().coordinates[static_cast<std::size_t>(i)], mark, now[i]);
    }
  };
  add(scene.initial.x, s.x, "");
  add(scene.initial.v, s.v, "'");
  return text + (named > kMostNamed ? ", …" : "");
}

}  // namespace

struct Ensemble::Orbit {
  Orbit(const Scene& scene, const State& initial, const std::atomic<bool>* stop)
      : drift(follow_drift(scene, initial)), run(scene, drift, initial, stop) {}

  DriftTracker drift;
  SceneRun run;
  std::vector<EventHit> events;
};

Ensemble::Ensemble(const Scene& scene, const std::atomic<bool>* stop) : scene_(scene) {
  for (const State& initial : scene.small().orbits) {
    orbits_.push_back(std::make_unique<Orbit>(scene, initial, stop));
  }
}

Ensemble::~Ensemble() = default;

void Ensemble::advance(double t) {
  for (const auto& orbit : orbits_) {
    orbit->events.clear();
    SceneRun& run = orbit->run;
    while (!run.done() && run.state().t < t) {
      const std::optional<RunMoment> moment = run.step();
      if (!moment) break;
      orbit->events.insert(orbit->events.end(), moment->events.begin(), moment->events.end());
    }
  }
}

const State& Ensemble::state(std::size_t orbit) const { return orbits_[orbit]->run.state(); }
std::span<const EventHit> Ensemble::events(std::size_t orbit) const {
  return orbits_[orbit]->events;
}

std::vector<RunSummary::OrbitEnd> Ensemble::ends() const {
  std::vector<RunSummary::OrbitEnd> ends;
  for (std::size_t k = 0; k < orbits_.size(); ++k) {
    const RunSummary& summary = orbits_[k]->run.summary();
    ends.push_back({.start = how_it_starts(scene_, scene_.small().orbits[k]),
                    .energy = orbits_[k]->drift.energy(),
                    .steps = summary.steps,
                    .failed = summary.end == RunEnd::failed ? summary.message : ""});
  }
  return ends;
}

void Ensemble::archive(Archive& a) {
  std::size_t count = orbits_.size();
  a(count);
  Archive::require(count == orbits_.size());
  for (const auto& orbit : orbits_) a(orbit->run);
}

}  // namespace lilyan
