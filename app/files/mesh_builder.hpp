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

// How many there are, with the plural of the kind: "1 tetrahedron of order 2", "12 hexahedra".
[[nodiscard]] std::string counted(std::size_t count, const std::string& kind);

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

  // A polygon, which finish_surface() cuts into triangles. A corner that repeats the one before is left out. Faces
  // with fewer than three different vertices are counted and left out: files have them, and they say nothing
  // about the surface. `texture` has the place of each corner in a picture; empty: the face has none.
  void add_face(std::uint64_t place, std::uint64_t number, std::span<const std::uint64_t> corners,
                std::span<const std::array<float, 2>> texture = {});

  // Cells of a kind ("hexahedron") that is not read. In a mesh of tets those of three dimensions are a part of
  // the body, and in a surface those of two: finish() and finish_surface() refuse them. The others, except for
  // points, are listed in `left_out`.
  void pass_over(std::uint64_t place, const std::string& kind, int dimension,
                 std::uint64_t count = 1);
  static constexpr int kUnknownDimension = -1;  // refused
  // A cell of fewer dimensions than those that are read, such as a triangle beside tets. It bounds them if they
  // have its vertices; else finish() lists it in `left_out`.
  void add_side(const char* kind, std::span<const std::uint64_t> corners);

  [[nodiscard]] std::size_t vertex_count() const { return points_.size(); }
  [[nodiscard]] std::size_t tet_count() const { return tets_.size(); }

  // The mesh without the vertices that no tet uses. tets_from is the scanner whose places
  // add_tet was given.
  [[nodiscard]] TetMeshOfFile finish(const TextScanner& tets_from) const;
  // The surface, in the same way from the faces.
  [[nodiscard]] SurfaceMesh finish_surface(const TextScanner& faces_from) const;

 private:
  template <std::size_t N>
  struct Cell {
    std::array<std::uint64_t, N> corners;
    std::uint64_t number;
    std::uint64_t place;
  };

  // Triangles of a fan, which are to become those of a polygon.
  struct Polygon {
    std::size_t first;
    std::size_t count;
  };
  struct Passed {
    std::string kind;
    int dimension;
    std::uint64_t place;  // of the first
    std::uint64_t count;
  };
  struct Side {
    const char* kind;
    std::size_t begin;  // of its corners among all
    std::size_t count;
  };

  void add_triangle(const std::array<std::uint64_t, 3>& corners, std::uint64_t number,
                    std::uint64_t place, std::span<const std::array<float, 2>> texture);
  // Puts the right triangles in the place of a polygon's fan.
  void cut_polygons(const TextScanner& from, SurfaceMesh& mesh) const;
  // Refuses a file with cells that belong to what is read, but are of another kind.
  void refuse_passed(const TextScanner& from, int dimension, const std::string& read,
                     std::size_t count) const;
  // "12 triangles and 3 lines": cells that are neither read nor the boundary of what is read.
  [[nodiscard]] std::string left_out(const std::vector<bool>& used) const;
  // All that is not read, for a file with nothing else.
  [[nodiscard]] std::string others() const;
  [[nodiscard]] bool dense() const { return index_of_.empty(); }
  void leave_dense();
  // The vertex's position in points_, or points_.size() if there is none of that number.
  [[nodiscard]] std::size_t find(std::uint64_t number) const;
  [[nodiscard]] std::string missing(const std::string& cell, std::uint64_t number) const;
  // Into vertices and indices, without unused vertices; returns which are used.
  template <std::size_t N>
  std::vector<bool> compact(const TextScanner& from, const std::vector<Cell<N>>& cells,
                            const char* cell_name, std::vector<std::array<double, 3>>& vertices,
                            std::vector<std::array<int, N>>& indices) const;

  MeshCells cells_;
  std::vector<std::array<double, 3>> points_;
  std::vector<Cell<4>> tets_;
  std::vector<Cell<3>> triangles_;
  std::vector<TriangleTexture> texture_;  // of the triangles up to the last that has any
  std::size_t dropped_ = 0;
  std::vector<Polygon> polygons_;
  std::vector<Passed> passed_;
  std::vector<Side> sides_;
  std::vector<std::uint64_t> side_corners_;
  // While the numbers run first_, first_ + 1, ... as nearly every file has them, the map stays
  // empty: it would cost more than all the rest of reading.
  std::uint64_t first_ = 0;
  std::unordered_map<std::uint64_t, std::size_t> index_of_;
};

}  // namespace lilyan
