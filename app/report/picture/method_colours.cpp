#include "app/report/picture/method_colours.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "app/report/picture/figure.hpp"

namespace lilyan {
namespace {

std::optional<int> own_colour(std::string_view method) {
  const std::string_view name = method.substr(0, method.find_first_of("(: "));
  for (const auto& [known, colour] :
       {std::pair{"avf", 0}, std::pair{"implicit-midpoint", 1}, std::pair{"newmark", 2},
        std::pair{"backward-euler", 3}, std::pair{"stoermer-verlet", 4},
        std::pair{"explicit-euler", 6}, std::pair{"energy-momentum", 8}, std::pair{"rk4", 9},
        std::pair{"gauss", 10}}) {
    if (name == known) return colour;
  }
  return {};
}

}  // namespace

std::vector<int> method_colours(const std::vector<std::string>& methods) {
  std::vector<int> colours(methods.size(), -1);
  const auto taken = [&](int colour) {
    return std::ranges::find(colours, colour) != colours.end();
  };
  for (std::size_t i = 0; i < methods.size(); ++i) {
    const std::optional<int> own = own_colour(methods[i]);
    if (own && !taken(*own)) colours[i] = *own;
  }
  int next = 0;
  for (int& colour : colours) {
    if (colour >= 0) continue;
    while (next < kAllColours && taken(next)) ++next;
    colour = next < kAllColours ? next : next++ % kPaletteSize;
  }
  return colours;
}

}  // namespace lilyan
