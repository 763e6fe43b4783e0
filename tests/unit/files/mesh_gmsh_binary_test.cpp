// Gmsh binary meshes of both byte orders, written by code: the variants that are read, and what is
// said about files that are not.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "app/files/mesh.hpp"
#include "lilyan/base/error.hpp"
#include "support/mesh_text.hpp"

namespace lilyan::mesh_gmsh_binary_test {
namespace {

using test::expect_two_tets;

TetMesh read(const std::string& bytes) { return test::mesh_of(bytes, ".msh"); }

std::string error_of(const std::string& bytes) { return test::mesh_error(bytes, ".msh"); }

void expect_error(const std::string& bytes, const std::vector<std::string>& parts) {
  test::expect_says(error_of(bytes), "", parts);
}

struct Node {
  std::uint64_t tag;
  std::array<double, 3> point;
};

// How a file is written, and what is wrong with it.
struct Variant {
  bool swapped = false;
  std::uint64_t size_bytes = 8;
  bool parametric = false;
  std::int32_t one = 1;
  std::uint64_t extra_nodes = 0;
  std::uint64_t extra_tets = 0;
  std::int32_t other_type = 9;
  std::uint64_t other_nodes = 6;
  std::uint64_t other_count = 2;
  std::uint64_t last_corner = 5;
  std::vector<Node> nodes = {{10, {0, 0, 0}},  {20, {1, 0, 0}}, {30, {0, 1, 0}},
                             {999, {9, 9, 9}}, {40, {0, 0, 1}}, {5, {1, 1, 1}}};
};

class Writer {
 public:
  explicit Writer(const Variant& variant) : v_(variant) {}

  Writer& text(const std::string& text) {
    bytes_ += text;
    return *this;
  }
  Writer& ints(const std::vector<std::int32_t>& values) {
    for (const std::int32_t value : values) put(value);
    return *this;
  }
  Writer& sizes(const std::vector<std::uint64_t>& values) {
    for (const std::uint64_t value : values) {
      v_.size_bytes == 4 ? put(static_cast<std::uint32_t>(value)) : put(value);
    }
    return *this;
  }
  Writer& doubles(const std::vector<double>& values) {
    for (const double value : values) put(value);
    return *this;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  template <typename T>
  void put(T value) {
    auto raw = std::bit_cast<std::array<char, sizeof(T)>>(value);
    if (v_.swapped) std::ranges::reverse(raw);
    bytes_.append(raw.data(), raw.size());
  }

  const Variant& v_;
  std::string bytes_;
};

// What looks like a section's end or a line's inside binary data must not disturb.
const std::string kTrap = "\n$Nodes\n$EndNodes\n\r\n";

std::string version2(const Variant& v) {
  Writer w(v);
  w.text("$MeshFormat\n2.2 1 8\n").ints({v.one}).text("\n$EndMeshFormat\n");
  w.text("$PhysicalNames\n1\n3 1 \"body\"\n" + kTrap + "$EndPhysicalNames\n");
  const std::string nodes = v.parametric ? "ParametricNodes\n" : "Nodes\n";
  w.text("$" + nodes + std::to_string(v.nodes.size() + v.extra_nodes) + "\n");
  for (std::size_t i = 0; i < v.nodes.size(); ++i) {
    const auto& [tag, p] = v.nodes[i];
    w.ints({static_cast<std::int32_t>(tag)}).doubles({p[0], p[1], p[2]});
    if (!v.parametric) continue;
    const auto dimension = static_cast<std::int32_t>(i % 4);
    w.ints({dimension, 1}).doubles(std::vector<double>(dimension == 3 ? 0 : i % 4, 0.5));
  }
  w.text("\n$End" + nodes + "$Elements\n" + std::to_string(5 + v.extra_tets) + "\n");
  w.ints({15, 1, 2, 1, 0, 1, 10});
  w.ints({v.other_type, static_cast<std::int32_t>(v.other_count), 1});
  for (std::uint64_t i = 0; i < 2 * (2 + v.other_nodes); ++i) w.ints({0x646e4524});  // "$End"
  w.ints({4, 1, 2, 7, 0, 1, 10, 20, 30, 40});
  w.ints({4, 1, 0, 8, 20, 30, 40, static_cast<std::int32_t>(v.last_corner)});
  return w.text("\n$EndElements\n").bytes();
}

std::string version4(const Variant& v) {
  Writer w(v);
  w.text("$MeshFormat\n4.1 1 " + std::to_string(v.size_bytes) + "\n");
  w.ints({v.one}).text("\n$EndMeshFormat\n");
  w.text("$Entities\n").sizes({0, 0, 0, 1}).text(kTrap).text("\n$EndEntities\n");
  w.text("$Nodes\n").sizes({v.nodes.size() + 1, v.nodes.size() + v.extra_nodes, 5, 999});
  w.ints({3, 7, 0}).sizes({0});
  for (std::size_t i = 0; i < v.nodes.size(); ++i) {
    const auto& [tag, p] = v.nodes[i];
    w.ints({static_cast<std::int32_t>(i % 4), 1, v.parametric}).sizes({1, tag});
    w.doubles({p[0], p[1], p[2]}).doubles(std::vector<double>(v.parametric ? i % 4 : 0, 0.5));
  }
  w.text("\n$EndNodes\n$Elements\n").sizes({3, 5 + v.extra_tets, 1, 8});
  w.ints({0, 1, 15}).sizes({1, 1, 10});
  w.ints({3, 1, v.other_type}).sizes({v.other_count});
  w.sizes(std::vector<std::uint64_t>(2 * (1 + v.other_nodes), 0x646e4524));
  w.ints({3, 1, 4}).sizes({2 + v.extra_tets, 7, 10, 20, 30, 40});
  w.sizes({8, 20, 30, 40, v.last_corner});
  return w.text("\n$EndElements\n").bytes();
}

TEST(MeshGmshBinary, ReadsBothVersionsAndByteOrders) {
  for (const bool swapped : {false, true}) {
    for (const bool parametric : {false, true}) {
      SCOPED_TRACE(std::string(swapped ? "swapped" : "native") + (parametric ? ", uvw" : ""));
      Variant v;
      v.swapped = swapped;
      v.parametric = parametric;
      expect_two_tets(read(version2(v)));
      expect_two_tets(read(version4(v)));
      v.size_bytes = 4;
      expect_two_tets(read(version4(v)));
    }
  }
}

TEST(MeshGmshBinary, ReadsLargeTags) {
  Variant v;
  v.last_corner = v.nodes.back().tag = std::numeric_limits<std::uint64_t>::max();
  expect_two_tets(read(version4(v)));
}

Variant with_other(std::int32_t type, std::int32_t nodes) {
  Variant v;
  v.other_type = type;
  v.other_nodes = static_cast<std::uint64_t>(nodes);
  return v;
}

TEST(MeshGmshBinary, PassesOverElementsOfEverySize) {
  const std::vector<std::array<std::int32_t, 2>> types = {
      {1, 2},  {2, 3},  {3, 4},   {8, 3},   {9, 6},   {10, 9},   {15, 1},
      {16, 8}, {20, 9}, {21, 10}, {22, 12}, {23, 15}, {24, 15},  {25, 21},
      {26, 4}, {28, 6}, {38, 36}, {41, 20}, {45, 55}, {50, 100}, {65, 10}};
  for (const auto& [type, nodes] : types) {
    SCOPED_TRACE(type);
    const Variant v = with_other(type, nodes);
    expect_two_tets(read(version2(v)));
    expect_two_tets(read(version4(v)));
  }
}

// The tets behind them are counted, so they were passed over as far as they go.
TEST(MeshGmshBinary, RefusesOtherSolidsOfEverySize) {
  struct Solid {
    std::int32_t type;
    std::int32_t nodes;
    const char* name;
  };
  for (const auto& [type, nodes, name] : std::vector<Solid>{{5, 8, "2 hexahedra "},
                                                            {6, 6, "2 prisms "},
                                                            {7, 5, "2 pyramids "},
                                                            {11, 10, "2 tetrahedra of order 2 "},
                                                            {12, 27, "2 hexahedra of order 2 "},
                                                            {13, 18, "2 prisms of order 2 "},
                                                            {14, 14, "2 pyramids of order 2 "},
                                                            {17, 20, "2 hexahedra of order 2 "},
                                                            {18, 15, "2 prisms of order 2 "},
                                                            {19, 13, "2 pyramids of order 2 "},
                                                            {29, 20, "2 tetrahedra of order 3 "},
                                                            {30, 35, "2 tetrahedra of order 4 "},
                                                            {31, 56, "2 tetrahedra of order 5 "},
                                                            {74, 220, "2 tetrahedra of order 9 "},
                                                            {82, 52, "2 tetrahedra of order 9 "},
                                                            {92, 64, "2 hexahedra of order 3 "},
                                                            {98, 1000, "2 hexahedra of order 9 "},
                                                            {110, 550, "2 prisms of order 9 "}}) {
    const Variant v = with_other(type, nodes);
    expect_error(version2(v), {"byte ", name, "beside 2 linear tets"});
    expect_error(version4(v), {"byte ", name, "beside 2 linear tets"});
  }
}

TEST(MeshGmshBinary, RejectsTypesOfUnknownSize) {
  Variant v;
  v.other_type = 4711;
  expect_error(version2(v), {"byte ", "type 4711", "save the mesh as ASCII"});
  expect_error(version4(v), {"byte ", "type 4711", "save the mesh as ASCII"});
}

TEST(MeshGmshBinary, RejectsBadHeaders) {
  Variant v;
  v.one = 2;
  expect_error(version2(v), {"byte 20: ", "int 1", "found 2"});
  expect_error(version4(v), {"byte 20: ", "int 1", "found 2"});
  v.one = 1;
  v.size_bytes = 16;
  expect_error(version4(v), {"size 16", "expected 8"});
  expect_error("$MeshFormat\n2.2 1 4\n", {"size 4", "expected 8"});
  expect_error("$MeshFormat\n2.2 1 8\n\1", {"byte 20: ", "byte order", "end of the file"});
}

TEST(MeshGmshBinary, RejectsBadNodes) {
  Variant v;
  v.nodes[2].point[1] = std::numeric_limits<double>::quiet_NaN();
  expect_error(version2(v), {"byte ", "y coordinate of vertex 30", "nan", "finite"});
  expect_error(version4(v), {"byte ", "y coordinate of vertex 30", "nan", "finite"});
  v.nodes[2] = {10, {0, 1, 0}};
  expect_error(version2(v), {"byte ", "vertex 10", "second time"});
  expect_error(version4(v), {"byte ", "vertex 10", "second time"});
  v.nodes[2].tag = 0xffffffff;
  expect_error(version2(v), {"byte ", "node's number", "'-1'"});
}

TEST(MeshGmshBinary, RejectsBadTets) {
  Variant v;
  v.last_corner = 77;
  expect_error(version2(v), {"byte ", "vertex 77 in tet 8", "6 vertices"});
  expect_error(version4(v), {"byte ", "vertex 77 in tet 8", "6 vertices"});
  v.last_corner = 40;
  expect_error(version2(v), {"byte ", "tet 8 lists vertex 40 twice"});
  expect_error(version4(v), {"byte ", "tet 8 lists vertex 40 twice"});
}

TEST(MeshGmshBinary, RejectsWrongCounts) {
  Variant v;
  v.extra_nodes = 1;
  EXPECT_NE(error_of(version2(v)), "(no error)");
  expect_error(version4(v), {"byte ", "hold 6 nodes", "declares 7"});
  v.extra_nodes = 1'000'000'000'000'000;
  expect_error(version2(v), {"byte ", "declares 1000000000000006 nodes", "bytes follow"});
  expect_error(version4(v), {"byte ", "declares 1000000000000006 nodes", "bytes follow"});
  v.extra_nodes = 0;
  v.extra_tets = 1'000'000'000'000'000;
  expect_error(version2(v), {"byte ", "declares 1000000000000005 elements", "bytes follow"});
  expect_error(version4(v), {"byte ", "declares 1000000000000005 elements", "bytes follow"});
}

TEST(MeshGmshBinary, RejectsWrongCountsOfABlock) {
  Variant v;
  v.other_count = 0;
  expect_error(version2(v), {"byte ", "block has 0 elements where 1 to 4 are left"});
  v.other_count = 5;
  expect_error(version2(v), {"byte ", "block has 5 elements where 1 to 4 are left"});
  // Times an element's 56 bytes this is too large for 64 bits, and what remains is right.
  v.other_count = (std::uint64_t{1} << 61) + 2;
  expect_error(version4(v), {"byte ", "declares 2305843009213693954 elements", "bytes follow"});
}

TEST(MeshGmshBinary, RejectsEveryTruncation) {
  const Variant v;
  for (const std::string& good : {version2(v), version4(v)}) {
    // The line end after the last section is not needed.
    for (std::size_t size = 1; size + 1 < good.size(); ++size) {
      EXPECT_NE(error_of(good.substr(0, size)), "(no error)") << "cut to " << size << " bytes";
    }
  }
}

}  // namespace
}  // namespace lilyan::mesh_gmsh_binary_test
