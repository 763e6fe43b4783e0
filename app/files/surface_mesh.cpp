// Triangle meshes from files: which reader a file goes to.
#include "app/files/surface_mesh.hpp"

#include <string>

#include "app/files/file_extension.hpp"
#include "app/files/gmsh_reader.hpp"
#include "app/files/medit_reader.hpp"
#include "app/files/mesh_content.hpp"
#include "app/files/mesh_file.hpp"
#include "app/files/surface_readers.hpp"
#include "app/files/vtu_reader.hpp"
#include "lilyan/core/error.hpp"

namespace lilyan {

SurfaceMesh read_surface(const std::filesystem::path& path) {
  const std::string extension = extension_of(path);
  const std::string name = path.string();
  if (extension == ".obj") return read_obj(name, load_mesh_file(path));
  if (extension == ".ply") return read_ply(name, load_mesh_file(path));
  if (extension == ".stl") return read_stl(name, load_mesh_file(path));
  if (extension == ".vtu") return read_vtu_surface(name, load_mesh_file(path));
  if (extension == ".msh" || extension == ".mesh") {
    const std::string bytes = load_mesh_file(path);
    return is_gmsh(extension, bytes) ? read_gmsh_surface(name, bytes)
                                     : read_medit_surface(name, bytes);
  }
  throw InputError({name, 0, 0},
                   "unknown surface format " +
                       (extension.empty() ? "(no extension)" : "'" + extension + "'") +
                       ": expected .obj, .ply, .stl, .msh (Gmsh), .mesh (Medit) or .vtu (VTK)");
}

}  // namespace lilyan
