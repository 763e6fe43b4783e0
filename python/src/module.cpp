// lilyan._core: what the Python package is made of. The package around it is in python/lilyan.
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <filesystem>
#include <map>

#include "app/files/mesh.hpp"
#include "app/run/conservation.hpp"
#include "app/scene/body/body.hpp"
#include "app/scene/find_scene.hpp"
#include "app/scene/load_plugin.hpp"
#include "app/scene/small/drawing.hpp"
#include "app/scene/start.hpp"
#include "app/scene/toml/table_reader.hpp"
#include "app/view/pane.hpp"
#include "app/view/server.hpp"
#include "app/view/session.hpp"
#include "app/view/simulation.hpp"
#include "callbacks.hpp"
#include "lilyan/base/version.hpp"
#include "lilyan/parallel/threads.hpp"
#include "lilyan/physics/constraints.hpp"
#include "lilyan/physics/energies.hpp"
#include "lilyan/step/capabilities.hpp"
#include "lilyan/verify/verification.hpp"
#include "simulation.hpp"

namespace lilyan::python {
namespace {

using ScenePointer = std::shared_ptr<PlannedScene>;

// ---- Arrays -----------------------------------------------------------------------------------------------------

// The numbers of a vector that is given away, without a copy.
template <class T>
py::array_t<T> array_of(std::vector<T>&& numbers, std::vector<py::ssize_t> shape) {
  auto* kept = new std::vector<T>(std::move(numbers));
  const py::capsule owner(kept, [](void* p) { delete static_cast<std::vector<T>*>(p); });
  return py::array_t<T>(std::move(shape), kept->data(), owner);
}

std::vector<py::ssize_t> shape_of(const System& system) {
  if (system.dimension() == 1) return {system.vertices()};
  return {system.vertices(), system.dimension()};
}

// A view of a state's vector, which keeps `owner` alive.
py::array view_of(Vector& vector, const System& system, const py::object& owner, bool writable) {
  py::array_t<double> view(shape_of(system), vector.data(), owner);
  if (!writable) view.attr("flags").attr("writeable") = false;
  return view;
}

template <std::size_t kSize>
py::array_t<int> cells_of(const std::vector<std::array<int, kSize>>& cells) {
  py::array_t<int> array({static_cast<py::ssize_t>(cells.size()), static_cast<py::ssize_t>(kSize)});
  for (std::size_t i = 0; i < cells.size(); ++i) {
    std::copy(cells[i].begin(), cells[i].end(), array.mutable_data() + kSize * i);
  }
  return array;
}

// Numbers of other types are not cast: the package has looked at them (_numbers.py).
using Indices = py::array_t<int, py::array::c_style>;

template <std::size_t kSize>
std::vector<std::array<int, kSize>> cells_from(const Indices& given, py::ssize_t vertices) {
  if (given.ndim() != 2 || given.shape(1) != static_cast<py::ssize_t>(kSize)) {
    throw Error("cells must be an array of " + std::to_string(kSize) + " columns");
  }
  std::vector<std::array<int, kSize>> cells(static_cast<std::size_t>(given.shape(0)));
  const int* from = given.data();
  for (auto& cell : cells) {
    for (int& vertex : cell) {
      vertex = *from++;
      if (vertex < 0 || vertex >= vertices) {
        throw Error("a cell names vertex " + std::to_string(vertex) + ", but there are " +
                    std::to_string(vertices) + ", counted from 0");
      }
    }
  }
  return cells;
}

std::vector<std::array<double, 3>> points_from(const Numbers& given) {
  if (given.ndim() != 2 || given.shape(1) != 3) {
    throw Error("vertices must be an array of 3 columns");
  }
  std::vector<std::array<double, 3>> points(static_cast<std::size_t>(given.shape(0)));
  const double* from = given.data();
  for (auto& point : points) {
    for (double& number : point) number = *from++;
  }
  return points;
}

void copy_into(Vector& target, const Numbers& given, const char* what) {
  if (given.size() != target.size()) {
    throw Error(std::string(what) + " has " + std::to_string(given.size()) + " numbers, but " +
                std::to_string(target.size()) + " are expected");
  }
  const Eigen::Map<const Vector> numbers(given.data(), given.size());
  if (!numbers.allFinite()) throw Error(std::string(what) + " has numbers that are not finite");
  target = numbers;
}

// ---- Garbage ----------------------------------------------------------------------------------------------------

// The C++ object of a Python object; null while it is made and where it has none.
template <class T>
T* object_of(PyObject* self) {
  auto value = reinterpret_cast<py::detail::instance*>(self)->get_value_and_holder();
  return value.holder_constructed() ? static_cast<T*>(value.value_ptr()) : nullptr;
}

// Lets Python's garbage collector see what a class refers to: T::seen(object) lists the references that the object
// owns, and T::let_go(object) gives up those by which cycles are broken.
template <class T>
py::custom_type_setup collected() {
  return py::custom_type_setup([](PyHeapTypeObject* heap_type) {
    PyTypeObject& type = heap_type->ht_type;
    type.tp_flags |= Py_TPFLAGS_HAVE_GC;
    type.tp_traverse = [](PyObject* self, visitproc visit, void* arg) -> int {
#if PY_VERSION_HEX >= 0x03090000
      Py_VISIT(Py_TYPE(self));
#endif
      const auto* object = object_of<typename T::Object>(self);
      if (!object) return 0;
      for (const py::handle& seen : T::seen(*object)) Py_VISIT(seen.ptr());
      return 0;
    };
    type.tp_clear = [](PyObject* self) -> int {
      auto* object = object_of<typename T::Object>(self);
      if (object) T::let_go(*object);
      return 0;
    };
    // While an object goes, the collector must not look at it.
    type.tp_dealloc = [](PyObject* self) {
      PyObject_GC_UnTrack(self);
      py::detail::pybind11_object_dealloc(self);
    };
  });
}

std::vector<py::handle> functions_of(const System& system) {
  std::vector<py::handle> all;
  for (const HoldsFunction* held : held_functions(system)) all.emplace_back(held->function());
  return all;
}

struct SceneReferences {
  using Object = PlannedScene;
  static std::vector<py::handle> seen(const PlannedScene& s) {
    return functions_of(*s.scene.system);
  }
  static void let_go(PlannedScene& s) {
    for (HoldsFunction* held : held_functions(*s.scene.system)) held->let_go();
  }
};

struct SimulationReferences {
  using Object = Simulation;
  static std::vector<py::handle> seen(const Simulation& s) { return {s.scene_of_python()}; }
  // Its scene lets go: a run cannot be without one.
  static void let_go(Simulation& /*s*/) {}
};

// ---- Parameters -------------------------------------------------------------------------------------------------

Parameters parameters_from(const py::dict& given) {
  Parameters parameters;
  for (const auto& [key, value] : given) {
    const auto name = py::cast<std::string>(key);
    if (py::isinstance<py::str>(value)) {
      parameters.set(name, py::cast<std::string>(value));
    } else if (PyNumber_Check(value.ptr()) != 0) {
      parameters.set(name, py::cast<double>(py::float_(py::reinterpret_borrow<py::object>(value))));
    } else {
      throw ParameterError(name, fmt::format("{} must be a number or a word, not {}", name,
                                             py::cast<std::string>(py::repr(value))));
    }
  }
  return parameters;
}

py::list specification(const std::vector<ParameterSpec>& parameters) {
  py::list all;
  for (const ParameterSpec& p : parameters) {
    py::object value = py::none();
    if (p.default_value) {
      value = std::visit([](const auto& v) { return py::cast(v); }, *p.default_value);
    }
    all.append(py::make_tuple(p.name, p.meaning, value));
  }
  return all;
}

py::dict describe(const Method& m) {
  const Scheme scheme = make_scheme(m.name);
  const Claims& c = scheme.claims;
  using py::literals::operator""_a;
  return py::dict("name"_a = m.name, "aliases"_a = m.aliases, "summary"_a = m.summary,
                  "citation"_a = m.citation, "use"_a = m.use,
                  "parameters"_a = specification(m.parameters),
                  "solve"_a = std::string(name(scheme.solve)), "order"_a = c.order,
                  "symplectic"_a = c.symplectic, "symmetric"_a = c.symmetric,
                  "energy"_a = std::string(name(c.energy)), "linear_momentum"_a = c.linear_momentum,
                  "angular_momentum"_a = c.angular_momentum);
}

py::dict describe(const MaterialInfo& m) {
  using py::literals::operator""_a;
  return py::dict("name"_a = m.name, "summary"_a = m.summary, "citation"_a = m.citation,
                  "formula"_a = m.formula, "use"_a = m.use, "inverts"_a = m.inverts,
                  "degree"_a = m.degree, "parameters"_a = specification(m.parameters));
}

template <class Items>
py::list describe_all(const Items& items) {
  py::list all;
  for (const auto& item : items) all.append(describe(item));
  return all;
}

py::list verify_method(const std::string& method, const py::dict& parameters) {
  const Scheme scheme = make_scheme(method, parameters_from(parameters));
  Verification result;
  {
    const py::gil_scoped_release free;
    result = verify(scheme);
  }
  py::list checks;
  for (const Check& c : result.checks) {
    checks.append(py::make_tuple(c.property, c.claimed, c.measured, c.passed));
  }
  return checks;
}

// ---- Scenes -----------------------------------------------------------------------------------------------------

// What replaces parts of a scene. The duration is that of the whole run; `start` is RUN[:FRAME], or empty.
SceneChanges changes_of(const std::vector<std::string>& settings, std::optional<int> steps,
                        std::optional<double> duration, const std::string& start) {
  if (steps && duration) throw Error("give either steps or a duration, not both");
  return {.settings = settings, .steps = steps, .duration = duration, .start = start};
}

ScenePointer load_file(const std::string& scene, const std::vector<std::string>& settings,
                       std::optional<int> steps, std::optional<double> duration,
                       const std::string& start) {
  return std::make_shared<PlannedScene>(
      load_scene(find_scene(scene), changes_of(settings, steps, duration, start)));
}

ScenePointer load_text(const std::string& text, const std::string& file, bool written_by_user,
                       const std::vector<std::string>& settings, std::optional<int> steps,
                       std::optional<double> duration, const std::string& start) {
  return std::make_shared<PlannedScene>(load_scene(SceneText{text, file, written_by_user},
                                                   changes_of(settings, steps, duration, start)));
}

// Lets a scene that was just read start from a state in memory.
void start_scene(PlannedScene& planned, double t, const Numbers& x, const Numbers& v,
                 double t_previous, const Numbers& x_previous, const Numbers& v_previous) {
  if (planned.stepping > 0) {
    throw Error("this scene is being stepped by another thread: read it anew for another start");
  }
  Scene& scene = planned.scene;
  if (!scene.small().orbits.empty()) {
    throw Error("a scene with further orbits can only start from a run that is in a folder");
  }
  const auto vector = [](const Numbers& a) -> Vector {
    return Eigen::Map<const Vector>(a.data(), a.size());
  };
  start_from({.t = t,
              .x = vector(x),
              .v = vector(v),
              .t_previous = t_previous,
              .x_previous = vector(x_previous),
              .v_previous = vector(v_previous)},
             scene);
}

// What a run kept, as sweeps list it.
py::dict conservation(Simulation& s) {
  s.require_still("judge the run");
  const System& system = *s.planned().scene.system;
  const DriftTracker& drift = s.drift();
  py::dict all;
  const auto add = [&](const std::string& name, const Deviation& d, bool told) {
    all[py::str(name + "_error")] = told ? py::object(py::float_(d.worst_relative())) : py::none();
    all[py::str(name + "_verdict")] =
        told ? py::object(py::str(std::string(lilyan::name(d.kept())))) : py::none();
  };
  add("energy", drift.energy(), true);
  const bool space = system.dimension() == 3;
  add("momentum", drift.linear_momentum(), space && system.translation_invariant());
  add("angular_momentum", drift.angular_momentum(), space && drift.spin().any());
  for (const Watch::Quantity& q : s.watch().invariants()) {
    add("invariant_" + q.name, q.deviation, true);
    all[py::str("invariant_" + q.name + "_end")] = q.now;
  }
  if (s.watch().has_exact()) {
    all["exact_error"] = s.watch().error();
    all["exact_error_worst"] = s.watch().worst_error();
  }
  const SolverWork& work = s.run().summary().solver_work;
  all["iterations"] = work.iterations;
  all["evaluations"] = work.evaluations;
  all["halved_steps"] = s.run().summary().halved_steps;
  all["processor_seconds"] = s.processor_seconds();
  const Scene& scene = s.planned().scene;
  for (const auto& [name, value] :
       last_state(scene, s.run().state(), s.run().summary().invariants.total)) {
    all[py::str(name + "_end")] = value;
  }
  if (scene.bodies().have_contact()) all["contact_depth_most"] = s.run().summary().contact.deepest;
  return all;
}

// A system that is put together from Python.
class SystemBuilder {
 public:
  SystemBuilder(const std::vector<double>& masses, int dimension)
      : system_(std::make_unique<System>(masses, dimension)) {}
  SystemBuilder(py::function lagrangian, int dofs, bool depends_on_time, std::vector<bool> cyclic)
      : system_(std::make_unique<System>(std::make_unique<PythonLagrangian>(
            std::move(lagrangian), dofs, depends_on_time, std::move(cyclic)))) {}

  [[nodiscard]] System& system() {
    if (!system_) throw Error("this system has been made into a scene: make another one");
    return *system_;
  }
  [[nodiscard]] const System* system_if_any() const { return system_.get(); }
  void add_energy(py::function function, const Indices& elements, bool translation, bool rotation) {
    if (elements.ndim() != 2 || elements.shape(1) < 1) {
      throw Error("elements must be an array with a row of vertices for each");
    }
    const auto each = static_cast<int>(elements.shape(1));
    std::vector<int> vertices(elements.data(), elements.data() + elements.size());
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      if (vertices[i] < 0 || vertices[i] >= system().vertices()) {
        throw Error("an element names a vertex that there is not: " + std::to_string(vertices[i]));
      }
      if (i % static_cast<std::size_t>(each) > 0 && vertices[i] <= vertices[i - 1]) {
        throw Error("the vertices of an element must ascend");
      }
    }
    system().add(std::make_unique<PythonEnergy>(
        std::move(function),
        ElementsOfPython{system().dimension(), each, std::move(vertices), translation, rotation}));
  }
  void add_force(py::function function) {
    system().add(std::make_unique<PythonForce>(std::move(function), system().vertices(),
                                               system().dimension()));
  }
  void add_gravity(const std::array<double, 3>& g) {
    const auto masses = system().vertex_masses();
    system().add(std::make_unique<Gravity>(Vec3(g[0], g[1], g[2]),
                                           std::vector<double>(masses.begin(), masses.end())));
  }
  void add_material(const std::string& model, const Numbers& rest, const Indices& tets,
                    const py::dict& parameters) {
    const MaterialInfo* material = find_material(model);
    if (!material) {
      std::vector<std::string> names;
      for (const MaterialInfo& m : materials()) names.push_back(m.name);
      throw ParameterError("model",
                           "there is no material '" + model + "'" + suggestion(model, names));
    }
    if (rest.size() != system().dofs()) throw Error("rest must have a point for every vertex");
    const Vector positions = Eigen::Map<const Vector>(rest.data(), rest.size());
    const auto cells = cells_from<4>(tets, system().vertices());
    check_rest(positions, cells);
    const Parameters given = parameters_from(parameters).completed(material->parameters);
    system().add(material->make({positions, cells}, given));
    if (auto locking = remark_on_locking("this material", given)) {
      remarks_.push_back(std::move(*locking));
    }
    tets_.insert(tets_.end(), cells.begin(), cells.end());
    solids_.push_back({material, positions, cells});
  }
  void add_rod(int a, int b, double length) {
    system().add(std::make_unique<DistanceConstraint>(a, b, length));
  }
  void fix(int vertex) {
    if (vertex < 0 || vertex >= system().vertices()) {
      throw Error("there is no vertex " + std::to_string(vertex));
    }
    system().fix(vertex);
  }

  ScenePointer make_scene(const Numbers& x, const Numbers& v, const std::string& method,
                          const py::dict& parameters, double step, int steps,
                          const std::string& title) {
    Scene scene;
    scene.name = scene.title = title;
    scene.settings.method = find_method(method) ? find_method(method)->name : method;
    scene.settings.scheme = make_scheme(method, parameters_from(parameters));
    scene.settings.step = step;
    scene.settings.steps = steps;
    scene.settings.duration = step * steps;
    scene.settings.control.step = step;
    if (!(step > 0)) throw Error("a step must be positive");
    System& built = system();
    scene.initial.x.resize(built.dofs());
    scene.initial.v.resize(built.dofs());
    copy_into(scene.initial.x, x, "x");
    copy_into(scene.initial.v, v, "v");
    if (const std::string reason = reason_unsupported(built, scene.settings.scheme);
        !reason.empty()) {
      throw Error(reason);
    }
    scene.remarks = remarks_;
    for (const Solid& solid : solids_) {
      const StartVerdict verdict =
          judge_start(title, BodyKind::solid, start_shape(solid.tets, solid.rest, scene.initial.x),
                      solid.material);
      if (!verdict.fault.empty()) throw Error(verdict.fault);
      scene.remarks.insert(scene.remarks.end(), verdict.remarks.begin(), verdict.remarks.end());
    }
    if (built.dimension() == 1) {
      SmallSystem small;
      for (int i = 0; i < built.dofs(); ++i) small.coordinates.push_back("q" + std::to_string(i));
      scene.content = std::move(small);
    } else {
      Bodies bodies;
      bodies.tets = tets_;
      bodies.tet_body.assign(tets_.size(), 0);
      if (built.dimension() == 3) bodies.names = {title};
      scene.content = std::move(bodies);
    }
    scene.system = std::move(system_);
    return std::make_shared<PlannedScene>(std::move(scene));
  }

 private:
  struct Solid {
    const MaterialInfo* material;
    Vector rest;
    std::vector<std::array<int, 4>> tets;
  };

  // Refuses tets that no scene would take either.
  static void check_rest(const Vector& rest, const std::vector<std::array<int, 4>>& tets) {
    if (!rest.allFinite()) throw Error("rest has numbers that are not finite");
    std::map<std::array<int, 4>, std::size_t> seen;
    for (std::size_t e = 0; e < tets.size(); ++e) {
      const auto& t = tets[e];
      const Vec3 origin = rest.segment<3>(3 * t[0]);
      const Vec3 a = rest.segment<3>(3 * t[1]) - origin;
      const Vec3 b = rest.segment<3>(3 * t[2]) - origin;
      const Vec3 c = rest.segment<3>(3 * t[3]) - origin;
      if (a.dot(b.cross(c)) < 0) {
        throw Error(fmt::format(
            "tet {} (counted from 0) is inverted in the rest shape: swap two of its vertices", e));
      }
      std::array<int, 4> sorted = tets[e];
      std::ranges::sort(sorted);
      const auto [twin, fresh] = seen.emplace(sorted, e);
      if (!fresh) {
        throw Error(fmt::format(
            "tet {} has the same vertices as tet {} (counted from 0): remove one of them", e,
            twin->second));
      }
    }
  }

  std::unique_ptr<System> system_;
  std::vector<std::array<int, 4>> tets_;
  std::vector<Solid> solids_;
  std::vector<std::string> remarks_;
};

struct BuilderReferences {
  using Object = SystemBuilder;
  static std::vector<py::handle> seen(const SystemBuilder& s) {
    return s.system_if_any() ? functions_of(*s.system_if_any()) : std::vector<py::handle>{};
  }
  static void let_go(SystemBuilder& s) {
    if (!s.system_if_any()) return;
    for (HoldsFunction* held : held_functions(*s.system_if_any())) held->let_go();
  }
};

py::array_t<int> surface_of(const Scene& scene) {
  std::vector<std::array<int, 3>> triangles = scene.bodies().triangles;
  for (const BoundaryFace& face : boundary_faces(scene.bodies().tets))
    triangles.push_back(face.corners);
  return cells_of(triangles);
}

// The places of a small system's drawing at many states, one after the other.
py::object drawn(const Scene& scene, const Numbers& t, const Numbers& x, const Numbers& v) {
  if (!scene.small().drawing || scene.small().drawing->empty()) return py::none();
  const Drawing& drawing = *scene.small().drawing;
  const auto n = static_cast<std::ptrdiff_t>(scene.initial.x.size());
  if (x.size() != t.size() * n || v.size() != t.size() * n) throw Error("as many states as times");
  std::vector<double> places;
  State state = scene.initial;
  for (py::ssize_t k = 0; k < t.size(); ++k) {
    state.t = t.data()[k];
    state.x = Eigen::Map<const Vector>(x.data() + k * n, n);
    state.v = Eigen::Map<const Vector>(v.data() + k * n, n);
    const auto at = drawing.places(state);
    places.insert(places.end(), at.begin(), at.end());
  }
  const auto count = static_cast<py::ssize_t>(drawing.count());
  std::vector<double> radii;
  for (const Drawing::Point& point : drawing.points) radii.push_back(point.radius);
  using py::literals::operator""_a;
  return py::dict("places"_a = array_of(std::move(places), {t.size(), count, 3}), "radii"_a = radii,
                  "rods"_a = drawing.rods, "springs"_a = drawing.springs,
                  "trails"_a = drawing.trails.size());
}

// ---- The live view ----------------------------------------------------------------------------------------------

class LiveView {
 public:
  LiveView(const std::vector<std::string>& scenes, const std::vector<std::string>& settings,
           int port)
      : session_({.scenes = scenes, .make = make_pane, .play_at_first_client = true}),
        server_(session_,
                {.port = static_cast<unsigned short>(port == 0 ? view::kDefaultPort : port),
                 .insist = port != 0,
                 .page = view::page()}) {
    std::vector<view::PaneRequest> panes;
    for (const std::string& scene : scenes) panes.push_back({scene, settings, settings});
    for (const view::PaneRequest& pane : panes) (void)make_pane({}, pane);
    session_.open(panes);
  }
  [[nodiscard]] int port() const { return server_.port(); }

 private:
  static std::unique_ptr<view::Pane> make_pane(view::PaneId id, const view::PaneRequest& request) {
    return view::make_simulation(id, request, find_scene(request.scene));
  }

  view::Session session_;
  view::Server server_;
};

// ---- Bindings ---------------------------------------------------------------------------------------------------

void bind_errors(py::module_& m) {
  static PyObject* error = PyErr_NewExceptionWithDoc(
      "lilyan.Error", "Anything that Lilyan refuses; the message says what to do.",
      PyExc_RuntimeError, nullptr);
  static PyObject* input = PyErr_NewExceptionWithDoc(
      "lilyan.InputError",
      "A scene, file or setting that cannot be used. Attributes file, line and column say where.",
      py::make_tuple(py::handle(error), py::handle(PyExc_ValueError)).ptr(), nullptr);
  static PyObject* parameter = PyErr_NewExceptionWithDoc(
      "lilyan.ParameterError",
      "A value that cannot be used: a parameter of a method or material, an index, a number of "
      "steps.",
      py::make_tuple(py::handle(error), py::handle(PyExc_ValueError)).ptr(), nullptr);
  m.attr("Error") = py::handle(error);
  m.attr("InputError") = py::handle(input);
  m.attr("ParameterError") = py::handle(parameter);
  // pybind11 wants the pointer by value. NOLINTNEXTLINE(performance-unnecessary-value-param)
  py::register_exception_translator([](std::exception_ptr p) {
    try {
      if (p) std::rethrow_exception(p);
    } catch (const InputError& e) {
      const py::object made = py::handle(input)(e.what());
      made.attr("file") = e.where().file;
      made.attr("line") = e.where().line;
      made.attr("column") = e.where().column;
      PyErr_SetObject(input, made.ptr());
    } catch (const ParameterError& e) {
      PyErr_SetString(parameter, e.what());
    } catch (const Error& e) {
      // Where a function of Python's is the reason, its own error says more.
      try {
        rethrow_python_error();
        PyErr_SetString(error, e.what());
      } catch (py::error_already_set& own) {
        own.restore();
      } catch (const Error& own) {
        PyErr_SetString(error, own.what());
      }
    }
  });
}

void bind_lists(py::module_& m) {
  m.def("version", [] { return std::string(version()); });
  m.def("methods", [] { return describe_all(methods()); });
  m.def("materials", [] { return describe_all(materials()); });
  m.def("verify", &verify_method, py::arg("method"), py::arg("parameters"));
  m.def("scene_names", &scene_names);
  m.def("set_shipped_scenes", [](const std::string& folder) { set_shipped_scenes(folder); });
  m.def(
      "load_plugin", [](const std::string& file) { load_plugin(file); }, py::arg("file"));
  m.def("set_threads", &set_threads, py::arg("count"));
  m.def(
      "write_tets",
      [](const std::string& file, const Numbers& vertices, const Indices& tets) {
        write_mesh(file, TetMesh{points_from(vertices), cells_from<4>(tets, vertices.shape(0))});
      },
      py::arg("file"), py::arg("vertices"), py::arg("tets"));
  m.def(
      "write_triangles",
      [](const std::string& file, const Numbers& vertices, const Indices& triangles) {
        write_mesh(file,
                   SurfaceMesh{points_from(vertices), cells_from<3>(triangles, vertices.shape(0))});
      },
      py::arg("file"), py::arg("vertices"), py::arg("triangles"));
}

void bind_scene(py::module_& m) {
  using py::literals::operator""_a;
  m.def("load_file", &load_file, "scene"_a, "settings"_a, "steps"_a, "duration"_a, "start"_a);
  m.def("load_text", &load_text, "text"_a, "file"_a, "written_by_user"_a, "settings"_a, "steps"_a,
        "duration"_a, "start"_a);
  const auto text = [](auto member) {
    return [member](const PlannedScene& s) { return s.scene.*member; };
  };
  py::class_<PlannedScene, ScenePointer>(m, "Scene", collected<SceneReferences>())
      .def_property_readonly("name", text(&Scene::name))
      .def_property_readonly("title", text(&Scene::title))
      .def_property_readonly("method",
                             [](const PlannedScene& s) { return s.scene.settings.method; })
      .def_property_readonly("label",
                             [](const PlannedScene& s) { return s.scene.settings.scheme.label; })
      .def_property_readonly("step", [](const PlannedScene& s) { return s.scene.settings.step; })
      .def_property_readonly("steps", [](const PlannedScene& s) { return s.steps; })
      .def_property_readonly("duration", [](const PlannedScene& s) { return s.duration; })
      .def_property_readonly(
          "variable_steps", [](const PlannedScene& s) { return s.scene.settings.variable_steps(); })
      .def_property_readonly("size", [](const PlannedScene& s) { return describe_size(s.scene); })
      .def_property_readonly("remarks", text(&Scene::remarks))
      .def_property_readonly("resolved", text(&Scene::resolved))
      .def_property_readonly("coordinates",
                             [](const PlannedScene& s) { return s.scene.small().coordinates; })
      .def_property_readonly("body_names",
                             [](const PlannedScene& s) { return s.scene.bodies().names; })
      .def_property_readonly("compared_methods",
                             [](const PlannedScene& s) { return compared_methods(s.scene); })
      .def_property_readonly("dimension",
                             [](const PlannedScene& s) { return s.scene.system->dimension(); })
      .def_property_readonly("masses",
                             [](const PlannedScene& s) {
                               const auto masses = s.scene.system->vertex_masses();
                               return Numbers(static_cast<py::ssize_t>(masses.size()),
                                              masses.data());
                             })
      .def_property_readonly("t0", [](const PlannedScene& s) { return s.scene.initial.t; })
      .def("start_from", &start_scene, "t"_a, "x"_a, "v"_a, "t_previous"_a, "x_previous"_a,
           "v_previous"_a)
      .def_property_readonly("x0",
                             [](const py::object& self) {
                               auto& s = py::cast<PlannedScene&>(self);
                               return view_of(s.scene.initial.x, *s.scene.system, self, false);
                             })
      .def_property_readonly("v0",
                             [](const py::object& self) {
                               auto& s = py::cast<PlannedScene&>(self);
                               return view_of(s.scene.initial.v, *s.scene.system, self, false);
                             })
      .def_property_readonly("tets",
                             [](const PlannedScene& s) { return cells_of(s.scene.bodies().tets); })
      .def_property_readonly("edges",
                             [](const PlannedScene& s) { return cells_of(s.scene.bodies().edges); })
      .def_property_readonly("surface", [](const PlannedScene& s) { return surface_of(s.scene); })
      .def(
          "drawn",
          [](const PlannedScene& s, const Numbers& t, const Numbers& x, const Numbers& v) {
            return drawn(s.scene, t, x, v);
          },
          "t"_a, "x"_a, "v"_a);
}

void bind_system(py::module_& m) {
  using py::literals::operator""_a;
  py::class_<SystemBuilder>(m, "SystemBuilder", collected<BuilderReferences>())
      .def(py::init<const std::vector<double>&, int>(), "masses"_a, "dimension"_a)
      .def(py::init<py::function, int, bool, std::vector<bool>>(), "lagrangian"_a, "dofs"_a,
           "depends_on_time"_a, "cyclic"_a)
      .def_property_readonly("vertices", [](SystemBuilder& s) { return s.system().vertices(); })
      .def_property_readonly("dimension", [](SystemBuilder& s) { return s.system().dimension(); })
      .def("add_energy", &SystemBuilder::add_energy, "function"_a, "elements"_a, "translation"_a,
           "rotation"_a)
      .def("add_force", &SystemBuilder::add_force, "function"_a)
      .def("add_gravity", &SystemBuilder::add_gravity, "acceleration"_a)
      .def("add_material", &SystemBuilder::add_material, "model"_a, "rest"_a, "tets"_a,
           "parameters"_a)
      .def("add_rod", &SystemBuilder::add_rod, "a"_a, "b"_a, "length"_a)
      .def("fix", &SystemBuilder::fix, "vertex"_a)
      .def("scene", &SystemBuilder::make_scene, "x"_a, "v"_a, "method"_a, "parameters"_a, "step"_a,
           "steps"_a, "title"_a);
}

py::dict take(Recording& r, const System& system) {
  using py::literals::operator""_a;
  const auto columns = static_cast<py::ssize_t>(kColumns.size());
  const auto rows = static_cast<py::ssize_t>(r.rows.size()) / columns;
  const auto frames = static_cast<py::ssize_t>(r.frame_times.size());
  std::vector<py::ssize_t> shape = shape_of(system);
  shape.insert(shape.begin(), frames);
  return py::dict("rows"_a = array_of(std::move(r.rows), {rows, columns}),
                  "frame_t"_a = array_of(std::move(r.frame_times), {frames}),
                  "x"_a = array_of(std::move(r.x), shape), "v"_a = array_of(std::move(r.v), shape));
}

void bind_simulation(py::module_& m) {
  using py::literals::operator""_a;
  m.attr("columns") = py::cast(std::vector<std::string>(kColumns.begin(), kColumns.end()));
  py::class_<Recording>(m, "Recording").def(py::init<int, int>(), "every"_a, "frames"_a);
  const auto view = [](auto member, bool writable) {
    return [member, writable](const py::object& self) {
      auto& s = py::cast<Simulation&>(self);
      return view_of(s.run().editable_state().*member, *s.planned().scene.system, self, writable);
    };
  };
  const auto assign = [](auto member, const char* what) {
    return [member, what](Simulation& s, const Numbers& given) {
      s.require_still(std::string("set ") + what);
      copy_into(s.run().editable_state().*member, given, what);
      s.run().state_changed();
    };
  };
  py::class_<Simulation>(m, "Simulation", collected<SimulationReferences>())
      .def(py::init([](const py::object& scene) {
             (void)py::cast<PlannedScene&>(scene);
             return std::make_unique<Simulation>(scene);
           }),
           "scene"_a)
      .def("advance", &Simulation::advance, "n"_a, "callback"_a = py::none(), "every"_a = 1,
           "recording"_a = nullptr, "whole"_a = false)
      .def("stop", &Simulation::stop)
      .def("conservation", &conservation)
      .def(
          "take",
          [](Simulation& s, Recording& r) {
            s.require_still("take a recording");
            return take(r, *s.planned().scene.system);
          },
          "recording"_a)
      .def_property_readonly("t", [](Simulation& s) { return s.run().state().t; })
      .def_property_readonly("steps", [](Simulation& s) { return s.run().summary().steps; })
      .def_property("x", view(&State::x, false), assign(&State::x, "x"))
      .def_property("v", view(&State::v, false), assign(&State::v, "v"))
      .def("writable",
           [view](const py::object& self) {
             py::cast<Simulation&>(self).begin_editing();
             return py::make_tuple(view(&State::x, true)(self), view(&State::v, true)(self));
           })
      .def("state_changed", &Simulation::end_editing)
      .def_property_readonly("done", [](Simulation& s) { return s.run().done(); })
      .def_property_readonly("end",
                             [](Simulation& s) { return std::string(name(s.run().summary().end)); })
      .def_property_readonly("message",
                             [](Simulation& s) {
                               s.require_still("read the message");
                               return s.run().summary().message;
                             })
      .def_property_readonly("energy",
                             [](Simulation& s) { return s.run().summary().invariants.total; })
      .def_property_readonly("seconds",
                             [](Simulation& s) { return s.run().summary().step_seconds; })
      .def_property_readonly("verdicts", [](Simulation& s) {
        s.require_still("judge the run");
        std::vector<std::string> all;
        const RunSummary& summary = s.run().summary();
        for (const Verdict& v : verdicts(*s.planned().scene.system, summary, s.drift())) {
          all.push_back(v.text);
        }
        return all;
      });
}

}  // namespace

PYBIND11_MODULE(_core, m) {
  m.doc() = "The compiled part of lilyan. Use the package lilyan instead.";
  bind_errors(m);
  bind_lists(m);
  bind_scene(m);
  bind_system(m);
  bind_simulation(m);
  py::class_<LiveView>(m, "LiveView")
      .def(py::init<const std::vector<std::string>&, const std::vector<std::string>&, int>(),
           py::arg("scenes"), py::arg("settings"), py::arg("port"),
           py::call_guard<py::gil_scoped_release>())
      .def_property_readonly("port", &LiveView::port);
}

}  // namespace lilyan::python
