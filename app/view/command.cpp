#include "app/view/command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "lilyan/base/error.hpp"

namespace lilyan::view {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kDeepest = 8;  // nested values; none of the commands needs more
constexpr std::size_t kLongestText = 4096;
constexpr std::size_t kMostSettings = 200;

const Json& field(const Json& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end()) throw Error(fmt::format("'{}' is missing", name));
  return *found;
}

double number(const Json& json, const char* name) {
  if (!json.is_number()) throw Error(fmt::format("'{}' must be a number", name));
  const auto value = json.get<double>();
  if (!std::isfinite(value)) throw Error(fmt::format("'{}' must be finite", name));
  return value;
}

int whole(const Json& json, const char* name, int most) {
  const double value = number(json, name);
  if (value != std::floor(value) || value < 0 || value > most) {
    throw Error(fmt::format("'{}' must be a whole number from 0 to {}", name, most));
  }
  return static_cast<int>(value);
}

std::string text(const Json& json, const char* name) {
  if (!json.is_string()) throw Error(fmt::format("'{}' must be text", name));
  auto value = json.get<std::string>();
  if (value.size() > kLongestText) throw Error(fmt::format("'{}' is too long", name));
  return value;
}

template <std::size_t kCount>
std::array<double, kCount> numbers(const Json& json, const char* name) {
  if (!json.is_array() || json.size() != kCount) {
    throw Error(fmt::format("'{}' must be {} numbers", name, kCount));
  }
  std::array<double, kCount> values{};
  for (std::size_t i = 0; i < kCount; ++i) values[i] = number(json[i], name);
  return values;
}

std::size_t pane(const Json& json) {
  return static_cast<std::size_t>(
      whole(field(json, "pane"), "pane", static_cast<int>(kMostPanes) - 1));
}

// Empty when it is not there.
std::vector<std::string> texts(const Json& json, const char* name, const char* of) {
  std::vector<std::string> result;
  const auto found = json.find(name);
  if (found == json.end()) return result;
  if (!found->is_array() || found->size() > kMostSettings) {
    throw Error(fmt::format("'{}' must be a list of {}", name, of));
  }
  for (const Json& entry : *found) result.push_back(text(entry, name));
  return result;
}

std::vector<std::string> settings(const Json& json) { return texts(json, "settings", "key=value"); }

Open open(const Json& json) {
  const Json& panes = field(json, "panes");
  if (!panes.is_array() || panes.empty() || panes.size() > kMostPanes) {
    throw Error(fmt::format("'panes' must be a list of 1 to {}", kMostPanes));
  }
  Open command;
  for (const Json& entry : panes) {
    if (!entry.is_object()) throw Error("each of 'panes' must be an object");
    command.panes.push_back({text(field(entry, "scene"), "scene"), settings(entry)});
  }
  return command;
}

PhaseCloudRequest cloud_request(const Json& json) {
  PhaseCloudRequest command{.pane = pane(json)};
  command.count = whole(field(json, "count"), "count", kMostCloudPoints);
  if (command.count == 0) return command;
  command.center = numbers<2>(field(json, "center"), "center");
  command.radius = numbers<2>(field(json, "radius"), "radius");
  return command;
}

Speed speed(const Json& json) {
  const double value = number(field(json, "value"), "value");
  if (value < 0) throw Error("'value' must not be negative");
  return {value};
}

void check_protocol(const Json& json) {
  const int protocol = whole(field(json, "protocol"), "protocol", 1000);
  if (protocol == kProtocol) return;
  throw Error(fmt::format("this server speaks protocol {}, the page {}: load the page again",
                          kProtocol, protocol));
}

// Parsers call themselves for values within values: a text of brackets only must not use up the
// stack.
bool too_deep(std::string_view text) {
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == '[' || c == '{')) {
      if (++depth > kDeepest) return true;
    } else if (!quoted && (c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return false;
}

}  // namespace

Command parse_command(std::string_view message) {
  if (too_deep(message)) throw Error("the message is nested too deeply");
  const Json json = Json::parse(message, nullptr, false);
  if (!json.is_object()) throw Error("a message must be a JSON object");
  const std::string type = text(field(json, "type"), "type");
  if (type == "hello") {
    check_protocol(json);
    return Hello{};
  }
  if (type == "play") return Play{};
  if (type == "pause") return Pause{};
  if (type == "step") return Step{};
  if (type == "reset") return Reset{};
  if (type == "speed") return speed(json);
  if (type == "open") return open(json);
  if (type == "change") {
    return Change{pane(json), settings(json), texts(json, "remove", "keys")};
  }
  if (type == "seek") return Seek{whole(field(json, "frame"), "frame", 2'000'000'000)};
  if (type == "pull") {
    return Pull{pane(json), whole(field(json, "vertex"), "vertex", 2'000'000'000),
                numbers<3>(field(json, "target"), "target")};
  }
  if (type == "release") return Release{pane(json)};
  if (type == "cloud") return cloud_request(json);
  throw Error(fmt::format("unknown type '{}'", type.substr(0, 40)));
}

}  // namespace lilyan::view
