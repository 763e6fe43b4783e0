// Which of many boxes meet a box. Every search in space of the library and of the program goes through here.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "lilyan/base/types.hpp"

namespace lilyan {

using Box = Eigen::AlignedBox3d;

[[nodiscard]] inline Box grown(const Box& box, double by) {
  return {box.min() - Vec3::Constant(by), box.max() + Vec3::Constant(by)};
}

// Boxes in space, found by the cells of a uniform grid that they meet. What is found does not depend on the size
// of the cells, which is the mean size of the boxes.
// Teschner et al.: Optimized spatial hashing for collision detection of deformable objects, VMV
// 2003. The cells' numbers are sorted instead of put into a table, which keeps the order of what is
// found the same on every machine.
class BroadPhase {
 public:
  // Boxes are numbered in the order in which they are added.
  void clear();
  void add(const Box& box);
  // After the last box. Cells are at least as large as the boxes that will be asked about.
  void build(double asked = 0);

  // The boxes that meet `box`, ascending, each once; they stay until the next question.
  [[nodiscard]] std::span<const int> meeting(const Box& box);

 private:
  using Cell = std::array<std::int64_t, 3>;
  template <class Function>
  void each_cell(const Box& box, Function function) const;
  // A box of very many cells is looked at by itself.
  [[nodiscard]] bool has_many_cells(const Box& box) const;

  double cell_ = 1;
  double sizes_ = 0;  // of all boxes together
  std::vector<Box> boxes_;
  std::vector<std::pair<Cell, int>> entries_;
  std::vector<int> large_;  // boxes of very many cells
  std::vector<int> found_;
};

}  // namespace lilyan
