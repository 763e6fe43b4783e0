#include "lilyan/material/mooney_rivlin.hpp"

#include <fmt/format.h>

#include <cmath>

#include "lilyan/material/material.hpp"
#include "lilyan/physics/tets.hpp"

namespace lilyan::material {
namespace {

// b₁/(a₁ + b₁) when only the small-strain constants are given: a common fit of rubber.
constexpr double kRatio = 0.2;

std::vector<ParameterSpec> parameters() {
  std::vector<ParameterSpec> all = lame_parameters();
  all.push_back({"ratio", "b1/(a1 + b1), in [0, 1], with mu or young; default 0.2", {}});
  all.push_back({"a1", "coefficient a₁ ≥ 0; with b1 and bulk instead of all others", {}});
  all.push_back({"b1", "coefficient b₁ ≥ 0; the shear modulus is 2(a1 + b1)", {}});
  all.push_back({"bulk", "bulk modulus K, > 0", {}});
  return all;
}

double coefficient(const Parameters& given, const char* name) {
  const double value = given.number(name);
  if (!(value >= 0) || !std::isfinite(value)) {
    throw ParameterError(name, fmt::format("{} must not be negative", name));
  }
  return value;
}

MooneyRivlin from_coefficients(const Parameters& given) {
  for (const char* other : {"mu", "lambda", "young", "poisson", "ratio"}) {
    if (given.has(other)) {
      throw ParameterError(
          "", fmt::format("give either a1, b1 and bulk or {} with its partner, not both", other));
    }
  }
  for (const char* name : {"a1", "b1", "bulk"}) {
    if (!given.has(name)) {
      throw ParameterError("", fmt::format("{} is missing: a1, b1 and bulk belong together", name));
    }
  }
  const MooneyRivlin m{coefficient(given, "a1"), coefficient(given, "b1"),
                       coefficient(given, "bulk")};
  if (!(m.a1 + m.b1 > 0)) throw ParameterError("a1", "a1 and b1 must not both be zero");
  if (!(m.bulk > 0)) throw ParameterError("bulk", "bulk must be positive");
  return m;
}

MooneyRivlin read(const Parameters& given) {
  if (given.has("a1") || given.has("b1") || given.has("bulk")) return from_coefficients(given);
  const auto [mu, lambda] = lame(given);
  double ratio = kRatio;
  if (given.has("ratio")) {
    ratio = given.number("ratio");
    if (!(ratio >= 0 && ratio <= 1)) {
      throw ParameterError("ratio", "ratio must be in [0, 1]");
    }
  }
  return {0.5 * mu * (1 - ratio), 0.5 * mu * ratio, lambda + 2 * mu / 3};
}

}  // namespace

MaterialInfo mooney_rivlin() {
  return {.name = "mooney-rivlin",
          .summary = "compressible Mooney–Rivlin; infinite energy at inversion",
          .citation = "Mooney 1940, Rivlin 1948",
          .use = "rubber whose two coefficients are known from measurements",
          .parameters = parameters(),
          .make = [](const TetShape& shape, const Parameters& given) -> std::unique_ptr<Energy> {
            return std::make_unique<Tets<MooneyRivlin>>(read(given), shape);
          }};
}

}  // namespace lilyan::material
