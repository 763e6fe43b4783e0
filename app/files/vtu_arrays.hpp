// The numbers of a VTK XML file's DataArray elements, in whichever of its encodings they are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/files/scanner.hpp"

namespace lilyan {

struct VtuArray {
  std::string type;    // "Float64"
  std::string name;    // may be empty
  std::string format;  // "ascii", "binary", "appended"
  std::uint64_t components = 1;
  std::uint64_t offset = 0;  // of appended data
  std::string_view text;     // of inline data
  std::uint64_t line = 0;
};

// How a file stores what is not ASCII.
struct VtuEncoding {
  bool swapped = false;            // bytes are in the other order than this machine's
  std::uint64_t header_bytes = 4;  // of the numbers that tell sizes
  bool compressed = false;         // with zlib
  std::string_view appended;       // behind the underscore
  bool appended_base64 = false;
};

class VtuDecoder {
 public:
  // file_bytes is the size of the file, which bounds what can be in it.
  VtuDecoder(const XmlScanner& xml, const VtuEncoding& encoding, std::uint64_t file_bytes);

  // The array's numbers; fails unless there are exactly `count`.
  [[nodiscard]] std::vector<double> reals(const VtuArray& array, std::uint64_t count);
  [[nodiscard]] std::vector<std::int64_t> integers(const VtuArray& array, std::uint64_t count);

 private:
  template <class T>
  std::vector<T> numbers(const VtuArray& array, std::uint64_t count);
  template <class T>
  std::vector<T> ascii(const VtuArray& array, std::uint64_t count) const;
  // The bytes of count items of the given width, in the file's byte order.
  std::string binary(const VtuArray& array, std::uint64_t count, std::uint64_t width);
  [[noreturn]] void fail(const VtuArray& array, const std::string& complaint) const;

  const XmlScanner& xml_;
  VtuEncoding encoding_;
  std::uint64_t budget_;
};

}  // namespace lilyan
