// What a scene's author may not expect of a body, though nothing is wrong with it.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <set>
#include <span>
#include <vector>

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

// Whether the scene's method turns bodies too slowly whose elasticity answers within a step (below).
bool turns_slowly(const Scheme& scheme) {
  const Claims& claims = scheme.claims;
  return !claims.angular_momentum && scheme.solve != SolveKind::explicit_ &&
         (claims.energy == EnergyBehaviour::exact || claims.energy == EnergyBehaviour::bounded);
}

bool is_internal(const Energy& energy) {
  return energy.translation_invariant() && energy.rotation_invariant() &&
         !energy.changes_between_steps();
}

// Internal energies of a scene of several bodies, by the body that they are in; those that tie bodies to others.
struct EnergiesOfBodies {
  EnergiesOfBodies(const std::vector<PlacedBody>& bodies, const System& system)
      : within(bodies.size()) {
    std::vector<int> body_of(static_cast<std::size_t>(system.vertices()), -1);
    for (const PlacedBody& b : bodies) {
      std::fill_n(body_of.begin() + b.first, b.count(), static_cast<int>(&b - bodies.data()));
    }
    for (const auto& energy : system.energies()) {
      const std::span<const int> vertices = energy->stencils().vertices;
      if (!is_internal(*energy) || vertices.empty()) continue;
      const auto of = [&](int v) { return body_of[static_cast<std::size_t>(v)]; };
      const int body = of(vertices[0]);
      if (std::ranges::all_of(vertices, [&](int v) { return of(v) == body; })) {
        within[static_cast<std::size_t>(body)].push_back(energy.get());
        continue;
      }
      across.push_back(energy.get());
      for (const int v : vertices) tied.insert(of(v));
    }
  }

  std::vector<std::vector<const Energy*>> within;
  std::vector<const Energy*> across;
  std::set<int> tied;  // bodies that `across` acts on
};

// Adds to `force` the forces (but for their sign) that a small motion u makes, K u, by differences.
void add_stiffness(const std::vector<const Energy*>& energies, const Vector& x, const Vector& u,
                   Vector& force) {
  constexpr double kShift = 1e-4;
  for (const double sign : {1.0, -1.0}) {
    const Vector moved = x + (sign * kShift) * u;
    const WeightedNode here{.gradient = sign / (2 * kShift)};
    for (const Energy* energy : energies) {
      (void)energy->evaluate(
          {.x0 = moved.data(), .nodes = {&here, 1}, .want_value = false, .gradient = force.data()});
    }
  }
}

// How often sound crosses each body in a second, whatever its energies are: u·Ku = ρc²V where u stretches it along an
// axis, and u·Mu = m x² (as in step/momentum_bodies.cpp). Along the longest of the three axes.
std::vector<double> measured_crossings(const std::vector<PlacedBody>& bodies,
                                       const EnergiesOfBodies& energies,
                                       const SoundInBodies& scene) {
  const std::span<const double> masses = scene.system.vertex_masses();
  const Vector& rest = scene.rest;
  std::vector<double> rates(bodies.size(), 0.0), longest(bodies.size(), 0.0);
  for (int axis = 0; axis < 3; ++axis) {
    Vector u = Vector::Zero(rest.size());
    std::vector<double> inertia(bodies.size(), 0.0);
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      double mass = 0;
      double centre = 0;
      const int last = bodies[k].first + bodies[k].count();
      for (int i = bodies[k].first; i < last; ++i) {
        mass += masses[static_cast<std::size_t>(i)];
        centre += masses[static_cast<std::size_t>(i)] * rest[3 * i + axis];
      }
      for (int i = bodies[k].first; i < last; ++i) {
        const double along = rest[3 * i + axis] - centre / mass;
        u[3 * i + axis] = along;
        inertia[k] += masses[static_cast<std::size_t>(i)] * along * along;
      }
    }
    Vector force = Vector::Zero(rest.size());
    for (const auto& own : energies.within) add_stiffness(own, rest, u, force);
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      if (!(inertia[k] > longest[k])) continue;
      longest[k] = inertia[k];
      const Eigen::Index first = 3 * Eigen::Index{bodies[k].first};
      const Eigen::Index count = 3 * Eigen::Index{bodies[k].count()};
      const double curvature = u.segment(first, count).dot(force.segment(first, count));
      rates[k] = std::sqrt(std::max(0.0, curvature) / (12 * inertia[k]));
    }
  }
  return rates;
}

// How often in a second the body would swing to and fro on what ties it to others, springs for example.
double measured_swings(const PlacedBody& b, const EnergiesOfBodies& energies,
                       const SoundInBodies& scene) {
  const double mass = std::accumulate(b.body->masses.begin(), b.body->masses.end(), 0.0);
  const double size = b.body->box().diagonal().norm();
  Eigen::Matrix3d stiffness = Eigen::Matrix3d::Zero();
  Vector u(scene.x.size());
  Vector force(u.size());
  for (int axis = 0; axis < 3; ++axis) {
    u.setZero();
    force.setZero();
    for (int i = b.first; i < b.first + b.count(); ++i) u[3 * i + axis] = size;
    add_stiffness(energies.across, scene.x, u, force);
    for (int i = b.first; i < b.first + b.count(); ++i) {
      stiffness.col(axis) += force.segment<3>(3 * i) / size;
    }
  }
  const Eigen::Matrix3d even = 0.5 * (stiffness + stiffness.transpose());
  const double most = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(even).eigenvalues()[2];
  return std::sqrt(std::max(0.0, most) / mass) / (2 * std::numbers::pi);
}

// In a second, from Lamé's constants; none where they are not known.
std::optional<double> crossings_of_solid(const Body& body) {
  const std::optional<Lame> lame = stiffness(body);
  if (!lame) return std::nullopt;
  double volume = 0;
  for (const std::array<int, 4>& tet : body.tets) {
    const auto corner = [&](int a) -> Vec3 {
      return body.rest.segment<3>(3 * tet[static_cast<std::size_t>(a)]);
    };
    const Vec3 first = corner(0);
    volume += std::abs((corner(1) - first).dot((corner(2) - first).cross(corner(3) - first))) / 6;
  }
  const double mass = std::accumulate(body.masses.begin(), body.masses.end(), 0.0);
  return std::sqrt((lame->lambda + 2 * lame->mu) * volume / mass) / body.box().sizes().maxCoeff();
}

// "avf does not keep …, and turns … too slowly; take another method or a shorter step".
std::string what_to_do(const SoundInBodies& scene, const std::string& what, double step) {
  constexpr const char* kFits = "energy-momentum";
  const bool fits = reason_unsupported(scene.system, make_scheme(kFits)).empty();
  return fmt::format(
      "{} does not keep angular momentum, and turns {} too slowly; {}", scene.scheme.label, what,
      fits ? fmt::format("integrator.method = \"{}\" keeps it at any stiffness", kFits)
           : fmt::format("take integrator.step below {:.2g}", step));
}

}  // namespace

// A step along straight lines stretches a body that turns. Where sound crosses it within the step its elasticity
// answers to that at once, and methods that keep energy or swing about it, but do not keep angular momentum,
// turn it too slowly: in a second, at 8 rad/s and 60 steps, by 1e-3 where sound crosses a tenth of the body's
// length in a step, 0.02 at twice its length, 0.2 at six times and 1.7 at sixty; at 1 rad/s a fiftieth of that.
// A plate and a cube lose as much. Methods that damp lose the same at any stiffness.
//
// So it is where a stiff spring ties bodies, however soft they are. Of two bars that turn at 2 rad/s on a spring as
// long as they are, in a second: 2e-3 where they swing on it once in a step, 0.05 at ten times and 0.6 at a hundred.
std::vector<std::string> remarks_on_sound(const std::vector<PlacedBody>& bodies,
                                          const SoundInBodies& scene) {
  constexpr double kMost = 1;  // in a step
  std::vector<std::string> remarks;
  if (!turns_slowly(scene.scheme) || scene.shared || bodies.empty()) return remarks;
  const EnergiesOfBodies energies(bodies, scene.system);
  std::optional<std::vector<double>> measured;
  for (const PlacedBody& b : bodies) {
    if (!can_turn(b, scene.system)) continue;
    const auto k = static_cast<std::size_t>(&b - bodies.data());
    const double length = b.body->box().sizes().maxCoeff();
    std::optional<double> rate = crossings_of_solid(*b.body);
    // (More than one: springs between points of a solid, for example.)
    if (!rate || energies.within[k].size() > 1) {
      if (!measured) measured = measured_crossings(bodies, energies, scene);
      rate = std::max(rate.value_or(0), (*measured)[k]);
    }
    if (scene.step * *rate > kMost) {
      remarks.push_back(fmt::format(
          "sound crosses {} {:.2g} times within a step (at {:.3g} m/s, over {:.3g} m): {}",
          b.name(), scene.step * *rate, *rate * length, length,
          what_to_do(scene, "so stiff a body", 1 / *rate)));
    }
    if (!energies.tied.contains(static_cast<int>(k))) continue;
    const double swings = measured_swings(b, energies, scene);
    if (!(scene.step * swings > kMost)) continue;
    remarks.push_back(fmt::format(
        "{} swings {:.2g} times within a step on what ties it to other bodies: {}", b.name(),
        scene.step * swings, what_to_do(scene, "bodies that are so stiffly tied", 1 / swings)));
  }
  return remarks;
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
