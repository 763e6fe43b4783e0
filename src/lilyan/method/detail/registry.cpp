#include <algorithm>
#include <string>

#include "lilyan/all_methods.hpp"  // generated: one line per file of this folder
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

std::vector<Scheme> schemes_to_verify() {
  std::vector<Scheme> all;
  for (const Method& m : methods()) {
    all.push_back(make_scheme(m.name));
    for (const Parameters& p : m.variants) all.push_back(make_scheme(m.name, p));
  }
  return all;
}

Scheme make_scheme(std::string_view method, const Parameters& parameters) {
  const Method* found = find_method(method);
  if (!found) {
    throw ParameterError("method", "unknown method '" + std::string(method) + "'" +
                                       suggestion(method, method_names()));
  }
  return found->make(parameters.completed(found->parameters));
}

}  // namespace lilyan
