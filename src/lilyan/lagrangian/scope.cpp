#include "lilyan/lagrangian/parse.hpp"

#include <algorithm>
#include <utility>

#include "lilyan/base/error.hpp"

namespace lilyan {
namespace {

bool well_formed_name(std::string_view name) {
  name = name.substr(0, name.find_last_not_of('\'') + 1);
  return !name.empty() && begins_name(name[0]) && std::ranges::all_of(name, continues_name);
}

}  // namespace

bool is_reserved(std::string_view name) {
  return name == "pi" || name == "if" || name == "sum" || name == "product" ||
         std::ranges::count(named_functions(), name, &NamedFunction::name) > 0;
}

void ExpressionScope::check(const std::string& name) const {
  if (!well_formed_name(name)) {
    throw Error("'" + name +
                "' cannot be a name in expressions: use letters a to z, digits and _, a letter "
                "first");
  }
  if (is_reserved(name)) {
    throw Error("'" + name + "' already has a meaning in expressions; choose another name");
  }
  if (has(name)) throw Error("the name '" + name + "' is given twice");
}

void ExpressionScope::set(const std::string& name, ExpressionNode node) {
  check(name);
  scalars_[name] = node;
}

void ExpressionScope::set_list(const std::string& name, int first_index,
                               std::vector<ExpressionNode> nodes) {
  check(name);
  lists_[name] = {first_index, std::move(nodes)};
}

std::optional<ExpressionNode> ExpressionScope::find(std::string_view name) const {
  const auto found = scalars_.find(name);
  if (found == scalars_.end()) return std::nullopt;
  return found->second;
}

const ExpressionScope::List* ExpressionScope::find_list(std::string_view name) const {
  const auto found = lists_.find(name);
  return found == lists_.end() ? nullptr : &found->second;
}

std::vector<std::string> ExpressionScope::names() const {
  std::vector<std::string> all;
  for (const auto& [name, node] : scalars_) all.push_back(name);
  for (const auto& [name, list] : lists_) all.push_back(name);
  std::ranges::sort(all);
  return all;
}

}  // namespace lilyan
