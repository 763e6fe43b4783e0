// Gmsh meshes (.msh), versions 2.2 and 4.1, ASCII and binary.
//
// Layout: Gmsh reference manual, "MSH file format" and "MSH file format version 2 (Legacy)".
// gmsh_input.cpp has the header and the difference between ASCII and binary. Here a line of the
// ASCII form is a line.
//
// Version 2.2: in both forms the number of nodes or elements is a line of text. Then
//   $Nodes     number x y z
//   $Elements  ASCII: number type tag-count tags nodes
//              binary: blocks of a header "type element-count tag-count" and, for each element,
//              "number tags nodes"
// where all but the coordinates are ints. $ParametricNodes, which takes the place of $Nodes if Gmsh
// was asked for parametric coordinates, is not in the manual; Gmsh writes it as
//   number x y z dimension entity [u, on a curve] [u v, on a surface]
//
// Version 4.1: ASCII and binary hold the same numbers in the same order.
//   $Nodes     blocks nodes lowest-tag highest-tag             sizes
//              for each block: dimension entity parametric count   ints, and a size
//                a tag                                         for each node, a size
//                x y z [u [v [w]]]                             for each node, doubles
//   $Elements  blocks elements lowest-tag highest-tag          sizes
//              for each block: dimension entity type count     ints, and a size
//                tag nodes                                     for each element, sizes
// A node has as many of u v w as its entity has dimensions, if the block is parametric.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/files/mesh_builder.hpp"
#include "app/files/mesh_readers.hpp"
#include "app/files/scanner.hpp"
#include "lilyan/base/error.hpp"

namespace lilyan {

// The bytes of a Gmsh file, ASCII or binary, as the records and numbers that both forms hold in
// the same order; and Gmsh's element types.

inline constexpr std::int64_t kGmshLine = 1;
inline constexpr std::int64_t kGmshTriangle = 2;
inline constexpr std::int64_t kGmshQuad = 3;
inline constexpr std::int64_t kGmshLinearTet = 4;

// What elements of a type are: "hexahedron", "tetrahedron of order 2".
struct GmshKind {
  std::string name;
  int dimension;
};
[[nodiscard]] GmshKind gmsh_kind(std::int64_t type);

// The number of nodes of an element, which tells where it ends in a binary file. 0 if the type is
// not known or has no fixed number of nodes.
[[nodiscard]] std::uint64_t gmsh_node_count(std::int64_t type);

class GmshInput {
 public:
  GmshInput(const std::string& file, std::string_view bytes) : text_(file, bytes) {}

  // The name of the next section, without '$'; empty at the end of the file.
  [[nodiscard]] std::string next_section();
  // Reads the body of $MeshFormat and its end.
  void read_format();
  // Past the body of a section and its end.
  void skip_section(const std::string& name);
  // Expects the end of a section whose body has been read.
  void end_section(const std::string& name);

  [[nodiscard]] bool has_format() const { return version_ != 0; }
  // 2 for 2.2 and what came before it, 4 for 4.1
  [[nodiscard]] int version() const { return version_; }
  [[nodiscard]] bool binary() const { return binary_; }

  // A record is a line in ASCII, and bytes without a mark in binary. item is what an error calls
  // it ("node"), i counts from 0.
  void begin_record(std::string_view item, std::uint64_t i, std::uint64_t count);
  // Expects that nothing is left of the record.
  void end_record();
  // The number of items that follow, on a line of text that binary files have as well; checked as
  // check_count() does.
  [[nodiscard]] std::uint64_t count_line(const std::string& items, std::uint64_t text_bytes,
                                         std::uint64_t binary_bytes);

  // The next number of a record. Sizes are as wide as the writing machine's size_t.
  [[nodiscard]] std::int64_t read_int(std::string_view what);
  [[nodiscard]] std::uint64_t read_size(std::string_view what);
  [[nodiscard]] double read_double(std::string_view what);
  // Version 2 numbers nodes and elements with an int, which must not be negative.
  [[nodiscard]] std::uint64_t read_number(std::string_view what);

  // The width of ints, sizes and doubles in a binary file.
  static constexpr std::uint64_t kIntBytes = 4;
  static constexpr std::uint64_t kDoubleBytes = 8;
  [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }
  // Past items in a binary file; fails if the file has fewer.
  void skip_items(std::uint64_t count, std::uint64_t bytes_each, std::string_view items);
  // Fails if so many items cannot follow: see TextScanner::check_count.
  void check_count(std::uint64_t count, std::uint64_t text_bytes, std::uint64_t binary_bytes,
                   std::string_view items) const;

  [[nodiscard]] const TextScanner& text() const { return text_; }
  // An error at the section's first line.
  [[noreturn]] void fail_section(const std::string& message) const {
    text_.fail_at(section_place_, message);
  }

 private:
  template <typename T>
  T read_binary(std::string_view what);
  void read_byte_order();

  TextScanner text_;
  std::uint64_t section_place_ = 0;
  int version_ = 0;
  bool binary_ = false;
  bool swapped_ = false;
  std::uint64_t size_bytes_ = 8;
};

// The bytes of a Gmsh file, ASCII or binary.
//
// Layout: Gmsh reference manual, "MSH file format" (4.1) and "MSH file format version 2 (Legacy)".
// A file is a sequence of sections, each from a line $Name to a line $EndName. The first is
//   $MeshFormat
//   version file-type data-size     file-type is 0 for ASCII, 1 for binary
//   the int 1                       binary only: tells the byte order of the machine that wrote it
//   $EndMeshFormat
// data-size is that of a double in version 2 and of a size_t in version 4.
//
// Element types 1 to 31, 92 and 93 are listed in the manual under "MSH file format"; the rest are
// the same shapes in higher order. A shape of order p has
//   line p+1                tetrahedron (p+1)(p+2)(p+3)/6    prism   (p+1)^2(p+2)/2
//   triangle (p+1)(p+2)/2   hexahedron  (p+1)^3              pyramid (p+1)(p+2)(2p+3)/6
//   quadrangle (p+1)^2
// nodes, or, if it has nodes on its edges only, as many as corners + edges (p-1).
namespace {

enum class ElementShape { kLine, kTriangle, kQuad, kTet, kHex, kPrism, kPyramid };
enum class ElementNodes { kComplete, kEdgesOnly };

// A run of types, of consecutive orders.
struct TypeRun {
  int first_type;
  int last_type;
  ElementShape shape;
  ElementNodes nodes;
  int first_order;
};

// Left out on purpose: polygons and polyhedra (34, 35: no fixed count), and the 3D shapes of order
// 3 and more with incomplete nodes other than tets (99-105, 111-117, 125-131), whose counts have
// changed between versions of Gmsh.
constexpr auto kTypeRuns = [] {
  using enum ElementShape;
  using enum ElementNodes;
  return std::to_array<TypeRun>({
      {1, 1, kLine, kComplete, 1},        {2, 2, kTriangle, kComplete, 1},
      {3, 3, kQuad, kComplete, 1},        {4, 4, kTet, kComplete, 1},
      {5, 5, kHex, kComplete, 1},         {6, 6, kPrism, kComplete, 1},
      {7, 7, kPyramid, kComplete, 1},     {8, 8, kLine, kComplete, 2},
      {9, 9, kTriangle, kComplete, 2},    {10, 10, kQuad, kComplete, 2},
      {11, 11, kTet, kComplete, 2},       {12, 12, kHex, kComplete, 2},
      {13, 13, kPrism, kComplete, 2},     {14, 14, kPyramid, kComplete, 2},
      {15, 15, kLine, kComplete, 0},  // a point: a line of order 0
      {16, 16, kQuad, kEdgesOnly, 2},     {17, 17, kHex, kEdgesOnly, 2},
      {18, 18, kPrism, kEdgesOnly, 2},    {19, 19, kPyramid, kEdgesOnly, 2},
      {20, 20, kTriangle, kEdgesOnly, 3}, {21, 21, kTriangle, kComplete, 3},
      {22, 22, kTriangle, kEdgesOnly, 4}, {23, 23, kTriangle, kComplete, 4},
      {24, 24, kTriangle, kEdgesOnly, 5}, {25, 25, kTriangle, kComplete, 5},
      {26, 28, kLine, kComplete, 3},      {29, 31, kTet, kComplete, 3},
      {32, 33, kTet, kEdgesOnly, 4},      {36, 38, kQuad, kComplete, 3},
      {39, 41, kQuad, kEdgesOnly, 3},     {42, 46, kTriangle, kComplete, 6},
      {47, 51, kQuad, kComplete, 6},      {52, 56, kTriangle, kEdgesOnly, 6},
      {57, 61, kQuad, kEdgesOnly, 6},     {62, 66, kLine, kComplete, 6},
      {71, 75, kTet, kComplete, 6},       {79, 83, kTet, kEdgesOnly, 6},
      {90, 91, kPrism, kComplete, 3},     {92, 98, kHex, kComplete, 3},
      {106, 110, kPrism, kComplete, 5},   {118, 124, kPyramid, kComplete, 3},
      {137, 137, kTet, kEdgesOnly, 3},
  });
}();

constexpr std::uint64_t complete_count(ElementShape shape, std::uint64_t p) {
  using enum ElementShape;
  switch (shape) {
    case kLine: return p + 1;
    case kTriangle: return (p + 1) * (p + 2) / 2;
    case kQuad: return (p + 1) * (p + 1);
    case kTet: return (p + 1) * (p + 2) * (p + 3) / 6;
    case kHex: return (p + 1) * (p + 1) * (p + 1);
    case kPrism: return (p + 1) * (p + 1) * (p + 2) / 2;
    case kPyramid: return (p + 1) * (p + 2) * (2 * p + 3) / 6;
  }
  return 0;
}

constexpr std::uint64_t edge_count(ElementShape shape) {
  constexpr std::array<std::uint64_t, 7> kEdges = {1, 3, 4, 6, 12, 9, 8};
  return kEdges[static_cast<std::size_t>(shape)];
}

// A count of 0 says that the type is not known.
struct ElementType {
  ElementShape shape;
  std::uint64_t count;
  std::uint64_t order;
};

constexpr ElementType element_type(std::int64_t type) {
  for (const TypeRun& run : kTypeRuns) {
    if (type < run.first_type || type > run.last_type) continue;
    const auto order = static_cast<std::uint64_t>(run.first_order + type - run.first_type);
    if (run.nodes == ElementNodes::kComplete)
      return {run.shape, complete_count(run.shape, order), order};
    const std::uint64_t corners = complete_count(run.shape, 1);
    return {run.shape, corners + edge_count(run.shape) * (order - 1), order};
  }
  return {ElementShape::kLine, 0, 0};
}

static_assert(element_type(kGmshLinearTet).count == 4);
static_assert(element_type(15).count == 1 && element_type(17).count == 20 &&
              element_type(19).count == 13);
static_assert(element_type(31).count == 56 && element_type(75).count == 286 &&
              element_type(83).count == 58);
static_assert(element_type(98).count == 1000 && element_type(110).count == 550 &&
              element_type(124).count == 385);

}  // namespace

GmshKind gmsh_kind(std::int64_t type) {
  constexpr std::array<std::string_view, 7> kNames = {
      "line", "triangle", "quadrangle", "tetrahedron", "hexahedron", "prism", "pyramid"};
  constexpr std::array<int, 7> kDimensions = {1, 2, 2, 3, 3, 3, 3};
  const ElementType found = element_type(type);
  if (found.count == 0) {
    return {"element of Gmsh type " + std::to_string(type), MeshBuilder::kUnknownDimension};
  }
  if (found.order == 0) return {"point", 0};
  const auto shape = static_cast<std::size_t>(found.shape);
  std::string name(kNames[shape]);
  if (found.order > 1) name += " of order " + std::to_string(found.order);
  return {name, kDimensions[shape]};
}

std::uint64_t gmsh_node_count(std::int64_t type) { return element_type(type).count; }

std::string GmshInput::next_section() {
  if (!text_.next_line()) return {};
  const std::string_view word = text_.word_in_line();
  if (word.size() < 2 || word.front() != '$') {
    text_.fail_expected("a section such as $MeshFormat, $Nodes or $Elements", word);
  }
  if (word.starts_with("$End")) {
    text_.fail("found " + in_quotes(word) + " outside a section of that name");
  }
  section_place_ = text_.place();
  text_.finish_line();
  return std::string(word.substr(1));
}

void GmshInput::read_format() {
  if (!text_.next_line()) text_.fail_expected("the version of the format, such as 4.1", {});
  const std::string_view version = text_.word_in_line();
  static_cast<void>(text_.to_double(version, "the version of the format, such as 4.1"));
  if (version == "2" || version.starts_with("2.")) {
    version_ = 2;
  } else if (version == "4.1") {
    version_ = 4;
  } else {
    text_.fail("Gmsh format version " + in_quotes(version) +
               " is not read: save the mesh as version 2.2 or 4.1");
  }

  const std::int64_t type = text_.to_int(text_.word_in_line(), "the file type, 0 or 1");
  if (type != 0 && type != 1) {
    text_.fail("expected the file type, 0 (ASCII) or 1 (binary), found " + std::to_string(type));
  }
  size_bytes_ = text_.to_uint(text_.word_in_line(), "the data size, 8");
  binary_ = type == 1;
  if (binary_) {
    if (size_bytes_ != 8 && !(version_ == 4 && size_bytes_ == 4)) {
      text_.fail("binary data of size " + std::to_string(size_bytes_) + " is not read: expected 8");
    }
    text_.finish_line();
    text_.locate_by_byte();
    read_byte_order();
  }
  end_section("MeshFormat");
}

void GmshInput::read_byte_order() {
  const std::int64_t one = read_int("the int 1 that tells the byte order");
  constexpr std::int64_t kOneSwapped = 0x01000000;
  if (one != 1 && one != kOneSwapped) {
    text_.fail("expected the int 1 that tells the byte order of a binary file, found " +
               std::to_string(one) + ": the file is damaged, or was copied as text");
  }
  swapped_ = one == kOneSwapped;
}

void GmshInput::skip_section(const std::string& name) {
  const std::string end = "$End" + name;
  if (binary_) {
    const std::size_t found = text_.rest().find(end);
    if (found != std::string_view::npos) {
      text_.skip(found + end.size());
      return;
    }
  } else {
    while (text_.next_line()) {
      if (text_.word_in_line() == end) return;
    }
  }
  fail_section("the section " + in_quotes("$" + name) + " has no " + in_quotes(end));
}

void GmshInput::end_section(const std::string& name) {
  const std::string end = "$End" + name;
  const std::string_view word = text_.next_line() ? text_.word_in_line() : std::string_view();
  if (word != end) text_.fail_expected(end + " after what $" + name + " declares", word);
}

void GmshInput::begin_record(std::string_view item, std::uint64_t i, std::uint64_t count) {
  if (binary_) return;
  const bool more = text_.next_line();
  if (more && text_.rest().front() != '$') return;
  const std::string what =
      std::string(item) + " " + std::to_string(i + 1) + " of " + std::to_string(count);
  text_.fail_expected(what, more ? text_.word_in_line() : std::string_view());
}

void GmshInput::end_record() {
  if (binary_) return;
  const std::string_view word = text_.word_in_line();
  if (!word.empty()) text_.fail_expected("the end of the line", word);
}

std::uint64_t GmshInput::count_line(const std::string& items, std::uint64_t text_bytes,
                                    std::uint64_t binary_bytes) {
  const std::string_view word = text_.next_line() ? text_.word_in_line() : std::string_view();
  const std::uint64_t count = text_.to_uint(word, "the number of " + items);
  check_count(count, text_bytes, binary_bytes, items);
  text_.finish_line();
  return count;
}

template <typename T>
T GmshInput::read_binary(std::string_view what) {
  const std::string_view rest = text_.rest();
  text_.skip(sizeof(T));
  if (rest.size() < sizeof(T)) text_.fail_expected(what, {});
  return number_from_bytes<T>(rest.data(), swapped_);
}

std::int64_t GmshInput::read_int(std::string_view what) {
  if (binary_) return read_binary<std::int32_t>(what);
  return text_.to_int(text_.word_in_line(), what);
}

std::uint64_t GmshInput::read_size(std::string_view what) {
  if (!binary_) return text_.to_uint(text_.word_in_line(), what);
  if (size_bytes_ == 4) return read_binary<std::uint32_t>(what);
  return read_binary<std::uint64_t>(what);
}

double GmshInput::read_double(std::string_view what) {
  if (binary_) return read_binary<double>(what);
  return text_.to_double(text_.word_in_line(), what);
}

std::uint64_t GmshInput::read_number(std::string_view what) {
  const std::int64_t number = read_int(what);
  if (number < 0) text_.fail_expected(what, std::to_string(number));
  return static_cast<std::uint64_t>(number);
}

void GmshInput::skip_items(std::uint64_t count, std::uint64_t bytes_each, std::string_view items) {
  const std::uint64_t left = text_.rest().size();
  if (count > left / bytes_each) {
    text_.fail("the file declares " + std::to_string(count) + " " + std::string(items) +
               ", but only " + std::to_string(left) +
               " bytes follow: it is cut short or the number is wrong");
  }
  text_.skip(count * bytes_each);
}

void GmshInput::check_count(std::uint64_t count, std::uint64_t text_bytes,
                            std::uint64_t binary_bytes, std::string_view items) const {
  text_.check_count(count, binary_ ? binary_bytes : text_bytes, items);
}

namespace {

// The smallest sizes of items in bytes, by which declared counts are checked. Version 2: "1 0 0 0\n"
// and a point without tags, "1 15 0 1\n". Version 4: "0 0 0 0\n", "1\n0 0 0\n", "1 1\n" (a point),
// "1 1 2\n", "1 1 2 3 4\n".
constexpr std::uint64_t kNodeText2 = 8;
constexpr std::uint64_t kElementText2 = 9;
constexpr std::uint64_t kNodeBinary2 = GmshInput::kIntBytes + 3 * GmshInput::kDoubleBytes;
constexpr std::uint64_t kElementBinary2 = 2 * GmshInput::kIntBytes;
constexpr std::uint64_t kBlockText4 = 8;
constexpr std::uint64_t kNodeText4 = 8;
constexpr std::uint64_t kElementText4 = 4;
constexpr std::uint64_t kLineText4 = 6;
constexpr std::uint64_t kTetText4 = 10;

// The header of a section in version 4.
struct GmshSectionHeader {
  std::uint64_t blocks = 0;
  std::uint64_t items = 0;
};

// The header of a block in version 4.
struct GmshBlockHeader {
  std::int64_t dimension = 0;
  std::int64_t kind = 0;  // whether nodes are parametric, or the type of elements
  std::uint64_t count = 0;
};

class GmshReader {
 public:
  GmshReader(const std::string& file, std::string_view bytes, MeshCells cells)
      : in_(file, bytes), mesh_(cells) {}

  TetMeshOfFile read_tets() {
    read_sections();
    return mesh_.finish(in_.text());
  }

  SurfaceMesh read_surface() {
    read_sections();
    return mesh_.finish_surface(in_.text());
  }

 private:
  // ---- sections

  void read_sections() {
    for (std::string name = in_.next_section(); !name.empty(); name = in_.next_section()) {
      if (!in_.has_format()) {
        read_first(name);
      } else if (read_body(name)) {
        in_.end_section(name);
      } else {
        in_.skip_section(name);
      }
    }
    if (!in_.has_format()) fail("the file has no $MeshFormat section");
    if (!has_nodes_) fail("the file has no $Nodes section");
    if (!has_elements_) fail("the file has no $Elements section");
    for (const auto& [type, skipped] : skipped_) {
      const GmshKind kind = gmsh_kind(type);
      mesh_.pass_over(skipped.place, kind.name, kind.dimension, skipped.count);
    }
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw InputError({in_.text().file(), 0, 0}, message);
  }

  // Comments and the like may come before $MeshFormat; what depends on the version may not.
  void read_first(const std::string& name) {
    if (name == "MeshFormat") return in_.read_format();
    if (name == "NOD" || name == "ELM") {
      in_.fail_section("Gmsh format version 1 is not read: save the mesh as version 2.2 or 4.1");
    }
    if (name == "Nodes" || name == "Elements") {
      in_.fail_section("found $" + name + " before $MeshFormat, with which a Gmsh file begins");
    }
    in_.skip_section(name);
  }

  // False if the section is of no use here. Nodes and elements may be spread over several.
  bool read_body(const std::string& name) {
    const bool old = in_.version() == 2;
    if (name == "Nodes") {
      old ? read_nodes2(false) : read_nodes4();
      has_nodes_ = true;
    } else if (name == "ParametricNodes" && old) {
      read_nodes2(true);
      has_nodes_ = true;
    } else if (name == "Elements") {
      old ? read_elements2() : read_elements4();
      has_elements_ = true;
    } else {
      return false;
    }
    return true;
  }

  // ---- nodes and elements of both versions

  // Whether the nodes of elements of a type are read: those of tets, or of faces, and what can be their boundary.
  [[nodiscard]] bool wanted(std::int64_t type) const {
    if (type == kGmshLinearTet) return mesh_.cells() == MeshCells::tets;
    return type == kGmshLine || type == kGmshTriangle || type == kGmshQuad;
  }

  void pass_over(std::int64_t type, std::uint64_t place, std::uint64_t count = 1) {
    Skipped& skipped = skipped_[type];
    if (skipped.count == 0) skipped.place = place;
    skipped.count += count;
  }

  std::array<double, 3> read_point() {
    const double x = in_.read_double("a node's x coordinate");
    const double y = in_.read_double("a node's y coordinate");
    const double z = in_.read_double("a node's z coordinate");
    return {x, y, z};
  }

  // The corners of an element of a wanted type.
  static std::span<std::uint64_t> used_corners(std::array<std::uint64_t, 4>& corners,
                                               std::int64_t type) {
    return {corners.data(), type == kGmshLine       ? std::size_t{2}
                            : type == kGmshTriangle ? std::size_t{3}
                                                    : std::size_t{4}};
  }

  void add_element(std::uint64_t place, std::uint64_t number, std::int64_t type,
                   std::array<std::uint64_t, 4>& corners) {
    if (type == kGmshLinearTet) {
      mesh_.add_tet(in_.text(), place, number, corners);
    } else if (type == kGmshLine || mesh_.cells() == MeshCells::tets) {
      mesh_.add_side(type == kGmshLine       ? "line"
                     : type == kGmshTriangle ? "triangle"
                                             : "quadrangle",
                     used_corners(corners, type));
    } else {
      mesh_.add_face(place, number, used_corners(corners, type));
    }
  }

  [[noreturn]] void fail_unknown_size(std::int64_t type) const {
    in_.text().fail("elements of type " + std::to_string(type) +
                    " have a size that is not known, so a binary file cannot be read past them: "
                    "save the mesh as ASCII, or without them");
  }

  // ---- version 2.2

  void read_nodes2(bool parametric) {
    const std::uint64_t count = in_.count_line("nodes", kNodeText2, kNodeBinary2);
    mesh_.reserve_vertices(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      in_.begin_record("node", i, count);
      const std::uint64_t number = in_.read_number("a node's number");
      mesh_.add_vertex(in_.text(), number, read_point());
      if (!parametric) {
        in_.end_record();
      } else if (in_.binary()) {
        const std::int64_t dimension = in_.read_int("the dimension of a node's entity");
        static_cast<void>(in_.read_int("the tag of a node's entity"));
        const std::uint64_t parameters = dimension == 1 ? 1 : dimension == 2 ? 2 : 0;
        in_.skip_items(parameters, GmshInput::kDoubleBytes, "parametric coordinates");
      }
    }
  }

  void read_elements2() {
    const std::uint64_t count = in_.count_line("elements", kElementText2, kElementBinary2);
    if (!in_.binary()) return read_text_elements2(count);
    for (std::uint64_t done = 0; done < count;) done += read_binary_block2(count - done);
  }

  void read_text_elements2(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      in_.begin_record("element", i, count);
      const std::uint64_t place = in_.text().place();
      const std::uint64_t number = in_.read_number("an element's number");
      const std::int64_t type = in_.read_int("an element's type");
      if (!wanted(type)) {
        pass_over(type, place);
        continue;
      }
      const std::uint64_t tags = in_.read_number("the number of an element's tags");
      for (std::uint64_t t = 0; t < tags; ++t) static_cast<void>(in_.read_int("an element's tag"));
      read_element_nodes2(place, number, type);
      in_.end_record();
    }
  }

  // One block of a binary file; returns how many elements it has.
  std::uint64_t read_binary_block2(std::uint64_t left) {
    const std::int64_t type = in_.read_int("the type of a block of elements");
    const std::uint64_t nodes = gmsh_node_count(type);
    if (nodes == 0) fail_unknown_size(type);
    const std::uint64_t count = in_.read_number("the number of elements in a block");
    if (count == 0 || count > left) {
      in_.text().fail("a block has " + std::to_string(count) + " elements where 1 to " +
                      std::to_string(left) + " are left of what $Elements declares");
    }
    const std::uint64_t tags = in_.read_number("the number of an element's tags");
    if (!wanted(type)) {
      pass_over(type, in_.text().place(), count);
      in_.skip_items(count, (1 + tags + nodes) * GmshInput::kIntBytes, "elements");
      return count;
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t number = in_.read_number("an element's number");
      const std::uint64_t place = in_.text().place();
      in_.skip_items(tags, GmshInput::kIntBytes, "tags of an element");
      read_element_nodes2(place, number, type);
    }
    return count;
  }

  void read_element_nodes2(std::uint64_t place, std::uint64_t number, std::int64_t type) {
    std::array<std::uint64_t, 4> corners{};
    for (std::uint64_t& corner : used_corners(corners, type)) {
      corner = in_.read_number(type == kGmshLinearTet ? "the number of a tet's node"
                                                      : "the number of an element's node");
    }
    add_element(place, number, type, corners);
  }

  // ---- version 4.1

  GmshSectionHeader read_section_header4() {
    in_.begin_record("header", 0, 1);
    GmshSectionHeader header;
    header.blocks = in_.read_size("the number of blocks");
    header.items = in_.read_size("the number of nodes or elements in all blocks");
    static_cast<void>(in_.read_size("the lowest tag"));
    static_cast<void>(in_.read_size("the highest tag"));
    in_.end_record();
    const std::uint64_t block_bytes = 3 * GmshInput::kIntBytes + in_.size_bytes();
    in_.check_count(header.blocks, kBlockText4, block_bytes, "blocks");
    return header;
  }

  GmshBlockHeader read_block_header4(std::string_view kind) {
    GmshBlockHeader header;
    header.dimension = in_.read_int("the dimension of a block's entity");
    static_cast<void>(in_.read_int("the tag of a block's entity"));
    header.kind = in_.read_int(kind);
    header.count = in_.read_size("the number of nodes or elements in a block");
    in_.end_record();
    return header;
  }

  void check_total4(std::uint64_t found, std::uint64_t declared, std::string_view items) const {
    if (found == declared) return;
    in_.text().fail("the blocks hold " + std::to_string(found) + " " + std::string(items) +
                    ", but the section declares " + std::to_string(declared));
  }

  void read_nodes4() {
    const GmshSectionHeader header = read_section_header4();
    const std::uint64_t node_bytes = in_.size_bytes() + 3 * GmshInput::kDoubleBytes;
    in_.check_count(header.items, kNodeText4, node_bytes, "nodes");
    mesh_.reserve_vertices(header.items);
    std::vector<std::uint64_t> tags;
    std::uint64_t found = 0;
    for (std::uint64_t b = 0; b < header.blocks; ++b) {
      in_.begin_record("block of nodes", b, header.blocks);
      const GmshBlockHeader block = read_block_header4("0 or 1 (parametric)");
      in_.check_count(block.count, kNodeText4, node_bytes, "nodes in a block");
      read_node_block4(block, tags);
      found += block.count;
    }
    check_total4(found, header.items, "nodes");
  }

  void read_node_block4(const GmshBlockHeader& block, std::vector<std::uint64_t>& tags) {
    tags.resize(block.count);
    for (std::uint64_t i = 0; i < block.count; ++i) {
      in_.begin_record("node tag", i, block.count);
      tags[i] = in_.read_size("a node's tag");
      in_.end_record();
    }
    const bool parametric = block.kind != 0;
    const auto parameters =
        parametric ? static_cast<std::uint64_t>(std::clamp<std::int64_t>(block.dimension, 0, 3))
                   : 0;
    for (std::uint64_t i = 0; i < block.count; ++i) {
      in_.begin_record("node", i, block.count);
      mesh_.add_vertex(in_.text(), tags[i], read_point());
      if (in_.binary()) {
        in_.skip_items(parameters, GmshInput::kDoubleBytes, "parametric coordinates");
      } else if (!parametric) {
        in_.end_record();
      }
    }
  }

  void read_elements4() {
    const GmshSectionHeader header = read_section_header4();
    in_.check_count(header.items, kElementText4, 2 * in_.size_bytes(), "elements");
    std::uint64_t found = 0;
    for (std::uint64_t b = 0; b < header.blocks; ++b) {
      in_.begin_record("block of elements", b, header.blocks);
      const GmshBlockHeader block = read_block_header4("the type of a block's elements");
      if (wanted(block.kind)) {
        read_element_block4(block);
      } else {
        if (block.count > 0) pass_over(block.kind, in_.text().place(), block.count);
        skip_element_block4(block);
      }
      found += block.count;
    }
    check_total4(found, header.items, "elements");
  }

  void read_element_block4(const GmshBlockHeader& block) {
    const bool tets = block.kind == kGmshLinearTet;
    std::array<std::uint64_t, 4> corners{};
    const std::span<std::uint64_t> used = used_corners(corners, block.kind);
    in_.check_count(block.count, tets ? kTetText4 : kLineText4,
                    (1 + used.size()) * in_.size_bytes(), "elements in a block");
    for (std::uint64_t i = 0; i < block.count; ++i) {
      in_.begin_record("element", i, block.count);
      const std::uint64_t number = in_.read_size("an element's tag");
      const std::uint64_t place = in_.text().place();
      for (std::uint64_t& corner : used) {
        corner = in_.read_size(tets ? "the tag of a tet's node" : "the tag of an element's node");
      }
      in_.end_record();
      add_element(place, number, block.kind, corners);
    }
  }

  void skip_element_block4(const GmshBlockHeader& block) {
    if (!in_.binary()) {
      for (std::uint64_t i = 0; i < block.count; ++i) in_.begin_record("element", i, block.count);
      return;
    }
    const std::uint64_t nodes = gmsh_node_count(block.kind);
    if (nodes == 0 && block.count > 0) fail_unknown_size(block.kind);
    in_.skip_items(block.count, (1 + nodes) * in_.size_bytes(), "elements");
  }

  GmshInput in_;
  MeshBuilder mesh_;
  struct Skipped {
    std::uint64_t count = 0;
    std::uint64_t place = 0;  // of the first
  };
  std::map<std::int64_t, Skipped> skipped_;  // by type
  bool has_nodes_ = false;
  bool has_elements_ = false;
};

}  // namespace

TetMeshOfFile read_gmsh(const std::string& file, std::string_view bytes) {
  return GmshReader(file, bytes, MeshCells::tets).read_tets();
}

SurfaceMesh read_gmsh_surface(const std::string& file, std::string_view bytes) {
  return GmshReader(file, bytes, MeshCells::faces).read_surface();
}

}  // namespace lilyan
