#include "app/distributed/owned_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <span>
#include <utility>

#include "lilyan/base/error.hpp"
#include "lilyan/parallel/classes.hpp"
#include "lilyan/solve/coarse_space.hpp"

namespace lilyan::distributed {
namespace {

// The graph of some nodes of a pattern among themselves.
LowerPattern graph_of(const LowerPattern& pattern, std::span<const int> nodes) {
  std::vector<int> place(static_cast<std::size_t>(pattern.nodes()), -1);
  for (std::size_t k = 0; k < nodes.size(); ++k) place[nodes[k]] = static_cast<int>(k);
  std::vector<int> start{0};
  std::vector<int> graph;
  for (const int n : nodes) {
    for (int e = pattern.graph_start()[n]; e < pattern.graph_start()[n + 1]; ++e) {
      if (place[pattern.graph()[e]] >= 0) graph.push_back(place[pattern.graph()[e]]);
    }
    start.push_back(static_cast<int>(graph.size()));
  }
  return {3, std::move(start), std::move(graph)};
}

}  // namespace

OwnedRows::OwnedRows(const BlockPattern& pattern, const Share& share, const MpiDistribution& ranks)
    : pattern_(pattern) {
  make_clusters(share, ranks);
  add_copies(share);
  find_pairs();
  find_bodies(share);
}

void OwnedRows::make_clusters(const Share& share, const MpiDistribution& ranks) {
  std::vector<int> own;
  for (int n = 0; n < pattern_.nodes(); ++n) {
    if (share.owns(3 * pattern_.free_vertices()[n])) own.push_back(n);
  }
  rows_ = static_cast<int>(own.size());
  const double count = rows_;
  const std::vector<double> rows = ranks.gather({&count, 1});
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (static_cast<int>(r) < ranks.rank()) first_ += std::lround(rows[r]);
    all_rows_ += std::lround(rows[r]);
  }
  if (all_rows_ > 700'000'000) {
    throw Error(
        "the scene has too many vertices for this build of PETSc, whose indices have 32 bits");
  }
  if (rows_ > 0) clusters_ = aggregate(graph_of(pattern_, own), cluster_size(all_rows_, false));
  if (clusters_.start.empty()) clusters_.start = {0};
  for (int& node : clusters_.node) node = own[node];
  for (int row = 0; row < rows_; ++row) number_.push_back(static_cast<int>(first_) + row);
  own_clusters_ = clusters_.count();
  const double clusters = own_clusters_;
  for (const double of_rank : ranks.gather({&clusters, 1})) {
    clusters_of_ranks_.push_back(static_cast<int>(of_rank));
  }
  for (int r = 0; r < ranks.rank(); ++r) first_cluster_ += clusters_of_ranks_[r];
  for (int a = 0; a < own_clusters_; ++a) cluster_number_.push_back(first_cluster_ + a);
}

void OwnedRows::add_copies(const Share& share) {
  // Of each vertex here, those of copies from their owners; −1: it is fixed.
  std::vector<double> cluster_of(pattern_.free_index().size(), -1.0);
  std::vector<double> number_of = cluster_of;
  for (int a = 0; a < own_clusters_; ++a) {
    for (int row = clusters_.start[a]; row < clusters_.start[a + 1]; ++row) {
      cluster_of[vertex(row)] = cluster_number(a);
      number_of[vertex(row)] = number(row);
    }
  }
  share.refresh(cluster_of.data(), 1);
  share.refresh(number_of.data(), 1);
  std::vector<std::array<int, 3>> copies;  // cluster, number, node
  for (int n = 0; n < pattern_.nodes(); ++n) {
    const int v = pattern_.free_vertices()[n];
    if (share.owns(3 * v)) continue;
    copies.push_back({static_cast<int>(cluster_of[v]), static_cast<int>(number_of[v]), n});
  }
  std::ranges::sort(copies);
  for (const auto& [cluster, number, node] : copies) {
    if (cluster_number_.empty() || clusters_.count() == own_clusters_ ||
        cluster_number_.back() != cluster) {
      cluster_number_.push_back(cluster);
      clusters_.start.push_back(clusters_.start.back());
    }
    ++clusters_.start.back();
    clusters_.node.push_back(node);
    number_.push_back(number);
  }
}

void OwnedRows::find_pairs() {
  std::vector<int> cluster_of(static_cast<std::size_t>(pattern_.nodes()), -1);
  for (int a = 0; a < clusters_.count(); ++a) {
    for (int k = clusters_.start[a]; k < clusters_.start[a + 1]; ++k) cluster_of[node(k)] = a;
  }
  std::set<std::pair<int, int>> found;
  for (int row = 0; row < rows_; ++row) {
    const int a = cluster_of[node(row)];
    for (int e = pattern_.graph_start()[node(row)]; e < pattern_.graph_start()[node(row) + 1];
         ++e) {
      const int b = cluster_of[pattern_.graph()[e]];
      if (a != b) found.emplace(a, b);
    }
  }
  neighbours_here_.assign(static_cast<std::size_t>(own_clusters_), 1);
  neighbours_elsewhere_.assign(static_cast<std::size_t>(own_clusters_), 0);
  for (const auto& [a, b] : found) {
    if (cluster_number(b) < cluster_number(a)) pairs_.push_back({a, b});
    ++(b < own_clusters_ ? neighbours_here_ : neighbours_elsewhere_)[static_cast<std::size_t>(a)];
  }
}

void OwnedRows::find_bodies(const Share& share) {
  std::vector<int> parent = separate_classes(static_cast<int>(pattern_.free_index().size()));
  const auto& vertex_of = pattern_.free_vertices();
  for (int n = 0; n < pattern_.nodes(); ++n) {
    for (int e = pattern_.graph_start()[n]; e < pattern_.graph_start()[n + 1]; ++e) {
      join(parent, vertex_of[n], vertex_of[pattern_.graph()[e]]);
    }
  }
  const std::vector<std::int64_t> class_of = classes_of(parent, &share);
  std::vector<std::int64_t> of_clusters;
  for (int a = 0; a < own_clusters_; ++a) {
    of_clusters.push_back(class_of[static_cast<std::size_t>(vertex(clusters_.start[a]))]);
  }
  const std::vector<std::int64_t> all = unite(of_clusters, &share);
  bodies_.count = static_cast<int>(all.size());
  for (const std::int64_t one : of_clusters) bodies_.of.push_back(index_of(one, all));
}

}  // namespace lilyan::distributed
