// The parts of a system whose formulas are expressions. In their graphs the variables 0 … n−1 are
// coordinates, n … 2n−1 velocities, and 2n is the time.
//
// Each part has workspace of its own: a system made of them is for one thread at a time.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lilyan/assemble/scatter.hpp"
#include "lilyan/lagrangian/differentiate.hpp"
#include "lilyan/lagrangian/program.hpp"
#include "lilyan/model/dissipation.hpp"
#include "lilyan/model/energy.hpp"
#include "lilyan/model/system_parts.hpp"
#include "lilyan/numeric/path_breaks.hpp"

namespace lilyan {

// A program with its workspace.
class ExpressionEvaluator {
 public:
  ExpressionEvaluator() = default;
  ExpressionEvaluator(const ExpressionGraph& graph, std::span<const ExpressionNode> outputs);

  // Inputs as they come: the first n from q, the next n from v (where not null), then t.
  const double* run(int n, const double* q, const double* v, double t) const;

 private:
  Program program_;
  mutable std::vector<double> inputs_, outputs_, scratch_;
};

class ExpressionLagrangian final : public Lagrangian {
 public:
  ExpressionLagrangian(ExpressionGraph& graph, ExpressionNode l, int dofs);

  [[nodiscard]] int dofs() const override { return n_; }
  [[nodiscard]] bool depends_on_time() const override { return depends_on_time_; }
  [[nodiscard]] bool cyclic(int coordinate) const override {
    return cyclic_[static_cast<std::size_t>(coordinate)] != 0;
  }
  double evaluate(double t, const double* q, const double* v,
                  const LagrangianDerivatives& d) const override;

 private:
  int n_;
  bool depends_on_time_;
  std::vector<char> cyclic_;
  ExpressionEvaluator value_, first_, second_;
  std::vector<DerivativeEntry> entries_;  // of the second derivatives by (q, v), lower triangle
};

// A function of n variables with its derivatives, as energies and dissipations need them: a sparse
// Hessian, given by pairs of variables.
class ExpressionFunction {
 public:
  // A function of the variables first, …, first + n − 1.
  ExpressionFunction(std::shared_ptr<ExpressionGraph> graph, ExpressionNode f, int first, int n);

  // Pairs of variables; a single variable where n is 1.
  [[nodiscard]] Stencils stencils() const {
    need_hessian();
    return {n_ == 1 ? 1 : 2, pairs_};
  }
  double value(const double* x) const;
  double gradient(const double* x, double* gradient) const;
  // Entries of the Hessian, added up with weights; and written, raised to be positive.
  void hessian(const double* x, double* dense) const;  // all n² entries
  void begin_hessian() const;
  void add_hessian(const double* x, double weight) const;
  void write_hessian(double projection, const BlockSlots& slots, double* hessian) const;

 private:
  [[nodiscard]] const double* run(const ExpressionEvaluator& evaluator, const double* x) const;
  void raise(double strength) const;
  // Second derivatives are found when they are first asked for; explicit methods never ask.
  void need_hessian() const;
  void find_pairs() const;

  std::shared_ptr<ExpressionGraph> graph_;
  ExpressionNode f_;
  int first_;
  int n_;
  ExpressionEvaluator value_, gradient_;
  mutable bool has_hessian_ = false;
  mutable ExpressionEvaluator hessian_;
  mutable std::vector<DerivativeEntry> entries_;
  mutable std::vector<int> pairs_;
  // Where an entry goes: which pair, and whether to its (0,0), (1,0) or (1,1) block.
  struct Target {
    int pair, block;
  };
  mutable std::vector<Target> targets_;
  mutable std::vector<double> sums_;
};

// E(q) of systems of dimension one with any number of coordinates. A mean over the path goes from one place
// at which the formula changes to the next, with the nodes that it is given between two of them.
class ExpressionPotential final : public Energy {
 public:
  ExpressionPotential(const std::shared_ptr<ExpressionGraph>& graph, ExpressionNode e, int dofs);

  [[nodiscard]] EnergyKind kind() const override { return EnergyKind::potential; }
  [[nodiscard]] Stencils stencils() const override { return function_.stencils(); }
  [[nodiscard]] bool translation_invariant() const override { return false; }
  [[nodiscard]] bool rotation_invariant() const override { return false; }
  [[nodiscard]] double evaluate(const Evaluation& at) const override;

 private:
  void go_to(const Evaluation& at, double s) const;
  // The nodes of a mean, from break to break; those of the evaluation where there is none.
  [[nodiscard]] std::span<const WeightedNode> path_nodes(const Evaluation& at) const;

  int n_;
  ExpressionFunction function_;
  ExpressionEvaluator switches_;
  mutable std::vector<double> point_, gradient_, before_, after_, middle_;
  mutable std::vector<WeightedNode> nodes_;
};

// E(q), as a SmallPotential where that is possible: it has discrete gradients as well.
[[nodiscard]] std::unique_ptr<Energy> expression_potential(std::shared_ptr<ExpressionGraph> graph,
                                                           ExpressionNode e, int dofs);

// R(v), of velocities alone.
class ExpressionDissipation final : public Dissipation {
 public:
  ExpressionDissipation(std::shared_ptr<ExpressionGraph> graph, ExpressionNode r, int dofs)
      : n_(dofs),
        function_(std::move(graph), r, dofs, dofs),
        gradient_(static_cast<std::size_t>(dofs)) {}

  [[nodiscard]] Stencils stencils(const WorldMemory* /*memory*/) const override {
    return function_.stencils();
  }
  double evaluate(const std::vector<double>& lagged, const RateEvaluation& at) const override;
  [[nodiscard]] bool keeps_linear_momentum() const override { return false; }
  [[nodiscard]] bool keeps_angular_momentum() const override { return false; }

 private:
  int n_;
  ExpressionFunction function_;
  mutable std::vector<double> gradient_;
};

// F(t, q, v), one expression per coordinate.
class ExpressionForce final : public Force {
 public:
  ExpressionForce(ExpressionGraph& graph, std::vector<ExpressionNode> forces, bool dissipates);

  void add(double t, const double* x, const double* v, double* force) const override;
  void add_damping(double t, const double* x, const double* v, double* diagonal) const override;
  bool add_derivatives(double t, const double* x, const double* v, double* by_x,
                       double* by_v) const override;
  [[nodiscard]] bool dissipates() const override { return dissipates_; }

 private:
  int n_;
  bool dissipates_;
  ExpressionEvaluator force_, slopes_;
  std::vector<DerivativeEntry> entries_;  // of ∂F/∂(q, v)
};

// g(q) = 0.
class ExpressionConstraint final : public Constraint {
 public:
  ExpressionConstraint(ExpressionGraph& graph, std::string name, ExpressionNode g, int dofs,
                       double scale);

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] int equations() const override { return 1; }
  [[nodiscard]] std::span<const int> dofs() const override { return dofs_; }
  [[nodiscard]] int dimension() const override { return 0; }
  [[nodiscard]] double scale() const override { return scale_; }
  void limit(Symmetry& symmetry) const override { symmetry.clear(); }
  void evaluate(const double* x, double* values, double* jacobian) const override;

 private:
  std::string name_;
  int n_;
  double scale_;
  std::vector<int> dofs_;
  ExpressionEvaluator value_, gradient_;
};

}  // namespace lilyan
