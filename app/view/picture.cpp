#include "app/view/picture.hpp"

#include <algorithm>
#include <cmath>

#include "app/scene/scene.hpp"
#include "app/scene/small/drawing.hpp"
#include "app/scene/small/observables.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/contact/obstacle_contact.hpp"
#include "lilyan/model/energy.hpp"

namespace lilyan::view {

WholeSurface whole_surface(const FrameGeometry& geometry) {
  WholeSurface whole;
  for (const SurfacePart& part : surface_parts(geometry)) {
    const auto first = static_cast<int>(whole.vertices.size());
    const auto append = [first](const auto& elements, auto& to) {
      for (auto element : elements) {
        for (int& i : element) i += first;
        to.push_back(element);
      }
    };
    append(part.triangles, whole.triangles);
    append(part.edges, whole.edges);
    whole.vertices.insert(whole.vertices.end(), part.vertices.begin(), part.vertices.end());
    whole.body.resize(whole.vertices.size(), part.body);
    whole.bodies = std::max(whole.bodies, part.body + 1);
  }
  return whole;
}

std::vector<float> surface_points(const WholeSurface& surface, Points points) {
  std::vector<float> x;
  x.reserve(3 * surface.vertices.size());
  for (const int i : surface.vertices) {
    for (const double c : points.subspan(3 * static_cast<std::size_t>(i), 3)) {
      x.push_back(static_cast<float>(c));
    }
  }
  return x;
}

std::vector<float> surface_speeds(const WholeSurface& surface, Points velocities) {
  std::vector<float> speed(surface.vertices.size(), 0.0F);
  if (velocities.empty()) return speed;
  for (std::size_t k = 0; k < speed.size(); ++k) {
    const auto v = velocities.subspan(3 * static_cast<std::size_t>(surface.vertices[k]), 3);
    speed[k] = static_cast<float>(std::hypot(v[0], v[1], v[2]));
  }
  return speed;
}

std::vector<float> obstacle_poses(const std::vector<Obstacle>& obstacles, double t) {
  std::vector<float> poses;
  for (const Obstacle& obstacle : obstacles) {
    if (!obstacle.motion.moves()) continue;
    const Pose pose = obstacle.motion.at(t);
    const Vec3 origin = pose.apply(Vec3::Zero());
    for (int row = 0; row < 3; ++row) {
      for (int c = 0; c < 3; ++c) poses.push_back(static_cast<float>(pose.rotation(row, c)));
      poses.push_back(static_cast<float>(origin[row]));
    }
  }
  return poses;
}

void add_to_path(const State& state, std::vector<double>& path, const Drawing* drawing) {
  path.push_back(state.t);
  path.insert(path.end(), state.x.begin(), state.x.end());
  path.insert(path.end(), state.v.begin(), state.v.end());
  if (!drawing) return;
  const auto trails = drawing->places(state).subspan(3 * drawing->first_trail());
  path.insert(path.end(), trails.begin(), trails.end());
}

std::vector<PaneInfo::Section> sections_of(const Scene& scene) {
  std::vector<PaneInfo::Section> sections;
  if (!scene.small().observables) return sections;
  for (const ObservedEvent& event : scene.small().observables->events) {
    if (!event.x.empty()) sections.push_back({event.name, event.x, event.y});
  }
  return sections;
}

void add_section_points(const Scene& scene, std::span<const EventHit> hits, std::size_t orbit,
                        std::vector<double>& to) {
  if (hits.empty()) return;
  const auto& events = scene.small().observables->events;
  const std::size_t all = sections_of(scene).size();
  for (const EventHit& hit : hits) {
    const auto at = static_cast<std::size_t>(hit.event);
    if (events[at].x.empty()) continue;
    std::size_t section = orbit * all;
    for (std::size_t k = 0; k < at; ++k) section += events[k].x.empty() ? 0 : 1;
    const double* values = scene.small().observables->section_values(hit.state) + 2 * at;
    to.insert(to.end(), {static_cast<double>(section), values[0], values[1]});
  }
}

PaneInfo::Draw describe(const Drawing* drawing) {
  PaneInfo::Draw draw;
  if (!drawing) return draw;
  for (const Drawing::Point& point : drawing->points) {
    draw.radii.push_back(point.radius);
    draw.names.push_back(point.name);
  }
  draw.rods = drawing->rods;
  draw.springs = drawing->springs;
  draw.trails = drawing->trails;
  draw.flat = drawing->flat;
  draw.held = drawing->held;
  return draw;
}

Message picture_of(PaneId id, int frame, const State& state, const Drawing* drawing) {
  const auto n = static_cast<std::size_t>(state.x.size());
  std::vector<float> places;
  if (drawing) {
    for (const double p : drawing->places(state).first(3 * drawing->first_trail())) {
      places.push_back(static_cast<float>(p));
    }
  }
  return system_message(id, frame, state.t, {state.x.data(), n}, {state.v.data(), n}, places);
}

Picture::Picture(const Scene& scene)
    : scene_(scene), energies_(*scene.system), links_(shown_links(scene.bodies().links)) {
  if (scene.has_bodies()) surface_ = whole_surface(geometry_of(scene));
}

int Picture::vertices() const {
  const std::size_t n =
      scene_.has_bodies() ? surface_.vertices.size() : scene_.small().coordinates.size();
  return static_cast<int>(n);
}

int Picture::vertex(int of_surface) const {
  const auto n = static_cast<std::size_t>(of_surface);
  if (of_surface < 0 || n >= surface_.vertices.size()) {
    throw Error("the pane has no vertex of that number to pull at");
  }
  return surface_.vertices[n];
}

std::vector<int> held_vertices(const WholeSurface& surface, const System& system) {
  constexpr std::size_t kMostShown = 4000;
  std::vector<int> held;
  for (std::size_t k = 0; k < surface.vertices.size() && held.size() < kMostShown; ++k) {
    if (system.embedding().fixed(surface.vertices[k])) held.push_back(static_cast<int>(k));
  }
  return held;
}

Message Picture::mesh(PaneId id, const State& initial) const {
  if (!scene_.has_bodies()) return nullptr;
  const auto n = static_cast<std::size_t>(initial.x.size());
  return mesh_message(id, {.triangles = surface_.triangles,
                           .edges = surface_.edges,
                           .body = surface_.body,
                           .bodies = surface_.bodies,
                           .rest = surface_points(surface_, {initial.x.data(), n})});
}

void Picture::find_energies(const State& state) {
  const std::span<const double> all = energies_.densities(state.x);
  density_.resize(surface_.vertices.size());
  for (std::size_t k = 0; k < density_.size(); ++k) {
    density_[k] = static_cast<float>(all[static_cast<std::size_t>(surface_.vertices[k])]);
  }
}

Message Picture::frame(PaneId id, int frame, const State& state) {
  const auto n = static_cast<std::size_t>(state.x.size());
  if (!scene_.has_bodies()) return picture_of(id, frame, state, scene_.small().drawing.get());
  find_energies(state);
  return frame_message(id, frame, state.t,
                       {.x = surface_points(surface_, {state.x.data(), n}),
                        .speed = surface_speeds(surface_, {state.v.data(), n}),
                        .energy = density_,
                        .poses = obstacle_poses(scene_.bodies().obstacles, state.t),
                        .links = link_places(links_, {state.x.data(), n})});
}

}  // namespace lilyan::view
