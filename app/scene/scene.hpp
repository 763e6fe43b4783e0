// A scene file, read and turned into a system ready to run. See docs/scenes.md for the format.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/scene/bodies.hpp"
#include "app/scene/settings.hpp"
#include "app/scene/small/small_system.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/model/state.hpp"
#include "lilyan/model/system.hpp"

namespace lilyan {

class Force;
struct FrameGeometry;

// The frame of an earlier run that a scene starts from.
struct SceneStart {
  std::string run;  // its folder
  int frame = 0;    // counted from 0; of a small system the row of trajectory.csv
  double t = 0;
};

struct Scene {
  Scene();
  ~Scene();
  Scene(Scene&&) noexcept;
  Scene& operator=(Scene&&) noexcept;

  std::string name;  // the file's name without extension
  std::string title;
  SceneSettings settings;
  std::unique_ptr<const System> system;
  State initial;
  std::optional<SceneStart> start;  // where that is from; none: from the scene itself
  std::variant<Bodies, SmallSystem> content;
  std::optional<Sharing> shared;  // among several processes; none: this one has all of it

  std::vector<std::string> remarks;  // what its author may not expect, for a message
  std::string resolved;              // the scene as TOML with every default filled in

  [[nodiscard]] bool has_bodies() const { return std::holds_alternative<Bodies>(content); }
  // In a small system there are none.
  [[nodiscard]] const Bodies& bodies() const;
  // Without coordinates where the scene has bodies.
  [[nodiscard]] const SmallSystem& small() const;
};

struct SceneChanges {
  std::vector<std::string> settings;  // key=value
  // Settings from a source that is not trusted: files they name are not read.
  std::vector<std::string> without_files = {};
  std::optional<int> steps;             // instead of the scene's steps or duration
  std::optional<double> duration = {};  // the same; only one of them is given
  std::string start = {};  // RUN[:FRAME], instead of the scene's [start]; from the current folder
  // [start] is passed over: for what shows a run that is done, when the run it started from may be gone.
  bool without_start = false;
  const Distribution* ranks = nullptr;  // processes that share the scene, each of which reads it
  // Makes a force of the caller's own, which is added to the system: nothing can be when the scene is there.
  std::function<std::unique_ptr<Force>()> force = {};
};

// Reads, checks and builds. Throws InputError with the place in the file (or the setting) for
// anything that cannot be used.
[[nodiscard]] Scene load_scene(const std::filesystem::path& file, const SceneChanges& changes = {});
// Reads a scene from a text that is not in a file (app/scene/toml/table_reader.hpp).
[[nodiscard]] Scene load_scene(SceneText text, const SceneChanges& changes);

// Everything in it that cannot be used, in the order of the file; what only follows from another
// fault is left out. A scene without faults gives none.
[[nodiscard]] std::vector<InputError> scene_faults(const std::filesystem::path& file,
                                                   const SceneChanges& changes = {});

// The elements of a scene as frames need them; of a shared scene its surface. Its spans are the scene's.
[[nodiscard]] FrameGeometry geometry_of(const Scene& scene);

[[nodiscard]] SceneSize size_of(const Scene& scene);

// The methods that a comparison of the scene takes by itself: those of them that can step it.
[[nodiscard]] std::vector<std::string> compared_methods(const Scene& scene);

// "1 body, 330 vertices (25 fixed), 2000 tets", "…, 12482 triangles, 31363 springs",
// "1 degree of freedom"
[[nodiscard]] std::string describe_size(const Scene& scene);
// "implicit-midpoint", "avf(auto): 2 Gauss points, exact for these forces"
[[nodiscard]] std::string describe_method(const Scene& scene);
// "300 steps of 0.01 s", "error-controlled steps over 60 s"
[[nodiscard]] std::string describe_plan(const Scene& scene);
// " s", or nothing: small systems have units of their own.
[[nodiscard]] std::string_view time_unit(const Scene& scene);

}  // namespace lilyan
