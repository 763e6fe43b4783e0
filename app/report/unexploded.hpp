// Which frames a camera has to have in sight.
#pragma once

#include <span>
#include <vector>

#include "app/report/record.hpp"

namespace lilyan {

// Adds the points of frames that are not much larger than the first: framing a body that has
// exploded would hide all others.
void add_unexploded(std::span<const KeptFrame> frames, std::vector<float>& points);

}  // namespace lilyan
