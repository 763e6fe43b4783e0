#include "app/scene/toml/table_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/scene/toml/toml_document.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/base/parameter.hpp"
#include "lilyan/lagrangian/expression_text.hpp"

namespace lilyan {
namespace {

// "a list of three numbers", "a list of 2 whole numbers"
std::string list_of(std::size_t count, std::string_view what) {
  return fmt::format("a list of {} {}", count == 3 ? "three" : std::to_string(count), what);
}

template <class Value>
toml::array array_of(const std::vector<Value>& values) {
  toml::array list;
  for (const Value& value : values) list.push_back(value);
  return list;
}

}  // namespace

SceneDocument::SceneDocument(SceneText text, const std::vector<std::string>& settings,
                             const std::vector<std::string>& without_files)
    : toml_(std::make_unique<TomlDocument>(std::move(text), settings, without_files)) {}

SceneDocument::~SceneDocument() = default;

TableReader SceneDocument::root() {
  return TableReader(
      std::make_shared<TomlTable>(TomlTable{*toml_, toml_->root(), "", toml_->resolved()}));
}

void SceneDocument::collect(std::vector<InputError>& faults) { toml_->collect(faults); }

std::string SceneDocument::resolved() const { return toml_text(toml_->resolved()); }

void SceneDocument::replace_start(const std::string& option, const std::string& run,
                                  const std::optional<int>& frame) {
  toml_->replace_start(option, run, frame);
}

void SceneDocument::fail(const std::string& path, const std::string& message) const {
  throw InputError(toml_->locate(path, toml_->root().at_path(path).node()), message);
}

bool TableReader::has(const std::string& key) const { return table_->has(key); }
std::vector<std::string> TableReader::unread() const { return table_->unread(); }

void TableReader::refuse_misspelling(const std::string& key) const {
  if (const auto other = table_->misspelling(key)) {
    table_->note_unknown(*other, suggestion(*other, {key}), true);
  }
}

void TableReader::note(const std::string& key, const std::string& message) {
  table_->note(key, message);
  table_->doubtful = true;
}

bool TableReader::recover(const std::function<void()>& part) const {
  return table_->document.recover(table_->document.locate(table_->path, &table_->given), part);
}

void TableReader::fail(const std::string& key, const std::string& message) const {
  table_->fail(key, message);
}

std::size_t TableReader::faults() const { return table_->document.faults(); }

bool TableReader::overridden(const std::string& key) const {
  return table_->document.overridden(table_->full(key));
}

void TableReader::expect(const std::vector<std::string>& keys) {
  table_->expected.insert(keys.begin(), keys.end());
}

double TableReader::number(const std::string& key, std::optional<double> fallback) {
  const toml::node* node = table_->find(key, !fallback, "a number");
  double value = fallback.value_or(0);
  if (node) {
    const auto given = node->value<double>();
    const bool valid = node->is_number() && given;
    if (!valid) table_->note_type(key, *node, "a number");
    if (valid && !std::isfinite(*given)) table_->note_type(key, *node, "a finite number");
    value = valid && std::isfinite(*given) ? *given : fallback.value_or(1);
  }
  table_->resolved.insert_or_assign(key, value);
  return value;
}

double TableReader::positive(const std::string& key, std::optional<double> fallback) {
  const double value = number(key, fallback);
  if (!(value > 0)) {
    table_->note(key, fmt::format("'{}' must be positive, not {}", table_->full(key), value));
    return fallback.value_or(1);
  }
  return value;
}

double TableReader::not_negative(const std::string& key, std::optional<double> fallback) {
  const double value = number(key, fallback);
  if (!(value >= 0)) table_->note(key, fmt::format("'{}' must not be negative", key));
  return std::max(value, 0.0);
}

int TableReader::whole(const std::string& key, int least, int most, std::optional<int> fallback) {
  const toml::node* node = table_->find(key, !fallback, "a whole number");
  std::int64_t value = fallback.value_or(0);
  if (node) {
    if (!node->is_integer()) table_->note_type(key, *node, "a whole number");
    value = node->is_integer() ? *node->value<std::int64_t>() : fallback.value_or(least);
  }
  if (value < least || value > most) {
    table_->note(key, fmt::format("'{}' must be between {} and {}, not {}", table_->full(key),
                                  least, most, value));
    value = fallback.value_or(least);
  }
  table_->resolved.insert_or_assign(key, value);
  return static_cast<int>(value);
}

std::string TableReader::text(const std::string& key, const std::optional<std::string>& fallback) {
  const toml::node* node = table_->find(key, !fallback, "a text in quotes");
  if (node && !node->is_string()) table_->fail_type(key, *node, "a text in quotes");
  const std::string value = node ? node->as_string()->get() : *fallback;
  table_->resolved.insert_or_assign(key, value);
  return value;
}

bool TableReader::flag(const std::string& key, bool fallback) {
  const toml::node* node = table_->find(key, false, "");
  const bool valid = node && node->is_boolean();
  if (node && !valid) table_->note_type(key, *node, "true or false");
  const bool value = valid ? node->as_boolean()->get() : fallback;
  table_->resolved.insert_or_assign(key, value);
  return value;
}

std::string TableReader::choice(const std::string& key, const std::vector<std::string>& words,
                                const std::optional<std::string>& fallback) {
  const std::string word = text(key, fallback);
  if (std::ranges::find(words, word) != words.end()) return word;
  const std::string message =
      fmt::format("'{}' cannot be '{}'{}", table_->full(key), word, suggestion(word, words));
  if (!fallback) fail(key, message);
  note(key, message);
  return *fallback;
}

std::vector<std::string> TableReader::words(const std::string& key,
                                            const std::vector<std::string>& all,
                                            const std::vector<std::string>& fallback) {
  const toml::node* node = table_->find(key, false, "");
  std::vector<std::string> value = node ? std::vector<std::string>() : fallback;
  const auto add = [&](const toml::node& entry) {
    if (!entry.is_string()) table_->fail_type(key, *node, "a list of words in quotes");
    const std::string& word = entry.as_string()->get();
    if (std::ranges::find(all, word) == all.end()) {
      table_->fail_entry(
          key, entry,
          fmt::format("'{}' cannot have '{}'{}", table_->full(key), word, suggestion(word, all)));
    }
    if (std::ranges::find(value, word) == value.end()) value.push_back(word);
  };
  if (node && node->is_array()) {
    for (const toml::node& entry : *node->as_array()) add(entry);
  } else if (node) {
    add(*node);
  }
  table_->resolved.insert_or_assign(key, array_of(value));
  return value;
}

Vec3 TableReader::vector(const std::string& key, const std::optional<Vec3>& fallback) {
  const std::string wanted = list_of(3, "numbers");
  const toml::node* node = table_->find(key, !fallback, wanted);
  Vec3 value = fallback.value_or(Vec3::Ones());
  if (node && (!node->is_array() || node->as_array()->size() != 3)) {
    table_->note_type(key, *node, wanted);
  } else if (node) {
    value = Vec3::Map(table_->numbers(key, *node, 3, wanted).data());
  }
  table_->resolved.insert_or_assign(key, toml::array{value[0], value[1], value[2]});
  return value;
}

Vec3 TableReader::direction(const std::string& key, const std::optional<Vec3>& fallback) {
  const Vec3 value = vector(key, fallback);
  if (value.isZero(0)) fail(key, fmt::format("'{}' must not be zero", key));
  return value;
}

Vec3 TableReader::size(const std::string& key) {
  const Vec3 value = vector(key);
  if (!(value.minCoeff() > 0)) {
    table_->note(key, fmt::format("'{}' must be three positive numbers", key));
    return Vec3::Ones();
  }
  return value;
}

std::vector<double> TableReader::numbers(const std::string& key, std::size_t count) {
  const std::string wanted = list_of(count, "numbers");
  const toml::node* node = table_->find(key, true, wanted);
  std::vector<double> value = table_->numbers(key, *node, count, wanted);
  table_->resolved.insert_or_assign(key, *node);
  return value;
}

std::vector<int> TableReader::wholes(const std::string& key, std::size_t count, int least,
                                     int most) {
  const std::string wanted = list_of(count, "whole numbers");
  const toml::node* node = table_->find(key, true, wanted);
  std::vector<int> value;
  for (const toml::node& entry : table_->list(key, *node, count, wanted)) {
    const std::int64_t number = entry.is_integer() ? *entry.value<std::int64_t>() : 0;
    if (!entry.is_integer() || number < least || number > most) {
      fail(key, fmt::format("'{}' must be {} between {} and {}; entry {} is {}", table_->full(key),
                            wanted, least, most, value.size() + 1, described(entry)));
    }
    value.push_back(static_cast<int>(number));
  }
  table_->resolved.insert_or_assign(key, array_of(value));
  return value;
}

std::vector<std::string> TableReader::texts(const std::string& key) {
  constexpr std::string_view kWanted = "a list of texts in quotes";
  const toml::node* node = table_->find(key, true, kWanted);
  std::vector<std::string> value;
  for (const toml::node& entry : table_->list(key, *node, 0, kWanted)) {
    if (!entry.is_string()) table_->fail_type(key, *node, kWanted);
    value.push_back(entry.as_string()->get());
  }
  table_->resolved.insert_or_assign(key, *node);
  return value;
}

std::vector<std::array<std::string, 2>> TableReader::text_pairs(const std::string& key) {
  constexpr std::string_view kWanted = "a list of pairs of texts, such as [[\"a\", \"b\"]]";
  const toml::node* node = table_->find(key, true, kWanted);
  std::vector<std::array<std::string, 2>> value;
  for (const toml::node& entry : table_->list(key, *node, 0, kWanted)) {
    const toml::array* pair = entry.as_array();
    if (!pair || pair->size() != 2 || !(*pair)[0].is_string() || !(*pair)[1].is_string()) {
      table_->fail_type(key, *node, kWanted);
    }
    value.push_back({(*pair)[0].as_string()->get(), (*pair)[1].as_string()->get()});
  }
  table_->resolved.insert_or_assign(key, *node);
  return value;
}

std::vector<int> TableReader::indices(const std::string& key, int count) {
  constexpr std::string_view kWanted = "a list of vertex numbers";
  const toml::node* node = table_->find(key, true, kWanted);
  std::vector<int> value;
  for (const toml::node& entry : table_->list(key, *node, 0, kWanted)) {
    const std::int64_t index = entry.is_integer() ? *entry.value<std::int64_t>() : -1;
    if (index < 0 || index >= count) {
      table_->fail_entry(key, entry,
                         fmt::format("{} is not a vertex: the body has vertices 0 to {}",
                                     described(entry), count - 1));
    }
    value.push_back(static_cast<int>(index));
  }
  table_->resolved.insert_or_assign(key, *node);
  return value;
}

SceneFormula TableReader::formula(const std::string& key) {
  constexpr std::string_view kWanted = "a formula in quotes or a number";
  const toml::node* node = table_->find(key, true, kWanted);
  if (!node->is_string() && !node->is_number()) table_->fail_type(key, *node, kWanted);
  table_->resolved.insert_or_assign(key, *node);
  return table_->formula(key, *node);
}

std::vector<SceneFormula> TableReader::formulas(const std::string& key) {
  if (!is_list(key)) return {formula(key)};
  const toml::node* node = table_->find(key, true, "");
  std::vector<SceneFormula> all;
  for (const toml::node& entry : *node->as_array()) {
    if (!entry.is_string() && !entry.is_number()) {
      table_->fail_type(key, *node, "a list of formulas in quotes and numbers");
    }
    all.push_back(table_->formula(key, entry));
  }
  table_->resolved.insert_or_assign(key, *node);
  return all;
}

std::filesystem::path TableReader::path_of(const std::string& key) {
  if (!table_->document.may_name_file(table_->full(key))) {
    fail(key, "files cannot be named here, only in scenes");
  }
  return table_->document.file().parent_path() / text(key);
}

std::filesystem::path TableReader::existing(const std::string& key, bool there,
                                            std::string_view what) {
  const std::filesystem::path path = path_of(key);
  if (!there) {
    fail(key, fmt::format("there is no {} '{}' (looked for {})", what, text(key), path.string()));
  }
  // Absolute, so that the resolved scene can be run from its result folder.
  table_->resolved.insert_or_assign(key, std::filesystem::weakly_canonical(path).string());
  return path;
}

std::filesystem::path TableReader::file(const std::string& key) {
  return existing(key, std::filesystem::is_regular_file(path_of(key)), "file");
}

std::filesystem::path TableReader::folder(const std::string& key) {
  return existing(key, std::filesystem::is_directory(path_of(key)), "folder");
}

TableReader TableReader::table(const std::string& key) {
  static const toml::table kEmpty;
  const toml::node* node = table_->find(key, false, "");
  if (node && !node->is_table()) table_->fail_type(key, *node, "a table");
  table_->resolved.insert_or_assign(key, toml::table{});
  return TableReader(
      std::make_shared<TomlTable>(TomlTable{table_->document, node ? *node->as_table() : kEmpty,
                                            table_->full(key), *table_->resolved[key].as_table()}));
}

std::vector<TableReader> TableReader::tables(const std::string& key) {
  const toml::node* node = table_->find(key, false, "");
  std::vector<TableReader> readers;
  if (!node) return readers;
  const std::string path = table_->full(key);
  const toml::array* list = node->as_array();
  if (!list) table_->fail_type(key, *node, fmt::format("a list of tables ([[{}]])", path));
  for (std::size_t i = 0; i < list->size(); ++i) {
    if ((*list)[i].is_table()) continue;
    const std::string entry = fmt::format("{}.{}", key, i);
    table_->fail_entry(entry, (*list)[i],
                       fmt::format("'{}' must be a table of a list of tables ([[{}]])",
                                   table_->full(entry), path));
  }
  table_->resolved.insert_or_assign(key, toml::array{});
  toml::array& target = *table_->resolved[key].as_array();
  for (std::size_t i = 0; i < list->size(); ++i) target.push_back(toml::table{});
  for (std::size_t i = 0; i < list->size(); ++i) {
    readers.push_back(TableReader(std::make_shared<TomlTable>(
        TomlTable{table_->document, *list->get(i)->as_table(), fmt::format("{}.{}", path, i),
                  *target.get(i)->as_table()})));
  }
  return readers;
}

bool TableReader::is_text(const std::string& key) const {
  const toml::node* node = table_->given.get(key);
  return node && node->is_string();
}

bool TableReader::is_list(const std::string& key) const {
  const toml::node* node = table_->given.get(key);
  return node && node->is_array();
}

bool TableReader::is_table(const std::string& key) const {
  const toml::node* node = table_->given.get(key);
  return node && node->is_table();
}

bool TableReader::has_tables(const std::string& key) const {
  const toml::node* node = table_->given.get(key);
  return node && node->is_array_of_tables();
}

void TableReader::replace(const std::string& key, int value) {
  table_->asked.insert(key);
  table_->resolved.insert_or_assign(key, value);
}
void TableReader::replace(const std::string& key, double value) {
  table_->asked.insert(key);
  table_->resolved.insert_or_assign(key, value);
}

void TableReader::drop(const std::string& key) {
  table_->asked.insert(key);
  table_->dropped.insert(key);
}

void TableReader::finish(const std::vector<std::string>& known) const {
  const std::vector<std::string> rest = unread();
  if (rest.empty() || table_->doubtful) return;
  std::set<std::string> all = table_->asked;
  all.insert(known.begin(), known.end());
  all.insert(table_->expected.begin(), table_->expected.end());
  const std::vector<std::string> names(all.begin(), all.end());
  for (const std::string& key : rest) table_->note_unknown(key, suggestion(key, names));
}

void TableReader::fail_within(const SceneFormula& formula, std::size_t position,
                              const std::string& message) const {
  const SourceLocation where =
      formula.quoted ? table_->document.locate_within(formula.where, formula.text, position)
                     : formula.where;
  throw InputError(where, fmt::format("{}\n{}", message, point_at(formula.text, position)));
}

Parameters read_parameter_values(TableReader& reader,
                                 const std::vector<ParameterSpec>& specification) {
  Parameters parameters;
  for (const ParameterSpec& spec : specification) {
    const bool has_default = spec.default_value.has_value();
    if (!reader.has(spec.name) && !has_default) continue;
    if (spec.text) {
      parameters.set(
          spec.name,
          reader.text(spec.name, has_default
                                     ? std::optional(std::get<std::string>(*spec.default_value))
                                     : std::nullopt));
    } else {
      parameters.set(
          spec.name,
          reader.number(spec.name, has_default
                                       ? std::optional(std::get<double>(*spec.default_value))
                                       : std::nullopt));
    }
  }
  return parameters;
}

Parameters read_parameters(TableReader& reader, const std::vector<ParameterSpec>& specification) {
  Parameters parameters = read_parameter_values(reader, specification);
  std::vector<std::string> names;
  for (const ParameterSpec& spec : specification) names.push_back(spec.name);
  reader.finish(names);
  return parameters;
}

void fail_parameter(const TableReader& reader, const ParameterError& error) {
  reader.fail(error.parameter(), error.what());
}

}  // namespace lilyan
