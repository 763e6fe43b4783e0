#include <algorithm>
#include <string>
#include <utility>

#include "lilyan/all_methods.hpp"  // generated: one line per file of this folder
#include "lilyan/method/method.hpp"

namespace lilyan {

namespace {

// A deque, because whoever has found a method keeps its address.
std::deque<Method>& registry() {
  static std::deque<Method> all = [] {
    const std::vector<Method> own = all_methods();
    return std::deque<Method>(own.begin(), own.end());
  }();
  return all;
}

void require_free(const std::string& name) {
  if (name.empty()) throw Error("a method needs a name");
  if (find_method(name)) throw Error("there is a method '" + name + "' already");
}

}  // namespace

const std::deque<Method>& methods() { return registry(); }

void add_method(Method method) {
  require_free(method.name);
  for (const std::string& alias : method.aliases) require_free(alias);
  if (!method.make) throw Error("the method '" + method.name + "' has no function 'make'");
  registry().push_back(std::move(method));
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
