#include "lilyan/numeric/quadrature.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace lilyan {
namespace {

constexpr int kMostPoints = 64;
constexpr long double kPi = std::numbers::pi_v<long double>;

std::vector<std::string> rule_names(const std::vector<std::string>& more) {
  std::vector<std::string> all = {"gauss", "lobatto", "simpson", "trapezoid"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace

Quadrature gauss(int n) {
  // Roots of the Legendre polynomial Pₙ by Newton's method in extended precision, from the usual
  // cosine guess; weight on [−1,1] is 2(1−x²)/(n Pₙ₋₁(x))².
  Quadrature rule{.nodes = {}, .degree = 2 * n - 1, .label = fmt::format("gauss {}", n)};
  const auto order = static_cast<unsigned>(n);
  for (int i = n; i >= 1; --i) {
    long double x = std::cos(kPi * (i - 0.25L) / (n + 0.5L));
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

Quadrature lobatto(int n) {
  // With m = n−1: both ends and the roots of P'ₘ, from the cosine guess. Newton's step on
  // (1−x²)P'ₘ = m(Pₘ₋₁ − xPₘ), whose derivative is −m(m+1)Pₘ; weight on [−1,1] is 2/(m(m+1)Pₘ²).
  Quadrature rule{.nodes = {}, .degree = 2 * n - 3, .label = fmt::format("lobatto {}", n)};
  const int m = n - 1;
  const auto order = static_cast<unsigned>(m);
  for (int i = m; i >= 0; --i) {
    long double x = std::cos(kPi * i / m);
    if (i == 0 || i == m) x = i == 0 ? 1 : -1;
    for (int iteration = 0; iteration < 50 && i != 0 && i != m; ++iteration) {
      const long double value = std::legendre(order, x);
      const long double change = (std::legendre(order - 1, x) - x * value) / ((m + 1) * value);
      x += change;
      if (std::abs(change) < 1e-18L) break;
    }
    const long double value = std::legendre(order, x);
    const long double weight = 1 / (m * (m + 1) * value * value);
    rule.nodes.push_back({static_cast<double>((1 + x) / 2), static_cast<double>(weight)});
  }
  return rule;
}

Quadrature tanh_sinh(int n) {
  // θ = ½(1 + tanh(½π sinh t)) at equidistant t; the weights dθ/dt are scaled to the sum one.
  constexpr long double kLast = 3.1L;  // there θ is 1e-15 from the end
  Quadrature rule{.nodes = {}, .degree = 0, .label = fmt::format("tanh-sinh {}", n)};
  std::vector<long double> weights;
  long double sum = 0;
  for (int i = 0; i < n; ++i) {
    const long double t = kLast * (2 * i - (n - 1)) / (n - 1);
    const long double u = kPi / 2 * std::sinh(t);
    const long double c = std::cosh(u);
    weights.push_back(std::cosh(t) / (c * c));
    sum += weights.back();
    rule.nodes.push_back({static_cast<double>(1 / (1 + std::exp(-2 * u))), 0});
  }
  for (std::size_t i = 0; i < rule.nodes.size(); ++i) {
    rule.nodes[i].weight = static_cast<double>(weights[i] / sum);
  }
  return rule;
}

Quadrature simpson() {
  return {.nodes = {{0, 1.0 / 6}, {0.5, 4.0 / 6}, {1, 1.0 / 6}}, .degree = 3, .label = "simpson"};
}

Quadrature trapezoid() {
  return {.nodes = {{0, 0.5}, {1, 0.5}}, .degree = 1, .label = "trapezoid"};
}

std::vector<ParameterSpec> quadrature_parameters(const std::string& default_rule,
                                                 int default_points,
                                                 const std::vector<std::string>& more) {
  return {{"quadrature", fmt::format("{}", fmt::join(rule_names(more), ", ")), default_rule, true},
          {"points",
           "number of Gauss (1 to 64) or Lobatto (2 to 64) points; degree 2·points−1, "
           "2·points−3",
           static_cast<double>(default_points)}};
}

Quadrature quadrature(const Parameters& given, const std::vector<std::string>& more) {
  const std::string& name = given.word("quadrature");
  const int points = given.whole("points");
  if (points < 1 || points > kMostPoints) {
    throw ParameterError("points",
                         fmt::format("points must be 1 to {}, not {}", kMostPoints, points));
  }
  if (name == "simpson") return simpson();
  if (name == "trapezoid") return trapezoid();
  if (name != "gauss" && name != "lobatto") {
    throw ParameterError("quadrature", fmt::format("unknown quadrature '{}'{}", name,
                                                   suggestion(name, rule_names(more))));
  }
  if (name == "lobatto" && points < 2) {
    throw ParameterError("points", "Lobatto's rule has at least 2 points");
  }
  return name == "gauss" ? gauss(points) : lobatto(points);
}

}  // namespace lilyan
