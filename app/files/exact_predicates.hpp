// On which side a point lies, without rounding error: the signs of two determinants.
//
// Most signs are clear from the determinant in double precision and a bound on its rounding error. The others are
// computed exactly, as sums of numbers that do not overlap: J. R. Shewchuk, "Adaptive precision floating-point
// arithmetic and fast robust geometric predicates" (1997).
#pragma once

#include <array>

namespace lilyan {

using PlanePoint = std::array<double, 2>;
using SpacePoint = std::array<double, 3>;

// 1 if a, b, c turn counterclockwise, −1 if they turn clockwise, 0 if they lie on one line.
[[nodiscard]] int turn_of(const PlanePoint& a, const PlanePoint& b, const PlanePoint& c);

// 1 if d is on the side of the plane abc from which these turn counterclockwise, −1 if it is on the other side, 0 if
// the four lie in one plane. That is the sign of ((b − a) × (c − a))·(d − a).
//
// Both signs are exact for all finite coordinates where long double has a wider range than double, as on every Linux
// but that of 32-bit ARM. Elsewhere they are exact for zero and for sizes from 1e-75 to 1e90.
[[nodiscard]] int side_of(const SpacePoint& a, const SpacePoint& b, const SpacePoint& c,
                          const SpacePoint& d);

}  // namespace lilyan
