// STL surfaces (.stl), ASCII and binary.
//
// Layout: 3D Systems, "StereoLithography Interface Specification" (1988).
//   ASCII   solid NAME
//             facet normal x y z / outer loop / vertex x y z (three) / endloop / endfacet
//           endsolid NAME
//   binary  80 bytes of anything, the number of triangles as a 32-bit number, and for each triangle
//           twelve floats (normal, three corners) and 16 bits of no meaning; little-endian
// A triangle holds its corners' coordinates; corners with exactly equal ones become one vertex.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <unordered_map>

#include "app/files/mesh_builder.hpp"
#include "app/files/mesh_readers.hpp"
#include "app/files/scanner.hpp"

namespace lilyan {
namespace {

class StlReader {
 public:
  StlReader(const std::string& file, std::string_view bytes)
      : bytes_(bytes), scanner_(file, bytes) {}

  SurfaceMesh read() {
    if (is_binary()) {
      read_binary();
    } else {
      read_text();
    }
    return builder_.finish_surface(scanner_);
  }

 private:
  static constexpr std::size_t kHeader = 80;
  static constexpr std::size_t kTriangle = 50;
  static constexpr bool kSwapped = std::endian::native == std::endian::big;

  using Key = std::array<std::uint64_t, 3>;
  struct Hash {
    std::size_t operator()(const Key& key) const {
      std::uint64_t hash = 0;
      for (const std::uint64_t k : key) hash = (hash ^ k ^ (k >> 32)) * 0x9e3779b97f4a7c15U;
      return hash ^ (hash >> 29);
    }
  };

  [[nodiscard]] std::uint32_t declared() const {
    return number_from_bytes<std::uint32_t>(bytes_.data() + kHeader, kSwapped);
  }

  // Binary files may begin with "solid" as well, but then their size is what their count says, or bytes that no text
  // has tell them from text.
  [[nodiscard]] bool is_binary() const {
    const auto no_text = [](char c) {
      return (c >= 0 && c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\v') ||
             c == 127;
    };
    if (bytes_.size() >= kHeader + 4 &&
        bytes_.size() == kHeader + 4 + kTriangle * std::uint64_t{declared()}) {
      return true;
    }
    const std::size_t start = bytes_.find_first_not_of(" \t\r\n");
    return start == std::string_view::npos || !is(bytes_.substr(start, 5), "solid") ||
           std::ranges::any_of(bytes_, no_text);
  }

  // Keywords may be in capital letters.
  static bool is(std::string_view found, std::string_view keyword) {
    return std::ranges::equal(found, keyword, {}, [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
  }

  std::uint64_t weld(std::array<double, 3> point) {
    Key key{};
    for (std::size_t a = 0; a < 3; ++a) {
      point[a] += 0.0;  // -0 and 0 are one place
      key[a] = std::bit_cast<std::uint64_t>(point[a]);
    }
    const auto [entry, is_new] = number_of_.try_emplace(key, builder_.vertex_count());
    if (is_new) builder_.add_vertex(scanner_, entry->second, point);
    return entry->second;
  }

  void read_binary() {
    scanner_.locate_by_byte();
    if (bytes_.size() < kHeader + 4) {
      scanner_.fail("the file has " + std::to_string(bytes_.size()) +
                    " bytes, and a binary STL file has at least 84: it is cut short, or it is no "
                    "STL file (one of text begins with 'solid')");
    }
    scanner_.skip(kHeader);
    const std::uint32_t count = declared();
    scanner_.skip(4);
    const std::uint64_t follow = scanner_.rest().size();
    if (follow < kTriangle * std::uint64_t{count}) {
      scanner_.fail("the file declares " + std::to_string(count) +
                    " triangles of 50 bytes, but only " + std::to_string(follow) +
                    " bytes follow, which are " + std::to_string(follow / kTriangle) +
                    " triangles: it is cut short or no binary STL file");
    }
    if (follow >= kTriangle * (std::uint64_t{count} + 1)) {
      scanner_.fail("the file declares " + std::to_string(count) + " triangles of 50 bytes, but " +
                    std::to_string(follow) + " bytes follow, which are " +
                    std::to_string(follow / kTriangle) +
                    " triangles: its number is wrong, or it is no binary STL file");
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      const char* triangle = scanner_.rest().data();
      const auto number = [triangle](std::size_t n) {
        return number_from_bytes<float>(triangle + n * sizeof(float), kSwapped);
      };
      scanner_.skip(kTriangle);
      std::array<std::uint64_t, 3> corners{};
      for (std::size_t c = 0; c < 3; ++c) {
        corners[c] = weld({number(3 * c + 3), number(3 * c + 4), number(3 * c + 5)});
      }
      builder_.add_face(scanner_.place(), i + 1, corners);
    }
  }

  void expect(std::string_view word) {
    const std::string_view found = scanner_.word();
    if (!is(found, word)) scanner_.fail_expected(in_quotes(word), found);
  }

  void read_text() {
    expect("solid");
    scanner_.finish_line();
    std::uint64_t faces = 0;
    bool open = true;
    for (std::string_view word = scanner_.word(); !word.empty(); word = scanner_.word()) {
      if (is(word, "facet") && open) {
        read_facet(++faces);
      } else if (is(word, open ? "endsolid" : "solid")) {
        open = !open;
        scanner_.finish_line();
      } else {
        scanner_.fail_expected(open ? "'facet' or 'endsolid'" : "'solid'", word);
      }
    }
    if (open) scanner_.fail_expected("'facet' or 'endsolid'", {});
  }

  void read_facet(std::uint64_t number) {
    const std::uint64_t place = scanner_.place();
    expect("normal");
    for (int i = 0; i < 3; ++i) {
      static_cast<void>(scanner_.to_double(scanner_.word(), "a component of a normal"));
    }
    expect("outer");
    expect("loop");
    std::array<std::uint64_t, 3> corners{};
    for (std::uint64_t& corner : corners) {
      expect("vertex");
      const double x = scanner_.to_double(scanner_.word(), "a vertex's x coordinate");
      const double y = scanner_.to_double(scanner_.word(), "a vertex's y coordinate");
      const double z = scanner_.to_double(scanner_.word(), "a vertex's z coordinate");
      corner = weld({x, y, z});
    }
    expect("endloop");
    expect("endfacet");
    builder_.add_face(place, number, corners);
  }

  std::string_view bytes_;
  TextScanner scanner_;
  MeshBuilder builder_{MeshCells::faces};
  std::unordered_map<Key, std::uint64_t, Hash> number_of_;
};

}  // namespace

SurfaceMesh read_stl(const std::string& file, std::string_view bytes) {
  return StlReader(file, bytes).read();
}

}  // namespace lilyan
