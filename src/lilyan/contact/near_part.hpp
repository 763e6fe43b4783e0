// Which part of a straight path brings a point near a triangle, and where on it the distance has a kink.
#pragma once

#include <array>
#include <cstddef>

#include "lilyan/contact/distance.hpp"
#include "lilyan/numeric/exact_path_mean.hpp"

namespace lilyan {

// The part of the path z + s d, 0 ≤ s ≤ 1, beyond which a point and a triangle are farther apart than some distance.
class NearPart {
 public:
  NearPart(const PointTriangle& z, const PointTriangle& d, double distance);

  // Whether they are never that near.
  [[nodiscard]] bool empty() const { return !(from_ <= to_); }
  // For a mean over the path of an energy that is zero beyond. It is to be split where the point goes through the plane
  // of the triangle, where the distance may have a kink, and in the middle of a visit, which comes and goes within the
  // path: a rule would not see that it misses something there, since the energy at both ends is the same.
  [[nodiscard]] KnownPath path() const {
    return {.breaks = {breaks_.data(), count_}, .from = from_, .to = to_};
  }

 private:
  void add_plane_times(const PointTriangle& z, const PointTriangle& d);

  double from_ = 1;
  double to_ = 0;
  std::array<double, 4> breaks_{};
  std::size_t count_ = 0;
};

}  // namespace lilyan
