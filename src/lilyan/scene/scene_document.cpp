#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

#include "lilyan/scene/table_reader.hpp"

namespace lilyan {
namespace {

SourceLocation at(const std::string& file, const toml::source_position& where) {
  return {file, static_cast<int>(where.line), static_cast<int>(where.column)};
}

std::vector<std::string> split(const std::string& dotted) {
  std::vector<std::string> parts;
  std::stringstream stream(dotted);
  for (std::string part; std::getline(stream, part, '.');) parts.push_back(part);
  return parts;
}

}  // namespace

SceneDocument::SceneDocument(const std::filesystem::path& file,
                             const std::vector<std::string>& overrides)
    : file_(file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream || std::filesystem::is_directory(file)) {
    throw InputError({file.string()}, "cannot read this scene file");
  }
  std::stringstream text;
  text << stream.rdbuf();
  try {
    root_ = toml::parse(text.str(), file.string());
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
  const std::vector<std::string> keys = split(assignment.substr(0, equals));
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
    walked += (walked.empty() ? "" : ".") + keys[k];
  }
  overrides_[walked] = option.file;
}

SourceLocation SceneDocument::locate(const std::string& dotted, const toml::node* node) const {
  // The value itself, or a table around it, may have come from an option.
  for (std::string path = dotted;; path.resize(path.rfind('.'))) {
    if (const auto set = overrides_.find(path); set != overrides_.end()) return {set->second};
    if (path.rfind('.') == std::string::npos) break;
  }
  return node ? at(file_.string(), node->source().begin) : SourceLocation{file_.string()};
}

}  // namespace lilyan
