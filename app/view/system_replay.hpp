// A run of a small system that is done, from the trajectory in its result folder.
#pragma once

#include <filesystem>
#include <vector>

#include "app/view/replay.hpp"
#include "lilyan/core/state.hpp"

namespace lilyan::view {

class SystemReplay final : public Replay {
 public:
  // Throws InputError.
  SystemReplay(PaneId id, const PaneRequest& request, const std::filesystem::path& folder);

  [[nodiscard]] Message mesh() const override { return nullptr; }

 private:
  [[nodiscard]] Message picture(std::size_t frame) override;
  // Rows of series and trajectory need not be of the same times: the last state not after it.
  void add_to_path(double t, std::vector<double>& path) const override;
  [[nodiscard]] State state(std::size_t frame) const;

  NumberTable trajectory_;
};

}  // namespace lilyan::view
