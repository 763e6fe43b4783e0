#include "lilyan/scene/material_of.hpp"

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

}  // namespace lilyan
