// Pictures of frames for a report.
#pragma once

#include <string>

#include "app/report/curves.hpp"

namespace lilyan {

// One run: six moments. Several: a row of the same moments for each, seen by one camera. Empty
// where there are no frames to show.
[[nodiscard]] std::string frame_strips(Runs runs);

}  // namespace lilyan
