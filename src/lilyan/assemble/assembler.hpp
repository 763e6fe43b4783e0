// Sums over all energies of a system: values by kind, gradient, Hessian.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "lilyan/assemble/pattern.hpp"
#include "lilyan/core/energy.hpp"
#include "lilyan/core/types.hpp"
#include "lilyan/core/world.hpp"

namespace lilyan {

// Energies that change between steps (a moving obstacle), and those that do not.
enum class EnergyPart { all, lasting, changing };

class Assembler {
 public:
  // The system and its memory must outlive the assembler. The pattern (and with it the Hessian) is made on the
  // first call of hessian_pattern(), so explicit methods do not pay for it.
  explicit Assembler(const World& world) : world_(world), system_(world.system) {}

  // Σ value_i E(x₀+θ_i d) by kind.
  [[nodiscard]] EnergyByKind values(const Vector& x0, const Vector* d,
                                    std::span<const WeightedNode> nodes) const;
  // The same, and gradient = Σ gradient_i ∇E(x₀+θ_i d); zero at fixed vertices.
  EnergyByKind values_and_gradient(const Vector& x0, const Vector* d,
                                   std::span<const WeightedNode> nodes, Vector& gradient,
                                   const PathMeanWeights* mean = nullptr) const;
  void gradient(const Vector& x0, const Vector* d, std::span<const WeightedNode> nodes,
                Vector& gradient) const;
  // Where the nodes are a rule for the mean over the path, `mean` says so (core/energy.hpp).
  // values (of size hessian_pattern().storage()) = Σ hessian_i ∇²E(x₀+θ_i d) over free vertices.
  void hessian(const Vector& x0, const Vector& d, std::span<const WeightedNode> nodes,
               double projection, std::vector<double>& values,
               const PathMeanWeights* mean = nullptr) const;

  // Σ value_i E(x) by kind of a part of the energies, whose gradient is added to `gradient` (may be
  // null) at all vertices, fixed ones too.
  EnergyByKind add_part(EnergyPart part, const Vector& x, std::span<const WeightedNode> nodes,
                        Vector* gradient) const;

  const BlockPattern& hessian_pattern();
  [[nodiscard]] const System& system() const { return system_; }
  [[nodiscard]] const World& world() const { return world_; }

 private:
  EnergyByKind run(Evaluation at, EnergyPart part = EnergyPart::all) const;

  World world_;
  const System& system_;
  std::unique_ptr<BlockPattern> pattern_;
  std::vector<BlockSlots> slots_;
};

}  // namespace lilyan
