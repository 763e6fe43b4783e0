// The list of all materials, and elastic constants as users know them: Lamé's μ and λ, Young's
// modulus and Poisson's ratio, or the a₁ and b₁ of neo-Hookean materials.
#include "lilyan/material/material.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "lilyan/all_materials.hpp"  // generated: one line per file of the folder

namespace lilyan {

namespace {

// A deque, because whoever has found a material keeps its address.
std::deque<MaterialInfo>& registry() {
  static std::deque<MaterialInfo> all = [] {
    const std::vector<MaterialInfo> own = all_materials();
    return std::deque<MaterialInfo>(own.begin(), own.end());
  }();
  return all;
}

}  // namespace

const std::deque<MaterialInfo>& materials() { return registry(); }

void add_material(MaterialInfo material) {
  const std::string& name = material.name;
  if (name.empty()) throw Error("a material needs a name");
  if (find_material(name)) throw Error("there is a material '" + name + "' already");
  if (!material.make) throw Error("the material '" + name + "' has no function 'make'");
  registry().push_back(std::move(material));
}

const MaterialInfo* find_material(std::string_view name) {
  const auto found = std::ranges::find(materials(), name, &MaterialInfo::name);
  return found == materials().end() ? nullptr : &*found;
}

std::vector<ParameterSpec> lame_parameters() {
  return {{"mu", "Lamé's second constant μ (shear modulus), > 0", {}},
          {"lambda", "Lamé's first constant λ, > −2μ/3", {}},
          {"young", "Young's modulus E, > 0; with poisson instead of mu and lambda", {}},
          {"poisson", "Poisson's ratio ν, in (−1, 0.5)", {}}};
}

std::vector<ParameterSpec> neo_hookean_parameters() {
  std::vector<ParameterSpec> all = lame_parameters();
  all.push_back({"a1", "μ/2, > 0; with b1 instead of mu and lambda", {}});
  all.push_back({"b1", "λ/2, > −2/3 a1", {}});
  return all;
}

namespace {

using Pair = std::array<std::string_view, 2>;

bool has(const Parameters& given, std::string_view name) { return given.has(std::string(name)); }

// The one pair that is given of those allowed. Throws when there is none, or more than one.
const Pair& chosen(const Parameters& given, std::span<const Pair> pairs) {
  const Pair* found = nullptr;
  std::string expected;
  for (const Pair& pair : pairs) {
    if (!expected.empty()) expected += ", or ";
    expected += fmt::format("{} and {}", pair[0], pair[1]);
    if (!has(given, pair[0]) && !has(given, pair[1])) continue;
    if (found) {
      throw ParameterError("", fmt::format("give either {} and {} or {} and {}, not both",
                                           (*found)[0], (*found)[1], pair[0], pair[1]));
    }
    found = &pair;
  }
  if (!found) throw ParameterError("", "the stiffness is missing: give " + expected);
  const auto& [first, second] = *found;
  if (!has(given, first)) {
    throw ParameterError("", fmt::format("{} is missing ({} is given)", first, second));
  }
  if (!has(given, second)) {
    throw ParameterError("", fmt::format("{} is missing ({} is given)", second, first));
  }
  return *found;
}

double positive(const Parameters& given, const std::string& name) {
  const double value = given.number(name);
  if (!(value > 0) || !std::isfinite(value)) {
    throw ParameterError(name, fmt::format("{} must be positive", name));
  }
  return value;
}

// {mu, lambda} and {a1, b1} obey the same bounds.
std::array<double, 2> stiffness_pair(const Parameters& given, const Pair& pair) {
  const std::string name(pair[1]);
  const double shear = positive(given, std::string(pair[0]));
  const double volume = given.number(name);
  if (!(3 * volume + 2 * shear > 0) || !std::isfinite(volume)) {
    throw ParameterError(name, fmt::format("{} must be above −2/3 {}, or the material expands when "
                                           "pressed",
                                           pair[1], pair[0]));
  }
  return {shear, volume};
}

constexpr Pair kLame = {"mu", "lambda"};
constexpr Pair kEngineering = {"young", "poisson"};
constexpr Pair kNeoHookean = {"a1", "b1"};

Lame read_lame(const Parameters& given, std::span<const Pair> pairs) {
  const Pair& pair = chosen(given, pairs);
  if (pair == kEngineering) {
    const double young = positive(given, "young");
    const double poisson = given.number("poisson");
    if (!(poisson > -1 && poisson < 0.5)) {
      throw ParameterError("poisson", "poisson must be above −1 and below 0.5");
    }
    return {young / (2 * (1 + poisson)), young * poisson / ((1 + poisson) * (1 - 2 * poisson))};
  }
  const auto [shear, volume] = stiffness_pair(given, pair);
  const double unit = pair == kNeoHookean ? 2 : 1;
  return {unit * shear, unit * volume};
}

}  // namespace

Lame lame(const Parameters& given) {
  constexpr std::array kPairs = {kLame, kEngineering};
  return read_lame(given, kPairs);
}

Lame neo_hookean_lame(const Parameters& given) {
  constexpr std::array kPairs = {kLame, kEngineering, kNeoHookean};
  return read_lame(given, kPairs);
}

}  // namespace lilyan
