// Elements of three vertices whose energy depends only on lengths and angles of their two edges:
// ψ(c) of the products  c = (e₁·e₁, e₁·e₂, e₂·e₂). That makes them invariant to rotation, and with
// p = ∂ψ/∂c, Q = ∂²ψ/∂c²,
//   J = ∂c/∂e = [2e₁ 0; e₂ e₁; 0 2e₂]                                                           (1)
//   ∂E/∂e = Jᵀp,   ∂²E/∂e² = JᵀQJ + [2p₁I p₂I; p₂I 2p₃I]                                        (2)
//
// The discrete gradient is that of tets (tet_discrete_kernel.hpp) in these products: c is quadratic
// in e, so that  Δc = J(e½) d  exactly, and with p̄ a discrete gradient of ψ,  p̄·Δc = ψ₁ − ψ₀,
//   ∇̄E = J(e½)ᵀ p̄                                                                                (3)
// has no torque about the midpoint. ψ quadratic:  p̄ = p(½(c₀+c₁)). Otherwise three Gauss points and
// the correction of what they leave (Gonzalez, CMAME 190, 2000), dropped for small Δc where it
// would be rounding error only:
//   p̄ = p_g + κ Δc,   p_g = Σ w_k p(c₀ + θ_k Δc),   κ = (ψ₁ − ψ₀ − p_g·Δc)/|Δc|²                (4)
#pragma once

#include <Eigen/Core>
#include <concepts>

#include "lilyan/assemble/elements.hpp"

namespace lilyan {

// value: ψ(c), with p and Q where not null. kQuadratic: whether ψ is a quadratic polynomial.
template <class L>
concept GramLaw = requires(const L& law, const Eigen::Vector3d& c, Eigen::Vector3d* p,
                           Eigen::Matrix3d* Q) {
  { law.value(c, p, Q) } -> std::same_as<double>;
  { L::kQuadratic } -> std::convertible_to<bool>;
};

template <GramLaw Law>
class GramElement {
 public:
  static constexpr int kVertices = 3;
  static constexpr LocalCoordinates kCoordinates = LocalCoordinates::edges;
  static constexpr int kForceDegree = Law::kQuadratic ? 3 : -1;
  static constexpr int kStress = 3;
  using Edges = LocalVector<6>;
  using Matrix = LocalMatrix<6>;

  explicit GramElement(const Law& law) : law_(law) {}

  double evaluate(const Edges& e, Edges* gradient, Matrix* hessian) const {
    Eigen::Vector3d p;
    Eigen::Matrix3d Q;
    const double value =
        law_.value(products(e), gradient || hessian ? &p : nullptr, hessian ? &Q : nullptr);
    if (gradient) *gradient = force(e, p);
    if (hessian) {
      const Eigen::Matrix<double, 3, 6> J = jacobian(e);
      hessian->noalias() = J.transpose() * Q * J;  // (2)
      add_stress(p, 1, *hessian);
    }
    return value;
  }

  void discrete(const Edges& e0, const Edges& d, Edges& gradient) const {
    Eigen::Vector3d p;
    mean_stress(e0, d, p, nullptr);
    gradient = force(e0 + 0.5 * d, p);
  }

  // As asked for by StrainEnergy, with the products c for the strain.
  [[nodiscard]] static Eigen::Matrix<double, 3, 6> strain_slope(const Edges& e) {
    return jacobian(e);
  }
  void mean_stress(const Edges& e0, const Edges& d, Eigen::Vector3d& p,
                   Eigen::Matrix3d* by_end) const {
    mean_slope(products(e0), jacobian(e0 + 0.5 * d) * d, p, by_end);
  }
  static void add_stress(const Eigen::Vector3d& p, double weight, Matrix& m) {
    for (int i = 0; i < 3; ++i) {
      m(i, i) += 2 * weight * p[0];
      m(i, i + 3) += weight * p[1];
      m(i + 3, i) += weight * p[1];
      m(i + 3, i + 3) += 2 * weight * p[2];
    }
  }

 private:
  [[nodiscard]] static Eigen::Vector3d products(const Edges& e) {
    return {e.head<3>().squaredNorm(), e.head<3>().dot(e.tail<3>()), e.tail<3>().squaredNorm()};
  }
  [[nodiscard]] static Edges force(const Edges& e, const Eigen::Vector3d& p) {
    Edges f;
    f.head<3>() = 2 * p[0] * e.head<3>() + p[1] * e.tail<3>();
    f.tail<3>() = p[1] * e.head<3>() + 2 * p[2] * e.tail<3>();
    return f;
  }
  [[nodiscard]] static Eigen::Matrix<double, 3, 6> jacobian(const Edges& e) {
    Eigen::Matrix<double, 3, 6> J;  // (1)
    J << 2 * e.head<3>().transpose(), Eigen::RowVector3d::Zero(), e.tail<3>().transpose(),
        e.head<3>().transpose(), Eigen::RowVector3d::Zero(), 2 * e.tail<3>().transpose();
    return J;
  }
  // p̄ and, where not null, ∂p_g/∂c₁.
  void mean_slope(const Eigen::Vector3d& c0, const Eigen::Vector3d& change, Eigen::Vector3d& p,
                  Eigen::Matrix3d* by_end) const {
    if constexpr (Law::kQuadratic) {
      law_.value(c0 + 0.5 * change, &p, by_end);
      if (by_end) *by_end *= 0.5;
    } else {
      constexpr double kOuter = 0.11270166537925831148;  // ½ − √(3/20)
      constexpr double kThetas[] = {kOuter, 0.5, 1 - kOuter};
      constexpr double kWeights[] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
      // A bound on Δc relative to c. Three points leave an error of its seventh power, with a factor that
      // is large where ψ changes fast: near a corner folded back, or one bent at rest made
      // straight.
      constexpr double kSmall = 1e-4;
      p.setZero();
      if (by_end) by_end->setZero();
      for (int k = 0; k < 3; ++k) {
        Eigen::Vector3d here;
        Eigen::Matrix3d slope;
        law_.value(c0 + kThetas[k] * change, &here, by_end ? &slope : nullptr);
        p += kWeights[k] * here;
        if (by_end) *by_end += kWeights[k] * kThetas[k] * slope;
      }
      const double square = change.squaredNorm();
      if (!(square > kSmall * kSmall * c0.squaredNorm())) return;
      const double kappa = (law_.value(c0 + change, nullptr, nullptr) -
                            law_.value(c0, nullptr, nullptr) - p.dot(change)) /
                           square;
      p += kappa * change;  // (4)
    }
  }

  Law law_;
};

}  // namespace lilyan
