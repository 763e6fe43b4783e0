#include "lilyan/assemble/project.hpp"

namespace lilyan {
namespace {

constexpr int kMaxSweeps = 12;
// Off-diagonal mass, relative to the whole, below which the eigenvalues are exact enough.
constexpr double kOffDiagonal = 1e-24;

Pack absolute(const Pack& x) { return x < 0.0 ? -x : x; }

// Smallest pivot of the LDLᵀ factorisation of a + shift·I, per lane; negative (or not a number)
// where that matrix is not positive definite.
Pack smallest_pivot(const Sym9<Pack>& a, const Pack& shift) {
  Pack u[9][9];
  for (int i = 0; i < 9; ++i) {
    for (int j = i; j < 9; ++j) u[i][j] = a.a[i][j];
    u[i][i] += shift;
  }
  Pack smallest = u[0][0];
  for (int k = 0; k < 9; ++k) {
    smallest = smallest < u[k][k] ? smallest : u[k][k];
    const Pack inverse = 1.0 / u[k][k];
    for (int i = k + 1; i < 9; ++i) {
      const Pack factor = u[k][i] * inverse;
      for (int j = i; j < 9; ++j) u[i][j] -= factor * u[k][j];
    }
  }
  return smallest;
}

// Eigenvalues and eigenvectors of all lanes at once by Jacobi's cyclic rotations (Golub, Van Loan:
// Matrix Computations, §8.5): on return d is diagonal and column k of v the eigenvector of d[k][k].
void jacobi(Pack (&d)[9][9], Pack (&v)[9][9]) {
  for (int i = 0; i < 9; ++i) {
    for (int j = 0; j < 9; ++j) v[i][j] = constant<Pack>(i == j ? 1.0 : 0.0);
  }
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    Pack off = {};
    Pack all = {};
    for (int i = 0; i < 9; ++i) {
      all += d[i][i] * d[i][i];
      for (int j = i + 1; j < 9; ++j) off += d[i][j] * d[i][j];
    }
    bool done = true;
    for (int lane = 0; lane < kLanes; ++lane) {
      done = done && !(off[lane] > kOffDiagonal * (all[lane] + off[lane]));
    }
    if (done) return;
    for (int p = 0; p < 9; ++p) {
      for (int q = p + 1; q < 9; ++q) {
        // tan of the angle that zeroes d[p][q]; none where it is zero already.
        const Pack apq = d[p][q];
        const Pack theta = (d[q][q] - d[p][p]) / (2.0 * apq);
        const Pack size = 1.0 / (absolute(theta) + sqrt(theta * theta + 1.0));
        const Pack zero = {};
        const Pack t = apq == zero ? zero : (theta < 0.0 ? -size : size);
        const Pack c = 1.0 / sqrt(t * t + 1.0);
        const Pack s = t * c;
        d[p][p] -= t * apq;
        d[q][q] += t * apq;
        d[p][q] = d[q][p] = zero;
        for (int k = 0; k < 9; ++k) {
          if (k != p && k != q) {
            const Pack kp = d[k][p];
            const Pack kq = d[k][q];
            d[k][p] = d[p][k] = c * kp - s * kq;
            d[k][q] = d[q][k] = s * kp + c * kq;
          }
          const Pack vp = v[k][p];
          const Pack vq = v[k][q];
          v[k][p] = c * vp - s * vq;
          v[k][q] = s * vp + c * vq;
        }
      }
    }
  }
}

}  // namespace

void raise_negative_eigenvalues(Sym9<Pack>& a, double strength) {
  // Tangents of stress-free elements are singular (rotations cost nothing), so the test allows
  // eigenvalues that are negative by rounding only.
  Pack trace = {};
  for (int i = 0; i < 9; ++i) trace += absolute(a.a[i][i]);
  const Pack pivot = smallest_pivot(a, 1e-10 * trace);
  Pack weight = {};
  bool any = false;
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!(pivot[lane] > 0)) {
      weight[lane] = strength;
      any = true;
    }
  }
  if (!any) return;

  Pack d[9][9];
  Pack v[9][9];
  for (int i = 0; i < 9; ++i) {
    for (int j = i; j < 9; ++j) d[i][j] = d[j][i] = a.a[i][j];
  }
  jacobi(d, v);
  for (int k = 0; k < 9; ++k) {
    const Pack lift = d[k][k] < 0.0 ? -weight * d[k][k] : Pack{};
    for (int i = 0; i < 9; ++i) {
      const Pack scaled = lift * v[i][k];
      for (int j = i; j < 9; ++j) a.a[i][j] += scaled * v[j][k];
    }
  }
}

}  // namespace lilyan
