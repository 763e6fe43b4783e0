// lilyan mesh convert, lilyan mesh tetrahedralize, lilyan export.
#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "app/cli/commands.hpp"
#include "app/files/file.hpp"
#include "app/files/mesh.hpp"
#include "app/files/mesh_quality.hpp"
#include "app/files/surface.hpp"
#include "app/files/surface_writer.hpp"
#include "app/files/tetrahedralize.hpp"
#include "app/run/export.hpp"
#include "lilyan/core/error.hpp"

namespace lilyan::cli {
namespace {

void tell(const std::string& text) { std::fputs((text + "\n").c_str(), stderr); }

bool holds_only_surfaces(const std::string& extension) {
  return extension == ".obj" || extension == ".ply" || extension == ".stl";
}

// A mistyped output should not cost the time of making the mesh.
void check_output(const std::string& output, bool tets) {
  const std::string extension = extension_of(output);
  if (is_tet_extension(extension)) return;
  if (!tets && is_surface_extension(extension)) return;
  throw Error(fmt::format(
      "{}: unknown format '{}': expected .msh (Gmsh), .mesh (Medit), .node or .ele (TetGen){}",
      output, extension,
      tets ? ", .vtu (VTK)" : ", .vtu (VTK), .obj, .ply, .stl, .glb, .gltf or .usda"));
}

SurfaceMesh boundary_of(const TetMesh& mesh) {
  SurfaceMesh surface;
  std::vector<std::array<int, 3>> triangles;
  for (const BoundaryFace& face : boundary_faces(mesh.tets)) triangles.push_back(face.corners);
  const std::vector<SurfacePart> parts = surface_parts({.triangles = triangles});
  for (const SurfacePart& part : parts) {
    for (const int v : part.vertices) {
      surface.vertices.push_back(mesh.vertices[static_cast<std::size_t>(v)]);
    }
    surface.triangles = part.triangles;
  }
  return surface;
}

void write_surface_mesh(const ConvertOptions& options, const SurfaceMesh& surface) {
  write_mesh(options.output, surface);
  fmt::print("{}: {} vertices, {} triangles\n", options.output, surface.vertices.size(),
             surface.triangles.size());
}

}  // namespace

int mesh_convert(const ConvertOptions& options) {
  check_output(options.output, false);
  if (holds_only_surfaces(extension_of(options.input))) {
    const SurfaceMesh surface = read_surface(options.input);
    if (surface.dropped_faces > 0) {
      tell(fmt::format("{}: {} faces with fewer than 3 different vertices are left out",
                       options.input, surface.dropped_faces));
    }
    write_surface_mesh(options, surface);
    return kDone;
  }
  TetMesh mesh;
  try {
    mesh = read_mesh(options.input);
  } catch (const InputError&) {
    // A file without tets may still have a surface; if it has none, what was said first is right.
    SurfaceMesh surface;
    try {
      surface = read_surface(options.input);
    } catch (const InputError&) {
      surface.triangles.clear();
    }
    if (surface.triangles.empty()) throw;
    tell(fmt::format("{}: no tets, but triangles", options.input));
    write_surface_mesh(options, surface);
    return kDone;
  }
  if (options.orient || options.surface) {
    const std::size_t turned = orient(mesh);
    if (turned > 0) tell(fmt::format("{} inverted tets turned", turned));
  }
  if (options.surface) {
    write_surface_mesh(options, boundary_of(mesh));
    return kDone;
  }
  write_mesh(options.output, mesh);
  fmt::print("{}: {} vertices, {} tets\n", options.output, mesh.vertices.size(), mesh.tets.size());
  return kDone;
}

int mesh_tetrahedralize(const TetrahedralizeArguments& arguments) {
  check_output(arguments.output, true);
  const SurfaceMesh surface = read_surface(arguments.surface);
  TetrahedralizeOptions options;
  options.max_volume = arguments.max_volume;
  options.vertices = arguments.vertices;
  options.quality = arguments.quality;
  options.keep_surface = arguments.keep_surface;
  options.tool = arguments.tool;
  options.say = tell;
  const TetMesh mesh = tetrahedralize(surface, arguments.surface, options);
  const TetQuality q = tet_quality(mesh);
  write_mesh(arguments.output, mesh);
  fmt::print(
      "{}: {} vertices, {} tets, volume {:.6g}; aspect ratio {:.3f} to {:.3f} (mean {:.3f}), "
      "dihedral angles {:.1f}° to {:.1f}°{}\n",
      arguments.output, q.vertices, q.tets, q.volume, q.aspect.least, q.aspect.most, q.aspect.mean,
      q.min_dihedral.least, q.max_dihedral.most,
      q.flat > 0 ? fmt::format("; {} are flat", q.flat) : "");
  return kDone;
}

int export_run(const ExportArguments& arguments) {
  tell(fmt::format("exporting {} as {}", arguments.folder, arguments.format));
  const Exported done =
      export_frames(arguments.folder, {.format = arguments.format,
                                       .output = arguments.output,
                                       .every = arguments.every,
                                       .up = arguments.up == "y" ? UpAxis::y : UpAxis::z});
  fmt::print("{}: {} frames\n", done.path.string(), done.frames);
  return kDone;
}

}  // namespace lilyan::cli
