// Tetrahedral meshes from files: which reader a file goes to. The formats are in gmsh_reader.cpp,
// medit_reader.cpp, tetgen_reader.cpp and vtu_reader.cpp.
#include "app/files/read_mesh.hpp"

#include <string>

#include "app/files/file_extension.hpp"
#include "app/files/gmsh_reader.hpp"
#include "app/files/medit_reader.hpp"
#include "app/files/mesh_content.hpp"
#include "app/files/mesh_file.hpp"
#include "app/files/tetgen_reader.hpp"
#include "app/files/vtu_reader.hpp"
#include "lilyan/core/error.hpp"

namespace lilyan {

TetMesh read_mesh(const std::filesystem::path& path) {
  const std::string extension = extension_of(path);
  if (extension == ".node" || extension == ".ele") return read_tetgen(path);
  if (extension == ".msh" || extension == ".mesh" || extension == ".vtu") {
    const std::string bytes = load_mesh_file(path);
    if (extension == ".vtu") return read_vtu_mesh(path.string(), bytes);
    return is_gmsh(extension, bytes) ? read_gmsh(path.string(), bytes)
                                     : read_medit(path.string(), bytes);
  }

  const SourceLocation where{path.string(), 0, 0};
  if (extension == ".meshb") {
    throw InputError(where, "binary Medit files are not read: save the mesh as ASCII .mesh");
  }
  if (extension == ".obj" || extension == ".ply" || extension == ".stl") {
    throw InputError(where, "'" + extension +
                                "' files hold surfaces, and a mesh of tetrahedra is needed: "
                                "`lilyan mesh tetrahedralize` makes one from a closed surface");
  }
  throw InputError(where,
                   "unknown mesh format " +
                       (extension.empty() ? "(no extension)" : "'" + extension + "'") +
                       ": expected .msh (Gmsh), .mesh (Medit), .node or .ele (TetGen), .vtu (VTK), "
                       "or for surfaces .obj, .ply, .stl");
}

}  // namespace lilyan
