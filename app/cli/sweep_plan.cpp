#include "app/cli/sweep_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "app/report/folder/choose_folder.hpp"
#include "lilyan/base/error.hpp"

namespace lilyan::cli {
namespace {

constexpr const char* kMethod = "integrator.method";

std::string trimmed(std::string_view text) {
  const std::size_t from = text.find_first_not_of(" \t");
  if (from == std::string_view::npos) return {};
  return std::string(text.substr(from, text.find_last_not_of(" \t") - from + 1));
}

std::string setting_of(const std::pair<std::string, std::string>& entry) {
  return entry.first + "=" + entry.second;
}

}  // namespace

std::vector<std::string> split_values(std::string_view list, const std::string& where) {
  std::vector<std::string> values;
  std::string open;  // the brackets that are still to be closed
  char quote = 0;
  std::size_t from = 0;
  const auto take = [&](std::size_t end) {
    values.push_back(trimmed(list.substr(from, end - from)));
    if (values.back().empty()) {
      throw Error(fmt::format("{}: a value is missing; write KEY=VALUE,VALUE,…", where));
    }
    from = end + 1;
  };
  for (std::size_t i = 0; i < list.size(); ++i) {
    const char c = list[i];
    if (quote != 0) {
      if (c == '\\' && quote == '"') ++i;
      if (c == quote) quote = 0;
    } else if (c == '"' || (c == '\'' && trimmed(list.substr(from, i - from)).empty())) {
      quote = c;  // an apostrophe within a word is a velocity: theta'
    } else if (c == '[' || c == '{' || c == '(') {
      open += c == '[' ? ']' : c == '{' ? '}' : ')';
    } else if (c == ']' || c == '}' || c == ')') {
      if (open.empty() || open.back() != c) {
        throw Error(fmt::format("{}: '{}' closes no bracket", where, c));
      }
      open.pop_back();
    } else if (c == ',' && open.empty()) {
      take(i);
    }
  }
  if (!open.empty()) throw Error(fmt::format("{}: '{}' is missing at the end", where, open.back()));
  if (quote != 0) throw Error(fmt::format("{}: a quote is not closed", where));
  take(list.size());
  return values;
}

SweepPlan::SweepPlan(const std::vector<std::string>& settings,
                     const std::vector<std::string>& methods) {
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    const std::string key = trimmed(setting.substr(0, equals));
    if (equals == std::string::npos || key.empty()) {
      throw Error(fmt::format("--set {}: expected KEY=VALUE,VALUE,…", setting));
    }
    add(key, split_values(std::string_view(setting).substr(equals + 1), "--set " + setting));
  }
  if (!methods.empty()) {
    add(kMethod, methods);
  }
  for (const SweepAxis& axis : axes_) {
    if (axis.key != kMethod) continue;
    for (const std::string& method : axis.values) (void)settings_of_method(method);
  }
  if (axes_.empty()) {
    throw Error(
        "nothing is swept: give some setting several values, e.g. --set "
        "integrator.step=0.01,0.02,0.04");
  }
}

void SweepPlan::add(const std::string& key, std::vector<std::string> values) {
  const auto same = [&](const auto& other) { return other == key; };
  if (std::ranges::any_of(axes_, same, &SweepAxis::key) ||
      std::ranges::any_of(fixed_, same, &std::pair<std::string, std::string>::first)) {
    throw Error(fmt::format("'{}' is given twice: write all of its values into one list", key));
  }
  for (const std::string& value : values) {
    if (std::ranges::count(values, value) > 1) {
      throw Error(fmt::format("'{}' has the value {} twice", key, value));
    }
  }
  const bool parameters = key == kMethod && values[0].find(':') != std::string::npos;
  if (values.size() == 1 && !parameters) {
    fixed_.emplace_back(key, values[0]);
    return;
  }
  axes_.push_back({.key = key, .name = short_key(key), .values = std::move(values)});
}

std::vector<std::string> SweepPlan::fixed_settings() const {
  std::vector<std::string> settings;
  for (const auto& entry : fixed_) settings.push_back(setting_of(entry));
  return settings;
}

std::size_t SweepPlan::combinations() const {
  std::size_t count = 1;
  for (const SweepAxis& axis : axes_) {
    if (count > std::numeric_limits<int>::max() / axis.values.size()) {
      throw Error("these are more combinations than can be counted");
    }
    count *= axis.values.size();
  }
  return count;
}

std::vector<std::size_t> SweepPlan::at(std::size_t combination) const {
  std::vector<std::size_t> at(axes_.size());
  for (std::size_t a = axes_.size(); a-- > 0;) {
    at[a] = combination % axes_[a].values.size();
    combination /= axes_[a].values.size();
  }
  return at;
}

std::vector<std::string> SweepPlan::settings(const std::vector<std::size_t>& at) const {
  std::vector<std::string> all;
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    const std::string& value = axes_[a].values[at[a]];
    if (axes_[a].key == kMethod) {
      const std::vector<std::string> method = settings_of_method(value);
      all.insert(all.end(), method.begin(), method.end());
    } else {
      all.push_back(axes_[a].key + "=" + value);
    }
  }
  return all;
}

std::vector<std::string> SweepPlan::run_folders() const {
  std::vector<std::string> names;
  std::map<std::string, int> times;
  for (std::size_t i = 0; i < combinations(); ++i) {
    const std::vector<std::size_t> here = at(i);
    std::string method;
    std::vector<std::string> others;
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      const std::string& value = axes_[a].values[here[a]];
      (axes_[a].key == kMethod ? method : others.emplace_back(axes_[a].key + "=")) += value;
    }
    std::ranges::replace_if(
        method, [](char c) { return c == ':' || c == '/'; }, '-');
    std::string name = method + name_of_changes(others, {});
    if (name.starts_with('-')) name.erase(0, 1);
    // Values that only differ in letters that names leave out get a number.
    const int time = ++times[name];
    names.push_back(time == 1 ? name : fmt::format("{}-{}", name, time));
  }
  return names;
}

std::string SweepPlan::folder_name(const std::string& scene, const SweepOptions& options) const {
  std::string name = scene + "-sweep";
  for (const SweepAxis& axis : axes_) name += "-" + axis.name;
  for (const auto& [key, value] : fixed_) name += key == kMethod ? "-" + value : "";
  std::string duration = options.duration ? fmt::format("-duration={}", *options.duration) : "";
  return name + name_of_changes(fixed_settings(), options.steps, options.scene.start) + duration;
}

}  // namespace lilyan::cli
