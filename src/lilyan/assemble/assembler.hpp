// Sums over all energies and over all dissipations of a system.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "lilyan/assemble/pattern.hpp"
#include "lilyan/assemble/scatter.hpp"
#include "lilyan/base/types.hpp"
#include "lilyan/model/dissipation.hpp"
#include "lilyan/model/energy.hpp"
#include "lilyan/model/state.hpp"
#include "lilyan/model/world.hpp"

namespace lilyan {

// Energies that change between steps (a moving obstacle), and those that do not; those whose mean is not
// taken over the strain.
enum class EnergyPart { all, lasting, moving, beside_strain };

// All energies: values by kind, gradient, Hessian. Where the nodes of an evaluation are a rule for
// the mean over the path, `mean` says so (model/energy.hpp).
class Assembler {
 public:
  // The system and its memory must outlive the assembler. The pattern (and with it the Hessian) is
  // made on the first call of hessian_pattern(), so explicit methods do not pay for it. When stencils have changed
  // it grows on the next call, or by follow_stencils(), at the begin of a step.
  explicit Assembler(const World& world) : world_(world), system_(world.system) {}

  // Σ value_i E(x₀+θ_i d) by kind. Where only differences matter, energies may be counted from x₀.
  [[nodiscard]] EnergyByKind values(const Vector& x0, const Vector* d,
                                    std::span<const WeightedNode> nodes,
                                    bool from_start = false) const;
  // The same, and gradient = Σ gradient_i ∇E(x₀+θ_i d); zero at fixed vertices.
  EnergyByKind values_and_gradient(const Vector& x0, const Vector* d,
                                   std::span<const WeightedNode> nodes, Vector& gradient,
                                   const PathMeanWeights* mean = nullptr,
                                   bool from_start = false) const;
  void gradient(const Vector& x0, const Vector* d, std::span<const WeightedNode> nodes,
                Vector& gradient) const;
  // values (of size hessian_pattern().storage()) = Σ hessian_i ∇²E(x₀+θ_i d) over free vertices, negative
  // eigenvalues raised by the share `projection`: those of elements with their share of the masses where
  // these are going to be added, `beside_mass`.
  void hessian(const Vector& x0, const Vector& d, std::span<const WeightedNode> nodes,
               double projection, std::vector<double>& values,
               const PathMeanWeights* mean = nullptr, bool beside_mass = false,
               EnergyPart part = EnergyPart::all) const;

  // What an iteration for means over the strain needs (BalanceEvaluation in model/energy.hpp). The stresses σ
  // belong to this; they are those of the last renewal, which the Hessian of such a mean is about.
  //
  // Whether an energy can take its mean over the strain: it has no preferred direction, and a discrete gradient. The choice of those that do, where this is asked for: all that can, by default.
  [[nodiscard]] static bool has_strain(const Energy& energy);
  void average_strain(std::span<const char> chosen) {
    over_strain_.assign(chosen.begin(), chosen.end());
  }
  [[nodiscard]] bool averages_strain(std::size_t energy) const {
    return over_strain_.empty() ? has_strain(*system_.energies()[energy])
                                : over_strain_[energy] != 0;
  }
  // σ at x₀ (d null), at x₀ + d, or at what a direction y from there leads to. The stiffening of each energy
  // stays for the Hessians that follow.
  void renew_stress(const Vector& x0, const Vector* d, const Vector* y,
                    std::span<const double> stiffening);
  // σ = 0, so that the Hessian has no geometric part.
  void forget_stress();

  // For each degree of freedom, how large the numbers are that its forces are computed from.
  void lengths(const Vector& x, Vector& lengths) const;

  // Σ value_i E(x) by kind of a part of the energies, whose gradient is added to `gradient` (may be
  // null) at all vertices, fixed ones too.
  EnergyByKind add_part(EnergyPart part, const Vector& x, std::span<const WeightedNode> nodes,
                        Vector* gradient) const;

  const BlockPattern& hessian_pattern();
  void follow_stencils() {
    if (pattern_) hessian_pattern();
  }
  // Takes up stencils that the Hessian on the way from x0 to x0 + d needs. True when the pattern has grown.
  bool meet(const Vector& x0, const Vector& d) {
    if (!world_.stepped || !world_.stepped->meet(x0.data(), d.data())) return false;
    hessian_pattern();
    return true;
  }
  [[nodiscard]] const System& system() const { return system_; }
  [[nodiscard]] const World& world() const { return world_; }

 private:
  EnergyByKind run(Evaluation at, EnergyPart part = EnergyPart::all,
                   bool beside_mass = false) const;
  void run_over_strain(std::size_t k, const Evaluation& at) const;
  [[nodiscard]] std::vector<double> mass_to_lend(const Energy& energy) const;

  World world_;
  const System& system_;
  std::unique_ptr<BlockPattern> pattern_;
  std::uint64_t stencils_version_ = 0;  // that pattern and slots are of
  std::vector<BlockSlots> slots_;
  std::vector<std::vector<double>> lent_mass_;  // by energy and element
  std::vector<char> over_strain_;               // by energy; empty: all that can
  std::vector<std::vector<double>> stress_;     // σ, by energy; made when first needed
  std::vector<double> stiffening_;              // by energy
};

// All dissipations. R is the sum of those that look at the same velocity.
class DissipationAssembler {
 public:
  // The system and its memory must outlive this.
  explicit DissipationAssembler(const World& world);

  [[nodiscard]] bool empty() const { return lagged_.empty(); }
  [[nodiscard]] bool any(DissipationVelocity which) const;

  void begin_step(const State& start, double h);
  // Renews lagged numbers from the solved displacement; returns the largest relative change, of all and of those
  // that must settle.
  struct Renewal {
    double change = 0;
    double unsettled = 0;
  };
  Renewal renew(const State& start, const Vector& d, double h);

  // R(v), and gradient += weight ∂R/∂v; nothing is added at fixed vertices. Of those chosen only, if
  // there is a choice: one entry per dissipation.
  double value_and_gradient(DissipationVelocity which, const Vector& v, double weight,
                            Vector& gradient, std::span<const char> chosen = {});
  // values += weight ∂²R/∂v² in the places of the pattern, without some of them, if any.
  void add_hessian(DissipationVelocity which, const Vector& v, double weight, double projection,
                   const BlockPattern& pattern, std::vector<double>& values,
                   std::span<const char> without = {});
  // Power delivered to things that move by themselves, with the sign of ∂R/∂v · v over the free
  // vertices: to obstacles, and (negative, since they are not free) to prescribed vertices.
  [[nodiscard]] double driven_power(DissipationVelocity which, const Vector& v);

 private:
  [[nodiscard]] StepStart step_start(const State& start, double h) const;

  World world_;
  const System& system_;
  std::vector<std::vector<double>> lagged_;
  std::optional<bool> turns_;           // as in StepStart, found at the first step
  std::vector<BlockSlots> slots_;       // made when first needed
  std::uint64_t stencils_version_ = 0;  // that they are of
  Vector scratch_;
};

}  // namespace lilyan
