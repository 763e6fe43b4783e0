// What looks on at a run: it sees every step and adds what it found to the summary.
#pragma once

#include <memory>
#include <vector>

#include "lilyan/conservation/drift.hpp"
#include "lilyan/saving/archive.hpp"

namespace lilyan {

class WorldMemory;
struct RunSummary;
struct Scene;
struct State;

struct WatchedStep {
  const State& before;
  const State& after;
  // What energies that change between steps know of it; null: there are none.
  const WorldMemory* memory = nullptr;
  int substeps = 1;
};

class RunWatcher {
 public:
  RunWatcher() = default;
  RunWatcher(const RunWatcher&) = delete;
  RunWatcher& operator=(const RunWatcher&) = delete;
  virtual ~RunWatcher() = default;

  // Whether the scene has something to look at.
  [[nodiscard]] virtual bool wanted() const = 0;
  // The run begins from this state.
  virtual void begin(const State& state) { static_cast<void>(state); }
  // It goes on from this state, which was changed by hand.
  virtual void change(const State& state) { static_cast<void>(state); }
  virtual void step(const WatchedStep& step) = 0;
  virtual void archive(Archive& a) = 0;
  virtual void report(RunSummary& summary) const = 0;
};

// All of them, for a run that is to begin. The scene and the drift tracker must outlive them.
[[nodiscard]] std::vector<std::unique_ptr<RunWatcher>> make_watchers(const Scene& scene,
                                                                     const DriftTracker& drift);

}  // namespace lilyan
