// Meshes from and into files: which reader or writer a file goes to, and the writers of Gmsh, Medit
// and TetGen files. The layouts are described in the readers.
#include "app/files/mesh.hpp"

#include <fmt/format.h>

#include <iterator>
#include <span>
#include <string>

#include "app/files/file.hpp"
#include "app/files/mesh_readers.hpp"
#include "app/files/surface_writer.hpp"
#include "app/files/vtu.hpp"
#include "lilyan/base/error.hpp"

namespace lilyan {
namespace {

using Vertices = std::vector<std::array<double, 3>>;

// A .msh file is easily taken for a .mesh file and the other way round; the first word tells.
bool is_gmsh(std::string_view extension, std::string_view bytes) {
  const std::size_t start = bytes.find_first_not_of(" \t\r\n");
  if (start != std::string_view::npos) {
    bytes.remove_prefix(start);
    if (bytes.starts_with('$')) return true;
    if (bytes.starts_with("MeshVersion")) return false;
  }
  return extension == ".msh";
}

std::string named(const std::string& extension) {
  return extension.empty() ? "(no extension)" : "'" + extension + "'";
}

class Text {
 public:
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
  }
  void save(const std::filesystem::path& path) const {
    write_file(path, {buffer_.data(), buffer_.size()});
  }

 private:
  fmt::memory_buffer buffer_;
};

template <std::size_t N>
void write_gmsh(const std::filesystem::path& path, const Vertices& vertices,
                std::span<const std::array<int, N>> cells) {
  Text text;
  text.add("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{}\n", vertices.size());
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    text.add("{} {} {} {}\n", i + 1, vertices[i][0], vertices[i][1], vertices[i][2]);
  }
  text.add("$EndNodes\n$Elements\n{}\n", cells.size());
  // Types 2 and 4; two tags, a physical and an elementary entity, as Gmsh itself wants them.
  for (std::size_t i = 0; i < cells.size(); ++i) {
    text.add("{} {} 2 1 1", i + 1, N == 3 ? 2 : 4);
    for (const int v : cells[i]) text.add(" {}", v + 1);
    text.add("\n");
  }
  text.add("$EndElements\n");
  text.save(path);
}

template <std::size_t N>
void write_medit(const std::filesystem::path& path, const Vertices& vertices,
                 std::span<const std::array<int, N>> cells) {
  Text text;
  text.add("MeshVersionFormatted 2\n\nDimension 3\n\nVertices\n{}\n", vertices.size());
  for (const auto& p : vertices) text.add("{} {} {} 0\n", p[0], p[1], p[2]);
  text.add("\n{}\n{}\n", N == 3 ? "Triangles" : "Tetrahedra", cells.size());
  for (const auto& cell : cells) {
    for (const int v : cell) text.add("{} ", v + 1);
    text.add("1\n");
  }
  text.add("\nEnd\n");
  text.save(path);
}

void write_tetgen(std::filesystem::path path, const TetMesh& mesh) {
  const bool upper = path.extension() == ".NODE" || path.extension() == ".ELE";
  Text node;
  node.add("{} 3 0 0\n", mesh.vertices.size());
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    const auto& p = mesh.vertices[i];
    node.add("{} {} {} {}\n", i, p[0], p[1], p[2]);
  }
  node.save(path.replace_extension(upper ? ".NODE" : ".node"));
  Text ele;
  ele.add("{} 4 0\n", mesh.tets.size());
  for (std::size_t i = 0; i < mesh.tets.size(); ++i) {
    const auto& t = mesh.tets[i];
    ele.add("{} {} {} {} {}\n", i, t[0], t[1], t[2], t[3]);
  }
  ele.save(path.replace_extension(upper ? ".ELE" : ".ele"));
}

}  // namespace

TetMeshOfFile read_mesh(const std::filesystem::path& path) {
  const std::string extension = extension_of(path);
  if (extension == ".node" || extension == ".ele") return read_tetgen(path);
  const std::string name = path.string();
  if (extension == ".vtu") return read_vtu_mesh(name, read_file(path));
  if (extension == ".msh" || extension == ".mesh") {
    const std::string bytes = read_file(path);
    return is_gmsh(extension, bytes) ? read_gmsh(name, bytes) : read_medit(name, bytes);
  }

  const SourceLocation where{name, 0, 0};
  if (extension == ".meshb") {
    throw InputError(where, "binary Medit files are not read: save the mesh as ASCII .mesh");
  }
  if (extension == ".obj" || extension == ".ply" || extension == ".stl") {
    throw InputError(where, "'" + extension +
                                "' files hold surfaces, and a mesh of tetrahedra is needed: "
                                "`lilyan mesh tetrahedralize` makes one from a closed surface");
  }
  throw InputError(where,
                   "unknown mesh format " + named(extension) +
                       ": expected .msh (Gmsh), .mesh (Medit), .node or .ele (TetGen), .vtu (VTK), "
                       "or for surfaces .obj, .ply, .stl");
}

SurfaceMesh read_surface(const std::filesystem::path& path) {
  const std::string extension = extension_of(path);
  const std::string name = path.string();
  if (extension == ".obj") return read_obj(name, read_file(path));
  if (extension == ".ply") return read_ply(name, read_file(path));
  if (extension == ".stl") return read_stl(name, read_file(path));
  if (extension == ".vtu") return read_vtu_surface(name, read_file(path));
  if (extension == ".msh" || extension == ".mesh") {
    const std::string bytes = read_file(path);
    return is_gmsh(extension, bytes) ? read_gmsh_surface(name, bytes)
                                     : read_medit_surface(name, bytes);
  }
  throw InputError({name, 0, 0},
                   "unknown surface format " + named(extension) +
                       ": expected .obj, .ply, .stl, .msh (Gmsh), .mesh (Medit) or .vtu (VTK)");
}

bool is_tet_extension(std::string_view extension) {
  return extension == ".msh" || extension == ".mesh" || extension == ".node" ||
         extension == ".ele" || extension == ".vtu";
}

void write_mesh(const std::filesystem::path& path, const TetMesh& mesh) {
  const std::string extension = extension_of(path);
  const std::span<const std::array<int, 4>> tets(mesh.tets);
  if (extension == ".msh") return write_gmsh(path, mesh.vertices, tets);
  if (extension == ".mesh") return write_medit(path, mesh.vertices, tets);
  if (extension == ".node" || extension == ".ele") return write_tetgen(path, mesh);
  if (extension == ".vtu") {
    return write_vtu(path, {.x = as_points(mesh.vertices), .geometry = {.tets = mesh.tets}});
  }
  throw Error(fmt::format(
      "{}: unknown format '{}' for tets: expected .msh (Gmsh), .mesh (Medit), "
      ".node or .ele (TetGen), .vtu (VTK){}",
      path.string(), extension,
      is_surface_extension(extension) ? "; with --surface the boundary is written" : ""));
}

void write_mesh(const std::filesystem::path& path, const SurfaceMesh& mesh) {
  const std::string extension = extension_of(path);
  const std::span<const std::array<int, 3>> triangles(mesh.triangles);
  if (extension == ".msh") return write_gmsh(path, mesh.vertices, triangles);
  if (extension == ".mesh") return write_medit(path, mesh.vertices, triangles);
  const FrameGeometry geometry{.triangles = mesh.triangles, .texture = mesh.texture};
  const Points points = as_points(mesh.vertices);
  if (extension == ".vtu") return write_vtu(path, {.x = points, .geometry = geometry});
  if (!is_surface_extension(extension)) {
    throw Error(
        fmt::format("{}: unknown format '{}' for a surface: expected .obj, .ply, .stl, .glb, "
                    ".gltf, .usda, .msh (Gmsh), .mesh (Medit) or .vtu (VTK)",
                    path.string(), extension));
  }
  std::vector<SurfacePart> parts = surface_parts(geometry);
  for (SurfacePart& part : parts) part.name = path.stem().string();
  write_surface(path, {.parts = parts, .points = points});
}

}  // namespace lilyan
