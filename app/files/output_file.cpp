#include "app/files/output_file.hpp"

#include "lilyan/core/error.hpp"

namespace lilyan {

OutputFile::OutputFile(const std::filesystem::path& path)
    : path_(path), stream_(path, std::ios::binary) {
  check();
}

void OutputFile::write(std::string_view bytes) {
  stream_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  check();
}

void OutputFile::close() {
  stream_.close();
  check();
}

void OutputFile::check() const {
  if (!stream_) throw Error("cannot write " + path_.string());
}

}  // namespace lilyan
