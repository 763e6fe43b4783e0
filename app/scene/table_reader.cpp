#include "app/scene/table_reader.hpp"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/files/vital_memory.hpp"
#include "app/scene/toml_nesting.hpp"
#include "lilyan/core/error.hpp"
#include "lilyan/core/parameter.hpp"
#include "lilyan/system/expression_text.hpp"

namespace lilyan {

// A scene file as toml++ parses it, and its tables. Only toml_document.cpp and table_reader.cpp
// include this: toml++ is a large header.

class TomlDocument {
 public:
  // See SceneDocument.
  TomlDocument(const std::filesystem::path& file, const std::vector<std::string>& settings,
               const std::vector<std::string>& without_files);

  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  [[nodiscard]] const toml::table& root() const { return root_; }
  // Everything that was read so far, defaults included; readers fill it in.
  [[nodiscard]] toml::table& resolved() { return resolved_; }

  [[nodiscard]] bool overridden(const std::string& dotted) const {
    return overrides_.contains(dotted);
  }
  // Whether files that the value of a dotted path names may be read.
  [[nodiscard]] bool may_name_file(const std::string& dotted) const;
  // Where the value of a dotted path stands: in the file, or in the option that set it.
  [[nodiscard]] SourceLocation locate(const std::string& dotted, const toml::node* node) const;
  // Where a position (in bytes) within a text in quotes stands; where the text begins when it is
  // not written in the file as it is.
  [[nodiscard]] SourceLocation locate_within(SourceLocation text_begin, const std::string& text,
                                             std::size_t position) const;

 private:
  void apply(const std::string& assignment);
  // The option that set this path, or a table around it; null: the scene file itself.
  [[nodiscard]] const std::string* setter(std::string dotted) const;

  std::filesystem::path file_;
  std::string source_;
  toml::table root_;
  toml::table resolved_;
  std::map<std::string, std::string> overrides_;  // dotted path → the option as given
  std::set<std::string> without_files_;           // of these
};

// A table of the document, and which of its keys were asked for.
struct TomlTable {
  const TomlDocument& document;
  const toml::table& given;
  std::string path;
  toml::table& resolved;
  std::set<std::string> asked = {};
  std::set<std::string> dropped = {};
  std::set<std::string> expected = {};

  [[nodiscard]] bool has(const std::string& key) const {
    return given.contains(key) && !dropped.contains(key);
  }
  [[nodiscard]] std::vector<std::string> unread() const;
  // The dotted path of a key.
  [[nodiscard]] std::string full(const std::string& key) const;

  // Marks a key as known and returns its node, null when absent. Throws when it is required.
  const toml::node* find(const std::string& key, bool required, std::string_view wanted);
  // A list of so many entries; 0: of any number.
  [[nodiscard]] const toml::array& list(const std::string& key, const toml::node& node,
                                        std::size_t count, std::string_view wanted) const;
  // A list of so many finite numbers.
  [[nodiscard]] std::vector<double> numbers(const std::string& key, const toml::node& node,
                                            std::size_t count, std::string_view wanted) const;
  [[nodiscard]] SceneFormula formula(const std::string& key, const toml::node& node) const;

  void refuse_misspelling(const std::string& key) const;
  [[noreturn]] void fail(const std::string& key, const std::string& message) const;
  [[noreturn]] void fail_type(const std::string& key, const toml::node& node,
                              std::string_view wanted) const;
  // Points at an entry of the key's list.
  [[noreturn]] void fail_entry(const std::string& key, const toml::node& entry,
                               const std::string& message) const;
  // Points at the key itself rather than at its value.
  [[noreturn]] void fail_unknown(const std::string& key, const std::string& hint) const;
};

// A value as messages name it: "the text "abc"", "a list of 3", "2.5", …
[[nodiscard]] std::string described(const toml::node& node);

namespace {

SourceLocation position_in(const std::string& file, const toml::source_position& where) {
  return {file, static_cast<int>(where.line), static_cast<int>(where.column)};
}

// Bytes of the character at a place.
std::size_t utf8_length(const std::string& text, std::size_t at) {
  std::size_t length = 1;
  while (at + length < text.size() && (static_cast<unsigned char>(text[at + length]) >> 6) == 2) {
    ++length;
  }
  return length;
}

std::vector<std::string> split_at_dots(const std::string& dotted) {
  std::vector<std::string> parts;
  std::stringstream stream(dotted);
  // Streams keep exceptions to themselves unless told otherwise, here and below.
  stream.exceptions(std::ios::badbit);
  for (std::string part; std::getline(stream, part, '.');) parts.push_back(part);
  return parts;
}

// The error of an option, of which a hostile one is shown in part.
SourceLocation shortened(SourceLocation option) {
  constexpr std::size_t kShown = 80;
  if (option.file.size() <= kShown) return option;
  std::size_t end = kShown;
  while (end > 0 && (static_cast<unsigned char>(option.file[end]) >> 6) == 2) --end;
  option.file = option.file.substr(0, end) + "…";
  return option;
}

std::string too_deep() {
  return fmt::format("more than {} tables and lists within each other", kDeepestToml);
}

}  // namespace

TomlDocument::TomlDocument(const std::filesystem::path& file,
                           const std::vector<std::string>& settings,
                           const std::vector<std::string>& without_files)
    : file_(file) {
  for (const std::string& s : without_files) without_files_.insert("--set " + s);
  const NoticedMemory memory;
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream && errno == ENOMEM) throw std::bad_alloc();
  if (!stream || std::filesystem::is_directory(file)) {
    throw InputError({file.string()}, "cannot read this scene file");
  }
  std::stringstream text;
  text.exceptions(std::ios::badbit);
  text << stream.rdbuf();
  source_ = text.str();
  memory.require();
  if (const auto place = too_deep_in_toml(source_)) {
    throw InputError({file.string(), place->line, place->column}, too_deep());
  }
  try {
    root_ = toml::parse(source_, file.string());
  } catch (const toml::parse_error& error) {
    memory.require();
    throw InputError(position_in(file.string(), error.source().begin),
                     fmt::format("not valid TOML: {}", error.description()));
  }
  memory.require();
  for (const std::string& s : settings) apply(s);
}

// `body.0.material.mu=800`: walks (and where needed makes) the tables on the way and puts the value
// there. A value that is not TOML is taken as a plain string, so that words need no quotes.
void TomlDocument::apply(const std::string& assignment) {
  const SourceLocation option{"--set " + assignment};
  const std::size_t equals = assignment.find('=');
  std::string dotted = assignment.substr(0, equals);
  std::erase_if(dotted, [](char c) { return c == ' ' || c == '\t'; });
  const std::vector<std::string> keys = split_at_dots(dotted);
  if (equals == std::string::npos || keys.empty() ||
      std::ranges::any_of(keys, [](const auto& k) { return k.empty(); })) {
    throw InputError(option, "expected key=value, for example integrator.step=0.01");
  }
  const std::string value = assignment.substr(equals + 1);
  const std::string toml = "value = " + value;
  if (keys.size() > kDeepestToml || too_deep_in_toml(toml)) {
    throw InputError(shortened(option), too_deep());
  }

  const NoticedMemory memory;
  toml::table parsed;
  try {
    parsed = toml::parse(toml);
  } catch (const toml::parse_error&) {
    parsed.clear();
  }
  memory.require();
  if (parsed.size() != 1) {
    parsed.clear();
    parsed.insert("value", value);
  }

  toml::node* here = &root_;
  std::string walked;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const bool last = k + 1 == keys.size();
    std::string name = keys[k];
    if (toml::array* list = here->as_array()) {
      std::size_t index = 0;
      const auto [end, error] =
          std::from_chars(keys[k].data(), keys[k].data() + keys[k].size(), index);
      if (error != std::errc{} || end != keys[k].data() + keys[k].size() || index >= list->size()) {
        throw InputError(option,
                         fmt::format("'{}' is a list of {} entries, counted from 0; '{}' is "
                                     "none of them",
                                     walked, list->size(), keys[k]));
      }
      name = std::to_string(index);  // "00" is 0
      here = list->get(index);
      if (last) {
        list->replace(list->begin() + static_cast<std::ptrdiff_t>(index), *parsed.get("value"));
      }
    } else if (toml::table* table = here->as_table()) {
      if (last) {
        table->insert_or_assign(keys[k], *parsed.get("value"));
      } else {
        if (!table->contains(keys[k])) table->insert(keys[k], toml::table{});
        here = table->get(keys[k]);
      }
    } else {
      throw InputError(option, fmt::format("'{}' is a value, not a table", walked));
    }
    walked += (walked.empty() ? "" : ".") + name;
  }
  overrides_[walked] = option.file;
}

const std::string* TomlDocument::setter(std::string dotted) const {
  for (;; dotted.resize(dotted.rfind('.'))) {
    if (const auto set = overrides_.find(dotted); set != overrides_.end()) return &set->second;
    if (dotted.rfind('.') == std::string::npos) return nullptr;
  }
}

bool TomlDocument::may_name_file(const std::string& dotted) const {
  // A setting of the value itself, or of any table around it, may be one without files.
  for (std::string path = dotted;; path.resize(path.rfind('.'))) {
    const auto set = overrides_.find(path);
    if (set != overrides_.end() && without_files_.contains(set->second)) return false;
    if (path.rfind('.') == std::string::npos) return true;
  }
}

SourceLocation TomlDocument::locate(const std::string& dotted, const toml::node* node) const {
  if (const std::string* option = setter(dotted)) return {*option};
  return node ? position_in(file_.string(), node->source().begin) : SourceLocation{file_.string()};
}

SourceLocation TomlDocument::locate_within(SourceLocation text_begin, const std::string& text,
                                           std::size_t position) const {
  SourceLocation where = std::move(text_begin);
  if (where.line <= 0) return where;
  std::size_t at = 0;
  for (int line = 1; line < where.line && at != std::string::npos; ++line) {
    at = source_.find('\n', at);
    if (at != std::string::npos) ++at;
  }
  if (at == std::string::npos) return where;
  for (int column = 1; column < where.column; ++column) at += utf8_length(source_, at);
  for (const std::string_view opening :
       {"\"\"\"\r\n", "'''\r\n", "\"\"\"\n", "'''\n", "\"\"\"", "'''", "\"", "'"}) {
    if (source_.compare(at, opening.size(), opening) != 0) continue;
    at += opening.size();
    break;
  }
  // Escapes in the text would shift what comes after them.
  if (source_.compare(at, text.size(), text) != 0) return where;
  const std::string_view before = std::string_view(source_).substr(0, at + position);
  const std::size_t line_start = before.rfind('\n') + 1;
  where.line = 1 + static_cast<int>(std::ranges::count(before, '\n'));
  where.column = 1;
  for (std::size_t k = line_start; k < before.size(); k += utf8_length(source_, k)) ++where.column;
  return where;
}

std::vector<std::string> TomlTable::unread() const {
  std::vector<std::pair<toml::source_position, std::string>> rest;
  for (const auto& [key, node] : given) {
    const std::string name(key.str());
    if (!asked.contains(name)) rest.emplace_back(key.source().begin, name);
  }
  std::ranges::sort(rest, {},
                    [](const auto& r) { return std::pair(r.first.line, r.first.column); });
  std::vector<std::string> names;
  for (auto& r : rest) names.push_back(std::move(r.second));
  return names;
}

std::string TomlTable::full(const std::string& key) const {
  return path.empty() ? key : path + "." + key;
}

const toml::node* TomlTable::find(const std::string& key, bool required, std::string_view wanted) {
  asked.insert(key);
  const toml::node* node = has(key) ? given.get(key) : nullptr;
  if (!node) refuse_misspelling(key);
  if (!node && required) {
    fail(key, fmt::format("'{}' is missing: {} is expected", full(key), wanted));
  }
  return node;
}

const toml::array& TomlTable::list(const std::string& key, const toml::node& node,
                                   std::size_t count, std::string_view wanted) const {
  const toml::array* entries = node.as_array();
  if (!entries || (count > 0 && entries->size() != count)) fail_type(key, node, wanted);
  return *entries;
}

std::vector<double> TomlTable::numbers(const std::string& key, const toml::node& node,
                                       std::size_t count, std::string_view wanted) const {
  std::vector<double> values;
  for (const toml::node& entry : list(key, node, count, wanted)) {
    const auto value = entry.value<double>();
    if (!entry.is_number() || !value || !std::isfinite(*value)) {
      fail_entry(key, entry,
                 fmt::format("'{}' must be {}; entry {} is {}", full(key), wanted,
                             values.size() + 1, described(entry)));
    }
    values.push_back(*value);
  }
  return values;
}

SceneFormula TomlTable::formula(const std::string& key, const toml::node& node) const {
  SceneFormula formula{.where = document.locate(full(key), &node), .quoted = node.is_string()};
  if (const auto* text = node.as_string()) {
    formula.text = text->get();
  } else if (const auto* whole = node.as_integer()) {
    formula.text = fmt::format("{}", whole->get());
  } else {
    formula.text = fmt::format("{}", node.as_floating_point()->get());
  }
  return formula;
}

void TomlTable::refuse_misspelling(const std::string& key) const {
  for (const std::string& other : unread()) {
    if (!expected.contains(other) && nearest_name(other, {key})) {
      fail_unknown(other, suggestion(other, {key}));
    }
  }
}

void TomlTable::fail(const std::string& key, const std::string& message) const {
  const toml::node* node = given.get(key);
  throw InputError(document.locate(full(key), node ? node : &given), message);
}

void TomlTable::fail_type(const std::string& key, const toml::node& node,
                          std::string_view wanted) const {
  fail(key, fmt::format("'{}' must be {}, not {}", full(key), wanted, described(node)));
}

void TomlTable::fail_entry(const std::string& key, const toml::node& entry,
                           const std::string& message) const {
  throw InputError(document.locate(full(key), &entry), message);
}

void TomlTable::fail_unknown(const std::string& key, const std::string& hint) const {
  const auto entry = given.find(key);
  SourceLocation where = document.locate(full(key), &entry->second);
  if (where.line > 0) {
    const auto place = entry->first.source().begin;
    where.line = static_cast<int>(place.line);
    where.column = static_cast<int>(place.column);
  }
  throw InputError(where, fmt::format("unknown key '{}'{}", full(key), hint));
}

std::string described(const toml::node& node) {
  if (node.is_table()) return "a table";
  if (node.is_array()) return fmt::format("a list of {}", node.as_array()->size());
  if (const auto* s = node.as_string()) return fmt::format("the text \"{}\"", s->get());
  std::ostringstream text;
  text.exceptions(std::ios::badbit);
  node.visit([&](const auto& value) { text << value; });
  return text.str();
}

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

// In quotes of the kind that needs fewest escapes; in several lines where it has them and may.
std::string quoted_text(const std::string& text, bool may_have_lines = true) {
  const auto control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; };
  if (text.find('\'') == std::string::npos && std::ranges::none_of(text, control)) {
    return "'" + text + "'";
  }
  const bool lines = may_have_lines && text.find('\n') != std::string::npos;
  const std::string quotes = lines ? "\"\"\"" : "\"";
  std::string out = quotes + (lines ? "\n" : "");
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (control(c) && !(lines && c == '\n')) {
      out += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + quotes;
}

std::string written_key(std::string_view key) {
  const auto bare = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  };
  const std::string text(key);
  if (!text.empty() && std::ranges::all_of(text, bare)) return text;
  return quoted_text(text, false);
}

std::string written_number(double value) {
  std::string text = fmt::format("{}", value);
  // A number with neither would be read back as an integer.
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

std::string written_value(const toml::node& node) {
  if (const auto* text = node.as_string()) return quoted_text(text->get());
  if (const auto* number = node.as_floating_point()) return written_number(number->get());
  if (const auto* number = node.as_integer()) return fmt::format("{}", number->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  std::string out;
  if (const auto* list = node.as_array()) {
    for (const toml::node& entry : *list) out += (out.empty() ? "[ " : ", ") + written_value(entry);
    return out.empty() ? "[]" : out + " ]";
  }
  if (const auto* table = node.as_table()) {
    for (const auto& [key, value] : *table) {
      out += (out.empty() ? "{ " : ", ") + written_key(key.str()) + " = " + written_value(value);
    }
    return out.empty() ? "{}" : out + " }";
  }
  return described(node);  // dates and times
}

// A table as TOML. toml++ has a printer too, which computes lengths of numbers with conversions that C++
// does not define.
class TomlText {
 public:
  std::string write(const toml::table& root) {
    write_entries(root, "", 0);
    return std::move(out_);
  }

 private:
  void write_table(const toml::table& table, const std::string& path, int depth, bool of_list) {
    const bool only_tables = !table.empty() && std::ranges::all_of(table, [](const auto& entry) {
      return entry.second.is_table() || entry.second.is_array_of_tables();
    });
    if (of_list || !only_tables) {
      if (!out_.empty()) out_ += "\n";
      out_ += indent(depth) + (of_list ? "[[" : "[") + path + (of_list ? "]]\n" : "]\n");
    }
    write_entries(table, path, depth);
  }

  // Values, then tables, then lists of tables: what stands behind the head of a table belongs to it.
  void write_entries(const toml::table& table, const std::string& path, int depth) {
    const int below = path.empty() ? 0 : depth + 1;
    const auto full = [&](const toml::key& key) {
      return (path.empty() ? "" : path + ".") + written_key(key.str());
    };
    for (const auto& [key, value] : table) {
      if (value.is_table() || value.is_array_of_tables()) continue;
      out_ += indent(depth) + written_key(key.str()) + " = " + written_value(value) + "\n";
    }
    for (const auto& [key, value] : table) {
      if (value.is_table()) write_table(*value.as_table(), full(key), below, false);
    }
    for (const auto& [key, value] : table) {
      if (!value.is_array_of_tables()) continue;
      for (const toml::node& entry : *value.as_array()) {
        write_table(*entry.as_table(), full(key), below, true);
      }
    }
  }

  static std::string indent(int depth) {
    return std::string(4 * static_cast<std::size_t>(depth), ' ');
  }

  std::string out_;
};

}  // namespace

SceneDocument::SceneDocument(const std::filesystem::path& file,
                             const std::vector<std::string>& settings,
                             const std::vector<std::string>& without_files)
    : toml_(std::make_unique<TomlDocument>(file, settings, without_files)) {}

SceneDocument::~SceneDocument() = default;

TableReader SceneDocument::root() {
  return TableReader(
      std::make_shared<TomlTable>(TomlTable{*toml_, toml_->root(), "", toml_->resolved()}));
}

std::string SceneDocument::resolved() const { return TomlText().write(toml_->resolved()); }

void SceneDocument::fail(const std::string& path, const std::string& message) const {
  throw InputError(toml_->locate(path, toml_->root().at_path(path).node()), message);
}

bool TableReader::has(const std::string& key) const { return table_->has(key); }
std::vector<std::string> TableReader::unread() const { return table_->unread(); }

void TableReader::refuse_misspelling(const std::string& key) const {
  table_->refuse_misspelling(key);
}

void TableReader::fail(const std::string& key, const std::string& message) const {
  table_->fail(key, message);
}

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
    if (!node->is_number() || !given) table_->fail_type(key, *node, "a number");
    if (!std::isfinite(*given)) table_->fail_type(key, *node, "a finite number");
    value = *given;
  }
  table_->resolved.insert_or_assign(key, value);
  return value;
}

double TableReader::positive(const std::string& key, std::optional<double> fallback) {
  const double value = number(key, fallback);
  if (!(value > 0)) {
    fail(key, fmt::format("'{}' must be positive, not {}", table_->full(key), value));
  }
  return value;
}

double TableReader::not_negative(const std::string& key, std::optional<double> fallback) {
  const double value = number(key, fallback);
  if (!(value >= 0)) fail(key, fmt::format("'{}' must not be negative", key));
  return value;
}

int TableReader::whole(const std::string& key, int least, int most, std::optional<int> fallback) {
  const toml::node* node = table_->find(key, !fallback, "a whole number");
  std::int64_t value = fallback.value_or(0);
  if (node) {
    if (!node->is_integer()) table_->fail_type(key, *node, "a whole number");
    value = *node->value<std::int64_t>();
  }
  if (value < least || value > most) {
    fail(key, fmt::format("'{}' must be between {} and {}, not {}", table_->full(key), least, most,
                          value));
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
  if (node && !node->is_boolean()) table_->fail_type(key, *node, "true or false");
  const bool value = node ? node->as_boolean()->get() : fallback;
  table_->resolved.insert_or_assign(key, value);
  return value;
}

std::string TableReader::choice(const std::string& key, const std::vector<std::string>& words,
                                const std::optional<std::string>& fallback) {
  const std::string word = text(key, fallback);
  if (std::ranges::find(words, word) == words.end()) {
    fail(key,
         fmt::format("'{}' cannot be '{}'{}", table_->full(key), word, suggestion(word, words)));
  }
  return word;
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
  const Vec3 value =
      node ? Vec3(Vec3::Map(table_->numbers(key, *node, 3, wanted).data())) : fallback.value();
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
    fail(key, fmt::format("'{}' must be three positive numbers", key));
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

std::filesystem::path TableReader::file(const std::string& key) {
  const std::string given = text(key);
  if (!table_->document.may_name_file(table_->full(key))) {
    fail(key, "files cannot be named here, only in scenes");
  }
  const std::filesystem::path path = table_->document.file().parent_path() / given;
  if (!std::filesystem::is_regular_file(path)) {
    fail(key, fmt::format("there is no file '{}' (looked for {})", given, path.string()));
  }
  // Absolute, so that the resolved scene can be run from its result folder.
  table_->resolved.insert_or_assign(key, std::filesystem::weakly_canonical(path).string());
  return path;
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
  if (!list || !std::ranges::all_of(*list, [](const auto& n) { return n.is_table(); })) {
    table_->fail_type(key, *node, fmt::format("a list of tables ([[{}]])", path));
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

void TableReader::drop(const std::string& key) {
  table_->asked.insert(key);
  table_->dropped.insert(key);
}

void TableReader::finish(const std::vector<std::string>& known) const {
  const std::vector<std::string> rest = unread();
  if (rest.empty()) return;
  std::set<std::string> all = table_->asked;
  all.insert(known.begin(), known.end());
  all.insert(table_->expected.begin(), table_->expected.end());
  const std::vector<std::string> names(all.begin(), all.end());
  table_->fail_unknown(rest.front(), suggestion(rest.front(), names));
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
