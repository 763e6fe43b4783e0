#include "app/distributed/two_level.hpp"

#include <algorithm>
#include <numeric>

#include "lilyan/parallel/threads.hpp"
#include "lilyan/solve/pcg.hpp"

namespace lilyan::distributed {
namespace {

constexpr int kModes = 6;
constexpr int kMotion = 3 + 9;  // numbers of a cluster's centre and axes
constexpr std::ptrdiff_t kBlock = 36;

using Mat3 = Eigen::Matrix3d;
using Mat6 = RigidClusters::Mat6;

}  // namespace

TwoLevel::TwoLevel(const OwnedRows& rows, const SharedMatrix& matrix, const MpiDistribution& ranks)
    : rows_(rows),
      matrix_(matrix.here()),
      ranks_(ranks),
      clusters_(matrix_, rows.clusters()),
      solver_(make_cluster_solver(rows, ranks)),
      inverse_(9 * static_cast<std::size_t>(rows.rows())),
      blocks_(kBlock *
              (rows.cluster_pairs().size() + static_cast<std::size_t>(rows.own_clusters()))),
      bad_(matrix_.chunks().size()),
      partial_(matrix_.chunks().size()),
      right_(Vector::Zero(std::ptrdiff_t{kModes} * rows.own_clusters())),
      solution_(right_) {
  std::vector<PetscInt> copies;
  for (int b = rows.own_clusters(); b < rows.clusters().count(); ++b) {
    copies.push_back(rows.cluster_number(b));
  }
  check(VecCreateGhostBlock(ranks.communicator(), kMotion, kMotion * rows.own_clusters(),
                            PETSC_DECIDE, static_cast<PetscInt>(copies.size()), copies.data(),
                            &motions_));
}

TwoLevel::~TwoLevel() { VecDestroy(&motions_); }

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
  Vec here = nullptr;
  double* numbers = nullptr;
  check(VecGhostGetLocalForm(motions_, &here));
  check(VecGetArray(here, &numbers));
  for (int a = 0; a < rows_.own_clusters(); ++a) {
    double* to = numbers + std::ptrdiff_t{kMotion} * a;
    Eigen::Map<Vec3>{to} = clusters_.centre(a);
    Eigen::Map<Mat3>(to + 3) = clusters_.rotation(a);
  }
  check(VecRestoreArray(here, &numbers));
  check(VecGhostUpdateBegin(motions_, INSERT_VALUES, SCATTER_FORWARD));
  check(VecGhostUpdateEnd(motions_, INSERT_VALUES, SCATTER_FORWARD));
  const double* all = nullptr;
  check(VecGetArrayRead(here, &all));
  for (int b = rows_.own_clusters(); b < rows_.clusters().count(); ++b) {
    const double* from = all + std::ptrdiff_t{kMotion} * b;
    clusters_.set(b, Eigen::Map<const Vec3>(from), Eigen::Map<const Mat3>(from + 3), positions);
  }
  check(VecRestoreArrayRead(here, &all));
  check(VecGhostRestoreLocalForm(motions_, &here));
}

bool TwoLevel::build() {
  const auto& pairs = rows_.cluster_pairs();
  const int count = static_cast<int>(pairs.size());
  parallel_for(count + rows_.own_clusters(), [&](int k) {
    const auto [a, b] = k < count ? pairs[k] : OwnedRows::Pair{k - count, k - count};
    Eigen::Map<Mat6>(blocks_.data() + kBlock * k) = clusters_.block(a, b);
  });
  return solver_->renew(clusters_, blocks_);
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
    clusters_.restrict(chunk, r, right_.data());
  });
  const double beside = std::accumulate(partial_.begin(), partial_.begin() + count, 0.0);
  product_ = solver_->solve(right_.data(), beside, solution_.data());
  parallel_for(count, [&](int chunk) {
    for (int a = chunks[chunk]; a < chunks[chunk + 1]; ++a) {
      const auto [translation, rotation] = clusters_.motion(a, solution_.data());
      for (int i = clusters_.start(a); i < clusters_.start(a + 1); ++i) {
        Eigen::Map<Vec3>(z + 3 * std::ptrdiff_t{i}) +=
            translation + rotation.cross(Vec3(Eigen::Map<const Vec3>(clusters_.arm(i))));
      }
    }
  });
}

}  // namespace lilyan::distributed
