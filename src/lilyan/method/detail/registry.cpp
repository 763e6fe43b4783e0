#include <algorithm>
#include <string>

#include "lilyan/method/all_methods.hpp"  // generated: one line per file of this folder
#include "lilyan/method/method.hpp"

namespace lilyan {

const std::vector<Method>& methods() {
  static const std::vector<Method> all = all_methods();
  return all;
}

const Method* find_method(std::string_view name) {
  for (const Method& m : methods()) {
    if (m.name == name || std::ranges::find(m.aliases, name) != m.aliases.end()) return &m;
  }
  return nullptr;
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const Method& m : methods()) {
    names.push_back(m.name);
    names.insert(names.end(), m.aliases.begin(), m.aliases.end());
  }
  return names;
}

Scheme make_scheme(std::string_view method, const Parameters& parameters) {
  const Method* found = find_method(method);
  if (!found) {
    throw ParameterError("method", "unknown method '" + std::string(method) + "'" +
                                       suggestion(method, method_names()));
  }
  return found->make(parameters.completed(found->parameters));
}

std::string_view name(SolveKind kind) {
  switch (kind) {
    case SolveKind::explicit_: return "explicit";
    case SolveKind::minimisation: return "minimisation";
    case SolveKind::stationary: return "stationary point";
    case SolveKind::root: return "root find";
  }
  return "";
}

std::string_view name(EnergyBehaviour behaviour) {
  switch (behaviour) {
    case EnergyBehaviour::exact: return "exact";
    case EnergyBehaviour::bounded: return "bounded";
    case EnergyBehaviour::dissipates: return "dissipates";
    case EnergyBehaviour::none: return "no promise";
  }
  return "";
}

}  // namespace lilyan
