// Anderson's mixing for fixed-point iterations z ← z + p(z) (Anderson 1965): directions p at the last iterates
// are nearly linear in them, so the combination of iterates whose directions cancel best is a better start for
// the next one.
#pragma once

#include <array>

#include "lilyan/base/types.hpp"
#include "lilyan/model/system.hpp"

namespace lilyan {

class AndersonMixing {
 public:
  static constexpr int kDepth = 8;

  // z begins with the degrees of freedom of the system, whose masses weigh the directions.
  AndersonMixing(const System& system, Eigen::Index size);

  void forget() { known_ = 0; }
  // z += share · direction, mixed with what is known of the iterates before.
  void advance(const Vector& direction, double share, Vector& z);

 private:
  [[nodiscard]] double dot(const Vector& a, const Vector& b) const;

  const System& system_;
  int known_ = 0;  // iterates
  std::array<Vector, kDepth> iterates_,
      directions_;  // differences of those that followed one another
  Vector last_z_, last_direction_;
};

}  // namespace lilyan
