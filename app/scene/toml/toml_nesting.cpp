#include "app/scene/toml/toml_nesting.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace lilyan {
namespace {

class NestingScan {
 public:
  explicit NestingScan(std::string_view text) : text_(text) {}

  std::optional<TomlPlace> run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
        continue;
      }
      if (c == '"' || c == '\'') {
        skip_string(c);
        begun_ = true;
        continue;
      }
      if (!take(c)) return place();
      ++at_;
    }
    return std::nullopt;
  }

 private:
  // An open table or list.
  struct Scope {
    int level;
    bool table;
    bool value;     // of a table: behind the equals sign of a key
    int parts = 1;  // of the dotted key being read
    // The level of a value within it.
    [[nodiscard]] int inner() const { return level + (table ? parts : 1); }
  };

  // False when this character leads too deep.
  bool take(char c) {
    Scope& top = open_.back();
    switch (c) {
      case '\n': begin_line(); return true;
      case ' ':
      case '\t':
      case '\r': return true;
      case '.':
        if (!top.value) ++top.parts;
        break;
      case '=': top.value = true; break;
      case ',':
        if (open_.size() > 1 && top.table) {
          top.value = false;
          top.parts = 1;
        }
        break;
      case '[':
      case '{':
        if (top.value) {
          open_.push_back({.level = top.inner(), .table = c == '{', .value = c == '['});
        } else if (c == '[' && open_.size() == 1 && (!begun_ || header_)) {
          header_ = true;
        }
        break;
      case ']':
      case '}':
        if (open_.size() > 1) open_.pop_back();
        break;
      default: break;
    }
    begun_ = true;
    const Scope& now = open_.back();
    // A header begins at the root again, whatever the header before it was.
    return (header_ ? now.parts : now.inner()) <= kDeepestToml;
  }

  void begin_line() {
    if (open_.size() > 1) return;
    Scope& root = open_.back();
    if (header_) root.level = root.parts;
    root.value = false;
    root.parts = 1;
    header_ = false;
    begun_ = false;
  }

  // Of one line or several; one that is never closed ends where the parser gives up.
  void skip_string(char quote) {
    const auto quotes_at = [&](std::size_t i) {
      return i + 2 < text_.size() && text_[i] == quote && text_[i + 1] == quote &&
             text_[i + 2] == quote;
    };
    const bool escapes = quote == '"';
    const bool several_lines = quotes_at(at_);
    at_ += several_lines ? 3 : 1;
    for (; at_ < text_.size(); ++at_) {
      if (escapes && text_[at_] == '\\') {
        ++at_;
      } else if (several_lines && quotes_at(at_)) {
        at_ += 3;
        // Up to two quotes may stand before the closing ones.
        for (int k = 0; k < 2 && at_ < text_.size() && text_[at_] == quote; ++k) ++at_;
        return;
      } else if (!several_lines && text_[at_] == quote) {
        ++at_;
        return;
      } else if (!several_lines && text_[at_] == '\n') {
        return;
      }
    }
    at_ = text_.size();
  }

  [[nodiscard]] TomlPlace place() const {
    const std::string_view before = text_.substr(0, at_);
    const std::string_view line = before.substr(before.rfind('\n') + 1);
    const auto starts_character = [](char c) { return (static_cast<unsigned char>(c) >> 6) != 2; };
    return {.line = 1 + static_cast<int>(std::ranges::count(before, '\n')),
            .column = 1 + static_cast<int>(std::ranges::count_if(line, starts_character))};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Scope> open_ = {{.level = 0, .table = true, .value = false}};
  bool header_ = false;  // this line is a [table] or a [[table of a list]]
  bool begun_ = false;   // this line has more than blanks
};

}  // namespace

std::optional<TomlPlace> too_deep_in_toml(std::string_view text) { return NestingScan(text).run(); }

}  // namespace lilyan
