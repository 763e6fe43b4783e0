// The further orbits of a scene ([[system.ensemble]]), each a run of its own that keeps up with the first.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "app/run/runner.hpp"
#include "lilyan/conservation/drift.hpp"

namespace lilyan {

class Ensemble {
 public:
  // The scene must outlive this.
  Ensemble(const Scene& scene, const std::atomic<bool>* stop);
  ~Ensemble();

  // Steps every orbit until it is at this time or beyond it. One that fails stays where it was.
  void advance(double t);

  [[nodiscard]] std::size_t size() const { return orbits_.size(); }
  [[nodiscard]] const State& state(std::size_t orbit) const;
  // The events of an orbit since the last time before.
  [[nodiscard]] std::span<const EventHit> events(std::size_t orbit) const;
  [[nodiscard]] std::vector<RunSummary::OrbitEnd> ends() const;
  void archive(Archive& a);

 private:
  struct Orbit;
  const Scene& scene_;
  std::vector<std::unique_ptr<Orbit>> orbits_;
};

}  // namespace lilyan
