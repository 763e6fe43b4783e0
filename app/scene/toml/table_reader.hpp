// Reading a scene file strictly: every value has a type and a place in the file, every key must be
// known, and what was read is recorded, with the defaults of what the file leaves out, for
// scene.resolved.toml.
//
//   SceneDocument document(read_scene_text(file), {"integrator.step=0.01"});
//   TableReader root = document.root();
//   TableReader integrator = root.table("integrator");
//   const double step = integrator.positive("step");          // required
//   const std::string method = integrator.text("method", "avf");
//   integrator.finish();                                       // no key is left over
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lilyan/base/error.hpp"
#include "lilyan/base/parameter.hpp"
#include "lilyan/base/types.hpp"

namespace lilyan {

class TableReader;
// Types of toml++ are only in table_reader.cpp.
class TomlDocument;
struct TomlTable;

// The text of a scene, and the file that it is in or would be in: messages name that file, and files that the scene
// names are looked for beside it.
struct SceneText {
  std::string text;
  std::filesystem::path file;
  bool written_by_user =
      true;  // otherwise its lines mean nothing to the user, and messages name no line
};
// Throws InputError when the file cannot be read.
[[nodiscard]] SceneText read_scene_text(const std::filesystem::path& file);

// A parsed scene with the command line's `key=value` settings merged in.
class SceneDocument {
 public:
  // Throws InputError when the text cannot be parsed, or a setting makes no sense. Settings that are
  // also among `without_files` must not name files.
  SceneDocument(SceneText text, const std::vector<std::string>& settings,
                const std::vector<std::string>& without_files = {});
  ~SceneDocument();
  SceneDocument(const SceneDocument&) = delete;
  SceneDocument& operator=(const SceneDocument&) = delete;

  // Puts this table in the place of [start]. Messages about it name the option.
  void replace_start(const std::string& option, const std::string& run,
                     const std::optional<int>& frame);
  // From now on faults that reading can go on after are kept in this list instead of thrown.
  void collect(std::vector<InputError>& faults);
  // The document must outlive its readers.
  [[nodiscard]] TableReader root();
  // Everything that was read, defaults included, as TOML.
  [[nodiscard]] std::string resolved() const;
  // Throws InputError that points at the value of a dotted path.
  [[noreturn]] void fail(const std::string& path, const std::string& message) const;

 private:
  std::unique_ptr<TomlDocument> toml_;
};

// A formula of a scene: its text, and where it stands.
struct SceneFormula {
  std::string text;  // a number's digits where a number was given
  SourceLocation where;
  bool quoted = true;  // false: a number was given
};

// One table of a scene. Copies share what was read of it.
class TableReader {
 public:
  [[nodiscard]] bool has(const std::string& key) const;
  // Keys nobody has read yet, in the file's order.
  [[nodiscard]] std::vector<std::string> unread() const;
  // Whether a setting from outside, rather than the file, gives this key.
  [[nodiscard]] bool overridden(const std::string& key) const;

  // Keys that will be read later: never taken for a misspelling of another.
  void expect(const std::vector<std::string>& keys);

  // Values of a type. A key without `fallback` is required.
  double number(const std::string& key, std::optional<double> fallback = {});
  double positive(const std::string& key, std::optional<double> fallback = {});
  double not_negative(const std::string& key, std::optional<double> fallback = {});
  // An integer within [least, most].
  int whole(const std::string& key, int least, int most, std::optional<int> fallback = {});
  std::string text(const std::string& key, const std::optional<std::string>& fallback = {});
  bool flag(const std::string& key, bool fallback);
  // One of the given words.
  std::string choice(const std::string& key, const std::vector<std::string>& words,
                     const std::optional<std::string>& fallback = {});
  // A list of such words, or a single one.
  std::vector<std::string> words(const std::string& key, const std::vector<std::string>& all,
                                 const std::vector<std::string>& fallback);
  Vec3 vector(const std::string& key, const std::optional<Vec3>& fallback = {});
  // A vector other than zero, and one of positive numbers.
  Vec3 direction(const std::string& key, const std::optional<Vec3>& fallback = {});
  Vec3 size(const std::string& key);
  // Lists of exactly `count` numbers, or whole numbers within [least, most]; and of texts.
  std::vector<double> numbers(const std::string& key, std::size_t count);
  std::vector<int> wholes(const std::string& key, std::size_t count, int least, int most);
  std::vector<std::string> texts(const std::string& key);
  // A list of pairs of texts.
  std::vector<std::array<std::string, 2>> text_pairs(const std::string& key);
  // Numbers of vertices of a body that has `count` of them.
  std::vector<int> indices(const std::string& key, int count);
  // A formula in quotes or a number; a list of such, or a single one.
  SceneFormula formula(const std::string& key);
  std::vector<SceneFormula> formulas(const std::string& key);
  // The path of an existing file, relative to the scene file.
  std::filesystem::path file(const std::string& key);
  // The same of a folder.
  std::filesystem::path folder(const std::string& key);
  // A nested table (an empty one when the key is absent), or an array of tables.
  TableReader table(const std::string& key);
  std::vector<TableReader> tables(const std::string& key);

  [[nodiscard]] bool is_text(const std::string& key) const;
  [[nodiscard]] bool is_list(const std::string& key) const;
  [[nodiscard]] bool is_table(const std::string& key) const;
  [[nodiscard]] bool has_tables(const std::string& key) const;  // a list of them

  // Overrules a key: what the file says of it is neither read nor resolved, as if it were not
  // there.
  void replace(const std::string& key, int value);
  void replace(const std::string& key, double value);
  void drop(const std::string& key);

  // Reads a part of a scene. Where faults are collected, one that it throws is kept, and the rest of
  // the scene can be read; false tells of it.
  bool recover(const std::function<void()>& part) const;
  // How many were collected so far.
  [[nodiscard]] std::size_t faults() const;
  // As fail(), but returns where faults are collected: the caller goes on with another value.
  void note(const std::string& key, const std::string& message);

  // Throws for the first key that was never read; `known` adds names to suggest from.
  void finish(const std::vector<std::string>& known = {}) const;
  // Throws when an unread key looks like a misspelling of this absent one.
  void refuse_misspelling(const std::string& key) const;
  // Throws InputError that points at the key's value, or at the table where there is none.
  [[noreturn]] void fail(const std::string& key, const std::string& message) const;
  // Points at the character at a position within a formula, which is shown.
  [[noreturn]] void fail_within(const SceneFormula& formula, std::size_t position,
                                const std::string& message) const;

 private:
  friend class SceneDocument;
  explicit TableReader(std::shared_ptr<TomlTable> table) : table_(std::move(table)) {}
  std::filesystem::path path_of(const std::string& key);
  std::filesystem::path existing(const std::string& key, bool there, std::string_view what);

  std::shared_ptr<TomlTable> table_;
};

// Values of a {name = value} table for a specification: known names, right types.
[[nodiscard]] Parameters read_parameter_values(TableReader& reader,
                                               const std::vector<ParameterSpec>& specification);
// Also throws for any other key in the table.
[[nodiscard]] Parameters read_parameters(TableReader& reader,
                                         const std::vector<ParameterSpec>& specification);
// Throws the error again as one that points at the parameter.
[[noreturn]] void fail_parameter(const TableReader& reader, const ParameterError& error);

}  // namespace lilyan
