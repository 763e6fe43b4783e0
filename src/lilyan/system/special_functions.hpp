// Functions that closed solutions of mechanics need and the standard library lacks. Outside of
// their domain they are not a number; they never throw.
#pragma once

namespace lilyan {

struct JacobiElliptic {
  double sn, cn, dn;
};
// Of the argument u and the parameter m = k² (any finite m).
[[nodiscard]] JacobiElliptic jacobi_elliptic(double u, double m);

// K(m) = ∫₀^{π/2} dθ / √(1 − m sin²θ), m ≤ 1 (∞ at 1).
[[nodiscard]] double complete_elliptic_k(double m);

// The eccentric anomaly E with E − e sin E = M, |e| ≤ 1.
[[nodiscard]] double eccentric_anomaly(double M, double e);

}  // namespace lilyan
