#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "lilyan/lagrangian/operation.hpp"

namespace lilyan {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Extended precision: the phase u·agm(1, √(1 − m)) of large arguments keeps its digits.
using Real = long double;

// The arithmetic–geometric means of 1 and `b`: all pairs (aₙ, bₙ), until they agree to half of the
// digits, so that the next mean is exact.
struct MeanPairs {
  std::array<Real, 20> a{}, b{};
  int last = 0;

  explicit MeanPairs(Real with) {
    a[0] = 1;
    b[0] = with;
    const Real close = std::sqrt(std::numeric_limits<Real>::epsilon());
    for (; std::abs(a[last] - b[last]) > close * a[last]; ++last) {
      a[last + 1] = (a[last] + b[last]) / 2;
      b[last + 1] = std::sqrt(a[last] * b[last]);
    }
  }
  [[nodiscard]] Real limit() const { return (a[last] + b[last]) / 2; }
};

// 0 ≤ m < 1, by descending Gauss transformations from sin and cos of the phase:
// R. Bulirsch, "Numerical calculation of elliptic integrals and elliptic functions", Numer. Math. 7
// (1965), procedure sncndn. All of its sums have terms of one sign but near the zeros themselves,
// so that small cn and dn near m = 1 keep their digits as well.
JacobiElliptic bulirsch(Real u, Real m) {
  const MeanPairs means(std::sqrt(1 - m));
  Real c = means.limit();
  const Real sine = std::sin(u * c);
  const Real cosine = std::cos(u * c);
  if (sine == 0) return {static_cast<double>(sine), static_cast<double>(cosine), 1};
  Real a = cosine / sine;
  c *= a;
  Real dn = 1;
  for (int n = means.last; n >= 0; --n) {
    a *= c;
    c *= dn;
    dn = (means.b[n] + a) / (means.a[n] + a);
    a = c / means.a[n];
  }
  const Real sn = std::copysign(1 / std::sqrt(c * c + 1), sine);
  return {static_cast<double>(sn), static_cast<double>(c * sn), static_cast<double>(dn)};
}

// x − sin x without cancellation.
double minus_sine(double x) {
  if (std::abs(x) > 1) return x - std::sin(x);
  double term = x * x * x / 6;
  double sum = term;
  for (int k = 4; std::abs(term) > 1e-17 * std::abs(sum); k += 2) {
    term *= -x * x / (k * (k + 1));
    sum += term;
  }
  return sum;
}

}  // namespace

// Parameters outside of [0, 1] are brought there by DLMF 22.17.
JacobiElliptic jacobi_elliptic(double u, double m) {
  if (!std::isfinite(u) || !std::isfinite(m)) return {kNan, kNan, kNan};
  if (m < 0) {
    const double s = std::sqrt(1 - m);
    const JacobiElliptic j = jacobi_elliptic(u * s, -m / (1 - m));
    return {j.sn / (s * j.dn), j.cn / j.dn, 1 / j.dn};
  }
  if (m > 1) {
    const double k = std::sqrt(m);
    const JacobiElliptic j = jacobi_elliptic(u * k, 1 / m);
    return {j.sn / k, j.dn, j.cn};
  }
  if (m == 1) return {std::tanh(u), 1 / std::cosh(u), 1 / std::cosh(u)};
  return bulirsch(u, m);
}

// K(m) = π / (2 agm(1, √(1 − m))), DLMF 19.8.5; also for m < 0.
double complete_elliptic_k(double m) {
  if (!(m <= 1) || m == -kInfinity) return m == -kInfinity ? 0 : kNan;
  if (m == 1) return kInfinity;
  const MeanPairs means(std::sqrt(1 - static_cast<Real>(m)));
  return static_cast<double>(std::numbers::pi_v<Real> / (2 * means.limit()));
}

// Newton's method for f(E) = (1 − e)E + e(E − sin E) − r, increasing in E, kept within a bracket.
// M = r + 2πk only shifts E.
double eccentric_anomaly(double M, double e) {
  if (!std::isfinite(M) || !(std::abs(e) <= 1)) return kNan;
  const double r = std::remainder(M, 2 * std::numbers::pi);
  if (e == 0 || r == 0) return M;
  double low = r - std::abs(e);
  double high = r + std::abs(e);
  double E = r + 0.85 * std::copysign(e, e * r);
  for (int i = 0; i < 100; ++i) {
    const double f = (1 - e) * E + e * minus_sine(E) - r;
    if (f == 0) break;
    (f < 0 ? low : high) = E;
    const double half_sine = std::sin(E / 2);
    double next = E - f / (1 - e + 2 * e * half_sine * half_sine);
    if (!(next > low && next < high)) next = low + (high - low) / 2;
    const double step = std::abs(next - E);
    E = next;
    if (step <= 2 * std::numeric_limits<double>::epsilon() * std::abs(E)) break;
  }
  return M == r ? E : M + (E - r);
}

}  // namespace lilyan
