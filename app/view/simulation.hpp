// A scene that is simulated while it is watched.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <vector>

#include "app/files/series.hpp"
#include "app/run/runner.hpp"
#include "app/run/watch.hpp"
#include "app/scene/scene.hpp"
#include "app/view/cloud.hpp"
#include "app/view/hand.hpp"
#include "app/view/pane.hpp"
#include "app/view/picture.hpp"
#include "lilyan/core/drift.hpp"

namespace lilyan::view {

[[nodiscard]] PaneInfo info_of(const Scene& scene, const PaneRequest& request);

// An entry of a small system's path.
void add_to_path(const State& state, std::vector<double>& path);
// A row of the series, and the entry that belongs to it.
void add_row(const Scene& scene, const State& state, std::vector<double> row, PaneMoment& to);

// The rows of series.csv, one for each step that has one.
class SeriesFeed {
 public:
  // The scene must outlive this.
  explicit SeriesFeed(const Scene& scene) : scene_(scene), watch_(scene) {}
  // Empty when there is none at this step.
  [[nodiscard]] std::vector<double> row(const RunMoment& moment);
  // What was taken in since the last row, when a run fails.
  [[nodiscard]] std::vector<double> rest(const RunSummary& summary);

 private:
  const Scene& scene_;
  Watch watch_;
  SeriesRow next_;
};

class Simulation final : public Pane {
 public:
  // Throws Error when the scene cannot be run.
  Simulation(PaneId id, const PaneRequest& request, const std::filesystem::path& file);

  [[nodiscard]] const PaneInfo& info() const override { return info_; }
  [[nodiscard]] Message mesh() const override { return picture_.mesh(id_, scene_.initial); }
  [[nodiscard]] PaneMoment start() override;
  [[nodiscard]] PaneMoment step() override;
  void stop() override { stop_ = true; }
  void pull(const std::optional<Pull>& pull) override;
  void cloud(const CloudRequest& request) override;
  [[nodiscard]] Message cloud_picture() const override;

 private:
  [[nodiscard]] PaneMoment show(const RunMoment& moment);

  PaneId id_;
  Scene scene_;
  PaneInfo info_;
  DriftTracker drift_;
  std::atomic<bool> stop_ = false;
  SceneRun run_;
  SeriesFeed series_;
  Picture picture_;
  Hand hand_;
  std::unique_ptr<Cloud> cloud_;
};

}  // namespace lilyan::view
