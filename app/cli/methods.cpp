#include <fmt/format.h>

#include "app/cli/commands.hpp"
#include "lilyan/core/error.hpp"
#include "lilyan/method/method.hpp"

namespace lilyan::cli {
namespace {

std::string_view yes(bool value) { return value ? "yes" : "-"; }

std::string text(const ParameterValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  return std::get<std::string>(value);
}

void describe(const Method& m) {
  const Scheme scheme = make_scheme(m.name);
  fmt::print("{}: {}\n  {}\n", m.name, m.summary, m.citation);
  fmt::print("  for: {}\n", m.use);
  if (!m.aliases.empty()) fmt::print("  also called: {}\n", fmt::join(m.aliases, ", "));
  for (const ParameterSpec& p : m.parameters) {
    fmt::print("  integrator.{} = {}: {}\n", p.name, p.default_value ? text(*p.default_value) : "",
               p.meaning);
  }
  const Claims& c = scheme.claims;
  fmt::print(
      "  with the defaults: order {}, {}, energy {}, linear momentum {}, angular momentum "
      "{}, symplectic {}, symmetric {}\n",
      c.order, name(scheme.solve), name(c.energy), yes(c.linear_momentum), yes(c.angular_momentum),
      yes(c.symplectic), yes(c.symmetric));
  if (c.forced_order != 0) {
    fmt::print("  with forces that depend on velocities, such as drag: order {}\n", c.forced_order);
  }
}

}  // namespace

int methods(const std::string& wanted) {
  if (!wanted.empty()) {
    const Method* found = find_method(wanted);
    if (!found) {
      throw InputError({wanted},
                       "there is no method of this name" + suggestion(wanted, method_names()));
    }
    describe(*found);
    return kDone;
  }
  fmt::print("{:<19} {:>5}  {:<16} {:<10} {:<9} {:<9} {:<10} {}\n", "method", "order", "step is",
             "energy", "momentum", "ang.mom.", "symplectic", "what it is");
  for (const Method& m : lilyan::methods()) {
    const Scheme scheme = make_scheme(m.name);
    const Claims& c = scheme.claims;
    fmt::print("{:<19} {:>5}  {:<16} {:<10} {:<9} {:<9} {:<10} {}{}\n", m.name, c.order,
               name(scheme.solve), name(c.energy), yes(c.linear_momentum), yes(c.angular_momentum),
               yes(c.symplectic), m.summary,
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

}  // namespace lilyan::cli
