#include "app/report/folder/choose_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/files/file.hpp"
#include "app/files/process.hpp"
#include "app/files/vital_memory.hpp"
#include "lilyan/base/error.hpp"

namespace lilyan {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestValue = 24;
constexpr std::size_t kLongestName = 100;

bool plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '-' || c == '+';
}

// A value as part of a file name. One that is long is cut, and its end replaced by a number that stands for it.
std::string part_of_name(const std::string& value) {
  std::uint32_t hash = 2166136261u;
  for (const char c : value) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  std::string result;
  for (const char c : value) {
    if (plain(c)) {
      result += c;
    } else if (c != '"' && c != '\'' && c != ' ' && !result.empty() && result.back() != '_') {
      result += '_';
    }
  }
  while (!result.empty() && (result.back() == '_' || result.back() == '.')) result.pop_back();
  if (result.size() > kLongestValue) {
    result = fmt::format("{}_{:08x}", result.substr(0, kLongestValue - 9), hash);
  }
  return result;
}

// Why nothing should be written into the folder; empty when it may.
std::string reason_against(const fs::path& folder, const FolderRequest& request) {
  if (request.overwrite) return {};
  const std::optional<EarlierResults> earlier = request.read(folder);
  if (!earlier) return {};
  if (is_locked(folder)) return fmt::format("another run is writing into {}", folder.string());
  if (earlier->unfinished) {
    return fmt::format("{} holds a run that was interrupted ({} goes on with it)", folder.string(),
                       earlier->how_to_go_on);
  }
  if (earlier->identity != request.identity) {
    return fmt::format("{} holds the results of another scene or of other settings",
                       folder.string());
  }
  return {};
}

}  // namespace

bool is_locked(const fs::path& folder) {
  // app/report/folder/result_folder.cpp takes it.
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return false;
  const bool locked = ::flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(file);
  return locked;
}

std::string short_key(const std::string& key) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= key.size();) {
    const std::size_t end = std::min(key.find('.', at), key.size());
    parts.push_back(key.substr(at, end - at));
    at = end + 1;
  }
  if (parts.size() > 1 && (parts.back() == "kind" || parts.back() == "model")) parts.pop_back();
  // A number says little without the name of its list.
  std::string name = parts.back();
  const bool number =
      !name.empty() && std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
  if (number && parts.size() > 1) name = parts[parts.size() - 2] + name;
  return part_of_name(name);
}

std::optional<EarlierResults> earlier_run(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder / "scene.resolved.toml", error)) return std::nullopt;
  EarlierResults earlier{.identity = read_file(folder / "scene.resolved.toml")};
  std::ifstream stream(folder / "run.json");
  const VitalMemory guard;
  const auto json = nlohmann::json::parse(stream, nullptr, false);
  const std::string status =
      json.is_object() && json.contains("status") && json["status"].is_string()
          ? json["status"].get<std::string>()
          : "";
  earlier.unfinished = (status == "running" || status == "interrupted") &&
                       fs::exists(folder / "checkpoint.bin", error);
  earlier.how_to_go_on = fmt::format("./lilyan run --resume {}", quoted_for_shell(folder.string()));
  return earlier;
}

FolderChoice choose_folder(const FolderRequest& request) {
  if (!request.given.empty()) {
    const std::string reason = reason_against(request.given, request);
    if (reason.empty()) return {request.given, ""};
    throw Error(reason + (is_locked(request.given)
                              ? "; choose another folder with -o"
                              : "; choose another folder with -o, or replace it with --overwrite"));
  }
  const fs::path wanted = fs::path("results") / request.name;
  const std::string reason = reason_against(wanted, request);
  if (reason.empty()) return {wanted, ""};
  for (int k = 2;; ++k) {
    fs::path other = wanted;
    other += fmt::format("-{}", k);
    if (!reason_against(other, request).empty()) continue;
    return {other, fmt::format("{}: this one goes into {}", reason, other.string())};
  }
}

std::string name_of_changes(const std::vector<std::string>& settings,
                            const std::optional<int>& steps, const std::string& start) {
  std::string name;
  for (const std::string& setting : settings) {
    const std::size_t equals = std::min(setting.find('='), setting.size());
    std::string key = setting.substr(0, equals);
    while (!key.empty() && key.back() == ' ') key.pop_back();
    if (key == "integrator.method") continue;
    const std::string value = equals < setting.size() ? setting.substr(equals + 1) : "";
    name += fmt::format("-{}={}", short_key(key), part_of_name(value));
  }
  if (steps) name += fmt::format("-steps={}", *steps);
  if (!start.empty()) {
    const std::size_t slash = start.find_last_not_of('/');
    const std::size_t from = start.substr(0, slash + 1).rfind('/');
    name += "-from=" + part_of_name(start.substr(from == std::string::npos ? 0 : from + 1));
  }
  return name.size() <= kLongestName ? name : "-" + part_of_name(name.substr(1));
}

}  // namespace lilyan
