// Bodies of a scene that several processes share.
#pragma once

#include <Eigen/Geometry>
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "lilyan/parallel/share.hpp"
#include "lilyan/physics/meshes.hpp"
#include "lilyan/saving/archive.hpp"

namespace lilyan {

// The part of a body that one process has: vertices that it owns, then copies of others'; elements that
// it counts, then elements of its vertices that others count.
struct BodyPart {
  long whole = 0;            // vertices of the whole body,
  long whole_elements = 0;   // and its elements
  int owned = 0;             // vertices
  int counted = 0;           // elements
  std::vector<long> number;  // of each vertex in the whole body, ascending among those owned
  // Of each copy: the process that owns it, and its place among the vertices owned there.
  std::vector<int> owner;
  std::vector<int> place;

  void archive(Archive& a) { a(whole, whole_elements, owned, counted, number, owner, place); }
  // The vertex here that has this number in the whole body; −1: there is none.
  [[nodiscard]] int find(long whole_number) const;
};

// Vertices [low, high) of a block's lattice, along each axis.
struct LatticeBox {
  std::array<int, 3> low{};
  std::array<int, 3> high{};
};

// How a lattice of points is cut into boxes, one for each process, with little surface between them.
class LatticeCut {
 public:
  LatticeCut(const std::array<int, 3>& points, int processes);
  [[nodiscard]] LatticeBox box(int process) const;
  [[nodiscard]] int owner(const std::array<int, 3>& point) const;

 private:
  [[nodiscard]] int first(int axis, int part) const;
  std::array<int, 3> points_;
  std::array<int, 3> parts_{1, 1, 1};
};

struct PartOfMesh {
  TetMesh mesh;
  BodyPart part;
  void archive(Archive& a) { a(mesh.vertices, mesh.tets, part); }
};

// The parts of a mesh whose vertices have these owners: one for each process.
[[nodiscard]] PartOfMesh part_of(const TetMesh& whole, std::span<const int> owner,
                                 std::span<const int> place, int process);
// Places of vertices among those of their owners.
[[nodiscard]] std::vector<int> places(std::span<const int> owner, int processes);

// A process's part of block(size, cells, cut), made without the rest of it.
[[nodiscard]] PartOfMesh block_part(const std::array<double, 3>& size,
                                    const std::array<int, 3>& cells, CubeCut cut, int process,
                                    int processes);

// The processes that share a scene.
class Distribution : public Ranks {
 public:
  // Process 0 has a mesh and gives every process its part; the others' argument is not looked at.
  [[nodiscard]] virtual PartOfMesh scatter(const TetMesh& whole) const = 0;
  // Copies get the numbers of their owners, one a vertex of a body.
  virtual void refresh(const BodyPart& part, std::span<double> numbers) const = 0;
  // The share of a system in which vertices of part k begin at first[k].
  [[nodiscard]] virtual std::unique_ptr<Share> make_share(std::span<const BodyPart> parts,
                                                          std::span<const int> first) const = 0;
};

// The smallest box around points of all processes. Without a distribution those given are all.
[[nodiscard]] Eigen::AlignedBox3d box_around(Eigen::AlignedBox3d own, const Distribution* ranks);

}  // namespace lilyan
