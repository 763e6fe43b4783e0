#include "lilyan/contact/spatial_hash.hpp"

#include <algorithm>
#include <cmath>

namespace lilyan {
namespace {

constexpr double kManyCells = 512;

}  // namespace

template <class Function>
void SpatialHash::each_cell(const Box& box, Function function) const {
  const auto cell = [&](double x) { return static_cast<std::int64_t>(std::floor(x / cell_)); };
  for (std::int64_t i = cell(box.min().x()); i <= cell(box.max().x()); ++i) {
    for (std::int64_t j = cell(box.min().y()); j <= cell(box.max().y()); ++j) {
      for (std::int64_t k = cell(box.min().z()); k <= cell(box.max().z()); ++k) {
        function(Cell{i, j, k});
      }
    }
  }
}

void SpatialHash::build(const std::vector<Box>& boxes, double cell) {
  cell_ = cell;
  boxes_ = boxes;
  entries_.clear();
  large_.clear();
  for (std::size_t b = 0; b < boxes.size(); ++b) {
    const Vec3 cells = (boxes[b].sizes() / cell).array() + 1;
    if (!(cells.prod() < kManyCells)) {
      large_.push_back(static_cast<int>(b));
      continue;
    }
    each_cell(boxes[b], [&](const Cell& c) { entries_.emplace_back(c, static_cast<int>(b)); });
  }
  std::ranges::sort(entries_);
}

void SpatialHash::find(const Box& box, std::vector<int>& found) const {
  found.clear();
  const auto add = [&](int b) {
    if (boxes_[static_cast<std::size_t>(b)].intersects(box)) found.push_back(b);
  };
  for (const int b : large_) add(b);
  const Vec3 cells = (box.sizes() / cell_).array() + 1;
  if (!(cells.prod() < kManyCells)) {
    for (std::size_t b = 0; b < boxes_.size(); ++b) add(static_cast<int>(b));
  } else {
    each_cell(box, [&](const Cell& c) {
      const auto first =
          std::ranges::lower_bound(entries_, c, {}, [](const auto& entry) { return entry.first; });
      for (auto e = first; e != entries_.end() && e->first == c; ++e) add(e->second);
    });
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
}

}  // namespace lilyan
