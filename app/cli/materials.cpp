#include <fmt/format.h>

#include "app/cli/commands.hpp"
#include "lilyan/core/error.hpp"
#include "lilyan/material/material.hpp"

namespace lilyan::cli {
namespace {

std::string points(const MaterialInfo& m) {
  return exact_points(m) > 0 ? fmt::format("{} points", exact_points(m)) : "auto";
}

void describe(const MaterialInfo& m) {
  fmt::print("{}: {}\n  {}\n  for: {}\n", m.name, m.summary, m.citation, m.use);
  for (const ParameterSpec& p : m.parameters) {
    fmt::print("  material.{}: {}\n", p.name, p.meaning);
  }
  fmt::print("  {} flat and inverted elements\n",
             m.inverts ? "finite energy for" : "infinite energy at inversion; refuses");
  if (m.degree > 0) {
    fmt::print("  a polynomial of degree {} in the deformation: ", m.degree);
    fmt::print("avf is exact with points = {}\n", exact_points(m));
  } else {
    fmt::print("  not a polynomial: avf with quadrature = auto keeps its energy\n");
  }
}

}  // namespace

int materials(const std::string& wanted) {
  if (!wanted.empty()) {
    const MaterialInfo* found = find_material(wanted);
    if (!found) {
      std::vector<std::string> names;
      for (const MaterialInfo& m : lilyan::materials()) names.push_back(m.name);
      throw InputError({wanted}, "there is no material of this name" + suggestion(wanted, names));
    }
    describe(*found);
    return kDone;
  }
  fmt::print("{:<20} {:<10} {:<10} {}\n", "material", "inversion", "exact avf", "what it is");
  for (const MaterialInfo& m : lilyan::materials()) {
    fmt::print("{:<20} {:<10} {:<10} {}\n", m.name, m.inverts ? "finite" : "infinite", points(m),
               m.summary);
  }
  fmt::print(
      "\ninversion: the energy of inverted elements. exact avf: what makes the method avf keep the "
      "energy exactly,\nintegrator.points or quadrature = auto. `lilyan materials NAME` shows the "
      "parameters of one; choose with\n--set body.0.material.model=NAME.\n");
  return kDone;
}

}  // namespace lilyan::cli
