#include "app/files/box_tree.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace lilyan {
namespace {

constexpr int kLeaf = 4;  // boxes that are not divided any more

double twice_middle(const PointBox& box, std::size_t axis) {
  return box.low[axis] + box.high[axis];
}

}  // namespace

BoxTree::BoxTree(std::vector<PointBox> boxes) : boxes_(std::move(boxes)), order_(boxes_.size()) {
  std::iota(order_.begin(), order_.end(), 0);
  if (!boxes_.empty()) divide();
}

BoxTree::Node BoxTree::node_of(int first, int last) const {
  Node node{.box = boxes_[static_cast<std::size_t>(order_[static_cast<std::size_t>(first)])],
            .first = first,
            .last = last};
  for (int i = first + 1; i < last; ++i) {
    node.box.add(boxes_[static_cast<std::size_t>(order_[static_cast<std::size_t>(i)])]);
  }
  return node;
}

// Halves the boxes of each node at the median along its longest side.
void BoxTree::divide() {
  nodes_.push_back(node_of(0, static_cast<int>(boxes_.size())));
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const int first = nodes_[k].first;
    const int last = nodes_[k].last;
    if (last - first <= kLeaf) continue;
    const PointBox& box = nodes_[k].box;
    std::size_t axis = 0;
    for (std::size_t i = 1; i < 3; ++i) {
      if (box.high[i] - box.low[i] > box.high[axis] - box.low[axis]) axis = i;
    }
    const int middle = first + (last - first) / 2;
    std::nth_element(order_.begin() + first, order_.begin() + middle, order_.begin() + last,
                     [&](int a, int b) {
                       return twice_middle(boxes_[static_cast<std::size_t>(a)], axis) <
                              twice_middle(boxes_[static_cast<std::size_t>(b)], axis);
                     });
    nodes_[k].left = static_cast<int>(nodes_.size());
    nodes_.push_back(node_of(first, middle));
    nodes_.push_back(node_of(middle, last));
  }
}

}  // namespace lilyan
