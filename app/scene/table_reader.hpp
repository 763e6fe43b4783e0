// Reading TOML strictly: every value has a type and a place in the file, every key must be known,
// and what was read (defaults included) is recorded for scene.resolved.toml.
#pragma once

#define TOML_ENABLE_FORMATTERS 1
#include <toml++/toml.h>

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lilyan/core/error.hpp"
#include "lilyan/core/types.hpp"

namespace lilyan {

// A parsed scene file with the command line's `key=value` settings merged in.
class SceneDocument {
 public:
  // Throws InputError when the file cannot be read or parsed, or an override makes no sense.
  // Overrides that are also among `without_files` must not name files.
  SceneDocument(const std::filesystem::path& file, const std::vector<std::string>& overrides,
                const std::vector<std::string>& without_files = {});

  [[nodiscard]] const toml::table& root() const { return root_; }
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  [[nodiscard]] bool overridden(const std::string& dotted) const {
    return overrides_.contains(dotted);
  }
  // Whether files that the value of a dotted path names may be read.
  [[nodiscard]] bool may_name_file(std::string dotted) const;
  // Where the value of a dotted path stands: in the file, or in the option that set it.
  [[nodiscard]] SourceLocation locate(const std::string& dotted, const toml::node* node) const;
  // Where a position (in bytes) within the text of that value stands; that of the value where its
  // text is not written in the file as it is.
  [[nodiscard]] SourceLocation locate_within(const std::string& dotted, const toml::node* node,
                                             std::size_t position) const;

 private:
  void apply(const std::string& assignment);

  std::filesystem::path file_;
  std::string source_;
  toml::table root_;
  // The option that set this path, or a table around it; null: the scene file itself.
  [[nodiscard]] const std::string* setter(std::string dotted) const;

  std::map<std::string, std::string> overrides_;  // dotted path → the option as given
  std::set<std::string> without_files_;           // of these
};

// A formula of a scene: its text, and where it stands.
struct SceneFormula {
  std::string path;  // dotted, for messages
  std::string text;  // a number's digits where a number was given
  const toml::node* node = nullptr;
};

class TableReader {
 public:
  TableReader(const SceneDocument& document, const toml::table& table, std::string path,
              toml::table& resolved)
      : document_(document), table_(table), path_(std::move(path)), resolved_(resolved) {}

  [[nodiscard]] bool has(const std::string& key) const {
    return table_.contains(key) && !dropped_.contains(key);
  }
  // Keys nobody has read yet, in the file's order.
  [[nodiscard]] std::vector<std::string> unread() const;

  // Keys that will be read later: never taken for a misspelling of another.
  void expect(const std::vector<std::string>& keys) { expected_.insert(keys.begin(), keys.end()); }

  double number(const std::string& key, std::optional<double> standard = {});
  double positive(const std::string& key, std::optional<double> standard = {});
  // An integer within [least, most].
  int whole(const std::string& key, int least, int most, std::optional<int> standard = {});
  std::string text(const std::string& key, const std::optional<std::string>& standard = {});
  bool flag(const std::string& key, bool standard);
  // One of the given words.
  std::string choice(const std::string& key, const std::vector<std::string>& words,
                     const std::optional<std::string>& standard = {});
  // A list of such words, or a single one.
  std::vector<std::string> words(const std::string& key, const std::vector<std::string>& all,
                                 const std::vector<std::string>& standard);
  Vec3 vector(const std::string& key, const std::optional<Vec3>& standard = {});
  std::array<int, 3> cells(const std::string& key);
  // Lists of exactly `count` numbers, or whole numbers within [least, most]; and of texts.
  std::vector<double> numbers(const std::string& key, int count);
  std::vector<int> wholes(const std::string& key, int count, int least, int most);
  std::vector<std::string> texts(const std::string& key);
  std::vector<int> indices(const std::string& key, int count);
  // A formula in quotes or a number; a list of such, or a single one.
  SceneFormula formula(const std::string& key);
  std::vector<SceneFormula> formulas(const std::string& key);
  [[nodiscard]] bool is_list(const std::string& key) const;
  [[nodiscard]] bool is_table(const std::string& key) const;
  [[nodiscard]] bool has_tables(const std::string& key) const;  // a list of them
  // Throws for the character at a position within a formula, which it shows.
  [[noreturn]] void fail_within(const SceneFormula& formula, std::size_t position,
                                const std::string& complaint) const;
  [[noreturn]] void fail_at(const SceneFormula& formula, const std::string& complaint) const;
  // The path of an existing file, relative to the scene file.
  std::filesystem::path file(const std::string& key);
  // A nested table (an empty one when the key is absent), or an array of tables.
  TableReader table(const std::string& key);
  std::vector<TableReader> tables(const std::string& key);

  // Overrules a key: what the file says of it is neither read nor resolved, as if it were not
  // there.
  void replace(const std::string& key, int value);
  void drop(const std::string& key) {
    asked_.insert(key);
    dropped_.insert(key);
  }

  // Throws when an unread key looks like a misspelling of this absent one.
  void complain_of_misspelling(const std::string& key) const;
  // Throws for the first key that was never read; `known` adds names to suggest from.
  void finish(const std::vector<std::string>& known = {}) const;
  [[noreturn]] void fail(const std::string& key, const std::string& complaint) const;
  [[nodiscard]] const SceneDocument& document() const { return document_; }

 private:
  // Marks a key as known and returns its node, null when absent. Throws when it is required.
  const toml::node* find(const std::string& key, bool required, std::string_view expected);
  [[noreturn]] void unknown_key(const std::string& key, const std::string& hint) const;
  [[noreturn]] void wrong_type(const std::string& key, const toml::node& node,
                               std::string_view expected) const;
  [[nodiscard]] std::string full(const std::string& key) const;

  const SceneDocument& document_;
  const toml::table& table_;
  std::string path_;
  toml::table& resolved_;
  std::set<std::string> asked_;
  std::set<std::string> dropped_;
  std::set<std::string> expected_;
};

}  // namespace lilyan
