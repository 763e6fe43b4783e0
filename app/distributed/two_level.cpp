#include "app/distributed/two_level.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "lilyan/solve/pcg.hpp"

namespace lilyan::distributed {
namespace {

constexpr int kModes = 6;
// As in solve/pcg.cpp.
constexpr int kClusters = 24;
constexpr int kSmallestCluster = 40;
constexpr int kLargestCluster = 200;
// Every process factorises the clusters' matrix, so there must not be more of them however large the body is.
constexpr int kMostClusters = 1000;
// As in solve/coarse_space.cpp.
constexpr double kNoRotation = 1e-6;
constexpr double kCoincide = 1e-12;

using Mat6 = Eigen::Matrix<double, 6, 6>;

// The graph of this process's rows among themselves.
LowerPattern own_graph(const OwnedRows& rows) {
  std::vector<int> start{0};
  std::vector<int> graph;
  for (int row = 0; row < rows.rows(); ++row) {
    for (int k = rows.begin(row); k < rows.begin(row + 1); ++k) {
      const int other = rows.own_column(k);
      if (other >= 0 && other != row) graph.push_back(other);
    }
    start.push_back(static_cast<int>(graph.size()));
  }
  return {3, std::move(start), std::move(graph)};
}

}  // namespace

TwoLevel::TwoLevel(const OwnedRows& rows, const Share& share, const MpiDistribution& ranks,
                   int vertices)
    : rows_(rows),
      share_(share),
      ranks_(ranks),
      inverse_(9 * static_cast<std::size_t>(rows.rows())) {
  const long usual =
      std::clamp<long>(rows.all_rows() / kClusters, kSmallestCluster, kLargestCluster);
  const auto size = static_cast<int>(std::max(usual, rows.all_rows() / kMostClusters));
  if (rows.rows() > 0) aggregates_ = aggregate(own_graph(rows), size);
  if (aggregates_.start.empty()) aggregates_.start = {0};
  const double own = aggregates_.count();
  const std::vector<double> counts = ranks.gather({&own, 1});
  for (std::size_t r = 0; r < counts.size(); ++r) {
    const int count = static_cast<int>(counts[r]);
    if (static_cast<int>(r) < ranks.rank()) first_cluster_ += count;
    starts_.push_back(kModes * all_clusters_);
    counts_.push_back(kModes * count);
    all_clusters_ += count;
  }
  std::vector<double> cluster(static_cast<std::size_t>(vertices), -1.0);
  for (int a = 0; a < aggregates_.count(); ++a) {
    for (int at = aggregates_.start[a]; at < aggregates_.start[a + 1]; ++at) {
      cluster[static_cast<std::size_t>(rows.vertex(aggregates_.node[at]))] = first_cluster_ + a;
    }
  }
  share.refresh(cluster.data(), 1);
  cluster_of_.assign(cluster.begin(), cluster.end());

  // Blocks of the clusters' matrix that this process sums up: of its clusters with those before them.
  std::map<std::array<int, 2>, int> found;
  std::vector<std::pair<int, int>> near_row;  // slot, block
  for (int row = 0; row < rows.rows(); ++row) {
    const int a = cluster_of_[static_cast<std::size_t>(rows.vertex(row))];
    near_row.clear();
    for (int k = rows.begin(row); k < rows.begin(row + 1); ++k) {
      const int b = cluster_of_[static_cast<std::size_t>(rows.column_vertex(k))];
      if (b > a) continue;
      const auto [slot, fresh] = found.try_emplace({a, b}, static_cast<int>(slots_.size()));
      if (fresh) slots_.push_back({a, b});
      near_row.emplace_back(slot->second, k);
    }
    std::ranges::sort(near_row);
    for (const auto& [slot, k] : near_row) {
      const auto at = static_cast<int>(grouped_.size());
      const bool first = static_cast<int>(groups_.size()) == group_start_.back();
      if (first || groups_.back().slot != slot) groups_.push_back({slot, at, at});
      grouped_.push_back(k);
      ++groups_.back().end;
    }
    group_start_.push_back(static_cast<int>(groups_.size()));
  }
  std::vector<double> pairs;
  for (const auto& [a, b] : slots_) pairs.insert(pairs.end(), {double(a), double(b)});
  const std::vector<double> all = ranks.gather(pairs);
  std::vector<std::vector<int>> near(static_cast<std::size_t>(all_clusters_));
  for (std::size_t k = 0; k < all.size(); k += 2) {
    const int a = static_cast<int>(all[k]);
    const int b = static_cast<int>(all[k + 1]);
    all_slots_.push_back({a, b});
    if (a == b) continue;
    near[static_cast<std::size_t>(a)].push_back(b);
    near[static_cast<std::size_t>(b)].push_back(a);
  }
  std::vector<int> start{0};
  std::vector<int> graph;
  for (std::vector<int>& list : near) {
    std::ranges::sort(list);
    graph.insert(graph.end(), list.begin(), std::unique(list.begin(), list.end()));
    start.push_back(static_cast<int>(graph.size()));
  }
  pattern_ = std::make_unique<LowerPattern>(kModes, std::move(start), std::move(graph));
  coarse_values_.resize(static_cast<std::size_t>(pattern_->entries()));
  coarse_ = make_cholesky(*pattern_);
  arms_.resize(3 * static_cast<std::size_t>(vertices));
  rotation_.resize(static_cast<std::size_t>(all_clusters_));
  own_.setZero(kModes * aggregates_.count());
  right_.setZero(pattern_->dofs());
  solution_.setZero(pattern_->dofs());
}

bool TwoLevel::prepare(std::span<const double> values, const Vector& x, const Vector& mass,
                       bool renew) {
  bool good = true;
  for (int row = 0; row < rows_.rows(); ++row) {
    const Mat3d block = rows_.block(rows_.diagonal(row), values);
    const double least = kLeastOfVertex * mass[3 * rows_.vertex(row)];
    good =
        invert_block(block, least, Eigen::Map<Mat3d>(inverse_.data() + 9 * std::ptrdiff_t{row})) &&
        good;
  }
  if (ranks_.any(!good)) return false;
  if (!renew) return true;
  find_modes(x);
  return build(values);
}

// As CoarseSpace::find_modes.
void TwoLevel::find_modes(const Vector& x) {
  std::vector<double> axes_here(9 * static_cast<std::size_t>(aggregates_.count()));
  for (int a = 0; a < aggregates_.count(); ++a) {
    const int begin = aggregates_.start[a];
    const int end = aggregates_.start[a + 1];
    const auto vertex = [&](int at) { return rows_.vertex(aggregates_.node[at]); };
    Vec3 centre = Vec3::Zero();
    for (int at = begin; at < end; ++at) centre += x.segment<3>(3 * vertex(at));
    centre /= end - begin;
    Mat3d inertia = Mat3d::Zero();
    for (int at = begin; at < end; ++at) {
      const Vec3 r = x.segment<3>(3 * vertex(at)) - centre;
      Eigen::Map<Vec3>(arms_.data() + 3 * std::ptrdiff_t{vertex(at)}) = r;
      inertia += r.squaredNorm() * Mat3d::Identity() - r * r.transpose();
    }
    Eigen::SelfAdjointEigenSolver<Mat3d> axes;
    axes.computeDirect(inertia / (end - begin));
    Eigen::Map<Mat3d> rotation(axes_here.data() + 9 * std::ptrdiff_t{a});
    rotation.setZero();
    const Vec3& square = axes.eigenvalues();
    for (int k = 0; k < 3; ++k) {
      if (square[k] > kNoRotation * square[2] &&
          square[k] > kCoincide * kCoincide * centre.squaredNorm()) {
        rotation.col(k) = axes.eigenvectors().col(k) / std::sqrt(square[k]);
      }
    }
  }
  share_.refresh(arms_.data(), 3);
  const std::vector<double> all = ranks_.gather(axes_here);
  for (std::size_t a = 0; a < rotation_.size(); ++a) {
    rotation_[a] = Eigen::Map<const Mat3d>(all.data() + 9 * a);
  }
}

bool TwoLevel::build(std::span<const double> values) {
  std::vector<double> sums(36 * slots_.size(), 0.0);
  const auto arm = [&](int vertex) {
    return Vec3(Eigen::Map<const Vec3>(arms_.data() + 3 * std::ptrdiff_t{vertex}));
  };
  for (int row = 0; row < rows_.rows(); ++row) {
    const Vec3 r = arm(rows_.vertex(row));
    for (int at = group_start_[static_cast<std::size_t>(row)];
         at < group_start_[static_cast<std::size_t>(row) + 1]; ++at) {
      const auto& [slot, begin, end] = groups_[static_cast<std::size_t>(at)];
      // A rotation w moves a vertex by w × q: the rows of A(−[q]) are q × (rows of A).
      Mat3d force = Mat3d::Zero();
      Mat3d torque = Mat3d::Zero();
      for (int k = begin; k < end; ++k) {
        const int block = grouped_[static_cast<std::size_t>(k)];
        const Mat3d A = rows_.block(block, values);
        const Vec3 q = arm(rows_.column_vertex(block));
        force += A;
        for (int e = 0; e < 3; ++e) torque.row(e) += q.cross(Vec3(A.row(e)));
      }
      Eigen::Map<Mat6> sum(sums.data() + 36 * std::ptrdiff_t{slot});
      sum.topLeftCorner<3, 3>() += force;
      sum.topRightCorner<3, 3>() += torque;
      for (int e = 0; e < 3; ++e) {
        sum.bottomLeftCorner<3, 3>().col(e) += r.cross(Vec3(force.col(e)));
        sum.bottomRightCorner<3, 3>().col(e) += r.cross(Vec3(torque.col(e)));
      }
    }
  }
  const std::vector<double> all = ranks_.gather(sums);
  for (std::size_t k = 0; k < all_slots_.size(); ++k) {
    const auto [a, b] = all_slots_[k];
    const Mat3d& left = rotation_[static_cast<std::size_t>(a)];
    const Mat3d& right = rotation_[static_cast<std::size_t>(b)];
    Mat6 block = Eigen::Map<const Mat6>(all.data() + 36 * k);
    block.rightCols<3>() = (block.rightCols<3>() * right).eval();
    block.bottomRows<3>() = (left.transpose() * block.bottomRows<3>()).eval();
    for (int m = 0; m < 3 && a == b; ++m) {
      if (left.col(m).isZero(0)) block(3 + m, 3 + m) = 1;
    }
    double* target = coarse_values_.data() + pattern_->block_position(a, b);
    const int length = pattern_->column_length(b);
    for (int c = 0; c < kModes; ++c) {
      for (int r = a == b ? c : 0; r < kModes; ++r) {
        target[lower_offset(r, c, length)] = block(r, c);
      }
    }
  }
  return coarse_->factorise(coarse_values_);
}

void TwoLevel::apply(const double* r, double* z) {
  for (int a = 0; a < aggregates_.count(); ++a) {
    Vec3 force = Vec3::Zero();
    Vec3 torque = Vec3::Zero();
    for (int at = aggregates_.start[a]; at < aggregates_.start[a + 1]; ++at) {
      const int row = aggregates_.node[at];
      const Vec3 f = Eigen::Map<const Vec3>(r + 3 * std::ptrdiff_t{row});
      force += f;
      torque += Vec3(Eigen::Map<const Vec3>(arms_.data() + 3 * std::ptrdiff_t{rows_.vertex(row)}))
                    .cross(f);
    }
    own_.segment<3>(kModes * a) = force;
    own_.segment<3>(kModes * a + 3) =
        rotation_[static_cast<std::size_t>(first_cluster_ + a)].transpose() * torque;
  }
  MPI_Allgatherv(own_.data(), static_cast<int>(own_.size()), MPI_DOUBLE, right_.data(),
                 counts_.data(), starts_.data(), MPI_DOUBLE, ranks_.communicator());
  coarse_->solve(right_, solution_);
  for (int a = 0; a < aggregates_.count(); ++a) {
    const int cluster = first_cluster_ + a;
    const Vec3 translation = solution_.segment<3>(kModes * cluster);
    const Vec3 rotation =
        rotation_[static_cast<std::size_t>(cluster)] * solution_.segment<3>(kModes * cluster + 3);
    for (int at = aggregates_.start[a]; at < aggregates_.start[a + 1]; ++at) {
      const int row = aggregates_.node[at];
      const Vec3 f = Eigen::Map<const Vec3>(r + 3 * std::ptrdiff_t{row});
      const Vec3 arm = Eigen::Map<const Vec3>(arms_.data() + 3 * std::ptrdiff_t{rows_.vertex(row)});
      Eigen::Map<Vec3>(z + 3 * std::ptrdiff_t{row}) =
          Eigen::Map<const Mat3d>(inverse_.data() + 9 * std::ptrdiff_t{row}) * f + translation +
          rotation.cross(arm);
    }
  }
}

}  // namespace lilyan::distributed
