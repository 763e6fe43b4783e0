// The scene of a run that was saved, or killed, and is to go on.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/run/checkpoint.hpp"
#include "app/scene/scene.hpp"

namespace lilyan {

// Whether two resolved scenes differ in nothing but how long they run.
[[nodiscard]] bool same_but_length(const std::string& resolved, const std::string& other);

// The scene of a run that is to go on, with another number of steps if one is given. Throws InputError when its
// checkpoint is of another scene, and Error when it cannot have so many steps.
[[nodiscard]] Scene scene_to_resume(const std::filesystem::path& folder,
                                    const Checkpoint& checkpoint, const std::optional<int>& steps,
                                    const Distribution* ranks = nullptr);

// Throws InputError when the run in the folder is going on just now, or was killed, before its first checkpoint: the
// message says how to make it from its start. A run that is asked to go on never begins anew without being told to.
void refuse_without_checkpoint(const std::filesystem::path& folder);

}  // namespace lilyan
