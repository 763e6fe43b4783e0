// Pictures of a scene: the surfaces of its bodies, or the coordinates of a small system.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "app/files/surface.hpp"
#include "app/run/dense_output.hpp"
#include "app/run/energy_density.hpp"
#include "app/scene/scene.hpp"
#include "app/view/messages.hpp"
#include "app/view/pane.hpp"
#include "lilyan/model/state.hpp"

namespace lilyan {
class Drawing;
}

namespace lilyan::view {

// The parts of a surface as one mesh.
struct WholeSurface {
  std::vector<int> vertices;  // numbers in the frame
  std::vector<int> body;      // of each vertex
  std::vector<std::array<int, 3>> triangles;
  std::vector<std::array<int, 2>> edges;
  int bodies = 0;
};
[[nodiscard]] WholeSurface whole_surface(const FrameGeometry& geometry);
// Positions and speeds of the surface's vertices.
[[nodiscard]] std::vector<float> surface_points(const WholeSurface& surface, Points points);
[[nodiscard]] std::vector<float> surface_speeds(const WholeSurface& surface, Points velocities);
// For each obstacle that moves the matrix [R|t], row by row, from where the scene puts it to where it
// is at time t.
[[nodiscard]] std::vector<float> obstacle_poses(const std::vector<Obstacle>& obstacles, double t);

// Appends time, coordinates and velocities of a small system, and where its drawing's trails are.
void add_to_path(const State& state, std::vector<double>& path, const Drawing* drawing = nullptr);
// What the parts of a drawing are, and a small system with it. Both take null for none.
[[nodiscard]] PaneInfo::Draw describe(const Drawing* drawing);
[[nodiscard]] Message picture_of(PaneId id, int frame, const State& state, const Drawing* drawing);

// The sections of a scene's events; and the points that events add to them, three numbers each: which one,
// x and y. Each further orbit has sections of its own behind those of the one before.
[[nodiscard]] std::vector<PaneInfo::Section> sections_of(const Scene& scene);
void add_section_points(const Scene& scene, std::span<const EventHit> hits, std::size_t orbit,
                        std::vector<double>& to);

// Vertices of the surface that are held.
[[nodiscard]] std::vector<int> held_vertices(const WholeSurface& surface, const System& system);

class Picture {
 public:
  // The scene must outlive this.
  explicit Picture(const Scene& scene);

  [[nodiscard]] int vertices() const;  // of the surface
  // The number in the scene of a vertex of the surface. Throws Error when there is none.
  [[nodiscard]] int vertex(int of_surface) const;
  [[nodiscard]] std::vector<int> fixed() const { return held_vertices(surface_, *scene_.system); }
  [[nodiscard]] const std::vector<Link>& links() const { return links_; }
  [[nodiscard]] Message mesh(PaneId id, const State& initial) const;
  [[nodiscard]] Message frame(PaneId id, int frame, const State& state);

 private:
  void find_energies(const State& state);

  const Scene& scene_;
  WholeSurface surface_;
  VertexEnergies energies_;
  std::vector<Link> links_;
  std::vector<float> density_;  // at the vertices of the surface
};

}  // namespace lilyan::view
