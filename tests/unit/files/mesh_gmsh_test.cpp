// Gmsh ASCII meshes: the variants that are read, and what is said about files that are not.
// Binary ones are in mesh_gmsh_binary_test.cpp.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "app/files/mesh.hpp"
#include "lilyan/base/error.hpp"
#include "support/mesh_text.hpp"

namespace lilyan::mesh_gmsh_test {
namespace {

using test::expect_two_tets;
using test::replaced;

TetMesh read(const std::string& text) { return test::mesh_of(text, ".msh"); }

std::string error_of(const std::string& text) { return test::mesh_error(text, ".msh"); }

void expect_error(const std::string& text, const std::string& line,
                  const std::vector<std::string>& parts) {
  test::expect_says(error_of(text), line, parts);
}

// Sparse node numbers, a node that no tet uses, a point and a triangle besides the tets.
const std::string kV2 =
    "$MeshFormat\n"            // 1
    "2.2 0 8\n"                // 2
    "$EndMeshFormat\n"         // 3
    "$Nodes\n"                 // 4
    "6\n"                      // 5
    "10 0 0 0\n"               // 6
    "20 1 0 0\n"               // 7
    "30 0 1 0\n"               // 8
    "999 9 9 9\n"              // 9
    "40 0 0 1\n"               // 10
    "5 1 1 1\n"                // 11
    "$EndNodes\n"              // 12
    "$Elements\n"              // 13
    "4\n"                      // 14
    "1 15 2 0 1 10\n"          // 15
    "2 2 2 0 1 10 20 30\n"     // 16
    "3 4 2 0 1 10 20 30 40\n"  // 17
    "4 4 0 20 30 40 5\n"       // 18
    "$EndElements\n";          // 19

// The same, with a parametric block and a number of 64 bits.
const std::string kV4 =
    "$MeshFormat\n"                      // 1
    "4.1 0 8\n"                          // 2
    "$EndMeshFormat\n"                   // 3
    "$Nodes\n"                           // 4
    "3 6 5 18446744073709551615\n"       // 5
    "1 1 0 0\n"                          // 6
    "2 1 1 2\n"                          // 7
    "10\n"                               // 8
    "20\n"                               // 9
    "0 0 0 0.25 0.5\n"                   // 10
    "1 0 0 0.75 0.5\n"                   // 11
    "3 1 0 4\n"                          // 12
    "30\n"                               // 13
    "999\n"                              // 14
    "18446744073709551615\n"             // 15
    "5\n"                                // 16
    "0 1 0\n"                            // 17
    "9 9 9\n"                            // 18
    "0 0 1\n"                            // 19
    "1 1 1\n"                            // 20
    "$EndNodes\n"                        // 21
    "$Elements\n"                        // 22
    "2 3 1 3\n"                          // 23
    "2 1 2 1\n"                          // 24
    "1 10 20 30\n"                       // 25
    "3 1 4 2\n"                          // 26
    "2 10 20 30 18446744073709551615\n"  // 27
    "3 20 30 18446744073709551615 5\n"   // 28
    "$EndElements\n";                    // 29

TEST(MeshGmsh, ReadsVersion2) { expect_two_tets(read(kV2)); }

TEST(MeshGmsh, ReadsVersion4) { expect_two_tets(read(kV4)); }

TEST(MeshGmsh, ReadsOlderVersion2) {
  expect_two_tets(read(replaced(kV2, "2.2 0", "2 0")));
  expect_two_tets(read(replaced(kV2, "2.2 0", "2.1 0")));
}

TEST(MeshGmsh, ReadsParametricNodesOfVersion2) {
  std::string text = replaced(kV2, "$Nodes", "$ParametricNodes");
  text = replaced(text, "$EndNodes", "$EndParametricNodes");
  text = replaced(text, "20 1 0 0\n", "20 1 0 0 1 7 0.5\n");
  expect_two_tets(read(replaced(text, "5 1 1 1\n", "5 1 1 1 2 3 0.5 0.5\n")));
}

TEST(MeshGmsh, ReadsOtherLineEndsAndBlanks) {
  for (const std::string& good : {kV2, kV4}) {
    std::string crlf;
    for (const char c : good) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
    expect_two_tets(read(crlf));
    expect_two_tets(read("\n  \n" + replaced(good, "$Nodes\n", "  $Nodes \t\n\n\n")));
    expect_two_tets(read(good.substr(0, good.size() - 1)));
    expect_two_tets(read("\xEF\xBB\xBF" + good));
  }
}

TEST(MeshGmsh, PassesOverOtherSections) {
  for (const std::string& good : {kV2, kV4}) {
    const std::string other =
        "$PhysicalNames\n1\n3 1 \"$Nodes\"\n$EndPhysicalNames\n"
        "$Periodic\n0\n$EndPeriodic\n$Nodeslike\n$Nodes\n1 2 3\n$EndNodeslike\n";
    expect_two_tets(read("$Comments\n$Nodes of a cube\n$EndComments\n" + good));
    expect_two_tets(read(replaced(good, "$Nodes\n", other + "$Nodes\n")));
    expect_two_tets(read(replaced(good, "$Elements\n", other + "$Elements\n")));
    expect_two_tets(read(good + other));
  }
}

TEST(MeshGmsh, PassesOverElementsOfOtherTypes) {
  // Lines and faces, also of second order.
  std::string text = replaced(kV2, "$Elements\n4\n", "$Elements\n7\n");
  text = replaced(text, "1 15 2 0 1 10\n",
                  "1 15 2 0 1 10\n"
                  "91 9 2 0 1 1 2 3 4 5 6\n"
                  "92 1 2 0 1 10 20\n"
                  "93 16 0 1 2 3 4 5 6 7 8\n");
  expect_two_tets(read(text));
  text = replaced(kV4, "2 3 1 3\n", "4 5 1 93\n");
  expect_two_tets(read(replaced(text, "2 1 2 1\n1 10 20 30\n",
                                "2 1 2 1\n1 10 20 30\n"
                                "2 1 9 1\n91 1 2 3 4 5 6\n"
                                "2 1 16 1\n93 1 2 3 4 5 6 7 8\n")));
  // A polygon that lists its own size, and a type that does not exist, may be a part of the body.
  text = replaced(kV2, "$Elements\n4\n", "$Elements\n6\n");
  text = replaced(text, "1 15 2 0 1 10\n",
                  "1 15 2 0 1 10\n92 34 2 0 1 5 1 2 3 4 5\n93 4711 0 1 1 1 1\n");
  expect_error(
      text, "16: ",
      {"1 element of Gmsh type 34 and 1 element of Gmsh type 4711", "beside 2 linear tets"});
}

TEST(MeshGmsh, ReadsElementsBeforeNodes) {
  const std::size_t nodes = kV2.find("$Nodes");
  const std::size_t elements = kV2.find("$Elements");
  expect_two_tets(
      read(kV2.substr(0, nodes) + kV2.substr(elements) + kV2.substr(nodes, elements - nodes)));
}

TEST(MeshGmsh, RejectsBadHeaders) {
  expect_error("hello\n", "1: ", {"$MeshFormat", "'hello'"});
  expect_error("(0 \"a Fluent file\")\n", "1: ", {"expected a section", "'(0'"});
  expect_error("$NOD\n1\n1 0 0 0\n$ENDNOD\n", "1: ", {"version 1", "2.2 or 4.1"});
  expect_error("$MeshFormat\n", "1: ", {"version", "end of the file"});
  expect_error(kV2.substr(kV2.find("$Nodes")), "1: ", {"$Nodes before $MeshFormat"});
  expect_error(replaced(kV4, "4.1 0 8", "4 0 8"), "2: ", {"'4'", "2.2 or 4.1"});
  expect_error(replaced(kV4, "4.1 0 8", "3.0 0 8"), "2: ", {"'3.0'", "2.2 or 4.1"});
  expect_error(replaced(kV4, "4.1 0 8", "four 0 8"), "2: ", {"version", "'four'"});
  expect_error(replaced(kV4, "4.1 0 8", "4.1 2 8"), "2: ", {"0 (ASCII) or 1 (binary)", "found 2"});
  expect_error(replaced(kV4, "4.1 0 8", "4.1 0"), "2: ", {"data size", "end of the line"});
  expect_error(replaced(kV2, "$EndMeshFormat\n", ""), "3: ", {"$EndMeshFormat", "'$Nodes'"});
}

TEST(MeshGmsh, RejectsMissingSections) {
  expect_error(kV2.substr(0, kV2.find("$Nodes")), " the file has no $Nodes", {});
  expect_error(kV2.substr(0, kV2.find("$Elements")), " the file has no $Elements", {});
  expect_error("$Comments\n$EndComments\n", " the file has no $MeshFormat", {});
  expect_error(replaced(kV2, "$Nodes\n", "$Nodse\n"), "4: ", {"'$Nodse'", "'$EndNodse'"});
  expect_error(replaced(kV2, "$Elements\n", ""), "13: ", {"section", "'4'"});
  expect_error(replaced(kV2, "$Nodes\n", "$EndNodes\n"), "4: ", {"'$EndNodes' outside"});
}

TEST(MeshGmsh, RejectsBadNodes) {
  expect_error(replaced(kV2, "20 1 0 0", "20 1 O 0"), "7: ", {"y coordinate", "'O'"});
  expect_error(replaced(kV2, "20 1 0 0", "20 1 0"), "7: ", {"z coordinate", "end of the line"});
  expect_error(replaced(kV2, "20 1 0 0", "20 1 0 0 0"), "7: ", {"end of the line", "'0'"});
  expect_error(replaced(kV2, "20 1 0 0", "20 nan 0 0"), "7: ", {"x coordinate", "20", "finite"});
  expect_error(replaced(kV2, "20 1 0 0", "20 1 -inf 0"), "7: ", {"y", "-inf", "finite"});
  expect_error(replaced(kV2, "20 1 0 0", "20 1 0 1e999"), "7: ", {"'1e999'", "range"});
  expect_error(replaced(kV2, "20 1 0 0", "20 1,0 0 0"), "7: ", {"'1,0'"});
  expect_error(replaced(kV2, "30 0 1 0", "20 0 1 0"), "8: ", {"vertex 20", "second time"});
  expect_error(replaced(kV2, "20 1 0 0", "-20 1 0 0"), "7: ", {"number", "'-20'"});
  expect_error(replaced(kV2, "\n6\n", "\n7\n"), "12: ", {"node 7 of 7", "'$EndNodes'"});
  expect_error(replaced(kV2, "\n6\n", "\n5\n"), "11: ", {"$EndNodes", "'5'"});
  expect_error(replaced(kV2, "\n6\n", "\nsix\n"), "5: ", {"number of nodes", "'six'"});
  expect_error(replaced(kV2, "\n6\n", "\n-6\n"), "5: ", {"number of nodes", "'-6'"});
  expect_error(kV2.substr(0, kV2.find("5 1 1 1")), "10: ", {"node 6 of 6", "end of the file"});
  expect_error(kV2.substr(0, kV2.find("$EndNodes")), "11: ", {"$EndNodes", "end of the file"});
  expect_error(replaced(kV4, "\n999\n", "\n30\n"), "18: ", {"vertex 30", "second time"});
  expect_error(replaced(kV4, "\n999\n", "\n1.5\n"), "14: ", {"tag", "'1.5'"});
  expect_error(replaced(kV4, "18446744073709551615\n5\n", "18446744073709551616\n5\n"),
               "15: ", {"tag", "too large"});
  expect_error(replaced(kV4, "3 6 5", "3 7 5"), "20: ", {"hold 6 nodes", "declares 7"});
  expect_error(replaced(kV4, "3 6 5", "4 6 5"), "21: ", {"block of nodes 4 of 4", "'$EndNodes'"});
  expect_error(replaced(kV4, "3 6 5 18446744073709551615", "3 6"), "5: ", {"lowest tag"});
}

TEST(MeshGmsh, RejectsBadElements) {
  expect_error(replaced(kV2, "20 30 40 5\n", "20 30 40 6\n"),
               "18: ", {"vertex 6 in tet 4", "not among the 6 vertices"});
  expect_error(replaced(kV2, "20 30 40 5\n", "20 30 20 5\n"), "18: ", {"tet 4", "vertex 20 twice"});
  expect_error(replaced(kV2, "20 30 40 5\n", "20 30 40\n"), "18: ", {"tet", "end of the line"});
  expect_error(replaced(kV2, "20 30 40 5\n", "20 30 40 5 5\n"), "18: ", {"end of the line", "'5'"});
  expect_error(replaced(kV2, "4 4 0 20", "4 4 9 20"), "18: ", {"tag", "end of the line"});
  expect_error(replaced(kV2, "4 4 0 20", "4 tet 0 20"), "18: ", {"type", "'tet'"});
  expect_error(replaced(kV2, "\n4\n", "\n5\n"), "19: ", {"element 5 of 5", "'$EndElements'"});
  expect_error(replaced(kV2, "\n4\n", "\n3\n"), "18: ", {"$EndElements", "'4'"});
  expect_error(kV2.substr(0, kV2.find("4 4 0")), "17: ", {"element 4 of 4", "end of the file"});
  expect_error(replaced(kV4, "3 20 30 18446744073709551615 5", "3 20 30 7 5"),
               "28: ", {"vertex 7 in tet 3"});
  expect_error(replaced(kV4, "2 3 1 3\n", "2 4 1 3\n"), "28: ", {"hold 3 elements", "declares 4"});
  expect_error(replaced(kV4, "3 1 4 2\n", "3 1 4 3\n"), "29: ", {"element 3 of 3"});
}

TEST(MeshGmsh, RejectsNumbersOutOfRangeWithTheRange) {
  std::string text = kV2;
  for (const auto& [from, to] :
       std::vector<std::array<std::string, 2>>{{"10 0 0 0", "1 0 0 0"},
                                               {"20 1 0 0", "2 1 0 0"},
                                               {"30 0 1 0", "3 0 1 0"},
                                               {"999 9", "4 9"},
                                               {"40 0 0 1", "5 0 0 1"},
                                               {"\n5 1 1 1", "\n6 1 1 1"},
                                               {"0 1 10 20 30 40", "0 1 1 2 3 7"}}) {
    text = replaced(text, from, to);
  }
  expect_error(
      text, "17: ",
      {"vertex index 7 in tet 3 is out of range: the mesh has 6 vertices, numbered 1 to 6"});
}

TEST(MeshGmsh, RejectsCountsThatTheFileCannotHold) {
  expect_error(replaced(kV2, "\n6\n", "\n1000000000000000\n"),
               "5: ", {"1000000000000000 nodes", "bytes follow"});
  expect_error(replaced(kV2, "\n4\n", "\n1000000000000000\n"),
               "14: ", {"1000000000000000 elements", "bytes follow"});
  expect_error(replaced(kV4, "3 6 5", "3 1000000000000000 5"), "5: ", {"1000000000000000 nodes"});
  expect_error(replaced(kV4, "3 6 5", "18446744073709551615 6 5"), "5: ", {"blocks"});
  expect_error(replaced(kV4, "3 1 0 4\n", "3 1 0 1000000000000000\n"), "12: ", {"in a block"});
  expect_error(replaced(kV4, "3 1 4 2\n", "3 1 4 1000000000000000\n"), "26: ", {"in a block"});
}

TEST(MeshGmsh, SaysWhyThereAreNoTets) {
  const std::string head = kV2.substr(0, kV2.find("$Elements"));
  expect_error(head + "$Elements\n1\n1 11 0 1 2 3 4 5 6 7 8 9 10\n$EndElements\n",
               "15: ", {"1 tetrahedron of order 2", "only linear tets", "order 1"});
  expect_error(head + "$Elements\n1\n2 2 2 0 1 10 20 30\n$EndElements\n", " ",
               {"no tetrahedra", "but 1 triangle", "3D"});
}

}  // namespace
}  // namespace lilyan::mesh_gmsh_test
