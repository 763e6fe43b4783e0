// What a scene's author may not expect of it beyond each body by itself (body.hpp).
#pragma once

#include <string>
#include <vector>

#include "app/scene/scene_tables.hpp"

namespace lilyan {

// Remarks that the scene's method turns bodies too slowly, as sound crosses them within a step, or as springs or other
// energies between them are as stiff.
[[nodiscard]] std::vector<std::string> remarks_on_sound(const std::vector<PlacedBody>& bodies,
                                                        const Scene& scene);

}  // namespace lilyan
