#include "app/files/tetrahedralize.hpp"
#include "app/files/mesh.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "app/files/file.hpp"
#include "app/files/mesh_quality.hpp"
#include "app/files/process.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/base/types.hpp"

namespace lilyan {
namespace {

namespace fs = std::filesystem;

struct Tool {
  std::string name;
  fs::path program;
};

Tool choose_tool(const std::string& wanted) {
  for (const char* name : {"tetgen", "gmsh"}) {
    if (!wanted.empty() && wanted != name) continue;
    if (const auto program = find_program(name)) return {name, *program};
  }
  throw Error(fmt::format("{} installed: on Debian and Ubuntu, `apt install {}`",
                          wanted.empty() ? "neither tetgen nor gmsh is" : wanted + " is not",
                          wanted.empty() ? "tetgen" : wanted));
}

// Refuses surfaces that the tools themselves would fail at or, worse, mesh wrongly.
SurfaceQuality check_surface(const SurfaceMesh& surface, const std::string& name) {
  const SurfaceQuality q = surface_quality(surface);
  const auto fail = [&](const std::string& what) {
    throw InputError({name, 0, 0}, what + "; see `lilyan mesh info`");
  };
  if (q.boundary_edges > 0) {
    fail(
        fmt::format("the surface is open: {} of its {} edges belong to one triangle only, in {} "
                    "holes. Close it first",
                    q.boundary_edges, q.edges, q.boundary_loops));
  }
  if (q.non_manifold_edges > 0) {
    fail(
        fmt::format("{} edges of the surface belong to three or more triangles: it does not bound "
                    "one volume",
                    q.non_manifold_edges));
  }
  if (q.duplicates > 0) fail(fmt::format("{} triangles are there twice", q.duplicates));
  constexpr std::size_t kMost = 100;
  const auto cuts = self_intersections(surface.vertices, surface.triangles, kMost);
  if (!cuts.empty()) {
    const auto [a, b] = cuts.front();
    const auto& p =
        surface
            .vertices[static_cast<std::size_t>(surface.triangles[static_cast<std::size_t>(a)][0])];
    fail(fmt::format(
        "the surface cuts itself: {}{} pairs of triangles go through each other, such as "
        "{} and {} near ({:.4g}, {:.4g}, {:.4g}). Repair it first",
        cuts.size(), cuts.size() == kMost ? " or more" : "", a, b, p[0], p[1], p[2]));
  }
  return q;
}

// The last lines that a tool has said.
std::string tail(const std::string& output) {
  std::string text = output;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  std::size_t from = text.size();
  for (int lines = 0; lines < 8 && from != std::string::npos && from > 0; ++lines) {
    from = text.rfind('\n', from - 1);
  }
  return from == std::string::npos ? text : text.substr(from);
}

[[noreturn]] void fail_tool(const Tool& tool, const ProcessResult& result,
                            const std::string& name) {
  const auto says = [&](const char* text) { return result.output.find(text) != std::string::npos; };
  if (says("self-intersect") || says("self intersect") || says("ntersect at") ||
      says("overlapping facets") || says("intersecting facets")) {
    throw InputError(
        {name, 0, 0},
        fmt::format("the surface cuts or touches itself, says {}; repair it first. Its "
                    "last words:\n{}",
                    tool.name, tail(result.output)));
  }
  throw Error(
      fmt::format("{} failed (exit code {}) on {}; a surface that touches itself, or the "
                  "other tool (--tool), may be why, or help. Its last words:\n{}",
                  tool.name, result.code, name, tail(result.output)));
}

// TetGen's own format: points, facets, and a point in each hole.
void write_smesh(const fs::path& path, const SurfaceMesh& surface,
                 const std::vector<Shell>& shells) {
  std::string text = fmt::format("{} 3 0 0\n", surface.vertices.size());
  for (std::size_t i = 0; i < surface.vertices.size(); ++i) {
    const auto& p = surface.vertices[i];
    text += fmt::format("{} {} {} {}\n", i, p[0], p[1], p[2]);
  }
  text += fmt::format("{} 0\n", surface.triangles.size());
  for (const auto& t : surface.triangles) text += fmt::format("3 {} {} {}\n", t[0], t[1], t[2]);
  text += fmt::format("{}\n", std::ranges::count_if(shells, &Shell::cavity));
  int hole = 0;
  for (const Shell& shell : shells) {
    if (!shell.cavity) continue;
    text += fmt::format("{} {} {} {}\n", hole++, shell.inside[0], shell.inside[1], shell.inside[2]);
  }
  OutputFile file(path, Opening::whole);
  file.write(text + "0\n");
  file.close();
}

// Gmsh: every shell a surface of its own, every one that is no cavity a volume.
void write_geo(const fs::path& folder, const SurfaceMesh& surface,
               const std::vector<Shell>& shells) {
  std::string mesh = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n" +
                     fmt::format("{}\n", surface.vertices.size());
  for (std::size_t i = 0; i < surface.vertices.size(); ++i) {
    const auto& p = surface.vertices[i];
    mesh += fmt::format("{} {} {} {}\n", i + 1, p[0], p[1], p[2]);
  }
  mesh += fmt::format("$EndNodes\n$Elements\n{}\n", surface.triangles.size());
  std::string geo = "Merge \"surface.msh\";\n";
  std::size_t number = 0;
  for (std::size_t s = 0; s < shells.size(); ++s) {
    for (const auto& t : shells[s].triangles) {
      // No physical group (0): else Gmsh would save the elements of groups only.
      mesh += fmt::format("{} 2 2 0 {} {} {} {}\n", ++number, s + 1, t[0] + 1, t[1] + 1, t[2] + 1);
    }
    geo += fmt::format("Surface Loop({0}) = {{{0}}};\n", s + 1);
  }
  for (std::size_t s = 0; s < shells.size(); ++s) {
    if (shells[s].cavity) continue;
    std::string loops = fmt::format("{}", s + 1);
    for (std::size_t h = 0; h < shells.size(); ++h) {
      if (shells[h].outer == static_cast<int>(s)) loops += fmt::format(", {}", h + 1);
    }
    geo += fmt::format("Volume({}) = {{{}}};\n", s + 1, loops);
  }
  OutputFile msh(folder / "surface.msh");
  msh.write(mesh + "$EndElements\n");
  msh.close();
  OutputFile file(folder / "volume.geo");
  file.write(geo);
  file.close();
}

class Mesher {
 public:
  Mesher(const SurfaceMesh& surface, std::string name, const TetrahedralizeOptions& options)
      : name_(std::move(name)), options_(options), tool_(choose_tool(options.tool)) {
    const SurfaceQuality q = check_surface(surface, name_);
    volume_ = std::abs(q.volume);
    shells_ = shells_of(surface);
    if (!q.oriented()) {
      options.say(
          "the triangles do not all face the same way: cavities cannot be told, and every "
          "enclosed space is filled");
      for (Shell& shell : shells_) {
        shell.cavity = false;
        shell.outer = -1;
      }
    }
    if (tool_.name == "gmsh" && options.quality) {
      throw Error("--quality is a setting of tetgen; gmsh takes --max-volume or --vertices");
    }
    const auto cavities = std::ranges::count_if(shells_, &Shell::cavity);
    options.say(fmt::format(
        "{}: {} vertices, {} triangles, {} closed {} ({} of them cavities), volume {:.6g}", name_,
        q.vertices, q.triangles, shells_.size(), shells_.size() == 1 ? "surface" : "surfaces",
        cavities, volume_));
    if (tool_.name == "tetgen") {
      write_smesh(folder_.path() / "in.smesh", surface, shells_);
    } else {
      write_geo(folder_.path(), surface, shells_);
    }
  }

  TetMesh mesh(std::optional<double> max_volume) const {
    const std::string size =
        max_volume ? fmt::format(" with tets up to {:.4g}", *max_volume) : std::string();
    options_.say(fmt::format("running {}{}", tool_.program.string(), size));
    TetMesh mesh = tool_.name == "tetgen" ? with_tetgen(max_volume) : with_gmsh(max_volume);
    orient(mesh);
    options_.say(fmt::format("  {} vertices, {} tets", mesh.vertices.size(), mesh.tets.size()));
    return mesh;
  }

  [[nodiscard]] double volume() const { return volume_; }

 private:
  [[nodiscard]] TetMesh with_tetgen(std::optional<double> max_volume) const {
    std::string switches = fmt::format("-pzq{}", options_.quality.value_or(1.4));
    if (max_volume) switches += fmt::format("a{:.17f}", *max_volume);
    if (options_.keep_surface) switches += "Y";
    const ProcessResult result = run_process(tool_.program, {switches, "in.smesh"}, folder_.path());
    const fs::path ele = folder_.path() / "in.1.ele";
    if (result.code != 0 || !fs::exists(ele)) fail_tool(tool_, result, name_);
    return take(ele, result);
  }

  [[nodiscard]] TetMesh with_gmsh(std::optional<double> max_volume) const {
    std::vector<std::string> arguments = {"volume.geo", "-3",      "-format", "msh22",
                                          "-o",         "out.msh", "-v",      "3"};
    if (max_volume) {  // the edge of a regular tet of that volume
      arguments.insert(arguments.end(),
                       {"-clmax", fmt::format("{}", std::cbrt(6 * std::sqrt(2.0) * *max_volume))});
    }
    const ProcessResult result = run_process(tool_.program, arguments, folder_.path());
    const fs::path out = folder_.path() / "out.msh";
    if (result.code != 0 || !fs::exists(out)) fail_tool(tool_, result, name_);
    return take(out, result);
  }

  // A file that cannot be read, or without tets, is the tool's failure.
  [[nodiscard]] TetMesh take(const fs::path& file, const ProcessResult& result) const {
    try {
      TetMesh mesh = read_mesh(file);
      fs::remove(file);
      return mesh;
    } catch (const InputError&) {
      fail_tool(tool_, result, name_);
    }
  }

  std::string name_;
  const TetrahedralizeOptions& options_;
  Tool tool_;
  WorkFolder folder_;
  std::vector<Shell> shells_;
  double volume_ = 0;
};

// Volumes are tried until the number of vertices is within a tenth of the one wanted, or comes no
// nearer: a surface alone may have more.
TetMesh mesh_with_vertices(const Mesher& mesher, int wanted) {
  constexpr int kTries = 8;
  constexpr double kTetsPerVertex = 5.5;
  double volume = mesher.volume() / (kTetsPerVertex * wanted) * 1.5;
  const auto miss = [&](const TetMesh& m) {
    return std::abs(std::log(static_cast<double>(m.vertices.size()) / wanted));
  };
  TetMesh best = mesher.mesh(volume);
  std::size_t before = best.vertices.size();
  for (int i = 1; i < kTries && miss(best) > 0.1; ++i) {
    volume *= std::pow(static_cast<double>(before) / wanted, 1.2);
    TetMesh next = mesher.mesh(volume);
    const std::size_t count = next.vertices.size();
    if (miss(next) < miss(best)) best = std::move(next);
    if (count == before) break;
    before = count;
  }
  return best;
}

}  // namespace

std::size_t orient(TetMesh& mesh) {
  std::size_t turned = 0;
  for (auto& t : mesh.tets) {
    const auto at = [&](std::size_t c) {
      return Vec3(mesh.vertices[static_cast<std::size_t>(t[c])].data());
    };
    if ((at(1) - at(0)).dot((at(2) - at(0)).cross(at(3) - at(0))) >= 0) continue;
    std::swap(t[2], t[3]);
    ++turned;
  }
  return turned;
}

TetMesh tetrahedralize(const SurfaceMesh& surface, const std::string& name,
                       const TetrahedralizeOptions& options) {
  const Mesher mesher(surface, name, options);
  TetMesh mesh = options.vertices ? mesh_with_vertices(mesher, *options.vertices)
                                  : mesher.mesh(options.max_volume);
  if (options.vertices && mesh.vertices.size() > 1.2 * *options.vertices) {
    options.say(
        fmt::format("note: with fewer than {} vertices the surface cannot be filled so well; "
                    "--keep-surface, a larger --quality or a coarser surface need fewer",
                    mesh.vertices.size()));
  }
  const double volume = tet_quality(mesh).volume;
  if (std::abs(volume - mesher.volume()) > 1e-6 * mesher.volume()) {
    options.say(
        fmt::format("note: the tets have the volume {:.6g}, the surface encloses {:.6g}: "
                    "parts of it lie inside each other, or it cuts itself",
                    volume, mesher.volume()));
  }
  return mesh;
}

}  // namespace lilyan
