// A scene file, read and turned into a system ready to run. See docs/scenes.md for the format.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/files/surface.hpp"
#include "app/scene/links.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/control/step_control.hpp"
#include "lilyan/material/material.hpp"
#include "lilyan/method/method.hpp"
#include "lilyan/model/state.hpp"
#include "lilyan/model/system.hpp"
#include "lilyan/step/integrator.hpp"

namespace lilyan {

class Distribution;
struct BodyPart;
struct ContactSurface;
struct FrameGeometry;
struct Obstacle;
struct SceneText;
class Drawing;
class Observables;

struct OutputSettings {
  int every = 1;         // steps between frames, 0: no frames
  int series_every = 1;  // steps between rows of series.csv
  // Steps between checkpoints, 0: only when the run ends; none: one about every half minute.
  std::optional<int> checkpoint_every;
  bool thinned = false;  // rows are left out because the scene did not say how many it wants
  // Small systems: the time between rows of trajectory.csv (0: a row at every step), and the
  // formats of their pictures.
  double interval = 0;
  std::vector<std::string> pictures = {"svg"};  // or "png"
  bool float64 = true;                          // precision of frames
  std::vector<std::string> formats = {"vtu"};   // of frames, see frame_formats()
  UpAxis up = UpAxis::y;                        // for formats that have an up
  bool report = true;                           // report.html
};

// What touches an obstacle: vertices, and the distance from its surface at which contact begins.
struct Touch {
  std::vector<int> vertices;
  double thickness = 0;
  double depth = 0;  // that bodies are to sink in by at rest; 0: a stiffness was given
};
// Surfaces that touch each other, and the distance at which contact begins.
struct TouchingBodies {
  std::vector<ContactSurface> surfaces;
  double thickness = 0;
  double depth = 0;  // as above
};

struct RayleighDamping {
  double mass = 0;       // one over a time
  double stiffness = 0;  // a time
};

// Of bodies, in all processes that share them.
struct SceneSize {
  long vertices = 0;
  long fixed = 0;
  long tets = 0;
};

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
  std::string method;  // registry name
  Scheme scheme;
  double step = 0;  // the first one, with step control
  int steps = 0;    // how many; with step control only the duration counts
  // Of the whole run. Where equal steps do not divide it, the last two are shorter.
  double duration = 0;
  StepControlOptions control;  // its step and max_halvings are those of the scene
  [[nodiscard]] bool variable_steps() const { return control.kind != StepControlKind::fixed; }
  SolverOptions solver;
  int max_halvings = 0;  // 0: a failed step stops the run
  int threads = 0;       // to be shared by loops over a body's elements; 0: one per core
  OutputSettings output;

  // The processes that share its bodies (app/scene/distribution.hpp); null: this one has all of them. Where
  // they are shared, vertices and elements below are the part that this process has.
  const Distribution* ranks = nullptr;
  std::vector<BodyPart> parts;  // of each body, and where its vertices begin in the system
  std::vector<int> part_first;
  std::optional<SceneSize> whole;
  // The surface of the whole of its bodies, with numbers of its own for the vertices. Only process 0 has it, for
  // pictures and for formats that are surfaces.
  struct Surface {
    std::vector<std::array<int, 3>> triangles;
    std::vector<int> body;
  };
  std::optional<Surface> surface;

  std::unique_ptr<System> system;
  State initial;
  std::optional<SceneStart> start;  // where that is from; none: from the scene itself
  Vector rest;                      // the rest shape of bodies, where the scene places it
  std::vector<std::array<int, 4>> tets;
  std::vector<int> tet_body;                  // which body each tet belongs to
  std::vector<std::array<int, 3>> triangles;  // of cloth
  std::vector<int> triangle_body;
  std::vector<TriangleTexture> texture;   // of the triangles; empty: none has any
  std::vector<std::array<int, 2>> edges;  // of rods
  std::vector<int> edge_body;
  std::size_t springs = 0;  // of all bodies and between them, those to points in space included
  std::vector<std::string> body_names;
  // The first body's material, where the scene gives it by mu and lambda, and its Rayleigh damping
  // (zero where it has none). A small system has neither.
  std::optional<Lame> material;
  std::optional<RayleighDamping> damping;
  std::vector<Obstacle> obstacles;
  std::vector<Touch> touches;  // of each obstacle
  std::vector<TouchingBodies> contacts;
  [[nodiscard]] bool has_contact() const { return !touches.empty() || !contacts.empty(); }
  std::vector<Link> links;  // what holds bodies and ties them to each other
  Vec3 gravity = Vec3::Zero();
  // A name for each degree of freedom of a small system; empty for bodies.
  std::vector<std::string> coordinates;
  // Further initial states of a small system, which run along.
  std::vector<State> orbits;
  // Invariants, events and plots of a small system; null for bodies.
  std::unique_ptr<Observables> observables;
  // Where its parts are in space; null for bodies.
  std::unique_ptr<Drawing> drawing;

  std::vector<std::string> remarks;  // what its author may not expect, for a message
  std::string resolved;              // the scene as TOML with every default filled in
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
};

// Reads, checks and builds. Throws InputError with the place in the file (or the setting) for
// anything that cannot be used.
[[nodiscard]] Scene load_scene(const std::filesystem::path& file, const SceneChanges& changes = {});
// Reads a scene from a text that is not in a file (app/scene/table_reader.hpp).
[[nodiscard]] Scene load_scene(SceneText text, const SceneChanges& changes);

// Everything in it that cannot be used, in the order of the file; what only follows from another
// fault is left out. A scene without faults gives none.
[[nodiscard]] std::vector<InputError> scene_faults(const std::filesystem::path& file,
                                                   const SceneChanges& changes = {});

// Only the obstacles of a scene file: the copy in a run's folder may be far from its meshes. Throws
// InputError.
[[nodiscard]] std::vector<Obstacle> obstacles_in(const std::filesystem::path& file);

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
