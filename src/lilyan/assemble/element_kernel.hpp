// The loop over elements of a few vertices: triangles, hinges, pairs of rod segments.
//
// Their energies do not change under translation, so a local energy is a function of the edges
// e_a = x_a − x_0, a = 1…k−1, of one element: 3(k−1) numbers. Vertex 0's derivatives are minus the
// sums of the others'. Edges are linear in x; gradients and Hessians are summed over the nodes of
// the path, made definite where asked for, and scattered once.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <span>

#include "lilyan/assemble/raise_negative.hpp"
#include "lilyan/core/energy.hpp"

namespace lilyan {

template <int K>
using LocalVector = Eigen::Matrix<double, 3 * (K - 1), 1>;
template <int K>
using LocalMatrix = Eigen::Matrix<double, 3 * (K - 1), 3 * (K - 1)>;

// evaluate: the energy at the given edges, and its derivatives where not null.
// discrete: the discrete gradient (see Energy) between the edges e0 and e0 + d, and where not null
// its derivative by d.
template <class E>
concept LocalEnergy = requires(const E& element, const LocalVector<E::kVertices>& e0,
                               LocalVector<E::kVertices>& gradient,
                               LocalMatrix<E::kVertices>* matrix) {
  { element.evaluate(e0, &gradient, matrix) } -> std::same_as<double>;
  element.discrete(e0, e0, gradient, matrix);
};

// A local energy and its vertices, in the order the energy gives them meaning.
template <LocalEnergy E>
struct Element {
  static constexpr int kVertices = E::kVertices;

  E local;
  std::array<int, kVertices> vertices;
  std::array<int, kVertices> place;  // of each among the vertices in ascending order

  Element(const E& energy, const std::array<int, kVertices>& at) : local(energy), vertices(at) {
    for (std::size_t a = 0; a < at.size(); ++a) {
      place[a] = static_cast<int>(std::ranges::count_if(at, [&](int v) { return v < at[a]; }));
    }
  }

  [[nodiscard]] LocalVector<kVertices> edges(const double* x) const {
    const Eigen::Map<const Eigen::Vector3d> origin(x + 3 * std::ptrdiff_t{vertices[0]});
    LocalVector<kVertices> e;
    for (int a = 1; a < kVertices; ++a) {
      const std::ptrdiff_t vertex = vertices[static_cast<std::size_t>(a)];
      e.template segment<3>(3 * (a - 1)) =
          Eigen::Map<const Eigen::Vector3d>(x + 3 * vertex) - origin;
    }
    return e;
  }
};

template <LocalEnergy E>
void scatter_gradient(const Element<E>& element, const LocalVector<E::kVertices>& local,
                      double* gradient) {
  Eigen::Map<Eigen::Vector3d> origin(gradient + 3 * std::ptrdiff_t{element.vertices[0]});
  for (int a = 1; a < E::kVertices; ++a) {
    const std::ptrdiff_t vertex = element.vertices[static_cast<std::size_t>(a)];
    const auto force = local.template segment<3>(3 * (a - 1));
    Eigen::Map<Eigen::Vector3d>(gradient + 3 * vertex) += force;
    origin -= force;
  }
}

// The derivatives by the edges as derivatives by the vertices, these in ascending order.
template <LocalEnergy E>
Eigen::Matrix<double, 3 * E::kVertices, 3 * E::kVertices> by_vertices(
    const Element<E>& element, const LocalMatrix<E::kVertices>& local) {
  constexpr int kVertices = E::kVertices;
  Eigen::Matrix<double, 3 * kVertices, 3 * kVertices> full;
  const auto block = [&](int a, int b) {
    return full.template block<3, 3>(3 * element.place[static_cast<std::size_t>(a)],
                                     3 * element.place[static_cast<std::size_t>(b)]);
  };
  block(0, 0).setZero();
  for (int a = 1; a < kVertices; ++a) {
    block(a, 0).setZero();
    block(0, a).setZero();
    for (int b = 1; b < kVertices; ++b) {
      const auto here = local.template block<3, 3>(3 * (a - 1), 3 * (b - 1));
      const auto mirror = local.template block<3, 3>(3 * (b - 1), 3 * (a - 1));
      block(a, b) = here;
      block(a, 0) -= here;
      block(0, a) -= mirror;
      block(0, 0) += here;
    }
  }
  return full;
}

// Slots: BlockSlots for a symmetric matrix, FullBlockSlots for any.
template <LocalEnergy E, class Slots>
void scatter_matrix(const Element<E>& element, const LocalMatrix<E::kVertices>& local,
                    const Slots& slots, std::size_t number, double* values) {
  const auto full = by_vertices(element, local);
  add_element(
      slots, number, {.vertices = E::kVertices},
      [&](int a, int b, int r, int c) { return full(3 * a + r, 3 * b + c); }, values);
}

template <LocalEnergy E>
double evaluate_elements(std::span<const Element<E>> elements, const Evaluation& at) {
  constexpr int kVertices = E::kVertices;
  double total = 0;
  for (std::size_t k = 0; k < elements.size(); ++k) {
    const Element<E>& element = elements[k];
    const LocalVector<kVertices> start = element.edges(at.x0);
    LocalVector<kVertices> change;
    if (at.d) {
      change = element.edges(at.d);
    } else {
      change.setZero();
    }
    LocalVector<kVertices> gradient_sum;
    LocalMatrix<kVertices> hessian_sum;
    gradient_sum.setZero();
    if (at.hessian) hessian_sum.setZero();
    for (const WeightedNode& node : at.nodes) {
      const LocalVector<kVertices> e = start + node.theta * change;
      LocalVector<kVertices> gradient;
      LocalMatrix<kVertices> hessian;
      total += node.value * element.local.evaluate(e, at.gradient ? &gradient : nullptr,
                                                   at.hessian ? &hessian : nullptr);
      if (at.gradient) gradient_sum += node.gradient * gradient;
      if (at.hessian) hessian_sum += node.hessian * hessian;
    }
    if (at.gradient) scatter_gradient(element, gradient_sum, at.gradient);
    if (at.hessian) {
      if (at.projection > 0) raise_negative(hessian_sum, at.projection);
      scatter_matrix(element, hessian_sum, *at.slots, k, at.hessian);
    }
  }
  return total;
}

template <LocalEnergy E>
void discrete_gradient_of_elements(std::span<const Element<E>> elements,
                                   const DiscreteEvaluation& at) {
  constexpr int kVertices = E::kVertices;
  for (std::size_t k = 0; k < elements.size(); ++k) {
    const Element<E>& element = elements[k];
    LocalVector<kVertices> gradient;
    LocalMatrix<kVertices> jacobian;
    element.local.discrete(element.edges(at.x0), element.edges(at.d), gradient,
                           at.jacobian ? &jacobian : nullptr);
    if (at.gradient) {
      scatter_gradient<E>(element, at.gradient_weight * gradient, at.gradient);
    }
    if (at.jacobian) {
      scatter_matrix<E>(element, at.jacobian_weight * jacobian, *at.slots, k, at.jacobian);
    }
  }
}

}  // namespace lilyan
