#include "app/scene/scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <utility>

#include "app/files/surface.hpp"
#include "app/scene/body/distribution.hpp"
#include "app/scene/small/drawing.hpp"
#include "app/scene/small/observables.hpp"
#include "app/scene/start.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/contact/body_contact.hpp"
#include "lilyan/contact/obstacle_contact.hpp"
#include "lilyan/step/capabilities.hpp"
#include "lilyan/step/integrator.hpp"

namespace lilyan {
namespace {

constexpr int kMostSamples = 1000;  // of the trajectory, within a step

// Refuses what runs on one process only.
void check_shared(const SceneDocument& document, const Scene& scene) {
  if (scene.settings.control.kind != StepControlKind::fixed) {
    document.fail("step_control.kind",
                  "a run on several ranks has fixed steps; take \"fixed\", or run it on one");
  }
  if (!runs_on_ranks(scene.settings.scheme)) {
    document.fail("integrator.method",
                  fmt::format("{} runs on one rank; methods that minimise (avf, implicit-midpoint, "
                              "backward-euler, …) and explicit ones run on several",
                              scene.settings.scheme.label));
  }
}

// Refuses what can only be seen when the whole scene is read: each would otherwise show as a run
// that fails.
void check_scene(const SceneDocument& document, const TableReader& root, const Scene& scene) {
  const System& system = *scene.system;
  const bool small = !scene.has_bodies();
  if (!small && scene.settings.output.interval > 0) {
    document.fail("output.interval",
                  "frames of bodies are written at steps; 'interval' is for a [system]");
  }
  if (scene.settings.output.interval > 0 &&
      scene.settings.output.interval < scene.settings.step / kMostSamples) {
    document.fail(
        "output.interval",
        fmt::format("more than {} rows within a step; take smaller steps instead", kMostSamples));
  }
  if (scene.settings.control.kind == StepControlKind::reversible && system.lagrangian()) {
    document.fail("step_control.kind",
                  "reversible steps follow the forces of a potential, which a general Lagrangian "
                  "does not have; take \"fixed\" or \"error\"");
  }
  const std::string reason = reason_unsupported(system, scene.settings.scheme);
  if (!reason.empty()) document.fail("integrator.method", reason);
  if (scene.shared) check_shared(document, scene);
  const bool can_precondition =
      system.dimension() == 3 && system.embedding().fixed_count() < system.vertices();
  if (scene.settings.solver.newton.linear == LinearChoice::pcg && !can_precondition) {
    document.fail("solver.linear",
                  "pcg is for systems of points in space that can move; take auto or cholesky");
  }
  const char* place = small ? "system" : "body";
  const Invariants start = invariants(system, scene.initial);
  if (!std::isfinite(start.kinetic)) {
    root.fail(place, "the initial velocities have infinite energy");
  }
  for (const double energy : start.potential) {
    if (std::isfinite(energy)) continue;
    root.fail(place, small ? "the initial position has infinite energy"
                           : "the initial shape has infinite energy: its deformation is too large "
                             "or inverts elements of a material that resists inversion");
  }
}

}  // namespace

Scene::Scene() = default;
Scene::~Scene() = default;
Scene::Scene(Scene&&) noexcept = default;
Scene& Scene::operator=(Scene&&) noexcept = default;

const Bodies& Scene::bodies() const {
  static const Bodies none;
  const auto* bodies = std::get_if<Bodies>(&content);
  return bodies ? *bodies : none;
}

const SmallSystem& Scene::small() const {
  static const SmallSystem none;
  const auto* small = std::get_if<SmallSystem>(&content);
  return small ? *small : none;
}

namespace {

// From here on the system can only be read.
std::unique_ptr<const System> finished(std::unique_ptr<System> system,
                                       const SceneChanges& changes) {
  if (system && changes.force) system->add(changes.force());
  return system;
}

void take(ReadSystem read, const SceneChanges& changes, Scene& scene) {
  scene.system = finished(std::move(read.system), changes);
  scene.initial = std::move(read.initial);
  scene.content = std::move(read.small);
  scene.remarks = std::move(read.remarks);
}

void take(ReadBodies read, const SceneChanges& changes, Scene& scene) {
  scene.system = finished(std::move(read.system), changes);
  scene.initial = std::move(read.initial);
  scene.content = std::move(read.bodies);
  scene.shared = std::move(read.shared);
  scene.remarks = std::move(read.remarks);
}

// With a list of faults, reads as much as can be read, and the scene is of use only without any.
Scene read_scene(SceneText text, const SceneChanges& changes,
                 std::vector<InputError>* faults = nullptr) {
  const std::string name = text.file.stem().string();
  SceneDocument document(std::move(text), changes.settings, changes.without_files);
  if (!changes.start.empty()) {
    const NamedFrame named = named_frame(changes.start);
    document.replace_start("--from " + changes.start, std::filesystem::absolute(named.run).string(),
                           named.frame);
  }
  if (faults) document.collect(*faults);
  TableReader root = document.root();
  root.expect({"title", "start", "integrator", "step_control", "solver", "output", "world", "body",
               "constraint", "spring", "obstacle", "contact", "system"});
  Scene scene;
  scene.name = name;
  scene.title = root.text("title", scene.name);
  read_settings(root, {.steps = changes.steps, .duration = changes.duration}, scene.settings);
  std::optional<TableReader> start;
  if (changes.without_start) root.drop("start");
  if (root.has("start")) start = root.table("start");
  if (changes.ranks && root.has("system")) {
    root.fail("system", "a run on several ranks is for bodies: a small system runs on one");
  }
  if (root.has("system")) {
    for (const char* key : {"body", "constraint", "spring", "obstacle", "contact", "world"}) {
      if (root.has(key)) root.fail(key, fmt::format("a [system] has no '{}'", key));
    }
    root.recover(
        [&] { take(read_system(root.table("system"), scene.settings.scheme), changes, scene); });
    root.finish();
  } else {
    take(read_bodies(root, scene.settings, changes.ranks), changes, scene);
  }
  if (faults && !faults->empty()) return scene;
  if (start) root.recover([&] { read_start(*start, scene); });
  if (faults && !faults->empty()) return scene;
  check_scene(document, root, scene);
  scene.resolved = document.resolved();
  return scene;
}

}  // namespace

Scene load_scene(SceneText text, const SceneChanges& changes) {
  const std::string file = text.file.string();
  try {
    return read_scene(std::move(text), changes);
  } catch (const InputError&) {
    throw;
  } catch (const Error& error) {
    // What the library refuses has no place in the file, but it is the file that asks for it.
    throw InputError({file}, error.what());
  } catch (const std::bad_alloc&) {
    throw InputError({file}, "the scene needs more memory than there is");
  }
}

Scene load_scene(const std::filesystem::path& file, const SceneChanges& changes) {
  try {
    return load_scene(read_scene_text(file), changes);
  } catch (const std::bad_alloc&) {
    throw InputError({file.string()}, "the scene needs more memory than there is");
  }
}

std::vector<InputError> scene_faults(const std::filesystem::path& file,
                                     const SceneChanges& changes) {
  std::vector<InputError> faults;
  try {
    (void)read_scene(read_scene_text(file), changes, &faults);
  } catch (const InputError& fault) {
    faults.push_back(fault);
  } catch (const Error& error) {
    if (faults.empty()) faults.emplace_back(SourceLocation{file.string()}, error.what());
  }
  std::ranges::stable_sort(faults, {}, [](const InputError& fault) {
    return std::pair(fault.where().line, fault.where().column);
  });
  return faults;
}

FrameGeometry geometry_of(const Scene& scene) {
  const Bodies& bodies = scene.bodies();
  if (scene.shared && scene.shared->surface) {
    return {.triangles = scene.shared->surface->triangles,
            .triangle_body = scene.shared->surface->body,
            .body_names = bodies.names};
  }
  return {.tets = bodies.tets,
          .tet_body = bodies.tet_body,
          .triangles = bodies.triangles,
          .triangle_body = bodies.triangle_body,
          .edges = bodies.edges,
          .edge_body = bodies.edge_body,
          .body_names = bodies.names,
          .texture = bodies.texture};
}

SceneSize size_of(const Scene& scene) {
  if (scene.shared) return scene.shared->whole;
  return {.vertices = scene.system->vertices(),
          .fixed = scene.system->embedding().fixed_count(),
          .tets = static_cast<long>(scene.bodies().tets.size())};
}

std::string describe_size(const Scene& scene) {
  const auto count = [](std::size_t n, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", n, n == 1 ? one : many);
  };
  if (!scene.has_bodies()) {
    std::string text =
        count(scene.small().coordinates.size(), "degree of freedom", "degrees of freedom");
    if (!scene.small().orbits.empty())
      text += fmt::format(", {} orbits", 1 + scene.small().orbits.size());
    return text;
  }
  const SceneSize size = size_of(scene);
  std::string text =
      fmt::format("{}, {} vertices ({} fixed)",
                  count(scene.bodies().names.size(), "body", "bodies"), size.vertices, size.fixed);
  if (size.tets > 0) text += ", " + count(static_cast<std::size_t>(size.tets), "tet", "tets");
  if (!scene.bodies().triangles.empty()) {
    text += ", " + count(scene.bodies().triangles.size(), "triangle", "triangles");
  }
  if (!scene.bodies().edges.empty())
    text += ", " + count(scene.bodies().edges.size(), "segment", "segments");
  if (scene.bodies().springs > 0) text += ", " + count(scene.bodies().springs, "spring", "springs");
  return text;
}

std::string_view time_unit(const Scene& scene) { return scene.has_bodies() ? " s" : ""; }

std::string describe_method(const Scene& scene) {
  const auto* table = std::get_if<MinimisationTable>(&scene.settings.scheme.table);
  if (!table || !table->adaptive_nodes) return scene.settings.scheme.label;
  const std::optional<int> points = exact_points(*scene.system);
  return fmt::format("{}: {}", scene.settings.scheme.label,
                     points ? fmt::format("{} Gauss points, exact for these forces", *points)
                            : "as many Gauss points as each step needs");
}

std::string describe_plan(const Scene& scene) {
  const std::string_view unit = time_unit(scene);
  if (!scene.settings.variable_steps()) {
    constexpr double kRounding = 4 * std::numeric_limits<double>::epsilon();
    const bool whole =
        std::abs(scene.settings.duration - scene.settings.steps * scene.settings.step) <=
        kRounding * scene.settings.duration;
    return fmt::format("{} steps of {:.6g}{}{}", scene.settings.steps, scene.settings.step, unit,
                       whole ? "" : fmt::format(" over {}{}", scene.settings.duration, unit));
  }
  return fmt::format(
      "{} steps over {}{}",
      scene.settings.control.kind == StepControlKind::error ? "error-controlled" : "reversible",
      scene.settings.duration, unit);
}

std::vector<std::string> compared_methods(const Scene& scene) {
  constexpr std::size_t kCompared = 4;
  if (scene.has_bodies()) {
    std::vector<std::string> methods = {"avf", "energy-momentum", "implicit-midpoint",
                                        "backward-euler", "newmark"};
    std::erase_if(methods, [&](const std::string& name) {
      return !reason_unsupported(*scene.system, make_scheme(name)).empty();
    });
    return methods;
  }
  // The first four; the others stand in for those that cannot step this system.
  std::vector<std::string> methods;
  for (const char* name : {"stoermer-verlet", "implicit-midpoint", "rk4", "explicit-euler", "gauss",
                           "backward-euler", "yoshida", "avf"}) {
    if (methods.size() == kCompared) break;
    if (reason_unsupported(*scene.system, make_scheme(name)).empty()) methods.emplace_back(name);
  }
  return methods;
}

}  // namespace lilyan
