// PLY surfaces (.ply), ASCII and binary of either byte order.
//
// Layout: G. Turk, "The PLY Polygon File Format" (Stanford, 1994). A header of text,
//   ply
//   format ascii|binary_little_endian|binary_big_endian 1.0
//   element NAME COUNT
//   property TYPE NAME
//   property list COUNT-TYPE ITEM-TYPE NAME
//   end_header
// is followed by the elements in the header's order, each with its properties in theirs. Used are
// x, y, z of "vertex" and the list vertex_indices (or vertex_index) of "face". "tristrips" are refused, and "edge" is
// counted.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "app/files/mesh_builder.hpp"
#include "app/files/mesh_readers.hpp"
#include "app/files/scanner.hpp"
#include "lilyan/base/error.hpp"

namespace lilyan {
namespace {

enum class PlyType { int8, uint8, int16, uint16, int32, uint32, float32, float64 };
std::size_t ply_width(PlyType type) {
  constexpr std::array<std::size_t, 8> kBytes = {1, 1, 2, 2, 4, 4, 4, 8};
  return kBytes[static_cast<std::size_t>(type)];
}
bool is_ply_real(PlyType type) { return type == PlyType::float32 || type == PlyType::float64; }

std::optional<PlyType> ply_type_of(std::string_view name) {
  constexpr std::array<std::string_view, 8> kOld = {"char", "uchar", "short", "ushort",
                                                    "int",  "uint",  "float", "double"};
  constexpr std::array<std::string_view, 8> kNew = {"int8",  "uint8",  "int16",   "uint16",
                                                    "int32", "uint32", "float32", "float64"};
  for (std::size_t i = 0; i < kOld.size(); ++i) {
    if (name == kOld[i] || name == kNew[i]) return static_cast<PlyType>(i);
  }
  return {};
}

struct PlyProperty {
  std::string name;
  PlyType type;                       // of the items, in a list
  std::optional<PlyType> list_count;  // none: no list
};

struct PlyElement {
  std::string name;
  std::uint64_t count = 0;
  std::vector<PlyProperty> properties;
};

class PlyReader {
 public:
  PlyReader(const std::string& file, std::string_view bytes) : scanner_(file, bytes) {}

  SurfaceMesh read() {
    read_header();
    for (const PlyElement& element : elements_) read_element(element);
    return builder_.finish_surface(scanner_);
  }

 private:
  // ---- header

  void read_header() {
    scanner_.next_line();
    std::string_view word = scanner_.word_in_line();
    if (word != "ply") scanner_.fail_expected("'ply', with which a PLY file begins", word);
    bool has_format = false;
    while (true) {
      if (!scanner_.next_line()) scanner_.fail_expected("end_header", {});
      word = scanner_.word_in_line();
      if (word == "end_header") break;
      if (word == "comment" || word == "obj_info") {
        scanner_.finish_line();
      } else if (word == "format") {
        read_format();
        has_format = true;
      } else if (word == "element") {
        PlyElement& element = elements_.emplace_back();
        element.name = scanner_.word_in_line();
        element.count = scanner_.to_uint(scanner_.word_in_line(), "the number of elements");
      } else if (word == "property") {
        read_property();
      } else {
        scanner_.fail_expected("format, element, property or end_header", word);
      }
    }
    scanner_.finish_line();
    if (!has_format) scanner_.fail("the header has no line 'format', such as 'format ascii 1.0'");
    if (binary_) scanner_.locate_by_byte();
  }

  void read_format() {
    const std::string_view form = scanner_.word_in_line();
    binary_ = form != "ascii";
    swapped_ = (form == "binary_big_endian") == (std::endian::native == std::endian::little);
    if (binary_ && form != "binary_little_endian" && form != "binary_big_endian") {
      scanner_.fail_expected("ascii, binary_little_endian or binary_big_endian", form);
    }
    const std::string_view version = scanner_.word_in_line();
    if (version != "1.0") scanner_.fail_expected("version 1.0 of the format", version);
  }

  PlyType read_type(std::string_view word) const {
    const std::optional<PlyType> type = ply_type_of(word);
    if (!type) scanner_.fail_expected("a type such as float, int or uchar", word);
    return *type;
  }

  void read_property() {
    if (elements_.empty()) scanner_.fail("found 'property' before the first 'element'");
    PlyProperty property{};
    std::string_view word = scanner_.word_in_line();
    if (word == "list") {
      property.list_count = read_type(scanner_.word_in_line());
      if (is_ply_real(*property.list_count))
        scanner_.fail("the length of a list cannot be a float");
      word = scanner_.word_in_line();
    }
    property.type = read_type(word);
    property.name = scanner_.word_in_line();
    if (property.name.empty()) scanner_.fail_expected("the property's name", {});
    elements_.back().properties.push_back(property);
  }

  // ---- data

  void read_element(const PlyElement& element) {
    if (element.properties.empty()) return;  // no data, whatever the count
    std::uint64_t row = 0;
    for (const PlyProperty& p : element.properties) {
      row += binary_ ? ply_width(p.list_count.value_or(p.type)) : 2;
    }
    scanner_.check_count(element.count, row, element.name + " elements");
    if (element.name == "vertex") return read_vertices(element);
    if (element.name == "face") return read_faces(element);
    // Those of other names are no part of the surface.
    if (element.name == "tristrips") {
      builder_.pass_over(scanner_.place(), "triangle strip", 2, element.count);
    } else if (element.name == "edge") {
      builder_.pass_over(scanner_.place(), "line", 1, element.count);
    }
    for (std::uint64_t i = 0; i < element.count; ++i) {
      for (const PlyProperty& p : element.properties) skip(p);
    }
  }

  void read_vertices(const PlyElement& element) {
    std::array<std::size_t, 3> column{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto found =
          std::ranges::find(element.properties, std::string(1, "xyz"[axis]), &PlyProperty::name);
      if (found == element.properties.end() || found->list_count) {
        throw InputError({scanner_.file(), 0, 0},
                         std::string("the element 'vertex' has no property '") + "xyz"[axis] + "'");
      }
      column[axis] = static_cast<std::size_t>(found - element.properties.begin());
    }
    builder_.reserve_vertices(element.count);
    const std::uint64_t first = builder_.vertex_count();
    std::array<double, 3> point{};
    for (std::uint64_t i = 0; i < element.count; ++i) {
      for (std::size_t k = 0; k < element.properties.size(); ++k) {
        const auto axis = std::ranges::find(column, k);
        if (axis == column.end()) {
          skip(element.properties[k]);
        } else {
          point[static_cast<std::size_t>(axis - column.begin())] =
              number(element.properties[k].type, "a vertex's coordinate");
        }
      }
      builder_.add_vertex(scanner_, first + i, point);
    }
  }

  void read_faces(const PlyElement& element) {
    const auto is_list = [](const PlyProperty& p) {
      return p.list_count && (p.name == "vertex_indices" || p.name == "vertex_index");
    };
    const auto list = std::ranges::find_if(element.properties, is_list);
    if (list == element.properties.end()) {
      throw InputError({scanner_.file(), 0, 0},
                       "the element 'face' has no list 'vertex_indices' or 'vertex_index'");
    }
    if (is_ply_real(list->type)) {
      throw InputError({scanner_.file(), 0, 0},
                       "the list '" + list->name + "' of a face holds floats");
    }
    std::vector<std::uint64_t> corners;
    for (std::uint64_t i = 0; i < element.count; ++i) {
      for (auto p = element.properties.begin(); p != element.properties.end(); ++p) {
        if (p != list) {
          skip(*p);
          continue;
        }
        corners.clear();
        const std::uint64_t count = list_length(*p);
        const std::uint64_t place = scanner_.place();
        for (std::uint64_t c = 0; c < count; ++c) {
          corners.push_back(index(p->type, "the index of a face's vertex"));
        }
        builder_.add_face(place, i, corners);
      }
    }
  }

  std::uint64_t list_length(const PlyProperty& list) {
    const std::uint64_t count = index(*list.list_count, "the length of a list");
    scanner_.check_count(count, binary_ ? ply_width(list.type) : 2, "items in a list");
    return count;
  }

  void skip(const PlyProperty& p) {
    std::uint64_t count = p.list_count ? list_length(p) : 1;
    if (!binary_) {
      for (; count > 0; --count) static_cast<void>(number(p.type, "a number"));
      return;
    }
    if (scanner_.rest().size() < count * ply_width(p.type)) scanner_.fail_expected("more data", {});
    scanner_.skip(count * ply_width(p.type));
  }

  // Numbers of any type that fit a double: all of PLY's do.
  double number(PlyType type, std::string_view what) {
    if (!binary_) return scanner_.to_double(scanner_.word(), what);
    switch (type) {
      case PlyType::int8: return take<std::int8_t>(what);
      case PlyType::uint8: return take<std::uint8_t>(what);
      case PlyType::int16: return take<std::int16_t>(what);
      case PlyType::uint16: return take<std::uint16_t>(what);
      case PlyType::int32: return take<std::int32_t>(what);
      case PlyType::uint32: return take<std::uint32_t>(what);
      case PlyType::float32: return take<float>(what);
      case PlyType::float64: return take<double>(what);
    }
    return 0;
  }

  std::uint64_t index(PlyType type, std::string_view what) {
    if (!binary_) return scanner_.to_uint(scanner_.word(), what);
    const double value = number(type, what);
    if (value < 0) scanner_.fail_expected(what, std::to_string(static_cast<std::int64_t>(value)));
    return static_cast<std::uint64_t>(value);
  }

  template <class T>
  T take(std::string_view what) {
    const std::string_view rest = scanner_.rest();
    if (rest.size() < sizeof(T)) scanner_.fail_expected(what, {});
    scanner_.skip(sizeof(T));
    return number_from_bytes<T>(rest.data(), swapped_);
  }

  TextScanner scanner_;
  MeshBuilder builder_{MeshCells::faces};
  std::vector<PlyElement> elements_;
  bool binary_ = false;
  bool swapped_ = false;
};

}  // namespace

SurfaceMesh read_ply(const std::string& file, std::string_view bytes) {
  return PlyReader(file, bytes).read();
}

}  // namespace lilyan
