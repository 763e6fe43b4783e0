// The Hessian blocks of a tetrahedron's vertices.
//
// With gᵃ the gradient of the shape function of vertex a and A = ∂P/∂F,
//   K_ab = (gᵃ)ⱼ A_ij,kl (gᵇ)ₗ                                                                  (1)
// is the block of vertices a and b. Since Σ_a gᵃ = 0, those of vertices 1, 2, 3 say it all.
#pragma once

#include "lilyan/numeric/mat3.hpp"

namespace lilyan {

// The blocks of vertices 1, 2, 3, which are the rows 0, 1, 2 of the matrix G of gradients.
template <class T>
struct VertexBlocks {
  static constexpr int kRow[6] = {0, 1, 2, 1, 2, 2};  // of the entries of a lower triangle
  static constexpr int kColumn[6] = {0, 0, 0, 1, 1, 2};
  static constexpr int kAfter[3] = {1, 2, 2};  // rows a, b of G of the blocks below the diagonal
  static constexpr int kBefore[3] = {0, 0, 1};

  T diagonal[3][6];  // lower triangles, by columns
  T below[3][9];     // (2,1), (3,1), (3,2), each by columns

  // K_aa(r, c) for any r, c.
  [[nodiscard]] const T& on_diagonal(int a, int r, int c) const {
    constexpr int kIndex[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    return diagonal[a][kIndex[r][c]];
  }
};

// sum += term; for the first term of a sum, which then need not be set to zero before, sum = term.
template <bool kFirst, class T>
inline void accumulate(T& sum, const T& term) {
  if constexpr (kFirst) {
    sum = term;
  } else {
    sum += term;
  }
}

// Sums, over all but the last of a path's nodes, of products of two vertices' vectors. The products
// of the last node are formed when the blocks are: with one node, no sum is ever stored.
template <class T>
struct EarlierNodes {
  VertexBlocks<T> sum;

  // node.diagonal(a, e) and node.below(n, e) are the entries of the products of one node.
  template <bool kFirst, class Node>
  void add(const Node& node) {
    for (int n = 0; n < 3; ++n) {
      for (int e = 0; e < 6; ++e) accumulate<kFirst>(sum.diagonal[n][e], node.diagonal(n, e));
      for (int e = 0; e < 9; ++e) accumulate<kFirst>(sum.below[n][e], node.below(n, e));
    }
  }
};

template <class T>
inline T row_product(const Mat3<T>& G, int a, int b) {
  return G(a, 0) * G(b, 0) + G(a, 1) * G(b, 1) + G(a, 2) * G(b, 2);
}

// a bᵀ
template <class T>
inline Mat3<T> multiply_transposed(const Mat3<T>& a, const Mat3<T>& b) {
  Mat3<T> r;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      r(i, j) = a(i, 0) * b(j, 0) + a(i, 1) * b(j, 1) + a(i, 2) * b(j, 2);
    }
  }
  return r;
}

// (1) for any tangent.
template <class T>
inline void transform_tangent(const Sym9<T>& A, const Mat3<T>& G, VertexBlocks<T>& blocks) {
  for (int b = 0; b < 3; ++b) {
    T Ag[9][3];  // A_ij,kl (gᵇ)ₗ
    for (int ij = 0; ij < 9; ++ij) {
      for (int k = 0; k < 3; ++k) {
        Ag[ij][k] = A.at(ij, 3 * k) * G(b, 0) + A.at(ij, 3 * k + 1) * G(b, 1) +
                    A.at(ij, 3 * k + 2) * G(b, 2);
      }
    }
    const auto entry = [&](int a, int i, int k) {
      return G(a, 0) * Ag[3 * i][k] + G(a, 1) * Ag[3 * i + 1][k] + G(a, 2) * Ag[3 * i + 2][k];
    };
    for (int e = 0; e < 6; ++e) {
      blocks.diagonal[b][e] = entry(b, VertexBlocks<T>::kRow[e], VertexBlocks<T>::kColumn[e]);
    }
    for (int n = 0; n < 3; ++n) {
      if (VertexBlocks<T>::kBefore[n] != b) continue;
      for (int e = 0; e < 9; ++e) {
        blocks.below[n][e] = entry(VertexBlocks<T>::kAfter[n], e % 3, e / 3);
      }
    }
  }
}

// The blocks of a material as sums over nodes, by way of its tangent. A material that has a
// cheaper way brings its own such class with it, as Material::Blocks. kBefore is 0 for the first
// node, 1 for the second, 2 for all that follow; kOne says that there was one only.
template <class T>
struct TangentBlocks {
  Sym9<T> tangent = zero9<T>();

  template <int kBefore, class Material>
  void add(const Material& material, const Mat3<T>& F, const Mat3<T>& /*G*/, const T& weight) {
    material.add_tangent(F, weight, tangent);
  }
  template <bool kOne>
  void finish(const Mat3<T>& G, VertexBlocks<T>& blocks) const {
    transform_tangent(tangent, G, blocks);
  }
};

template <class Material, class T>
concept HasBlocks = requires(const Material& material, typename Material::template Blocks<T>& sum,
                             const Mat3<T>& m, const T& weight, VertexBlocks<T>& blocks) {
  sum.template add<0>(material, m, m, weight);
  sum.template finish<true>(m, blocks);
};

}  // namespace lilyan
