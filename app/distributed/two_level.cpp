#include "app/distributed/two_level.hpp"

#include <petscpc.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "lilyan/core/threads.hpp"
#include "lilyan/solve/pcg.hpp"

namespace lilyan::distributed {
namespace {

constexpr int kModes = 6;
constexpr std::size_t kMotion = 3 + 9;  // numbers of a cluster's centre and axes
constexpr std::size_t kBlock = 36;

using Mat3 = Eigen::Matrix3d;
using Mat6 = RigidClusters::Mat6;

// Pairs of neighbouring clusters of all processes, process by process.
std::vector<OwnedRows::Pair> gather_pairs(const OwnedRows& rows, const MpiDistribution& ranks) {
  std::vector<double> pairs;
  for (const auto& [a, b] : rows.cluster_pairs()) {
    pairs.insert(pairs.end(), {double(rows.cluster_number(a)), double(rows.cluster_number(b))});
  }
  std::vector<OwnedRows::Pair> all;
  const std::vector<double> numbers = ranks.gather(pairs);
  for (std::size_t k = 0; k < numbers.size(); k += 2) {
    all.push_back({static_cast<int>(numbers[k]), static_cast<int>(numbers[k + 1])});
  }
  return all;
}

}  // namespace

LowerPattern cluster_graph(const OwnedRows& rows, const MpiDistribution& ranks) {
  const std::vector<int>& counts = rows.clusters_of_ranks();
  std::vector<std::vector<int>> near(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
  for (const auto& [a, b] : gather_pairs(rows, ranks)) {
    near[a].push_back(b);
    near[b].push_back(a);
  }
  std::vector<int> start{0};
  std::vector<int> graph;
  for (std::vector<int>& list : near) {
    std::ranges::sort(list);
    graph.insert(graph.end(), list.begin(), list.end());
    start.push_back(static_cast<int>(graph.size()));
  }
  return {kModes, std::move(start), std::move(graph)};
}

TwoLevel::TwoLevel(const OwnedRows& rows, const SharedMatrix& matrix, const LowerPattern& graph,
                   const MpiDistribution& ranks)
    : rows_(rows),
      matrix_(matrix.here()),
      ranks_(ranks),
      clusters_(matrix_, rows.clusters()),
      factor_(graph),
      all_pairs_(gather_pairs(rows, ranks)),
      inverse_(9 * static_cast<std::size_t>(rows.rows())),
      motions_(kMotion * static_cast<std::size_t>(rows.own_clusters())),
      blocks_(kBlock * (rows.cluster_pairs().size() + motions_.size() / kMotion)),
      bad_(matrix_.chunks().size()),
      partial_(matrix_.chunks().size()) {
  check(PetscLogEventRegister("ClustersGather", PC_CLASSID, &gathering_));
  check(PetscLogEventRegister("ClustersSolve", PC_CLASSID, &solving_));
  int start = 0;
  for (const int count : rows.clusters_of_ranks()) {
    starts_.push_back(start);
    counts_.push_back(kModes * count + 1);
    start += counts_.back();
  }
  own_.setZero(std::ptrdiff_t{kModes} * rows.own_clusters() + 1);
  all_.setZero(start);
  right_.setZero(graph.dofs());
  solution_.setZero(graph.dofs());
}

bool TwoLevel::prepare(const double* positions, const double* mass, bool renew) {
  if (ranks_.any(!invert_diagonal(mass))) return false;
  if (!renew) return true;
  place(positions);
  return build();
}

bool TwoLevel::invert_diagonal(const double* mass) {
  const auto chunks = matrix_.chunks();
  parallel_for(static_cast<int>(chunks.size()) - 1, [&](int chunk) {
    bad_[chunk] = 0;
    for (int i = clusters_.start(chunks[chunk]); i < clusters_.start(chunks[chunk + 1]); ++i) {
      const double least = kLeastOfVertex * mass[i];
      if (!invert_block(Eigen::Map<const Mat3>(matrix_.diagonal(i)), least,
                        Eigen::Map<Mat3>(inverse_.data() + 9 * std::ptrdiff_t{i}))) {
        bad_[chunk] = 1;
      }
    }
  });
  return std::ranges::none_of(bad_, [](char bad) { return bad != 0; });
}

// The motions of clusters whose vertices are copies here come from where their own clusters are.
void TwoLevel::place(const double* positions) {
  clusters_.place(positions);
  for (int a = 0; a < rows_.own_clusters(); ++a) {
    double* to = motions_.data() + kMotion * static_cast<std::size_t>(a);
    Eigen::Map<Vec3>{to} = clusters_.centre(a);
    Eigen::Map<Mat3>(to + 3) = clusters_.rotation(a);
  }
  const std::vector<double> all = ranks_.gather(motions_);
  for (int b = rows_.own_clusters(); b < rows_.clusters().count(); ++b) {
    const double* from = all.data() + kMotion * static_cast<std::size_t>(rows_.cluster_number(b));
    clusters_.set(b, Eigen::Map<const Vec3>(from), Eigen::Map<const Mat3>(from + 3), positions);
  }
}

bool TwoLevel::build() {
  const auto& pairs = rows_.cluster_pairs();
  const int count = static_cast<int>(pairs.size());
  const auto block = [&](std::vector<double>& blocks, std::size_t k) {
    return Eigen::Map<Mat6>(blocks.data() + kBlock * k);
  };
  parallel_for(count + rows_.own_clusters(), [&](int k) {
    const auto [a, b] = k < count ? pairs[k] : OwnedRows::Pair{k - count, k - count};
    block(blocks_, k) = clusters_.block(a, b);
  });
  std::vector<double> all =
      ranks_.gather({blocks_.data(), kBlock * static_cast<std::size_t>(count)});
  for (std::size_t k = 0; k < all_pairs_.size(); ++k) {
    factor_.set(all_pairs_[k].a, all_pairs_[k].b, block(all, k));
  }
  all = ranks_.gather(std::span(blocks_).subspan(kBlock * static_cast<std::size_t>(count)));
  for (int a = 0; a < factor_.graph().nodes(); ++a) factor_.set(a, a, block(all, a));
  return factor_.factorise();
}

void TwoLevel::apply(const double* r, double* z) {
  const auto chunks = matrix_.chunks();
  const int count = static_cast<int>(chunks.size()) - 1;
  parallel_for(count, [&](int chunk) {
    double product = 0;
    for (int i = clusters_.start(chunks[chunk]); i < clusters_.start(chunks[chunk + 1]); ++i) {
      const std::ptrdiff_t k = 3 * std::ptrdiff_t{i};
      const Vec3 here = Eigen::Map<const Vec3>(r + k);
      const Vec3 solved = Eigen::Map<const Mat3>(inverse_.data() + 3 * k) * here;
      Eigen::Map<Vec3>(z + k) = solved;
      product += here.dot(solved);
    }
    partial_[chunk] = product;
    clusters_.restrict(chunk, r, own_.data());
  });
  own_[own_.size() - 1] = std::accumulate(partial_.begin(), partial_.begin() + count, 0.0);
  {
    const Logged logged(gathering_);
    MPI_Allgatherv(own_.data(), static_cast<int>(own_.size()), MPI_DOUBLE, all_.data(),
                   counts_.data(), starts_.data(), MPI_DOUBLE, ranks_.communicator());
  }
  product_ = 0;
  for (std::size_t rank = 0, to = 0; rank < counts_.size(); ++rank) {
    const std::ptrdiff_t coarse = counts_[rank] - 1;
    right_.segment(static_cast<std::ptrdiff_t>(to), coarse) = all_.segment(starts_[rank], coarse);
    product_ += all_[starts_[rank] + coarse];
    to += static_cast<std::size_t>(coarse);
  }
  {
    const Logged logged(solving_);
    factor_.solve(right_, solution_);
  }
  product_ += right_.dot(solution_);
  const double* mine = solution_.data() + std::ptrdiff_t{kModes} * rows_.first_cluster();
  parallel_for(count, [&](int chunk) {
    for (int a = chunks[chunk]; a < chunks[chunk + 1]; ++a) {
      const auto [translation, rotation] = clusters_.motion(a, mine);
      for (int i = clusters_.start(a); i < clusters_.start(a + 1); ++i) {
        Eigen::Map<Vec3>(z + 3 * std::ptrdiff_t{i}) +=
            translation + rotation.cross(Vec3(Eigen::Map<const Vec3>(clusters_.arm(i))));
      }
    }
  });
}

}  // namespace lilyan::distributed
