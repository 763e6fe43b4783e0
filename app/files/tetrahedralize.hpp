// Tetrahedra inside of a closed surface, made by TetGen or Gmsh as a process of their own.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "app/files/mesh.hpp"

namespace lilyan {

struct TetrahedralizeOptions {
  std::optional<double> max_volume;  // of a tet
  std::optional<int> vertices;       // about so many, by trying volumes; instead of max_volume
  std::optional<double> quality;     // TetGen's bound on circumradius / shortest edge; default 1.4
  bool keep_surface = false;         // no new vertices on the surface; Gmsh never makes any
  std::string tool;                  // "tetgen", "gmsh"; empty: the first that is installed
  std::function<void(const std::string&)> say = [](const std::string&) {};  // told what is done
};

// A component of the surface that faces inwards, such as the inner of two spheres, is a cavity.
// name is the surface's in messages. Tets are positively oriented. Throws InputError when the
// surface is not closed, not manifold or cuts itself, and Error when there is no tool or it fails.
[[nodiscard]] TetMesh tetrahedralize(const SurfaceMesh& surface, const std::string& name,
                                     const TetrahedralizeOptions& options);

// Swaps two vertices of every tet that is negatively oriented; returns how many.
std::size_t orient(TetMesh& mesh);

}  // namespace lilyan
