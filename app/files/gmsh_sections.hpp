// The sections of a Gmsh file that make up the mesh, by version of the format.
#pragma once

#include <cstdint>
#include <map>

#include "app/files/gmsh_input.hpp"
#include "app/files/mesh_builder.hpp"

namespace lilyan {

// Each reads a section's body and leaves its end to the caller.

void read_gmsh2_nodes(GmshInput& in, MeshBuilder& mesh);
// $ParametricNodes, which takes the place of $Nodes if Gmsh was asked for parametric coordinates.
void read_gmsh2_parametric_nodes(GmshInput& in, MeshBuilder& mesh);
void read_gmsh4_nodes(GmshInput& in, MeshBuilder& mesh);

// Whether elements of a type go into the mesh: linear tets, or triangles and quads of a surface.
[[nodiscard]] bool gmsh_wanted(const MeshBuilder& mesh, std::int64_t type);

// How many elements of other types were passed over, by type.
using GmshSkipped = std::map<std::int64_t, std::uint64_t>;

void read_gmsh2_elements(GmshInput& in, MeshBuilder& mesh, GmshSkipped& skipped);
void read_gmsh4_elements(GmshInput& in, MeshBuilder& mesh, GmshSkipped& skipped);

}  // namespace lilyan
