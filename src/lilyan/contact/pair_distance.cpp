#include "lilyan/contact/pair_distance.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "lilyan/contact/distance.hpp"

namespace lilyan {
namespace {

auto vertex(const PairCoordinates& z, int i) { return z.segment<3>(3 * i); }

PairNearest nearest_to_triangle(const PairCoordinates& z) {
  const NearestPoint point = nearest_point(z);
  const auto& w = point.weight;
  PairNearest n{.feature = static_cast<int>(point.feature), .weight = {1, -w[0], -w[1], -w[2]}};
  const auto move = [&](std::array<double, 3> along) {
    n.change[static_cast<std::size_t>(n.motions++)] = {0, -along[0], -along[1], -along[2]};
  };
  switch (point.feature) {
    case Nearest::face:
      move({-1, 1, 0});
      move({-1, 0, 1});
      break;
    case Nearest::edge_ab: move({-1, 1, 0}); break;
    case Nearest::edge_bc: move({0, -1, 1}); break;
    case Nearest::edge_ca: move({1, 0, -1}); break;
    default: break;
  }
  return n;
}

// Where on a feature of length one the nearest point is: at one of its ends, or between them.
int place(double s) { return s <= 0 ? 0 : s >= 1 ? 2 : 1; }

// Ericson: Real-Time Collision Detection, section 5.1.9. Where edges are parallel, nearest points are not unique, and
// what is found must still be as near as any.
PairNearest nearest_of_edges(const PairCoordinates& z) {
  const Vec3 e = vertex(z, 1) - vertex(z, 0);
  const Vec3 f = vertex(z, 3) - vertex(z, 2);
  const Vec3 r = vertex(z, 0) - vertex(z, 2);
  const double ee = e.squaredNorm();
  const double ff = f.squaredNorm();
  const double ef = e.dot(f);
  const double er = e.dot(r);
  const double fr = f.dot(r);
  const auto on_e = [&](double t) {
    return ee > 0 ? std::clamp((ef * t - er) / ee, 0.0, 1.0) : 0.0;
  };
  const auto on_f = [&](double s) {
    return ff > 0 ? std::clamp((ef * s + fr) / ff, 0.0, 1.0) : 0.0;
  };
  const double determinant = ee * ff - ef * ef;
  constexpr double kParallel = 1e-14;
  double s = determinant > kParallel * ee * ff
                 ? std::clamp((ef * fr - er * ff) / determinant, 0.0, 1.0)
                 : 0.0;
  double t = on_f(s);
  s = on_e(t);
  t = on_f(s);
  const int a = place(s);
  const int b = place(t);
  PairNearest n{.feature = 3 * a + b, .weight = {1 - s, s, t - 1, -t}};
  if (a == 1) n.change[static_cast<std::size_t>(n.motions++)] = {-1, 1, 0, 0};
  if (b == 1) n.change[static_cast<std::size_t>(n.motions++)] = {0, 0, 1, -1};
  return n;
}

PairNearest nearest_to_edge(const PairCoordinates& z) {
  const Vec3 e = vertex(z, 2) - vertex(z, 1);
  const double ee = e.squaredNorm();
  const double s = ee > 0 ? std::clamp(e.dot(vertex(z, 0) - vertex(z, 1)) / ee, 0.0, 1.0) : 0.0;
  PairNearest n{.feature = place(s), .weight = {1, s - 1, -s, 0}};
  if (n.feature == 1) n.change[static_cast<std::size_t>(n.motions++)] = {0, 1, -1, 0};
  return n;
}

// c ⊗ a
PairCoordinates outer(const std::array<double, 4>& c, const Vec3& a) {
  PairCoordinates z;
  for (int i = 0; i < 4; ++i) z.segment<3>(3 * i) = c[static_cast<std::size_t>(i)] * a;
  return z;
}

PairDistance plane_distance(const PairCoordinates& z, const Vec3& normal) {
  PairDistance d{.value = normal.dot(vertex(z, 0) - vertex(z, 1))};
  d.gradient.segment<3>(0) = normal;
  d.gradient.segment<3>(3) = -normal;
  return d;
}

}  // namespace

PairNearest nearest_of(PairKind kind, const PairCoordinates& z) {
  switch (kind) {
    case PairKind::point_triangle: return nearest_to_triangle(z);
    case PairKind::edge_edge: return nearest_of_edges(z);
    case PairKind::point_edge: return nearest_to_edge(z);
    case PairKind::point_plane: return {.weight = {1, -1, 0, 0}};
  }
  return {};
}

Vec3 offset(const PairNearest& nearest, const PairCoordinates& z) {
  Vec3 r = nearest.weight[0] * vertex(z, 0);
  for (int i = 1; i < 4; ++i) r += nearest.weight[static_cast<std::size_t>(i)] * vertex(z, i);
  return r;
}

double pair_distance(PairKind kind, const PairCoordinates& z, const Vec3& normal) {
  if (kind == PairKind::point_plane) return normal.dot(vertex(z, 0) - vertex(z, 1));
  return offset(nearest_of(kind, z), z).norm();
}

PairDistance pair_distance_derivatives(PairKind kind, const PairCoordinates& z, const Vec3& normal,
                                       bool want_hessian) {
  if (kind == PairKind::point_plane) return plane_distance(z, normal);
  const PairNearest nearest = nearest_of(kind, z);
  const Vec3 r = offset(nearest, z);
  PairDistance d{.value = r.norm(), .feature = nearest.feature};
  if (!(d.value > 0)) return d;
  d.gradient = outer(nearest.weight, r / d.value);
  if (!want_hessian) return d;
  for (int a = 0; a < 4; ++a) {
    for (int b = 0; b < 4; ++b) {
      const double share =
          nearest.weight[static_cast<std::size_t>(a)] * nearest.weight[static_cast<std::size_t>(b)];
      d.hessian.block<3, 3>(3 * a, 3 * b).diagonal().setConstant(share);
    }
  }
  std::array<Vec3, 2> e;
  std::array<PairCoordinates, 2> g;
  for (std::size_t k = 0; k < static_cast<std::size_t>(nearest.motions); ++k) {
    e[k] = Vec3::Zero();
    for (int i = 0; i < 4; ++i) {
      e[k] += nearest.change[k][static_cast<std::size_t>(i)] * vertex(z, i);
    }
    g[k] = outer(nearest.weight, e[k]) + outer(nearest.change[k], r);
  }
  if (nearest.motions == 1) {
    d.hessian.noalias() -= (g[0] / e[0].squaredNorm()) * g[0].transpose();
  } else if (nearest.motions == 2) {
    const double A = e[0].squaredNorm();
    const double B = e[0].dot(e[1]);
    const double C = e[1].squaredNorm();
    // The square of the area that the two span, without the cancellation of A C − B².
    const double determinant = e[0].cross(e[1]).squaredNorm();
    if (determinant > 0) {
      const PairCoordinates first = (C * g[0] - B * g[1]) / determinant;
      const PairCoordinates second = (A * g[1] - B * g[0]) / determinant;
      d.hessian.noalias() -= first * g[0].transpose();
      d.hessian.noalias() -= second * g[1].transpose();
    }
  }
  d.hessian.noalias() -= d.gradient * d.gradient.transpose();
  d.hessian /= d.value;
  return d;
}

double relative_motion(PairKind kind, const PairCoordinates& d) {
  double most = 0;
  const auto look = [&](int i, int k) {
    most = std::max(most, (vertex(d, i) - vertex(d, k)).squaredNorm());
  };
  if (kind == PairKind::edge_edge) {
    for (const int i : {0, 1}) {
      for (const int k : {2, 3}) look(i, k);
    }
  } else {
    for (int k = 1; k < size_of(kind); ++k) look(0, k);
  }
  return std::sqrt(most);
}

// With two edges e, f of the pair and n = m/|m|, m = e × f, the offset is r = a e + b f + c n and ṙ = a ė + b ḟ + c ṅ,
// where ṅ is the part of ṁ/|m| across n. A point carries nothing, and one edge by itself turns r = a e + r⊥ with as
// little a rotation as there is, by e × ė/|e|².
std::array<Eigen::Matrix3d, 4> gap_turning(PairKind kind, const PairCoordinates& z,
                                           const PairNearest& nearest) {
  std::array<Eigen::Matrix3d, 4> turn;
  turn.fill(Eigen::Matrix3d::Zero());
  if (kind == PairKind::point_plane) return turn;
  constexpr double kNeedle = 1e-10;
  const Eigen::Matrix3d one = Eigen::Matrix3d::Identity();
  const Vec3 r = offset(nearest, z);
  if (kind == PairKind::point_edge) {
    const Vec3 e = vertex(z, 2) - vertex(z, 1);
    const double ee = e.squaredNorm();
    if (!(ee > 0)) return turn;
    // ṙ = (e × ė) × r/|e|²
    const Eigen::Matrix3d by_e = -cross_matrix(r) * cross_matrix(e) / ee;
    turn[1] = by_e;
    turn[2] = -by_e;
    return turn;
  }
  const bool edges = kind == PairKind::edge_edge;
  const std::array<double, 4> of_e =
      edges ? std::array{-1.0, 1.0, 0.0, 0.0} : std::array{0.0, -1.0, 1.0, 0.0};
  const std::array<double, 4> of_f =
      edges ? std::array{0.0, 0.0, -1.0, 1.0} : std::array{0.0, -1.0, 0.0, 1.0};
  Vec3 e = Vec3::Zero();
  Vec3 f = Vec3::Zero();
  for (int i = 0; i < 4; ++i) {
    e += of_e[static_cast<std::size_t>(i)] * vertex(z, i);
    f += of_f[static_cast<std::size_t>(i)] * vertex(z, i);
  }
  const Vec3 m = e.cross(f);
  const double area = m.norm();
  if (!(area > kNeedle * e.norm() * f.norm())) return turn;
  const Vec3 n = m / area;
  const double a = r.cross(f).dot(n) / area;
  const double b = e.cross(r).dot(n) / area;
  const double c = r.dot(n);
  const Eigen::Matrix3d across = one - n * n.transpose();
  const Eigen::Matrix3d by_e = a * one - (c / area) * across * cross_matrix(f);
  const Eigen::Matrix3d by_f = b * one + (c / area) * across * cross_matrix(e);
  for (std::size_t i = 0; i < 4; ++i) turn[i] = -(of_e[i] * by_e + of_f[i] * by_f);
  return turn;
}

}  // namespace lilyan
