// Nodes and elements of Gmsh files, version 2.2.
//
// Layout: Gmsh reference manual, "MSH file format version 2 (Legacy)". In both forms the number of
// nodes or elements is a line of text. Then
//   $Nodes     number x y z
//   $Elements  ASCII: number type tag-count tags nodes
//              binary: blocks of a header "type element-count tag-count" and, for each element,
//              "number tags nodes"
// where all but the coordinates are ints. $ParametricNodes is not in the manual; Gmsh writes it as
//   number x y z dimension entity [u, on a curve] [u v, on a surface]
#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "app/files/gmsh_elements.hpp"
#include "app/files/gmsh_sections.hpp"

namespace lilyan {
namespace {

// "1 0 0 0\n" and "1 4 0 1 2 3 4\n"; the shortest element is a point without tags, "1 15 0 1\n".
constexpr std::uint64_t kNodeText = 8;
constexpr std::uint64_t kElementText = 9;
constexpr std::uint64_t kNodeBinary = GmshInput::kIntBytes + 3 * GmshInput::kDoubleBytes;
constexpr std::uint64_t kElementBinary = 2 * GmshInput::kIntBytes;

void read_node(GmshInput& in, MeshBuilder& mesh) {
  const std::uint64_t number = in.read_number("a node's number");
  const double x = in.read_double("a node's x coordinate");
  const double y = in.read_double("a node's y coordinate");
  const double z = in.read_double("a node's z coordinate");
  mesh.add_vertex(in.text(), number, {x, y, z});
}

std::uint64_t node_count(GmshInput& in, MeshBuilder& mesh) {
  const std::uint64_t count = in.count_line("nodes", kNodeText, kNodeBinary);
  mesh.reserve_vertices(count);
  return count;
}

void read_element_nodes(GmshInput& in, MeshBuilder& mesh, std::uint64_t place, std::uint64_t number,
                        std::int64_t type) {
  std::array<std::uint64_t, 4> corners{};
  const std::span<std::uint64_t> used(corners.data(), type == kGmshTriangle ? 3 : 4);
  for (std::uint64_t& corner : used) {
    corner = in.read_number(type == kGmshLinearTet ? "the number of a tet's node"
                                                   : "the number of a face's node");
  }
  if (type == kGmshLinearTet) {
    mesh.add_tet(in.text(), place, number, corners);
  } else {
    mesh.add_face(place, number, used);
  }
}

void read_text_elements(GmshInput& in, std::uint64_t count, MeshBuilder& mesh,
                        GmshSkipped& skipped) {
  for (std::uint64_t i = 0; i < count; ++i) {
    in.begin_record("element", i, count);
    const std::uint64_t place = in.text().place();
    const std::uint64_t number = in.read_number("an element's number");
    const std::int64_t type = in.read_int("an element's type");
    if (!gmsh_wanted(mesh, type)) {
      ++skipped[type];
      continue;
    }
    const std::uint64_t tags = in.read_number("the number of an element's tags");
    for (std::uint64_t t = 0; t < tags; ++t) static_cast<void>(in.read_int("an element's tag"));
    read_element_nodes(in, mesh, place, number, type);
    in.end_record();
  }
}

// One block of a binary file; returns how many elements it has.
std::uint64_t read_binary_block(GmshInput& in, std::uint64_t left, MeshBuilder& mesh,
                                GmshSkipped& skipped) {
  const std::int64_t type = in.read_int("the type of a block of elements");
  const std::uint64_t nodes = gmsh_node_count(type);
  if (nodes == 0) {
    in.text().fail("elements of type " + std::to_string(type) +
                   " have a size that is not known, so a binary file cannot be read past them: "
                   "save the mesh as ASCII, or without them");
  }
  const std::uint64_t count = in.read_number("the number of elements in a block");
  if (count == 0 || count > left) {
    in.text().fail("a block has " + std::to_string(count) + " elements where 1 to " +
                   std::to_string(left) + " are left of what $Elements declares");
  }
  const std::uint64_t tags = in.read_number("the number of an element's tags");
  const std::uint64_t element_bytes = (1 + tags + nodes) * GmshInput::kIntBytes;
  if (!gmsh_wanted(mesh, type)) {
    in.skip_items(count, element_bytes, "elements");
    skipped[type] += count;
    return count;
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t number = in.read_number("an element's number");
    const std::uint64_t place = in.text().place();
    in.skip_items(tags, GmshInput::kIntBytes, "tags of an element");
    read_element_nodes(in, mesh, place, number, type);
  }
  return count;
}

}  // namespace

void read_gmsh2_nodes(GmshInput& in, MeshBuilder& mesh) {
  const std::uint64_t count = node_count(in, mesh);
  for (std::uint64_t i = 0; i < count; ++i) {
    in.begin_record("node", i, count);
    read_node(in, mesh);
    in.end_record();
  }
}

void read_gmsh2_parametric_nodes(GmshInput& in, MeshBuilder& mesh) {
  const std::uint64_t count = node_count(in, mesh);
  for (std::uint64_t i = 0; i < count; ++i) {
    in.begin_record("node", i, count);
    read_node(in, mesh);
    if (!in.binary()) continue;
    const std::int64_t dimension = in.read_int("the dimension of a node's entity");
    static_cast<void>(in.read_int("the tag of a node's entity"));
    const std::uint64_t parameters = dimension == 1 ? 1 : dimension == 2 ? 2 : 0;
    in.skip_items(parameters, GmshInput::kDoubleBytes, "parametric coordinates");
  }
}

void read_gmsh2_elements(GmshInput& in, MeshBuilder& mesh, GmshSkipped& skipped) {
  const std::uint64_t count = in.count_line("elements", kElementText, kElementBinary);
  if (!in.binary()) return read_text_elements(in, count, mesh, skipped);
  for (std::uint64_t done = 0; done < count;) {
    done += read_binary_block(in, count - done, mesh, skipped);
  }
}

}  // namespace lilyan
