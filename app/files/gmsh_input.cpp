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
#include "app/files/gmsh_input.hpp"

#include <array>

namespace lilyan {
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

bool is_gmsh_curved_tet(std::int64_t type) {
  const ElementType found = element_type(type);
  return found.shape == ElementShape::kTet && found.order > 1;
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

}  // namespace lilyan
