#include "app/files/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <new>
#include <system_error>
#include <utility>

#include "lilyan/base/error.hpp"

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

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
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

std::string cannot_write(const std::filesystem::path& path, int error) {
  return fmt::format("cannot write {}{}{}", path.string(), error == 0 ? "" : ": ",
                     error == 0 ? "" : std::generic_category().message(error));
}

FileHandle::FileHandle(std::filesystem::path path, int flags) : path_(std::move(path)) {
  constexpr mode_t kRights = 0666;
  file_ = ::open(path_.c_str(), flags | O_CLOEXEC, kRights);
  if (file_ < 0) throw Error(cannot_write(path_, errno));
}

FileHandle::FileHandle(FileHandle&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)) {}

FileHandle& FileHandle::operator=(FileHandle&& other) noexcept {
  close();
  path_ = std::move(other.path_);
  file_ = std::exchange(other.file_, -1);
  return *this;
}

std::size_t FileHandle::write_some(std::string_view bytes, int& error) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::write(file_, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      error = errno;
      break;
    }
    done += static_cast<std::size_t>(count);
  }
  return done;
}

void FileHandle::write_at(std::uint64_t place, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(place));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Error(cannot_write(path_, errno));
    bytes.remove_prefix(static_cast<std::size_t>(count));
    place += static_cast<std::uint64_t>(count);
  }
}

void FileHandle::read_at(std::uint64_t place, std::span<char> bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = ::pread(file_, bytes.data(), bytes.size(), static_cast<off_t>(place));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw Error("cannot read back " + path_.string());
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    place += static_cast<std::uint64_t>(count);
  }
}

std::uint64_t FileHandle::size() const {
  struct stat status {};
  if (::fstat(file_, &status) != 0) throw Error("cannot read back " + path_.string());
  return static_cast<std::uint64_t>(status.st_size);
}

void FileHandle::cut(std::uint64_t size) {
  if (::ftruncate(file_, static_cast<off_t>(size)) != 0) throw Error(cannot_write(path_, errno));
}

void FileHandle::sync() {
  if (::fsync(file_) == 0) return;
  // Some file systems cannot do this for a folder, or at all.
  if (errno != EINVAL && errno != ENOTSUP && errno != EROFS)
    throw Error(cannot_write(path_, errno));
}

bool FileHandle::is_regular() const {
  struct stat status {};
  return ::fstat(file_, &status) == 0 && S_ISREG(status.st_mode);
}

int FileHandle::close() {
  if (file_ < 0) return 0;
  return ::close(std::exchange(file_, -1)) == 0 ? 0 : errno;
}

namespace {
constexpr std::size_t kBuffered = 1 << 16;  // bytes
}

OutputFile::OutputFile(const std::filesystem::path& path, Opening opening)
    : path_(path), whole_(opening == Opening::whole) {
  // It never grows: what is kept after a failure finds its place.
  buffer_.reserve(kBuffered);
  if (opening == Opening::resumed) return;
  file_ = FileHandle(path, O_WRONLY | O_CREAT | O_TRUNC);
  whole_ = whole_ && file_.is_regular();
}

OutputFile::~OutputFile() {
  if (!file_.is_open()) return;
  if (whole_) {
    file_.close();
    ::unlink(path_.c_str());
    return;
  }
  put(buffer_);
  // Whoever reads a table may not expect half a line.
  if (error_ == 0 || lines_ == size_) return;
  try {
    file_.cut(lines_);
  } catch (const std::exception&) {  // then it stays
  }
}

std::size_t OutputFile::put(std::string_view bytes) {
  error_ = 0;
  const std::size_t done = file_.write_some(bytes, error_);
  const std::size_t line = bytes.substr(0, done).rfind('\n');
  if (line != std::string_view::npos) lines_ = size_ + line + 1;
  size_ += done;
  return done;
}

void OutputFile::fail() const { throw Error(cannot_write(path_, error_)); }

void OutputFile::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > kBuffered) flush();
  if (bytes.size() <= kBuffered) {
    buffer_ += bytes;
  } else if (put(bytes) < bytes.size()) {
    fail();
  }
}

void OutputFile::flush() {
  buffer_.erase(0, put(buffer_));
  if (!buffer_.empty()) fail();
}

void OutputFile::close() {
  flush();
  error_ = file_.close();
  if (error_ == 0) return;
  if (whole_) ::unlink(path_.c_str());
  fail();
}

void OutputFile::archive(Archive& a) {
  if (!a.loading()) {
    flush();
    file_.sync();
  }
  a(size_);
  if (!a.loading()) return;
  lines_ = size_;
  cut_file(path_, size_);
  file_ = FileHandle(path_, O_WRONLY | O_APPEND);
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  OutputFile file(path, Opening::whole);
  file.write(bytes);
  file.close();
}

void replace_file(const std::filesystem::path& path, std::string_view bytes) {
  std::filesystem::path aside = path;
  aside += ".new";
  try {
    write_file(aside, bytes);
    sync_file(aside);
    rename_file(aside, path);
  } catch (...) {
    ::unlink(aside.c_str());
    throw;
  }
  sync_file(path.parent_path().empty() ? "." : path.parent_path());
}

void rename_file(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) throw Error(cannot_write(to, errno));
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

void sync_file(const std::filesystem::path& path) { FileHandle(path, O_RDONLY).sync(); }

std::string reason_of_failure() {
  try {
    try {
      throw;
    } catch (const Error& error) {
      return error.what();
    } catch (const std::filesystem::filesystem_error& error) {
      return cannot_write(error.path1(), error.code().value());
    } catch (const std::system_error& error) {
      return error.what();
    } catch (const std::bad_alloc&) {
      return "there is not enough memory";
    }
  } catch (const std::bad_alloc&) {
    return "out of memory";  // short enough not to need any
  }
}

}  // namespace lilyan
