// Medit ASCII meshes: the variants that are read, and what is said about files that are not.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "app/files/mesh.hpp"
#include "lilyan/base/error.hpp"
#include "support/mesh_text.hpp"

namespace lilyan::mesh_medit_test {
namespace {

using test::expect_two_tets;
using test::replaced;

TetMesh read(const std::string& text) { return test::mesh_of(text, ".mesh"); }

std::string error_of(const std::string& text) { return test::mesh_error(text, ".mesh"); }

void expect_error(const std::string& text, const std::string& line,
                  const std::vector<std::string>& parts) {
  test::expect_says(error_of(text), line, parts);
}

// With a vertex that no tet uses, between the others.
const std::string kGood =
    "MeshVersionFormatted 2\n"  // 1
    "Dimension 3\n"             // 2
    "Vertices\n"                // 3
    "6\n"                       // 4
    "0 0 0 0\n"                 // 5
    "1 0 0 1\n"                 // 6
    "0 1 0 -7\n"                // 7
    "9 9 9 0\n"                 // 8
    "0 0 1 0\n"                 // 9
    "1 1 1 0\n"                 // 10
    "Tetrahedra\n"              // 11
    "2\n"                       // 12
    "1 2 3 5 0\n"               // 13
    "2 3 5 6 0\n"               // 14
    "End\n";                    // 15

TEST(MeshMedit, Reads) { expect_two_tets(read(kGood)); }

TEST(MeshMedit, ReadsWordsOnAnyLine) {
  std::string one_line = kGood;
  std::ranges::replace(one_line, '\n', ' ');
  expect_two_tets(read(one_line));
  std::string one_word_a_line = kGood;
  std::ranges::replace(one_word_a_line, ' ', '\n');
  expect_two_tets(read(one_word_a_line));
  std::string crlf;
  for (const char c : kGood) crlf += c == '\n' ? std::string("\r\n\t") : std::string(1, c);
  expect_two_tets(read(crlf));
}

TEST(MeshMedit, ReadsWithoutEndAndWithTextAfterIt) {
  expect_two_tets(read(replaced(kGood, "End\n", "")));
  expect_two_tets(read(replaced(kGood, "0\nEnd\n", "0")));
  expect_two_tets(read(kGood + "Vertices 12 not read any more\n"));
}

TEST(MeshMedit, PassesOverComments) {
  std::string text = replaced(kGood, "Vertices\n", "# Vertices 12\nVertices # six of them\n");
  text = replaced(text, "1 0 0 1\n", "1 0 0#1\n1\n\n");
  expect_two_tets(read("#a comment first\n" + text));
}

TEST(MeshMedit, PassesOverOtherSections) {
  const std::string other =
      "Triangles\n2\n1 2 3 0\n2 3 4 0\n"
      "RequiredVertices 1\n1\n"
      "Geometry\n\"the Vertices file.mesh\"\n"
      "Normals\n1\nnan 0 1e5\n"
      "AngleOfCornerBound 45.5\n"
      "TrianglesP2 1 1 2 3 4 5 6 0\n"
      "Ridges 0\n";
  expect_two_tets(read(replaced(kGood, "Vertices\n", other + "Vertices\n")));
  expect_two_tets(read(replaced(kGood, "Tetrahedra\n", other + "Tetrahedra\n")));
  expect_two_tets(read(replaced(kGood, "End\n", other + "End\n")));
}

TEST(MeshMedit, ReadsTetsBeforeVertices) {
  expect_two_tets(
      read("MeshVersionFormatted 1 Dimension 3 Tetrahedra 2 1 2 3 5 0 2 3 5 6 0 "
           "Vertices 6 0 0 0 0 1 0 0 0 0 1 0 0 9 9 9 0 0 0 1 0 1 1 1 0 End"));
}

TEST(MeshMedit, ReadsNumbersAsWritersWriteThem) {
  std::string text = replaced(kGood, "1 0 0 1\n", "+1.0E+00 -0. 1e-400 1\n");
  text = replaced(text, "9 9 9 0\n", ".5 5. 4e-320 0\n");
  text = replaced(text, "2 3 5 6 0", "2 3 5 4 +0");
  const TetMesh mesh = read(text);
  ASSERT_EQ(mesh.vertices.size(), 5U);
  const std::array<double, 3> first = {1, 0, 0};
  const std::array<double, 3> last = {.5, 5, 4e-320};
  EXPECT_EQ(mesh.vertices[1], first);
  EXPECT_EQ(mesh.vertices[3], last);
}

TEST(MeshMedit, RejectsBadHeaders) {
  expect_error("  \n\n", "2: ", {"MeshVersionFormatted", "end of the file"});
  expect_error("solid cube\n", "1: ", {"MeshVersionFormatted", "'solid'"});
  expect_error("MeshVersionUnformatted 2\n", "1: ", {"binary", "ASCII .mesh"});
  expect_error(std::string("\1\0\0\0\2\0\0\0", 8), "1: ", {"MeshVersionFormatted", "'\\x01\\x00"});
  expect_error(replaced(kGood, "ted 2", "ted 9"), "1: ", {"version 9"});
  expect_error(replaced(kGood, "ted 2", "ted"), "2: ", {"version", "'Dimension'"});
  expect_error(replaced(kGood, "Dimension 3", "Dimension 2"), "2: ", {"dimension 2", "3"});
  expect_error(replaced(kGood, "Dimension 3\n", ""), "2: ", {"before Dimension"});
}

TEST(MeshMedit, RejectsBadVertices) {
  expect_error(replaced(kGood, "1 0 0 1\n", "1 0 zero 1\n"), "6: ", {"z coordinate", "'zero'"});
  expect_error(replaced(kGood, "1 0 0 1\n", "1 inf 0 1\n"), "6: ", {"y", "vertex 2", "finite"});
  expect_error(replaced(kGood, "1 0 0 1\n", "-NAN 0 0 1\n"), "6: ", {"x", "vertex 2", "finite"});
  expect_error(replaced(kGood, "1 0 0 1\n", "1e310 0 0 1\n"), "6: ", {"'1e310'", "range"});
  expect_error(replaced(kGood, "1 0 0 1\n", "1 0 0 0.5\n"), "6: ", {"reference", "'0.5'"});
  expect_error(replaced(kGood, "1 0 0 1\n", "0x1 0 0 1\n"), "6: ", {"x coordinate", "'0x1'"});
  expect_error(replaced(kGood, "1 0 0 1\n", "--1 0 0 1\n"), "6: ", {"x coordinate", "'--1'"});
  expect_error(replaced(kGood, "\n6\n", "\n7\n"), "11: ", {"x coordinate", "'Tetrahedra'"});
  expect_error(replaced(kGood, "\n6\n", "\n5\n"), "10: ", {"keyword", "'1'"});
  expect_error(replaced(kGood, "\n6\n", "\n1000000000000000\n"),
               "4: ", {"1000000000000000 vertices", "bytes follow"});
  expect_error(replaced(kGood, "\n6\n", "\n99999999999999999999\n"), "4: ", {"too large"});
  expect_error(replaced(kGood, "Tetra", "Vertices 0 Tetra"), "11: ", {"second Vertices"});
  expect_error(kGood.substr(0, kGood.find("1 1 1 0\n")), "9: ", {"x", "end of the file"});
}

TEST(MeshMedit, RejectsBadTets) {
  expect_error(replaced(kGood, "2 3 5 6 0", "2 3 5 7 0"),
               "14: ", {"vertex index 7 in tet 2 is out of range: the mesh has 6 vertices"});
  expect_error(replaced(kGood, "2 3 5 6 0", "2 3 5 0 0"), "14: ", {"vertex index 0 in tet 2"});
  expect_error(replaced(kGood, "2 3 5 6 0", "2 3 5 -1 0"), "14: ", {"tet's vertex", "'-1'"});
  expect_error(replaced(kGood, "2 3 5 6 0", "2 3 5 3 0"), "14: ", {"tet 2 lists vertex 3 twice"});
  expect_error(replaced(kGood, "2 3 5 6 0", "2 3 5 6.0 0"), "14: ", {"tet's vertex", "'6.0'"});
  expect_error(replaced(kGood, "2 3 5 6 0", "2 3 5 6"), "15: ", {"reference", "'End'"});
  expect_error(replaced(kGood, "\n2\n1", "\n3\n1"), "15: ", {"tet's vertex", "'End'"});
  expect_error(replaced(kGood, "\n2\n1", "\n123456789012345\n1"), "12: ", {"tetrahedra", "bytes"});
}

TEST(MeshMedit, RejectsMissingSections) {
  expect_error("MeshVersionFormatted 2 Dimension 3 End\n", "1: ", {"Vertices"});
  expect_error(replaced(kGood, "\n6\n", "\n0 Corners 9\n"), " the mesh has no vertices", {});
  expect_error(kGood.substr(0, kGood.find("Tetra")), " the mesh has no tetrahedra", {});
  expect_error(kGood.substr(0, kGood.find("Tetra")) + "TetrahedraP2 1 1 2 3 4 5 6 1 2 3 4 0 End",
               "11: ", {"1 tetrahedron of order 2", "only linear tets", "element order 1"});
}

}  // namespace
}  // namespace lilyan::mesh_medit_test
