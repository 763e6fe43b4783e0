// Springs between pairs of vertices, with l their length and r that at rest:
//   hookean:  E = ½ k (l − r)²                                                                  (1)
//   stvk:     E = ½ k (l² − r²)²                                                                (2)
// (2) is that of Rojas, Liu, Kavan: Average Vector Field Integration for St. Venant-Kirchhoff
// Deformable Models, §5; its k is a force per length³, and 4 k r² the stiffness of small stretches.
// Its force is a cubic polynomial, so that AVF's two Gauss points conserve energy exactly.
//
// As a function ψ(s) of s = l² = |e|², e the spring's edge,
//   ∂E/∂e = 2ψ' e,   ∂²E/∂e² = 2ψ' I + 4ψ'' e eᵀ                                                (3)
// The discrete gradient has  Δs = 2e½·d  exactly, and with σ = (ψ₁ − ψ₀)/Δs it is
//   ∇̄E = 2σ e½                                                                                  (4)
// along the spring's midpoint direction, hence without torque about it. In s the difference
// quotients have no cancellation:
//   hookean:  σ = ½k (1 − 2r/(l₀+l₁))                                                           (5)
//   stvk:     σ = ½k (s₀ + s₁ − 2r²)                                                            (6)
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lilyan/assemble/elements.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/physics/energies.hpp"

namespace lilyan {
namespace {

// ψ, ψ' and ψ'' at s.
struct SpringTerms {
  double value;
  double first;
  double second;
};
// σ and ∂σ/∂s₁ of (4).
struct SpringQuotient {
  double sigma;
  double by_end;
};

struct HookeanSpring {
  static constexpr int kForceDegree = -1;  // not a polynomial
  // A spring of length zero has no direction: its force is taken as zero, its curvature as that
  // of a spring of this share of the rest length.
  static constexpr double kShortest = 1e-12;
  double k;
  double r;

  [[nodiscard]] SpringTerms terms(double s) const {
    const double l = std::sqrt(s);
    if (r == 0) return {0.5 * k * s, 0.5 * k, 0};
    const double inverse = 1 / std::max(l, kShortest * r);
    return {0.5 * k * (l - r) * (l - r), 0.5 * k * (1 - r * inverse),
            0.25 * k * r * inverse * inverse * inverse};  // (1)
  }
  [[nodiscard]] SpringQuotient quotient(double s0, double s1) const {
    if (r == 0) return {0.5 * k, 0};
    const double l1 = std::max(std::sqrt(s1), kShortest * r);
    const double sum = std::sqrt(s0) + l1;
    return {0.5 * k * (1 - 2 * r / sum), 0.5 * k * r / (sum * sum * l1)};  // (5)
  }
};

struct StvkSpring {
  static constexpr int kForceDegree = 3;
  double k;
  double r;

  [[nodiscard]] SpringTerms terms(double s) const {
    const double stretch = s - r * r;
    return {0.5 * k * stretch * stretch, k * stretch, k};  // (2)
  }
  [[nodiscard]] SpringQuotient quotient(double s0, double s1) const {
    return {0.5 * k * (s0 + s1 - 2 * r * r), 0.5 * k};  // (6)
  }
};

template <class Law>
struct SpringElement {
  static constexpr int kVertices = 2;
  static constexpr LocalCoordinates kCoordinates = LocalCoordinates::edges;
  static constexpr int kForceDegree = Law::kForceDegree;
  static constexpr int kStress = 1;
  using Number = Eigen::Matrix<double, 1, 1>;
  Law law;

  double evaluate(const Vec3& e, Vec3* gradient, Eigen::Matrix3d* hessian) const {
    const SpringTerms t = law.terms(e.squaredNorm());
    if (gradient) *gradient = 2 * t.first * e;
    if (hessian) *hessian = along(4 * t.second, e, e, 2 * t.first);  // (3)
    return t.value;
  }
  void discrete(const Vec3& e0, const Vec3& d, Vec3& gradient) const {
    gradient = 2 * law.quotient(e0.squaredNorm(), (e0 + d).squaredNorm()).sigma * (e0 + 0.5 * d);
  }
  // As asked for by StrainEnergy, with s for the strain.
  static Eigen::RowVector3d strain_slope(const Vec3& e) { return 2 * e.transpose(); }
  void mean_stress(const Vec3& e0, const Vec3& d, Number& p, Number* by_end) const {
    const SpringQuotient q = law.quotient(e0.squaredNorm(), (e0 + d).squaredNorm());
    p[0] = q.sigma;
    if (by_end) *by_end << q.by_end;
  }
  static void add_stress(const Number& p, double weight, Eigen::Matrix3d& m) {
    m.diagonal().array() += 2 * weight * p[0];
  }

 private:
  // c a bᵀ + alpha I
  static Eigen::Matrix3d along(double c, const Vec3& a, const Vec3& b, double alpha) {
    Eigen::Matrix3d m = c * a * b.transpose();
    m.diagonal().array() += alpha;
    return m;
  }
};

template <class Law>
std::unique_ptr<Energy> make_springs(std::span<const Spring> springs) {
  std::vector<Element<SpringElement<Law>>> elements;
  elements.reserve(springs.size());
  for (const Spring& s : springs) {
    elements.emplace_back(SpringElement<Law>{{s.stiffness, s.length}}, std::array{s.a, s.b});
  }
  return std::make_unique<Elements<SpringElement<Law>>>(std::move(elements));
}

}  // namespace

std::unique_ptr<Energy> springs(SpringKind kind, const std::vector<Spring>& springs) {
  for (const Spring& s : springs) {
    if (s.a == s.b) throw Error(fmt::format("a spring from vertex {} to itself", s.a));
    if (!(s.stiffness > 0)) throw Error("the stiffness of a spring must be positive");
    if (!(s.length >= 0)) throw Error("the rest length of a spring must not be negative");
  }
  return kind == SpringKind::hookean ? make_springs<HookeanSpring>(springs)
                                     : make_springs<StvkSpring>(springs);
}

EnergyInfo hookean_springs_info() {
  return {.name = "springs, hookean",
          .summary = "springs between vertices, linear in their length l",
          .formula = "E = Σ ½ k (l − r)², r the length at rest"};
}

EnergyInfo stvk_springs_info() {
  return {.name = "springs, stvk",
          .summary = "springs between vertices, polynomial in the positions",
          .formula = "E = Σ ½ k (l² − r²)², l the length, r that at rest",
          .citation = "Rojas, Liu, Kavan",
          .degree = 4};
}

}  // namespace lilyan
