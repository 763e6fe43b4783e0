// Classes of vertices that are connected by elements, springs or constraints.
//
// Within a process they are kept as a forest: parent[i] is another vertex of the class of i, or i itself at its root.
#pragma once

#include <cstdint>
#include <vector>

namespace lilyan {

class Share;

// A forest in which each of so many vertices is a class of its own.
[[nodiscard]] std::vector<int> separate_classes(int vertices);
[[nodiscard]] int root_of(std::vector<int>& parent, int vertex);
// Makes the classes of both one.
void join(std::vector<int>& parent, int a, int b);

// A number for the class of each vertex: its root or, where several processes share the vertices (null: they do not),
// the lowest number of its vertices in all processes.
[[nodiscard]] std::vector<std::int64_t> classes_of(std::vector<int>& parent, const Share* share);
// Classes of all processes, once each, ascending.
[[nodiscard]] std::vector<std::int64_t> unite(std::vector<std::int64_t> classes,
                                              const Share* share);
// Where one of them is among those.
[[nodiscard]] int index_of(std::int64_t one, const std::vector<std::int64_t>& classes);

}  // namespace lilyan
