#include "lilyan/parallel/classes.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "lilyan/parallel/share.hpp"

namespace lilyan {

std::vector<int> separate_classes(int vertices) {
  std::vector<int> parent(static_cast<std::size_t>(vertices));
  std::iota(parent.begin(), parent.end(), 0);
  return parent;
}

int root_of(std::vector<int>& parent, int vertex) {
  int i = vertex;
  while (parent[static_cast<std::size_t>(i)] != i) {
    parent[static_cast<std::size_t>(i)] =
        parent[static_cast<std::size_t>(parent[static_cast<std::size_t>(i)])];
    i = parent[static_cast<std::size_t>(i)];
  }
  return i;
}

void join(std::vector<int>& parent, int a, int b) {
  const int root = root_of(parent, a);
  parent[static_cast<std::size_t>(root_of(parent, b))] = root;
}

// What connects vertices of two processes is in both of them. So each takes the other's lowest number where it is
// lower, until none changes.
std::vector<std::int64_t> classes_of(std::vector<int>& parent, const Share* share) {
  const auto count = static_cast<int>(parent.size());
  std::vector<std::int64_t> result;
  result.reserve(parent.size());
  for (int i = 0; i < count; ++i) result.push_back(root_of(parent, i));
  if (!share) return result;
  const std::vector<std::int64_t> root = std::move(result);
  std::vector<double> lowest(share->numbers().begin(), share->numbers().end());
  bool changed = true;
  while (share->ranks().any(changed)) {
    const std::vector<double> before = lowest;
    share->refresh(lowest.data(), 1);
    for (std::size_t i = 0; i < root.size(); ++i) {
      double& of_root = lowest[static_cast<std::size_t>(root[i])];
      of_root = std::min(of_root, lowest[i]);
    }
    for (std::size_t i = 0; i < root.size(); ++i) {
      lowest[i] = lowest[static_cast<std::size_t>(root[i])];
    }
    changed = lowest != before;
  }
  return {lowest.begin(), lowest.end()};
}

std::vector<std::int64_t> unite(std::vector<std::int64_t> classes, const Share* share) {
  const auto sort = [&] {
    std::ranges::sort(classes);
    classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  };
  sort();
  if (!share) return classes;
  const std::vector<double> own(classes.begin(), classes.end());
  const std::vector<double> all = share->ranks().gather(own);
  classes.assign(all.begin(), all.end());
  sort();
  return classes;
}

int index_of(std::int64_t one, const std::vector<std::int64_t>& classes) {
  return static_cast<int>(std::ranges::lower_bound(classes, one) - classes.begin());
}

}  // namespace lilyan
