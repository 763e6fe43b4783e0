#include "lilyan/contact/barrier.hpp"

#include <Eigen/Geometry>
#include <limits>

namespace lilyan {
namespace {

using Edges = Eigen::Matrix<double, 6, 1>;

struct Mollifier {
  double value = 1;
  Edges gradient = Edges::Zero();  // by both edges
  Eigen::Matrix<double, 6, 6> hessian = Eigen::Matrix<double, 6, 6>::Zero();
};

Mollifier mollifier(const Vec3& e, const Vec3& f, double epsilon, bool want_hessian) {
  Mollifier m;
  const double c = e.cross(f).squaredNorm();
  if (!(c < epsilon)) return m;
  const double share = c / epsilon;
  m.value = share * (2 - share);
  const double first = 2 * (1 - share) / epsilon;
  const double ee = e.squaredNorm();
  const double ff = f.squaredNorm();
  const double ef = e.dot(f);
  Edges by_c;
  by_c << 2 * (ff * e - ef * f), 2 * (ee * f - ef * e);
  m.gradient = first * by_c;
  if (!want_hessian) return m;
  const Eigen::Matrix3d one = Eigen::Matrix3d::Identity();
  m.hessian.block<3, 3>(0, 0) = 2 * (ff * one - f * f.transpose());
  m.hessian.block<3, 3>(3, 3) = 2 * (ee * one - e * e.transpose());
  m.hessian.block<3, 3>(0, 3) = 2 * (2 * e * f.transpose() - f * e.transpose() - ef * one);
  m.hessian.block<3, 3>(3, 0) = m.hessian.block<3, 3>(0, 3).transpose();
  m.hessian *= first;
  m.hessian -= (2 / (epsilon * epsilon)) * by_c * by_c.transpose();
  return m;
}

// Derivatives by the edges become derivatives by their ends.
PairCoordinates at_ends(const Edges& g) {
  PairCoordinates z;
  z << -g.head<3>(), g.head<3>(), -g.tail<3>(), g.tail<3>();
  return z;
}

PairMatrix at_ends(const Eigen::Matrix<double, 6, 6>& h) {
  PairMatrix z;
  for (int a = 0; a < 4; ++a) {
    for (int b = 0; b < 4; ++b) {
      const double sign = (a % 2 == 0) == (b % 2 == 0) ? 1 : -1;
      z.block<3, 3>(3 * a, 3 * b) = sign * h.block<3, 3>(3 * (a / 2), 3 * (b / 2));
    }
  }
  return z;
}

Vec3 edge(const PairCoordinates& z, int first) {
  return z.segment<3>(3 * first + 3) - z.segment<3>(3 * first);
}

}  // namespace

BarrierValue barrier(double gap, double reach, double stiffness) {
  if (gap >= reach) return {};
  if (!(gap > 0)) return {.value = std::numeric_limits<double>::infinity()};
  const double u = (gap / reach) * (gap / reach);
  const double left = 1 - u;
  const double by_u = -left * left * (1 + 2 * u) / (u * u);
  const double twice = 2 * left * (1 + u + u * u) / (u * u * u);
  const double slope = 2 * gap / (reach * reach);
  return {.value = stiffness * left * left * left / u,
          .first = stiffness * by_u * slope,
          .second = stiffness * (twice * slope * slope + by_u * 2 / (reach * reach))};
}

PairCoordinates BarrierPair::gather(const double* x) const {
  PairCoordinates z;
  if (!x) return PairCoordinates::Zero();
  for (std::size_t a = 0; a < 4; ++a) {
    z.segment<3>(static_cast<Eigen::Index>(3 * a)) =
        Eigen::Map<const Vec3>(x + 3 * std::ptrdiff_t{vertex[a]});
  }
  return z;
}

PairCoordinates BarrierPair::gather_positions(const double* x) const {
  PairCoordinates z = gather(x);
  const Vec3 first = z.segment<3>(0);
  for (int a = 0; a < 4; ++a) z.segment<3>(3 * a) -= first;
  return z;
}

PairBarrier::Course PairBarrier::course(const PairCoordinates& z, const PairCoordinates& d) const {
  if (pair_.kind == PairKind::point_plane) {
    const Vec3 moved = d.segment<3>(0) - d.segment<3>(3);
    return {gap(z), pair_.normal.dot(moved), 0, pair_.normal};
  }
  const PairNearest nearest = nearest_of(pair_.kind, z);
  const Vec3 r = offset(nearest, z);
  const double distance = r.norm();
  const Vec3 direction = distance > 0 ? Vec3(r / distance) : Vec3::Zero();
  const double slope = direction.dot(offset(nearest, d));
  return {pair_.gap_of(distance), pair_.inside ? -slope : slope, nearest.feature, direction};
}

double PairBarrier::energy(const PairCoordinates& z, double gap) const {
  const double value = barrier(gap, reach_, pair_.stiffness).value;
  if (pair_.kind != PairKind::edge_edge || value == 0) return value;
  return mollifier(edge(z, 0), edge(z, 2), pair_.parallel, false).value * value;
}

LocalDerivatives<12> PairBarrier::derivatives(const PairCoordinates& z, bool want_hessian) const {
  LocalDerivatives<12> e;
  const double here = gap(z);
  if (here >= reach_) return e;
  const PairDistance d = pair_distance_derivatives(pair_.kind, z, pair_.normal, want_hessian);
  const BarrierValue b = barrier(pair_.gap_of(d.value), reach_, pair_.stiffness);
  const double first = pair_.inside ? -b.first : b.first;
  e.value = b.value;
  e.gradient = first * d.gradient;
  if (want_hessian) {
    e.hessian = first * d.hessian;
    e.hessian.noalias() += b.second * d.gradient * d.gradient.transpose();
  }
  if (pair_.kind != PairKind::edge_edge) return e;
  const Vec3 e0 = edge(z, 0);
  const Vec3 e1 = edge(z, 2);
  const Mollifier m = mollifier(e0, e1, pair_.parallel, want_hessian);
  if (m.value == 1) return e;
  const PairCoordinates by_edges = at_ends(m.gradient);
  if (want_hessian) {
    e.hessian *= m.value;
    e.hessian.noalias() += e.gradient * by_edges.transpose();
    e.hessian.noalias() += by_edges * e.gradient.transpose();
    e.hessian += e.value * at_ends(m.hessian);
  }
  e.gradient = m.value * e.gradient + e.value * by_edges;
  e.value *= m.value;
  return e;
}

}  // namespace lilyan
