// Files with elements besides those that are read: parts of a body are never lost without a word.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/mesh_text.hpp"

namespace lilyan::test::mixed_mesh_test {
namespace {

std::string surface_error(const std::string& bytes, const std::string& extension) {
  const TempFolder folder;
  const std::string file = folder.write("s" + extension, bytes).string();
  try {
    static_cast<void>(read_surface(file));
  } catch (const InputError& error) {
    return std::string(error.what()).substr(file.size() + 1);
  }
  return "(no error)";
}

SurfaceMesh surface_of(const std::string& bytes, const std::string& extension) {
  const TempFolder folder;
  return read_surface(folder.write("s" + extension, bytes));
}

const std::string kNodes =
    "13\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n6 3 0 0\n7 4 0 0\n8 3 1 0\n9 3 0 1\n10 4 1 "
    "1\n"
    "11 6 0 0\n12 7 0 0\n13 6 1 0\n";

std::string gmsh2(const std::string& count, const std::string& elements) {
  return "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n" + kNodes + "$EndNodes\n$Elements\n" +
         count + "\n" + elements + "$EndElements\n";
}

std::string gmsh4(const std::string& blocks) {
  std::string text = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 10 1 10\n3 1 0 10\n";
  for (int i = 1; i <= 10; ++i) text += std::to_string(i) + "\n";
  text += "0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 1 1\n3 0 0\n4 0 0\n3 1 0\n3 0 1\n4 1 1\n$EndNodes\n";
  return text + "$Elements\n" + blocks + "$EndElements\n";
}

const std::string kTets = "1 4 2 0 1 1 2 3 4\n2 4 2 0 1 2 3 4 5\n";

TEST(MixedMesh, OtherSolidsBesideTetsAreNamedAndCounted) {
  struct Case {
    const char* element;
    const char* name;
    const char* advice;
  };
  for (const auto& [element, name, advice] : std::vector<Case>{
           {"5 2 0 1 6 7 8 9 10 11 12 13", "1 hexahedron beside 2 linear tets", "simpler ones"},
           {"6 2 0 1 6 7 8 9 10 11", "1 prism beside", "simpler ones"},
           {"7 2 0 1 6 7 8 9 10", "1 pyramid beside", "simpler ones"},
           {"11 2 0 1 1 2 3 4 5 6 7 8 9 10", "1 tetrahedron of order 2 beside", "element order 1"},
           {"12 2 0 1 1 2 3 4", "1 hexahedron of order 2 beside", "element order 1"},
           {"99 2 0 1 1 2 3 4", "1 element of Gmsh type 99 beside", "simpler ones"},
       }) {
    expect_says(mesh_error(gmsh2("3", kTets + "3 " + element + "\n"), ".msh"),
                "24: ", {name, "only linear tets are read", advice});
  }
  expect_says(mesh_error(gmsh4("2 3 1 3\n3 1 4 2\n1 1 2 3 4\n2 2 3 4 5\n3 1 6 1\n3 6 7 8 9 10 1\n"),
                         ".msh"),
              "", {"1 prism beside 2 linear tets"});
}

TEST(MixedMesh, FacesAndLinesOfTetsAreTheirBoundaryAndOthersAreToldOf) {
  const TetMeshOfFile bounded = read_mesh(TempFolder().write(
      "m.msh", gmsh2("5", kTets + "3 2 2 0 1 1 2 3\n4 1 2 0 1 1 2\n5 15 2 0 1 9\n")));
  EXPECT_EQ(bounded.left_out, "");
  const TempFolder folder;
  const TetMeshOfFile loose = read_mesh(folder.write(
      "m.msh",
      gmsh2("6", kTets + "3 2 2 0 1 6 7 8\n4 2 2 0 1 1 2 8\n5 3 2 0 1 6 7 8 9\n6 1 2 0 1 6 7\n")));
  EXPECT_EQ(loose.left_out, "1 line, 1 quadrangle and 2 triangles");
  EXPECT_EQ(loose.vertices.size(), 5U);
  EXPECT_EQ(loose.unused_vertices, 8U);
}

TEST(MixedMesh, MeditIsAskedForTheSame) {
  const std::string head =
      "MeshVersionFormatted 2\nDimension 3\nVertices 8\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n1 1 1 "
      "0\n2 0 0 0\n"
      "2 1 0 0\n2 0 1 0\nTetrahedra 1\n1 2 3 4 0\n";
  expect_says(mesh_error(head + "Hexahedra 1\n1 2 3 4 5 6 7 8 0\nEnd\n", ".mesh"),
              "14: ", {"1 hexahedron beside 1 linear tets"});
  expect_says(
      mesh_error(head + "Prisms 2\n1 2 3 4 5 6 0\n1 2 3 4 5 6 0\nPyramids 1\n1 2 3 4 5 0\nEnd\n",
                 ".mesh"),
      "14: ", {"2 prisms and 1 pyramid beside"});
  expect_says(mesh_error(head + "TetrahedraP2 1\n1 2 3 4 5 6 7 8 1 2 0\nEnd\n", ".mesh"),
              "14: ", {"1 tetrahedron of order 2 beside", "element order 1"});
  const TempFolder folder;
  EXPECT_EQ(read_mesh(folder.write("a.mesh", head + "Hexahedra 0\nEdges 1\n1 2 0\nEnd\n")).left_out,
            "");
  EXPECT_EQ(read_mesh(folder.write("b.mesh", head + "Triangles 1\n5 6 7 0\nEnd\n")).left_out,
            "1 triangle");
  expect_says(surface_error(head + "Triangles 1\n5 6 7 0\nTrianglesP2 3\nEnd\n", ".mesh"),
              "16: ", {"3 triangles of order 2 beside 1 linear triangles"});
  EXPECT_EQ(surface_of(head + "Triangles 1\n5 6 7 0\nEnd\n", ".mesh").left_out, "1 tetrahedron");
}

std::string vtu(const std::string& connectivity, const std::string& offsets,
                const std::string& types, int cells) {
  return "<VTKFile type=\"UnstructuredGrid\">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"9\" "
         "NumberOfCells=\"" +
         std::to_string(cells) +
         "\">\n<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\">\n"
         "0 0 0  1 0 0  0 1 0  0 0 1  5 0 0  7 1 0  5 2 0  6 1 0  5 0 1"
         "</DataArray></Points>\n<Cells><DataArray type=\"Int32\" Name=\"connectivity\">" +
         connectivity + "</DataArray>\n<DataArray type=\"Int32\" Name=\"offsets\">" + offsets +
         "</DataArray>\n<DataArray type=\"UInt8\" Name=\"types\">" + types +
         "</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>";
}

TEST(MixedMesh, VtkIsAskedForTheSame) {
  const std::vector<std::pair<const char*, const char*>> others = {
      {"11", "1 hexahedron beside 1 linear tets"},
      {"12", "1 hexahedron"},
      {"13", "1 prism"},
      {"14", "1 pyramid"},
      {"24", "1 tetrahedron of order 2"},
      {"71", "1 tetrahedron of order 2 or more"},
      {"78", "1 tetrahedron of order 2 or more"},
      {"64", "1 tetrahedron of order 2 or more"},
      {"42", "1 polyhedron"},
      {"99", "1 cell of VTK type 99"}};
  for (const auto& [type, name] : others) {
    const std::string text = vtu("0 1 2 3 0 1 2 3 4 5 6 7", "4 12", std::string("10 ") + type, 2);
    expect_says(mesh_error(text, ".vtu"), "", {name, "only linear tets"});
  }
  const TempFolder folder;
  EXPECT_EQ(
      read_mesh(folder.write("a.vtu", vtu("0 1 2 3 4 5 6 0 1", "4 7 9", "10 5 3", 3))).left_out,
      "1 triangle");
  for (const char* type : {"22", "69", "34"}) {
    const std::string text = vtu("0 1 2 0 1 2 3 4 5", "3 9", std::string("5 ") + type, 2);
    expect_says(surface_error(text, ".vtu"), "",
                {"1 triangle of order 2", "only linear triangles"});
  }
  const std::string pixel = vtu("0 1 2 3", "4", "8", 1);
  EXPECT_EQ(surface_of(pixel, ".vtu").triangles,
            (std::vector<std::array<int, 3>>{{0, 1, 3}, {0, 3, 2}}));
}

TEST(MixedMesh, VtkPolygonsAreCutRight) {
  const SurfaceMesh mesh = surface_of(vtu("4 5 6 7", "4", "7", 1), ".vtu");
  EXPECT_EQ(mesh.triangles, (std::vector<std::array<int, 3>>{{3, 0, 1}, {3, 1, 2}}));
  expect_says(surface_error(vtu("0 6 1 2", "4", "9", 1), ".vtu"), "",
              {"cell 0 of VTK type 9", "cuts itself"});
  // A quad with a corner twice is a triangle.
  EXPECT_EQ(surface_of(vtu("0 1 1 2", "4", "9", 1), ".vtu").triangles.size(), 1U);
}

TEST(MixedMesh, ObjAndPlyTellOfWhatTheyLeaveOut) {
  const std::string v = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  EXPECT_EQ(surface_of(v + "f 1 2 3\nl 1 2\nl 2 3\n", ".obj").left_out, "2 lines");
  expect_says(surface_error(v + "f 1 2 3\nsurf 0 1 0 1 1 2 3\n", ".obj"),
              "5: ", {"1 free-form surface beside"});
  const std::string ply =
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float "
      "z\n"
      "element face 1\nproperty list uchar int vertex_indices\nelement tristrips 1\n"
      "property list int int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n3 0 1 2\n";
  expect_says(surface_error(ply, ".ply"), "", {"1 triangle strip beside 1 linear triangles"});
}

}  // namespace
}  // namespace lilyan::test::mixed_mesh_test
