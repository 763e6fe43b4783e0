#include "lilyan/contact/distance.hpp"

#include <limits>

namespace lilyan {
namespace {

// The ways in which the nearest point moves along a feature, as changes of its weights of a, b, c.
struct Motions {
  int count = 0;  // none for a corner, one for an edge, two for the face
  std::array<std::array<double, 3>, 2> weights{};
};

Motions motions(Nearest feature) {
  switch (feature) {
    case Nearest::face: return {2, {{{-1, 1, 0}, {-1, 0, 1}}}};
    case Nearest::edge_ab: return {1, {{{-1, 1, 0}}}};
    case Nearest::edge_bc: return {1, {{{0, -1, 1}}}};
    case Nearest::edge_ca: return {1, {{{1, 0, -1}}}};
    default: return {};
  }
}

}  // namespace

PointTriangle pair_at(const Vector& x, int point, const std::array<int, 3>& triangle) {
  PointTriangle z;
  z << x.segment<3>(3 * point), x.segment<3>(3 * triangle[0]), x.segment<3>(3 * triangle[1]),
      x.segment<3>(3 * triangle[2]);
  return z;
}

NearestPoint nearest_point(const PointTriangle& z) {
  const Vec3 p = z.segment<3>(0);
  const Vec3 a = z.segment<3>(3);
  const Vec3 b = z.segment<3>(6);
  const Vec3 c = z.segment<3>(9);
  const Vec3 ab = b - a;
  const Vec3 ac = c - a;
  const double d1 = ab.dot(p - a);
  const double d2 = ac.dot(p - a);
  if (d1 <= 0 && d2 <= 0) return {Nearest::corner_a, {1, 0, 0}};
  const double d3 = ab.dot(p - b);
  const double d4 = ac.dot(p - b);
  if (d3 >= 0 && d4 <= d3) return {Nearest::corner_b, {0, 1, 0}};
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) {
    const double s = d1 / (d1 - d3);
    return {Nearest::edge_ab, {1 - s, s, 0}};
  }
  const double d5 = ab.dot(p - c);
  const double d6 = ac.dot(p - c);
  if (d6 >= 0 && d5 <= d6) return {Nearest::corner_c, {0, 0, 1}};
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) {
    const double s = d2 / (d2 - d6);
    return {Nearest::edge_ca, {1 - s, 0, s}};
  }
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    const double s = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    return {Nearest::edge_bc, {0, 1 - s, s}};
  }
  const double sum = va + vb + vc;
  return {Nearest::face, {va / sum, vb / sum, vc / sum}};
}

double point_triangle_distance(const PointTriangle& z) { return distance(z, nearest_point(z)); }

double distance(const PointTriangle& z, const NearestPoint& n) {
  const Vec3 q =
      n.weight[0] * z.segment<3>(3) + n.weight[1] * z.segment<3>(6) + n.weight[2] * z.segment<3>(9);
  return (z.segment<3>(0) - q).norm();
}

// With r = p − Σ wᵢ xᵢ the offset from the nearest point, c = (1, −w) and s = |r|², the nearest point is
// where s is smallest, so that moving it along its feature does not change s: ∇s = 2 r ⊗ c. When z changes
// it moves on to the new smallest s. With θ the place along the feature, eₖ = Σ (∂wᵢ/∂θₖ) xᵢ,
//   ∂²s/∂θₖ∂θₗ = 2 eₖ·eₗ,   gₖ = ∂²s/∂z∂θₖ = 2 (−eₖ ⊗ c − r ⊗ (0, ∂w/∂θₖ)),
//   ∇²s = 2 I ⊗ c cᵀ − Σ gₖ (∂²s/∂θ²)⁻¹ₖₗ gₗᵀ,                                                  (1)
// and of d = √s
//   ∇d = ∇s/(2d),   ∇²d = (∇²s/2 − ∇d ∇dᵀ)/d.                                                   (2)
PointTriangleDistance point_triangle_derivatives(const PointTriangle& z,
                                                 const NearestPoint& nearest, bool want_hessian) {
  PointTriangleDistance d;
  const std::array<double, 4> c = {1, -nearest.weight[0], -nearest.weight[1], -nearest.weight[2]};
  Vec3 r = z.segment<3>(0);
  for (int a = 1; a < 4; ++a) r += c[static_cast<std::size_t>(a)] * z.segment<3>(3 * a);
  d.value = r.norm();
  // An offset that is nothing but rounding error has no direction.
  constexpr double kRounding = 4 * std::numeric_limits<double>::epsilon();
  if (d.value <= kRounding * z.cwiseAbs().maxCoeff()) {
    d.value = 0;
    return d;
  }
  const Vec3 n = r / d.value;
  for (int a = 0; a < 4; ++a) d.gradient.segment<3>(3 * a) = c[static_cast<std::size_t>(a)] * n;
  if (!want_hessian) return d;

  // Halves of everything in (1), as (2) needs them.
  const Motions along = motions(nearest.feature);
  std::array<Vec3, 2> e;
  std::array<PointTriangle, 2> g;
  for (std::size_t k = 0; k < static_cast<std::size_t>(along.count); ++k) {
    const std::array<double, 3>& w = along.weights[k];
    e[k] = w[0] * z.segment<3>(3) + w[1] * z.segment<3>(6) + w[2] * z.segment<3>(9);
    g[k].segment<3>(0) = -e[k];
    for (int a = 1; a < 4; ++a) {
      const auto i = static_cast<std::size_t>(a);
      g[k].segment<3>(3 * a) = -c[i] * e[k] - w[i - 1] * r;
    }
  }
  for (int a = 0; a < 4; ++a) {
    for (int b = 0; b < 4; ++b) {
      const double share = c[static_cast<std::size_t>(a)] * c[static_cast<std::size_t>(b)];
      d.hessian.block<3, 3>(3 * a, 3 * b).diagonal().setConstant(share);
    }
  }
  if (along.count == 1) {
    d.hessian.noalias() -= (g[0] / e[0].squaredNorm()) * g[0].transpose();
  } else if (along.count == 2) {
    const double A = e[0].squaredNorm();
    const double B = e[0].dot(e[1]);
    const double C = e[1].squaredNorm();
    const double determinant = A * C - B * B;
    const PointTriangle first = (C * g[0] - B * g[1]) / determinant;
    const PointTriangle second = (A * g[1] - B * g[0]) / determinant;
    d.hessian.noalias() -= first * g[0].transpose();
    d.hessian.noalias() -= second * g[1].transpose();
  }
  d.hessian.noalias() -= d.gradient * d.gradient.transpose();
  d.hessian /= d.value;
  return d;
}

PointTriangleDistance point_triangle_derivatives(const PointTriangle& z, bool want_hessian) {
  return point_triangle_derivatives(z, nearest_point(z), want_hessian);
}

namespace {

Eigen::Matrix3d cross_matrix(const Vec3& a) {
  Eigen::Matrix3d m;
  m << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0;
  return m;
}

}  // namespace

// With the edges e, f of the triangle and its normal n, r = a e + b f + c n and ṙ = a ė + b ḟ + c ṅ. n is m/|m|
// with m = e × f, so ṅ is the part of ṁ/|m| across n.
std::array<Eigen::Matrix3d, 3> gap_velocity(const PointTriangle& z, const NearestPoint& nearest) {
  std::array<Eigen::Matrix3d, 3> result = {Eigen::Matrix3d::Zero(), Eigen::Matrix3d::Zero(),
                                           Eigen::Matrix3d::Zero()};
  const std::array<Vec3, 3> x = {z.segment<3>(3), z.segment<3>(6), z.segment<3>(9)};
  const Vec3 e = x[1] - x[0];
  const Vec3 f = x[2] - x[0];
  const Vec3 m = e.cross(f);
  const double area = m.norm();
  if (!(area > 1e-10 * e.norm() * f.norm())) return result;  // a needle has no normal
  Vec3 gap = z.segment<3>(0);
  for (std::size_t i = 0; i < 3; ++i) gap -= nearest.weight[i] * x[i];
  const Vec3 n = m / area;
  const double c = gap.dot(n);
  const double a = gap.cross(f).dot(n) / area;
  const double b = e.cross(gap).dot(n) / area;
  const Eigen::Matrix3d across = Eigen::Matrix3d::Identity() - n * n.transpose();
  for (std::size_t i = 0; i < 3; ++i) {
    const double share = i == 0 ? -a - b : i == 1 ? a : b;
    const Vec3 opposite = x[(i + 1) % 3] - x[(i + 2) % 3];  // ṁ = Σ vᵢ × oppositeᵢ
    result[i] = share * Eigen::Matrix3d::Identity() - (c / area) * across * cross_matrix(opposite);
  }
  return result;
}

}  // namespace lilyan
