// Lagrangians for the tests.
#pragma once

#include <cmath>

#include "lilyan/lagrangian/automatic.hpp"
#include "lilyan/model/state.hpp"

namespace lilyan::test {

// Two unit masses on unit rods, in their angles from below.
struct DoublePendulum {
  double g = 1;
  template <class Q>
  auto operator()(const Q& q, const Q& v) const {
    return v[0] * v[0] + 0.5 * v[1] * v[1] + v[0] * v[1] * cos(q[0] - q[1]) +
           g * (2.0 * cos(q[0]) + cos(q[1]));
  }
};

// A unit charge in the plane, in the field B = 1 + x² with a confining potential: the vector
// potential is A = (0, x + x³/3).
struct Charge {
  template <class Q>
  auto operator()(const Q& q, const Q& v) const {
    return 0.5 * (v[0] * v[0] + v[1] * v[1]) + (q[0] + q[0] * q[0] * q[0] / 3.0) * v[1] -
           0.25 * (q[0] * q[0] + 2.0 * q[1] * q[1]);
  }
};

// A pendulum whose support is shaken up and down.
struct ShakenPendulum {
  template <class Q, class T>
  auto operator()(const Q& q, const Q& v, const T& t) const {
    return 0.5 * v[0] * v[0] + (1.0 + 0.4 * cos(3.0 * t)) * cos(q[0]);
  }
};

// Separable, with masses.
struct TwoWells {
  template <class Q>
  auto operator()(const Q& q, const Q& v) const {
    using std::pow;
    return 0.5 * (2.0 * pow(v[0], 2) + 3.0 * v[1] * v[1]) -
           (pow(q[0], 2) / 2.0 + q[1] * q[1] + q[0] * q[0] * q[1] + 0.1 * cos(q[0] * q[1]));
  }
};

inline State state_of(std::initializer_list<double> x, std::initializer_list<double> v) {
  State s;
  s.x = Eigen::Map<const Vector>(std::data(x), static_cast<Eigen::Index>(x.size()));
  s.v = Eigen::Map<const Vector>(std::data(v), static_cast<Eigen::Index>(v.size()));
  return s;
}

}  // namespace lilyan::test
