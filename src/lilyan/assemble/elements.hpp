// Potential energies made of small elements of one to four vertices: springs, triangles, hinges,
// corners of rods, anchors. One loop gathers, evaluates at the nodes, projects and scatters.
//
// A local energy is a function of N numbers of one element: the positions of its k vertices, N = 3k,
// or, where translations do not change it, the edges e_a = x_a − x_0, a = 1…k−1, N = 3(k−1). Vertex
// 0's derivatives are then minus the sums of the others'. Both are linear in x; gradients and
// Hessians are summed over the nodes of the path, made definite where asked for, and scattered once.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "lilyan/assemble/project.hpp"
#include "lilyan/assemble/scatter.hpp"
#include "lilyan/model/energy.hpp"
#include "lilyan/model/energy_abilities.hpp"
#include "lilyan/model/energy_discrete_gradient.hpp"
#include "lilyan/numeric/path_rounding.hpp"

namespace lilyan {

template <int N>
using LocalVector = Eigen::Matrix<double, N, 1>;
template <int N>
using LocalMatrix = Eigen::Matrix<double, N, N>;

// The variables of a local energy. Energies of edges are also taken to be rotation-invariant. Those of
// positions may have an origin(), the point that their positions are counted from.
enum class LocalCoordinates { positions, edges };

template <class E>
inline constexpr bool kOfEdges = E::kCoordinates == LocalCoordinates::edges;
template <class E>
inline constexpr int kLocalSize = 3 * (E::kVertices - (kOfEdges<E> ? 1 : 0));

// evaluate: the energy at z, and its derivatives where not null.
// discrete: the discrete gradient (see Energy) between z0 and z0 + d.
template <class E>
concept LocalEnergy = requires(const E& element, const LocalVector<kLocalSize<E>>& z0,
                               LocalVector<kLocalSize<E>>& gradient,
                               LocalMatrix<kLocalSize<E>>* matrix) {
  { element.evaluate(z0, &gradient, matrix) } -> std::same_as<double>;
  element.discrete(z0, z0, gradient);
};

// Local energies that are functions ψ(c) of some numbers c, a strain, that are quadratic in the edges: with
// B = ∂c/∂e they have the discrete gradient  ∇̄E = B(e½)ᵀ p̄,  p̄ a mean of ∂ψ/∂c with p̄·Δc = ψ₁ − ψ₀, the stress.
// strain_slope: B. mean_stress: p̄ and, where not null, its derivative by c₁. add_stress: m += weight Σ p ∂²c/∂e².
template <class E>
concept StrainEnergy = LocalEnergy<E> &&
    requires(const E& element, const LocalVector<kLocalSize<E>>& e, LocalVector<E::kStress>& p,
             LocalMatrix<E::kStress>* by_end, LocalMatrix<kLocalSize<E>>& m) {
  { E::strain_slope(e) } -> std::convertible_to<Eigen::Matrix<double, E::kStress, kLocalSize<E>>>;
  element.mean_stress(e, e, p, by_end);
  E::add_stress(p, 1.0, m);
};

// A local energy and its vertices, in the order the energy gives them meaning.
template <LocalEnergy E>
class Element {
 public:
  static constexpr int kVertices = E::kVertices;
  static constexpr int N = kLocalSize<E>;
  using Coordinates = LocalVector<N>;
  using Matrix = LocalMatrix<N>;
  using FullMatrix = LocalMatrix<3 * kVertices>;

  Element(const E& energy, const std::array<int, kVertices>& vertices)
      : local(energy), vertices_(vertices) {
    for (std::size_t a = 0; a < vertices.size(); ++a) {
      place_[a] =
          static_cast<int>(std::ranges::count_if(vertices, [&](int v) { return v < vertices[a]; }));
    }
  }

  E local;

  [[nodiscard]] const std::array<int, kVertices>& vertices() const { return vertices_; }

  [[nodiscard]] Coordinates gather(const double* x) const {
    Coordinates z;
    for (int a = kFirst; a < kVertices; ++a) {
      z.template segment<3>(3 * (a - kFirst)) = point(x, a);
      if constexpr (kOfEdges<E>) z.template segment<3>(3 * (a - kFirst)) -= point(x, 0);
    }
    return z;
  }
  // Of positions: seen from the element's origin, if it has one, so that no digits are lost far from the
  // world's.
  [[nodiscard]] Coordinates gather_positions(const double* x) const {
    Coordinates z = gather(x);
    if constexpr (requires { local.origin(); }) {
      for (int a = 0; a < kVertices; ++a) z.template segment<3>(3 * a) -= local.origin();
    }
    return z;
  }

  void add_gradient(const Coordinates& local_gradient, double* gradient) const {
    for (int a = kFirst; a < kVertices; ++a) {
      const auto force = local_gradient.template segment<3>(3 * (a - kFirst));
      point(gradient, a) += force;
      if constexpr (kOfEdges<E>) point(gradient, 0) -= force;
    }
  }

  // The derivatives by the local coordinates as derivatives by the vertices, in ascending order.
  [[nodiscard]] FullMatrix by_vertices(const Matrix& matrix) const {
    FullMatrix full;
    const auto block = [&](int a, int b) {
      return full.template block<3, 3>(3 * place_[static_cast<std::size_t>(a)],
                                       3 * place_[static_cast<std::size_t>(b)]);
    };
    if constexpr (kOfEdges<E>) {
      block(0, 0).setZero();
      for (int a = 1; a < kVertices; ++a) {
        block(a, 0).setZero();
        block(0, a).setZero();
      }
    }
    for (int a = kFirst; a < kVertices; ++a) {
      for (int b = kFirst; b < kVertices; ++b) {
        const auto here = matrix.template block<3, 3>(3 * (a - kFirst), 3 * (b - kFirst));
        block(a, b) = here;
        if constexpr (kOfEdges<E>) {
          block(a, 0) -= here;
          block(0, a) -= matrix.template block<3, 3>(3 * (b - kFirst), 3 * (a - kFirst));
          block(0, 0) += here;
        }
      }
    }
    return full;
  }

 private:
  static constexpr int kFirst = kOfEdges<E> ? 1 : 0;

  template <class Number>
  [[nodiscard]] auto point(Number* x, int a) const {
    using Point =
        std::conditional_t<std::is_const_v<Number>, const Eigen::Vector3d, Eigen::Vector3d>;
    return Eigen::Map<Point>(x + 3 * std::ptrdiff_t{vertices_[static_cast<std::size_t>(a)]});
  }

  std::array<int, kVertices> vertices_;
  std::array<int, kVertices> place_;  // of each among the vertices in ascending order
};

template <LocalEnergy E>
void scatter_matrix(const Element<E>& element, const typename Element<E>::Matrix& matrix,
                    const BlockSlots& slots, std::size_t number, double* values) {
  const auto full = element.by_vertices(matrix);
  add_element(
      slots, number, {.vertices = E::kVertices},
      [&](int a, int b, int r, int c) { return full(3 * a + r, 3 * b + c); }, values);
}

template <LocalEnergy E>
double evaluate_elements(std::span<const Element<E>> elements, const Evaluation& at) {
  using Coordinates = typename Element<E>::Coordinates;
  using Matrix = typename Element<E>::Matrix;
  double total = 0;
  for (std::size_t k = 0; k < elements.size(); ++k) {
    const Element<E>& element = elements[k];
    const Coordinates start = element.gather_positions(at.x0);
    Coordinates change = Coordinates::Zero();
    if (at.d) change = element.gather(at.d);
    Coordinates gradient_sum = Coordinates::Zero();
    Matrix hessian_sum;
    if (at.hessian) hessian_sum.setZero();
    for (const WeightedNode& node : at.nodes) {
      const Coordinates z = start + node.theta * change;
      Coordinates gradient;
      Matrix hessian;
      total += node.value * element.local.evaluate(z, at.gradient ? &gradient : nullptr,
                                                   at.hessian ? &hessian : nullptr);
      if (at.gradient) gradient_sum += node.gradient * gradient;
      if (at.hessian) hessian_sum += node.hessian * hessian;
    }
    if (at.gradient) element.add_gradient(gradient_sum, at.gradient);
    if (at.hessian) {
      if (at.projection > 0) raise_negative(hessian_sum.data(), Element<E>::N, at.projection);
      scatter_matrix(element, hessian_sum, *at.slots, k, at.hessian);
    }
  }
  return total;
}

template <LocalEnergy E>
void discrete_gradient_of_elements(std::span<const Element<E>> elements,
                                   const DiscreteEvaluation& at) {
  for (std::size_t k = 0; k < elements.size(); ++k) {
    const Element<E>& element = elements[k];
    typename Element<E>::Coordinates gradient;
    element.local.discrete(element.gather_positions(at.x0), element.gather(at.d), gradient);
    element.add_gradient(at.gradient_weight * gradient, at.gradient);
  }
}

// BalanceEvaluation in model/energy.hpp, with the stress p for σ.
template <StrainEnergy E>
void balance_elements(std::span<const Element<E>> elements, const BalanceEvaluation& at) {
  using Coordinates = typename Element<E>::Coordinates;
  using Matrix = typename Element<E>::Matrix;
  using Stress = LocalVector<E::kStress>;
  using Task = BalanceEvaluation::Task;
  for (std::size_t k = 0; k < elements.size(); ++k) {
    const Element<E>& element = elements[k];
    const Coordinates start = element.gather(at.x0);
    Coordinates d = Coordinates::Zero();
    if (at.d) d = element.gather(at.d);
    const Eigen::Matrix<double, E::kStress, Element<E>::N> B = E::strain_slope(start + 0.5 * d);
    Stress p;
    LocalMatrix<E::kStress> by_end;
    element.local.mean_stress(start, d, p, &by_end);
    if (at.task == Task::renew) {
      if (at.along) p += at.stiffening * (by_end * (B * element.gather(at.along)));
      Eigen::Map<Stress>(at.renewed + k * E::kStress) = p;
      continue;
    }
    Matrix matrix = (at.weight * at.stiffening) * (B.transpose() * by_end * B);
    E::add_stress(Eigen::Map<const Stress>(at.stress + k * E::kStress), 0.5 * at.weight, matrix);
    matrix = (0.5 * (matrix + matrix.transpose())).eval();
    if (at.projection > 0) raise_negative(matrix.data(), Element<E>::N, at.projection);
    scatter_matrix(element, matrix, *at.slots, k, at.hessian);
  }
}

// Bounds the rounding errors of an energy balance (numeric/path_rounding.hpp). A local energy is taken to be
// computed as a stable formula is: as if its coordinates, and its result, were changed by some units in their
// last place. Terms that cancel within the formula are as large as z·∂²E/∂z²·z.
template <LocalEnergy E>
class ElementRounding {
 public:
  using Coordinates = typename Element<E>::Coordinates;

  ElementRounding(const Element<E>& element, const RoundingPath& path)
      : element_(element), path_(path) {}

  [[nodiscard]] double bound() const {
    const Coordinates start = element_.gather(path_.x0);
    const Coordinates change = element_.gather(path_.d);
    const Coordinates reach = sizes(path_.reach);
    double sum = end(start, Coordinates::Zero()) +
                 end(element_.gather(path_.x1), kUnitRoundoff * sizes(path_.x1));
    for (const Node& node : path_.rule) {
      const Coordinates z = start + node.theta * change;
      Coordinates gradient;
      Matrix hessian;
      element_.local.evaluate(z, &gradient, &hessian);
      const Coordinates force = kStable * (hessian.cwiseAbs() * z.cwiseAbs() + gradient.cwiseAbs());
      sum += std::abs(node.weight) *
             (force.dot(change.cwiseAbs()) + kStable * gradient.cwiseAbs().dot(reach));
    }
    return sum;
  }
  [[nodiscard]] double stiffness() const {
    const Coordinates z = element_.gather(path_.x0);
    Coordinates gradient;
    Matrix hessian;
    element_.local.evaluate(z, &gradient, &hessian);
    return z.cwiseAbs().dot(hessian.cwiseAbs() * z.cwiseAbs());
  }

 private:
  using Matrix = typename Element<E>::Matrix;
  static constexpr double kStable = 32 * kUnitRoundoff;

  // For each local coordinate the sizes of the numbers that it is a difference of.
  [[nodiscard]] Coordinates sizes(const double* x) const {
    const auto& v = element_.vertices();
    constexpr int kFirst = kOfEdges<E> ? 1 : 0;
    Coordinates r;
    for (int a = kFirst; a < E::kVertices; ++a) {
      for (int i = 0; i < 3; ++i) {
        double size = std::abs(x[3 * v[static_cast<std::size_t>(a)] + i]);
        if constexpr (kOfEdges<E>) size += std::abs(x[3 * v[0] + i]);
        r[3 * (a - kFirst) + i] = size;
      }
    }
    return r;
  }
  // The value at z, where z is known to `position` only.
  [[nodiscard]] double end(const Coordinates& z, const Coordinates& position) const {
    Coordinates gradient;
    Matrix hessian;
    const double value = element_.local.evaluate(z, &gradient, &hessian);
    const Coordinates off = kStable * z.cwiseAbs() + position;
    return kStable * (std::abs(value) + z.cwiseAbs().dot(hessian.cwiseAbs() * z.cwiseAbs())) +
           gradient.cwiseAbs().dot(off) + off.dot(hessian.cwiseAbs() * off);
  }

  const Element<E>& element_;
  const RoundingPath& path_;
};

template <LocalEnergy E>
class Elements final : public Energy,
                       public DiscreteGradient,
                       public ForcePolynomial,
                       public KnowsLengths,
                       public KnowsPathRounding {
 public:
  explicit Elements(std::vector<Element<E>> elements) : elements_(std::move(elements)) {
    for (const Element<E>& element : elements_) {
      auto ascending = element.vertices();
      std::ranges::sort(ascending);
      vertices_.insert(vertices_.end(), ascending.begin(), ascending.end());
    }
  }

  [[nodiscard]] EnergyKind kind() const override { return EnergyKind::elastic; }
  [[nodiscard]] Stencils stencils() const override { return {E::kVertices, vertices_}; }
  [[nodiscard]] bool translation_invariant() const override {
    return kOfEdges<E>;  // even if it has none here: another process may have some
  }
  [[nodiscard]] bool rotation_invariant() const override { return translation_invariant(); }

  [[nodiscard]] double evaluate(const Evaluation& at) const override {
    return evaluate_elements(std::span<const Element<E>>(elements_), at);
  }
  [[nodiscard]] Abilities abilities() const override {
    constexpr bool kOwnLengths = requires(const Element<E>& e) { e.local.origin(); };
    return {.discrete_gradient = this,
            .polynomial = this,
            .lengths = kOwnLengths ? this : nullptr,
            .path_rounding = this};
  }
  [[nodiscard]] std::optional<int> degree_of_force() const override {
    if constexpr (requires { E::kForceDegree; }) {
      if (E::kForceDegree >= 0) return E::kForceDegree;  // (negative: not a polynomial)
    }
    return std::nullopt;
  }
  void raise_own_lengths(const double* x, int /*dimension*/, const EnergyMemory* /*memory*/,
                         std::span<double> lengths) const override {
    if constexpr (requires(const Element<E>& e) { e.local.origin(); }) {
      for (const Element<E>& element : elements_) {
        const Coordinates z = element.gather_positions(x);
        for (int a = 0; a < E::kVertices; ++a) {
          double* length = lengths.data() + 3 * std::ptrdiff_t{element.vertices()[a]};
          for (int c = 0; c < 3; ++c) length[c] = std::max(length[c], std::abs(z[3 * a + c]));
        }
      }
    } else {
      static_cast<void>(x), static_cast<void>(lengths);
    }
  }
  void discrete_gradient(const DiscreteEvaluation& at) const override {
    discrete_gradient_of_elements(std::span<const Element<E>>(elements_), at);
  }
  [[nodiscard]] std::size_t stress_numbers() const override {
    if constexpr (StrainEnergy<E>) return E::kStress * elements_.size();
    return 0;
  }
  void balance(const BalanceEvaluation& at) const override {
    if constexpr (StrainEnergy<E>) {
      balance_elements(std::span<const Element<E>>(elements_), at);
    } else {
      static_cast<void>(at);
    }
  }
  [[nodiscard]] double path_rounding(const RoundingPath& path) const override {
    double sum = 0;
    for (const Element<E>& element : elements_) sum += ElementRounding<E>(element, path).bound();
    constexpr std::array<WeightedNode, 1> kHere{{{.theta = 0, .value = 1}}};
    return sum + rounding_of_sum(elements_.size()) *
                     (std::abs(evaluate({.x0 = path.x0, .nodes = kHere})) +
                      std::abs(evaluate({.x0 = path.x1, .nodes = kHere})));
  }
  [[nodiscard]] double stiffness(const double* x) const override {
    const RoundingPath here{.x0 = x};
    double sum = 0;
    for (const Element<E>& element : elements_)
      sum += ElementRounding<E>(element, here).stiffness();
    return sum;
  }

 private:
  using Coordinates = typename Element<E>::Coordinates;
  std::vector<Element<E>> elements_;
  std::vector<int> vertices_;
};

}  // namespace lilyan
