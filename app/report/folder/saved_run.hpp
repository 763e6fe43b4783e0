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

// The scene of a run that was killed before its first checkpoint, which begins anew; none where there is a checkpoint or
// the folder does not hold such a run. Throws as scene_to_resume() does.
[[nodiscard]] std::optional<Scene> scene_to_begin_anew(const std::filesystem::path& folder,
                                                       const std::optional<int>& steps,
                                                       const Distribution* ranks = nullptr);

inline constexpr const char* kBegunAnew =
    "this run was killed before its first checkpoint, and begins anew";

}  // namespace lilyan
