// Points and vectors in space over any scalar, for formulas that are differentiated automatically.
#pragma once

#include <array>

namespace lilyan {

template <class T>
using Point3 = std::array<T, 3>;

template <class T>
Point3<T> minus(const Point3<T>& a, const Point3<T>& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
template <class T>
T dot(const Point3<T>& a, const Point3<T>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
template <class T>
Point3<T> cross(const Point3<T>& a, const Point3<T>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

}  // namespace lilyan
