// The potential energy of a small system, given as a function with its derivatives.
#pragma once

#include <functional>
#include <vector>

#include "lilyan/model/energy.hpp"
#include "lilyan/model/energy_abilities.hpp"
#include "lilyan/model/energy_discrete_gradient.hpp"

namespace lilyan {

struct PotentialSymmetry {
  bool translation = false;
  bool rotation = false;  // about the origin
};

// Functions of q at whose zeros E is not smooth: `count` of them, all written to `values`.
struct PotentialSwitches {
  int count = 0;
  std::function<void(const double* q, double* values)> evaluate = {};
};

// E(q) over all degrees of freedom of a system, of which there may be at most kMost; its Hessian is
// dense.
class SmallPotential final : public Energy, public DiscreteGradient, public KnowsLengths {
 public:
  static constexpr int kMost = 24;

  // Returns E(q). Writes ∇E and ∇²E (all entries, columns one after the other) where not null.
  using Function = std::function<double(const double* q, double* gradient, double* hessian)>;

  // Throws Error for more degrees of freedom than kMost.
  SmallPotential(int vertices, int dimension, Function function, PotentialSymmetry symmetry = {},
                 PotentialSwitches switches = {});

  [[nodiscard]] EnergyKind kind() const override { return EnergyKind::potential; }
  [[nodiscard]] Stencils stencils() const override {
    return {static_cast<int>(vertices_.size()), vertices_};
  }
  [[nodiscard]] bool translation_invariant() const override { return symmetry_.translation; }
  [[nodiscard]] bool rotation_invariant() const override { return symmetry_.rotation; }
  [[nodiscard]] Abilities abilities() const override {
    return {.discrete_gradient = this, .lengths = this};
  }
  void raise_own_lengths(const double* x, int dimension, const EnergyMemory* memory,
                         std::span<double> lengths) const override {
    raise_to_positions(x, dimension, memory, lengths);
  }
  [[nodiscard]] double evaluate(const Evaluation& at) const override;

  // For one point in space under rotation: in |x|². For everything else: Gonzalez's midpoint discrete
  // gradient over all coordinates, which conserves energy but not, in general, the momenta of a
  // symmetry.
  void discrete_gradient(const DiscreteEvaluation& at) const override;

 private:
  std::vector<int> vertices_;
  int dimension_;
  Function function_;
  PotentialSymmetry symmetry_;
  PotentialSwitches switches_;
};

}  // namespace lilyan
