// lilyan mesh info: what a mesh is like, and what is wrong with it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/commands.hpp"
#include "app/files/file.hpp"
#include "app/files/mesh.hpp"
#include "app/files/mesh_quality.hpp"
#include "app/files/surface.hpp"
#include "lilyan/core/error.hpp"

namespace lilyan::cli {
namespace {

// Lines "  name   value", with the names in one column.
void line(std::string_view name, const std::string& value) {
  fmt::print("  {:<22} {}\n", name, value);
}

void print_bounds(const Bounds& b) {
  line("bounding box", fmt::format("[{:.6g}, {:.6g}] × [{:.6g}, {:.6g}] × [{:.6g}, {:.6g}]",
                                   b.low[0], b.high[0], b.low[1], b.high[1], b.low[2], b.high[2]));
}

void print_distribution(std::string_view name, const Distribution& d, std::string_view unit = "") {
  line(name, fmt::format("{:.4g}{} to {:.4g}{}, mean {:.4g}{}", d.least, unit, d.most, unit, d.mean,
                         unit));
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

// Enough to know that there are many.
constexpr std::size_t kMostCuts = 100000;

// "none", or the number with what it means.
std::string fault(std::size_t count, std::string_view meaning) {
  return count == 0 ? "none" : fmt::format("{}: {}", count, meaning);
}

void print_topology(const SurfaceQuality& q, std::size_t self_cuts) {
  line("components", fmt::format("{}", q.components));
  line("closed", q.closed() ? "yes"
                            : fmt::format("no: {} boundary edges in {} loops", q.boundary_edges,
                                          q.boundary_loops));
  line("non-manifold edges", fault(q.non_manifold_edges, "shared by three triangles or more"));
  line("non-manifold vertices", fault(q.non_manifold_vertices, "parts touch in a vertex only"));
  line("cuts through itself", fault(self_cuts, "pairs of triangles"));
  line("orientation", q.oriented()   ? "consistent"
                      : q.orientable ? fmt::format("{} edges between triangles that face opposite "
                                                   "ways",
                                                   q.misoriented_edges)
                                     : "not orientable");
  if (q.manifold()) {
    line("genus", fmt::format("{}{}", q.genus, q.orientable ? "" : " (of a one-sided surface)"));
  }
}

void print_surface(const SurfaceMesh& mesh) {
  const SurfaceQuality q = surface_quality(mesh);
  line("kind", "surface of triangles");
  line("vertices", fmt::format("{}", q.vertices));
  line("triangles", fmt::format("{}", q.triangles));
  line("edges", fmt::format("{}", q.edges));
  print_bounds(q.bounds);
  line("area", fmt::format("{:.6g}", q.area));
  if (q.closed() && q.oriented()) {
    line("volume",
         fmt::format("{:.6g}{}", q.volume, q.volume < 0 ? ": triangles face inwards" : ""));
  }
  print_distribution("edge length", q.edge_length);
  print_distribution("angles", q.angle, "°");
  print_distribution("aspect ratio", q.aspect);
  print_histogram(q.aspect);
  line("flat triangles", fault(q.flat, "without area"));
  line("duplicate triangles", fault(q.duplicates, "with the same vertices as another"));
  line("degenerate faces", fault(mesh.dropped_faces, "with fewer than 3 vertices; left out"));
  line("unused vertices", fault(mesh.unused_vertices, "left out"));
  print_topology(q, self_intersections(mesh.vertices, mesh.triangles, kMostCuts).size());
}

void print_tets(const TetMesh& mesh) {
  const TetQuality q = tet_quality(mesh);
  line("kind", "tetrahedra");
  line("vertices", fmt::format("{} ({} on the boundary)", q.vertices, q.surface.vertices));
  line("tets", fmt::format("{}", q.tets));
  line("components", fmt::format("{}", q.components));
  print_bounds(q.bounds);
  line("volume", fmt::format("{:.6g}", q.volume));
  print_distribution("edge length", q.edge_length);
  print_distribution("volume of a tet", q.tet_volume);
  print_distribution("aspect ratio", q.aspect);
  print_histogram(q.aspect);
  print_distribution("smallest dihedral", q.min_dihedral, "°");
  print_histogram(q.min_dihedral);
  print_distribution("largest dihedral", q.max_dihedral, "°");
  line("inverted tets", fault(q.inverted, "`lilyan mesh convert --orient` turns them"));
  line("flat tets", fault(q.flat, "without volume; a scene refuses them"));
  line("duplicate tets", fault(q.duplicates, "with the same vertices as another"));
  line("crowded faces", fault(q.crowded_faces, "of three tets or more, which overlap"));
  line("unused vertices", fault(mesh.unused_vertices, "left out"));
  fmt::print("boundary\n");
  line("triangles", fmt::format("{}", q.surface.triangles));
  line("area", fmt::format("{:.6g}", q.surface.area));
  std::vector<std::array<int, 3>> boundary;
  for (const BoundaryFace& face : boundary_faces(mesh.tets)) boundary.push_back(face.corners);
  print_topology(q.surface, self_intersections(mesh.vertices, boundary, kMostCuts).size());
}

void print_info(const std::string& file) {
  const std::string extension = extension_of(file);
  std::optional<TetMesh> mesh;
  std::optional<SurfaceMesh> surface;
  if (extension == ".obj" || extension == ".ply" || extension == ".stl") {
    surface = read_surface(file);
  } else {
    try {
      mesh = read_mesh(file);
    } catch (const InputError& error) {
      // A file without tets may have triangles; if not, what was said first is right.
      try {
        surface = read_surface(file);
      } catch (const InputError&) {
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

}  // namespace lilyan::cli
