#include "app/scene/scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <utility>

#include "app/scene/bodies.hpp"
#include "app/scene/body.hpp"
#include "app/scene/lagrangian.hpp"
#include "app/scene/observables.hpp"
#include "app/scene/step_control.hpp"
#include "app/scene/table_reader.hpp"
#include "lilyan/assemble/invariants.hpp"

namespace lilyan {
namespace {

constexpr int kMany = std::numeric_limits<int>::max();
constexpr int kMostThreads = 1024;
constexpr int kMostSamples = 1000;  // between two steps

// Whether a method takes the scene's value of a parameter.
bool takes(const Method& method, TableReader& reader, const ParameterSpec& spec) {
  Parameters given;
  try {
    if (spec.text) {
      given.set(spec.name, reader.text(spec.name));
    } else {
      given.set(spec.name, reader.number(spec.name));
    }
    (void)make_scheme(method.name, given);
  } catch (const Error&) {
    return false;
  }
  return true;
}

// Parameters of other methods are a mistake in a scene, but not when the method was exchanged from
// outside: then the scene's own settings for its method, and values that only it understands, just
// do not apply.
void skip_other_parameters(TableReader& reader, const Method& chosen) {
  const bool exchanged = reader.document().overridden("integrator.method");
  const auto find = [](const Method& m, const std::string& key) {
    return std::ranges::find(m.parameters, key, &ParameterSpec::name);
  };
  for (const std::string& key : reader.unread()) {
    const bool overridden = reader.document().overridden("integrator." + key);
    if (const auto own = find(chosen, key); own != chosen.parameters.end()) {
      if (exchanged && !overridden && !takes(chosen, reader, *own)) reader.drop(key);
      continue;
    }
    for (const Method& other : methods()) {
      if (find(other, key) == other.parameters.end()) continue;
      if (!exchanged || overridden) {
        reader.fail(key, fmt::format("'{}' is a parameter of '{}', not of '{}'", key, other.name,
                                     chosen.name));
      }
      reader.drop(key);
      break;
    }
  }
}

void read_integrator(TableReader reader, const std::optional<int>& steps, Scene& scene) {
  for (const Method& m : methods()) {
    for (const ParameterSpec& p : m.parameters) reader.expect({p.name});
  }
  reader.expect({"method", "step", "steps", "duration"});
  const std::string name = reader.text("method", "avf");
  const Method* method = find_method(name);
  if (!method) {
    reader.fail("method",
                fmt::format("unknown method '{}'{}", name, suggestion(name, method_names())));
  }
  scene.method = method->name;
  if (reader.has("steps") && reader.has("duration")) {
    reader.fail("duration", "give either 'steps' or 'duration', not both");
  }
  if (steps) {
    reader.replace("steps", *steps);
    reader.drop("duration");
    scene.steps = *steps;
  } else if (!reader.has("duration")) {
    scene.steps = reader.whole("steps", 0, kMany);
  }
  scene.step = reader.positive("step");
  if (!steps && reader.has("duration")) {
    scene.duration = reader.positive("duration");
    const double count = std::round(scene.duration / scene.step);
    if (!scene.variable_steps() && count < 1) {
      reader.fail("duration", "that is less than half a step");
    }
    if (count > kMany) reader.fail("duration", "that is more steps than can be counted");
    scene.steps = static_cast<int>(count);
  }
  if (!scene.variable_steps() || scene.duration == 0) scene.duration = scene.steps * scene.step;
  skip_other_parameters(reader, *method);
  try {
    const Parameters parameters = read_parameters(reader, method->parameters);
    scene.scheme = make_scheme(name, parameters);
  } catch (const ParameterError& error) {
    fail_parameter(reader, error);
  }
}

void read_solver(TableReader reader, Scene& scene) {
  reader.expect({"energy_tolerance", "velocity_tolerance", "max_iterations", "definiteness",
                 "linear", "reuse_factor", "threads", "on_failure", "max_halvings"});
  SolverOptions& s = scene.solver;
  s.energy_tolerance = reader.positive("energy_tolerance", s.energy_tolerance);
  s.velocity_tolerance = reader.positive("velocity_tolerance", s.velocity_tolerance);
  s.newton.max_iterations = reader.whole("max_iterations", 1, kMany, s.newton.max_iterations);
  s.newton.definiteness =
      reader.choice("definiteness", {"project", "shift"}, "project") == "project"
          ? Definiteness::project
          : Definiteness::shift;
  const std::string linear = reader.choice("linear", {"auto", "cholesky", "pcg"}, "auto");
  s.newton.linear = linear == "auto"  ? LinearChoice::automatic
                    : linear == "pcg" ? LinearChoice::pcg
                                      : LinearChoice::cholesky;
  scene.threads = reader.whole("threads", 0, kMostThreads, scene.threads);
  s.newton.reuse_factor = reader.flag("reuse_factor", s.newton.reuse_factor);
  const bool halve = reader.choice("on_failure", {"halve", "stop"}, "halve") == "halve";
  const int halvings = reader.whole("max_halvings", 1, 30, 6);
  scene.max_halvings = halve ? halvings : 0;
  reader.finish();
}

void read_output(TableReader reader, Scene& scene) {
  reader.expect(
      {"every", "series_every", "interval", "pictures", "precision", "formats", "up", "report"});
  scene.output.every = reader.whole("every", 0, kMany, scene.output.every);
  scene.output.series_every = reader.whole("series_every", 1, kMany, scene.output.series_every);
  if (reader.has("interval")) scene.output.interval = reader.positive("interval");
  scene.output.pictures = reader.words("pictures", {"svg", "png"}, scene.output.pictures);
  scene.output.float64 = reader.choice("precision", {"float64", "float32"}, "float64") == "float64";
  scene.output.formats = reader.words("formats", frame_formats(), scene.output.formats);
  scene.output.up = reader.choice("up", {"y", "z"}, "y") == "y" ? UpAxis::y : UpAxis::z;
  scene.output.report = reader.flag("report", scene.output.report);
  reader.finish();
}

// A method that cannot step the scene would only be found out when it runs.
void check_method(const SceneDocument& document, const Scene& scene) {
  const std::string reason = reason_unsupported(*scene.system, scene.scheme);
  if (reason.empty()) return;
  const toml::node* node = document.root()["integrator"]["method"].node();
  throw InputError(document.locate("integrator.method", node), reason);
}

void check_linear_solver(const SceneDocument& document, const Scene& scene) {
  if (scene.solver.newton.linear != LinearChoice::pcg) return;
  const System& system = *scene.system;
  if (system.dimension() == 3 && system.fixed_count() < system.vertices()) return;
  const toml::node* node = document.root()["solver"]["linear"].node();
  throw InputError(document.locate("solver.linear", node),
                   "pcg is for systems of points in space that can move; take auto or cholesky");
}

}  // namespace

Scene::Scene() = default;
Scene::~Scene() = default;
Scene::Scene(Scene&&) noexcept = default;
Scene& Scene::operator=(Scene&&) noexcept = default;

Scene load_scene(const std::filesystem::path& file, const SceneChanges& changes) {
  const SceneDocument document(file, changes.settings, changes.without_files);
  toml::table resolved;
  TableReader root(document, document.root(), "", resolved);
  root.expect({"title", "integrator", "step_control", "solver", "output", "world", "body",
               "constraint", "spring", "obstacle", "contact", "system"});
  Scene scene;
  scene.name = file.stem().string();
  scene.title = root.text("title", scene.name);
  TableReader step_control = root.table("step_control");
  read_step_control_kind(step_control, scene);
  read_integrator(root.table("integrator"), changes.steps, scene);
  read_step_control(step_control, scene);
  read_solver(root.table("solver"), scene);
  scene.control.step = scene.step;
  scene.control.max_halvings = scene.max_halvings;
  read_output(root.table("output"), scene);
  if (root.has("system")) {
    for (const char* key : {"body", "constraint", "spring", "obstacle", "contact", "world"}) {
      if (root.has(key)) root.fail(key, fmt::format("a [system] has no '{}'", key));
    }
    read_system(root.table("system"), scene);
    root.finish();
  } else {
    read_bodies(root, scene);
  }

  if (scene.coordinates.empty() && scene.output.interval > 0) {
    throw InputError(
        document.locate("output.interval", document.root()["output"]["interval"].node()),
        "frames of bodies are written at steps; 'interval' is for a [system]");
  }
  if (scene.output.interval > 0 && scene.output.interval < scene.step / kMostSamples) {
    throw InputError(
        document.locate("output.interval", document.root()["output"]["interval"].node()),
        fmt::format("more than {} rows within a step; take smaller steps instead", kMostSamples));
  }
  if (scene.control.kind == StepControlKind::reversible && scene.system->lagrangian()) {
    throw InputError(
        document.locate("step_control.kind", document.root()["step_control"]["kind"].node()),
        "reversible steps follow the forces of a potential, which a general Lagrangian does not "
        "have; take \"fixed\" or \"error\"");
  }
  check_method(document, scene);
  check_linear_solver(document, scene);
  const char* place = scene.coordinates.empty() ? "body" : "system";
  if (!std::isfinite(invariants(*scene.system, scene.initial).kinetic)) {
    root.fail(place, "the initial velocities have infinite energy");
  }
  // An initial shape outside a material's domain would only show as a failed first step.
  EnergyByKind start = invariants(*scene.system, scene.initial).potential;
  for (const double e : start) {
    if (!std::isfinite(e)) {
      root.fail(place, scene.coordinates.empty()
                           ? "the initial shape has infinite energy: its deformation is too large "
                             "or inverts elements of a material that resists inversion"
                           : "the initial position has infinite energy");
    }
  }
  std::ostringstream text;
  text << resolved << "\n";
  scene.resolved = text.str();
  return scene;
}

}  // namespace lilyan
