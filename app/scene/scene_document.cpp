#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

#include "app/scene/table_reader.hpp"

namespace lilyan {
namespace {

SourceLocation at(const std::string& file, const toml::source_position& where) {
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

std::vector<std::string> split(const std::string& dotted) {
  std::vector<std::string> parts;
  std::stringstream stream(dotted);
  for (std::string part; std::getline(stream, part, '.');) parts.push_back(part);
  return parts;
}

}  // namespace

SceneDocument::SceneDocument(const std::filesystem::path& file,
                             const std::vector<std::string>& overrides,
                             const std::vector<std::string>& without_files)
    : file_(file) {
  for (const std::string& o : without_files) without_files_.insert("--set " + o);
  std::ifstream stream(file, std::ios::binary);
  if (!stream || std::filesystem::is_directory(file)) {
    throw InputError({file.string()}, "cannot read this scene file");
  }
  std::stringstream text;
  text << stream.rdbuf();
  try {
    source_ = text.str();
    root_ = toml::parse(source_, file.string());
  } catch (const toml::parse_error& error) {
    throw InputError(at(file.string(), error.source().begin),
                     fmt::format("not valid TOML: {}", error.description()));
  }
  for (const std::string& o : overrides) apply(o);
}

// `body.0.material.mu=800`: walks (and where needed makes) the tables on the way and puts the value
// there. A value that is not TOML is taken as a plain string, so that words need no quotes.
void SceneDocument::apply(const std::string& assignment) {
  const SourceLocation option{"--set " + assignment};
  const std::size_t equals = assignment.find('=');
  std::string dotted = assignment.substr(0, equals);
  std::erase_if(dotted, [](char c) { return c == ' ' || c == '\t'; });
  const std::vector<std::string> keys = split(dotted);
  if (equals == std::string::npos || keys.empty() ||
      std::ranges::any_of(keys, [](const auto& k) { return k.empty(); })) {
    throw InputError(option, "expected key=value, for example integrator.step=0.01");
  }
  const std::string value = assignment.substr(equals + 1);

  toml::table parsed;
  try {
    parsed = toml::parse("value = " + value);
  } catch (const toml::parse_error&) {
    parsed.clear();
  }
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

const std::string* SceneDocument::setter(std::string dotted) const {
  for (;; dotted.resize(dotted.rfind('.'))) {
    if (const auto set = overrides_.find(dotted); set != overrides_.end()) return &set->second;
    if (dotted.rfind('.') == std::string::npos) return nullptr;
  }
}

bool SceneDocument::may_name_file(std::string dotted) const {
  for (;; dotted.resize(dotted.rfind('.'))) {
    const auto set = overrides_.find(dotted);
    if (set != overrides_.end() && without_files_.contains(set->second)) return false;
    if (dotted.rfind('.') == std::string::npos) return true;
  }
}

SourceLocation SceneDocument::locate(const std::string& dotted, const toml::node* node) const {
  if (const std::string* option = setter(dotted)) return {*option};
  return node ? at(file_.string(), node->source().begin) : SourceLocation{file_.string()};
}

SourceLocation SceneDocument::locate_within(const std::string& dotted, const toml::node* node,
                                            std::size_t position) const {
  SourceLocation where = locate(dotted, node);
  const toml::value<std::string>* value = node ? node->as_string() : nullptr;
  if (where.line <= 0 || !value) return where;
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
  if (source_.compare(at, value->get().size(), value->get()) != 0) return where;
  const std::string_view before = std::string_view(source_).substr(0, at + position);
  const std::size_t line_start = before.rfind('\n') + 1;
  where.line = 1 + static_cast<int>(std::ranges::count(before, '\n'));
  where.column = 1;
  for (std::size_t k = line_start; k < before.size(); k += utf8_length(source_, k)) ++where.column;
  return where;
}

}  // namespace lilyan
