// Newton directions p, H p = −g, by the linear solver that suits the problem.
#pragma once

#include <memory>
#include <vector>

#include "lilyan/solve/newton.hpp"
#include "lilyan/solve/pcg.hpp"

namespace lilyan {

// Cholesky is exact and does not mind what the matrix is like; conjugate gradients are several
// times faster wherever they converge soon. `automatic` begins with the latter, gives up when the
// iterations have cost what a factor would, and takes Cholesky for a while before it tries again,
// longer each time. Costs are counted in operations, not measured in seconds, so that a run's
// results do not depend on how busy the machine is; they do depend on the steps taken before.
class DirectionFinder {
 public:
  // The pattern must outlive this. Throws Error when the choice cannot be kept.
  DirectionFinder(const BlockPattern& pattern, LinearChoice choice, Definiteness definiteness);

  // At the begin of a minimisation.
  void begin();

  struct Request {
    bool reuse = false;     // the factor at hand is good enough
    double accuracy = 0.1;  // of an iterative solution, relative
    int insist = 0;         // what was found last did not help: be more accurate; exact if above 1
    // It may be the last one: what is left of total forces and torques would be left for good.
    bool last = false;
    // The Hessian may be indefinite without conjugate gradients having met a direction that shows
    // it: how many of the first attempts at a definite one to leave out.
    int caution = 0;
  };
  // False when the Hessian cannot be made positive definite.
  bool find(Objective& objective, const Vector& d, const Vector& gradient, const Request& request,
            Vector& direction, NewtonResult& result, NewtonTimes& times);

  // Whether the last direction came from a factor, which can be used again.
  [[nodiscard]] bool factorised() const { return last_ == LinearKind::cholesky; }
  [[nodiscard]] std::string_view name() const;
  [[nodiscard]] LinearKind kind() const { return last_; }
  // The Hessian last assembled.
  [[nodiscard]] const std::vector<double>& hessian() const { return hessian_; }

 private:
  bool by_iteration(Objective& objective, const Vector& d, const Request& request,
                    NewtonResult& result, NewtonTimes& times);
  bool by_factor(Objective& objective, const Vector& d, const Request& request,
                 NewtonResult& result, NewtonTimes& times);
  bool attempt(const Objective& objective, const Vector& d, const Request& request,
               NewtonResult& result, NewtonTimes& times);
  int iteration_limit();
  LinearSolver& cholesky();

  const BlockPattern& pattern_;
  LinearChoice choice_;
  Definiteness definiteness_;
  LinearKind last_ = LinearKind::cholesky;
  std::vector<double> hessian_;
  std::unique_ptr<LinearSolver> cholesky_;  // each made when first needed
  std::unique_ptr<Pcg> pcg_;
  Vector right_, solution_, positions_;

  // Conjugate gradients.
  PcgEnd end_ = PcgEnd::converged;
  int spent_ = 0;              // iterations for the direction at hand, over all attempts
  bool renew_ = true;          // the coarse matrix
  double renewed_effort_ = 0;  // iterations per digit of the first solve after that
  // Directions to leave to Cholesky before conjugate gradients get another chance, and how many it
  // will be next time.
  int hold_ = 0;
  int next_hold_;
};

}  // namespace lilyan
