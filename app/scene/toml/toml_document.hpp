// A scene file as toml++ parses it, and its tables. Only toml_document.cpp and table_reader.cpp
// include this: toml++ is a large header.
#pragma once

#include <toml++/toml.h>

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/scene/toml/table_reader.hpp"

namespace lilyan {

class TomlDocument {
 public:
  // See SceneDocument.
  TomlDocument(SceneText text, const std::vector<std::string>& settings,
               const std::vector<std::string>& without_files);

  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  [[nodiscard]] const toml::table& root() const { return root_; }
  // Everything that was read so far, defaults included; readers fill it in.
  [[nodiscard]] toml::table& resolved() { return resolved_; }

  // See SceneDocument.
  void replace_start(const std::string& option, const std::string& run,
                     const std::optional<int>& frame);
  // From now on faults that reading can go on after are kept here instead of thrown.
  void collect(std::vector<InputError>& faults) { faults_ = &faults; }
  [[nodiscard]] std::size_t faults() const { return faults_ ? faults_->size() : 0; }
  // Throws the fault unless faults are collected. `replaced`: reading goes on with another value
  // than the user meant.
  void note(const InputError& fault, bool replaced);
  // See TableReader.
  bool recover(const SourceLocation& where, const std::function<void()>& part);

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

  [[nodiscard]] SourceLocation position(const toml::source_position& where) const;

  std::filesystem::path file_;
  std::string source_;
  bool written_by_user_;
  toml::table root_;
  toml::table resolved_;
  std::map<std::string, std::string> overrides_;  // dotted path → the option as given
  std::set<std::string> without_files_;           // of these
  std::vector<InputError>* faults_ = nullptr;
  int replaced_ = 0;  // values that reading went on with
};

// A table of the document, and which of its keys were asked for.
struct TomlTable {
  TomlDocument& document;
  const toml::table& given;
  std::string path;
  toml::table& resolved;
  std::set<std::string> asked = {};
  std::set<std::string> dropped = {};
  std::set<std::string> expected = {};
  bool doubtful = false;  // which keys it may have depends on one that is wrong

  [[nodiscard]] bool has(const std::string& key) const {
    return given.contains(key) && !dropped.contains(key);
  }
  [[nodiscard]] std::vector<std::string> unread() const;
  // The dotted path of a key.
  [[nodiscard]] std::string full(const std::string& key) const;

  // Marks a key as known and returns its node, null when absent. Throws when it is required; of a
  // misspelt key, in a check, the node is returned.
  const toml::node* find(const std::string& key, bool required, std::string_view wanted);
  // A list of so many entries; 0: of any number.
  [[nodiscard]] const toml::array& list(const std::string& key, const toml::node& node,
                                        std::size_t count, std::string_view wanted) const;
  // A list of so many finite numbers.
  [[nodiscard]] std::vector<double> numbers(const std::string& key, const toml::node& node,
                                            std::size_t count, std::string_view wanted) const;
  [[nodiscard]] SceneFormula formula(const std::string& key, const toml::node& node) const;

  // The unread key that looks like a misspelling of this absent one.
  [[nodiscard]] std::optional<std::string> misspelling(const std::string& key) const;
  // As fail(), but a check goes on after it, with another value than this one.
  void note(const std::string& key, const std::string& message) const;
  void note_type(const std::string& key, const toml::node& node, std::string_view wanted) const;
  void note_unknown(const std::string& key, const std::string& hint, bool missed = false) const;
  [[noreturn]] void fail(const std::string& key, const std::string& message) const;
  [[noreturn]] void fail_type(const std::string& key, const toml::node& node,
                              std::string_view wanted) const;
  // Points at an entry of the key's list.
  [[noreturn]] void fail_entry(const std::string& key, const toml::node& entry,
                               const std::string& message) const;
};

// A value as messages name it: "the text "abc"", "a list of 3", "2.5", …
[[nodiscard]] std::string described(const toml::node& node);

// The table as a text that parses to the same table again.
[[nodiscard]] std::string toml_text(const toml::table& table);

}  // namespace lilyan
