// Potential energy and gradient at one position, remembered.
#pragma once

#include <cstdint>

#include "lilyan/assemble/assembler.hpp"
#include "lilyan/base/types.hpp"

namespace lilyan {

// The end of one step is the start of the next, so methods that need E or ∇E at both pay once. The
// key is the position itself, so a state that was changed by hand is evaluated anew; and for
// energies that change between steps the version of their memory.
class PotentialCache {
 public:
  explicit PotentialCache(const Assembler& assembler);

  const EnergyByKind& values(const Vector& x);
  const Vector& gradient(const Vector& x);  // the values come along at no extra pass
  // Values at the position last asked about.
  [[nodiscard]] const EnergyByKind& last_values() const { return values_; }
  [[nodiscard]] const Vector& last_gradient() const { return gradient_; }
  // Whether the values at x are known.
  [[nodiscard]] bool holds(const Vector& x) const {
    return has_values_ && version_ == assembler_.world().version() && same_everywhere(x_, x);
  }

  // Whether two vectors are the same, bit for bit.
  [[nodiscard]] static bool same(const Vector& a, const Vector& b);
  // In all processes, where several share the system.
  [[nodiscard]] bool same_everywhere(const Vector& a, const Vector& b) const;

 private:
  void remember(const Vector& x);
  void evaluate_lasting(bool gradient);

  const Assembler& assembler_;
  bool has_moving_;            // some energies change between steps
  std::uint64_t version_ = 0;  // of their memory
  Vector x_;
  EnergyByKind values_{};
  Vector gradient_;
  bool has_values_ = false;
  bool has_gradient_ = false;
  // Values of the energies that do not change, where there are others.
  EnergyByKind lasting_values_{};
  Vector lasting_gradient_;
  bool has_lasting_values_ = false;
  bool has_lasting_gradient_ = false;
};

}  // namespace lilyan
