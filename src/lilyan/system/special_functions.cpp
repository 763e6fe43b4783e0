#include "lilyan/system/special_functions.hpp"

#include <boost/math/special_functions/ellint_1.hpp>
#include <boost/math/special_functions/jacobi_elliptic.hpp>
#include <cmath>
#include <limits>
#include <numbers>

namespace lilyan {
namespace {

namespace policies = boost::math::policies;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Quiet = policies::policy<
    policies::domain_error<policies::ignore_error>, policies::pole_error<policies::ignore_error>,
    policies::overflow_error<policies::ignore_error>,
    policies::evaluation_error<policies::ignore_error>, policies::promote_double<false>>;

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

// Boost takes 0 ≤ m ≤ 1; others are brought there by DLMF 22.17. Its dn is wrong at odd multiples
// of K, and m cn² + 1 − m has no cancellation.
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
  JacobiElliptic j{};
  j.sn = boost::math::jacobi_elliptic(std::sqrt(m), u, &j.cn, &j.dn, Quiet());
  j.dn = std::sqrt(m * j.cn * j.cn + (1 - m));
  return j;
}

double complete_elliptic_k(double m) {
  if (!(m <= 1) || m == -kInfinity) return m == -kInfinity ? 0 : kNan;
  if (m == 1) return kInfinity;
  if (m < 0) return complete_elliptic_k(-m / (1 - m)) / std::sqrt(1 - m);
  return boost::math::ellint_1(std::sqrt(m), Quiet());
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
