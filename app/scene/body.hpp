// One [[body]] of a scene.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "app/scene/damping.hpp"
#include "app/scene/force.hpp"
#include "app/scene/motion.hpp"
#include "app/scene/table_reader.hpp"
#include "lilyan/core/parameter.hpp"
#include "lilyan/core/types.hpp"
#include "lilyan/material/material.hpp"
#include "lilyan/physics/anchors.hpp"
#include "lilyan/physics/hinge_bending.hpp"
#include "lilyan/physics/membrane.hpp"
#include "lilyan/physics/springs.hpp"

namespace lilyan {

enum class BodyKind { solid, cloth, rod };

// What holds a cloth or rod together; vertices are the body's.
struct ThinMaterial {
  SpringKind spring_kind = SpringKind::stvk;
  std::vector<Spring> springs;
  std::optional<MembraneStiffness> membrane;
  double bending = 0;  // of hinges or of a rod's corners; 0: none
};

struct Body {
  std::string name;
  BodyKind kind = BodyKind::solid;
  Vector rest;                                // placed in the world, undeformed
  std::vector<std::array<int, 4>> tets;       // of a solid
  std::vector<std::array<int, 3>> triangles;  // of a cloth
  std::vector<std::array<int, 2>> edges;      // of a rod
  std::array<int, 2> grid{};                  // cells of a cloth made as a grid, else zero
  std::vector<double> masses;                 // one per vertex
  std::vector<char> fixed;
  Vector x;  // initial positions
  Vector v;  // initial velocities
  const MaterialInfo* material = nullptr;
  Parameters material_parameters;
  ThinMaterial thin;
  std::vector<Anchor> anchors;
  std::vector<SceneForce> forces;
  std::vector<SceneScript> scripts;
  SceneDamping damping;

  void set_rest(const std::vector<std::array<double, 3>>& points);
};

// Number is the body's place in the scene, for its default name.
[[nodiscard]] Body read_body(TableReader reader, int number);

// Vertices of a [region] table, by their rest positions. At least one.
[[nodiscard]] std::vector<int> read_region(TableReader reader, const Vector& rest);

// Applies one [[body.deform]] to the positions x of a body with the given rest shape.
void apply_deformation(TableReader reader, const Vector& rest, Vector& x);

// A text file of three numbers a line, one line per vertex; empty lines and # comments skipped.
[[nodiscard]] Vector read_vertex_file(const std::filesystem::path& file, int vertices);

// Values of a {name = value} table for a specification: known names, right types.
[[nodiscard]] Parameters read_parameter_values(TableReader& reader,
                                               const std::vector<ParameterSpec>& specification);
// The same, and nothing else may be in the table.
[[nodiscard]] Parameters read_parameters(TableReader& reader,
                                         const std::vector<ParameterSpec>& specification);

// Converts a complaint about a parameter into one that points at it.
[[noreturn]] void fail_parameter(const TableReader& reader, const ParameterError& error);

}  // namespace lilyan
