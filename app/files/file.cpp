#include "app/files/file.hpp"

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

OutputFile::OutputFile(const std::filesystem::path& path)
    : path_(path), stream_(path, std::ios::binary) {
  check();
}

void OutputFile::write(std::string_view bytes) {
  stream_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  check();
}

void OutputFile::flush() {
  stream_.flush();
  check();
}

void OutputFile::close() {
  stream_.close();
  check();
}

void OutputFile::check() const {
  if (!stream_) throw Error("cannot write " + path_.string());
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  OutputFile file(path);
  file.write(bytes);
  file.close();
}

}  // namespace lilyan
