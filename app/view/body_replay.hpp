// A run of bodies that is done, from the frames in its result folder.
#pragma once

#include <filesystem>
#include <vector>

#include "app/run/export.hpp"
#include "app/view/picture.hpp"
#include "app/view/replay.hpp"

namespace lilyan::view {

class BodyReplay final : public Replay {
 public:
  // Throws InputError.
  BodyReplay(PaneId id, const PaneRequest& request, const std::filesystem::path& folder);

  [[nodiscard]] Message mesh() const override { return mesh_; }

 private:
  [[nodiscard]] Message picture(std::size_t frame) override;

  std::vector<ListedFrame> frames_;
  std::size_t points_ = 0;
  WholeSurface surface_;
  Message mesh_;
};

}  // namespace lilyan::view
