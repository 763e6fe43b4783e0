#include "app/scene/body/actions.hpp"

#include <Eigen/Geometry>
#include <memory>
#include <numbers>
#include <numeric>
#include <utility>

#include "app/scene/body/body.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/physics/damping.hpp"
#include "lilyan/physics/forces.hpp"

namespace lilyan {
namespace {

// first, first + 1, …
std::vector<int> numbers_from(int first, int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

}  // namespace

SceneForce read_force(TableReader& reader, int dimension) {
  SceneForce force;
  force.drag = reader.choice("kind", {"drag", "drive"}) == "drag";
  if (force.drag) {
    force.rate = reader.not_negative("rate");
    return force;
  }
  if (dimension == 3) {
    force.acceleration = reader.vector("acceleration");
  } else {
    force.acceleration[0] = reader.number("acceleration");
  }
  force.timing.frequency = reader.number("frequency", 0.0);
  force.timing.phase = reader.number("phase", 0.0) * std::numbers::pi / 180;
  if (reader.has("from")) force.timing.from = reader.number("from");
  if (reader.has("until")) force.timing.until = reader.number("until");
  if (force.timing.until < force.timing.from) {
    reader.fail("until", "'until' must not be before 'from'");
  }
  return force;
}

void add_force(const SceneForce& force, int first, int count, System& system) {
  const std::vector<int> vertices = force.vertices.value_or(numbers_from(0, count));
  const int n = system.dimension();
  Vector values = Vector::Zero(system.dofs());
  for (const int i : vertices) {
    const int at = n * (first + i);
    const double mass = system.vertex_masses()[static_cast<std::size_t>(first + i)];
    for (int c = 0; c < n; ++c) values[at + c] = mass * (force.drag ? 1.0 : force.acceleration[c]);
  }
  if (force.drag) {
    system.add(std::make_unique<Drag>(std::move(values), force.rate));
  } else {
    system.add(std::make_unique<Drive>(std::move(values), force.timing));
  }
}

SceneDamping read_damping(TableReader reader) {
  reader.expect({"model", "stiffness", "mass", "time"});
  const std::string model = reader.choice(
      "model", {"rayleigh", "rayleigh-end", "strain", "strain-explicit", "kelvin-voigt"},
      "rayleigh");
  SceneDamping damping;
  if (model.starts_with("rayleigh")) {
    damping.model = model == "rayleigh" ? DampingModel::rayleigh : DampingModel::rayleigh_end;
    damping.stiffness = reader.not_negative("stiffness", 0.0);
    damping.mass = reader.not_negative("mass", 0.0);
    if (damping.stiffness == 0 && damping.mass == 0) {
      reader.fail("stiffness", "damping needs 'stiffness' (a time) or 'mass' (one over a time)");
    }
  } else {
    damping.model = model == "strain"            ? DampingModel::strain
                    : model == "strain-explicit" ? DampingModel::strain_explicit
                                                 : DampingModel::kelvin_voigt;
    damping.time = reader.not_negative("time");
  }
  reader.finish();
  return damping;
}

void add_damping(const Body& body, std::span<const Energy* const> energies, int first,
                 System& system) {
  const SceneDamping& damping = body.damping;
  const int count = body.owned();
  const DissipationVelocity velocity = damping.model == DampingModel::rayleigh_end
                                           ? DissipationVelocity::end
                                           : DissipationVelocity::path;
  if (damping.mass > 0) {
    const auto all = system.vertex_masses();
    system.add(std::make_unique<MassDamping>(
        numbers_from(first, count),
        std::vector<double>(all.begin() + first, all.begin() + first + count), damping.mass,
        velocity));
  }
  for (const Energy* energy : energies) {
    const auto add = [&](std::unique_ptr<Dissipation> dissipation) {
      if (system.counts(*energy)) {
        system.add(std::move(dissipation));
      } else {
        system.add_uncounted(std::move(dissipation));
      }
    };
    // Dampings of strain are the tets' own; the springs of an attachment have no strain.
    const bool of_strain = damping.model == DampingModel::strain ||
                           damping.model == DampingModel::strain_explicit ||
                           damping.model == DampingModel::kelvin_voigt;
    if (of_strain && energy != energies.front() && !energy->abilities().moving_rest) continue;
    switch (damping.model) {
      case DampingModel::none: break;
      case DampingModel::rayleigh:
      case DampingModel::rayleigh_end:
        if (damping.stiffness > 0) {
          add(std::make_unique<Rayleigh>(*energy, damping.stiffness, velocity));
        }
        break;
      case DampingModel::strain:
        add(std::make_unique<ImplicitStrainDamping>(*energy, damping.time, system.dofs()));
        break;
      case DampingModel::strain_explicit:
        system.add(std::make_unique<ExplicitStrainDamping>(*energy, damping.time));
        break;
      case DampingModel::kelvin_voigt: {
        Vector all = Vector::Zero(system.dofs());
        all.segment(3 * first, body.rest.size()) = body.rest;
        add(std::make_unique<KelvinVoigtDamping>(*energy, all, damping.time));
        break;
      }
    }
  }
}

RigidMotion read_motion(TableReader& reader, const Vec3& default_center) {
  reader.expect({"keys", "axis", "center", "easing", "repeat"});
  std::vector<Keyframe> keys;
  for (TableReader& table : reader.tables("keys")) {
    Keyframe key;
    key.t = table.number("t");
    key.shift = table.vector("shift", Vec3::Zero());
    key.angle = table.number("angle", 0.0) * std::numbers::pi / 180;
    if (!keys.empty() && !(key.t > keys.back().t)) {
      table.fail("t", "the keys of a motion must come in the order of their times");
    }
    table.finish();
    keys.push_back(key);
  }
  if (keys.size() < 2) {
    reader.fail("keys",
                "a motion needs two keys or more, as in keys = [{ t = 0 }, { t = 1, shift "
                "= [0, 1, 0] }]");
  }
  const Vec3 axis = reader.direction("axis", Vec3(Vec3::UnitY()));
  const Vec3 center = reader.vector("center", default_center);
  const std::string easing = reader.choice("easing", {"linear", "smooth"}, "smooth");
  const bool repeat = reader.flag("repeat", false);
  return {std::move(keys), axis, center, easing == "smooth" ? Easing::smooth : Easing::linear,
          repeat};
}

SceneScript read_script(TableReader reader, const Body& body) {
  if (!has_region(reader)) {
    reader.refuse_misspelling("region");
    reader.fail("region", "a script needs a 'region': which vertices it moves");
  }
  SceneScript script;
  script.vertices = read_region(reader, body);
  Eigen::AlignedBox3d box;
  for (const int i : script.vertices) box.extend(Vec3(body.x.segment<3>(3 * i)));
  box = box_around(box, body.ranks);
  script.motion = read_motion(reader, box.center());
  const Pose start = script.motion.at(0);
  if (!start.shift.isZero(0) || !start.rotation.isIdentity(0)) {
    reader.fail("keys",
                "at t = 0 the motion must leave the vertices where they are: begin with a "
                "key { t = 0 }, without shift and angle");
  }
  reader.finish();
  return script;
}

}  // namespace lilyan
