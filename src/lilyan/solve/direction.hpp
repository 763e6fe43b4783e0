// Newton directions p, H p = −g, by the linear solver that suits the problem.
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "lilyan/saving/archive.hpp"
#include "lilyan/solve/linear_solver.hpp"
#include "lilyan/solve/objective.hpp"
#include "lilyan/solve/options.hpp"
#include "lilyan/solve/pcg.hpp"
#include "lilyan/solve/timer.hpp"

namespace lilyan {

// Assembles the Hessian into `values` and gives it to `attempt`, until that says that it was
// definite: as it is; with its elements' negative eigenvalues raised, half-way and then fully; at
// last with a growing multiple of the identity. The first one is left out where it is known not to be
// definite. False when nothing helps.
template <class Attempt>
bool with_definite_hessian(const LocalModel& model, const BlockPattern& pattern,
                           Definiteness definiteness, bool indefinite, std::vector<double>& values,
                           SolverWork& work, NewtonTimes& times, const Attempt& attempt) {
  // Projecting half-way is often enough for definiteness and keeps more of the true curvature:
  // about half the iterations on violently compressed bodies.
  constexpr double kProjections[] = {0.5, 1.0};
  constexpr double kShiftStart = 1e-10;  // share of the mean diagonal entry
  constexpr int kShiftAttempts = 40;

  const auto assemble = [&](double projection) {
    const Timer timer(times.counter(&NewtonTimes::assembly));
    ++times.hessians;
    model.hessian(projection, values);
  };
  if (!indefinite || definiteness == Definiteness::shift) {
    assemble(0);
    if (attempt()) return true;
  }
  ++work.definiteness_fixes;
  if (definiteness == Definiteness::project) {
    for (const double strength : kProjections) {
      assemble(strength);
      if (attempt()) return true;
    }
  }
  double mean = 0;
  for (int c = 0; c < pattern.dofs(); ++c) mean += std::abs(values[pattern.column_start()[c]]);
  mean /= pattern.dofs();
  double shift = kShiftStart * mean;
  double applied = 0;
  for (int k = 0; k < kShiftAttempts && std::isfinite(mean); ++k) {
    for (int c = 0; c < pattern.dofs(); ++c) values[pattern.column_start()[c]] += shift - applied;
    if (attempt()) return true;
    applied = shift;
    shift *= 10;
  }
  return false;
}

// Finds a definite matrix in this way that has a Cholesky factor.
inline bool factorise_definite(const LocalModel& model, const BlockPattern& pattern,
                               Definiteness definiteness, LinearSolver& linear,
                               std::vector<double>& values, SolverWork& work, NewtonTimes& times) {
  return with_definite_hessian(model, pattern, definiteness, false, values, work, times, [&] {
    const Timer timer(times.counter(&NewtonTimes::factorisation));
    ++work.factorisations;
    return linear.factorise({values.data(), static_cast<std::size_t>(pattern.entries())});
  });
}

// Where Newton's method gets its directions from.
class DirectionSource {
 public:
  DirectionSource() = default;
  DirectionSource(const DirectionSource&) = delete;
  DirectionSource& operator=(const DirectionSource&) = delete;
  virtual ~DirectionSource() = default;

  // At the begin of a minimisation.
  virtual void begin() = 0;

  struct Request {
    bool reuse = false;        // the factor at hand is good enough
    bool same_matrix = false;  // so is the matrix last assembled, with or without a factor
    double accuracy = 0.1;     // relative error allowed in an iterative solution
    int insist = 0;  // what was found last did not help: be more accurate; exact if above 1
    // It may be the last one: what is left of total forces and torques would be left for good.
    bool last = false;
    // An iterative solution is not to round the matrix.
    bool all_digits = false;
    // The Hessian as it is has led nowhere: take one that is made definite.
    bool definite = false;
  };
  // False when the Hessian cannot be made positive definite.
  virtual bool find(const LocalModel& model, const Vector& gradient, const Request& request,
                    Vector& direction, SolverWork& work, NewtonTimes& times) = 0;

  // Whether the last direction came from a factor, which can be used again.
  [[nodiscard]] virtual bool factorised() const = 0;
  // Whether conjugate gradients ended the last direction where they met too little curvature: it goes
  // downhill, but there is no telling how far.
  [[nodiscard]] virtual bool truncated() const = 0;
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual LinearKind kind() const = 0;
  virtual void archive(Archive& a) = 0;
  // The Hessian last assembled.
  [[nodiscard]] virtual const std::vector<double>& hessian() const = 0;
};

// Cholesky is exact and does not mind what the matrix is like; conjugate gradients are several
// times faster wherever they converge soon. `automatic` begins with the latter, gives up when the
// iterations have cost what a factor would, and takes Cholesky for a while before it tries again,
// longer each time. Costs are counted in operations, not measured in seconds, so that a run's
// results do not depend on how busy the machine is; they do depend on the steps taken before.
class DirectionFinder final : public DirectionSource {
 public:
  // The pattern must outlive this. Throws Error when the choice cannot be kept.
  DirectionFinder(const BlockPattern& pattern, LinearChoice choice, Definiteness definiteness);

  void begin() override;
  bool find(const LocalModel& model, const Vector& gradient, const Request& request,
            Vector& direction, SolverWork& work, NewtonTimes& times) override;
  [[nodiscard]] bool factorised() const override { return last_ == LinearKind::cholesky; }
  [[nodiscard]] bool truncated() const override { return truncated_; }
  [[nodiscard]] std::string_view name() const override;
  [[nodiscard]] LinearKind kind() const override { return last_; }
  void archive(Archive& a) override;
  [[nodiscard]] const std::vector<double>& hessian() const override { return hessian_; }

 private:
  bool by_iteration(const LocalModel& model, const Request& request, SolverWork& work,
                    NewtonTimes& times);
  bool by_factor(const LocalModel& model, const Request& request, SolverWork& work,
                 NewtonTimes& times);
  bool attempt(const LocalModel& model, const Request& request, SolverWork& work,
               NewtonTimes& times);
  bool again(const Request& request, SolverWork& work, NewtonTimes& times);
  int iteration_limit();
  LinearSolver& cholesky();

  const BlockPattern& pattern_;
  LinearChoice choice_;
  Definiteness definiteness_;
  LinearKind last_ = LinearKind::cholesky;
  std::vector<double> hessian_;
  std::unique_ptr<LinearSolver> cholesky_;  // each made when first needed
  bool asked_cholesky_ = false;             // by this one, or by one whose archive it has loaded
  std::unique_ptr<Pcg> pcg_;
  Vector right_, solution_, positions_, masses_;

  // Conjugate gradients.
  PcgEnd end_ = PcgEnd::converged;
  bool truncated_ = false;
  int spent_ = 0;              // iterations for the direction at hand, over all attempts
  bool renew_ = true;          // the coarse matrix
  double renewed_effort_ = 0;  // iterations per digit of the first solve after that
  // Directions to leave to Cholesky before conjugate gradients get another chance, and how many it
  // will be next time.
  int hold_ = 0;
  int next_hold_;
};

}  // namespace lilyan
