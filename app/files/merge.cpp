// Meshes whose parts do not share the vertices where they touch.
//
// Vertices at the same place are found with a lattice of cells that are much larger than the distance asked for:
// most vertices are compared with those of a single cell.
#include "app/files/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "lilyan/base/error.hpp"
#include "lilyan/base/types.hpp"

namespace lilyan {
namespace {

using Vertices = std::vector<std::array<double, 3>>;

// Sets of vertices. The first vertex of a set stands for it.
class VertexSets {
 public:
  explicit VertexSets(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  int first(int vertex) {
    auto& p = parent_;
    while (p[at(vertex)] != vertex) vertex = p[at(vertex)] = p[at(p[at(vertex)])];
    return vertex;
  }
  void join(int a, int b) {
    const int one = first(a);
    const int other = first(b);
    parent_[at(std::max(one, other))] = std::min(one, other);
  }
  [[nodiscard]] int count() const { return static_cast<int>(parent_.size()); }

 private:
  static std::size_t at(int vertex) { return static_cast<std::size_t>(vertex); }
  std::vector<int> parent_;
};

double size_of(const Vertices& vertices) {
  Vec3 low = Vec3::Zero();
  Vec3 high = low;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const Vec3 p(vertices[i].data());
    low = i == 0 ? p : low.cwiseMin(p);
    high = i == 0 ? p : high.cwiseMax(p);
  }
  return (high - low).norm();
}

// Sets of vertices that are no further apart than `distance`, from one to the next.
VertexSets vertices_together(const Vertices& vertices, double distance) {
  VertexSets sets(vertices.size());
  constexpr double kCell = 8;  // in distances
  constexpr double kMostCells = 1e15;
  const double cell = kCell * distance;
  const auto of = [&](double x) {
    return static_cast<std::int64_t>(std::clamp(std::floor(x / cell), -kMostCells, kMostCells));
  };
  const auto key = [](std::int64_t i, std::int64_t j, std::int64_t k) {
    std::uint64_t hash = 0;
    for (const std::int64_t n : {i, j, k}) {
      hash = (hash ^ static_cast<std::uint64_t>(n)) * 0x9e3779b97f4a7c15U;
      hash ^= hash >> 29;
    }
    return hash;
  };
  // Cells with the same key are one; distances decide.
  std::unordered_map<std::uint64_t, std::vector<int>> members;
  members.reserve(vertices.size());
  for (int v = 0; v < sets.count(); ++v) {
    const Vec3 p(vertices[static_cast<std::size_t>(v)].data());
    for (std::int64_t i = of(p[0] - distance); i <= of(p[0] + distance); ++i) {
      for (std::int64_t j = of(p[1] - distance); j <= of(p[1] + distance); ++j) {
        for (std::int64_t k = of(p[2] - distance); k <= of(p[2] + distance); ++k) {
          const auto found = members.find(key(i, j, k));
          if (found == members.end()) continue;
          for (const int other : found->second) {
            const Vec3 q(vertices[static_cast<std::size_t>(other)].data());
            if ((p - q).norm() <= distance) sets.join(v, other);
          }
        }
      }
    }
    members[key(of(p[0]), of(p[1]), of(p[2]))].push_back(v);
  }
  return sets;
}

template <class Cells>
MeshParts parts(const Vertices& vertices, const Cells& cells, double share) {
  MeshParts result;
  result.size = size_of(vertices);
  VertexSets connected(vertices.size());
  for (const auto& cell : cells) {
    for (const int v : cell) connected.join(cell[0], v);
  }
  for (int v = 0; v < connected.count(); ++v) result.parts += connected.first(v) == v;
  if (!(result.size > 0) || !std::isfinite(result.size)) return result;
  VertexSets together = vertices_together(vertices, share * result.size);
  // Whether a place has a second vertex, and whether one of these is of another part than the first.
  std::unordered_map<int, bool> of_several_parts;
  for (int v = 0; v < together.count(); ++v) {
    const int place = together.first(v);
    if (place == v) continue;
    bool& several = of_several_parts[place];
    several = several || connected.first(v) != connected.first(place);
  }
  for (const auto& [place, several] : of_several_parts)
    ++(several ? result.touching : result.doubled);
  return result;
}

std::string points(std::size_t count) {
  return fmt::format("{} point{}", count, count == 1 ? "" : "s");
}

template <class Mesh, class Cells>
std::size_t merge(Mesh& mesh, Cells& cells, double share) {
  VertexSets together = vertices_together(mesh.vertices, share * size_of(mesh.vertices));
  std::vector<int> number(mesh.vertices.size());
  int next = 0;
  for (int v = 0; v < together.count(); ++v) {
    const auto at = static_cast<std::size_t>(v);
    const int first = together.first(v);
    if (first < v) {
      number[at] = number[static_cast<std::size_t>(first)];
      continue;
    }
    mesh.vertices[static_cast<std::size_t>(next)] = mesh.vertices[at];
    number[at] = next++;
  }
  for (std::size_t e = 0; e < cells.size(); ++e) {
    auto sorted = cells[e];
    for (int& v : sorted) v = number[static_cast<std::size_t>(v)];
    cells[e] = sorted;
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) == sorted.end()) continue;
    throw Error(
        fmt::format("within {:.3g} of the mesh's size, two corners of element {} (counted from 0) "
                    "are one point: "
                    "give a smaller share, or repair the mesh",
                    share, e));
  }
  const std::size_t gone = mesh.vertices.size() - static_cast<std::size_t>(next);
  mesh.vertices.resize(static_cast<std::size_t>(next));
  return gone;
}

// How many elements would have the vertices of another one if the mesh were merged; none where it cannot be merged.
template <class Mesh, class Cells>
std::optional<std::size_t> copies_when_merged(Mesh mesh, Cells Mesh::*of, double share) {
  Cells& cells = mesh.*of;
  try {
    merge(mesh, cells, share);
  } catch (const Error&) {
    return std::nullopt;
  }
  for (auto& cell : cells) std::ranges::sort(cell);
  std::ranges::sort(cells);
  std::size_t copies = 0;
  for (std::size_t i = 1; i < cells.size(); ++i) copies += cells[i] == cells[i - 1];
  return copies;
}

// What helps against parts or tears, as the end of a sentence.
template <class Mesh, class Cells>
std::string cure(const Mesh& mesh, Cells Mesh::*of, double share) {
  const std::optional<std::size_t> copies = copies_when_merged(mesh, of, share);
  if (copies == 0) {
    return share == kMergeShare
               ? "merge = true joins them"
               : fmt::format("merge = true with merge_within = {:.0e} joins them", share);
  }
  if (!copies) return "merge = true cannot join them, as elements would collapse: repair the mesh";
  return fmt::format(
      "merge = true cannot join them, as {} of its elements would be there twice: leave out the "
      "parts that coincide with others",
      *copies);
}

template <class Mesh, class Cells>
std::string describe(const Mesh& mesh, Cells Mesh::*of) {
  const MeshParts found = parts_of(mesh);
  if (found.touching > 0) {
    return fmt::format(
        "falls apart: its mesh has {} parts that touch at {}, within {:.0e} of its size, but share "
        "no vertex there; {}",
        found.parts, points(found.touching), kMergeShare, cure(mesh, of, kMergeShare));
  }
  if (found.doubled > 0) {
    return fmt::format(
        "has a tear: its mesh has two vertices or more at {}, within {:.0e} of its size; {}",
        points(found.doubled), kMergeShare, cure(mesh, of, kMergeShare));
  }
  if (found.parts < 2) return "";
  for (const double share : {1e-5, 1e-4, 1e-3}) {
    const MeshParts nearly = parts_of(mesh, share);
    if (nearly.touching == 0) continue;
    return fmt::format(
        "falls apart: its mesh has {} parts that nearly touch at {}, within {:.0e} of its size "
        "({:.2g}), but share no vertex; {}",
        found.parts, points(nearly.touching), share, share * found.size, cure(mesh, of, share));
  }
  return fmt::format("has {} parts that share no vertex: nothing holds them together", found.parts);
}

}  // namespace

MeshParts parts_of(const TetMesh& mesh, double share) {
  return parts(mesh.vertices, mesh.tets, share);
}
MeshParts parts_of(const SurfaceMesh& mesh, double share) {
  return parts(mesh.vertices, mesh.triangles, share);
}

std::string describe_tears(const TetMesh& mesh) { return describe(mesh, &TetMesh::tets); }
std::string describe_tears(const SurfaceMesh& mesh) {
  return describe(mesh, &SurfaceMesh::triangles);
}

std::size_t merge_vertices(TetMesh& mesh, double share) { return merge(mesh, mesh.tets, share); }
std::size_t merge_vertices(SurfaceMesh& mesh, double share) {
  return merge(mesh, mesh.triangles, share);
}

}  // namespace lilyan
