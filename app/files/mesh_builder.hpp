// A mesh as it grows while a file is read: vertices, and tets or faces, under the file's own
// numbers, which may be sparse, come in any order, and name vertices that the file lists later.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "app/files/mesh.hpp"
#include "app/files/scanner.hpp"

namespace lilyan {

// Which cells are read from a file that may have both.
enum class MeshCells { tets, faces };

class MeshBuilder {
 public:
  explicit MeshBuilder(MeshCells cells = MeshCells::tets) : cells_(cells) {}
  [[nodiscard]] MeshCells cells() const { return cells_; }

  // Callers check the counts against the file's size first.
  void reserve_vertices(std::size_t more);
  void reserve_tets(std::size_t more) { tets_.reserve(tets_.size() + more); }

  // Rejects, at the scanner's place, a number that is taken and coordinates that are not finite.
  void add_vertex(const TextScanner& at, std::uint64_t number, const std::array<double, 3>& point);
  // Rejects, at the given place, a vertex that is listed twice. Whether the vertices exist is
  // asked in finish().
  void add_tet(const TextScanner& at, std::uint64_t place, std::uint64_t number,
               const std::array<std::uint64_t, 4>& corners);

  // A polygon, cut into a fan of triangles. Triangles that list a vertex twice are counted and left
  // out: files have them, and they say nothing about the surface.
  // `texture` has the place of each corner in a picture; empty: the face has none.
  void add_face(std::uint64_t place, std::uint64_t number, std::span<const std::uint64_t> corners,
                std::span<const std::array<float, 2>> texture = {});

  [[nodiscard]] std::size_t vertex_count() const { return points_.size(); }
  [[nodiscard]] std::size_t tet_count() const { return tets_.size(); }
  [[nodiscard]] std::size_t triangle_count() const { return triangles_.size(); }

  // The mesh without the vertices that no tet uses. tets_from is the scanner whose places
  // add_tet was given.
  [[nodiscard]] TetMesh finish(const TextScanner& tets_from) const;
  // The same for the faces.
  [[nodiscard]] SurfaceMesh finish_surface(const TextScanner& faces_from) const;

 private:
  template <std::size_t N>
  struct Cell {
    std::array<std::uint64_t, N> corners;
    std::uint64_t number;
    std::uint64_t place;
  };

  [[nodiscard]] bool dense() const { return index_of_.empty(); }
  void leave_dense();
  // The vertex's position in points_, or points_.size() if there is none of that number.
  [[nodiscard]] std::size_t find(std::uint64_t number) const;
  [[nodiscard]] std::string missing(const std::string& cell, std::uint64_t number) const;
  // Into vertices and indices, without unused vertices; returns how many those were.
  template <std::size_t N>
  std::size_t compact(const TextScanner& from, const std::vector<Cell<N>>& cells,
                      const char* cell_name, std::vector<std::array<double, 3>>& vertices,
                      std::vector<std::array<int, N>>& indices) const;

  MeshCells cells_;
  std::vector<std::array<double, 3>> points_;
  std::vector<Cell<4>> tets_;
  std::vector<Cell<3>> triangles_;
  std::vector<TriangleTexture> texture_;  // of the triangles up to the last that has any
  std::size_t dropped_ = 0;
  // While the numbers run first_, first_ + 1, ... as nearly every file has them, the map stays
  // empty: it would cost more than all the rest of reading.
  std::uint64_t first_ = 0;
  std::unordered_map<std::uint64_t, std::size_t> index_of_;
};

}  // namespace lilyan
