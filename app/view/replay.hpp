// A run that is done, shown from its result folder.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/files/series.hpp"
#include "app/view/pane.hpp"

namespace lilyan::view {

// What is common to runs of bodies and of small systems: the rows of their series.
class Replay : public Pane {
 public:
  [[nodiscard]] const PaneInfo& info() const override { return info_; }
  [[nodiscard]] PaneMoment start() override { return show(0); }
  [[nodiscard]] PaneMoment step() override { return show(shown_ + 1); }
  void pull(const std::optional<Pull>& pull) override;
  void cloud(const CloudRequest& request) override;

 protected:
  // Reads the series and the summary. Throws InputError.
  Replay(PaneId id, const PaneRequest& request, const std::filesystem::path& folder);
  // To be called with the times of the frames once they are known.
  void set_times(std::vector<double> times);
  // The picture of a frame. May throw Error.
  [[nodiscard]] virtual Message picture(std::size_t frame) = 0;
  // Adds where a small system is at the time of a row.
  virtual void add_to_path(double /*t*/, std::vector<double>& /*path*/) const {}
  [[nodiscard]] int step_of(std::size_t frame) const { return steps_[frame]; }
  [[nodiscard]] double slack() const;  // times as close as that are the same

  PaneId id_;
  PaneInfo info_;
  std::vector<double> times_;

 private:
  void read_summary(const std::filesystem::path& file);
  [[nodiscard]] PaneMoment show(std::size_t frame);

  NumberTable series_;
  std::vector<int> steps_;  // numbers of the frames' steps
  std::string failed_;      // why the run did
  std::size_t rows_shown_ = 0;
  std::size_t shown_ = 0;
};

// Throws InputError unless the folder has frames of bodies (.vtu) or a trajectory, and the series.
[[nodiscard]] std::unique_ptr<Pane> make_replay(PaneId id, const PaneRequest& request,
                                                const std::filesystem::path& folder);

}  // namespace lilyan::view
