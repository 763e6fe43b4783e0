// Nodes and elements of Gmsh files, version 4.1.
//
// Layout: Gmsh reference manual, "MSH file format". ASCII and binary hold the same numbers in the
// same order; here a line of the ASCII form is a line:
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
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/files/gmsh_elements.hpp"
#include "app/files/gmsh_sections.hpp"

namespace lilyan {
namespace {

// The shortest items: "0 0 0 0\n", "1\n0 0 0\n", "1 1\n" (a point), "1 1 2 3\n", "1 1 2 3 4\n".
constexpr std::uint64_t kBlockText = 8;
constexpr std::uint64_t kNodeText = 8;
constexpr std::uint64_t kElementText = 4;
constexpr std::uint64_t kTriangleText = 8;
constexpr std::uint64_t kTetText = 10;

struct SectionHeader {
  std::uint64_t blocks = 0;
  std::uint64_t items = 0;
};

struct BlockHeader {
  std::int64_t dimension = 0;
  // Whether nodes are parametric, or the type of elements.
  std::int64_t kind = 0;
  std::uint64_t count = 0;
};

std::uint64_t block_bytes(const GmshInput& in) {
  return 3 * GmshInput::kIntBytes + in.size_bytes();
}

SectionHeader read_section_header(GmshInput& in) {
  in.begin_record("header", 0, 1);
  SectionHeader header;
  header.blocks = in.read_size("the number of blocks");
  header.items = in.read_size("the number of nodes or elements in all blocks");
  static_cast<void>(in.read_size("the lowest tag"));
  static_cast<void>(in.read_size("the highest tag"));
  in.end_record();
  in.check_count(header.blocks, kBlockText, block_bytes(in), "blocks");
  return header;
}

BlockHeader read_block_header(GmshInput& in, std::string_view kind) {
  BlockHeader header;
  header.dimension = in.read_int("the dimension of a block's entity");
  static_cast<void>(in.read_int("the tag of a block's entity"));
  header.kind = in.read_int(kind);
  header.count = in.read_size("the number of nodes or elements in a block");
  in.end_record();
  return header;
}

void check_total(const GmshInput& in, std::uint64_t found, std::uint64_t declared,
                 std::string_view items) {
  if (found == declared) return;
  in.text().fail("the blocks hold " + std::to_string(found) + " " + std::string(items) +
                 ", but the section declares " + std::to_string(declared));
}

void read_node_block(GmshInput& in, const BlockHeader& block, std::vector<std::uint64_t>& tags,
                     MeshBuilder& mesh) {
  const bool parametric = block.kind != 0;
  const std::uint64_t node_bytes = in.size_bytes() + 3 * GmshInput::kDoubleBytes;
  in.check_count(block.count, kNodeText, node_bytes, "nodes in a block");
  tags.resize(block.count);
  for (std::uint64_t i = 0; i < block.count; ++i) {
    in.begin_record("node tag", i, block.count);
    tags[i] = in.read_size("a node's tag");
    in.end_record();
  }
  const auto parameters =
      parametric ? static_cast<std::uint64_t>(std::clamp<std::int64_t>(block.dimension, 0, 3)) : 0;
  for (std::uint64_t i = 0; i < block.count; ++i) {
    in.begin_record("node", i, block.count);
    const double x = in.read_double("a node's x coordinate");
    const double y = in.read_double("a node's y coordinate");
    const double z = in.read_double("a node's z coordinate");
    mesh.add_vertex(in.text(), tags[i], {x, y, z});
    if (in.binary()) {
      in.skip_items(parameters, GmshInput::kDoubleBytes, "parametric coordinates");
    } else if (!parametric) {
      in.end_record();
    }
  }
}

void read_wanted_block(GmshInput& in, const BlockHeader& block, MeshBuilder& mesh) {
  const bool tets = block.kind == kGmshLinearTet;
  std::array<std::uint64_t, 4> corners{};
  const std::span<std::uint64_t> used(corners.data(), block.kind == kGmshTriangle ? 3 : 4);
  in.check_count(block.count, tets ? kTetText : kTriangleText, (1 + used.size()) * in.size_bytes(),
                 "elements in a block");
  for (std::uint64_t i = 0; i < block.count; ++i) {
    in.begin_record("element", i, block.count);
    const std::uint64_t number = in.read_size("an element's tag");
    const std::uint64_t place = in.text().place();
    for (std::uint64_t& corner : used) {
      corner = in.read_size(tets ? "the tag of a tet's node" : "the tag of a face's node");
    }
    in.end_record();
    if (tets) {
      mesh.add_tet(in.text(), place, number, corners);
    } else {
      mesh.add_face(place, number, used);
    }
  }
}

void skip_element_block(GmshInput& in, const BlockHeader& block) {
  if (!in.binary()) {
    for (std::uint64_t i = 0; i < block.count; ++i) in.begin_record("element", i, block.count);
    return;
  }
  const std::uint64_t nodes = gmsh_node_count(block.kind);
  if (nodes == 0 && block.count > 0) {
    in.text().fail("elements of type " + std::to_string(block.kind) +
                   " have a size that is not known, so a binary file cannot be read past them: "
                   "save the mesh as ASCII, or without them");
  }
  in.skip_items(block.count, (1 + nodes) * in.size_bytes(), "elements");
}

}  // namespace

void read_gmsh4_nodes(GmshInput& in, MeshBuilder& mesh) {
  const SectionHeader header = read_section_header(in);
  in.check_count(header.items, kNodeText, in.size_bytes() + 3 * GmshInput::kDoubleBytes, "nodes");
  mesh.reserve_vertices(header.items);
  std::vector<std::uint64_t> tags;
  std::uint64_t found = 0;
  for (std::uint64_t b = 0; b < header.blocks; ++b) {
    in.begin_record("block of nodes", b, header.blocks);
    const BlockHeader block = read_block_header(in, "0 or 1 (parametric)");
    read_node_block(in, block, tags, mesh);
    found += block.count;
  }
  check_total(in, found, header.items, "nodes");
}

void read_gmsh4_elements(GmshInput& in, MeshBuilder& mesh, GmshSkipped& skipped) {
  const SectionHeader header = read_section_header(in);
  in.check_count(header.items, kElementText, 2 * in.size_bytes(), "elements");
  std::uint64_t found = 0;
  for (std::uint64_t b = 0; b < header.blocks; ++b) {
    in.begin_record("block of elements", b, header.blocks);
    const BlockHeader block = read_block_header(in, "the type of a block's elements");
    if (gmsh_wanted(mesh, block.kind)) {
      read_wanted_block(in, block, mesh);
    } else {
      skip_element_block(in, block);
      skipped[block.kind] += block.count;
    }
    found += block.count;
  }
  check_total(in, found, header.items, "elements");
}

}  // namespace lilyan
