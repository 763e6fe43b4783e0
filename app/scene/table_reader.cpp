#include "app/scene/table_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include "lilyan/core/parameter.hpp"
#include "lilyan/system/expression_text.hpp"

namespace lilyan {
namespace {

// "the text "abc"", "a list of 3", "2.5", …
std::string found(const toml::node& node) {
  std::ostringstream text;
  if (node.is_table()) return "a table";
  if (node.is_array()) return fmt::format("a list of {}", node.as_array()->size());
  if (const auto* s = node.as_string()) return fmt::format("the text \"{}\"", s->get());
  node.visit([&](const auto& value) { text << value; });
  return text.str();
}

SceneFormula formula_of(const toml::node& node, const std::string& path) {
  if (const auto* text = node.as_string()) return {path, text->get(), &node};
  return {path, fmt::format("{}", *node.value<double>()), &node};
}

}  // namespace

std::string TableReader::full(const std::string& key) const {
  return path_.empty() ? key : path_ + "." + key;
}

void TableReader::fail(const std::string& key, const std::string& complaint) const {
  const toml::node* node = table_.get(key);
  throw InputError(document_.locate(full(key), node ? node : &table_), complaint);
}

void TableReader::wrong_type(const std::string& key, const toml::node& node,
                             std::string_view expected) const {
  fail(key, fmt::format("'{}' must be {}, not {}", full(key), expected, found(node)));
}

const toml::node* TableReader::find(const std::string& key, bool required,
                                    std::string_view expected) {
  asked_.insert(key);
  const toml::node* node = has(key) ? table_.get(key) : nullptr;
  if (!node) complain_of_misspelling(key);
  if (!node && required) {
    fail(key, fmt::format("'{}' is missing: {} is expected", full(key), expected));
  }
  return node;
}

void TableReader::complain_of_misspelling(const std::string& key) const {
  for (const std::string& other : unread()) {
    if (!expected_.contains(other) && nearest_name(other, {key})) {
      unknown_key(other, suggestion(other, {key}));
    }
  }
}

void TableReader::unknown_key(const std::string& key, const std::string& hint) const {
  // The key itself is what is wrong, so point at it rather than at its value.
  const auto entry = table_.find(key);
  SourceLocation where = document_.locate(full(key), &entry->second);
  if (where.line > 0) {
    const auto place = entry->first.source().begin;
    where.line = static_cast<int>(place.line);
    where.column = static_cast<int>(place.column);
  }
  throw InputError(where, fmt::format("unknown key '{}'{}", full(key), hint));
}

std::vector<std::string> TableReader::unread() const {
  std::vector<std::pair<toml::source_position, std::string>> rest;
  for (const auto& [key, node] : table_) {
    const std::string name(key.str());
    if (!asked_.contains(name)) rest.emplace_back(key.source().begin, name);
  }
  std::ranges::sort(rest, {},
                    [](const auto& r) { return std::pair(r.first.line, r.first.column); });
  std::vector<std::string> names;
  for (auto& r : rest) names.push_back(std::move(r.second));
  return names;
}

double TableReader::number(const std::string& key, std::optional<double> standard) {
  const toml::node* node = find(key, !standard, "a number");
  if (!node) {
    resolved_.insert_or_assign(key, *standard);
    return *standard;
  }
  const auto value = node->value<double>();
  if (!node->is_number() || !value) wrong_type(key, *node, "a number");
  if (!std::isfinite(*value)) wrong_type(key, *node, "a finite number");
  resolved_.insert_or_assign(key, *value);
  return *value;
}

double TableReader::positive(const std::string& key, std::optional<double> standard) {
  const double value = number(key, standard);
  if (!(value > 0)) fail(key, fmt::format("'{}' must be positive, not {}", full(key), value));
  return value;
}

int TableReader::whole(const std::string& key, int least, int most, std::optional<int> standard) {
  const toml::node* node = find(key, !standard, "a whole number");
  std::int64_t value = standard.value_or(0);
  if (node) {
    if (!node->is_integer()) wrong_type(key, *node, "a whole number");
    value = *node->value<std::int64_t>();
  }
  if (value < least || value > most) {
    fail(key, fmt::format("'{}' must be between {} and {}, not {}", full(key), least, most, value));
  }
  resolved_.insert_or_assign(key, value);
  return static_cast<int>(value);
}

std::string TableReader::text(const std::string& key, const std::optional<std::string>& standard) {
  const toml::node* node = find(key, !standard, "a text in quotes");
  if (!node) {
    resolved_.insert_or_assign(key, *standard);
    return *standard;
  }
  if (!node->is_string()) wrong_type(key, *node, "a text in quotes");
  resolved_.insert_or_assign(key, node->as_string()->get());
  return node->as_string()->get();
}

bool TableReader::flag(const std::string& key, bool standard) {
  const toml::node* node = find(key, false, "");
  if (node && !node->is_boolean()) wrong_type(key, *node, "true or false");
  const bool value = node ? node->as_boolean()->get() : standard;
  resolved_.insert_or_assign(key, value);
  return value;
}

std::string TableReader::choice(const std::string& key, const std::vector<std::string>& words,
                                const std::optional<std::string>& standard) {
  const std::string word = text(key, standard);
  if (std::ranges::find(words, word) == words.end()) {
    fail(key, fmt::format("'{}' cannot be '{}'{}", full(key), word, suggestion(word, words)));
  }
  return word;
}

std::vector<std::string> TableReader::words(const std::string& key,
                                            const std::vector<std::string>& all,
                                            const std::vector<std::string>& standard) {
  const toml::node* node = find(key, false, "");
  std::vector<std::string> value = node ? std::vector<std::string>() : standard;
  const auto add = [&](const toml::node& entry) {
    if (!entry.is_string()) wrong_type(key, *node, "a list of words in quotes");
    const std::string& word = entry.as_string()->get();
    if (std::ranges::find(all, word) == all.end()) {
      throw InputError(
          document_.locate(full(key), &entry),
          fmt::format("'{}' cannot have '{}'{}", full(key), word, suggestion(word, all)));
    }
    if (std::ranges::find(value, word) == value.end()) value.push_back(word);
  };
  if (node && node->is_array()) {
    for (const toml::node& entry : *node->as_array()) add(entry);
  } else if (node) {
    add(*node);
  }
  toml::array resolved;
  for (const std::string& word : value) resolved.push_back(word);
  resolved_.insert_or_assign(key, resolved);
  return value;
}

Vec3 TableReader::vector(const std::string& key, const std::optional<Vec3>& standard) {
  constexpr std::string_view kExpected = "a list of three numbers";
  const toml::node* node = find(key, !standard, kExpected);
  Vec3 value = standard.value_or(Vec3::Zero());
  if (node) {
    const toml::array* list = node->as_array();
    if (!list || list->size() != 3) wrong_type(key, *node, kExpected);
    for (int i = 0; i < 3; ++i) {
      const toml::node& entry = *list->get(static_cast<std::size_t>(i));
      if (!entry.is_number() || !std::isfinite(*entry.value<double>())) {
        throw InputError(document_.locate(full(key), &entry),
                         fmt::format("'{}' must be {}; entry {} is {}", full(key), kExpected, i + 1,
                                     found(entry)));
      }
      value[i] = *entry.value<double>();
    }
  }
  resolved_.insert_or_assign(key, toml::array{value[0], value[1], value[2]});
  return value;
}

std::array<int, 3> TableReader::cells(const std::string& key) {
  constexpr std::string_view kExpected = "a list of three whole numbers";
  const toml::node* node = find(key, true, kExpected);
  const toml::array* list = node->as_array();
  if (!list || list->size() != 3) wrong_type(key, *node, kExpected);
  std::array<int, 3> value{};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto entry = list->get(i)->value<std::int64_t>();
    if (!list->get(i)->is_integer() || *entry < 1 || *entry > 1000) {
      fail(key, fmt::format("'{}' must be {} between 1 and 1000; entry {} is {}", full(key),
                            kExpected, i + 1, found(*list->get(i))));
    }
    value[i] = static_cast<int>(*entry);
  }
  resolved_.insert_or_assign(key, toml::array{value[0], value[1], value[2]});
  return value;
}

std::vector<double> TableReader::numbers(const std::string& key, int count) {
  const std::string expected = fmt::format("a list of {} numbers", count);
  const toml::node* node = find(key, true, expected);
  const toml::array* list = node->as_array();
  if (!list || list->size() != static_cast<std::size_t>(count)) wrong_type(key, *node, expected);
  std::vector<double> value;
  for (const toml::node& entry : *list) {
    if (!entry.is_number() || !std::isfinite(*entry.value<double>())) {
      throw InputError(document_.locate(full(key), &entry),
                       fmt::format("'{}' must be {}; entry {} is {}", full(key), expected,
                                   value.size() + 1, found(entry)));
    }
    value.push_back(*entry.value<double>());
  }
  resolved_.insert_or_assign(key, *list);
  return value;
}

std::vector<int> TableReader::wholes(const std::string& key, int count, int least, int most) {
  const std::string expected = fmt::format("a list of {} whole numbers", count);
  const toml::node* node = find(key, true, expected);
  const toml::array* list = node->as_array();
  if (!list || list->size() != static_cast<std::size_t>(count)) wrong_type(key, *node, expected);
  std::vector<int> value;
  for (const toml::node& entry : *list) {
    if (!entry.is_integer() || *entry.value<std::int64_t>() < least ||
        *entry.value<std::int64_t>() > most) {
      fail(key, fmt::format("'{}' must be {} between {} and {}; entry {} is {}", full(key),
                            expected, least, most, value.size() + 1, found(entry)));
    }
    value.push_back(static_cast<int>(*entry.value<std::int64_t>()));
  }
  resolved_.insert_or_assign(key, *list);
  return value;
}

std::vector<std::string> TableReader::texts(const std::string& key) {
  constexpr std::string_view kExpected = "a list of texts in quotes";
  const toml::node* node = find(key, true, kExpected);
  const toml::array* list = node->as_array();
  if (!list) wrong_type(key, *node, kExpected);
  std::vector<std::string> value;
  for (const toml::node& entry : *list) {
    if (!entry.is_string()) wrong_type(key, *node, kExpected);
    value.push_back(entry.as_string()->get());
  }
  resolved_.insert_or_assign(key, *list);
  return value;
}

std::vector<int> TableReader::indices(const std::string& key, int count) {
  const toml::node* node = find(key, true, "a list of vertex numbers");
  const toml::array* list = node->as_array();
  if (!list) wrong_type(key, *node, "a list of vertex numbers");
  std::vector<int> value;
  for (const toml::node& entry : *list) {
    const auto index = entry.value<std::int64_t>();
    if (!entry.is_integer() || *index < 0 || *index >= count) {
      throw InputError(document_.locate(full(key), &entry),
                       fmt::format("{} is not a vertex: the body has vertices 0 to {}",
                                   found(entry), count - 1));
    }
    value.push_back(static_cast<int>(*index));
  }
  resolved_.insert_or_assign(key, *list);
  return value;
}

SceneFormula TableReader::formula(const std::string& key) {
  constexpr std::string_view kExpected = "a formula in quotes or a number";
  const toml::node* node = find(key, true, kExpected);
  if (!node->is_string() && !node->is_number()) wrong_type(key, *node, kExpected);
  resolved_.insert_or_assign(key, *node);
  return formula_of(*node, full(key));
}

std::vector<SceneFormula> TableReader::formulas(const std::string& key) {
  if (!is_list(key)) return {formula(key)};
  const toml::node* node = find(key, true, "");
  std::vector<SceneFormula> all;
  for (const toml::node& entry : *node->as_array()) {
    if (!entry.is_string() && !entry.is_number()) {
      wrong_type(key, *node, "a list of formulas in quotes and numbers");
    }
    all.push_back(formula_of(entry, full(key)));
  }
  resolved_.insert_or_assign(key, *node);
  return all;
}

bool TableReader::is_list(const std::string& key) const {
  const toml::node* node = table_.get(key);
  return node && node->is_array();
}

bool TableReader::is_table(const std::string& key) const {
  const toml::node* node = table_.get(key);
  return node && node->is_table();
}

bool TableReader::has_tables(const std::string& key) const {
  const toml::node* node = table_.get(key);
  return node && node->is_array_of_tables();
}

void TableReader::fail_within(const SceneFormula& formula, std::size_t position,
                              const std::string& complaint) const {
  throw InputError(document_.locate_within(formula.path, formula.node, position),
                   fmt::format("{}\n{}", complaint, point_at(formula.text, position)));
}

void TableReader::fail_at(const SceneFormula& formula, const std::string& complaint) const {
  throw InputError(document_.locate(formula.path, formula.node), complaint);
}

std::filesystem::path TableReader::file(const std::string& key) {
  const std::string given = text(key);
  if (!document_.may_name_file(full(key))) fail(key, "files cannot be named here, only in scenes");
  const std::filesystem::path path = document_.file().parent_path() / given;
  if (!std::filesystem::is_regular_file(path)) {
    fail(key, fmt::format("there is no file '{}' (looked for {})", given, path.string()));
  }
  // Absolute, so that the resolved scene can be run from its result folder.
  resolved_.insert_or_assign(key, std::filesystem::weakly_canonical(path).string());
  return path;
}

TableReader TableReader::table(const std::string& key) {
  static const toml::table kEmpty;
  const toml::node* node = find(key, false, "");
  if (node && !node->is_table()) wrong_type(key, *node, "a table");
  resolved_.insert_or_assign(key, toml::table{});
  return {document_, node ? *node->as_table() : kEmpty, full(key), *resolved_[key].as_table()};
}

std::vector<TableReader> TableReader::tables(const std::string& key) {
  const toml::node* node = find(key, false, "");
  std::vector<TableReader> readers;
  if (!node) return readers;
  const toml::array* list = node->as_array();
  if (!list || !std::ranges::all_of(*list, [](const auto& n) { return n.is_table(); })) {
    wrong_type(key, *node, fmt::format("a list of tables ([[{}]])", full(key)));
  }
  resolved_.insert_or_assign(key, toml::array{});
  toml::array& target = *resolved_[key].as_array();
  for (std::size_t i = 0; i < list->size(); ++i) target.push_back(toml::table{});
  for (std::size_t i = 0; i < list->size(); ++i) {
    readers.push_back({document_, *list->get(i)->as_table(), fmt::format("{}.{}", full(key), i),
                       *target.get(i)->as_table()});
  }
  return readers;
}

void TableReader::replace(const std::string& key, int value) {
  asked_.insert(key);
  resolved_.insert_or_assign(key, value);
}

void TableReader::finish(const std::vector<std::string>& known) const {
  const std::vector<std::string> rest = unread();
  if (rest.empty()) return;
  std::set<std::string> all = asked_;
  all.insert(known.begin(), known.end());
  all.insert(expected_.begin(), expected_.end());
  const std::vector<std::string> names(all.begin(), all.end());
  unknown_key(rest.front(), suggestion(rest.front(), names));
}

}  // namespace lilyan
