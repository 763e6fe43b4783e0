// Tetrahedral meshes from files: which reader a file goes to. The formats are in gmsh_reader.cpp,
// medit_reader.cpp and tetgen_reader.cpp.
#include "lilyan/io/mesh.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "lilyan/core/error.hpp"
#include "lilyan/io/gmsh_reader.hpp"
#include "lilyan/io/medit_reader.hpp"
#include "lilyan/io/mesh_file.hpp"
#include "lilyan/io/tetgen_reader.hpp"

namespace lilyan {
namespace {

// The extension in lower case: "Dragon.MSH" is a Gmsh file as well.
std::string extension_of(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::ranges::transform(extension, extension.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return extension;
}

// .msh and .mesh are easily taken for each other, and the first word tells which one it is.
enum class Content { kGmsh, kMedit, kUnclear };

Content content_of(std::string_view bytes) {
  const std::size_t start = bytes.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return Content::kUnclear;
  bytes.remove_prefix(start);
  if (bytes.starts_with('$')) return Content::kGmsh;
  if (bytes.starts_with("MeshVersion")) return Content::kMedit;
  return Content::kUnclear;
}

}  // namespace

TetMesh read_mesh(const std::filesystem::path& path) {
  const std::string extension = extension_of(path);
  if (extension == ".node" || extension == ".ele") return read_tetgen(path);
  if (extension == ".msh" || extension == ".mesh") {
    const std::string bytes = load_mesh_file(path);
    const Content content = content_of(bytes);
    const bool gmsh =
        content == Content::kUnclear ? extension == ".msh" : content == Content::kGmsh;
    return gmsh ? read_gmsh(path.string(), bytes) : read_medit(path.string(), bytes);
  }

  const SourceLocation where{path.string(), 0, 0};
  if (extension == ".meshb") {
    throw InputError(where, "binary Medit files are not read: save the mesh as ASCII .mesh");
  }
  throw InputError(where, "unknown mesh format " +
                              (extension.empty() ? "(no extension)" : "'" + extension + "'") +
                              ": expected .msh (Gmsh), .mesh (Medit), .node or .ele (TetGen)");
}

}  // namespace lilyan
