// 3×3 matrices over any scalar: double, a pack of doubles (one element per lane), or
// std::complex<double> (complex-step derivatives in the tests). No allocation, no Eigen types, so
// that one kernel template serves all of them.
#pragma once

namespace lilyan {

// A constant of type T. Packs of doubles are not constructible from one double, hence the detour.
template <class T>
inline T constant(double value) {
  return T{} + value;
}

template <class T>
struct Mat3 {
  T m[3][3];

  T& operator()(int i, int j) { return m[i][j]; }
  const T& operator()(int i, int j) const { return m[i][j]; }
};

template <class T>
inline Mat3<T> zero3() {
  Mat3<T> r;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) r.m[i][j] = T{};
  }
  return r;
}

// a b
template <class T>
inline Mat3<T> multiply(const Mat3<T>& a, const Mat3<T>& b) {
  Mat3<T> r;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      r.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
    }
  }
  return r;
}

// aᵀ a
template <class T>
inline Mat3<T> gram(const Mat3<T>& a) {
  Mat3<T> r;
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j) {
      r.m[i][j] = a.m[0][i] * a.m[0][j] + a.m[1][i] * a.m[1][j] + a.m[2][i] * a.m[2][j];
      r.m[j][i] = r.m[i][j];
    }
  }
  return r;
}

// a aᵀ
template <class T>
inline Mat3<T> outer_gram(const Mat3<T>& a) {
  Mat3<T> r;
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j) {
      r.m[i][j] = a.m[i][0] * a.m[j][0] + a.m[i][1] * a.m[j][1] + a.m[i][2] * a.m[j][2];
      r.m[j][i] = r.m[i][j];
    }
  }
  return r;
}

// Cofactor matrix: cof(a) = det(a) a⁻ᵀ, also the gradient of det.
template <class T>
inline Mat3<T> cofactor(const Mat3<T>& a) {
  Mat3<T> r;
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3;
    const int i2 = (i + 2) % 3;
    for (int j = 0; j < 3; ++j) {
      const int j1 = (j + 1) % 3;
      const int j2 = (j + 2) % 3;
      r.m[i][j] = a.m[i1][j1] * a.m[i2][j2] - a.m[i1][j2] * a.m[i2][j1];
    }
  }
  return r;
}

// det(a), given its cofactor matrix.
template <class T>
inline T determinant(const Mat3<T>& a, const Mat3<T>& cof) {
  return a.m[0][0] * cof.m[0][0] + a.m[0][1] * cof.m[0][1] + a.m[0][2] * cof.m[0][2];
}

template <class T>
inline T determinant(const Mat3<T>& a) {
  return determinant(a, cofactor(a));
}

// Sum of squares of the entries.
template <class T>
inline T squared_norm(const Mat3<T>& a) {
  T s = T{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) s += a.m[i][j] * a.m[i][j];
  }
  return s;
}

// A symmetric 9×9 matrix, the derivative of a 3×3 stress by a 3×3 strain. Entry (i,j) of the 3×3
// matrix is component 3i+j. Only the upper triangle (row ≤ column) is stored to and read from.
template <class T>
struct Sym9 {
  T a[9][9];

  [[nodiscard]] const T& at(int row, int column) const {
    return row <= column ? a[row][column] : a[column][row];
  }
  [[nodiscard]] T& at(int row, int column) {
    return row <= column ? a[row][column] : a[column][row];
  }
};

template <class T>
inline Sym9<T> zero9() {
  Sym9<T> r;
  for (int i = 0; i < 9; ++i) {
    for (int j = i; j < 9; ++j) r.a[i][j] = T{};
  }
  return r;
}

}  // namespace lilyan
