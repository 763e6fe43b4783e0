// What a scene's author may not expect of a body, though nothing is wrong with it.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numeric>
#include <span>

#include "app/scene/body/body.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/step/capabilities.hpp"
#include "lilyan/step/integrator.hpp"

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

// Lamé's constants of a solid, where its material's parameters are one of the usual pairs or triples.
std::optional<Lame> stiffness(const Body& body) {
  if (!body.material) return std::nullopt;
  const Parameters& given = body.material_parameters;
  const auto has = [&](const char* a, const char* b) { return given.has(a) && given.has(b); };
  const auto number = [&](const char* name) { return given.number(name); };
  if (has("mu", "lambda")) return Lame{number("mu"), number("lambda")};
  if (has("young", "poisson")) {
    const double young = number("young");
    const double nu = number("poisson");
    return Lame{young / (2 * (1 + nu)), young * nu / ((1 + nu) * (1 - 2 * nu))};
  }
  if (has("a1", "b1") && given.has("bulk")) {
    const double mu = 2 * (number("a1") + number("b1"));
    return Lame{mu, number("bulk") - 2 * mu / 3};
  }
  if (has("a1", "b1")) return Lame{2 * number("a1"), 2 * number("b1")};
  return std::nullopt;
}

// Whether the body is held nowhere, at a point, or on an axis only.
bool can_turn(const PlacedBody& b, const System& system) {
  std::vector<char> held = b.body->fixed;
  for (const auto& constraint : system.constraints()) {
    // Of a vertex at a point.
    if (constraint->equations() != 3 || constraint->dofs().size() != 3) continue;
    const int vertex = constraint->dofs()[0] / 3 - b.first;
    if (vertex >= 0 && vertex < b.count()) held[static_cast<std::size_t>(vertex)] = 1;
  }
  constexpr double kOneLine = 1e-6;  // of the body's size
  const double size = b.body->box().diagonal().norm();
  std::optional<Vec3> first, axis;
  for (int i = 0; i < b.count(); ++i) {
    if (!held[static_cast<std::size_t>(i)]) continue;
    const Vec3 x = b.body->rest.segment<3>(3 * i);
    if (!first) {
      first = x;
    } else if (!axis) {
      if ((x - *first).norm() > kOneLine * size) axis = (x - *first).normalized();
    } else if (axis->cross(x - *first).norm() > kOneLine * size) {
      return false;
    }
  }
  return true;
}

}  // namespace

// A step along straight lines stretches a body that turns. Where sound crosses it within the step its elasticity
// answers to that at once, and methods that keep energy or swing about it, but do not keep angular momentum,
// turn it too slowly: in a second, at 8 rad/s and 60 steps, by 1e-3 where sound crosses a tenth of the body's
// length in a step, 0.02 at twice its length, 0.2 at six times and 1.7 at sixty; at 1 rad/s a fiftieth of that.
// A plate and a cube lose as much. Methods that damp lose the same at any stiffness.
std::optional<std::string> remark_on_sound(const PlacedBody& b, const System& system,
                                           const Scheme& scheme, double step) {
  constexpr double kMostCrossings = 1;
  const Claims& claims = scheme.claims;
  if (claims.angular_momentum || scheme.solve == SolveKind::explicit_) return std::nullopt;
  if (claims.energy != EnergyBehaviour::exact && claims.energy != EnergyBehaviour::bounded) {
    return std::nullopt;
  }
  const std::optional<Lame> lame = stiffness(*b.body);
  if (!lame || b.body->ranks || !can_turn(b, system)) return std::nullopt;
  double volume = 0;
  for (const std::array<int, 4>& tet : b.body->tets) {
    const auto corner = [&](int a) -> Vec3 {
      return b.body->rest.segment<3>(3 * tet[static_cast<std::size_t>(a)]);
    };
    const Vec3 first = corner(0);
    volume += std::abs((corner(1) - first).dot((corner(2) - first).cross(corner(3) - first))) / 6;
  }
  const double mass = std::accumulate(b.body->masses.begin(), b.body->masses.end(), 0.0);
  const double speed = std::sqrt((lame->lambda + 2 * lame->mu) * volume / mass);
  const double length = b.body->box().sizes().maxCoeff();
  const double crossings = step * speed / length;
  if (!(crossings > kMostCrossings)) return std::nullopt;
  constexpr const char* kFits = "energy-momentum";
  const bool fits = reason_unsupported(system, make_scheme(kFits)).empty();
  return fmt::format(
      "sound crosses {} {:.2g} times within a step (at {:.3g} m/s, over {:.3g} m): {} does not "
      "keep angular "
      "momentum, and turns so stiff a body too slowly; {}",
      b.name(), crossings, speed, length, scheme.label,
      fits ? fmt::format("integrator.method = \"{}\" keeps it at any stiffness", kFits)
           : fmt::format("take integrator.step below {:.2g}", length / speed));
}

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
