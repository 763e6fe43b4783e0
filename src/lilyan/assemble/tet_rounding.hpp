// Bounds on the rounding errors of a tet's part of an energy balance (numeric/path_rounding.hpp).
//
// The material is evaluated with numbers that know their error, at both ends and at the nodes of the mean.
// F = D_s D_m⁻¹ is wrong by the rounding of edges and products, and at the end by that of the positions,
// u|x₁|; this changes ψ by at most |P + δP|:δF, where δP bounds what the same δF changes in P. So the
// errors of positions are counted with the stress there is, and a second time with the stress that they make.
#pragma once

#include <array>
#include <cmath>

#include "lilyan/assemble/tet_groups.hpp"
#include "lilyan/numeric/mat3.hpp"
#include "lilyan/numeric/path_rounding.hpp"

namespace lilyan {

class TetRounding {
 public:
  // Of the tet of this number in the batch.
  TetRounding(const TetChunks& tets, const TetBatch& batch, int number, const RoundingPath& path)
      : path_(path) {
    const int lane = number % kLanes;
    const TetGroup& group =
        tets.groups[static_cast<std::size_t>(batch.tets.first_group + number / kLanes)];
    for (std::size_t a = 0; a < 4; ++a) {
      vertices_[a] =
          tets.vertices[static_cast<std::size_t>(batch.first_vertex + group.vertex[a][lane])];
    }
    for (int i = 0; i < 3; ++i) {
      for (int a = 0; a < 3; ++a) inverse_(i, a) = group.inverse_rest[i][a][lane];
    }
    volume_ = group.volume[lane];
  }

  template <class Material>
  [[nodiscard]] double bound(const Material& material) const {
    const Mat3<Rounded> F0 = multiply(edges(path_.x0, 0), inverse_);
    const Mat3<Rounded> F1 = multiply(edges(path_.x1, kUnitRoundoff), inverse_);
    const Mat3<Rounded> dF = multiply(edges(path_.d, 0), inverse_);
    double sum = end(material, F0) + end(material, F1);
    for (const Node& node : path_.rule) {
      Mat3<Rounded> F;
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) F(i, j) = F0(i, j) + node.theta * dF(i, j);
      }
      sum += std::abs(node.weight) * work(material.stress(F), dF);
    }
    return volume_ * sum;
  }

  // F:∂²ψ/∂F²:F in sizes, at x₀: what strains of kStrain change in the stress.
  template <class Material>
  [[nodiscard]] double stiffness(const Material& material) const {
    constexpr double kStrain = 1e-8;
    Mat3<Rounded> F = multiply(edges(path_.x0, 0), inverse_);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) F(i, j).error = kStrain * std::abs(F(i, j).value);
    }
    const Mat3<Rounded> P = material.stress(F);
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) sum += P(i, j).error / kStrain * std::abs(F(i, j).value);
    }
    return volume_ * sum;
  }

 private:
  // Edges from vertex 0, of positions that are known to `position` of themselves.
  [[nodiscard]] Mat3<Rounded> edges(const double* x, double position) const {
    Mat3<Rounded> r;
    for (int a = 0; a < 3; ++a) {
      for (int i = 0; i < 3; ++i) {
        const double to = x[3 * vertices_[static_cast<std::size_t>(a) + 1] + i];
        const double from = x[3 * vertices_[0] + i];
        r(i, a) = Rounded(to, position * std::abs(to)) - Rounded(from, position * std::abs(from));
      }
    }
    return r;
  }

  // Of ψ as it is computed from F, and of F.
  template <class Material>
  [[nodiscard]] double end(const Material& material, const Mat3<Rounded>& F) const {
    Mat3<Rounded> exact;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) exact(i, j) = F(i, j).value;
    }
    double sum = material.energy(exact).error;
    const Mat3<Rounded> P = material.stress(F);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        sum += (std::abs(P(i, j).value) + P(i, j).error) * F(i, j).error;
      }
    }
    return sum;
  }

  // Error of a node's stress along dF, that of dF along the stress, and that of the products and of the few
  // sums over the elements of a vertex, in which forces meet whole displacements.
  [[nodiscard]] double work(const Mat3<Rounded>& P, const Mat3<Rounded>& dF) const {
    constexpr double kProducts = 32 * kUnitRoundoff;
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
      const double reach0 = path_.reach[3 * vertices_[0] + i];
      double force0 = 0;
      for (int a = 0; a < 3; ++a) {
        double force = 0;
        for (int j = 0; j < 3; ++j)
          force += std::abs(P(i, j).value) * std::abs(inverse_(a, j).value);
        force0 += force;
        sum += kProducts * force * path_.reach[3 * vertices_[static_cast<std::size_t>(a) + 1] + i];
      }
      sum += kProducts * force0 * reach0;
      for (int j = 0; j < 3; ++j) {
        sum += P(i, j).error * (std::abs(dF(i, j).value) + dF(i, j).error) +
               std::abs(P(i, j).value) * dF(i, j).error;
      }
    }
    return sum;
  }

  const RoundingPath& path_;
  std::array<int, 4> vertices_{};
  Mat3<Rounded> inverse_;
  double volume_ = 0;
};

}  // namespace lilyan
