// Reading and writing whole files, with every failure reported as an exception.
#pragma once

#include <bit>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "lilyan/saving/archive.hpp"

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
// Escapes a text of an XML file or an HTML page, or the value of an attribute.
[[nodiscard]] std::string escaped(std::string_view text);

// An open file. Every function throws Error, with the reason that the system gives, when it fails.
class FileHandle {
 public:
  FileHandle() = default;
  // flags are those of open() in the system; a file that it makes may be read by everybody.
  FileHandle(std::filesystem::path path, int flags);
  ~FileHandle() { close(); }
  FileHandle(FileHandle&& other) noexcept;
  FileHandle& operator=(FileHandle&& other) noexcept;

  [[nodiscard]] bool is_open() const { return file_ >= 0; }
  // Writes where the file is, and returns how much: all, unless the rest failed with `error`.
  [[nodiscard]] std::size_t write_some(std::string_view bytes, int& error);
  void write_at(std::uint64_t place, std::string_view bytes);
  void read_at(std::uint64_t place, std::span<char> bytes) const;
  [[nodiscard]] std::uint64_t size() const;
  void cut(std::uint64_t size);
  [[nodiscard]] bool is_regular() const;
  void sync();
  int close();  // the value of errno when it fails, and 0 otherwise

 private:
  std::filesystem::path path_;
  int file_ = -1;
};

// How a file that a run writes is opened: empty, or as the run that this one goes on from left it. Of the
// latter nothing is touched until archive() has loaded how much of it counts. A file that is of use only as a
// whole is empty at first, and is removed again (unless it is a device) if close() is not called or fails.
enum class Opening { fresh, resumed, whole };

// A file that is written piece by piece. Every function throws Error when writing fails. What could not be
// written is kept, and written by the next call if that succeeds; pieces are never torn or written twice, except
// that a file in lines may end within one where not even the rest of the line can be removed.
class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& path, Opening opening = Opening::fresh);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

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
  std::size_t put(std::string_view bytes);  // how much was written
  [[noreturn]] void fail() const;

  std::filesystem::path path_;
  bool whole_;
  FileHandle file_;
  std::string buffer_;
  std::uint64_t size_ = 0;   // of what is in the file
  std::uint64_t lines_ = 0;  // the size up to the last end of a line
  int error_ = 0;            // of the last put()
};

// A file with these bytes. Throws Error when it cannot be written.
void write_file(const std::filesystem::path& path, std::string_view bytes);
// The same, but whoever looks, also after a crash, finds either the file as it was or the new one.
void replace_file(const std::filesystem::path& path, std::string_view bytes);

// Gives a file the name of another, which is gone then. Throws Error.
void rename_file(const std::filesystem::path& from, const std::filesystem::path& to);

// Cuts a file down to a size that it had before, and throws Error when it is shorter than that.
void cut_file(const std::filesystem::path& path, std::uint64_t size);
// Waits until a file is safely on the disk. Throws Error.
void sync_file(const std::filesystem::path& path);

// The message for a file that cannot be written, with the system's reason: a value of errno.
[[nodiscard]] std::string cannot_write(const std::filesystem::path& path, int error);

// Why what is being handled has failed: a file that cannot be written or memory that is not enough. Other
// exceptions go on. To be called while one is handled.
[[nodiscard]] std::string reason_of_failure();

// Calls a function. Returns why it has failed, and nothing if it has not.
template <class Function>
[[nodiscard]] std::string reason_of_failure(const Function& function) {
  try {
    function();
    return {};
  } catch (...) {
    return reason_of_failure();
  }
}

}  // namespace lilyan
