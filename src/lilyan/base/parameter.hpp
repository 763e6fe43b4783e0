// Named parameters of methods and materials, described once and read by the scene reader, the
// command line and the documentation.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lilyan/base/error.hpp"

namespace lilyan {

using ParameterValue = std::variant<double, std::string>;

struct ParameterSpec {
  std::string name = {};
  std::string meaning = {};  // with its range
  // None: the parameter must be given, or one of a choice of parameters.
  std::optional<ParameterValue> default_value = {};
  bool text = false;  // a word rather than a number
};

class ParameterError : public Error {
 public:
  ParameterError(std::string parameter, const std::string& message)
      : Error(message), parameter_(std::move(parameter)) {}
  // Empty when the message is about several parameters together.
  [[nodiscard]] const std::string& parameter() const { return parameter_; }

 private:
  std::string parameter_;
};

// The values that the user gave; defaults come from the specification.
class Parameters {
 public:
  Parameters() = default;
  // Parameters{{"order", 6.0}, {"base", "avf"}}
  Parameters(std::initializer_list<std::pair<const std::string, ParameterValue>> values)
      : values_(values) {}

  void set(const std::string& name, ParameterValue value) { values_[name] = std::move(value); }
  [[nodiscard]] bool has(const std::string& name) const { return values_.contains(name); }
  [[nodiscard]] const std::map<std::string, ParameterValue>& values() const { return values_; }

  [[nodiscard]] double number(const std::string& name) const;
  [[nodiscard]] int whole(const std::string& name) const;  // a number that must be an integer
  [[nodiscard]] const std::string& word(const std::string& name) const;

  // The given values completed by the specification's defaults. Throws ParameterError for a name
  // the specification does not have or a value of the wrong type.
  [[nodiscard]] Parameters completed(const std::vector<ParameterSpec>& specification) const;

 private:
  std::map<std::string, ParameterValue> values_;
};

// The candidate closest to `word` by edit distance, or nothing when none is near.
[[nodiscard]] std::optional<std::string> nearest_name(std::string_view word,
                                                      const std::vector<std::string>& candidates);

// "; did you mean 'avf'?", or "; expected one of: …" when nothing is near.
[[nodiscard]] std::string suggestion(std::string_view word,
                                     const std::vector<std::string>& candidates);

}  // namespace lilyan
