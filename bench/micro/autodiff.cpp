// Value, gradient and Hessian of a pendulum of several links' Lagrangian by automatic
// differentiation: the library's Jet2 beside Boost.Math, Eigen and, where it is installed, Ceres.
//
//   cmake --preset release -DLILYAN_MICRO=ON && cmake --build --preset release --target autodiff
//   build/release/bench/micro/autodiff
//
// All evaluate the same template and must agree. They take turns; times are the best of many.
#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <boost/math/differentiation/autodiff.hpp>
#include <chrono>
#include <cmath>
#include <functional>
#include <string>
#include <tuple>
#include <unsupported/Eigen/AutoDiff>
#include <utility>
#include <vector>

#if __has_include(<ceres/jet.h>)
#include <ceres/jet.h>
#define LILYAN_HAS_CERES 1
#else
#define LILYAN_HAS_CERES 0
#endif

#include "lilyan/numeric/jet.hpp"

namespace {

// Links of length and mass one, x = (q, v): 2L = Σ |ẋₖ|² + 2(cos q₁ + … + cos qₖ) over the bobs k.
// Twice, since not all nested types take a number as a factor.
template <class Scalar, std::size_t N>
Scalar lagrangian(const std::array<Scalar, N>& x) {
  using std::cos;
  using std::sin;
  constexpr std::size_t links = N / 2;
  Scalar height = cos(x[0]);
  Scalar vx = x[links] * height;
  Scalar vy = x[links] * sin(x[0]);
  Scalar l = vx * vx + vy * vy;
  l += height + height;
  for (std::size_t k = 1; k < links; ++k) {
    const Scalar c = cos(x[k]);
    const Scalar s = sin(x[k]);
    vx += x[links + k] * c;
    vy += x[links + k] * s;
    height += c;
    l += vx * vx + vy * vy;
    l += height + height;
  }
  return l;
}

template <std::size_t N>
using Point = std::array<double, N>;

// The Hessian by rows.
template <std::size_t N>
struct Result {
  double value = 0;
  std::array<double, N> gradient{};
  std::array<double, N * N> hessian{};
};

template <std::size_t N>
Result<N> by_jet2(const Point<N>& x) {
  using J = lilyan::Jet2<static_cast<int>(N)>;
  const J l = lagrangian(J::variables(x));
  Result<N> r{l.value, l.gradient, {}};
  for (std::size_t i = 0; i < N; ++i) {
    for (std::size_t j = 0; j < N; ++j) {
      r.hessian[i * N + j] = l.hessian(static_cast<int>(i), static_cast<int>(j));
    }
  }
  return r;
}

template <std::size_t N>
Result<N> by_eigen(const Point<N>& x) {
  using Inner = Eigen::AutoDiffScalar<Eigen::Matrix<double, N, 1>>;
  using Outer = Eigen::AutoDiffScalar<Eigen::Matrix<Inner, N, 1>>;
  std::array<Outer, N> at;
  for (std::size_t i = 0; i < N; ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    at[i].value() = Inner(x[i], N, k);
    for (Eigen::Index j = 0; j < static_cast<Eigen::Index>(N); ++j) {
      at[i].derivatives()[j] = Inner(j == k ? 1.0 : 0.0);
    }
  }
  const Outer l = lagrangian(at);
  Result<N> r{.value = l.value().value()};
  for (std::size_t i = 0; i < N; ++i) {
    const auto& row = l.derivatives()[static_cast<Eigen::Index>(i)];
    r.gradient[i] = row.value();
    for (std::size_t j = 0; j < N; ++j) {
      r.hessian[i * N + j] = row.derivatives()[static_cast<Eigen::Index>(j)];
    }
  }
  return r;
}

#if LILYAN_HAS_CERES
template <std::size_t N>
Result<N> by_ceres(const Point<N>& x) {
  using Inner = ceres::Jet<double, static_cast<int>(N)>;
  using Outer = ceres::Jet<Inner, static_cast<int>(N)>;
  std::array<Outer, N> at;
  for (std::size_t i = 0; i < N; ++i) {
    const int k = static_cast<int>(i);
    at[i] = Outer(Inner(x[i], k), k);
  }
  const Outer l = lagrangian(at);
  Result<N> r{.value = l.a.a};
  for (std::size_t i = 0; i < N; ++i) {
    const Inner& row = l.v[static_cast<Eigen::Index>(i)];
    r.gradient[i] = row.a;
    for (std::size_t j = 0; j < N; ++j) r.hessian[i * N + j] = row.v[static_cast<Eigen::Index>(j)];
  }
  return r;
}
#endif

namespace boost_autodiff = boost::math::differentiation;

// All variables at once, as Boost's documentation shows it: derivatives of every mixed order up to
// two in each variable, 3ᴺ of them.
Result<4> by_boost(const Point<4>& x) {
  auto v = boost_autodiff::make_ftuple<double, 2, 2, 2, 2>(x[0], x[1], x[2], x[3]);
  using All = boost_autodiff::promote<
      std::tuple_element_t<0, decltype(v)>, std::tuple_element_t<1, decltype(v)>,
      std::tuple_element_t<2, decltype(v)>, std::tuple_element_t<3, decltype(v)>>;
  const std::array<All, 4> at{All(std::get<0>(v)), All(std::get<1>(v)), All(std::get<2>(v)),
                              All(std::get<3>(v))};
  const All l = lagrangian(at);
  Result<4> r{.value = l.derivative(0, 0, 0, 0)};
  for (std::size_t i = 0; i < 4; ++i) {
    const auto order = [&](std::size_t k, std::size_t j) {
      return static_cast<std::size_t>(k == i) + static_cast<std::size_t>(k == j);
    };
    r.gradient[i] = l.derivative(order(0, 9), order(1, 9), order(2, 9), order(3, 9));
    for (std::size_t j = 0; j < 4; ++j) {
      r.hessian[4 * i + j] = l.derivative(order(0, j), order(1, j), order(2, j), order(3, j));
    }
  }
  return r;
}

// The same by pairs of variables, two at a time: N(N+1)/2 evaluations with few derivatives each.
template <std::size_t N>
Result<N> by_boost_pairs(const Point<N>& x) {
  Result<N> r;
  for (std::size_t i = 0; i < N; ++i) {
    using Single = boost_autodiff::autodiff_fvar<double, 2>;
    std::array<Single, N> at;
    for (std::size_t k = 0; k < N; ++k) at[k] = Single(x[k]);
    at[i] = boost_autodiff::make_fvar<double, 2>(x[i]);
    const Single l = lagrangian(at);
    r.value = l.derivative(0);
    r.gradient[i] = l.derivative(1);
    r.hessian[i * N + i] = l.derivative(2);
    for (std::size_t j = 0; j < i; ++j) {
      const auto [a, b] = boost_autodiff::make_ftuple<double, 1, 1>(x[i], x[j]);
      using Pair = boost_autodiff::autodiff_fvar<double, 1, 1>;
      std::array<Pair, N> pair;
      for (std::size_t k = 0; k < N; ++k) pair[k] = Pair(x[k]);
      pair[i] = Pair(a);
      pair[j] = Pair(b);
      r.hessian[i * N + j] = r.hessian[j * N + i] = lagrangian(pair).derivative(1, 1);
    }
  }
  return r;
}

template <std::size_t N>
struct Candidate {
  std::string name;
  std::function<Result<N>(const Point<N>&)> run;
  double nanoseconds = 1e9;
};

template <std::size_t N>
double difference(const Result<N>& a, const Result<N>& b) {
  double d = std::abs(a.value - b.value);
  for (std::size_t i = 0; i < N; ++i) d = std::max(d, std::abs(a.gradient[i] - b.gradient[i]));
  for (std::size_t i = 0; i < N * N; ++i) d = std::max(d, std::abs(a.hessian[i] - b.hessian[i]));
  return d;
}

// Returns whether all agree.
template <std::size_t N>
bool compare(std::vector<Candidate<N>> candidates) {
  constexpr int kEvaluations = 300, kTurns = 100;
  Point<N> x;
  for (std::size_t i = 0; i < N; ++i) x[i] = std::sin(3.0 + static_cast<double>(i));
  for (int turn = 0; turn < kTurns; ++turn) {
    for (Candidate<N>& c : candidates) {
      const auto start = std::chrono::steady_clock::now();
      for (int k = 0; k < kEvaluations; ++k) {
        x[0] += 1e-9 * c.run(x).hessian[1];  // so that none can be left out
      }
      const std::chrono::duration<double, std::nano> spent =
          std::chrono::steady_clock::now() - start;
      c.nanoseconds = std::min(c.nanoseconds, spent.count() / kEvaluations);
    }
  }
  bool agree = true;
  const Result<N> first = candidates[0].run(x);
  for (const Candidate<N>& c : candidates) {
    const double off = difference(c.run(x), first);
    agree = agree && off < 1e-12;
    fmt::print("{} variables  {:<28} {:>10.0f} ns {:>8.1f}   differs by {:.0e}\n", N, c.name,
               c.nanoseconds, c.nanoseconds / candidates[0].nanoseconds, off);
  }
  return agree;
}

template <std::size_t N>
std::vector<Candidate<N>> candidates() {
  std::vector<Candidate<N>> all = {{"Lilyan Jet2", by_jet2<N>},
                                   {"Eigen AutoDiffScalar, nested", by_eigen<N>},
                                   {"Boost.Math autodiff, by pairs", by_boost_pairs<N>}};
#if LILYAN_HAS_CERES
  all.push_back({"Ceres Jet, nested", by_ceres<N>});
#endif
  return all;
}

}  // namespace

int main() {
  auto two_links = candidates<4>();
  two_links.push_back({"Boost.Math autodiff, at once", by_boost});
  const bool small = compare<4>(two_links);
  const bool large = compare<8>(candidates<8>());
  if (!small || !large) fmt::print("They do not agree.\n");
  return small && large ? 0 : 1;
}
