// The hot loop over tetrahedra: elements outside, nodes inside, one scatter.
//
// F is linear in x, so along the path x₀ + θ d it is F₀ + θ dF. Stress and tangent are summed over
// the nodes as a 3×3 and a symmetric 9×9 matrix, which is cheap; the expensive transformation to
// vertices and the scatter happen once however many nodes there are. With gᵃ the gradient of the
// shape function of vertex a and A = Σ w ∂P/∂F,
//   ∂E/∂x_a = V P gᵃ,   ∂²E/∂x_a∂x_b = V (gᵃ)ⱼ A_ij,kl (gᵇ)ₗ,   Σ_a gᵃ = 0.
#pragma once

#include <span>

#include "lilyan/assemble/lanes.hpp"
#include "lilyan/assemble/project.hpp"
#include "lilyan/core/energy.hpp"
#include "lilyan/core/mat3.hpp"

namespace lilyan {

// Rest data of a group of kLanes tets, one per lane; unused lanes of the last group repeat its
// first tet with zero volume.
struct TetGroup {
  Mat3<Pack> inverse_rest;  // D_m⁻¹; its rows are the gradients gᵃ of vertices 1, 2, 3
  Pack volume;
  int vertex[4][kLanes];  // ascending in each lane
  int lanes;              // how many are used
};

// Edge matrix D_s of each lane's tet: column a−1 is x_a − x_0.
inline Mat3<Pack> gather_edges(const TetGroup& g, const double* x) {
  Mat3<Pack> edges;
  for (int lane = 0; lane < kLanes; ++lane) {
    const double* origin = x + 3 * static_cast<std::ptrdiff_t>(g.vertex[0][lane]);
    for (int a = 0; a < 3; ++a) {
      const double* p = x + 3 * static_cast<std::ptrdiff_t>(g.vertex[a + 1][lane]);
      for (int i = 0; i < 3; ++i) edges(i, a)[lane] = p[i] - origin[i];
    }
  }
  return edges;
}

inline void scatter_gradient(const TetGroup& g, const Mat3<Pack>& stress, double* gradient) {
  Pack force[4][3];
  for (int i = 0; i < 3; ++i) {
    for (int a = 0; a < 3; ++a) {
      force[a + 1][i] = stress(i, 0) * g.inverse_rest(a, 0) + stress(i, 1) * g.inverse_rest(a, 1) +
                        stress(i, 2) * g.inverse_rest(a, 2);
    }
    force[0][i] = -(force[1][i] + force[2][i] + force[3][i]);
  }
  for (int lane = 0; lane < g.lanes; ++lane) {
    for (int a = 0; a < 4; ++a) {
      double* target = gradient + 3 * static_cast<std::ptrdiff_t>(g.vertex[a][lane]);
      for (int i = 0; i < 3; ++i) target[i] += force[a][i][lane];
    }
  }
}

// The ten lower blocks (a,b), a ≥ b, in the order of BlockSlots.
inline void element_blocks(const TetGroup& g, const Sym9<Pack>& A, Mat3<Pack> (&block)[10]) {
  const Mat3<Pack>& G = g.inverse_rest;
  Mat3<Pack> inner[3][3];  // vertices 1..3, a ≥ b
  for (int b = 0; b < 3; ++b) {
    Pack Ag[9][3];  // A_ij,kl (gᵇ)ₗ
    for (int ij = 0; ij < 9; ++ij) {
      for (int k = 0; k < 3; ++k) {
        Ag[ij][k] = A.at(ij, 3 * k) * G(b, 0) + A.at(ij, 3 * k + 1) * G(b, 1) +
                    A.at(ij, 3 * k + 2) * G(b, 2);
      }
    }
    for (int a = b; a < 3; ++a) {
      for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
          inner[a][b](i, k) =
              G(a, 0) * Ag[3 * i][k] + G(a, 1) * Ag[3 * i + 1][k] + G(a, 2) * Ag[3 * i + 2][k];
        }
      }
    }
  }
  // Rows and columns of vertex 0 from Σ_a gᵃ = 0.
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) {
      block[1](i, k) = -(inner[0][0](i, k) + inner[1][0](k, i) + inner[2][0](k, i));
      block[2](i, k) = -(inner[1][0](i, k) + inner[1][1](i, k) + inner[2][1](k, i));
      block[3](i, k) = -(inner[2][0](i, k) + inner[2][1](i, k) + inner[2][2](i, k));
      block[0](i, k) = -(block[1](i, k) + block[2](i, k) + block[3](i, k));
    }
  }
  block[4] = inner[0][0];
  block[5] = inner[1][0];
  block[6] = inner[2][0];
  block[7] = inner[1][1];
  block[8] = inner[2][1];
  block[9] = inner[2][2];
}

inline void scatter_hessian(const TetGroup& g, const Mat3<Pack> (&block)[10], const int* position,
                            const int* column_length, double* values) {
  for (int lane = 0; lane < g.lanes; ++lane, position += 10, column_length += 4) {
    int s = 0;
    for (int b = 0; b < 4; ++b) {
      const std::ptrdiff_t length = column_length[b];
      for (int a = b; a < 4; ++a, ++s) {
        double* target = values + position[s];
        for (int c = 0; c < 3; ++c) {
          double* column = target + c * length - c * (c + 1) / 2;
          for (int r = (a == b ? c : 0); r < 3; ++r) column[r] += block[s](r, c)[lane];
        }
      }
    }
  }
}

// One group; `first` is the number of tets before it. Returns each lane's part of the value.
template <class Material>
Pack evaluate_tet_group(const Material& material, const TetGroup& g, std::ptrdiff_t first,
                        const Evaluation& at) {
  const Mat3<Pack> F0 = multiply(gather_edges(g, at.x0), g.inverse_rest);
  const Mat3<Pack> dF = at.d ? multiply(gather_edges(g, at.d), g.inverse_rest) : zero3<Pack>();
  Mat3<Pack> stress = zero3<Pack>();
  Sym9<Pack> tangent;
  if (at.hessian) tangent = zero9<Pack>();
  Pack value = {};
  for (const WeightedNode& node : at.nodes) {
    Mat3<Pack> F;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) F(i, j) = F0(i, j) + node.theta * dF(i, j);
    }
    if (at.want_value) value += node.value * material.energy(F);
    if (at.gradient) {
      const Mat3<Pack> P = material.stress(F);
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) stress(i, j) += (node.gradient * g.volume) * P(i, j);
      }
    }
    if (at.hessian) material.add_tangent(F, node.hessian * g.volume, tangent);
  }
  if (at.gradient) scatter_gradient(g, stress, at.gradient);
  if (at.hessian) {
    if (at.projection > 0) raise_negative_eigenvalues(tangent, at.projection);
    Mat3<Pack> block[10];
    element_blocks(g, tangent, block);
    scatter_hessian(g, block, at.slots->position.data() + 10 * first,
                    at.slots->column_length.data() + 4 * first, at.hessian);
  }
  return g.volume * value;
}

template <class Material>
double evaluate_tets(const Material& material, std::span<const TetGroup> groups,
                     const Evaluation& at) {
  Pack total = {};
  std::ptrdiff_t first = 0;
  for (const TetGroup& g : groups) {
    total += evaluate_tet_group(material, g, first, at);
    first += g.lanes;
  }
  return lane_sum(total);
}

// The group with the shape at `rest` as its undeformed one. Tets that are flat there (volume below
// 1e-6 of the cube of their longest edge) get none of the volume, and the shape of one that is not;
// false when there is no such one.
bool take_rest_shape(const double* rest, TetGroup& group);

// The same with another rest shape.
template <class Material>
double evaluate_tets_from(const Material& material, std::span<const TetGroup> groups,
                          const double* rest, const Evaluation& at) {
  Pack total = {};
  std::ptrdiff_t first = 0;
  for (const TetGroup& original : groups) {
    TetGroup g = original;
    if (take_rest_shape(rest, g)) total += evaluate_tet_group(material, g, first, at);
    first += g.lanes;
  }
  return lane_sum(total);
}

}  // namespace lilyan
