// What a scene's author may not expect of a body, though nothing is wrong with it.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <span>

#include "app/scene/body.hpp"
#include "lilyan/core/error.hpp"

namespace lilyan {
namespace {

constexpr double kNearlyIncompressible = 0.45;
constexpr double kSliver = 0.01;  // of the quality of a regular tet

// Poisson's ratio of a material, where it has one.
std::optional<double> poisson(const Parameters& given) {
  if (given.has("poisson")) return given.number("poisson");
  if (!given.has("mu") || !given.has("lambda")) return std::nullopt;
  const double mu = given.number("mu");
  const double lambda = given.number("lambda");
  return lambda / (2 * (lambda + mu));
}

// 1 for a regular tet, 0 for a flat one: 12 (3V)^⅔ / Σ edge².
double quality(const Vector& rest, const std::array<int, 4>& tet) {
  const auto corner = [&](int a) { return rest.segment<3>(3 * tet[static_cast<std::size_t>(a)]); };
  double edges = 0;
  for (int a = 0; a < 4; ++a) {
    for (int b = 0; b < a; ++b) edges += (corner(a) - corner(b)).squaredNorm();
  }
  const Vec3 e1 = corner(1) - corner(0);
  const Vec3 e2 = corner(2) - corner(0);
  const Vec3 e3 = corner(3) - corner(0);
  const double volume = std::abs(e1.dot(e2.cross(e3))) / 6;
  return edges > 0 ? 12 * std::cbrt(9 * volume * volume) / edges : 0;
}

}  // namespace

std::optional<std::string> remark_on_locking(const std::string& name, const Parameters& material) {
  const std::optional<double> nu = poisson(material);
  if (!nu || !(*nu > kNearlyIncompressible)) return std::nullopt;
  return fmt::format(
      "{} is nearly incompressible (Poisson's ratio {:.3g}): linear tets lock there and are "
      "several times too stiff in bending, see docs/materials.md",
      name, *nu);
}

std::vector<std::string> remarks_on(const Body& body) {
  std::vector<std::string> remarks = body.remarks;
  if (body.material) {
    if (auto locking = remark_on_locking(body.name, body.material_parameters)) {
      remarks.push_back(std::move(*locking));
    }
  }
  std::size_t slivers = 0;
  double worst = 1;
  for (const std::array<int, 4>& tet : std::span(body.tets).first(body.counted_tets())) {
    const double q = quality(body.rest, tet);
    slivers += q < kSliver;
    worst = std::min(worst, q);
  }
  slivers = static_cast<std::size_t>(body.total(static_cast<double>(slivers)));
  if (body.ranks) worst = -body.ranks->largest(-worst);
  if (slivers > 0) {
    remarks.push_back(fmt::format(
        "{} has {} nearly flat tet{} (the worst has quality {:.1g}; a regular one has 1): steps "
        "take longer, and a better mesh would help",
        body.name, slivers, slivers == 1 ? "" : "s", worst));
  }
  return remarks;
}

}  // namespace lilyan
