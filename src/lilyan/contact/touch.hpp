// What friction wants to know of a contact.
#pragma once

#include <array>

#include "lilyan/core/energy.hpp"
#include "lilyan/core/types.hpp"

namespace lilyan {

// One element of a contact energy: the sliding velocity is that of Σ weight_a v_a over its
// vertices, less that of an obstacle.
struct Touch {
  double pressure = 0;
  Vec3 normal = Vec3::Zero();
  std::array<double, 4> weight{};
  Vec3 velocity = Vec3::Zero();
};

class TouchSource {
 public:
  TouchSource() = default;
  TouchSource(const TouchSource&) = delete;
  TouchSource& operator=(const TouchSource&) = delete;
  virtual ~TouchSource() = default;

  [[nodiscard]] virtual Stencils touch_stencils() const = 0;  // of four vertices at most
  // Of the mean contact force of element n over the step x → x + d.
  [[nodiscard]] virtual Touch touch(std::size_t n, const double* x, const double* d) const = 0;
  [[nodiscard]] virtual bool between_bodies() const = 0;
};

}  // namespace lilyan
