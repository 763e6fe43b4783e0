// Where a surface cuts itself.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace lilyan {

// Pairs of triangles of which an edge of one goes through the inside of the other; the first `most`
// that are found. Triangles that only touch, or overlap in one plane, are not found.
[[nodiscard]] std::vector<std::pair<int, int>> self_intersections(
    std::span<const std::array<double, 3>> vertices, std::span<const std::array<int, 3>> triangles,
    std::size_t most);

}  // namespace lilyan
