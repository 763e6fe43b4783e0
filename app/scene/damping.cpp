#include "app/scene/damping.hpp"

#include <array>
#include <memory>
#include <numeric>
#include <vector>

#include "lilyan/physics/rayleigh.hpp"
#include "lilyan/physics/strain.hpp"

namespace lilyan {
namespace {

double not_negative(TableReader& reader, const std::string& key, std::optional<double> standard) {
  const double value = reader.number(key, standard);
  if (!(value >= 0)) reader.fail(key, "'" + key + "' must not be negative");
  return value;
}

}  // namespace

SceneDamping read_damping(TableReader reader) {
  reader.expect({"model", "stiffness", "mass", "time"});
  const std::string model =
      reader.choice("model", {"rayleigh", "rayleigh-end", "strain", "strain-explicit"}, "rayleigh");
  SceneDamping damping;
  if (model.starts_with("rayleigh")) {
    damping.model = model == "rayleigh" ? DampingModel::rayleigh : DampingModel::rayleigh_end;
    damping.stiffness = not_negative(reader, "stiffness", 0.0);
    damping.mass = not_negative(reader, "mass", 0.0);
    if (damping.stiffness == 0 && damping.mass == 0) {
      reader.fail("stiffness", "damping needs 'stiffness' (a time) or 'mass' (one over a time)");
    }
  } else {
    damping.model = model == "strain" ? DampingModel::strain : DampingModel::strain_explicit;
    damping.time = not_negative(reader, "time", {});
  }
  reader.finish();
  return damping;
}

void add_damping(const SceneDamping& damping, std::span<const Energy* const> energies, int first,
                 int count, System& system) {
  const DissipationVelocity velocity = damping.model == DampingModel::rayleigh_end
                                           ? DissipationVelocity::end
                                           : DissipationVelocity::path;
  if (damping.mass > 0) {
    std::vector<int> vertices(static_cast<std::size_t>(count));
    std::iota(vertices.begin(), vertices.end(), first);
    const auto all = system.vertex_masses();
    system.add(std::make_unique<MassDamping>(
        std::move(vertices), std::vector<double>(all.begin() + first, all.begin() + first + count),
        damping.mass, velocity));
  }
  for (const Energy* energy : energies) {
    switch (damping.model) {
      case DampingModel::none: break;
      case DampingModel::rayleigh:
      case DampingModel::rayleigh_end:
        if (damping.stiffness > 0) {
          system.add(std::make_unique<Rayleigh>(*energy, damping.stiffness, velocity));
        }
        break;
      case DampingModel::strain:
        system.add(std::make_unique<ImplicitStrainDamping>(*energy, damping.time, system.dofs()));
        break;
      case DampingModel::strain_explicit:
        system.add(std::make_unique<ExplicitStrainDamping>(*energy, damping.time));
        break;
    }
  }
}

}  // namespace lilyan
