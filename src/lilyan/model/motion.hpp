// Prescribed motion: vertices that go where they are told to.
#pragma once

#include <span>

namespace lilyan {

class Motion {
 public:
  Motion() = default;
  Motion(const Motion&) = delete;
  Motion& operator=(const Motion&) = delete;
  virtual ~Motion() = default;

  [[nodiscard]] virtual std::span<const int> vertices() const = 0;
  // Writes where these vertices are at time t; x has all coordinates of the system.
  virtual void positions(double t, double* x) const = 0;
};

}  // namespace lilyan
