// A mesh as it grows while a file is read.
#include "app/files/mesh_builder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lilyan/core/error.hpp"

namespace lilyan {

void MeshBuilder::reserve_vertices(std::size_t more) {
  points_.reserve(points_.size() + more);
  if (!dense()) index_of_.reserve(points_.size() + more);
}

void MeshBuilder::leave_dense() {
  index_of_.reserve(points_.capacity());
  for (std::size_t i = 0; i < points_.size(); ++i) index_of_.emplace(first_ + i, i);
}

std::size_t MeshBuilder::find(std::uint64_t number) const {
  if (dense()) {
    // Below first_ the difference wraps to a large number, which is out of range as well.
    return std::min<std::uint64_t>(number - first_, points_.size());
  }
  const auto found = index_of_.find(number);
  return found == index_of_.end() ? points_.size() : found->second;
}

void MeshBuilder::add_vertex(const TextScanner& at, std::uint64_t number,
                             const std::array<double, 3>& point) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (std::isfinite(point[axis])) continue;
    at.fail("the " + std::string(1, "xyz"[axis]) + " coordinate of vertex " +
            std::to_string(number) + " is " + std::to_string(point[axis]) +
            ": coordinates must be finite");
  }
  if (points_.empty()) first_ = number;
  if (dense() && number != first_ + points_.size()) leave_dense();
  if (!dense() && !index_of_.emplace(number, points_.size()).second) {
    at.fail("vertex " + std::to_string(number) + " is defined a second time");
  }
  points_.push_back(point);
}

void MeshBuilder::add_tet(const TextScanner& at, std::uint64_t place, std::uint64_t number,
                          const std::array<std::uint64_t, 4>& corners) {
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = a + 1; b < 4; ++b) {
      if (corners[a] != corners[b]) continue;
      at.fail_at(place, "tet " + std::to_string(number) + " lists vertex " +
                            std::to_string(corners[a]) + " twice");
    }
  }
  tets_.push_back({corners, number, place});
}

void MeshBuilder::add_face(std::uint64_t place, std::uint64_t number,
                           std::span<const std::uint64_t> corners,
                           std::span<const std::array<float, 2>> texture) {
  if (corners.size() < 3) ++dropped_;
  for (std::size_t i = 2; i < corners.size(); ++i) {
    const std::array<std::uint64_t, 3> t = {corners[0], corners[i - 1], corners[i]};
    if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) {
      ++dropped_;
    } else {
      triangles_.push_back({t, number, place});
      if (texture.empty()) continue;
      texture_.resize(triangles_.size());
      const auto& [a, b, c] = std::tie(texture[0], texture[i - 1], texture[i]);
      texture_.back() = {a[0], a[1], b[0], b[1], c[0], c[1]};
    }
  }
}

std::string MeshBuilder::missing(const std::string& cell, std::uint64_t number) const {
  const std::string count = std::to_string(points_.size());
  if (dense()) {
    return "vertex index " + std::to_string(number) + " in " + cell +
           " is out of range: the mesh has " + count + " vertices, numbered " +
           std::to_string(first_) + " to " + std::to_string(first_ + points_.size() - 1);
  }
  return "vertex " + std::to_string(number) + " in " + cell + " is not among the " + count +
         " vertices that the file defines";
}

template <std::size_t N>
std::size_t MeshBuilder::compact(const TextScanner& from, const std::vector<Cell<N>>& cells,
                                 const char* cell_name,
                                 std::vector<std::array<double, 3>>& vertices,
                                 std::vector<std::array<int, N>>& indices) const {
  constexpr int kUnused = -1;
  constexpr int kUsed = 0;
  std::vector<int> new_index(points_.size(), kUnused);
  std::vector<std::array<std::size_t, N>> corners(cells.size());
  for (std::size_t k = 0; k < cells.size(); ++k) {
    for (std::size_t c = 0; c < N; ++c) {
      const std::uint64_t number = cells[k].corners[c];
      const std::size_t old = find(number);
      if (old == points_.size()) {
        std::string cell = cell_name;
        cell += ' ' + std::to_string(cells[k].number);
        from.fail_at(cells[k].place, missing(cell, number));
      }
      new_index[old] = kUsed;
      corners[k][c] = old;
    }
  }
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (new_index[i] == kUnused) continue;
    if (vertices.size() == std::numeric_limits<int>::max()) {
      throw InputError({from.file(), 0, 0},
                       "the mesh has more vertices than can be numbered (2147483647)");
    }
    new_index[i] = static_cast<int>(vertices.size());
    vertices.push_back(points_[i]);
  }
  indices.resize(corners.size());
  for (std::size_t k = 0; k < corners.size(); ++k) {
    for (std::size_t c = 0; c < N; ++c) indices[k][c] = new_index[corners[k][c]];
  }
  return points_.size() - vertices.size();
}

TetMesh MeshBuilder::finish(const TextScanner& tets_from) const {
  if (points_.empty()) throw InputError({tets_from.file(), 0, 0}, "the mesh has no vertices");
  if (tets_.empty()) throw InputError({tets_from.file(), 0, 0}, "the mesh has no tetrahedra");
  TetMesh mesh;
  mesh.unused_vertices = compact(tets_from, tets_, "tet", mesh.vertices, mesh.tets);
  return mesh;
}

SurfaceMesh MeshBuilder::finish_surface(const TextScanner& faces_from) const {
  if (points_.empty()) throw InputError({faces_from.file(), 0, 0}, "the mesh has no vertices");
  if (triangles_.empty()) {
    throw InputError({faces_from.file(), 0, 0},
                     "the mesh has no triangles" +
                         (dropped_ == 0 ? ""
                                        : ", but " + std::to_string(dropped_) +
                                              " faces with fewer than 3 different vertices"));
  }
  SurfaceMesh mesh;
  mesh.unused_vertices = compact(faces_from, triangles_, "face", mesh.vertices, mesh.triangles);
  mesh.dropped_faces = dropped_;
  mesh.texture = texture_;
  if (!texture_.empty()) mesh.texture.resize(triangles_.size());
  return mesh;
}

}  // namespace lilyan
