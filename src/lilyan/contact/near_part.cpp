#include "lilyan/contact/near_part.hpp"

#include <algorithm>
#include <cmath>

#include "lilyan/contact/continuous_collision.hpp"
#include "lilyan/numeric/cubic.hpp"

namespace lilyan {
namespace {

constexpr double kRounding = 1e-9;

Vec3 middle_of_corners(const PointTriangle& z) {
  return (z.segment<3>(3) + z.segment<3>(6) + z.segment<3>(9)) / 3;
}

}  // namespace

// Seen from the middle of the corners the point goes straight on, with r + s v, and no corner is farther from there
// than at one of the ends.
NearPart::NearPart(const PointTriangle& z, const PointTriangle& d, double distance) {
  const Vec3 start = middle_of_corners(z);
  const Vec3 moved = middle_of_corners(d);
  double radius = 0;
  for (int a = 3; a < 12; a += 3) {
    const Vec3 corner = z.segment<3>(a) - start;
    radius = std::max({radius, corner.norm(), (corner + d.segment<3>(a) - moved).norm()});
  }
  const Vec3 r = z.segment<3>(0) - start;
  const Vec3 v = d.segment<3>(0) - moved;
  const double far = (1 + kRounding) * (radius + distance);
  // |r + s v|² = far²
  const double a = v.squaredNorm();
  const double b = r.dot(v);
  const double c = r.squaredNorm() - far * far;
  const double inside = b * b - a * c;
  if (inside < 0 || (c > 0 && b >= 0)) return;
  from_ = 0;
  to_ = 1;
  if (a > 0) {
    const double root = std::sqrt(inside);
    if (c > 0) from_ = c / (root - b);
    to_ = std::min(1.0, b < 0 ? (root - b) / a : b + root > 0 ? -c / (b + root) : 0.0);
  }
  if (empty()) return;
  add_plane_times(z, d);
  if (from_ > 0 && to_ < 1) breaks_[count_++] = 0.5 * (from_ + to_);
  std::sort(breaks_.begin(), breaks_.begin() + static_cast<std::ptrdiff_t>(count_));
}

void NearPart::add_plane_times(const PointTriangle& z, const PointTriangle& d) {
  const SignChanges through(volume_along(z, d), from_, to_);
  for (const double s : through.at()) {
    if (s > from_ && s < to_) breaks_[count_++] = s;
  }
}

}  // namespace lilyan
