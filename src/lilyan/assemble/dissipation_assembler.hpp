// Sums over all dissipations of a system.
#pragma once

#include <vector>

#include "lilyan/assemble/pattern.hpp"
#include "lilyan/core/dissipation.hpp"
#include "lilyan/core/state.hpp"
#include "lilyan/core/types.hpp"
#include "lilyan/core/world.hpp"

namespace lilyan {

// R is the sum of those that look at the same velocity.
class DissipationAssembler {
 public:
  // The system and its memory must outlive this.
  explicit DissipationAssembler(const World& world);

  [[nodiscard]] bool empty() const { return lagged_.empty(); }
  [[nodiscard]] bool any(DissipationVelocity which) const;

  void begin_step(const State& start, double h);
  // Renews lagged numbers from the solved displacement; returns the largest relative change.
  double renew(const State& start, const Vector& d, double h);

  // R(v), and gradient += weight ∂R/∂v; nothing is added at fixed vertices.
  double value_and_gradient(DissipationVelocity which, const Vector& v, double weight,
                            Vector& gradient);
  // values += weight ∂²R/∂v² in the places of the pattern.
  void add_hessian(DissipationVelocity which, const Vector& v, double weight, double projection,
                   const BlockPattern& pattern, std::vector<double>& values);
  // Power delivered to things that move by themselves, with the sign of ∂R/∂v · v over the free
  // vertices: to obstacles, and (negative, since they are not free) to prescribed vertices.
  [[nodiscard]] double driven_power(DissipationVelocity which, const Vector& v);

 private:
  [[nodiscard]] StepStart step_start(const State& start, double h) const;

  World world_;
  const System& system_;
  std::vector<std::vector<double>> lagged_;
  std::vector<BlockSlots> slots_;  // made when first needed
  Vector scratch_;
};

}  // namespace lilyan
