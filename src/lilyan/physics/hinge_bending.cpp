// Bending of triangulated sheets at their edges.
//
// Grinspun, Hirani, Desbrun, Schröder: Discrete Shells, SCA 2003. Two triangles (a,b,c) and (b,a,d)
// that share the edge e = b − a, with u = c − a and v = d − a, enclose the signed angle θ, zero
// when flat:
//   n₁ = e×u,   n₂ = v×e,   θ = atan2(−|e| e·(u×v), n₁·n₂)                                      (1)
//   E = ½ k w (θ − θ₀)²,   w = 3|e|²/A,   A the two triangles' area                             (2)
// with w and θ₀ of the rest shape; k is an energy. The difference of angles is taken on the circle,
// so that the energy jumps only where a hinge is folded half a turn away from its rest angle.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <vector>

#include "lilyan/assemble/elements.hpp"
#include "lilyan/assemble/invariant_discrete.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/numeric/jet.hpp"
#include "lilyan/physics/energies.hpp"

namespace lilyan {
namespace {

// θ depends on the edges only through  q = e·e,  D = e·(u×v)  and  c = n₁·n₂, three polynomials
// with short derivatives; only the function of these three needs jets.
struct HingeInvariants {
  Vec3 e, u, v;
  explicit HingeInvariants(const LocalVector<9>& x)
      : e(x.segment<3>(0)), u(x.segment<3>(3)), v(x.segment<3>(6)) {}

  [[nodiscard]] std::array<double, 3> values() const {
    const Vec3 n1 = e.cross(u);
    return {e.squaredNorm(), n1.dot(v), n1.dot(v.cross(e))};
  }

  // Rows: the gradients of q, D and c = (e·u)(e·v) − (e·e)(u·v).
  [[nodiscard]] Eigen::Matrix<double, 3, 9> gradients() const {
    Eigen::Matrix<double, 3, 9> J = Eigen::Matrix<double, 3, 9>::Zero();
    const double eu = e.dot(u);
    const double ev = e.dot(v);
    const double q = e.squaredNorm();
    J.block<1, 3>(0, 0) = 2 * e;
    J.block<1, 3>(1, 0) = u.cross(v);
    J.block<1, 3>(1, 3) = v.cross(e);
    J.block<1, 3>(1, 6) = e.cross(u);
    J.block<1, 3>(2, 0) = ev * u + eu * v - 2 * u.dot(v) * e;
    J.block<1, 3>(2, 3) = ev * e - q * v;
    J.block<1, 3>(2, 6) = eu * e - q * u;
    return J;
  }

  // f_q ∇²q + f_D ∇²D + f_c ∇²c, added to h.
  void add_hessians(double f_q, double f_D, double f_c, LocalMatrix<9>& h) const {
    using Matrix3 = Eigen::Matrix3d;
    const Matrix3 I = Matrix3::Identity();
    const auto skew = [](const Vec3& a) {
      Matrix3 m;
      m << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0;
      return m;
    };
    const Matrix3 ee =
        (2 * f_q - 2 * f_c * u.dot(v)) * I + f_c * (u * v.transpose() + v * u.transpose());
    const Matrix3 eu =
        f_c * (e.dot(v) * I + v * e.transpose() - 2 * e * v.transpose()) - f_D * skew(v);
    const Matrix3 ev =
        f_c * (e.dot(u) * I + u * e.transpose() - 2 * e * u.transpose()) + f_D * skew(u);
    const Matrix3 uv = f_c * (e * e.transpose() - e.squaredNorm() * I) - f_D * skew(e);
    h.block<3, 3>(0, 0) += ee;
    h.block<3, 3>(0, 3) += eu;
    h.block<3, 3>(3, 0) += eu.transpose();
    h.block<3, 3>(0, 6) += ev;
    h.block<3, 3>(6, 0) += ev.transpose();
    h.block<3, 3>(3, 6) += uv;
    h.block<3, 3>(6, 3) += uv.transpose();
  }
};

// (2) as a function of q, D and c, by (1).
template <class T>
T hinge_energy(const std::array<T, 3>& y, double half, double cos0, double sin0) {
  using std::atan2;
  using std::sqrt;
  const T sine = -(sqrt(y[0]) * y[1]);
  const T change = atan2(cos0 * sine - sin0 * y[2], cos0 * y[2] + sin0 * sine);
  return half * change * change;
}

class HingeElement {
 public:
  static constexpr int kVertices = 4;
  static constexpr LocalCoordinates kCoordinates = LocalCoordinates::edges;

  // The three edges e, u, v of the rest shape. Throws Error when a triangle has no area.
  HingeElement(double stiffness, const LocalVector<9>& rest);

  double evaluate(const LocalVector<9>& e, LocalVector<9>* gradient, LocalMatrix<9>* hessian) const;
  void discrete(const LocalVector<9>& e0, const LocalVector<9>& d, LocalVector<9>& gradient) const;

 private:
  double half_;  // ½ k w
  double cos_ = 1;
  double sin_ = 0;  // of θ₀
};

HingeElement::HingeElement(double stiffness, const LocalVector<9>& rest) {
  const HingeInvariants at(rest);
  const Vec3 n1 = at.e.cross(at.u);
  const Vec3 n2 = at.v.cross(at.e);
  if (!(n1.norm() > 0 && n2.norm() > 0)) throw Error("a triangle of a hinge has no area");
  half_ = 0.5 * stiffness * 3 * at.e.squaredNorm() / (0.5 * (n1.norm() + n2.norm()));
  const auto [q, D, c] = at.values();
  const double theta = std::atan2(-std::sqrt(q) * D, c);
  cos_ = std::cos(theta);
  sin_ = std::sin(theta);
}

double HingeElement::evaluate(const LocalVector<9>& e, LocalVector<9>* gradient,
                              LocalMatrix<9>* hessian) const {
  const HingeInvariants at(e);
  const std::array<double, 3> y = at.values();
  if (!gradient && !hessian) return hinge_energy(y, half_, cos_, sin_);
  const Jet2<3> f = hinge_energy(Jet2<3>::variables(y), half_, cos_, sin_);
  const Eigen::Matrix<double, 3, 9> J = at.gradients();
  if (gradient) *gradient = J.transpose() * Vec3(f.gradient.data());
  if (hessian) {
    Eigen::Matrix3d second;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) second(i, j) = f.hessian(i, j);
    }
    hessian->noalias() = J.transpose() * (second * J);
    at.add_hessians(f.gradient[0], f.gradient[1], f.gradient[2], *hessian);
  }
  return f.value;
}

void HingeElement::discrete(const LocalVector<9>& e0, const LocalVector<9>& d,
                            LocalVector<9>& gradient) const {
  invariant_discrete(*this, e0, d, gradient);
}

}  // namespace

std::unique_ptr<Energy> hinge_bending(double stiffness, const Vector& rest,
                                      std::span<const Hinge> hinges) {
  if (!(stiffness > 0)) throw Error("the bending stiffness must be positive");
  std::vector<Element<HingeElement>> elements;
  elements.reserve(hinges.size());
  for (const Hinge& h : hinges) {
    LocalVector<9> edges;
    for (int a = 1; a < 4; ++a) {
      edges.segment<3>(3 * (a - 1)) =
          rest.segment<3>(3 * h[static_cast<std::size_t>(a)]) - rest.segment<3>(3 * h[0]);
    }
    try {
      elements.emplace_back(HingeElement(stiffness, edges), h);
    } catch (const Error& error) {
      throw Error(fmt::format("{} (vertices {} {} {} {})", error.what(), h[0], h[1], h[2], h[3]));
    }
  }
  return std::make_unique<Elements<HingeElement>>(std::move(elements));
}

EnergyInfo hinge_bending_info() {
  return {.name = "hinge bending",
          .summary = "bending of cloth at the edges between triangles",
          .formula = "E = Σ ½ k (3|e|²/A)(θ − θ₀)², θ the angle between two triangles of area A",
          .citation = "Grinspun, Hirani, Desbrun, Schröder 2003"};
}

}  // namespace lilyan
