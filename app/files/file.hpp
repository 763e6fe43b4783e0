// Reading and writing whole files, with every failure reported as an exception.
#pragma once

#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "lilyan/core/archive.hpp"

namespace lilyan {

// The extension of a file's name in lower case, with its dot: "Dragon.MSH" is a Gmsh file as well.
[[nodiscard]] std::string extension_of(const std::filesystem::path& path);

// The bytes of a file, without a byte order mark at their beginning. Throws InputError when the
// file is missing, no regular file, unreadable or empty.
[[nodiscard]] std::string read_file(const std::filesystem::path& path);

// Appends a value, or values one after the other, as they are in memory. All binary formats here are
// little-endian, as is every machine that the program runs on.
template <class T>
void append_raw(std::string& out, const T& value) {
  static_assert(std::endian::native == std::endian::little && std::is_trivially_copyable_v<T>);
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}
template <class T>
void append_raw(std::string& out, std::span<const T> values) {
  static_assert(std::endian::native == std::endian::little && std::is_trivially_copyable_v<T>);
  out.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

[[nodiscard]] std::string base64(std::string_view bytes);

// How a file that a run writes is opened: empty, or as the run that this one goes on from left it. Of the
// latter nothing is touched until archive() has loaded how much of it counts.
enum class Opening { fresh, resumed };

// A file that is written piece by piece. Every function throws Error when writing fails.
class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& path, Opening opening = Opening::fresh);

  void write(std::string_view bytes);
  template <class T>
  void write_raw(std::span<const T> items) {
    write({reinterpret_cast<const char*>(items.data()), items.size_bytes()});
  }
  void flush();
  // Must be called: only then is it known that everything was written.
  void close();
  // How much has been written, all of it safely on the disk. Loading cuts off the rest.
  void archive(Archive& a);

 private:
  void check() const;

  std::filesystem::path path_;
  std::ofstream stream_;
};

// A file with these bytes. Throws Error when it cannot be written.
void write_file(const std::filesystem::path& path, std::string_view bytes);
// The same, but whoever looks, also after a crash, finds either the file as it was or the new one.
void replace_file(const std::filesystem::path& path, std::string_view bytes);

// Cuts a file down to a size that it had before, and throws Error when it is shorter than that.
void cut_file(const std::filesystem::path& path, std::uint64_t size);
// Waits until a file is safely on the disk. Throws Error.
void sync_file(const std::filesystem::path& path);

// The message for a file that cannot be written, with the reason that the system has just given.
[[nodiscard]] std::string cannot_write(const std::filesystem::path& path);

}  // namespace lilyan
