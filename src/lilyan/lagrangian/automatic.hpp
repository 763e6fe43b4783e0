// Lagrangians, forces and constraints from C++ functions, differentiated automatically.
//
//   const auto system = lagrangian_system<2>([](const auto& q, const auto& v) {
//     return 0.5 * (v[0] * v[0] + v[1] * v[1]) + cos(q[0] - q[1]);
//   });
//   system->add(automatic_force<2>([](const auto& q, const auto& v, const auto& t) {
//     return std::array{-0.1 * v[0], sin(t) + 0.0 * q[0]};
//   }));
//
// A function is a template over its scalar: it is called with std::array of jets (numeric/jet.hpp),
// of numbers and of Traced (below). Write sin, not std::sin. It may branch on
// values; it must give the same for the same arguments.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cmath>
#include <compare>
#include <concepts>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "lilyan/model/system.hpp"
#include "lilyan/numeric/jet.hpp"
#include "lilyan/physics/small_potential.hpp"

namespace lilyan {

// The structure of a Lagrangian given as a C++ function: whether it is separable, its masses, its
// cyclic coordinates. Found by calling it once with a scalar that keeps track of where values come
// from.

struct LagrangianStructure {
  // L = ½ Σ massᵢ vᵢ² − E(q) with constant positive masses.
  bool separable = false;
  std::vector<double> mass;
  std::vector<char> cyclic;  // per coordinate: L does not depend on it
  bool depends_on_time = false;
};

// A value together with which variables it was computed from, and its form
//   f + Σ linearᵢ vᵢ + Σ_{i≤j} squareᵢⱼ vᵢvⱼ
// with constant coefficients, where it has that form: f a constant or any function of q and t.
template <int N>
struct Traced {
  double value = 0;
  std::bitset<2 * N + 1> depends;  // on q, on v, on t
  bool other = false;              // not of that form
  bool place = false;              // f depends on q or t; otherwise it is `constant`
  double constant = 0;
  std::array<double, N> linear{};
  std::array<double, N*(N + 1) / 2> square{};

  Traced() = default;
  Traced(double c) : value(c), constant(c) {}  // NOLINT(google-explicit-constructor)

  static std::size_t index(std::size_t i, std::size_t j) {
    return i < j ? j * (j + 1) / 2 + i : i * (i + 1) / 2 + j;
  }
  static Traced position(double at, std::size_t i) {
    Traced r(at);
    r.depends.set(i);
    r.place = true;
    return r;
  }
  static Traced velocity(double at, std::size_t i) {
    Traced r(at);
    r.constant = 0;
    r.depends.set(N + i);
    r.linear[i] = 1;
    return r;
  }

  [[nodiscard]] bool is_constant() const { return depends.none(); }
  [[nodiscard]] bool without_velocity() const {
    for (std::size_t i = 0; i < N; ++i) {
      if (depends[N + i]) return false;
    }
    return true;
  }
  [[nodiscard]] bool affine() const {
    for (const double s : square) {
      if (s != 0) return false;
    }
    return !other && !place;
  }

  Traced& add(const Traced& b, double sign) {
    value += sign * b.value;
    depends |= b.depends;
    other = other || b.other;
    place = place || b.place;
    constant += sign * b.constant;
    for (std::size_t i = 0; i < linear.size(); ++i) linear[i] += sign * b.linear[i];
    for (std::size_t i = 0; i < square.size(); ++i) square[i] += sign * b.square[i];
    return *this;
  }
  Traced& scale(double c) {
    value *= c;
    constant *= c;
    for (double& a : linear) a *= c;
    for (double& a : square) a *= c;
    return *this;
  }
  // Some function of one or two values.
  static Traced of(double value, const Traced& a, const Traced& b) {
    Traced r(value);
    r.depends = a.depends | b.depends;
    if (r.depends.none()) return r;
    r.place = true;
    r.other = !r.without_velocity();
    return r;
  }
  static Traced of(double value, const Traced& a) { return of(value, a, a); }

  Traced& operator+=(const Traced& b) { return add(b, 1); }
  Traced& operator-=(const Traced& b) { return add(b, -1); }
  Traced& operator*=(const Traced& b) { return *this = *this * b; }
  Traced& operator/=(const Traced& b) { return *this = *this / b; }
  friend Traced operator+(Traced a, const Traced& b) { return a += b; }
  friend Traced operator-(Traced a, const Traced& b) { return a -= b; }
  friend Traced operator-(Traced a) { return a.scale(-1); }
  friend Traced operator+(const Traced& a) { return a; }
  friend Traced operator*(const Traced& a, const Traced& b) {
    if (a.is_constant()) return Traced(b).scale(a.value);
    if (b.is_constant()) return Traced(a).scale(b.value);
    if (!a.affine() || !b.affine()) return of(a.value * b.value, a, b);
    Traced r(a.constant * b.constant);
    r.value = a.value * b.value;
    r.depends = a.depends | b.depends;
    for (std::size_t i = 0; i < N; ++i) {
      r.linear[i] = a.constant * b.linear[i] + b.constant * a.linear[i];
      for (std::size_t j = 0; j < N; ++j) r.square[index(i, j)] += a.linear[i] * b.linear[j];
    }
    return r;
  }
  friend Traced operator/(const Traced& a, const Traced& b) {
    if (b.is_constant()) return Traced(a).scale(1 / b.value);
    return of(a.value / b.value, a, b);
  }

  // Branches go the way they would for numbers.
  friend bool operator==(const Traced& a, const Traced& b) { return a.value == b.value; }
  friend auto operator<=>(const Traced& a, const Traced& b) { return a.value <=> b.value; }

  friend Traced sqrt(const Traced& a) { return of(std::sqrt(a.value), a); }
  friend Traced exp(const Traced& a) { return of(std::exp(a.value), a); }
  friend Traced log(const Traced& a) { return of(std::log(a.value), a); }
  friend Traced sin(const Traced& a) { return of(std::sin(a.value), a); }
  friend Traced cos(const Traced& a) { return of(std::cos(a.value), a); }
  friend Traced tan(const Traced& a) { return of(std::tan(a.value), a); }
  friend Traced asin(const Traced& a) { return of(std::asin(a.value), a); }
  friend Traced acos(const Traced& a) { return of(std::acos(a.value), a); }
  friend Traced atan(const Traced& a) { return of(std::atan(a.value), a); }
  friend Traced sinh(const Traced& a) { return of(std::sinh(a.value), a); }
  friend Traced cosh(const Traced& a) { return of(std::cosh(a.value), a); }
  friend Traced tanh(const Traced& a) { return of(std::tanh(a.value), a); }
  friend Traced abs(const Traced& a) { return of(std::abs(a.value), a); }
  friend Traced atan2(const Traced& y, const Traced& x) {
    return of(std::atan2(y.value, x.value), y, x);
  }
  friend Traced pow(const Traced& a, double exponent) {
    if (exponent == 1) return a;
    if (exponent == 2) return a * a;
    return of(std::pow(a.value, exponent), a);
  }
};

namespace detail {

template <int N>
bool separable(const Traced<N>& l) {
  if (l.other || l.depends[2 * N]) return false;
  for (std::size_t i = 0; i < N; ++i) {
    if (l.linear[i] != 0) return false;
    for (std::size_t j = 0; j < i; ++j) {
      if (l.square[Traced<N>::index(i, j)] != 0) return false;
    }
    const double mass = 2 * l.square[Traced<N>::index(i, i)];
    if (!(mass > 0) || !std::isfinite(mass)) return false;
  }
  return true;
}

}  // namespace detail

// The structure of L(q, v) or L(q, v, t).
template <int N, class Function>
[[nodiscard]] LagrangianStructure lagrangian_structure(const Function& function) {
  std::array<Traced<N>, N> q, v;
  for (std::size_t i = 0; i < N; ++i) {
    q[i] = Traced<N>::position(1 + 0.1 * static_cast<double>(i), i);
    v[i] = Traced<N>::velocity(1 + 0.1 * static_cast<double>(i), i);
  }
  Traced<N> l;
  if constexpr (requires(const Traced<N>& t) { function(q, v, t); }) {
    l = function(q, v, Traced<N>::position(0, 2 * N));
  } else {
    l = function(q, v);
  }
  LagrangianStructure result;
  result.depends_on_time = l.depends[2 * N];
  result.separable = detail::separable(l);
  for (std::size_t i = 0; i < N; ++i) {
    result.cyclic.push_back(!l.depends[i]);
    if (result.separable) result.mass.push_back(2 * l.square[Traced<N>::index(i, i)]);
  }
  return result;
}

namespace detail {

// L(q, v) or L(q, v, t).
template <int N, class Function>
inline constexpr bool takes_time = std::invocable<const Function&, const std::array<double, N>&,
                                                  const std::array<double, N>&, const double&>;

template <int N, class Function, class Scalar>
auto call(const Function& function, const std::array<Scalar, N>& q, const std::array<Scalar, N>& v,
          const Scalar& t) {
  if constexpr (takes_time<N, Function>) {
    return function(q, v, t);
  } else {
    static_cast<void>(t);
    return function(q, v);
  }
}

// A point with variables 0 … N−1 for q, N … 2N−1 for v and, where there are that many, 2N for t.
template <class J, int N>
struct JetPoint {
  std::array<J, N> q, v;
  J t;

  JetPoint(double time, const double* at_q, const double* at_v) : t(time) {
    for (int i = 0; i < N; ++i) {
      q[static_cast<std::size_t>(i)] = J::variable(at_q[i], i);
      v[static_cast<std::size_t>(i)] = J::variable(at_v[i], N + i);
    }
    if constexpr (J::kVariables > 2 * N) t = J::variable(time, 2 * N);
  }
};

template <int N>
std::array<double, N> array_of(const double* values) {
  std::array<double, N> r;
  std::copy(values, values + N, r.begin());
  return r;
}

}  // namespace detail

template <int N, class Function>
class AutomaticLagrangian final : public Lagrangian {
 public:
  AutomaticLagrangian(Function function, const LagrangianStructure& structure)
      : function_(std::move(function)), structure_(structure) {}

  [[nodiscard]] int dofs() const override { return N; }
  [[nodiscard]] bool depends_on_time() const override { return structure_.depends_on_time; }
  [[nodiscard]] bool cyclic(int coordinate) const override {
    return structure_.cyclic[static_cast<std::size_t>(coordinate)];
  }
  double evaluate(double t, const double* q, const double* v,
                  const LagrangianDerivatives& d) const override {
    if (d.vv) return second(t, q, v, d);
    if (d.q || d.v || d.t) return first(t, q, v, d);
    return detail::call<N>(function_, detail::array_of<N>(q), detail::array_of<N>(v), t);
  }

 private:
  static constexpr int kVariables = detail::takes_time<N, Function> ? 2 * N + 1 : 2 * N;

  template <class J>
  static void write_first(const J& l, const LagrangianDerivatives& d) {
    if (d.q) std::copy_n(l.gradient.data(), N, d.q);
    if (d.v) std::copy_n(l.gradient.data() + N, N, d.v);
    if (d.t) *d.t = kVariables > 2 * N ? l.gradient[kVariables - 1] : 0.0;
  }
  double first(double t, const double* q, const double* v, const LagrangianDerivatives& d) const {
    const detail::JetPoint<Jet1<kVariables>, N> at(t, q, v);
    const Jet1<kVariables> l = detail::call<N>(function_, at.q, at.v, at.t);
    write_first(l, d);
    return l.value;
  }
  double second(double t, const double* q, const double* v, const LagrangianDerivatives& d) const {
    const detail::JetPoint<Jet2<kVariables>, N> at(t, q, v);
    const Jet2<kVariables> l = detail::call<N>(function_, at.q, at.v, at.t);
    write_first(l, d);
    for (int j = 0; j < N; ++j) {
      for (int i = 0; i < N; ++i) {
        d.qq[j * N + i] = l.hessian(i, j);
        d.qv[j * N + i] = l.hessian(i, N + j);
        d.vv[j * N + i] = l.hessian(N + i, N + j);
      }
    }
    return l.value;
  }

  Function function_;
  LagrangianStructure structure_;
};

// F(q, v, t) or F(q, v), an array of N.
template <int N, class Function>
class AutomaticForce final : public Force {
 public:
  explicit AutomaticForce(Function function) : function_(std::move(function)) {}

  void add(double t, const double* x, const double* v, double* force) const override {
    const auto f = detail::call<N>(function_, detail::array_of<N>(x), detail::array_of<N>(v), t);
    for (std::size_t i = 0; i < N; ++i) force[i] += f[i];
  }
  bool add_derivatives(double t, const double* x, const double* v, double* by_x,
                       double* by_v) const override {
    const auto f = jets(t, x, v);
    for (std::size_t j = 0; j < N; ++j) {
      for (std::size_t i = 0; i < N; ++i) {
        by_x[j * N + i] += f[i].gradient[j];
        by_v[j * N + i] += f[i].gradient[N + j];
      }
    }
    return true;
  }
  void add_damping(double t, const double* x, const double* v, double* diagonal) const override {
    const auto f = jets(t, x, v);
    for (std::size_t i = 0; i < N; ++i) diagonal[i] += std::max(0.0, -f[i].gradient[N + i]);
  }

 private:
  std::array<Jet1<2 * N>, N> jets(double t, const double* x, const double* v) const {
    const detail::JetPoint<Jet1<2 * N>, N> at(t, x, v);
    return detail::call<N>(function_, at.q, at.v, at.t);
  }
  Function function_;
};

// The force −∂R/∂v of a Rayleigh function R(q, v).
template <int N, class Function>
class RayleighForce final : public Force {
 public:
  explicit RayleighForce(Function function) : function_(std::move(function)) {}

  void add(double t, const double* x, const double* v, double* force) const override {
    const detail::JetPoint<Jet1<2 * N>, N> at(t, x, v);
    const Jet1<2 * N> r = function_(at.q, at.v);
    for (std::size_t i = 0; i < N; ++i) force[i] -= r.gradient[N + i];
  }
  bool add_derivatives(double t, const double* x, const double* v, double* by_x,
                       double* by_v) const override {
    const Jet2<2 * N> r = jet(t, x, v);
    for (int j = 0; j < N; ++j) {
      for (int i = 0; i < N; ++i) {
        by_x[j * N + i] -= r.hessian(N + i, j);
        by_v[j * N + i] -= r.hessian(N + i, N + j);
      }
    }
    return true;
  }
  void add_damping(double t, const double* x, const double* v, double* diagonal) const override {
    const Jet2<2 * N> r = jet(t, x, v);
    for (int i = 0; i < N; ++i) diagonal[i] += std::max(0.0, r.hessian(N + i, N + i));
  }
  [[nodiscard]] bool dissipates() const override { return true; }

 private:
  Jet2<2 * N> jet(double t, const double* x, const double* v) const {
    const detail::JetPoint<Jet2<2 * N>, N> at(t, x, v);
    return function_(at.q, at.v);
  }
  Function function_;
};

// g(q) = 0, a number or an array of M of them.
template <int N, int M, class Function>
class AutomaticConstraint final : public Constraint {
 public:
  AutomaticConstraint(std::string name, Function function, double scale)
      : name_(std::move(name)), function_(std::move(function)), scale_(scale), dofs_(N) {
    std::iota(dofs_.begin(), dofs_.end(), 0);
  }

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] int equations() const override { return M; }
  [[nodiscard]] std::span<const int> dofs() const override { return dofs_; }
  [[nodiscard]] int dimension() const override { return 0; }
  [[nodiscard]] double scale() const override { return scale_; }
  void limit(Symmetry& symmetry) const override { symmetry.clear(); }
  void evaluate(const double* x, double* values, double* jacobian) const override {
    const auto g = as_array(function_(Jet1<N>::variables(detail::array_of<N>(x))));
    for (std::size_t k = 0; k < M; ++k) {
      values[k] = g[k].value;
      if (jacobian) std::copy_n(g[k].gradient.data(), N, jacobian + k * N);
    }
  }

 private:
  static std::array<Jet1<N>, M> as_array(const Jet1<N>& one) { return {one}; }
  static std::array<Jet1<N>, M> as_array(const std::array<Jet1<N>, M>& all) { return all; }

  std::string name_;
  Function function_;
  double scale_;
  std::vector<int> dofs_;
};

template <int N, class Function>
[[nodiscard]] std::unique_ptr<Force> automatic_force(Function function) {
  return std::make_unique<AutomaticForce<N, Function>>(std::move(function));
}
template <int N, class Function>
[[nodiscard]] std::unique_ptr<Force> rayleigh_force(Function function) {
  return std::make_unique<RayleighForce<N, Function>>(std::move(function));
}
// M equations; scale: the size of the terms that g is a difference of.
template <int N, int M = 1, class Function>
[[nodiscard]] std::unique_ptr<Constraint> automatic_constraint(std::string name, Function function,
                                                               double scale = 1) {
  return std::make_unique<AutomaticConstraint<N, M, Function>>(std::move(name), std::move(function),
                                                               scale);
}

// The Lagrangian itself, whatever its structure.
template <int N, class Function>
[[nodiscard]] std::unique_ptr<Lagrangian> automatic_lagrangian(Function function) {
  const LagrangianStructure structure = lagrangian_structure<N>(function);
  return std::make_unique<AutomaticLagrangian<N, Function>>(std::move(function), structure);
}

// The system of a Lagrangian L(q, v) or L(q, v, t). Where L turns out to be ½ Σ mᵢvᵢ² − E(q) with
// constant masses it has these and the potential E, and with them every method, minimising ones
// included; otherwise it keeps L. Traced at q, v = 1, …: where L branches on values that may hide a
// term, take `System(automatic_lagrangian<N>(L))`.
template <int N, class Function>
[[nodiscard]] std::unique_ptr<System> lagrangian_system(Function function) {
  const LagrangianStructure structure = lagrangian_structure<N>(function);
  if (!structure.separable || N > SmallPotential::kMost) {
    return std::make_unique<System>(automatic_lagrangian<N>(std::move(function)));
  }
  auto system = std::make_unique<System>(structure.mass, 1);
  system->add(std::make_unique<SmallPotential>(
      N, 1, [function](const double* q, double* gradient, double* hessian) {
        const std::array<double, N> at = detail::array_of<N>(q);
        if (hessian) {
          std::array<Jet2<N>, N> rest{};
          const Jet2<N> l = detail::call<N>(function, Jet2<N>::variables(at), rest, Jet2<N>(0));
          for (std::size_t i = 0; i < N && gradient; ++i) gradient[i] = -l.gradient[i];
          for (int j = 0; j < N; ++j) {
            for (int i = 0; i < N; ++i) hessian[j * N + i] = -l.hessian(i, j);
          }
          return -l.value;
        }
        if (gradient) {
          std::array<Jet1<N>, N> rest{};
          const Jet1<N> l = detail::call<N>(function, Jet1<N>::variables(at), rest, Jet1<N>(0));
          for (std::size_t i = 0; i < N; ++i) gradient[i] = -l.gradient[i];
          return -l.value;
        }
        return -detail::call<N>(function, at, std::array<double, N>{}, 0.0);
      }));
  return system;
}

}  // namespace lilyan
