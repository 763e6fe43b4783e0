// Potential energy and gradient at one position, remembered.
#pragma once

#include "lilyan/assemble/assembler.hpp"
#include "lilyan/core/types.hpp"

namespace lilyan {

// The end of one step is the start of the next, so methods that need E or ∇E at both pay once. The
// position itself is the key: a state changed by hand is evaluated anew.
class PotentialCache {
 public:
  explicit PotentialCache(const Assembler& assembler) : assembler_(assembler) {}

  const EnergyByKind& values(const Vector& x);
  const Vector& gradient(const Vector& x);  // the values come along at no extra pass
  void forget() { has_values_ = has_gradient_ = false; }

 private:
  void remember(const Vector& x);

  const Assembler& assembler_;
  Vector x_;
  EnergyByKind values_{};
  Vector gradient_;
  bool has_values_ = false;
  bool has_gradient_ = false;
};

}  // namespace lilyan
