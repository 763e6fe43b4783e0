// lilyan scenes, lilyan methods, lilyan materials: what there is, and what can be chosen in a scene.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>

#include "app/cli/commands.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/material/material.hpp"
#include "lilyan/method/method.hpp"
#include "lilyan/step/capabilities.hpp"

namespace lilyan::cli {
namespace {

// The title that a scene file begins with.
std::string title_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  constexpr std::string_view kStart = "title = \"";
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with(kStart)) continue;
    const std::size_t end = line.rfind('"');
    return line.substr(kStart.size(), end - kStart.size());
  }
  return {};
}

bool has_word(const std::string& text, const std::string& word) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  };
  return std::search(text.begin(), text.end(), word.begin(), word.end(), same) != text.end() ||
         word.empty();
}

std::string_view yes_or_dash(bool value) { return value ? "yes" : "-"; }

std::string shown(const ParameterValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  return std::get<std::string>(value);
}

void print_method(const Method& m) {
  const Scheme scheme = make_scheme(m.name);
  fmt::print("{}: {}\n  {}\n", m.name, m.summary, m.citation);
  fmt::print("  for: {}\n", m.use);
  if (!m.aliases.empty()) fmt::print("  also called: {}\n", fmt::join(m.aliases, ", "));
  for (const ParameterSpec& p : m.parameters) {
    fmt::print("  integrator.{}{}: {}\n", p.name,
               p.default_value ? " = " + shown(*p.default_value) : "", p.meaning);
  }
  const Claims& c = scheme.claims;
  fmt::print(
      "  with the defaults: order {}, {}, energy {}, linear momentum {}, angular momentum "
      "{}, symplectic {}, symmetric {}\n",
      c.order, name(scheme.solve), name(c.energy), yes_or_dash(c.linear_momentum),
      yes_or_dash(c.angular_momentum), yes_or_dash(c.symplectic), yes_or_dash(c.symmetric));
  if (c.forced_order != 0) {
    fmt::print("  with forces that depend on velocities, such as drag: order {}\n", c.forced_order);
  }
}

std::string points_for_avf(const MaterialInfo& m) {
  return exact_points(m) > 0 ? fmt::format("{} points", exact_points(m)) : "auto";
}

void print_material(const MaterialInfo& m) {
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

int scenes(const std::string& word) {
  std::vector<std::array<std::string, 2>> rows;
  std::size_t widest = 0;
  for (const std::string& name : scene_names()) {
    const std::string title = title_of(find_scene(name));
    if (!has_word(name, word) && !has_word(title, word)) continue;
    rows.push_back({name, title});
    widest = std::max(widest, name.size());
  }
  if (rows.empty()) throw Error(fmt::format("no scene has '{}' in its name or title", word));
  for (const auto& [name, title] : rows) fmt::print("{:<{}}  {}\n", name, widest, title);
  fmt::print("\n./lilyan run NAME runs one, ./lilyan view NAME shows it.\n");
  return kDone;
}

int methods(const std::string& wanted) {
  if (!wanted.empty()) {
    const Method* found = find_method(wanted);
    if (!found) {
      throw InputError({wanted},
                       "there is no method of this name" + suggestion(wanted, method_names()));
    }
    print_method(*found);
    return kDone;
  }
  fmt::print("{:<19} {:>5}  {:<16} {:<10} {:<9} {:<9} {:<10} {}\n", "method", "order", "step is",
             "energy", "momentum", "ang.mom.", "symplectic", "what it is");
  for (const Method& m : lilyan::methods()) {
    const Scheme scheme = make_scheme(m.name);
    const Claims& c = scheme.claims;
    fmt::print("{:<19} {:>5}  {:<16} {:<10} {:<9} {:<9} {:<10} {}{}\n", m.name, c.order,
               name(scheme.solve), name(c.energy), yes_or_dash(c.linear_momentum),
               yes_or_dash(c.angular_momentum), yes_or_dash(c.symplectic), m.summary,
               m.aliases.empty() ? "" : fmt::format(" (also: {})", fmt::join(m.aliases, ", ")));
  }
  fmt::print(
      "\nWith their default parameters; `lilyan verify` measures all of this. `lilyan methods "
      "NAME` shows the parameters of one; "
      "choose with --set integrator.method=NAME.\n"
      "energy: exact = conserved at any step size, as far as the quadrature is exact; bounded = "
      "oscillates without drift while "
      "the step resolves the motion;\n"
      "dissipates = lost to the method's own damping.\n");
  return kDone;
}

int materials(const MaterialOptions& options) {
  const auto& [wanted, page] = options;
  if (!page.empty()) {
    if (!wanted.empty()) {
      throw InputError({"--page " + page}, "the page is of all materials: give no material");
    }
    return write_material_page(page);
  }
  if (!wanted.empty()) {
    const MaterialInfo* found = find_material(wanted);
    if (!found) {
      std::vector<std::string> names;
      for (const MaterialInfo& m : lilyan::materials()) names.push_back(m.name);
      throw InputError({wanted}, "there is no material of this name" + suggestion(wanted, names));
    }
    print_material(*found);
    return kDone;
  }
  fmt::print("{:<20} {:<10} {:<10} {}\n", "material", "inversion", "exact avf", "what it is");
  for (const MaterialInfo& m : lilyan::materials()) {
    fmt::print("{:<20} {:<10} {:<10} {}\n", m.name, m.inverts ? "finite" : "infinite",
               points_for_avf(m), m.summary);
  }
  fmt::print(
      "\ninversion: the energy of inverted elements. exact avf: what makes the method avf keep the "
      "energy exactly,\nintegrator.points or quadrature = auto. `lilyan materials NAME` shows the "
      "parameters of one; choose with\n--set body.0.material.model=NAME.\n");
  return kDone;
}

}  // namespace lilyan::cli
