#include "app/run/checkpoint.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "app/files/file.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/base/version.hpp"
#include "lilyan/saving/digest.hpp"

namespace lilyan {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNewest = "checkpoint.bin";
constexpr const char* kPrevious = "checkpoint.previous.bin";
constexpr const char* kAside = "checkpoint.bin.new";
constexpr std::string_view kKind = "lilyan checkpoint 1, ";

std::string first_line() {
  return fmt::format("{}written by {} ({})\n", kKind, version(), build_id());
}

std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

}  // namespace

std::string checkpoint_bytes(std::string_view content) {
  std::string bytes = first_line();
  append_raw(bytes, static_cast<std::uint64_t>(content.size()));
  append_raw(bytes, checksum(content));
  bytes += content;
  return bytes;
}

Checkpoint parse_checkpoint(std::string_view bytes) {
  const std::size_t end = bytes.substr(0, 200).find('\n');
  if (!bytes.starts_with("lilyan checkpoint ") || end == std::string_view::npos) {
    throw Error("this is no checkpoint");
  }
  const std::string_view line = bytes.substr(0, end + 1);
  if (line != first_line()) {
    throw Error(fmt::format(
        "this is a '{}', and only the same build can go on from it bit for bit; this is {} ({})",
        line.substr(0, end), version(), build_id()));
  }
  bytes.remove_prefix(line.size());
  std::uint64_t size = 0;
  std::uint32_t sum = 0;
  constexpr std::size_t kHead = sizeof(size) + sizeof(sum);
  if (bytes.size() < kHead) throw Error("the file is cut short");
  std::memcpy(&size, bytes.data(), sizeof(size));
  std::memcpy(&sum, bytes.data() + sizeof(size), sizeof(sum));
  bytes.remove_prefix(kHead);
  if (bytes.size() < size) throw Error("the file is cut short");
  if (bytes.size() > size || checksum(bytes) != sum) throw Error("the file is damaged");
  Checkpoint checkpoint;
  Archive a(bytes);
  a(checkpoint.head);
  checkpoint.content = a.rest();
  return checkpoint;
}

void write_checkpoint(const fs::path& folder, const std::string& content) {
  const fs::path newest = folder / kNewest;
  const fs::path aside = folder / kAside;
  // Until the new one is whole and safe, both of the others stay what they are.
  try {
    write_file(aside, checkpoint_bytes(content));
    sync_file(aside);
    if (fs::exists(newest)) rename_file(newest, folder / kPrevious);
    rename_file(aside, newest);
  } catch (...) {
    std::error_code ignored;
    fs::remove(aside, ignored);
    throw;
  }
  sync_file(folder);
}

Checkpoint read_checkpoint(const fs::path& folder) {
  std::string reasons;
  for (const char* name : {kNewest, kPrevious}) {
    const fs::path file = folder / name;
    if (!fs::exists(file)) continue;
    try {
      Checkpoint checkpoint = parse_checkpoint(read_file(file));
      checkpoint.file = file;
      checkpoint.note = reasons;
      return checkpoint;
    } catch (const Error& error) {
      reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", name, error.what());
    }
  }
  if (!reasons.empty()) {
    throw InputError({folder.string(), 0, 0}, "no checkpoint can be used: " + reasons);
  }
  const fs::path scene = folder / "scene.resolved.toml";
  throw InputError({folder.string(), 0, 0},
                   fs::exists(scene)
                       ? fmt::format("there is no checkpoint in it; to run its scene anew: lilyan "
                                     "run {}",
                                     scene.string())
                       : "there is no checkpoint in it: expected the result folder of a run");
}

bool has_checkpoint(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / kNewest, ignored) || fs::exists(folder / kPrevious, ignored);
}

void remove_checkpoints(const fs::path& folder) {
  for (const char* name : {kNewest, kPrevious, kAside}) fs::remove(folder / name);
  remove_saved_states(folder);
}

void remove_saved_states(const fs::path& folder, const std::vector<std::string>& but) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const bool state = name.starts_with("checkpoint-") && name.ends_with(".state");
    if (state && std::ranges::find(but, name) == but.end()) found.push_back(entry.path());
  }
  for (const fs::path& file : found) fs::remove(file);
}

std::uint64_t start_digest(const Scene& scene) {
  Digest digest;
  digest.add(scene.initial.t);
  digest.add(scene.initial.x);
  digest.add(scene.initial.v);
  Vector masses(scene.system->dofs());
  scene.system->mass().apply(Vector::Ones(masses.size()), masses);
  digest.add(masses);
  return digest.value();
}

}  // namespace lilyan
