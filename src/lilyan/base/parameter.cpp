#include "lilyan/base/parameter.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lilyan {

double Parameters::number(const std::string& name) const {
  return std::get<double>(values_.at(name));
}

int Parameters::whole(const std::string& name) const {
  const double value = number(name);
  if (value != std::floor(value) || std::abs(value) > 1e6) {
    throw ParameterError(name, "'" + name + "' must be a whole number");
  }
  return static_cast<int>(value);
}

const std::string& Parameters::word(const std::string& name) const {
  return std::get<std::string>(values_.at(name));
}

Parameters Parameters::completed(const std::vector<ParameterSpec>& specification) const {
  Parameters result;
  for (const ParameterSpec& spec : specification) {
    if (spec.default_value) result.set(spec.name, *spec.default_value);
  }
  for (const auto& [name, value] : values_) {
    const auto spec = std::ranges::find(specification, name, &ParameterSpec::name);
    if (spec == specification.end()) {
      std::vector<std::string> names;
      names.reserve(specification.size());
      for (const ParameterSpec& s : specification) names.push_back(s.name);
      throw ParameterError(name, "unknown parameter '" + name + "'" + suggestion(name, names));
    }
    if (spec->text != std::holds_alternative<std::string>(value)) {
      throw ParameterError(name, "'" + name + "' must be a " + (spec->text ? "word" : "number"));
    }
    result.set(name, value);
  }
  return result;
}

namespace {

// Optimal string alignment distance: a swap of neighbours counts as one edit.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  std::iota(last.begin(), last.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        now[j] = std::min(now[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view word,
                                        const std::vector<std::string>& candidates) {
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& c : candidates) {
    const std::size_t distance = edit_distance(word, c);
    if (distance < best_distance) {
      best_distance = distance;
      best = c;
    }
  }
  return best;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  if (const auto near = nearest_name(word, candidates)) return "; did you mean '" + *near + "'?";
  if (candidates.empty()) return "; none is expected here";
  std::string all;
  for (const std::string& c : candidates) all += (all.empty() ? "" : ", ") + c;
  return "; expected one of: " + all;
}

}  // namespace lilyan
