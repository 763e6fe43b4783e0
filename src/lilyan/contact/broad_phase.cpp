#include "lilyan/contact/broad_phase.hpp"

#include <algorithm>
#include <cmath>

namespace lilyan {

template <class Function>
void BroadPhase::each_cell(const Box& box, Function function) const {
  const auto cell = [&](double x) { return static_cast<std::int64_t>(std::floor(x / cell_)); };
  for (std::int64_t i = cell(box.min().x()); i <= cell(box.max().x()); ++i) {
    for (std::int64_t j = cell(box.min().y()); j <= cell(box.max().y()); ++j) {
      for (std::int64_t k = cell(box.min().z()); k <= cell(box.max().z()); ++k) {
        function(Cell{i, j, k});
      }
    }
  }
}

bool BroadPhase::has_many_cells(const Box& box) const {
  constexpr double kManyCells = 512;
  const Vec3 cells = (box.sizes() / cell_).array() + 1;
  return !(cells.prod() < kManyCells);
}

void BroadPhase::clear() {
  boxes_.clear();
  sizes_ = 0;
}

void BroadPhase::add(const Box& box) {
  boxes_.push_back(box);
  sizes_ += box.sizes().maxCoeff();
}

void BroadPhase::build(double asked) {
  cell_ = std::max(sizes_ / static_cast<double>(boxes_.size()), asked);
  if (!(cell_ > 0)) cell_ = 1;  // nothing but points
  entries_.clear();
  large_.clear();
  for (std::size_t b = 0; b < boxes_.size(); ++b) {
    if (has_many_cells(boxes_[b])) {
      large_.push_back(static_cast<int>(b));
      continue;
    }
    each_cell(boxes_[b], [&](const Cell& c) { entries_.emplace_back(c, static_cast<int>(b)); });
  }
  std::ranges::sort(entries_);
}

std::span<const int> BroadPhase::meeting(const Box& box) {
  found_.clear();
  const auto add = [&](int b) {
    if (boxes_[static_cast<std::size_t>(b)].intersects(box)) found_.push_back(b);
  };
  if (has_many_cells(box)) {
    for (std::size_t b = 0; b < boxes_.size(); ++b) add(static_cast<int>(b));
    return found_;
  }
  for (const int b : large_) add(b);
  each_cell(box, [&](const Cell& c) {
    const auto first =
        std::ranges::lower_bound(entries_, c, {}, [](const auto& entry) { return entry.first; });
    for (auto e = first; e != entries_.end() && e->first == c; ++e) add(e->second);
  });
  std::ranges::sort(found_);
  found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
  return found_;
}

}  // namespace lilyan
