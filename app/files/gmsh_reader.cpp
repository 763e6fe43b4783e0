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
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/files/gmsh_input.hpp"
#include "app/files/mesh_builder.hpp"
#include "app/files/mesh_readers.hpp"
#include "lilyan/core/error.hpp"

namespace lilyan {
namespace {

// The smallest sizes of items in bytes, by which declared counts are checked. Version 2: "1 0 0 0\n"
// and a point without tags, "1 15 0 1\n". Version 4: "0 0 0 0\n", "1\n0 0 0\n", "1 1\n" (a point),
// "1 1 2 3\n", "1 1 2 3 4\n".
constexpr std::uint64_t kNodeText2 = 8;
constexpr std::uint64_t kElementText2 = 9;
constexpr std::uint64_t kNodeBinary2 = GmshInput::kIntBytes + 3 * GmshInput::kDoubleBytes;
constexpr std::uint64_t kElementBinary2 = 2 * GmshInput::kIntBytes;
constexpr std::uint64_t kBlockText4 = 8;
constexpr std::uint64_t kNodeText4 = 8;
constexpr std::uint64_t kElementText4 = 4;
constexpr std::uint64_t kTriangleText4 = 8;
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

  TetMesh read_tets() {
    read_sections();
    if (mesh_.tet_count() == 0) fail(without_tets());
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
  }

  [[noreturn]] void fail(const std::string& complaint) const {
    throw InputError({in_.text().file(), 0, 0}, complaint);
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

  // A mesh without tets is mostly one of a surface, or one of higher order: say which.
  std::string without_tets() const {
    std::uint64_t curved = 0;
    std::uint64_t others = 0;
    for (const auto& [type, count] : skipped_) {
      (is_gmsh_curved_tet(type) ? curved : others) += count;
    }
    if (curved > 0) {
      return "the mesh has " + std::to_string(curved) +
             " tetrahedra of order 2 or more (such as Gmsh type 11), and only linear tets (type "
             "4) are read: save it with element order 1";
    }
    return "the mesh has no tetrahedra (Gmsh type 4), but " + std::to_string(others) +
           " elements of other types: was it meshed in 3D, and were volumes saved?";
  }

  // ---- nodes and elements of both versions

  // Whether elements of a type go into the mesh: linear tets, or triangles and quads of a surface.
  [[nodiscard]] bool wanted(std::int64_t type) const {
    if (mesh_.cells() == MeshCells::tets) return type == kGmshLinearTet;
    return type == kGmshTriangle || type == kGmshQuad;
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
    return {corners.data(), type == kGmshTriangle ? std::size_t{3} : std::size_t{4}};
  }

  void add_element(std::uint64_t place, std::uint64_t number, std::int64_t type,
                   std::array<std::uint64_t, 4>& corners) {
    if (type == kGmshLinearTet) {
      mesh_.add_tet(in_.text(), place, number, corners);
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
        ++skipped_[type];
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
      in_.skip_items(count, (1 + tags + nodes) * GmshInput::kIntBytes, "elements");
      skipped_[type] += count;
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
                                                      : "the number of a face's node");
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
        skip_element_block4(block);
        skipped_[block.kind] += block.count;
      }
      found += block.count;
    }
    check_total4(found, header.items, "elements");
  }

  void read_element_block4(const GmshBlockHeader& block) {
    const bool tets = block.kind == kGmshLinearTet;
    std::array<std::uint64_t, 4> corners{};
    const std::span<std::uint64_t> used = used_corners(corners, block.kind);
    in_.check_count(block.count, tets ? kTetText4 : kTriangleText4,
                    (1 + used.size()) * in_.size_bytes(), "elements in a block");
    for (std::uint64_t i = 0; i < block.count; ++i) {
      in_.begin_record("element", i, block.count);
      const std::uint64_t number = in_.read_size("an element's tag");
      const std::uint64_t place = in_.text().place();
      for (std::uint64_t& corner : used) {
        corner = in_.read_size(tets ? "the tag of a tet's node" : "the tag of a face's node");
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
  std::map<std::int64_t, std::uint64_t> skipped_;  // how many elements were passed over, by type
  bool has_nodes_ = false;
  bool has_elements_ = false;
};

}  // namespace

TetMesh read_gmsh(const std::string& file, std::string_view bytes) {
  return GmshReader(file, bytes, MeshCells::tets).read_tets();
}

SurfaceMesh read_gmsh_surface(const std::string& file, std::string_view bytes) {
  return GmshReader(file, bytes, MeshCells::faces).read_surface();
}

}  // namespace lilyan
