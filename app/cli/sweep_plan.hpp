// What a sweep runs through: the values of each setting, and their combinations.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/cli/commands.hpp"
#include "app/report/page/sweep_table.hpp"

namespace lilyan::cli {

class SweepPlan {
 public:
  // Settings are key=value,value,…; methods are those of compare. Throws Error for lists that cannot be used.
  SweepPlan(const std::vector<std::string>& settings, const std::vector<std::string>& methods);

  [[nodiscard]] const std::vector<SweepAxis>& axes() const { return axes_; }
  // Settings with one value: key, value.
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& fixed() const {
    return fixed_;
  }
  [[nodiscard]] std::vector<std::string> fixed_settings() const;

  [[nodiscard]] std::size_t combinations() const;
  // Which value of each axis a combination has; the last axis runs through its values first.
  [[nodiscard]] std::vector<std::size_t> at(std::size_t combination) const;
  [[nodiscard]] std::vector<std::string> settings(const std::vector<std::size_t>& at) const;
  // "avf-step=0.01": a folder for each combination, the same whenever its values are the same.
  [[nodiscard]] std::vector<std::string> run_folders() const;
  // "bunny-sweep-step-method-mu=500"
  [[nodiscard]] std::string folder_name(const std::string& scene,
                                        const SweepOptions& options) const;

 private:
  void add(const std::string& key, std::vector<std::string> values);

  std::vector<SweepAxis> axes_;
  std::vector<std::pair<std::string, std::string>> fixed_;
};

// The values of a list that commas separate. Commas within brackets, braces, parentheses or quotes belong to a value.
// Throws Error, with the text before the message, for a value that is missing and for brackets that do not match.
[[nodiscard]] std::vector<std::string> split_values(std::string_view list,
                                                    const std::string& where);

}  // namespace lilyan::cli
