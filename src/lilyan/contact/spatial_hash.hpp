// Boxes in space, found by the cells of a uniform grid that they touch.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include <Eigen/Geometry>

#include "lilyan/core/types.hpp"

namespace lilyan {

using Box = Eigen::AlignedBox3d;

// Teschner et al.: Optimized spatial hashing for collision detection of deformable objects, VMV
// 2003. The cells' numbers are sorted instead of put into a table, which keeps the order of what is
// found the same on every machine.
class SpatialHash {
 public:
  // The cell size should be about that of the boxes. Boxes are numbered in their order.
  void build(const std::vector<Box>& boxes, double cell);
  // The boxes that meet `box`, ascending, each once.
  void find(const Box& box, std::vector<int>& found) const;

 private:
  using Cell = std::array<std::int64_t, 3>;
  template <class Function>
  void each_cell(const Box& box, Function function) const;

  double cell_ = 1;
  std::vector<Box> boxes_;
  std::vector<std::pair<Cell, int>> entries_;
  std::vector<int> large_;  // boxes of very many cells, looked at one by one
};

}  // namespace lilyan
