// A scene file, read and turned into a system ready to run. See docs/scenes.md for the format.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/files/surface.hpp"
#include "lilyan/contact/obstacle_contact.hpp"
#include "lilyan/core/state.hpp"
#include "lilyan/core/system.hpp"
#include "lilyan/integrate/control/step_control.hpp"
#include "lilyan/integrate/integrator.hpp"
#include "lilyan/method/method.hpp"

namespace lilyan {

struct OutputSettings {
  int every = 1;         // steps between frames, 0: no frames
  int series_every = 1;  // steps between rows of series.csv
  // Of small systems: time between rows of trajectory.csv, 0: at steps; and the pictures.
  double interval = 0;
  std::vector<std::string> pictures = {"svg", "png"};
  bool float64 = true;                         // precision of frames
  std::vector<std::string> formats = {"vtu"};  // of frames, see frame_formats()
  UpAxis up = UpAxis::y;                       // for formats that have an up
  bool report = true;                          // report.html
};

class Observables;

struct Scene {
  Scene();
  ~Scene();
  Scene(Scene&&) noexcept;
  Scene& operator=(Scene&&) noexcept;

  std::string name;  // the file's name without extension
  std::string title;
  std::string method;  // registry name
  Scheme scheme;
  double step = 0;  // the first one, with step control
  int steps = 0;    // how many, each of that length; with step control only their sum counts
  double duration = 0;
  StepControlOptions control;  // its step and max_halvings are those of the scene
  [[nodiscard]] bool variable_steps() const { return control.kind != StepControlKind::fixed; }
  SolverOptions solver;
  int max_halvings = 0;  // 0: a failed step stops the run
  int threads = 0;       // to be shared by loops over a body's elements; 0: one per core
  OutputSettings output;

  std::unique_ptr<System> system;
  State initial;
  std::vector<std::array<int, 4>> tets;
  std::vector<int> tet_body;                  // which body each tet belongs to
  std::vector<std::array<int, 3>> triangles;  // of cloth
  std::vector<int> triangle_body;
  std::vector<std::array<int, 2>> edges;  // of rods
  std::vector<int> edge_body;
  std::size_t springs = 0;  // of all bodies and between them, those to points in space included
  std::vector<std::string> body_names;
  std::vector<Obstacle> obstacles;
  Vec3 gravity = Vec3::Zero();
  // Of a small system, a name for each degree of freedom; empty for bodies.
  std::vector<std::string> coordinates;
  // Of a small system, what else is to be watched; null for bodies.
  std::unique_ptr<Observables> observables;

  std::string resolved;  // the scene as TOML with every default filled in
};

struct SceneChanges {
  std::vector<std::string> settings;  // key=value
  // Those of the settings that are not to be believed: files they name are not read.
  std::vector<std::string> without_files = {};
  std::optional<int> steps;  // instead of the scene's steps or duration
};

// Reads, checks and builds. Throws InputError with the place in the file (or the setting) for
// anything that cannot be used.
[[nodiscard]] Scene load_scene(const std::filesystem::path& file, const SceneChanges& changes = {});

}  // namespace lilyan
