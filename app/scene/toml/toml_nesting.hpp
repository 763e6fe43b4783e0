// How deeply a TOML text is nested, found without parsing it: parsers, printers and destructors of what they
// build call themselves for values within values, and a hostile text must not use up the stack.
#pragma once

#include <optional>
#include <string_view>

namespace lilyan {

// Levels of tables and lists within each other, those of dotted keys included. Scenes have five.
inline constexpr int kDeepestToml = 100;

struct TomlPlace {
  int line = 1;
  int column = 1;  // in characters
};

// Where the text first goes deeper than that; nothing when it never does. Texts that are no TOML are for
// the parser to refuse: of these only the levels that it may follow are counted.
[[nodiscard]] std::optional<TomlPlace> too_deep_in_toml(std::string_view text);

}  // namespace lilyan
