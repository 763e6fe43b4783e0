#include "app/scene/start.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "app/files/series.hpp"
#include "app/files/vtu.hpp"
#include "app/scene/body/distribution.hpp"
#include "lilyan/assemble/constraint_set.hpp"

namespace lilyan {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTrajectory = "trajectory.csv";
constexpr const char* kOrbits = "orbits.csv";

// The number of the frame that is meant, of so many.
std::size_t chosen(const NamedFrame& named, std::size_t count, std::string_view what) {
  if (!named.frame) return count - 1;
  const auto frame = static_cast<std::size_t>(*named.frame);
  if (frame < count) return frame;
  throw InputError({named.run.string()},
                   fmt::format("there is no {} {}: the run has {}, counted from 0 to {}", what,
                               frame, count, count - 1));
}

// Of a scene that several processes share, the part that this one has.
Vector vector_of(const std::vector<std::array<double, 3>>& points, const Scene& scene) {
  Vector x(scene.initial.x.size());
  Eigen::Index at = 0;
  const auto add = [&](std::size_t point) {
    for (const double c : points[point]) x[at++] = c;
  };
  if (!scene.shared) {
    for (std::size_t i = 0; i < points.size(); ++i) add(i);
    return x;
  }
  long before = 0;
  for (const BodyPart& part : scene.shared->parts) {
    for (const long number : part.number) add(static_cast<std::size_t>(before + number));
    before += part.whole;
  }
  return x;
}

// The same elements, in any order: frames that several processes wrote have another one.
template <class Elements>
bool same_elements(Elements one, Elements other) {
  if (one == other) return true;
  std::ranges::sort(one);
  std::ranges::sort(other);
  return one == other;
}

// Refuses the frame of another mesh.
void require_same_mesh(const fs::path& file, const VtuContent& frame, const Scene& scene) {
  const auto require = [&](std::size_t theirs, std::size_t ours, std::string_view what) {
    if (theirs == ours) return;
    throw InputError({file.string()},
                     fmt::format("this frame has {} {}, but the scene has {}: a run can only start "
                                 "from a frame of the same mesh",
                                 theirs, what, ours));
  };
  const SceneSize size = size_of(scene);
  require(frame.points.size(), static_cast<std::size_t>(size.vertices), "vertices");
  require(frame.tets.size(), static_cast<std::size_t>(size.tets), "tets");
  if (scene.shared) return;
  require(frame.triangles.size(), scene.bodies().triangles.size(), "triangles");
  require(frame.edges.size(), scene.bodies().edges.size(), "segments");
  if (same_elements(frame.tets, scene.bodies().tets) &&
      same_elements(frame.triangles, scene.bodies().triangles) &&
      same_elements(frame.edges, scene.bodies().edges)) {
    return;
  }
  throw InputError({file.string()},
                   fmt::format("this frame has the {} vertices of the scene, but its elements "
                               "connect others of them: a run can only start from a frame of the "
                               "same mesh",
                               frame.points.size()));
}

// Whether from one time to the other is one step of the scene, but for rounding.
bool one_step_apart(double before, double after, const Scene& scene) {
  const double rounding =
      1e-9 * scene.settings.step + 4 * std::numeric_limits<double>::epsilon() * after;
  return std::abs(after - before - scene.settings.step) <= rounding;
}

StoredFrame read_frame_of_bodies(const NamedFrame& named, const Scene& scene) {
  if (!fs::exists(named.run / "run.pvd") && fs::exists(named.run / kTrajectory)) {
    throw InputError({named.run.string()},
                     "this is the run of a small system, but the scene has bodies");
  }
  const std::vector<ListedFrame> listed = listed_frames(named.run);
  const std::size_t number = chosen(named, listed.size(), "frame");
  const fs::path& file = listed[number].file;
  const VtuContent content = read_vtu(file);
  require_same_mesh(file, content, scene);
  if (content.velocity.empty()) {
    throw InputError({file.string()}, "this frame has no velocities: no run can start from it");
  }
  StoredFrame frame{.frame = static_cast<int>(number),
                    .t = listed[number].t,
                    .x = vector_of(content.points, scene),
                    .v = vector_of(content.velocity, scene),
                    .exact = content.double_precision};
  if (number == 0 || !one_step_apart(listed[number - 1].t, frame.t, scene)) return frame;
  const VtuContent before = read_vtu(listed[number - 1].file);
  require_same_mesh(listed[number - 1].file, before, scene);
  frame.t_previous = listed[number - 1].t;
  frame.x_previous = vector_of(before.points, scene);
  frame.v_previous = vector_of(before.velocity, scene);
  return frame;
}

// The names of the columns of a state: t, coordinates and velocities.
std::vector<std::string> columns_of_state(const Scene& scene) {
  std::vector<std::string> names = {"t"};
  for (const std::string& name : scene.small().coordinates) names.push_back(name);
  for (const std::string& name : scene.small().coordinates) names.push_back("v_" + name);
  return names;
}

// A state from the numbers of a row, the first of which is the time.
State state_in(const NumberTable& table, std::size_t row, std::size_t first, Eigen::Index dofs) {
  State state{.t = table.at(row, first), .x = Vector(dofs), .v = Vector(dofs)};
  for (Eigen::Index i = 0; i < dofs; ++i) {
    state.x[i] = table.at(row, first + 1 + static_cast<std::size_t>(i));
    state.v[i] = table.at(row, first + 1 + static_cast<std::size_t>(dofs + i));
  }
  return state;
}

// The further orbits at a time. Their file has a row of each behind that of orbit 0.
std::vector<State> read_orbits(const NamedFrame& named, double t, const Scene& scene) {
  const fs::path file = named.run / kOrbits;
  if (!fs::exists(file)) {
    throw InputError({named.run.string()},
                     fmt::format("this run has one orbit, but the scene has {}",
                                 1 + scene.small().orbits.size()));
  }
  const NumberTable table = read_numbers(file);
  const auto is_first = [&](std::size_t row) { return table.at(row, 0) == 0; };
  std::size_t row = 0;
  while (row < table.rows() && !(is_first(row) && table.at(row, 1) == t)) ++row;
  std::size_t end = row + 1;
  while (end < table.rows() && !is_first(end)) ++end;
  if (row == table.rows()) {
    throw InputError({file.string()},
                     fmt::format("it has no rows at t = {}, the time of this frame: take another "
                                 "one (orbits are written less often when there are many)",
                                 t));
  }
  if (end - row != 1 + scene.small().orbits.size()) {
    throw InputError({file.string()}, fmt::format("there are {} orbits at t = {}, but the scene "
                                                  "has {}",
                                                  end - row, t, 1 + scene.small().orbits.size()));
  }
  std::vector<State> orbits;
  for (++row; row < end; ++row) {
    orbits.push_back(state_in(table, row, 1, scene.initial.x.size()));
    if (orbits.back().t == t) continue;
    throw InputError({file.string()},
                     fmt::format("orbit {} had stopped at t = {}, before this frame", orbits.size(),
                                 orbits.back().t));
  }
  return orbits;
}

StoredFrame read_row_of_system(const NamedFrame& named, const Scene& scene) {
  if (!fs::exists(named.run / kTrajectory)) {
    throw InputError({named.run.string()},
                     fs::exists(named.run / "run.pvd")
                         ? "this is a run of bodies, but the scene has a small system"
                         : "there is no trajectory.csv in it: expected the result folder of a run "
                           "of a small system, with output.every above 0");
  }
  const fs::path file = named.run / kTrajectory;
  const NumberTable table = read_numbers(file);
  std::vector<std::string> wanted = columns_of_state(scene);
  wanted.insert(wanted.begin(), "step");
  if (table.columns != wanted) {
    const std::size_t theirs = (std::max<std::size_t>(table.columns.size(), 2) - 2) / 2;
    throw InputError({file.string(), 1, 0},
                     fmt::format("this run has {} coordinates and the scene has {}: its columns "
                                 "are '{}', but '{}' are expected",
                                 theirs, scene.small().coordinates.size(),
                                 fmt::join(table.columns, ","), fmt::join(wanted, ",")));
  }
  if (table.rows() == 0) throw InputError({file.string()}, "it has no rows");
  const std::size_t number = chosen(named, table.rows(), "row of trajectory.csv");
  State state = state_in(table, number, 1, scene.initial.x.size());
  StoredFrame frame{.frame = static_cast<int>(number),
                    .t = state.t,
                    .x = std::move(state.x),
                    .v = std::move(state.v)};
  if (!scene.small().orbits.empty()) frame.orbits = read_orbits(named, frame.t, scene);
  if (number == 0 || !one_step_apart(table.at(number - 1, 1), frame.t, scene)) return frame;
  State before = state_in(table, number - 1, 1, scene.initial.x.size());
  frame.t_previous = before.t;
  frame.x_previous = std::move(before.x);
  frame.v_previous = std::move(before.v);
  return frame;
}

// Scripts move vertices from where the scene has them at first. Another scene may have them elsewhere.
void require_scripted_places(const StoredFrame& frame, const System& system) {
  if (system.motions().empty()) return;
  constexpr double kNear = 1e-5;  // of the largest distance from the origin; frames may be single
  Vector x = frame.x;
  for (const auto& motion : system.motions()) motion->positions(frame.t, x.data());
  const double size = frame.x.cwiseAbs().maxCoeff();
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    if (std::abs(x[i] - frame.x[i]) <= kNear * size) continue;
    const Eigen::Index vertex = i / 3;
    const auto there = [&](const Vector& v) {
      return fmt::format("({:.6g}, {:.6g}, {:.6g})", v[3 * vertex], v[3 * vertex + 1],
                         v[3 * vertex + 2]);
    };
    throw Error(fmt::format(
        "a script has vertex {} at {} at t = {}, but the frame has it at {}: start from a run with "
        "the same scripts and the same first shape",
        vertex, there(x), frame.t, there(frame.x)));
  }
}

}  // namespace

NamedFrame named_frame(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || fs::is_directory(text)) return {.run = text, .frame = {}};
  int number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, number);
  if (error != std::errc() || stop != end || number < 0) {
    throw InputError({"--from " + text},
                     fmt::format("expected RUN or RUN:FRAME, the folder of a run and the number of "
                                 "a frame, counted from 0; '{}' is no such number",
                                 text.substr(colon + 1)));
  }
  return {.run = text.substr(0, colon), .frame = number};
}

StoredFrame read_stored_frame(const NamedFrame& named, const Scene& scene) {
  return scene.has_bodies() ? read_frame_of_bodies(named, scene) : read_row_of_system(named, scene);
}

void start_from(StoredFrame frame, Scene& scene) {
  const System& system = *scene.system;
  State& initial = scene.initial;
  for (const auto& [numbers, what] :
       {std::pair<const Vector&, const char*>{frame.x, "positions"}, {frame.v, "velocities"}}) {
    if (numbers.size() != initial.x.size()) {
      throw Error(fmt::format("the frame has {} numbers as {}, but the scene has {}",
                              numbers.size(), what, initial.x.size()));
    }
    if (!numbers.allFinite())
      throw Error(fmt::format("the frame has {} that are not finite", what));
  }
  if (!std::isfinite(frame.t)) throw Error("the time of the frame is not finite");
  if (frame.orbits.size() != scene.small().orbits.size()) {
    throw Error(fmt::format("the frame has {} orbits, but the scene has {}",
                            1 + frame.orbits.size(), 1 + scene.small().orbits.size()));
  }
  require_scripted_places(frame, system);
  const bool looks_back = frame.x_previous.size() == frame.x.size() &&
                          frame.v_previous.size() == frame.x.size() &&
                          one_step_apart(frame.t_previous, frame.t, scene);
  initial = {.t = frame.t, .x = std::move(frame.x), .v = std::move(frame.v)};
  if (looks_back) {
    initial.h_previous = scene.settings.step;
    initial.x_previous = std::move(frame.x_previous);
    initial.v_previous = std::move(frame.v_previous);
  }
  system.embedding().restrict_velocity(initial.v);
  if (auto* small = std::get_if<SmallSystem>(&scene.content))
    small->orbits = std::move(frame.orbits);
  if (!system.constraints().empty()) {
    // Seven digits are too few for velocities along the constraints.
    if (!frame.exact) project_velocities(system, initial);
    check_constraints(system, initial);
  }
  if (!frame.exact) {
    scene.remarks.emplace_back(
        "the frame that this run starts from is in single precision (output.precision of that "
        "run): "
        "it has seven digits");
  }
}

void read_start(TableReader reader, Scene& scene) {
  NamedFrame named{.run = reader.folder("run")};
  if (reader.has("frame")) {
    named.frame = reader.whole("frame", 0, std::numeric_limits<int>::max());
  }
  reader.finish({"run", "frame"});
  StoredFrame frame = read_stored_frame(named, scene);
  reader.replace("frame", frame.frame);  // the last one of a run that goes on is soon another
  scene.start = SceneStart{
      .run = fs::weakly_canonical(named.run).string(), .frame = frame.frame, .t = frame.t};
  try {
    start_from(std::move(frame), scene);
  } catch (const InputError&) {
    throw;
  } catch (const Error& error) {
    reader.fail("run", error.what());
  }
}

}  // namespace lilyan
