#include "lilyan/assemble/project.hpp"

#include <Eigen/Eigenvalues>

#include "lilyan/numeric/dispatch.hpp"

namespace lilyan {
namespace {

constexpr int kMaxSweeps = 20;
// Off-diagonal mass, relative to the whole, below which the eigenvalues are exact enough.
constexpr double kOffDiagonal = 1e-24;
// The square of an entry, relative to the same, below which it is rounding error. Between equal eigenvalues such
// an entry would turn by any angle, and undo what the sweep has zeroed before: then convergence is no longer
// quadratic, and can take more than twenty sweeps.
constexpr double kRounding = 1e-32;

template <AnyPack P>
P absolute(const P& x) {
  return x < 0.0 ? -x : x;
}

// Smallest pivot of the LDLᵀ factorisation of a + shift·I, per lane; negative (or not a number)
// where that matrix is not positive definite.
template <AnyPack P>
P smallest_pivot(const Sym9<P>& a, const P& shift) {
  P u[9][9];
  for (int i = 0; i < 9; ++i) {
    for (int j = i; j < 9; ++j) u[i][j] = a.a[i][j];
    u[i][i] += shift;
  }
  P smallest = u[0][0];
  for (int k = 0; k < 9; ++k) {
    smallest = smallest < u[k][k] ? smallest : u[k][k];
    const P inverse = 1.0 / u[k][k];
    for (int i = k + 1; i < 9; ++i) {
      const P factor = u[k][i] * inverse;
      for (int j = i; j < 9; ++j) u[i][j] -= factor * u[k][j];
    }
  }
  return smallest;
}

// Eigenvalues and eigenvectors of all lanes at once by Jacobi's cyclic rotations (Golub, Van Loan:
// Matrix Computations, §8.5): on return d is diagonal and column k of v the eigenvector of d[k][k].
template <AnyPack P>
void jacobi(P (&d)[9][9], P (&v)[9][9]) {
  for (int i = 0; i < 9; ++i) {
    for (int j = 0; j < 9; ++j) v[i][j] = constant<P>(i == j ? 1.0 : 0.0);
  }
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    P off = {};
    P all = {};
    for (int i = 0; i < 9; ++i) {
      all += d[i][i] * d[i][i];
      for (int j = i + 1; j < 9; ++j) off += d[i][j] * d[i][j];
    }
    bool done = true;
    for (int lane = 0; lane < lanes_of<P>; ++lane) {
      done = done && !(off[lane] > kOffDiagonal * (all[lane] + off[lane]));
    }
    if (done) return;
    const P rounding = kRounding * (all + off);
    for (int p = 0; p < 9; ++p) {
      for (int q = p + 1; q < 9; ++q) {
        // tan of the angle that zeroes d[p][q]; none where it is zero but for rounding.
        const P apq = d[p][q];
        const P theta = (d[q][q] - d[p][p]) / (2.0 * apq);
        const P size = 1.0 / (absolute(theta) + sqrt(theta * theta + 1.0));
        const P zero = {};
        const P t = apq * apq <= rounding ? zero : (theta < 0.0 ? -size : size);
        const P c = 1.0 / sqrt(t * t + 1.0);
        const P s = t * c;
        d[p][p] -= t * apq;
        d[q][q] += t * apq;
        d[p][q] = d[q][p] = zero;
        for (int k = 0; k < 9; ++k) {
          if (k != p && k != q) {
            const P kp = d[k][p];
            const P kq = d[k][q];
            d[k][p] = d[p][k] = c * kp - s * kq;
            d[k][q] = d[q][k] = s * kp + c * kq;
          }
          const P vp = v[k][p];
          const P vq = v[k][q];
          v[k][p] = c * vp - s * vq;
          v[k][q] = s * vp + c * vq;
        }
      }
    }
  }
}

template <AnyPack P>
bool raise_lanes(Sym9<P>& a, double strength) {
  // Tangents of stress-free elements are singular (rotations cost nothing), so the test allows
  // eigenvalues that are negative by rounding only.
  P trace = {};
  for (int i = 0; i < 9; ++i) trace += absolute(a.a[i][i]);
  const P pivot = smallest_pivot(a, 1e-10 * trace);
  P weight = {};
  bool any = false;
  for (int lane = 0; lane < lanes_of<P>; ++lane) {
    if (!(pivot[lane] > 0)) {
      weight[lane] = strength;
      any = true;
    }
  }
  if (!any) return false;

  P d[9][9];
  P v[9][9];
  for (int i = 0; i < 9; ++i) {
    for (int j = i; j < 9; ++j) d[i][j] = d[j][i] = a.a[i][j];
  }
  jacobi(d, v);
  for (int k = 0; k < 9; ++k) {
    const P lift = d[k][k] < 0.0 ? -weight * d[k][k] : P{};
    for (int i = 0; i < 9; ++i) {
      const P scaled = lift * v[i][k];
      for (int j = i; j < 9; ++j) a.a[i][j] += scaled * v[j][k];
    }
  }
  return true;
}

}  // namespace

template <AnyPack P>
bool raise_negative_eigenvalues(Sym9<P>& a, double strength) {
  return on_best_lanes([&](auto) { return raise_lanes(a, strength); });
}
template bool raise_negative_eigenvalues(Sym9<PackOf<8>>& a, double strength);
template bool raise_negative_eigenvalues(Sym9<PackOf<4>>& a, double strength);
template bool raise_negative_eigenvalues(Sym9<PackOf<2>>& a, double strength);

namespace {

using SmallMatrix =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMostRaised, kMostRaised>;

// Whether a + shift·I has a Cholesky factor.
bool is_definite(SmallMatrix a, double shift) {
  const Eigen::Index n = a.rows();
  a.diagonal().array() += shift;
  for (Eigen::Index k = 0; k < n; ++k) {
    if (!(a(k, k) > 0)) return false;
    for (Eigen::Index i = k + 1; i < n; ++i) {
      const double factor = a(i, k) / a(k, k);
      for (Eigen::Index j = k + 1; j <= i; ++j) a(i, j) -= factor * a(j, k);
    }
  }
  return true;
}

}  // namespace

void raise_negative(double* a, int n, double strength) {
  Eigen::Map<SmallMatrix> matrix(a, n, n);
  if (is_definite(matrix, 1e-10 * matrix.diagonal().cwiseAbs().sum())) return;
  const Eigen::SelfAdjointEigenSolver<SmallMatrix> eigen(matrix);
  for (Eigen::Index k = 0; k < n; ++k) {
    const double e = eigen.eigenvalues()[k];
    if (!(e < 0)) break;  // ascending
    const auto v = eigen.eigenvectors().col(k);
    matrix.noalias() -= (strength * e) * v * v.transpose();
  }
}

}  // namespace lilyan
