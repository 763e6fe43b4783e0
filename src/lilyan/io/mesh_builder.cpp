// A tetrahedral mesh as it grows while a file is read.
#include "lilyan/io/mesh_builder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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

std::string MeshBuilder::missing(const Tet& tet, std::uint64_t number) const {
  const std::string count = std::to_string(points_.size());
  if (dense()) {
    return "vertex index " + std::to_string(number) + " in tet " + std::to_string(tet.number) +
           " is out of range: the mesh has " + count + " vertices, numbered " +
           std::to_string(first_) + " to " + std::to_string(first_ + points_.size() - 1);
  }
  return "vertex " + std::to_string(number) + " in tet " + std::to_string(tet.number) +
         " is not among the " + count + " vertices that the file defines";
}

TetMesh MeshBuilder::finish(const TextScanner& tets_from) const {
  if (points_.empty()) throw InputError({tets_from.file(), 0, 0}, "the mesh has no vertices");
  if (tets_.empty()) throw InputError({tets_from.file(), 0, 0}, "the mesh has no tetrahedra");

  constexpr int kUnused = -1;
  constexpr int kUsed = 0;
  std::vector<int> new_index(points_.size(), kUnused);
  std::vector<std::array<std::size_t, 4>> corners(tets_.size());
  for (std::size_t t = 0; t < tets_.size(); ++t) {
    for (std::size_t c = 0; c < 4; ++c) {
      const std::uint64_t number = tets_[t].corners[c];
      const std::size_t old = find(number);
      if (old == points_.size()) tets_from.fail_at(tets_[t].place, missing(tets_[t], number));
      new_index[old] = kUsed;
      corners[t][c] = old;
    }
  }

  TetMesh mesh;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (new_index[i] == kUnused) continue;
    if (mesh.vertices.size() == std::numeric_limits<int>::max()) {
      throw InputError({tets_from.file(), 0, 0},
                       "the mesh has more vertices than can be numbered (2147483647)");
    }
    new_index[i] = static_cast<int>(mesh.vertices.size());
    mesh.vertices.push_back(points_[i]);
  }
  mesh.tets.reserve(corners.size());
  for (const std::array<std::size_t, 4>& c : corners) {
    mesh.tets.push_back({new_index[c[0]], new_index[c[1]], new_index[c[2]], new_index[c[3]]});
  }
  return mesh;
}

}  // namespace lilyan
