// A tree of boxes: which of many boxes reach into a given one.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace lilyan {

// A box of points. Its sides belong to it.
struct PointBox {
  std::array<double, 3> low{};
  std::array<double, 3> high{};

  void add(const PointBox& other) {
    for (std::size_t k = 0; k < 3; ++k) {
      low[k] = other.low[k] < low[k] ? other.low[k] : low[k];
      high[k] = other.high[k] > high[k] ? other.high[k] : high[k];
    }
  }
  [[nodiscard]] bool reaches(const PointBox& other) const {
    return low[0] <= other.high[0] && other.low[0] <= high[0] && low[1] <= other.high[1] &&
           other.low[1] <= high[1] && low[2] <= other.high[2] && other.low[2] <= high[2];
  }
};

class BoxTree {
 public:
  explicit BoxTree(std::vector<PointBox> boxes);

  // found(number) for each box that reaches into this one, in no particular order.
  template <class Found>
  void search(const PointBox& box, const Found& found) const {
    if (nodes_.empty()) return;
    std::array<int, 64> waiting{};  // each level halves the boxes and leaves one node to wait
    std::size_t count = 1;
    while (count > 0) {
      const Node& node = nodes_[static_cast<std::size_t>(waiting[--count])];
      if (!node.box.reaches(box)) continue;
      if (node.left >= 0) {
        waiting[count++] = node.left;
        waiting[count++] = node.left + 1;
        continue;
      }
      for (int i = node.first; i < node.last; ++i) {
        const int number = order_[static_cast<std::size_t>(i)];
        if (boxes_[static_cast<std::size_t>(number)].reaches(box)) found(number);
      }
    }
  }

 private:
  struct Node {
    PointBox box;
    int first = 0, last = 0;  // of order_
    int left = -1;            // the right one is next to it; −1: none
  };
  void divide();
  [[nodiscard]] Node node_of(int first, int last) const;

  std::vector<PointBox> boxes_;
  std::vector<int> order_;
  std::vector<Node> nodes_;
};

}  // namespace lilyan
