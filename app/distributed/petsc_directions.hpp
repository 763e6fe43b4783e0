// Newton directions of a shared system by PETSc.
//
// Systems are solved by the conjugate gradients of conjugate_gradients.hpp with the two-level preconditioner of
// two_level.hpp and the products of shared_matrix.hpp, or by whatever PETSc's options say (-ksp_type, -ksp_rtol,
// -pc_type gamg, …). With another preconditioner the Hessian is a matrix of 3×3 blocks (MATMPIBAIJ; MATMPIAIJ where that
// is wanted). Where conjugate gradients do not converge, and where a scene asks for solver.linear = "cholesky", MUMPS
// factorises it (options with the prefix -direct_).
#pragma once

#include <petscksp.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/distributed/full_matrix.hpp"
#include "app/distributed/owned_rows.hpp"
#include "app/distributed/shared_matrix.hpp"
#include "app/distributed/two_level.hpp"
#include "lilyan/model/system.hpp"
#include "lilyan/solve/direction.hpp"
#include "lilyan/solve/rigid_correction.hpp"

namespace lilyan::distributed {

class PetscDirections final : public DirectionSource {
 public:
  // All must outlive this. The system is a shared one.
  PetscDirections(const BlockPattern& pattern, const System& system, const MpiDistribution& ranks,
                  LinearChoice choice, Definiteness definiteness);
  ~PetscDirections() override;

  void begin() override { coarse_.renew = true; }
  bool find(const LocalModel& model, const Vector& gradient, const Request& request,
            Vector& direction, SolverWork& work, NewtonTimes& times) override;
  [[nodiscard]] bool factorised() const override { return last_ == LinearKind::cholesky; }
  [[nodiscard]] bool truncated() const override { return truncated_; }
  [[nodiscard]] std::string_view name() const override {
    return factorised() ? petsc_.direct_name : petsc_.iterative_name;
  }
  [[nodiscard]] LinearKind kind() const override { return last_; }
  void archive(Archive& a) override { a(choice_, last_, hold_.now, hold_.next); }
  [[nodiscard]] const std::vector<double>& hessian() const override { return hessian_; }

 private:
  enum class End { solved, indefinite, exhausted };

  void make_matrix();  // when first needed
  void make_iterative();
  void make_direct();
  void assemble(const LocalModel& model, double projection, NewtonTimes& times);
  // Takes positions, half way along d where forces act, and masses.
  void look_at(const LocalModel& model);
  void describe_rigid_motions();  // the near null space that algebraic multigrid asks for
  End solve_by_iteration(const LocalModel& model, const Request& request, SolverWork& work,
                         NewtonTimes& times);
  // Once more with the matrix at hand.
  bool solve_again(const Request& request, SolverWork& work, NewtonTimes& times);
  // PETSc's reason to end, and how many iterations it took.
  std::pair<KSPConvergedReason, PetscInt> iterate(double accuracy, int most, SolverWork& work);
  End solve_by_factor(bool reuse, SolverWork& work, NewtonTimes& times);
  bool find_with(LinearKind kind, const LocalModel& model, const Request& request, SolverWork& work,
                 NewtonTimes& times);
  // Where conjugate gradients got nowhere: this direction and some more by MUMPS.
  bool give_to_factor(const LocalModel& model, const Request& request, SolverWork& work,
                      NewtonTimes& times);
  [[nodiscard]] bool goes_down() const;  // the solution, along the right side
  void correct_rigid_motions();

  // What PETSc works with.
  struct Petsc {
    Mat operators = nullptr;      // what conjugate gradients multiply with: one of the two
    Mat factor_matrix = nullptr;  // the full one as MATAIJ
    Vec right = nullptr, solution = nullptr, image = nullptr;
    KSP iterative = nullptr;
    KSP direct = nullptr;
    std::string iterative_name, direct_name = "mumps";
    bool own_method = false;     // conjugate_gradients.hpp
    bool needs_motions = false;  // for algebraic multigrid
    bool factor_ready = false;
  };
  struct Coarse {
    bool renew = true;
    double renewed_effort = 0;
  };
  // Directions to leave to MUMPS before conjugate gradients get another chance, and how many it will be next time.
  struct Hold {
    int now = 0;
    int next = 8;
  };
  struct Places {
    std::vector<double> positions;  // of all places
    std::vector<double> mass;       // of the rows' vertices
  };

  const System& system_;
  const MpiDistribution& ranks_;
  OwnedRows rows_;
  SharedMatrix shared_;
  RigidCorrection rigid_;
  LinearChoice choice_;
  Definiteness definiteness_;
  LinearKind last_ = LinearKind::pcg;
  std::vector<double> hessian_;
  std::unique_ptr<TwoLevel> two_level_;  // unless the options choose another preconditioner
  std::unique_ptr<FullMatrix> matrix_;   // if they do, and for MUMPS
  Petsc petsc_;
  bool truncated_ = false;
  Coarse coarse_;
  Hold hold_;
  Places places_;
};

}  // namespace lilyan::distributed
