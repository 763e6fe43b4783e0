// This file is compiled with -ffp-contract=off (app/CMakeLists.txt): its sums of products must be rounded where they
// say so, or the rounding errors that it computes are not those that were made.
#include "app/files/exact_predicates.hpp"

#include <cmath>
#include <cstddef>
#include <limits>

namespace lilyan {
namespace {

// A sum of at most N numbers that do not overlap, from the smallest to the largest; zeros are left out. Its sign is that
// of the last.
template <class T, std::size_t N>
struct Expansion {
  std::array<T, N> part;
  std::size_t count = 0;

  // There is always room, except after an overflow of T.
  void add(T number) {
    if (number != 0 && count < N) part[count++] = number;
  }
  [[nodiscard]] int sign() const {
    if (count == 0) return 0;
    return part[count - 1] > 0 ? 1 : -1;
  }
};

template <class T>
struct Rounded {
  T value;
  T error;  // what rounding took: value + error is the exact result
};

template <class T>
Rounded<T> sum(T a, T b) {
  const T value = a + b;
  const T b_taken = value - a;
  const T a_taken = value - b_taken;
  return {value, (a - a_taken) + (b - b_taken)};
}

template <class T>
Rounded<T> product(T a, T b) {
  const T value = a * b;
  return {value, std::fma(a, b, -value)};
}

template <class T>
Expansion<T, 2> difference(double a, double b) {
  const Rounded<T> d = sum<T>(static_cast<T>(a), -static_cast<T>(b));
  Expansion<T, 2> result;
  result.add(d.error);
  result.add(d.value);
  return result;
}

// The numbers of both are taken in the order of their sizes.
template <class T, std::size_t N, std::size_t M>
Expansion<T, N + M> operator+(const Expansion<T, N>& a, const Expansion<T, M>& b) {
  Expansion<T, N + M> result;
  std::size_t i = 0;
  std::size_t k = 0;
  T rest = 0;
  while (i < a.count || k < b.count) {
    const bool first =
        k == b.count || (i < a.count && std::fabs(a.part[i]) <= std::fabs(b.part[k]));
    const Rounded<T> s = sum<T>(rest, first ? a.part[i++] : b.part[k++]);
    result.add(s.error);
    rest = s.value;
  }
  result.add(rest);
  return result;
}

template <class T, std::size_t N>
Expansion<T, N> operator-(Expansion<T, N> a) {
  for (std::size_t i = 0; i < a.count; ++i) a.part[i] = -a.part[i];
  return a;
}

template <class T, std::size_t N>
Expansion<T, 2 * N> operator*(const Expansion<T, N>& a, T factor) {
  Expansion<T, 2 * N> result;
  T rest = 0;
  for (std::size_t i = 0; i < a.count; ++i) {
    const Rounded<T> p = product<T>(a.part[i], factor);
    const Rounded<T> low = sum<T>(rest, p.error);
    const Rounded<T> high = sum<T>(p.value, low.value);
    result.add(low.error);
    result.add(high.error);
    rest = high.value;
  }
  result.add(rest);
  return result;
}

template <class T, std::size_t N>
Expansion<T, 4 * N> operator*(const Expansion<T, N>& a, const Expansion<T, 2>& b) {
  Expansion<T, 2 * N> low;
  Expansion<T, 2 * N> high;
  if (b.count > 0) high = a * b.part[b.count - 1];
  if (b.count > 1) low = a * b.part[0];
  return low + high;
}

template <class T>
int exact_turn(const PlanePoint& a, const PlanePoint& b, const PlanePoint& c) {
  return (difference<T>(a[0], c[0]) * difference<T>(b[1], c[1]) +
          -(difference<T>(a[1], c[1]) * difference<T>(b[0], c[0])))
      .sign();
}

template <class T>
int exact_side(const SpacePoint& a, const SpacePoint& b, const SpacePoint& c, const SpacePoint& d) {
  const auto ax = difference<T>(a[0], d[0]);
  const auto ay = difference<T>(a[1], d[1]);
  const auto az = difference<T>(a[2], d[2]);
  const auto bx = difference<T>(b[0], d[0]);
  const auto by = difference<T>(b[1], d[1]);
  const auto bz = difference<T>(b[2], d[2]);
  const auto cx = difference<T>(c[0], d[0]);
  const auto cy = difference<T>(c[1], d[1]);
  const auto cz = difference<T>(c[2], d[2]);
  const auto bc = bx * cy + -(by * cx);
  const auto ca = cx * ay + -(cy * ax);
  const auto ab = ax * by + -(ay * bx);
  // Seen from d, against the direction of ((b − a) × (c − a))·(d − a).
  return -(bc * az + ca * bz + ab * cz).sign();
}

// Whether neither a product of three differences nor the last digit of one leaves the range of double.
template <class... Points>
bool within_range(const Points&... points) {
  constexpr double kLeast = 0x1p-250;
  constexpr double kMost = 0x1p300;
  const auto one = [](double x) {
    return x == 0 || (std::fabs(x) >= kLeast && std::fabs(x) <= kMost);
  };
  const auto all = [&](const auto& point) {
    for (const double x : point) {
      if (!one(x)) return false;
    }
    return true;
  };
  return (all(points) && ...);
}

constexpr double kHalfUlp = std::numeric_limits<double>::epsilon() / 2;

}  // namespace

int turn_of(const PlanePoint& a, const PlanePoint& b, const PlanePoint& c) {
  if (!within_range(a, b, c)) return exact_turn<long double>(a, b, c);
  const double left = (a[0] - c[0]) * (b[1] - c[1]);
  const double right = (a[1] - c[1]) * (b[0] - c[0]);
  const double value = left - right;
  const double bound = (3 + 16 * kHalfUlp) * kHalfUlp * (std::fabs(left) + std::fabs(right));
  if (value > bound) return 1;
  if (-value > bound) return -1;
  return exact_turn<double>(a, b, c);
}

int side_of(const SpacePoint& a, const SpacePoint& b, const SpacePoint& c, const SpacePoint& d) {
  if (!within_range(a, b, c, d)) return exact_side<long double>(a, b, c, d);
  const double ax = a[0] - d[0];
  const double ay = a[1] - d[1];
  const double az = a[2] - d[2];
  const double bx = b[0] - d[0];
  const double by = b[1] - d[1];
  const double bz = b[2] - d[2];
  const double cx = c[0] - d[0];
  const double cy = c[1] - d[1];
  const double cz = c[2] - d[2];
  const double bxcy = bx * cy;
  const double bycx = by * cx;
  const double cxay = cx * ay;
  const double cyax = cy * ax;
  const double axby = ax * by;
  const double aybx = ay * bx;
  const double value = az * (bxcy - bycx) + bz * (cxay - cyax) + cz * (axby - aybx);
  const double size = std::fabs(az) * (std::fabs(bxcy) + std::fabs(bycx)) +
                      std::fabs(bz) * (std::fabs(cxay) + std::fabs(cyax)) +
                      std::fabs(cz) * (std::fabs(axby) + std::fabs(aybx));
  const double bound = (7 + 56 * kHalfUlp) * kHalfUlp * size;
  if (value > bound) return -1;
  if (-value > bound) return 1;
  return exact_side<double>(a, b, c, d);
}

}  // namespace lilyan
