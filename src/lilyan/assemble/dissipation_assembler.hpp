// Sums over all dissipations of a system.
#pragma once

#include <vector>

#include "lilyan/assemble/pattern.hpp"
#include "lilyan/core/dissipation.hpp"
#include "lilyan/core/system.hpp"
#include "lilyan/core/types.hpp"

namespace lilyan {

// R is the sum of those that look at the same velocity.
class DissipationAssembler {
 public:
  // The system must outlive this.
  explicit DissipationAssembler(const System& system);

  [[nodiscard]] bool empty() const { return kept_.empty(); }
  [[nodiscard]] bool any(DissipationVelocity which) const;

  void begin_step(const Vector& x, double h);
  // Renews what is kept from the solved displacement; the largest relative change.
  double renew(const Vector& x, const Vector& d, double h);

  // R(v), and gradient += weight ∂R/∂v; nothing is added at fixed vertices.
  double value_and_gradient(DissipationVelocity which, const Vector& v, double weight,
                            Vector& gradient);
  // values += weight ∂²R/∂v² in the places of the pattern.
  void add_hessian(DissipationVelocity which, const Vector& v, double weight, double projection,
                   const BlockPattern& pattern, std::vector<double>& values);
  // Of ∂R/∂v · v over the free vertices, what goes into things that move by themselves: obstacles,
  // and (negative, since they are not among the free) prescribed vertices.
  [[nodiscard]] double driven_power(DissipationVelocity which, const Vector& v);

 private:
  const System& system_;
  std::vector<std::vector<double>> kept_;
  std::vector<BlockSlots> slots_;  // made when first needed
  Vector scratch_;
};

}  // namespace lilyan
