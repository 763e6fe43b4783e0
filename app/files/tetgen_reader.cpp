// TetGen meshes: a .node file of points and an .ele file of tetrahedra.
//
// Layout: H. Si, "TetGen: a quality tetrahedral mesh generator", user's manual 1.5 (WIAS 2013),
// sections 5.2.1 and 5.2.4. Each file has a header line and then one row a line:
//   .node  count dimension attributes markers;    number x y z [attributes] [marker]
//   .ele   count nodes-per-tet region-attribute;  number n1 n2 n3 n4 [attribute]
// Numbers run on from that of the first point, which is 0 or 1. '#' begins a comment.
#include "app/files/mesh_readers.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

#include "app/files/file.hpp"
#include "app/files/mesh_builder.hpp"
#include "app/files/scanner.hpp"
#include "lilyan/base/error.hpp"

namespace lilyan {
namespace {

struct Header {
  std::uint64_t count = 0;
  // The number that follows the count: the dimension, or the nodes of a tet.
  std::uint64_t width = 0;
};

Header read_header(TextScanner& scanner, std::string_view count_name, std::string_view width_name,
                   std::uint64_t default_width) {
  scanner.next_line();
  Header header;
  header.count = scanner.to_uint(scanner.word_in_line(), count_name);
  const std::string_view width = scanner.word_in_line();
  header.width = width.empty() ? default_width : scanner.to_uint(width, width_name);
  // How many attributes and markers follow does not matter: rows are read up to what is needed.
  return header;
}

// To row i of a file of count rows. items names them in an error: "points", "tets".
void next_row(TextScanner& scanner, std::uint64_t i, std::uint64_t count, std::string_view items) {
  if (scanner.next_line()) return;
  scanner.fail("the file ends after " + std::to_string(i) + " of " + std::to_string(count) + " " +
               std::string(items));
}

void expect_end(TextScanner& scanner, std::uint64_t count, std::string_view items) {
  if (!scanner.next_line()) return;
  scanner.fail("expected the end of the file after " + std::to_string(count) + " " +
               std::string(items) + ", found " + in_quotes(scanner.word_in_line()));
}

void read_points(TextScanner& scanner, MeshBuilder& builder) {
  const Header header = read_header(scanner, "the number of points", "the points' dimension, 3", 3);
  if (header.count == 0) {
    scanner.fail("the file has 0 points: points in a .poly or .smesh file are not read");
  }
  if (header.width != 3) {
    scanner.fail("the points have dimension " + std::to_string(header.width) +
                 ": only dimension 3 is read");
  }
  constexpr std::uint64_t kShortestRow = 8;  // "0 0 0 0\n"
  scanner.check_count(header.count, kShortestRow, "points");
  builder.reserve_vertices(header.count);

  std::uint64_t first = 0;
  for (std::uint64_t i = 0; i < header.count; ++i) {
    next_row(scanner, i, header.count, "points");
    const std::uint64_t number = scanner.to_uint(scanner.word_in_line(), "a point's number");
    if (i == 0) first = number;
    if (first > 1) {
      scanner.fail("the first point has the number " + std::to_string(first) +
                   ": numbers start at 0 or 1");
    }
    if (number != first + i) {
      scanner.fail("expected point " + std::to_string(first + i) + ", found point " +
                   std::to_string(number) + ": points are numbered without gaps");
    }
    const double x = scanner.to_double(scanner.word_in_line(), "a point's x coordinate");
    const double y = scanner.to_double(scanner.word_in_line(), "a point's y coordinate");
    const double z = scanner.to_double(scanner.word_in_line(), "a point's z coordinate");
    builder.add_vertex(scanner, number, {x, y, z});
  }
  expect_end(scanner, header.count, "points");
}

void read_tets(TextScanner& scanner, MeshBuilder& builder) {
  const Header header =
      read_header(scanner, "the number of tets", "the number of nodes in a tet, 4", 4);
  if (header.width == 10) {
    scanner.fail(
        "the tets are quadratic (10 nodes), and only linear tets (4 nodes) are read: run TetGen "
        "without -o2");
  }
  if (header.width != 4) {
    scanner.fail("the tets have " + std::to_string(header.width) +
                 " nodes: only linear tets (4 nodes) are read");
  }
  constexpr std::uint64_t kShortestRow = 10;  // "0 0 1 2 3\n"
  scanner.check_count(header.count, kShortestRow, "tets");
  builder.reserve_tets(header.count);

  for (std::uint64_t i = 0; i < header.count; ++i) {
    next_row(scanner, i, header.count, "tets");
    const std::uint64_t number = scanner.to_uint(scanner.word_in_line(), "a tet's number");
    std::array<std::uint64_t, 4> corners{};
    for (std::uint64_t& corner : corners) {
      corner = scanner.to_uint(scanner.word_in_line(), "the number of a tet's point");
    }
    builder.add_tet(scanner, scanner.place(), number, corners);
  }
  expect_end(scanner, header.count, "tets");
}

struct Pair {
  std::filesystem::path node;
  std::filesystem::path ele;
};

// An extension in upper case has a partner in upper case.
Pair pair_of(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  const bool upper = extension == ".NODE" || extension == ".ELE";
  Pair pair{path, path};
  if (extension.size() == std::string_view(".node").size()) {
    pair.ele.replace_extension(upper ? ".ELE" : ".ele");
  } else {
    pair.node.replace_extension(upper ? ".NODE" : ".node");
  }
  return pair;
}

}  // namespace

TetMeshOfFile read_tetgen(const std::filesystem::path& path) {
  const Pair pair = pair_of(path);
  const std::filesystem::path& partner = pair.node == path ? pair.ele : pair.node;
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    throw InputError({path.string(), 0, 0}, "no such file");
  if (!std::filesystem::exists(partner, error)) {
    throw InputError({path.string(), 0, 0},
                     "a TetGen mesh is a .node and an .ele file side by side, and '" +
                         partner.filename().string() + "' is missing");
  }
  const std::string node_bytes = read_file(pair.node);
  const std::string ele_bytes = read_file(pair.ele);
  return read_tetgen({pair.node.string(), node_bytes}, {pair.ele.string(), ele_bytes});
}

TetMeshOfFile read_tetgen(const TetgenFile& node, const TetgenFile& ele) {
  TextScanner nodes(node.name, node.bytes, '#');
  TextScanner tets(ele.name, ele.bytes, '#');
  MeshBuilder builder;
  read_points(nodes, builder);
  read_tets(tets, builder);
  return builder.finish(tets);
}

}  // namespace lilyan
