// The rows of a shared Hessian that a process owns, and their order.
//
// A process assembles the lower triangle over its own vertices and the copies of others' beside them. Rows of
// its own vertices are complete there; what stands in those of copies is not used.
//
// Places are those of Aggregates: first this process's free vertices, by clusters, then copies, by the clusters that they
// are in elsewhere. A cluster's vertices all belong to one process.
#pragma once

#include <vector>

#include "app/distributed/mpi_distribution.hpp"
#include "lilyan/assemble/pattern.hpp"
#include "lilyan/parallel/share.hpp"
#include "lilyan/solve/block_matrix.hpp"
#include "lilyan/solve/rigid_correction.hpp"

namespace lilyan::distributed {

class OwnedRows {
 public:
  // The pattern must outlive this.
  OwnedRows(const BlockPattern& pattern, const Share& share, const MpiDistribution& ranks);

  [[nodiscard]] const BlockPattern& pattern() const { return pattern_; }
  [[nodiscard]] int rows() const { return rows_; }
  [[nodiscard]] long all_rows() const { return all_rows_; }  // of all processes
  [[nodiscard]] int places() const { return static_cast<int>(clusters_.node.size()); }
  [[nodiscard]] int node(int place) const { return clusters_.node[place]; }
  [[nodiscard]] int vertex(int place) const { return pattern_.free_vertices()[node(place)]; }
  // The row that a place is among those of all processes; here they are consecutive.
  [[nodiscard]] int number(int place) const { return number_[place]; }

  // Clusters of this process, and after them those of its copies.
  [[nodiscard]] const Aggregates& clusters() const { return clusters_; }
  [[nodiscard]] int own_clusters() const { return own_clusters_; }
  // Of each of these, its number among those of all processes; here they are consecutive.
  [[nodiscard]] int cluster_number(int cluster) const { return cluster_number_[cluster]; }
  [[nodiscard]] int first_cluster() const { return first_cluster_; }
  [[nodiscard]] const std::vector<int>& clusters_of_ranks() const { return clusters_of_ranks_; }
  // Pairs of neighbours, the one with the larger number first, which is this process's.
  struct Pair {
    int a, b;
  };
  [[nodiscard]] const std::vector<Pair>& cluster_pairs() const { return pairs_; }
  // How many neighbours each of this process's clusters has here, itself among them, and in others.
  [[nodiscard]] const std::vector<int>& neighbours_here() const { return neighbours_here_; }
  [[nodiscard]] const std::vector<int>& neighbours_elsewhere() const {
    return neighbours_elsewhere_;
  }
  // The bodies of all processes, and which of them each cluster of this process belongs to.
  [[nodiscard]] const BodiesOfClusters& bodies() const { return bodies_; }

 private:
  void make_clusters(const Share& share, const MpiDistribution& ranks);
  void add_copies(const Share& share);
  void find_pairs();
  void find_bodies(const Share& share);

  const BlockPattern& pattern_;
  Aggregates clusters_;
  std::vector<int> number_;
  std::vector<int> cluster_number_;
  std::vector<int> clusters_of_ranks_;
  std::vector<Pair> pairs_;
  std::vector<int> neighbours_here_, neighbours_elsewhere_;
  BodiesOfClusters bodies_;
  int rows_ = 0;
  long first_ = 0;
  long all_rows_ = 0;
  int own_clusters_ = 0;
  int first_cluster_ = 0;
};

}  // namespace lilyan::distributed
