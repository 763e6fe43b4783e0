// A file being written, with every failure reported as Error.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

namespace lilyan {

class OutputFile {
 public:
  // Throws Error when the file cannot be written, now or later.
  explicit OutputFile(const std::filesystem::path& path);

  void write(std::string_view bytes);
  template <class T>
  void write_raw(std::span<const T> items) {
    write({reinterpret_cast<const char*>(items.data()), items.size_bytes()});
  }
  // Must be called: only then is it known that everything was written.
  void close();

 private:
  void check() const;

  std::filesystem::path path_;
  std::ofstream stream_;
};

}  // namespace lilyan
