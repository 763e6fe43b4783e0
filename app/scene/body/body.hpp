// One [[body]] of a scene.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/files/mesh.hpp"
#include "app/files/surface.hpp"
#include "app/scene/body/actions.hpp"
#include "app/scene/body/distribution.hpp"
#include "app/scene/toml/table_reader.hpp"
#include "lilyan/base/parameter.hpp"
#include "lilyan/base/types.hpp"
#include "lilyan/material/material.hpp"
#include "lilyan/physics/energies.hpp"

namespace lilyan {

struct Scheme;

enum class BodyKind { solid, cloth, rod };

struct Body {
  std::string name;
  BodyKind kind = BodyKind::solid;
  Vector rest;                                // placed in the world, undeformed
  std::vector<std::array<int, 4>> tets;       // of a solid
  std::vector<std::array<int, 3>> triangles;  // of a cloth
  std::vector<TriangleTexture> texture;       // of these; empty: none
  std::vector<std::array<int, 2>> edges;      // of a rod
  std::array<int, 2> grid{};                  // cells of a cloth made as a grid, else zero
  std::vector<double> masses;                 // one per vertex
  const Distribution* ranks = nullptr;  // the processes that share it; null: this one has all of it
  BodyPart part;                        // of it, where it is shared
  std::vector<char> fixed;
  Vector x;  // initial positions
  Vector v;  // initial velocities

  const MaterialInfo* material = nullptr;  // of a solid
  Parameters material_parameters;          // of a solid, or of a cloth's membrane
  // Springs, membrane and bending hold a cloth or rod together; vertices are the body's.
  SpringKind spring_kind = SpringKind::stvk;
  std::vector<Spring> springs;
  std::optional<MembraneStiffness> membrane;
  double bending = 0;  // of hinges or of a rod's corners; 0: none

  std::vector<Anchor> anchors;
  std::vector<SceneForce> forces;
  std::vector<SceneScript> scripts;
  SceneDamping damping;
  std::vector<std::string> remarks;  // on its mesh and its start

  void set_rest(const std::vector<std::array<double, 3>>& points);
  [[nodiscard]] int count() const { return static_cast<int>(rest.size() / 3); }
  // Vertices and tets that sums over the body run over, the first so many.
  [[nodiscard]] int owned() const { return ranks ? part.owned : count(); }
  [[nodiscard]] std::size_t counted_tets() const {
    return ranks ? static_cast<std::size_t>(part.counted) : tets.size();
  }
  // A sum over all processes.
  [[nodiscard]] double total(double own) const { return ranks ? ranks->sum(own) : own; }
  // The box around its rest shape.
  [[nodiscard]] Eigen::AlignedBox3d box() const;
};

// A body and where its vertices begin in the system.
struct PlacedBody {
  const Body* body;
  int number;  // among the scene's bodies
  int first;
  [[nodiscard]] const std::string& name() const { return body->name; }
  [[nodiscard]] int count() const { return static_cast<int>(body->masses.size()); }
};

// Number is the body's place in the scene, for its default name.
// With `ranks` each process reads its part of the body.
[[nodiscard]] Body read_body(TableReader reader, int number, const Distribution* ranks);

// Vertices by their rest positions, at least one: of the table's `region = {…}`, or of the keys of a region
// in the table itself (region.cpp).
[[nodiscard]] std::vector<int> read_region(TableReader& table, const Body& body);
[[nodiscard]] bool has_region(const TableReader& table);

// What the author may not expect of this body: that it locks, that its mesh is poor (remarks.cpp).
[[nodiscard]] std::vector<std::string> remarks_on(const Body& body);
// A remark that a solid of this material locks, if it does.
[[nodiscard]] std::optional<std::string> remark_on_locking(const std::string& name,
                                                           const Parameters& material);
// What says whether sound crosses bodies within a step.
struct SoundInBodies {
  const System& system;
  const Vector& rest;
  const Vector& x;
  const Scheme& scheme;
  double step;
  bool shared;  // by several processes
};
// Remarks that the method turns bodies too slowly, as sound crosses them within a step, or as springs or other
// energies between them are as stiff.
[[nodiscard]] std::vector<std::string> remarks_on_sound(const std::vector<PlacedBody>& bodies,
                                                        const SoundInBodies& scene);

// Initial positions and velocities: [[body.deform]], 'positions', 'velocity', …; the body's rest
// shape and masses are known (initial_state.cpp).
void read_initial_state(TableReader& reader, Body& body);
// What is to be said of elements that have no volume (area, length) at the start, or are inside out (start_shape.cpp).
struct StartShape {
  double elements = 0;
  double flat = 0;
  double inverted = 0;
};
[[nodiscard]] StartShape start_shape(std::span<const std::array<int, 4>> tets, const Vector& rest,
                                     const Vector& x);
struct StartVerdict {
  std::string fault;  // why the body cannot start so; empty: it can
  std::vector<std::string> remarks;
};
// `material` is that of a solid, else null.
[[nodiscard]] StartVerdict judge_start(const std::string& name, BodyKind kind,
                                       const StartShape& shape, const MaterialInfo* material);
// Refuses a start that is not finite and one that has a fault, and keeps the remarks.
void check_start_shape(const TableReader& reader, Body& body);

// How near vertices of its mesh file are to be for 'merge' to join them, as a share of the mesh's size; 0: not at
// all (body_mesh.cpp).
[[nodiscard]] double read_merge_share(TableReader& reader);
// The mesh file of a solid or of a cloth, merged; remarks on what it leaves out and on tears.
[[nodiscard]] TetMesh read_body_tets(const TableReader& reader, const std::filesystem::path& file,
                                     double merge_share, Body& body);
[[nodiscard]] SurfaceMesh read_body_surface(const TableReader& reader,
                                            const std::filesystem::path& file, double merge_share,
                                            Body& body);

// The keys of a cloth or rod that solids do not have (cloth_and_rod.cpp).
//
// Reads the 'shape' or 'mesh' into the body's rest shape, triangles and edges.
void read_cloth_or_rod_shape(TableReader& reader, const std::string& source, Body& body);
// Areas of the triangles, or lengths of a rod's segments; refuses those without any.
[[nodiscard]] std::vector<double> areas_or_lengths(const TableReader& reader,
                                                   const std::string& source, const Body& body);
// Reads 'springs', 'material' and 'bending'.
void read_cloth_or_rod_material(TableReader& reader, Body& body);
// Adds the energies of a cloth or rod to a system in which the body's vertices begin at `first`;
// `rest` is that of the whole system.
void add_cloth_or_rod_energies(const Body& body, int first, const Vector& rest, System& system);

}  // namespace lilyan
