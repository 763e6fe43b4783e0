#include "app/distributed/petsc_directions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "app/distributed/conjugate_gradients.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/parallel/threads.hpp"

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

BlockMatrix::Digits digits_of(const DirectionSource::Request& request) {
  return request.all_digits ? BlockMatrix::Digits::all : BlockMatrix::Digits::single;
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
                                 const MpiDistribution& ranks, LinearChoice choice,
                                 Definiteness definiteness)
    : system_(system),
      ranks_(ranks),
      rows_(pattern, *system.share(), ranks),
      shared_(rows_, ranks),
      rigid_(shared_.here(), rows_.clusters(), rows_.bodies(), &ranks),
      choice_(choice),
      definiteness_(definiteness),
      hessian_(static_cast<std::size_t>(pattern.storage())) {
  places_.positions.resize(3 * static_cast<std::size_t>(rows_.places()));
  places_.mass.resize(static_cast<std::size_t>(rows_.rows()));
  make_iterative();
  if (choice == LinearChoice::cholesky) make_direct();
  if (choice == LinearChoice::cholesky) last_ = LinearKind::cholesky;
}

PetscDirections::~PetscDirections() {
  KSPDestroy(&petsc_.iterative);
  KSPDestroy(&petsc_.direct);
  MatDestroy(&petsc_.factor_matrix);
  for (Vec* v : {&petsc_.right, &petsc_.solution, &petsc_.image}) VecDestroy(v);
}

void PetscDirections::make_matrix() {
  if (matrix_) return;
  const std::string preconditioner = option("-pc_type");
  const std::string type = option("-mat_type");
  const bool scalar =
      preconditioner == "gamg" || preconditioner == "hypre" || preconditioner == "ml";
  petsc_.needs_motions = scalar;
  matrix_ = std::make_unique<FullMatrix>(rows_, ranks_,
                                         !type.empty() ? type
                                         : scalar      ? MATAIJ
                                                       : MATBAIJ);
}

void PetscDirections::make_iterative() {
  const std::string preconditioner = option("-pc_type");
  const bool own =
      (preconditioner.empty() || preconditioner == PCSHELL) && option("-mat_type").empty();
  if (!own) make_matrix();
  petsc_.operators = own ? shared_.matrix() : matrix_->matrix();
  if (own) {
    petsc_.solution = shared_.make_vector();
  } else {
    check(MatCreateVecs(petsc_.operators, &petsc_.solution, nullptr));
  }
  check(VecDuplicate(petsc_.solution, &petsc_.right));
  check(VecDuplicate(petsc_.solution, &petsc_.image));
  check(KSPCreate(ranks_.communicator(), &petsc_.iterative));
  check(KSPSetOperators(petsc_.iterative, petsc_.operators, petsc_.operators));
  register_conjugate_gradients();
  check(KSPSetType(petsc_.iterative, kConjugateGradients));
  check(
      KSPSetNormType(petsc_.iterative, KSP_NORM_NATURAL));  // what Newton's accuracies are meant in
  PC pc = nullptr;
  check(KSPGetPC(petsc_.iterative, &pc));
  check(PCSetType(pc, PCSHELL));
  check(KSPSetFromOptions(petsc_.iterative));
  PCType chosen = nullptr;
  KSPType method = nullptr;
  check(PCGetType(pc, &chosen));
  check(KSPGetType(petsc_.iterative, &method));
  petsc_.own_method = has_conjugate_gradients(petsc_.iterative);
  petsc_.iterative_name = std::string("petsc ") + (petsc_.own_method ? KSPCG : method) + ", ";
  if (std::strcmp(chosen, PCSHELL) != 0) {
    petsc_.iterative_name += chosen;
    return;
  }
  two_level_ = std::make_unique<TwoLevel>(rows_, shared_, ranks_);
  petsc_.iterative_name += two_level_->name();
  check(PCShellSetName(pc, "vertices and rigid motions of clusters"));
  check(PCShellSetContext(pc, two_level_.get()));
  check(PCShellSetApply(pc, apply_two_level));
}

void PetscDirections::make_direct() {
  if (petsc_.direct) return;
  check(KSPCreate(ranks_.communicator(), &petsc_.direct));
  check(KSPSetOptionsPrefix(petsc_.direct, "petsc_.direct"));
  check(KSPSetType(petsc_.direct, KSPPREONLY));
  PC pc = nullptr;
  check(KSPGetPC(petsc_.direct, &pc));
  check(PCSetType(pc, PCCHOLESKY));
  check(PCFactorSetMatSolverType(pc, MATSOLVERMUMPS));
  check(KSPSetFromOptions(petsc_.direct));
}

void PetscDirections::assemble(const LocalModel& model, double projection, NewtonTimes& times) {
  const Timer timer(times.counter(&NewtonTimes::assembly));
  ++times.hessians;
  model.hessian(projection, hessian_);
}

void PetscDirections::look_at(const LocalModel& model) {
  const Vector* x = model.positions();
  const Vector* mass = model.mass() ? &model.mass()->diagonal() : nullptr;
  parallel_ranges(rows_.places(), [&](int first, int last) {
    for (int place = first; place < last; ++place) {
      const int at = 3 * rows_.vertex(place);
      for (int c = 0; c < 3; ++c) {
        places_.positions[3 * place + c] = x ? (*x)[at + c] + 0.5 * model.z[at + c] : 0.0;
      }
      if (place < rows_.rows()) places_.mass[place] = mass ? (*mass)[at] : 0.0;
    }
  });
  if (petsc_.own_method)
    set_inertia(petsc_.iterative, mass ? places_.mass.data() : nullptr, two_level_.get());
}

void PetscDirections::describe_rigid_motions() {
  Vec coordinates = nullptr;
  check(VecDuplicate(petsc_.right, &coordinates));
  check(VecSetBlockSize(coordinates, 3));
  double* to = nullptr;
  check(VecGetArrayWrite(coordinates, &to));
  std::copy_n(places_.positions.data(), 3 * rows_.rows(), to);
  check(VecRestoreArrayWrite(coordinates, &to));
  MatNullSpace motions = nullptr;
  check(MatNullSpaceCreateRigidBody(coordinates, &motions));
  check(MatSetNearNullSpace(petsc_.operators, motions));
  check(MatNullSpaceDestroy(&motions));
  check(VecDestroy(&coordinates));
}

bool PetscDirections::goes_down() const {
  double product = 0;
  check(VecDot(petsc_.right, petsc_.solution, &product));
  return product > 0 && std::isfinite(product);
}

PetscDirections::End PetscDirections::solve_by_iteration(const LocalModel& model,
                                                         const Request& request, SolverWork& work,
                                                         NewtonTimes& times) {
  {
    const Timer timer(times.counter(&NewtonTimes::factorisation));
    look_at(model);
    const bool own = petsc_.operators == shared_.matrix();
    if (own || request.last) shared_.assign(hessian_, digits_of(request));
    if (!own) matrix_->assign(hessian_);
    if (two_level_ &&
        !two_level_->prepare(places_.positions.data(), places_.mass.data(), coarse_.renew)) {
      return End::indefinite;
    }
    if (petsc_.needs_motions) describe_rigid_motions();
    check(KSPSetUp(petsc_.iterative));
  }
  const Timer timer(times.counter(&NewtonTimes::solve));
  const double accuracy = request.insist > 0 ? 1e-3 * request.accuracy : request.accuracy;
  const int most = choice_ == LinearChoice::automatic ? kIterationsBeforeFactor : kMostIterations;
  const auto [reason, iterations] = iterate(accuracy, most, work);
  if (reason == KSP_DIVERGED_ITS) return End::exhausted;
  if (reason < 0) {
    // Where it met too little curvature, what there is so far is a good direction.
    truncated_ = iterations > (petsc_.own_method ? 0 : 1) &&
                 definiteness_ == Definiteness::project &&
                 (reason == KSP_DIVERGED_INDEFINITE_MAT || reason == KSP_DIVERGED_INDEFINITE_PC) &&
                 goes_down();
    return truncated_ ? End::solved : End::indefinite;
  }
  if (!goes_down()) return End::indefinite;
  const double effort = iterations / std::log(1 / accuracy);
  if (coarse_.renew) coarse_.renewed_effort = effort;
  coarse_.renew = effort > kOutdated * coarse_.renewed_effort + 1;
  if (request.last) correct_rigid_motions();
  return End::solved;
}

bool PetscDirections::solve_again(const Request& request, SolverWork& work, NewtonTimes& times) {
  const Timer timer(times.counter(&NewtonTimes::solve));
  if (iterate(request.accuracy, kMostIterations, work).first < 0) return false;
  if (request.last) {
    if (petsc_.operators != shared_.matrix()) shared_.assign(hessian_, digits_of(request));
    correct_rigid_motions();
  }
  return true;
}

std::pair<KSPConvergedReason, PetscInt> PetscDirections::iterate(double accuracy, int most,
                                                                 SolverWork& work) {
  check(KSPSetTolerances(petsc_.iterative, accuracy, 1e-300, PETSC_DEFAULT, most));
  check(KSPSolve(petsc_.iterative, petsc_.right, petsc_.solution));
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  PetscInt iterations = 0;
  check(KSPGetConvergedReason(petsc_.iterative, &reason));
  check(KSPGetIterationNumber(petsc_.iterative, &iterations));
  work.linear_iterations += iterations;
  return {reason, iterations};
}

PetscDirections::End PetscDirections::solve_by_factor(bool reuse, SolverWork& work,
                                                      NewtonTimes& times) {
  make_direct();
  if (!reuse) {
    const Timer timer(times.counter(&NewtonTimes::factorisation));
    ++work.factorisations;
    make_matrix();
    matrix_->assign(hessian_);
    check(MatConvert(matrix_->matrix(), MATAIJ,
                     petsc_.factor_matrix ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX,
                     &petsc_.factor_matrix));
    check(MatSetOption(petsc_.factor_matrix, MAT_SYMMETRIC, PETSC_TRUE));
    check(MatSetOption(petsc_.factor_matrix, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
    check(KSPSetOperators(petsc_.direct, petsc_.factor_matrix, petsc_.factor_matrix));
    PC pc = nullptr;
    PCFailedReason failed = PC_NOERROR;
    check(KSPGetPC(petsc_.direct, &pc));
    if (!petsc_.factor_ready) {
      // Only then does MUMPS count the negative pivots of all processes.
      Mat factor = nullptr;
      check(PCFactorSetUpMatSolverType(pc));
      check(PCFactorGetMatrix(pc, &factor));
      check(MatMumpsSetIcntl(factor, 13, 1));
      check(MatMumpsSetIcntl(factor, 24, 1));
      petsc_.factor_ready = true;
    }
    check(KSPSetUp(petsc_.direct));
    check(PCGetFailedReason(pc, &failed));
    if (ranks_.any(failed != PC_NOERROR)) return End::indefinite;
    Mat factor = nullptr;
    PetscInt negative = 0, zero = 0, positive = 0;
    check(PCFactorGetMatrix(pc, &factor));
    check(MatGetInertia(factor, &negative, &zero, &positive));
    if (negative > 0) return End::indefinite;
  }
  const Timer timer(times.counter(&NewtonTimes::solve));
  check(KSPSolve(petsc_.direct, petsc_.right, petsc_.solution));
  return goes_down() ? End::solved : End::indefinite;
}

// Tries the Hessian as it is, and then with its elements' negative eigenvalues raised.
bool PetscDirections::find_with(LinearKind kind, const LocalModel& model, const Request& request,
                                SolverWork& work, NewtonTimes& times) {
  last_ = kind;
  for (const double projection : {0.0, 0.5, 1.0}) {
    if (projection == 0 && request.definite) continue;
    if (projection == 0.5) ++work.definiteness_fixes;
    assemble(model, projection, times);
    const End end = kind == LinearKind::pcg ? solve_by_iteration(model, request, work, times)
                                            : solve_by_factor(false, work, times);
    if (end == End::solved) return true;
    if (end == End::exhausted) {
      if (choice_ == LinearChoice::pcg) return goes_down();  // as far as it got
      return give_to_factor(model, request, work, times);
    }
  }
  if (kind == LinearKind::cholesky || choice_ != LinearChoice::automatic) return false;
  return give_to_factor(model, request, work, times);
}

bool PetscDirections::give_to_factor(const LocalModel& model, const Request& request,
                                     SolverWork& work, NewtonTimes& times) {
  hold_.now = hold_.next;
  hold_.next = std::min(2 * hold_.next, kLongestHold);
  return find_with(LinearKind::cholesky, model, request, work, times);
}

bool PetscDirections::find(const LocalModel& model, const Vector& gradient, const Request& request,
                           Vector& direction, SolverWork& work, NewtonTimes& times) {
  double* numbers = nullptr;
  check(VecGetArrayWrite(petsc_.right, &numbers));
  for (int row = 0; row < rows_.rows(); ++row) {
    for (int c = 0; c < 3; ++c) numbers[3 * row + c] = -gradient[3 * rows_.vertex(row) + c];
  }
  check(VecRestoreArrayWrite(petsc_.right, &numbers));
  truncated_ = false;
  bool found = false;
  if (request.same_matrix && !factorised()) {
    found = solve_again(request, work, times);
  } else if ((request.reuse || request.same_matrix) && factorised()) {
    found = solve_by_factor(true, work, times) == End::solved;
  } else {
    bool exact = choice_ == LinearChoice::cholesky;
    if (choice_ == LinearChoice::automatic) {
      exact = hold_.now > 0 || request.insist > 1;
      if (hold_.now > 0) --hold_.now;
    }
    found = find_with(exact ? LinearKind::cholesky : LinearKind::pcg, model, request, work, times);
    if (found && !exact && !factorised()) hold_.next = 8;
  }
  if (!found) return false;
  const double* solved = nullptr;
  check(VecGetArrayRead(petsc_.solution, &solved));
  for (int row = 0; row < rows_.rows(); ++row) {
    for (int c = 0; c < 3; ++c) direction[3 * rows_.vertex(row) + c] = solved[3 * row + c];
  }
  check(VecRestoreArrayRead(petsc_.solution, &solved));
  system_.share()->refresh(direction);
  return true;
}

void PetscDirections::correct_rigid_motions() {
  check(MatMult(petsc_.operators, petsc_.solution, petsc_.image));
  check(VecAYPX(petsc_.image, -1, petsc_.right));
  const double* residual = nullptr;
  double* solution = nullptr;
  check(VecGetArrayRead(petsc_.image, &residual));
  check(VecGetArray(petsc_.solution, &solution));
  rigid_.apply(places_.positions.data(), residual, solution);
  check(VecRestoreArray(petsc_.solution, &solution));
  check(VecRestoreArrayRead(petsc_.image, &residual));
}

}  // namespace lilyan::distributed
