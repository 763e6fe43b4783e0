// VTK XML unstructured grids (.vtu).
//
// Layout: VTK User's Guide, "XML File Formats":
//   VTKFile type="UnstructuredGrid" byte_order header_type compressor
//     UnstructuredGrid
//       Piece NumberOfPoints NumberOfCells
//         Points     one DataArray of 3 components
//         Cells      connectivity, offsets (where each cell's connectivity ends), types
//         PointData  CellData
//     AppendedData encoding, the data behind an underscore
// and vtkCellType.h for the types of cells.
#include "app/files/vtu.hpp"

#include <zlib.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "app/files/file.hpp"
#include "app/files/polygon.hpp"
#include "app/files/scanner.hpp"
#include "lilyan/base/error.hpp"

namespace lilyan {

// The numbers of a VTK XML file's DataArray elements, in whichever of its encodings they are.

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
  [[noreturn]] void fail(const VtuArray& array, const std::string& message) const;

  const XmlScanner& xml_;
  VtuEncoding encoding_;
  std::uint64_t budget_;
};

// The numbers of a VTK XML file's DataArray elements.
//
// Layout: VTK User's Guide, "XML File Formats". A block of binary data is preceded by header
// numbers (UInt32 or UInt64, see header_type):
//   plain       the size of the data in bytes
//   compressed  number of blocks, size of a block, size of the last block if it is shorter (else
//               0), compressed size of each block; then the blocks
// In base64 the header and the data may be encoded as one or one by one.
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
  // A number of one byte, or "0 ", takes eight in memory. zlib can make data a thousand times smaller, but
  // not positions and vertices of meshes: a file that asks for more than this is a bomb. Several arrays may
  // refer to the same data, so the sum over all of them is what is bounded.
  constexpr std::uint64_t kAlways = 1 << 16;
  constexpr std::uint64_t kAlwaysCompressed = 1 << 26;
  budget_ = encoding.compressed ? kAlwaysCompressed + file_bytes * 256 : kAlways + file_bytes * 16;
}

void VtuDecoder::fail(const VtuArray& array, const std::string& message) const {
  xml_.fail(array.line, "the DataArray " + in_quotes(array.name) + ": " + message);
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

namespace {

// The arrays of a piece, as its tags describe them. The line is for messages.
struct VtuPiece {
  std::uint64_t points = 0;
  std::uint64_t cells = 0;
  std::uint64_t line = 0;
  std::vector<VtuArray> coordinates, topology, point_data, cell_data;
};

class VtuReader {
 public:
  VtuReader(const std::string& file, std::string_view bytes) : xml_(file, bytes), bytes_(bytes) {}

  VtuContent read() {
    read_tags();
    VtuDecoder decoder(xml_, encoding_, bytes_.size());
    for (const VtuPiece& piece : pieces_) read_piece(piece, decoder);
    // A velocity for some points only is of no use.
    if (content_.velocity.size() != content_.points.size()) content_.velocity.clear();
    if (content_.number.size() != content_.points.size()) content_.number.clear();
    return std::move(content_);
  }

 private:
  // ---- tags

  void read_tags() {
    std::optional<XmlTag> tag = xml_.next();
    if (!tag || tag->name != "VTKFile" || tag->closing) {
      xml_.fail(tag ? tag->line : 1, "expected the tag VTKFile, with which a VTK XML file begins");
    }
    read_file_tag(*tag);
    std::vector<std::string_view> open = {tag->name};
    if (tag->self_closed) open.clear();
    while (!open.empty()) {
      tag = xml_.next();
      if (!tag)
        xml_.fail(xml_.line(),
                  "expected '</" + std::string(open.back()) + ">', found the end of the file");
      if (tag->closing) {
        if (tag->name != open.back()) {
          xml_.fail(tag->line, "expected '</" + std::string(open.back()) + ">', found '</" +
                                   std::string(tag->name) + ">'");
        }
        open.pop_back();
        continue;
      }
      if (tag->name == "AppendedData") {  // always last, and what follows may be no XML
        read_appended(*tag);
        break;
      }
      read_tag(*tag, open.back());
      if (!tag->self_closed) open.push_back(tag->name);
    }
    if (!has_grid_) xml_.fail(1, "the file has no UnstructuredGrid");
  }

  void read_file_tag(const XmlTag& tag) {
    const std::string_view type = tag.attribute("type");
    if (type != "UnstructuredGrid") {
      xml_.fail(tag.line, "the file holds " + in_quotes(type) + ": only UnstructuredGrid is read");
    }
    const std::string_view order = tag.attribute("byte_order");
    if (!order.empty() && order != "LittleEndian" && order != "BigEndian") {
      xml_.fail(tag.line,
                "unknown byte_order " + in_quotes(order) + ": expected LittleEndian or BigEndian");
    }
    encoding_.swapped = order == "BigEndian";
    const std::string_view header = tag.attribute("header_type");
    if (!header.empty() && header != "UInt32" && header != "UInt64") {
      xml_.fail(tag.line,
                "unknown header_type " + in_quotes(header) + ": expected UInt32 or UInt64");
    }
    encoding_.header_bytes = header == "UInt64" ? 8 : 4;
    const std::string_view compressor = tag.attribute("compressor");
    if (!compressor.empty() && compressor != "vtkZLibDataCompressor") {
      xml_.fail(tag.line, "data packed by " + in_quotes(compressor) +
                              " is not read: save the file with zlib or without compression");
    }
    encoding_.compressed = !compressor.empty();
  }

  void read_tag(const XmlTag& tag, std::string_view parent) {
    if (tag.name == "UnstructuredGrid") has_grid_ = true;
    if (tag.name == "Piece") {
      VtuPiece& piece = pieces_.emplace_back();
      piece.line = tag.line;
      piece.points = number(tag, "NumberOfPoints");
      piece.cells = number(tag, "NumberOfCells");
    }
    if (tag.name != "DataArray") return;
    std::vector<VtuArray>* list = list_of(parent);
    if (!list) return;
    VtuArray array;
    array.line = tag.line;
    array.type = tag.attribute("type");
    array.name = tag.attribute("Name");
    array.format = tag.has("format") ? tag.attribute("format") : "ascii";
    if (tag.has("NumberOfComponents")) array.components = number(tag, "NumberOfComponents");
    if (array.format == "appended") {
      array.offset = number(tag, "offset");
    } else if (!tag.self_closed) {
      array.text = xml_.text();
    }
    list->push_back(std::move(array));
  }

  std::vector<VtuArray>* list_of(std::string_view parent) {
    if (pieces_.empty()) return nullptr;
    VtuPiece& piece = pieces_.back();
    if (parent == "Points") return &piece.coordinates;
    if (parent == "Cells") return &piece.topology;
    if (parent == "PointData") return &piece.point_data;
    if (parent == "CellData") return &piece.cell_data;
    return nullptr;
  }

  std::uint64_t number(const XmlTag& tag, std::string_view key) const {
    const TextScanner scanner(xml_.file(), bytes_);
    try {
      return scanner.to_uint(tag.attribute(key), key);
    } catch (const InputError&) {
      xml_.fail(tag.line, "expected " + std::string(tag.name) + " with " + std::string(key) +
                              "=\"a whole number\", found " + in_quotes(tag.attribute(key)));
    }
  }

  void read_appended(const XmlTag& tag) {
    const std::string_view encoding = tag.attribute("encoding");
    if (encoding != "raw" && encoding != "base64") {
      xml_.fail(tag.line, "unknown encoding " + in_quotes(encoding) + ": expected raw or base64");
    }
    encoding_.appended_base64 = encoding == "base64";
    const std::string_view rest = xml_.rest();
    const std::size_t start = rest.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos || rest[start] != '_') {
      xml_.fail(tag.line, "expected '_' at the begin of AppendedData");
    }
    // Raw data may look like a tag: the last one is the true end.
    const std::size_t end = rest.rfind("</AppendedData");
    if (end == std::string_view::npos || end < start) {
      xml_.fail(tag.line, "AppendedData has no end: the file is cut short");
    }
    encoding_.appended = rest.substr(start + 1, end - start - 1);
  }

  // ---- data

  static const VtuArray* find(const std::vector<VtuArray>& arrays, std::string_view name) {
    const auto found = std::ranges::find(arrays, name, &VtuArray::name);
    return found == arrays.end() ? nullptr : &*found;
  }

  const VtuArray& need(const VtuPiece& piece, std::string_view name) const {
    const VtuArray* array = find(piece.topology, name);
    if (!array)
      xml_.fail(piece.line, "the piece has no DataArray '" + std::string(name) + "' in Cells");
    return *array;
  }

  std::vector<std::array<double, 3>> vectors(const VtuArray& array, std::uint64_t count,
                                             VtuDecoder& decoder) const {
    // The product below must not wrap.
    if (count > std::numeric_limits<std::uint64_t>::max() / 3)
      count = std::numeric_limits<std::uint64_t>::max() / 3;
    const std::vector<double> flat = decoder.reals(array, 3 * count);
    std::vector<std::array<double, 3>> out(count);
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = {flat[3 * i], flat[3 * i + 1], flat[3 * i + 2]};
    }
    return out;
  }

  void read_piece(const VtuPiece& piece, VtuDecoder& decoder) {
    if (piece.points == 0 && piece.cells == 0) return;
    if (piece.coordinates.size() != 1 || piece.coordinates[0].components != 3) {
      xml_.fail(piece.line, "the piece's Points are not one DataArray of 3 components");
    }
    const std::size_t first = content_.points.size();
    const VtuArray& coordinates = piece.coordinates[0];
    if (coordinates.type != "Float64") content_.double_precision = false;
    for (const std::array<double, 3>& p : vectors(coordinates, piece.points, decoder)) {
      if (!std::isfinite(p[0]) || !std::isfinite(p[1]) || !std::isfinite(p[2])) {
        xml_.fail(coordinates.line, "the coordinates of point " +
                                        std::to_string(content_.points.size() - first) +
                                        " are not finite");
      }
      content_.points.push_back(p);
    }
    if (content_.points.size() > std::numeric_limits<int>::max()) {
      xml_.fail(piece.line, "the file has more points than can be numbered (2147483647)");
    }
    const VtuArray* number = find(piece.point_data, "number");
    if (number && number->components == 1 && !number->type.starts_with("Float")) {
      for (const std::int64_t n : decoder.integers(*number, piece.points))
        content_.number.push_back(n);
    }
    const VtuArray* velocity = find(piece.point_data, "velocity");
    if (velocity && velocity->components == 3) {
      if (velocity->type != "Float64") content_.double_precision = false;
      for (const auto& v : vectors(*velocity, piece.points, decoder))
        content_.velocity.push_back(v);
    }
    read_cells(piece, static_cast<int>(first), decoder);
  }

  void read_cells(const VtuPiece& piece, int first, VtuDecoder& decoder) {
    if (piece.cells == 0) return;
    const VtuArray& offsets_array = need(piece, "offsets");
    const VtuArray& connectivity_array = need(piece, "connectivity");
    const std::vector<std::int64_t> offsets = decoder.integers(offsets_array, piece.cells);
    const std::vector<std::int64_t> types = decoder.integers(need(piece, "types"), piece.cells);
    std::int64_t begin = 0;
    for (const std::int64_t end : offsets) {
      if (end < begin)
        xml_.fail(offsets_array.line, "the DataArray 'offsets' is not ascending from 0");
      begin = end;
    }
    const std::vector<std::int64_t> connectivity =
        decoder.integers(connectivity_array, static_cast<std::uint64_t>(begin));
    for (const std::int64_t index : connectivity) {
      if (index >= 0 && static_cast<std::uint64_t>(index) < piece.points) continue;
      xml_.fail(connectivity_array.line, "the DataArray 'connectivity' names point " +
                                             std::to_string(index) + " of a piece with " +
                                             std::to_string(piece.points) + " points");
    }
    std::vector<std::int64_t> body(piece.cells, 0);
    const VtuArray* body_array = find(piece.cell_data, "body");
    if (body_array && body_array->components == 1 && !body_array->type.starts_with("Float")) {
      body = decoder.integers(*body_array, piece.cells);
      for (const std::int64_t b : body) {
        if (b < 0 || b > std::numeric_limits<int>::max()) {
          xml_.fail(body_array->line, "the DataArray 'body' has the number " + std::to_string(b) +
                                          ": bodies count from 0");
        }
      }
    }
    const std::vector<double> texture = read_texture(piece, decoder);
    std::vector<int> cell;
    begin = 0;
    for (std::size_t c = 0; c < offsets.size(); ++c) {
      cell.clear();
      for (; begin < offsets[c]; ++begin) {
        cell.push_back(first + static_cast<int>(connectivity[static_cast<std::size_t>(begin)]));
      }
      add_cell(types[c], cell, static_cast<int>(body[c]), connectivity_array.line, c);
      if (texture.empty() || types[c] != 5) continue;
      content_.texture.resize(content_.triangles.size());
      for (std::size_t k = 0; k < 6; ++k) {
        content_.texture.back()[k] = static_cast<float>(texture[6 * c + k]);
      }
    }
    if (!content_.texture.empty()) content_.texture.resize(content_.triangles.size());
  }

  // Six numbers for each cell, as runs write them; empty: there are none.
  std::vector<double> read_texture(const VtuPiece& piece, VtuDecoder& decoder) {
    const VtuArray* array = find(piece.cell_data, "texture");
    if (!array || array->components != 6) return {};
    return decoder.reals(*array, 6 * piece.cells);
  }

  void add_cell(std::int64_t type, const std::vector<int>& p, int body, std::uint64_t line,
                std::size_t number) {
    const auto need_size = [&](bool right) {
      if (right) return;
      xml_.fail(line, "cell " + std::to_string(number) + " of VTK type " + std::to_string(type) +
                          " has " + std::to_string(p.size()) + " points");
    };
    const auto triangle = [&](int a, int b, int c) {
      content_.triangles.push_back({a, b, c});
      content_.triangle_body.push_back(body);
    };
    switch (type) {
      case 3:  // line, polyline
      case 4:
        need_size(type == 4 ? p.size() >= 2 : p.size() == 2);
        for (std::size_t i = 1; i < p.size(); ++i) {
          content_.edges.push_back({p[i - 1], p[i]});
          content_.edge_body.push_back(body);
        }
        break;
      case 5:  // triangle, pixel, quad, polygon
      case 8:
      case 9:
      case 7:
        need_size(type == 5 ? p.size() == 3 : type == 7 ? p.size() >= 3 : p.size() == 4);
        for (const std::array<int, 3>& t : polygon(type, p, line, number)) {
          triangle(t[0], t[1], t[2]);
        }
        break;
      case 6:  // strip: every other triangle is listed backwards
        need_size(p.size() >= 3);
        for (std::size_t i = 2; i < p.size(); ++i)
          triangle(p[i - 2 + i % 2], p[i - 1 - i % 2], p[i]);
        break;
      case 10:  // tetra
        need_size(p.size() == 4);
        content_.tets.push_back({p[0], p[1], p[2], p[3]});
        content_.tet_body.push_back(body);
        break;
      case 0: break;  // an empty cell
      default: ++content_.other_cells[type];
    }
  }

  // The triangles of a face.
  std::vector<std::array<int, 3>> polygon(std::int64_t type, const std::vector<int>& p,
                                          std::uint64_t line, std::size_t number) const {
    std::vector<int> corners = p;
    if (type == 8) std::swap(corners[2], corners[3]);  // a pixel goes by rows
    corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
    if (corners.size() > 1 && corners.front() == corners.back()) corners.pop_back();
    // Fewer than three corners are left for whoever makes a mesh of them to count.
    if (corners.size() < 3 || p.size() == 3) return {{p[0], p[1], p[2]}};
    std::vector<std::array<double, 3>> points;
    for (const int corner : corners) {
      points.push_back(content_.points[static_cast<std::size_t>(corner)]);
    }
    const PolygonCut cut = cut_polygon(points);
    if (!cut.fault.empty()) {
      xml_.fail(line, "cell " + std::to_string(number) + " of VTK type " + std::to_string(type) +
                          " (" + std::to_string(p.size()) + " corners) " + cut.fault);
    }
    std::vector<std::array<int, 3>> triangles;
    for (const std::array<int, 3>& t : cut.triangles) {
      const auto at = [&](std::size_t c) { return corners[static_cast<std::size_t>(t[c])]; };
      triangles.push_back({at(0), at(1), at(2)});
    }
    return triangles;
  }

  XmlScanner xml_;
  std::string_view bytes_;
  VtuEncoding encoding_;
  std::vector<VtuPiece> pieces_;
  bool has_grid_ = false;
  VtuContent content_;
};

}  // namespace

VtuContent read_vtu(const std::string& file, std::string_view bytes) {
  return VtuReader(file, bytes).read();
}

namespace {

// The files that a .pvtu file lists.
std::vector<std::filesystem::path> listed_pieces(const std::filesystem::path& path) {
  const std::string bytes = read_file(path);
  XmlScanner xml(path.string(), bytes);
  std::vector<std::filesystem::path> pieces;
  while (const std::optional<XmlTag> tag = xml.next()) {
    if (tag->name != "Piece") continue;
    if (!tag->has("Source")) xml.fail(tag->line, "expected a Piece with Source=\"a file\"");
    pieces.push_back(path.parent_path() / tag->attribute("Source"));
  }
  if (pieces.empty()) throw InputError({path.string(), 0, 0}, "it lists no pieces");
  return pieces;
}

VtuContent read_pvtu(const std::filesystem::path& path) {
  std::vector<VtuContent> pieces;
  std::map<std::int64_t, int> index;
  for (const std::filesystem::path& file : listed_pieces(path)) {
    pieces.push_back(read_vtu(file.string(), read_file(file)));
    if (pieces.back().number.size() != pieces.back().points.size()) {
      throw InputError(
          {file.string(), 0, 0},
          "it has no numbers of points (a point array 'number'), so it is not known which "
          "of them it shares with the other pieces");
    }
    for (const std::int64_t number : pieces.back().number) index[number] = 0;
  }
  int next = 0;
  for (auto& [number, place] : index) place = next++;
  VtuContent whole;
  whole.points.resize(index.size());
  whole.number.resize(index.size());
  const bool moving =
      std::ranges::none_of(pieces, [](const auto& p) { return p.velocity.empty(); });
  if (moving) whole.velocity.resize(index.size());
  for (const VtuContent& piece : pieces) {
    const auto place = [&](int point) {
      return index.at(piece.number[static_cast<std::size_t>(point)]);
    };
    for (std::size_t i = 0; i < piece.points.size(); ++i) {
      const auto at = static_cast<std::size_t>(place(static_cast<int>(i)));
      whole.points[at] = piece.points[i];
      whole.number[at] = piece.number[i];
      if (moving) whole.velocity[at] = piece.velocity[i];
    }
    const auto append = [&](const auto& cells, const std::vector<int>& body, auto& all,
                            std::vector<int>& all_body) {
      for (auto cell : cells) {
        for (int& point : cell) point = place(point);
        all.push_back(cell);
      }
      all_body.insert(all_body.end(), body.begin(), body.end());
    };
    append(piece.tets, piece.tet_body, whole.tets, whole.tet_body);
    append(piece.triangles, piece.triangle_body, whole.triangles, whole.triangle_body);
    append(piece.edges, piece.edge_body, whole.edges, whole.edge_body);
    for (const auto& [type, count] : piece.other_cells) whole.other_cells[type] += count;
  }
  return whole;
}

}  // namespace

VtuContent read_vtu(const std::filesystem::path& path) {
  if (path.extension() == ".pvtu") return read_pvtu(path);
  return read_vtu(path.string(), read_file(path));
}

}  // namespace lilyan
