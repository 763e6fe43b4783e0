#include "app/scene/toml/toml_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>
#include <utility>

#include "app/files/vital_memory.hpp"
#include "app/scene/toml/toml_nesting.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/lagrangian/expression_text.hpp"

namespace lilyan {
namespace {

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

// `value` under this name, read as TOML; or the text as it is, if it is none.
toml::table parsed_value(const std::string& toml, const std::string& text) {
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
    parsed.insert("value", text);
  }
  return parsed;
}

// The entry of a list that a key of an option is the number of.
std::size_t entry_of(std::size_t size, const std::string& key, const std::string& list,
                     const SourceLocation& option) {
  std::size_t index = 0;
  const char* last = key.data() + key.size();
  const auto [end, error] = std::from_chars(key.data(), last, index);
  if (error != std::errc{} || end != last || index >= size) {
    throw InputError(option, fmt::format("'{}' is a list of {} entries, counted from 0; '{}' is "
                                         "none of them",
                                         list, size, key));
  }
  return index;
}

std::string too_deep() {
  return fmt::format("more than {} tables and lists within each other", kDeepestToml);
}

}  // namespace

SceneText read_scene_text(const std::filesystem::path& file) {
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
  SceneText scene{.text = text.str(), .file = file};
  memory.require();
  return scene;
}

TomlDocument::TomlDocument(SceneText text, const std::vector<std::string>& settings,
                           const std::vector<std::string>& without_files)
    : file_(std::move(text.file)),
      source_(std::move(text.text)),
      written_by_user_(text.written_by_user) {
  for (const std::string& s : without_files) without_files_.insert("--set " + s);
  const NoticedMemory memory;
  if (const auto place = too_deep_in_toml(source_)) {
    throw InputError({file_.string(), place->line, place->column}, too_deep());
  }
  try {
    root_ = toml::parse(source_, file_.string());
  } catch (const toml::parse_error& error) {
    memory.require();
    throw InputError(position(error.source().begin),
                     fmt::format("not valid TOML: {}", error.description()));
  }
  memory.require();
  for (const std::string& s : settings) apply(s);
}

SourceLocation TomlDocument::position(const toml::source_position& where) const {
  if (!written_by_user_) return {file_.string()};
  return {file_.string(), static_cast<int>(where.line), static_cast<int>(where.column)};
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

  const toml::table parsed = parsed_value(toml, value);
  toml::node* here = &root_;
  std::string walked;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const bool last = k + 1 == keys.size();
    std::string name = keys[k];
    if (toml::array* list = here->as_array()) {
      const std::size_t index = entry_of(list->size(), name, walked, option);
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

void TomlDocument::replace_start(const std::string& option, const std::string& run,
                                 const std::optional<int>& frame) {
  for (const auto& [path, setting] : overrides_) {
    if (path != "start" && !path.starts_with("start.")) continue;
    throw InputError({option},
                     fmt::format("this takes the place of '{}': give one of them", setting));
  }
  toml::table start{{"run", run}};
  if (frame) start.insert("frame", *frame);
  root_.insert_or_assign("start", std::move(start));
  overrides_["start"] = option;
}

void TomlDocument::note(const InputError& fault, bool replaced) {
  if (!faults_) throw fault;
  faults_->push_back(fault);
  if (replaced) ++replaced_;
}

bool TomlDocument::recover(const SourceLocation& where, const std::function<void()>& part) {
  const int before = replaced_;
  // What fails after a value was replaced may fail because of that.
  const auto keep = [&](const InputError& fault) {
    if (replaced_ == before) faults_->push_back(fault);
    return false;
  };
  try {
    part();
  } catch (const InputError& fault) {
    if (!faults_) throw;
    return keep(fault);
  } catch (const Error& error) {
    if (!faults_) throw;
    return keep(InputError(where, error.what()));
  }
  return true;
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
  return node ? position(node->source().begin) : SourceLocation{file_.string()};
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
  if (has(key)) return given.get(key);
  if (const auto other = misspelling(key)) {
    note_unknown(*other, suggestion(*other, {key}));
    asked.insert(*other);
    return given.get(*other);
  }
  if (required) fail(key, fmt::format("'{}' is missing: {} is expected", full(key), wanted));
  return nullptr;
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

std::optional<std::string> TomlTable::misspelling(const std::string& key) const {
  for (const std::string& other : unread()) {
    if (!expected.contains(other) && nearest_name(other, {key})) return other;
  }
  return {};
}

void TomlTable::note(const std::string& key, const std::string& message) const {
  const toml::node* node = given.get(key);
  document.note({document.locate(full(key), node ? node : &given), message}, true);
}

void TomlTable::note_type(const std::string& key, const toml::node& node,
                          std::string_view wanted) const {
  note(key, fmt::format("'{}' must be {}, not {}", full(key), wanted, described(node)));
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

// Points at the key itself rather than at its value.
void TomlTable::note_unknown(const std::string& key, const std::string& hint, bool missed) const {
  const auto entry = given.find(key);
  SourceLocation where = document.locate(full(key), &entry->second);
  if (where.line > 0) {
    const auto place = entry->first.source().begin;
    where.line = static_cast<int>(place.line);
    where.column = static_cast<int>(place.column);
  }
  document.note({where, fmt::format("unknown key '{}'{}", full(key), hint)}, missed);
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

std::string toml_text(const toml::table& table) { return TomlText().write(table); }

}  // namespace lilyan
