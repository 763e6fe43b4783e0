// lilyan mesh info, lilyan mesh convert, lilyan mesh tetrahedralize.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/commands.hpp"
#include "app/files/file.hpp"
#include "app/files/merge.hpp"
#include "app/files/mesh.hpp"
#include "app/files/mesh_quality.hpp"
#include "app/files/surface.hpp"
#include "app/files/surface_writer.hpp"
#include "app/files/tetrahedralize.hpp"
#include "lilyan/base/error.hpp"

namespace lilyan::cli {
namespace {

void note(const std::string& text) { std::fputs((text + "\n").c_str(), stderr); }

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

void note_left_out(const std::string& file, const SurfaceMesh& surface) {
  if (surface.dropped_faces > 0) {
    note(fmt::format("{}: {} faces with fewer than 3 different vertices are left out", file,
                     surface.dropped_faces));
  }
  if (!surface.left_out.empty()) note(fmt::format("{}: {} are left out", file, surface.left_out));
}

// Lines "  name   value", with the names in one column.
void print_line(std::string_view name, const std::string& value) {
  fmt::print("  {:<22} {}\n", name, value);
}

void print_bounds(const Bounds& b) {
  print_line("bounding box",
             fmt::format("[{:.6g}, {:.6g}] × [{:.6g}, {:.6g}] × [{:.6g}, {:.6g}]", b.low[0],
                         b.high[0], b.low[1], b.high[1], b.low[2], b.high[2]));
}

void print_distribution(std::string_view name, const Distribution& d, std::string_view unit = "") {
  print_line(name, fmt::format("{:.4g}{} to {:.4g}{}, mean {:.4g}{}", d.least, unit, d.most, unit,
                               d.mean, unit));
}

// A line for each bin, with a bar as long as its share of the fullest.
void print_histogram(const Distribution& d) {
  constexpr double kLongest = 40;
  const auto most = static_cast<double>(std::ranges::max(d.bins));
  const double width = (d.high - d.low) / static_cast<double>(d.bins.size());
  for (std::size_t i = 0; i < d.bins.size(); ++i) {
    const double from = d.low + width * static_cast<double>(i);
    const auto count = static_cast<double>(d.bins[i]);
    const auto length = static_cast<std::size_t>(most > 0 ? std::ceil(kLongest * count / most) : 0);
    fmt::print("    {:>9.4g} – {:<9.4g} {:>9}{}{}\n", from, from + width, d.bins[i],
               length > 0 ? " " : "", std::string(length, '#'));
  }
}

// "none", or the number with what it means.
std::string fault(std::size_t count, std::string_view meaning) {
  return count == 0 ? "none" : fmt::format("{}: {}", count, meaning);
}

// Cells and vertices of the file that the mesh does not have, and places where it does not hang together.
template <class Mesh>
void print_losses(const Mesh& mesh) {
  print_line("other elements",
             mesh.left_out.empty() ? "none" : fmt::format("{}: left out", mesh.left_out));
  print_line("unused vertices", fault(mesh.unused_vertices, "left out"));
  const MeshParts parts = parts_of(mesh);
  print_line("doubled points", fault(parts.touching + parts.doubled,
                                     "several vertices, which `merge = true` in a scene joins"));
}

// Enough to know that there are many.
constexpr std::size_t kMostCuts = 100000;

void print_topology(const SurfaceQuality& q, std::size_t self_cuts) {
  print_line("components", fmt::format("{}", q.components));
  print_line("closed", q.closed() ? "yes"
                                  : fmt::format("no: {} boundary edges in {} loops",
                                                q.boundary_edges, q.boundary_loops));
  print_line("non-manifold edges",
             fault(q.non_manifold_edges, "shared by three triangles or more"));
  print_line("non-manifold vertices",
             fault(q.non_manifold_vertices, "parts touch in a vertex only"));
  print_line("cuts through itself", fault(self_cuts, "pairs of triangles"));
  print_line("orientation", q.oriented() ? "consistent"
                            : q.orientable
                                ? fmt::format("{} edges between triangles that face opposite "
                                              "ways",
                                              q.misoriented_edges)
                                : "not orientable");
  if (q.manifold()) {
    print_line("genus",
               fmt::format("{}{}", q.genus, q.orientable ? "" : " (of a one-sided surface)"));
  }
}

void print_surface(const SurfaceMesh& mesh) {
  const SurfaceQuality q = surface_quality(mesh);
  print_line("kind", "surface of triangles");
  print_line("vertices", fmt::format("{}", q.vertices));
  print_line("triangles", fmt::format("{}", q.triangles));
  print_line("edges", fmt::format("{}", q.edges));
  print_bounds(q.bounds);
  print_line("area", fmt::format("{:.6g}", q.area));
  if (q.closed() && q.oriented()) {
    print_line("volume",
               fmt::format("{:.6g}{}", q.volume, q.volume < 0 ? ": triangles face inwards" : ""));
  }
  print_distribution("edge length", q.edge_length);
  print_distribution("angles", q.angle, "°");
  print_distribution("aspect ratio", q.aspect);
  print_histogram(q.aspect);
  print_line("flat triangles", fault(q.flat, "without area"));
  print_line("duplicate triangles", fault(q.duplicates, "with the same vertices as another"));
  print_line("degenerate faces", fault(mesh.dropped_faces, "with fewer than 3 vertices; left out"));
  print_losses(mesh);
  print_topology(q, self_intersections(mesh.vertices, mesh.triangles, kMostCuts).size());
}

void print_tets(const TetMeshOfFile& mesh) {
  const TetQuality q = tet_quality(mesh);
  print_line("kind", "tetrahedra");
  print_line("vertices", fmt::format("{} ({} on the boundary)", q.vertices, q.surface.vertices));
  print_line("tets", fmt::format("{}", q.tets));
  print_line("components", fmt::format("{}", q.components));
  print_bounds(q.bounds);
  print_line("volume", fmt::format("{:.6g}", q.volume));
  print_distribution("edge length", q.edge_length);
  print_distribution("volume of a tet", q.tet_volume);
  print_distribution("aspect ratio", q.aspect);
  print_histogram(q.aspect);
  print_distribution("smallest dihedral", q.min_dihedral, "°");
  print_histogram(q.min_dihedral);
  print_distribution("largest dihedral", q.max_dihedral, "°");
  print_line("inverted tets", fault(q.inverted, "`lilyan mesh convert --orient` turns them"));
  print_line("flat tets", fault(q.flat, "without volume; a scene refuses them"));
  print_line("duplicate tets", fault(q.duplicates, "with the same vertices as another"));
  print_line("crowded faces", fault(q.crowded_faces, "of three tets or more, which overlap"));
  print_losses(mesh);
  fmt::print("boundary\n");
  print_line("triangles", fmt::format("{}", q.surface.triangles));
  print_line("area", fmt::format("{:.6g}", q.surface.area));
  std::vector<std::array<int, 3>> boundary;
  for (const BoundaryFace& face : boundary_faces(mesh.tets)) boundary.push_back(face.corners);
  print_topology(q.surface, self_intersections(mesh.vertices, boundary, kMostCuts).size());
}

void print_info(const std::string& file) {
  const std::string extension = extension_of(file);
  std::optional<TetMeshOfFile> mesh;
  std::optional<SurfaceMesh> surface;
  if (holds_only_surfaces(extension)) {
    surface = read_surface(file);
  } else {
    try {
      mesh = read_mesh(file);
    } catch (const NoSuchCells& error) {
      // A file without tets may have triangles; if not, what was said first is right.
      try {
        surface = read_surface(file);
      } catch (const NoSuchCells&) {
        throw error;
      }
    }
  }
  fmt::print("{}\n", file);
  if (mesh) {
    print_tets(*mesh);
  } else {
    print_surface(*surface);
  }
}

}  // namespace

int mesh_info(const std::vector<std::string>& files) {
  for (const std::string& file : files) print_info(file);
  return kDone;
}

int mesh_convert(const ConvertOptions& options) {
  check_output(options.output, false);
  if (holds_only_surfaces(extension_of(options.input))) {
    const SurfaceMesh surface = read_surface(options.input);
    note_left_out(options.input, surface);
    write_surface_mesh(options, surface);
    return kDone;
  }
  TetMeshOfFile mesh;
  try {
    mesh = read_mesh(options.input);
  } catch (const NoSuchCells& error) {
    // A file without tets may still have a surface; if it has none, what was said first is right.
    SurfaceMesh surface;
    try {
      surface = read_surface(options.input);
    } catch (const NoSuchCells&) {
      throw error;
    }
    note(fmt::format("{}: no tets, but triangles", options.input));
    note_left_out(options.input, surface);
    write_surface_mesh(options, surface);
    return kDone;
  }
  if (!mesh.left_out.empty()) {
    note(fmt::format("{}: {} are left out", options.input, mesh.left_out));
  }
  if (options.orient || options.surface) {
    const std::size_t turned = orient(mesh);
    if (turned > 0) note(fmt::format("{} inverted tets turned", turned));
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
  options.say = note;
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

}  // namespace lilyan::cli
