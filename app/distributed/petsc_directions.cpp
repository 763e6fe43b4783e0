#include "app/distributed/petsc_directions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "lilyan/core/error.hpp"
#include "lilyan/solve/rigid_correction.hpp"

namespace lilyan::distributed {
namespace {

constexpr int kLongestHold = 512;
constexpr int kMostIterations = 5000;
constexpr int kIterationsBeforeFactor = 1000;
// The clusters' matrix is renewed when a solve takes this many times the iterations it took at first.
constexpr double kOutdated = 1.5;

std::string option(const char* name) {
  std::array<char, 64> text{};
  PetscBool found = PETSC_FALSE;
  check(PetscOptionsGetString(nullptr, nullptr, name, text.data(), text.size(), &found));
  return found ? text.data() : "";
}

PetscErrorCode apply_two_level(PC pc, Vec r, Vec z) {
  void* context = nullptr;
  PetscCall(PCShellGetContext(pc, &context));
  const double* from = nullptr;
  double* to = nullptr;
  PetscCall(VecGetArrayRead(r, &from));
  PetscCall(VecGetArrayWrite(z, &to));
  static_cast<TwoLevel*>(context)->apply(from, to);
  PetscCall(VecRestoreArrayRead(r, &from));
  PetscCall(VecRestoreArrayWrite(z, &to));
  return 0;
}

}  // namespace

PetscDirections::PetscDirections(const BlockPattern& pattern, const System& system,
                                 const MpiDistribution& ranks, std::span<const int> bodies,
                                 LinearChoice choice, Definiteness definiteness)
    : pattern_(pattern),
      system_(system),
      ranks_(ranks),
      body_start_(bodies.begin(), bodies.end()),
      rows_(pattern, *system.share(), ranks),
      choice_(choice),
      definiteness_(definiteness),
      hessian_(static_cast<std::size_t>(pattern.storage())),
      middle_(system.dofs()) {
  if (rows_.all_rows() == 0) throw Error("every vertex of the scene is fixed: nothing can move");
  make_iterative();
  if (choice == LinearChoice::cholesky) make_direct();
  if (choice == LinearChoice::cholesky) last_ = LinearKind::cholesky;
}

PetscDirections::~PetscDirections() {
  KSPDestroy(&iterative_);
  KSPDestroy(&direct_);
  MatDestroy(&matrix_);
  MatDestroy(&factor_matrix_);
  for (Vec* v : {&right_, &solution_, &image_}) VecDestroy(v);
}

void PetscDirections::make_matrix() {
  if (matrix_) return;
  const std::string preconditioner = option("-pc_type");
  const std::string type = option("-mat_type");
  const bool scalar =
      preconditioner == "gamg" || preconditioner == "hypre" || preconditioner == "ml";
  needs_motions_ = scalar;
  std::vector<PetscInt> near(static_cast<std::size_t>(rows_.rows()));
  std::vector<PetscInt> far(near.size());
  for (int row = 0; row < rows_.rows(); ++row) {
    for (int k = rows_.begin(row); k < rows_.begin(row + 1); ++k) {
      ++(rows_.own_column(k) >= 0 ? near : far)[static_cast<std::size_t>(row)];
    }
  }
  check(MatCreate(ranks_.communicator(), &matrix_));
  check(MatSetSizes(matrix_, 3 * rows_.rows(), 3 * rows_.rows(), PETSC_DETERMINE, PETSC_DETERMINE));
  check(MatSetBlockSize(matrix_, 3));
  check(MatSetType(matrix_, !type.empty() ? type.c_str() : scalar ? MATAIJ : MATBAIJ));
  check(MatXAIJSetPreallocation(matrix_, 3, near.data(), far.data(), nullptr, nullptr));
  check(MatSetOption(matrix_, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_TRUE));
  check(MatSetOption(matrix_, MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE));
  check(MatSetOption(matrix_, MAT_SYMMETRIC, PETSC_TRUE));
  check(MatSetOption(matrix_, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
}

void PetscDirections::make_iterative() {
  const std::string preconditioner = option("-pc_type");
  const bool own =
      (preconditioner.empty() || preconditioner == PCSHELL) && option("-mat_type").empty();
  if (own) {
    product_ = std::make_unique<RowProduct>(rows_, ranks_);
  } else {
    make_matrix();
  }
  const Mat operators = own ? product_->matrix() : matrix_;
  check(MatCreateVecs(operators, &solution_, &right_));
  check(VecDuplicate(right_, &image_));
  check(KSPCreate(ranks_.communicator(), &iterative_));
  check(KSPSetOperators(iterative_, operators, operators));
  check(KSPSetType(iterative_, KSPCG));
  // The norm that Newton's accuracies are meant in, and one reduction for all products of an iteration.
  check(KSPSetNormType(iterative_, KSP_NORM_NATURAL));
  check(KSPCGUseSingleReduction(iterative_, PETSC_TRUE));
  PC pc = nullptr;
  check(KSPGetPC(iterative_, &pc));
  check(PCSetType(pc, PCSHELL));
  check(KSPSetFromOptions(iterative_));
  PCType chosen = nullptr;
  KSPType method = nullptr;
  check(PCGetType(pc, &chosen));
  check(KSPGetType(iterative_, &method));
  iterative_name_ = std::string("petsc ") + method + ", ";
  if (std::strcmp(chosen, PCSHELL) != 0) {
    iterative_name_ += chosen;
    return;
  }
  iterative_name_ += "two levels";
  two_level_ = std::make_unique<TwoLevel>(rows_, *system_.share(), ranks_, system_.vertices());
  check(PCShellSetName(pc, "vertices and rigid motions of clusters"));
  check(PCShellSetContext(pc, two_level_.get()));
  check(PCShellSetApply(pc, apply_two_level));
}

void PetscDirections::make_direct() {
  if (direct_) return;
  check(KSPCreate(ranks_.communicator(), &direct_));
  check(KSPSetOptionsPrefix(direct_, "direct_"));
  check(KSPSetType(direct_, KSPPREONLY));
  PC pc = nullptr;
  check(KSPGetPC(direct_, &pc));
  check(PCSetType(pc, PCCHOLESKY));
  check(PCFactorSetMatSolverType(pc, MATSOLVERMUMPS));
  check(KSPSetFromOptions(direct_));
}

void PetscDirections::assemble(Objective& objective, const Vector& d, double projection,
                               NewtonTimes& times) {
  const Timer timer(times.assembly);
  ++times.hessians;
  objective.hessian(d, projection, hessian_);
}

void PetscDirections::fill_matrix() {
  make_matrix();
  std::vector<double>& values = row_values_;
  for (int row = 0; row < rows_.rows(); ++row) {
    const int begin = rows_.begin(row);
    const int blocks = rows_.begin(row + 1) - begin;
    values.resize(9 * static_cast<std::size_t>(blocks));
    for (int k = 0; k < blocks; ++k) {
      const OwnedRows::Mat3 block = rows_.block(begin + k, hessian_);
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
          values[static_cast<std::size_t>((r * blocks + k) * 3 + c)] = block(r, c);
        }
      }
    }
    const auto at = static_cast<PetscInt>(rows_.first() + row);
    check(MatSetValuesBlocked(matrix_, 1, &at, blocks, rows_.columns(begin), values.data(),
                              INSERT_VALUES));
  }
  check(MatAssemblyBegin(matrix_, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(matrix_, MAT_FINAL_ASSEMBLY));
}

void PetscDirections::describe_rigid_motions(const Vector& x) {
  Vec coordinates = nullptr;
  check(VecDuplicate(right_, &coordinates));
  check(VecSetBlockSize(coordinates, 3));
  double* to = nullptr;
  check(VecGetArrayWrite(coordinates, &to));
  for (int row = 0; row < rows_.rows(); ++row) {
    std::copy_n(x.data() + 3 * rows_.vertex(row), 3, to + 3 * row);
  }
  check(VecRestoreArrayWrite(coordinates, &to));
  MatNullSpace motions = nullptr;
  check(MatNullSpaceCreateRigidBody(coordinates, &motions));
  check(MatSetNearNullSpace(matrix_, motions));
  check(MatNullSpaceDestroy(&motions));
  check(VecDestroy(&coordinates));
}

bool PetscDirections::goes_down() const {
  double product = 0;
  check(VecDot(right_, solution_, &product));
  return product > 0 && std::isfinite(product);
}

PetscDirections::End PetscDirections::solve_by_iteration(const Objective& objective,
                                                         const Vector& d, const Request& request,
                                                         SolverWork& work, NewtonTimes& times) {
  const Vector* x = objective.positions();
  middle_ = *x + 0.5 * d;  // where forces act
  {
    const Timer timer(times.factorisation);
    if (product_) {
      product_->assign(hessian_);
    } else {
      fill_matrix();
    }
    if (two_level_ && !two_level_->prepare(hessian_, middle_, *objective.masses(), renew_)) {
      return End::indefinite;
    }
    if (needs_motions_) describe_rigid_motions(middle_);
    check(KSPSetUp(iterative_));
  }
  const Timer timer(times.solve);
  const double accuracy = request.insist > 0 ? 1e-3 * request.accuracy : request.accuracy;
  const int most = choice_ == LinearChoice::automatic ? kIterationsBeforeFactor : kMostIterations;
  check(KSPSetTolerances(iterative_, accuracy, 1e-300, PETSC_DEFAULT, most));
  check(KSPSolve(iterative_, right_, solution_));
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  PetscInt iterations = 0;
  check(KSPGetConvergedReason(iterative_, &reason));
  check(KSPGetIterationNumber(iterative_, &iterations));
  work.linear_iterations += iterations;
  if (reason == KSP_DIVERGED_ITS) return End::exhausted;
  if (reason < 0) {
    // Where it met too little curvature, what there is so far is a good direction.
    truncated_ = iterations > 1 && definiteness_ == Definiteness::project &&
                 (reason == KSP_DIVERGED_INDEFINITE_MAT || reason == KSP_DIVERGED_INDEFINITE_PC) &&
                 goes_down();
    return truncated_ ? End::solved : End::indefinite;
  }
  if (!goes_down()) return End::indefinite;
  const double effort = iterations / std::log(1 / accuracy);
  if (renew_) renewed_effort_ = effort;
  renew_ = effort > kOutdated * renewed_effort_ + 1;
  if (request.last) correct_rigid_motions(middle_);
  return End::solved;
}

PetscDirections::End PetscDirections::solve_by_factor(bool reuse, SolverWork& work,
                                                      NewtonTimes& times) {
  make_direct();
  if (!reuse) {
    const Timer timer(times.factorisation);
    ++work.factorisations;
    fill_matrix();
    check(MatConvert(matrix_, MATAIJ, factor_matrix_ ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX,
                     &factor_matrix_));
    check(MatSetOption(factor_matrix_, MAT_SYMMETRIC, PETSC_TRUE));
    check(MatSetOption(factor_matrix_, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
    check(KSPSetOperators(direct_, factor_matrix_, factor_matrix_));
    PC pc = nullptr;
    PCFailedReason failed = PC_NOERROR;
    check(KSPGetPC(direct_, &pc));
    if (!factor_ready_) {
      // Only then does MUMPS count the negative pivots of all processes.
      Mat factor = nullptr;
      check(PCFactorSetUpMatSolverType(pc));
      check(PCFactorGetMatrix(pc, &factor));
      check(MatMumpsSetIcntl(factor, 13, 1));
      check(MatMumpsSetIcntl(factor, 24, 1));
      factor_ready_ = true;
    }
    check(KSPSetUp(direct_));
    check(PCGetFailedReason(pc, &failed));
    if (ranks_.any(failed != PC_NOERROR)) return End::indefinite;
    Mat factor = nullptr;
    PetscInt negative = 0, zero = 0, positive = 0;
    check(PCFactorGetMatrix(pc, &factor));
    check(MatGetInertia(factor, &negative, &zero, &positive));
    if (negative > 0) return End::indefinite;
  }
  const Timer timer(times.solve);
  check(KSPSolve(direct_, right_, solution_));
  return goes_down() ? End::solved : End::indefinite;
}

// Tries the Hessian as it is, and then with its elements' negative eigenvalues raised.
bool PetscDirections::find_with(LinearKind kind, Objective& objective, const Vector& d,
                                const Request& request, SolverWork& work, NewtonTimes& times) {
  last_ = kind;
  for (const double projection : {0.0, 0.5, 1.0}) {
    if (projection == 0 && request.definite) continue;
    if (projection == 0.5) ++work.definiteness_fixes;
    assemble(objective, d, projection, times);
    const End end = kind == LinearKind::pcg ? solve_by_iteration(objective, d, request, work, times)
                                            : solve_by_factor(false, work, times);
    if (end == End::solved) return true;
    if (end == End::exhausted) {
      if (choice_ == LinearChoice::pcg) return goes_down();  // as far as it got
      hold_ = next_hold_;
      next_hold_ = std::min(2 * next_hold_, kLongestHold);
      return find_with(LinearKind::cholesky, objective, d, request, work, times);
    }
  }
  return false;
}

bool PetscDirections::find(Objective& objective, const Vector& d, const Vector& gradient,
                           const Request& request, Vector& direction, SolverWork& work,
                           NewtonTimes& times) {
  double* numbers = nullptr;
  check(VecGetArrayWrite(right_, &numbers));
  for (int row = 0; row < rows_.rows(); ++row) {
    for (int c = 0; c < 3; ++c) numbers[3 * row + c] = -gradient[3 * rows_.vertex(row) + c];
  }
  check(VecRestoreArrayWrite(right_, &numbers));
  truncated_ = false;
  bool found = false;
  if ((request.reuse || request.same_matrix) && factorised()) {
    found = solve_by_factor(true, work, times) == End::solved;
  } else {
    bool exact = choice_ == LinearChoice::cholesky;
    if (choice_ == LinearChoice::automatic) {
      exact = hold_ > 0 || request.insist > 1;
      if (hold_ > 0) --hold_;
    }
    found = find_with(exact ? LinearKind::cholesky : LinearKind::pcg, objective, d, request, work,
                      times);
    if (found && !exact && !factorised()) next_hold_ = 8;
  }
  if (!found) return false;
  const double* solved = nullptr;
  check(VecGetArrayRead(solution_, &solved));
  for (int row = 0; row < rows_.rows(); ++row) {
    for (int c = 0; c < 3; ++c) direction[3 * rows_.vertex(row) + c] = solved[3 * row + c];
  }
  check(VecRestoreArrayRead(solution_, &solved));
  system_.share()->refresh(direction);
  return true;
}

// As solve/rigid_correction.hpp: what is left of a body's total force and torque is taken out exactly.
void PetscDirections::correct_rigid_motions(const Vector& x) {
  using Vec6 = Eigen::Matrix<double, 6, 1>;
  using Mat6 = Eigen::Matrix<double, 6, 6>;
  check(MatMult(product_ ? product_->matrix() : matrix_, solution_, image_));
  check(VecAYPX(image_, -1, right_));  // the residual
  const std::size_t bodies = body_start_.size();
  const auto body_of = [&](int vertex) {
    const auto next = std::ranges::upper_bound(body_start_, vertex);
    return static_cast<std::size_t>(next - body_start_.begin()) - 1;
  };
  // Centres and radii of the bodies.
  std::vector<double> places(4 * bodies, 0.0);
  for (int row = 0; row < rows_.rows(); ++row) {
    double* place = places.data() + 4 * body_of(rows_.vertex(row));
    for (int c = 0; c < 3; ++c) place[c] += x[3 * rows_.vertex(row) + c];
    place[3] += 1;
  }
  ranks_.sum(places);
  const auto arm = [&](int vertex) {
    const double* place = places.data() + 4 * body_of(vertex);
    return Vec3(x.segment<3>(3 * vertex) - Eigen::Map<const Vec3>(place) / place[3]);
  };
  // For each body Tᵀ A T, Tᵀ r and the sum of squared arms.
  constexpr std::size_t kNumbers = 36 + 6 + 1;
  std::vector<double> sums(kNumbers * bodies, 0.0);
  const auto matrix_of = [&](std::size_t b) { return Eigen::Map<Mat6>(&sums[kNumbers * b]); };
  const auto force_of = [&](std::size_t b) { return Eigen::Map<Vec6>(&sums[kNumbers * b + 36]); };
  const double* left = nullptr;
  check(VecGetArrayRead(image_, &left));
  for (int row = 0; row < rows_.rows(); ++row) {
    const int vertex = rows_.vertex(row);
    const std::size_t b = body_of(vertex);
    const Vec3 r = arm(vertex);
    Eigen::Matrix<double, 3, 6> image = Eigen::Matrix<double, 3, 6>::Zero();  // rows of A T
    for (int k = rows_.begin(row); k < rows_.begin(row + 1); ++k) {
      const OwnedRows::Mat3 block = rows_.block(k, hessian_);
      const Vec3 q = arm(rows_.column_vertex(k));
      image.leftCols<3>() += block;
      for (int e = 0; e < 3; ++e) image.row(e).tail<3>() += q.cross(Vec3(block.row(e)));
    }
    const Vec3 f = Eigen::Map<const Vec3>(left + 3 * row);
    for (int c = 0; c < 6; ++c) {
      matrix_of(b).col(c).head<3>() += image.col(c);
      matrix_of(b).col(c).tail<3>() += r.cross(Vec3(image.col(c)));
    }
    force_of(b).head<3>() += f;
    force_of(b).tail<3>() += r.cross(f);
    sums[kNumbers * b + 42] += r.squaredNorm();
  }
  check(VecRestoreArrayRead(image_, &left));
  ranks_.sum(sums);
  for (std::size_t b = 0; b < bodies; ++b) {
    const double count = places[4 * b + 3];
    const double radius = count > 0 ? std::sqrt(sums[kNumbers * b + 42] / count) : 0;
    force_of(b) = solve_rigid_motion(matrix_of(b), force_of(b), radius);
  }
  double* solved = nullptr;
  check(VecGetArray(solution_, &solved));
  for (int row = 0; row < rows_.rows(); ++row) {
    const Vec6 motion = force_of(body_of(rows_.vertex(row)));
    Eigen::Map<Vec3>(solved + 3 * row) +=
        motion.head<3>() + Vec3(motion.tail<3>()).cross(arm(rows_.vertex(row)));
  }
  check(VecRestoreArray(solution_, &solved));
}

}  // namespace lilyan::distributed
