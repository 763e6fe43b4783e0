#include "app/files/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <system_error>

#include "lilyan/core/error.hpp"

namespace lilyan {

std::string extension_of(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return extension;
}

std::string read_file(const std::filesystem::path& path) {
  const SourceLocation where{path.string(), 0, 0};
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) {
    throw InputError(where, "no such file");
  }
  // A directory can be opened, and a pipe has no size to check declared counts against.
  if (!std::filesystem::is_regular_file(status)) throw InputError(where, "not a regular file");

  const std::uintmax_t size = std::filesystem::file_size(path, error);
  std::ifstream in(path, std::ios::binary);
  if (error || !in) throw InputError(where, "the file cannot be opened for reading");
  std::string bytes(static_cast<std::size_t>(size), '\0');
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (static_cast<std::uintmax_t>(in.gcount()) != size) {
    throw InputError(where, "the file cannot be read to its end");
  }
  if (bytes.empty()) throw InputError(where, "the file is empty");

  // Editors on Windows put a byte order mark before UTF-8 text.
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.erase(0, 3);
  return bytes;
}

std::string base64(std::string_view bytes) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
    unsigned word = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      word = word << 8 | (k < left ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += k <= left ? kDigits[word >> (18 - 6 * k) & 63U] : '=';
    }
  }
  return out;
}

std::string cannot_write(const std::filesystem::path& path) {
  const int code = errno;
  return fmt::format("cannot write {}{}{}", path.string(), code == 0 ? "" : ": ",
                     code == 0 ? "" : std::generic_category().message(code));
}

OutputFile::OutputFile(const std::filesystem::path& path, Opening opening) : path_(path) {
  if (opening == Opening::resumed) return;
  errno = 0;
  stream_.open(path, std::ios::binary);
  check();
}

void OutputFile::write(std::string_view bytes) {
  errno = 0;
  stream_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  check();
}

void OutputFile::flush() {
  errno = 0;
  stream_.flush();
  check();
}

void OutputFile::close() {
  errno = 0;
  stream_.close();
  check();
}

void OutputFile::archive(Archive& a) {
  std::uint64_t size = 0;
  if (!a.loading()) {
    flush();
    sync_file(path_);
    size = std::filesystem::file_size(path_);
  }
  a(size);
  if (!a.loading()) return;
  cut_file(path_, size);
  errno = 0;
  stream_.open(path_, std::ios::binary | std::ios::app);
  check();
}

void OutputFile::check() const {
  if (!stream_) throw Error(cannot_write(path_));
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  OutputFile file(path);
  file.write(bytes);
  file.close();
}

void replace_file(const std::filesystem::path& path, std::string_view bytes) {
  std::filesystem::path aside = path;
  aside += ".new";
  write_file(aside, bytes);
  sync_file(aside);
  std::filesystem::rename(aside, path);
  sync_file(path.parent_path().empty() ? "." : path.parent_path());
}

void cut_file(const std::filesystem::path& path, std::uint64_t size) {
  std::error_code error;
  const std::uintmax_t now = std::filesystem::file_size(path, error);
  if (error) throw Error(fmt::format("{}: {}", path.string(), error.message()));
  if (now < size) {
    throw Error(
        fmt::format("{} is shorter than it was when the run was saved: {} instead of {} bytes",
                    path.string(), now, size));
  }
  std::filesystem::resize_file(path, size, error);
  if (error) throw Error(fmt::format("cannot write {}: {}", path.string(), error.message()));
}

void sync_file(const std::filesystem::path& path) {
  errno = 0;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool done = file >= 0 && ::fsync(file) == 0;
  const int code = errno;
  if (file >= 0) ::close(file);
  errno = code;
  // Some file systems cannot do this for a folder, or at all.
  if (!done && code != EINVAL && code != ENOTSUP && code != EROFS) throw Error(cannot_write(path));
}

}  // namespace lilyan
