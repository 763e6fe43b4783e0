#include "app/distributed/cluster_solver.hpp"

#include <petscpc.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

namespace lilyan::distributed {
namespace {

constexpr int kModes = 6;
constexpr std::size_t kBlock = std::size_t{kModes} * kModes;

using Mat6 = ClusterSolver::Mat6;

Eigen::Map<const Mat6> block(std::span<const double> blocks, std::size_t k) {
  return Eigen::Map<const Mat6>(blocks.data() + kBlock * k);
}

struct Events {
  PetscLogEvent sum = 0, solve = 0;
  Events() {
    check(PetscLogEventRegister("ClustersGather", PC_CLASSID, &sum));
    check(PetscLogEventRegister("ClustersSolve", PC_CLASSID, &solve));
  }
};

// Every process has all of the matrix.
class Everywhere final : public ClusterSolver {
 public:
  Everywhere(const OwnedRows& rows, const MpiDistribution& ranks)
      : rows_(rows), ranks_(ranks), pairs_(gather_pairs()), factor_(graph()) {
    int start = 0;
    for (const int count : rows.clusters_of_ranks()) {
      starts_.push_back(start);
      counts_.push_back(kModes * count + 1);
      start += counts_.back();
    }
    own_.setZero(std::ptrdiff_t{kModes} * rows.own_clusters() + 1);
    all_.setZero(start);
    right_.setZero(factor_.graph().dofs());
    solution_.setZero(factor_.graph().dofs());
  }

  bool renew(const RigidClusters& /*clusters*/, std::span<const double> blocks) override {
    const std::size_t pairs = kBlock * rows_.cluster_pairs().size();
    std::vector<double> all = ranks_.gather(blocks.first(pairs));
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      factor_.set(pairs_[k].a, pairs_[k].b, block(all, k));
    }
    all = ranks_.gather(blocks.subspan(pairs));
    for (int a = 0; a < factor_.graph().nodes(); ++a) {
      factor_.set(a, a, block(all, static_cast<std::size_t>(a)));
    }
    return factor_.factorise();
  }

  double solve(const double* right, double beside, double* solution) override {
    const std::ptrdiff_t own = own_.size() - 1;
    std::copy_n(right, own, own_.data());
    own_[own] = beside;
    {
      const Logged logged(events_.sum);
      MPI_Allgatherv(own_.data(), static_cast<int>(own_.size()), MPI_DOUBLE, all_.data(),
                     counts_.data(), starts_.data(), MPI_DOUBLE, ranks_.communicator());
    }
    const Logged logged(events_.solve);
    double product = 0;
    for (std::size_t rank = 0, to = 0; rank < counts_.size(); ++rank) {
      const std::ptrdiff_t coarse = counts_[rank] - 1;
      right_.segment(static_cast<std::ptrdiff_t>(to), coarse) = all_.segment(starts_[rank], coarse);
      product += all_[starts_[rank] + coarse];
      to += static_cast<std::size_t>(coarse);
    }
    factor_.solve(right_, solution_);
    std::copy_n(solution_.data() + std::ptrdiff_t{kModes} * rows_.first_cluster(), own, solution);
    return product + right_.dot(solution_);
  }

  [[nodiscard]] std::string name() const override { return "two levels"; }

 private:
  // The pairs of clusters of all processes, by their numbers.
  [[nodiscard]] std::vector<OwnedRows::Pair> gather_pairs() const {
    std::vector<double> pairs;
    for (const auto& [a, b] : rows_.cluster_pairs()) {
      pairs.insert(pairs.end(), {double(rows_.cluster_number(a)), double(rows_.cluster_number(b))});
    }
    std::vector<OwnedRows::Pair> all;
    const std::vector<double> numbers = ranks_.gather(pairs);
    for (std::size_t k = 0; k < numbers.size(); k += 2) {
      all.push_back({static_cast<int>(numbers[k]), static_cast<int>(numbers[k + 1])});
    }
    return all;
  }
  // Which clusters are neighbours, of all processes.
  [[nodiscard]] LowerPattern graph() const {
    const std::vector<int>& counts = rows_.clusters_of_ranks();
    std::vector<std::vector<int>> near(
        std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
    for (const auto& [a, b] : pairs_) {
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

  const OwnedRows& rows_;
  const MpiDistribution& ranks_;
  std::vector<OwnedRows::Pair> pairs_;
  CoarseFactor factor_;
  std::vector<int> counts_, starts_;  // of the numbers that each process sends
  Vector own_, all_, right_, solution_;
  Events events_;
};

// Each process has the rows of its clusters, and one of PETSc's preconditioners takes the place of the inverse.
class Shared final : public ClusterSolver {
 public:
  Shared(const OwnedRows& rows, const MpiDistribution& ranks) : rows_(rows), ranks_(ranks) {
    const PetscInt own = kModes * rows.own_clusters();
    check(MatCreate(ranks.communicator(), &matrix_));
    check(MatSetSizes(matrix_, own, own, PETSC_DETERMINE, PETSC_DETERMINE));
    check(MatSetBlockSize(matrix_, kModes));
    check(MatSetType(matrix_, MATAIJ));
    check(MatXAIJSetPreallocation(matrix_, kModes, rows.neighbours_here().data(),
                                  rows.neighbours_elsewhere().data(), nullptr, nullptr));
    check(MatSetOption(matrix_, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_TRUE));
    check(MatSetOption(matrix_, MAT_SYMMETRIC, PETSC_TRUE));
    check(MatSetOption(matrix_, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
    check(MatCreateVecs(matrix_, &solution_, &right_));
    check(PCCreate(ranks.communicator(), &inverse_));
    check(PCSetOptionsPrefix(inverse_, "clusters_"));
    check(PCSetType(inverse_, PCGAMG));
    check(PCSetFromOptions(inverse_));
    check(PCSetOperators(inverse_, matrix_, matrix_));
  }
  ~Shared() override {
    PCDestroy(&inverse_);
    VecDestroy(&right_);
    VecDestroy(&solution_);
    MatDestroy(&matrix_);
  }

  bool renew(const RigidClusters& clusters, std::span<const double> blocks) override {
    // PETSc takes blocks by rows.
    const auto set = [&](PetscInt a, PetscInt b, const Mat6& value) {
      const Mat6 by_rows = value.transpose();
      check(MatSetValuesBlocked(matrix_, 1, &a, 1, &b, by_rows.data(), INSERT_VALUES));
    };
    std::size_t k = 0;
    for (const auto& [a, b] : rows_.cluster_pairs()) {
      const Mat6 value = block(blocks, k++);
      set(rows_.cluster_number(a), rows_.cluster_number(b), value);
      set(rows_.cluster_number(b), rows_.cluster_number(a), value.transpose());
    }
    for (int a = 0; a < rows_.own_clusters(); ++a) {
      set(rows_.cluster_number(a), rows_.cluster_number(a), block(blocks, k++));
    }
    check(MatAssemblyBegin(matrix_, MAT_FINAL_ASSEMBLY));
    check(MatAssemblyEnd(matrix_, MAT_FINAL_ASSEMBLY));
    describe_rigid_motions(clusters);
    check(PCSetUp(inverse_));
    return true;
  }

  double solve(const double* right, double beside, double* solution) override {
    const std::ptrdiff_t own = std::ptrdiff_t{kModes} * rows_.own_clusters();
    double product = beside;
    {
      const Logged logged(events_.solve);
      double* to = nullptr;
      check(VecGetArrayWrite(right_, &to));
      std::copy_n(right, own, to);
      check(VecRestoreArrayWrite(right_, &to));
      check(PCApply(inverse_, right_, solution_));
      const double* from = nullptr;
      check(VecGetArrayRead(solution_, &from));
      std::copy_n(from, own, solution);
      check(VecRestoreArrayRead(solution_, &from));
      product += Eigen::Map<const Vector>(right, own).dot(Eigen::Map<const Vector>(solution, own));
    }
    const Logged logged(events_.sum);
    return ranks_.sum(product);
  }

  [[nodiscard]] std::string name() const override {
    PCType type = nullptr;
    check(PCGetType(inverse_, &type));
    return std::string("two levels and ") + type;
  }

 private:
  // What multigrid is to reproduce on its coarser levels: shifts and turns of everything, as motions of the clusters.
  void describe_rigid_motions(const RigidClusters& clusters) {
    std::array<Vec, kModes> motions{};
    for (int mode = 0; mode < kModes; ++mode) {
      Vec& motion = motions[static_cast<std::size_t>(mode)];
      check(VecDuplicate(right_, &motion));
      double* to = nullptr;
      check(VecGetArrayWrite(motion, &to));
      const Vec3 axis = Vec3::Unit(mode % 3);
      for (int a = 0; a < rows_.own_clusters(); ++a, to += kModes) {
        Eigen::Map<Vec3> shift(to), turn(to + 3);
        shift = mode < 3 ? axis : Vec3(axis.cross(clusters.centre(a)));
        turn.setZero();
        if (mode < 3) continue;
        for (int k = 0; k < 3; ++k) {
          const Vec3 column = clusters.rotation(a).col(k);
          if (!column.isZero(0)) turn[k] = column.dot(axis) / column.squaredNorm();
        }
      }
      to -= std::ptrdiff_t{kModes} * rows_.own_clusters();
      check(VecRestoreArrayWrite(motion, &to));
      for (int before = 0; before < mode; ++before) {
        double along = 0;
        check(VecDot(motion, motions[static_cast<std::size_t>(before)], &along));
        check(VecAXPY(motion, -along, motions[static_cast<std::size_t>(before)]));
      }
      check(VecNormalize(motion, nullptr));
    }
    MatNullSpace space = nullptr;
    check(MatNullSpaceCreate(ranks_.communicator(), PETSC_FALSE, kModes, motions.data(), &space));
    check(MatSetNearNullSpace(matrix_, space));
    check(MatNullSpaceDestroy(&space));
    for (Vec& motion : motions) check(VecDestroy(&motion));
  }

  const OwnedRows& rows_;
  const MpiDistribution& ranks_;
  Mat matrix_ = nullptr;
  PC inverse_ = nullptr;
  Vec right_ = nullptr, solution_ = nullptr;
  Events events_;
};

}  // namespace

std::unique_ptr<ClusterSolver> make_cluster_solver(const OwnedRows& rows,
                                                   const MpiDistribution& ranks) {
  PetscBool asked = PETSC_FALSE;
  check(PetscOptionsHasName(nullptr, nullptr, "-clusters_pc_type", &asked));
  const std::vector<int>& counts = rows.clusters_of_ranks();
  const long all = std::accumulate(counts.begin(), counts.end(), 0L);
  if (asked || all > kMostClusters) {
    return std::make_unique<Shared>(rows, ranks);
  }
  return std::make_unique<Everywhere>(rows, ranks);
}

}  // namespace lilyan::distributed
