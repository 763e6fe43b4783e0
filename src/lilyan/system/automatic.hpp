// Lagrangians, forces and constraints from C++ functions, differentiated automatically.
//
//   const auto system = lagrangian_system<2>([](const auto& q, const auto& v) {
//     return 0.5 * (v[0] * v[0] + v[1] * v[1]) + cos(q[0] - q[1]);
//   });
//   system->add(automatic_force<2>([](const auto& q, const auto& v, const auto& t) {
//     return std::array{-0.1 * v[0], sin(t) + 0.0 * q[0]};
//   }));
//
// A function is a template over its scalar: it is called with std::array of jets (core/jet.hpp),
// of numbers and of Traced (system/structure.hpp). Write sin, not std::sin. It may branch on
// values; it must give the same for the same arguments.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "lilyan/core/jet.hpp"
#include "lilyan/core/system.hpp"
#include "lilyan/physics/small_potential.hpp"
#include "lilyan/system/structure.hpp"

namespace lilyan {
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
  [[nodiscard]] bool translation_invariant() const override { return false; }
  [[nodiscard]] bool rotation_invariant() const override { return false; }
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
