// Clusters of neighbouring nodes of a graph.
#pragma once

#include <vector>

#include "lilyan/assemble/pattern.hpp"

namespace lilyan {

// The nodes put in an order in which those of a cluster are consecutive, and clusters that touch
// mostly near each other: also a good order for the memory of a matrix.
struct Aggregates {
  std::vector<int> node;   // at each place
  std::vector<int> start;  // first place of each cluster, and the end

  [[nodiscard]] int count() const { return static_cast<int>(start.size()) - 1; }
};

// Clusters of about `size` nodes, each connected where the graph lets it.
[[nodiscard]] Aggregates aggregate(const LowerPattern& pattern, int size);

}  // namespace lilyan
