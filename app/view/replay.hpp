// A run that is done, shown from its result folder.
#pragma once

#include <filesystem>
#include <memory>

#include "app/view/command.hpp"
#include "app/view/messages.hpp"

namespace lilyan::view {

class Pane;

// A pane that shows the frames of bodies (.vtu) or the trajectory of a small system. Throws
// InputError unless the folder has one of these, and the series.
[[nodiscard]] std::unique_ptr<Pane> make_replay(PaneId id, const PaneRequest& request,
                                                const std::filesystem::path& folder);

}  // namespace lilyan::view
