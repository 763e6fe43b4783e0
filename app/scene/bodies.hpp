// The bodies of a scene in one system, with what holds, ties and touches them: [[body]], [world], [[spring]],
// [[constraint]], [[obstacle]] and [[contact]].
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/files/surface.hpp"
#include "app/scene/body/links.hpp"
#include "app/scene/toml/table_reader.hpp"
#include "lilyan/material/material.hpp"
#include "lilyan/model/state.hpp"

namespace lilyan {

class Distribution;
class System;
struct BodyPart;
struct Obstacle;
struct PlacedBody;
struct SceneSettings;
struct Touch;
struct TouchingBodies;

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

struct Bodies {
  Bodies();
  ~Bodies();
  Bodies(Bodies&&) noexcept;
  Bodies& operator=(Bodies&&) noexcept;

  std::vector<std::string> names;
  Vector rest;  // the rest shape of all, where the scene places them
  std::vector<std::array<int, 4>> tets;
  std::vector<int> tet_body;                  // which body each tet belongs to
  std::vector<std::array<int, 3>> triangles;  // of cloth
  std::vector<int> triangle_body;
  std::vector<TriangleTexture> texture;   // of the triangles; empty: none has any
  std::vector<std::array<int, 2>> edges;  // of rods
  std::vector<int> edge_body;
  std::size_t springs = 0;  // of all bodies and between them, those to points in space included
  // The first body's material, where the scene gives it by mu and lambda, and its Rayleigh damping
  // (zero where it has none).
  std::optional<Lame> material;
  std::optional<RayleighDamping> damping;
  std::vector<Obstacle> obstacles;
  std::vector<Touch> touches;  // of each obstacle
  std::vector<TouchingBodies> contacts;
  [[nodiscard]] bool have_contact() const { return !touches.empty() || !contacts.empty(); }
  std::vector<Link> links;  // what holds bodies and ties them to each other
  Vec3 gravity = Vec3::Zero();
};

// The processes that share the bodies (app/scene/body/distribution.hpp), and the part of them that this one has: the
// vertices and elements of the scene are those of the part.
struct Sharing {
  const Distribution* ranks = nullptr;
  std::vector<BodyPart> parts;  // of each body, and where its vertices begin in the system
  std::vector<int> first;
  SceneSize whole;
  // The surface of the whole of its bodies, with numbers of its own for the vertices. Only process 0 has it, for
  // pictures and for formats that are surfaces.
  struct Surface {
    std::vector<std::array<int, 3>> triangles;
    std::vector<int> body;
  };
  std::optional<Surface> surface;
};

struct ReadBodies {
  std::unique_ptr<System> system;
  State initial;
  Bodies bodies;
  std::optional<Sharing> shared;
  std::vector<std::string> remarks;
};
// Reads the tables from the root of a scene that is stepped in this way, and that these processes share; null: this one
// has all of it.
[[nodiscard]] ReadBodies read_bodies(TableReader& root, const SceneSettings& settings,
                                     const Distribution* ranks);

// [[spring]]: single springs within or between bodies (joints.cpp).
void read_springs(std::vector<TableReader> readers, const std::vector<PlacedBody>& bodies,
                  ReadBodies& read);

// [[constraint]]: adds the constraints to the system and makes sure that the initial state obeys them. With `project`
// its velocities are made to. Throws InputError that points at the table to blame (joints.cpp).
void read_constraints(std::vector<TableReader> readers, const std::vector<PlacedBody>& bodies,
                      bool project, ReadBodies& read);

}  // namespace lilyan
