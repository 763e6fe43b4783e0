// A run that is done, shown from its result folder.
#pragma once

#include <filesystem>
#include <vector>

#include "lilyan/run/export.hpp"
#include "lilyan/view/pane.hpp"
#include "lilyan/view/picture.hpp"

namespace lilyan::view {

class Replay final : public Pane {
 public:
  // Throws InputError unless the folder has frames of bodies (.vtu) and their series.
  Replay(PaneId id, const PaneRequest& request, const std::filesystem::path& folder);

  [[nodiscard]] const PaneInfo& info() const override { return info_; }
  [[nodiscard]] Message mesh() const override { return mesh_; }
  [[nodiscard]] PaneMoment start() override { return show(0); }
  [[nodiscard]] PaneMoment step() override { return show(shown_ + 1); }
  void pull(const std::optional<Pull>& pull) override;
  void cloud(const CloudRequest& request) override;

 private:
  void read_series(const std::filesystem::path& file);
  void read_summary(const std::filesystem::path& file);
  [[nodiscard]] PaneMoment show(std::size_t frame);
  [[nodiscard]] PaneMoment read(std::size_t frame);

  PaneId id_;
  PaneInfo info_;
  std::vector<ListedFrame> frames_;
  std::size_t points_ = 0;
  WholeSurface surface_;
  Message mesh_;
  std::vector<double> series_;  // rows one after the other
  std::size_t rows_shown_ = 0;
  std::size_t shown_ = 0;
};

}  // namespace lilyan::view
