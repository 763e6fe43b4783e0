#include "app/scene/material_of.hpp"

#include <toml++/toml.h>

namespace lilyan {

std::optional<Lame> material_of(const Scene& scene) {
  const toml::table root = toml::parse(scene.resolved);
  const auto material = root["body"][0]["material"];
  const std::optional<double> mu = material["mu"].value<double>();
  const std::optional<double> lambda = material["lambda"].value<double>();
  if (!mu || !lambda) return {};
  return Lame{*mu, *lambda};
}

std::optional<RayleighDamping> damping_of(const Scene& scene) {
  if (!scene.coordinates.empty()) return {};
  const toml::table root = toml::parse(scene.resolved);
  const auto damping = root["body"][0]["damping"];
  return RayleighDamping{.mass = damping["mass"].value_or(0.0),
                         .stiffness = damping["stiffness"].value_or(0.0)};
}

}  // namespace lilyan
