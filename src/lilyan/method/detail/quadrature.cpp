#include "lilyan/method/quadrature.hpp"

#include <cmath>
#include <numbers>

namespace lilyan {

Quadrature gauss(int n) {
  // Roots of the Legendre polynomial Pₙ by Newton's method in extended precision, from the usual
  // cosine guess; weight on [−1,1] is 2(1−x²)/(n Pₙ₋₁(x))².
  Quadrature rule{.nodes = {}, .degree = 2 * n - 1};
  const auto order = static_cast<unsigned>(n);
  for (int i = n; i >= 1; --i) {
    long double x = std::cos(std::numbers::pi_v<long double> * (i - 0.25L) / (n + 0.5L));
    long double previous = 0;
    for (int iteration = 0; iteration < 20; ++iteration) {
      previous = std::legendre(order - 1, x);
      const long double value = std::legendre(order, x);
      const long double change = value * (x * x - 1) / (n * (x * value - previous));
      x -= change;
      if (std::abs(change) < 1e-18L) break;
    }
    previous = std::legendre(order - 1, x);
    const long double weight = (1 - x * x) / (n * n * previous * previous);
    rule.nodes.push_back({static_cast<double>((1 + x) / 2), static_cast<double>(weight)});
  }
  return rule;
}

Quadrature simpson() {
  return {.nodes = {{0, 1.0 / 6}, {0.5, 4.0 / 6}, {1, 1.0 / 6}}, .degree = 3};
}

}  // namespace lilyan
