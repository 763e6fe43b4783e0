// The numbers of a VTK XML file's DataArray elements.
//
// Layout: VTK User's Guide, "XML File Formats". A block of binary data is preceded by header
// numbers (UInt32 or UInt64, see header_type):
//   plain       the size of the data in bytes
//   compressed  number of blocks, size of a block, size of the last block if it is shorter (else
//               0), compressed size of each block; then the blocks
// In base64 the header and the data may be encoded as one or one by one.
#include "app/files/vtu_arrays.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>

#include "app/files/scanner.hpp"
#include "lilyan/core/error.hpp"

namespace lilyan {
namespace {

struct VtuType {
  std::string_view name;
  std::uint64_t width;
};
constexpr std::array<VtuType, 10> kVtuTypes = {{{"Int8", 1},
                                                {"UInt8", 1},
                                                {"Int16", 2},
                                                {"UInt16", 2},
                                                {"Int32", 4},
                                                {"UInt32", 4},
                                                {"Int64", 8},
                                                {"UInt64", 8},
                                                {"Float32", 4},
                                                {"Float64", 8}}};

int base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

// Bytes from raw or base64 data. Padding inside base64 ends one encoded run and begins the next.
class ByteSource {
 public:
  ByteSource(std::string_view data, bool base64) : data_(data), base64_(base64) {}

  // At least as many bytes as can still come.
  [[nodiscard]] std::uint64_t bound() const {
    return base64_ ? data_.size() / 4 * 3 + 3 + ready_.size() : data_.size();
  }

  // False when there are fewer, or when a character is none of base64.
  [[nodiscard]] bool read(std::uint64_t count, std::string& out) {
    if (count > bound()) return false;
    if (!base64_) {
      out.append(data_.substr(0, count));
      data_.remove_prefix(count);
      return true;
    }
    while (ready_.size() < count) {
      if (!decode_four()) return false;
    }
    out.append(ready_, 0, count);
    ready_.erase(0, count);
    return true;
  }

 private:
  bool decode_four() {
    std::array<int, 4> digits{};
    int found = 0;
    int padding = 0;
    while (found + padding < 4) {
      if (data_.empty()) return false;
      const char c = data_.front();
      data_.remove_prefix(1);
      if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
      if (c == '=') {
        ++padding;
        continue;
      }
      const int digit = base64_digit(c);
      if (digit < 0 || padding > 0) return false;
      digits[static_cast<std::size_t>(found++)] = digit;
    }
    if (padding > 2) return false;
    const int bits = digits[0] << 18 | digits[1] << 12 | digits[2] << 6 | digits[3];
    for (int i = 0; i < 3 - padding; ++i) ready_ += static_cast<char>(bits >> (16 - 8 * i) & 255);
    return true;
  }

  std::string_view data_;
  bool base64_;
  std::string ready_;
};

// False when a number does not fit.
template <class From, class To>
bool convert(const std::string& bytes, bool swapped, std::vector<To>& out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const From value = number_from_bytes<From>(bytes.data() + i * sizeof(From), swapped);
    if constexpr (std::is_same_v<From, std::uint64_t> && std::is_integral_v<To>) {
      if (value > static_cast<std::uint64_t>(std::numeric_limits<To>::max())) return false;
    }
    out[i] = static_cast<To>(value);  // NOLINT(bugprone-signed-char-misuse): Int8 has a sign
  }
  return true;
}

}  // namespace

VtuDecoder::VtuDecoder(const XmlScanner& xml, const VtuEncoding& encoding, std::uint64_t file_bytes)
    : xml_(xml), encoding_(encoding) {
  // zlib makes data at most 1032 times smaller; a number of one byte, or "0 ", takes eight in
  // memory. Several arrays may refer to the same data, so the sum over all of them is what is
  // bounded.
  constexpr std::uint64_t kZlibMost = 1032;
  budget_ = (1 << 16) + file_bytes * 16 * (encoding.compressed ? kZlibMost : 1);
}

void VtuDecoder::fail(const VtuArray& array, const std::string& complaint) const {
  xml_.fail(array.line, "the DataArray " + in_quotes(array.name) + ": " + complaint);
}

template <class T>
std::vector<T> VtuDecoder::ascii(const VtuArray& array, std::uint64_t count) const {
  TextScanner scanner(xml_.file(), array.text);
  std::vector<T> out;
  out.reserve(count);
  std::string_view word = scanner.word();
  try {
    for (; !word.empty() && out.size() < count; word = scanner.word()) {
      if constexpr (std::is_integral_v<T>) {
        out.push_back(scanner.to_int(word, "an integer"));
      } else {
        out.push_back(scanner.to_double(word, "a number"));
      }
    }
  } catch (const InputError& error) {  // its place is within the array
    xml_.fail(array.line + scanner.place() - 1,
              "the DataArray " + in_quotes(array.name) + ": " + error.message());
  }
  if (out.size() < count || !word.empty()) {
    fail(array, "expected " + std::to_string(count) + " numbers, found " +
                    (word.empty() ? std::to_string(out.size()) : "more"));
  }
  return out;
}

std::string VtuDecoder::binary(const VtuArray& array, std::uint64_t count, std::uint64_t width) {
  const bool appended = array.format == "appended";
  std::string_view data = array.text;
  if (appended) {
    if (encoding_.appended.empty()) fail(array, "the file has no AppendedData to take it from");
    if (array.offset > encoding_.appended.size()) {
      fail(array, "its offset " + std::to_string(array.offset) + " lies behind the " +
                      std::to_string(encoding_.appended.size()) + " bytes of AppendedData");
    }
    data = encoding_.appended.substr(array.offset);
  }
  const std::string cut = "the data ends early or is damaged: the file is cut short or was changed";
  ByteSource source(data, !appended || encoding_.appended_base64);
  const auto header = [&] {
    std::string bytes;
    if (!source.read(encoding_.header_bytes, bytes)) fail(array, cut);
    return encoding_.header_bytes == 8
               ? number_from_bytes<std::uint64_t>(bytes.data(), encoding_.swapped)
               : number_from_bytes<std::uint32_t>(bytes.data(), encoding_.swapped);
  };
  const std::uint64_t size = count * width;
  const auto check_size = [&](std::uint64_t found) {
    if (found == size) return;
    fail(array, "expected " + std::to_string(count) + " numbers (" + std::to_string(size) +
                    " bytes), found " + std::to_string(found) + " bytes");
  };
  std::string out;
  if (!encoding_.compressed) {
    check_size(header());
    if (!source.read(size, out)) fail(array, cut);
    return out;
  }
  const std::uint64_t blocks = header();
  const std::uint64_t block = header();
  const std::uint64_t last = header();
  // A single block may be shorter than the size of a block; several must fit into what is expected.
  const bool fits = blocks < 2 || (block > 0 && block <= size && blocks - 1 <= size / block);
  if (blocks > source.bound() / encoding_.header_bytes || last > block || !fits) {
    fail(array, "its header is damaged: " + std::to_string(blocks) + " blocks of " +
                    std::to_string(block) + " and " + std::to_string(last) + " bytes");
  }
  check_size(blocks == 0 ? 0 : (blocks - 1) * block + (last == 0 ? block : last));
  std::vector<std::uint64_t> compressed(blocks);
  for (std::uint64_t& bytes : compressed) bytes = header();
  out.resize(size);
  std::uint64_t done = 0;
  std::string packed;
  for (std::uint64_t b = 0; b < blocks; ++b) {
    packed.clear();
    if (!source.read(compressed[b], packed)) fail(array, cut);
    const std::uint64_t wanted = b + 1 == blocks ? size - done : block;
    uLongf length = wanted;
    const int result = uncompress(reinterpret_cast<Bytef*>(out.data() + done), &length,
                                  reinterpret_cast<const Bytef*>(packed.data()), packed.size());
    if (result != Z_OK || length != wanted) fail(array, "zlib cannot unpack it: " + cut);
    done += wanted;
  }
  return out;
}

template <class T>
std::vector<T> VtuDecoder::numbers(const VtuArray& array, std::uint64_t count) {
  const auto* type = std::ranges::find(kVtuTypes, array.type, &VtuType::name);
  if (type == kVtuTypes.end()) {
    fail(array,
         "unknown type " + in_quotes(array.type) + ": expected one such as Float64 or Int32");
  }
  if (count > budget_ / sizeof(T)) {
    fail(array, "the file declares " + std::to_string(count) +
                    " numbers, more than a file of its size can hold");
  }
  budget_ -= count * sizeof(T);
  if (array.format == "ascii") return ascii<T>(array, count);
  if (array.format != "binary" && array.format != "appended") {
    fail(array,
         "unknown format " + in_quotes(array.format) + ": expected ascii, binary or appended");
  }
  const std::string bytes = binary(array, count, type->width);
  std::vector<T> out(count);
  const bool swapped = encoding_.swapped;
  bool fits = true;
  switch (type - kVtuTypes.begin()) {
    case 0: fits = convert<std::int8_t>(bytes, swapped, out); break;
    case 1: fits = convert<std::uint8_t>(bytes, swapped, out); break;
    case 2: fits = convert<std::int16_t>(bytes, swapped, out); break;
    case 3: fits = convert<std::uint16_t>(bytes, swapped, out); break;
    case 4: fits = convert<std::int32_t>(bytes, swapped, out); break;
    case 5: fits = convert<std::uint32_t>(bytes, swapped, out); break;
    case 6: fits = convert<std::int64_t>(bytes, swapped, out); break;
    case 7: fits = convert<std::uint64_t>(bytes, swapped, out); break;
    case 8:
    case 9:
      if constexpr (std::is_integral_v<T>) fail(array, "expected integers, found " + array.type);
      fits = type->width == 4 ? convert<float>(bytes, swapped, out)
                              : convert<double>(bytes, swapped, out);
      break;
    default: break;
  }
  if (!fits) fail(array, "it has a number that is too large");
  return out;
}

std::vector<double> VtuDecoder::reals(const VtuArray& array, std::uint64_t count) {
  return numbers<double>(array, count);
}

std::vector<std::int64_t> VtuDecoder::integers(const VtuArray& array, std::uint64_t count) {
  return numbers<std::int64_t>(array, count);
}

}  // namespace lilyan
