// OBJ, PLY, STL, and the surfaces of Gmsh, Medit and VTK files.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <string>
#include <vector>

#include "app/files/mesh.hpp"
#include "app/files/mesh_quality.hpp"
#include "support/mesh_text.hpp"
#include "support/paths.hpp"

namespace lilyan::test::surface_readers_test {
namespace {

SurfaceMesh surface_of(const std::string& bytes, const std::string& extension) {
  const TempFolder folder;
  return read_surface(folder.write("s" + extension, bytes));
}

std::string surface_error(const std::string& bytes, const std::string& extension) {
  const TempFolder folder;
  const std::string file = folder.write("s" + extension, bytes).string();
  try {
    static_cast<void>(read_surface(file));
  } catch (const InputError& error) {
    EXPECT_EQ(error.where().file, file);
    return std::string(error.what()).substr(file.size() + 1);
  }
  return "(no error)";
}

const std::vector<std::array<double, 3>> kSquare = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
const std::vector<std::array<int, 3>> kTwo = {{0, 1, 2}, {0, 2, 3}};

void expect_square(const SurfaceMesh& mesh) {
  EXPECT_EQ(mesh.vertices, kSquare);
  EXPECT_EQ(mesh.triangles, kTwo);
}

constexpr const char* kObjVertices = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

TEST(Obj, ReadsPolygonsInAllWaysToNameVertices) {
  const std::string v = kObjVertices;
  expect_square(surface_of(v + "f 1 2 3 4\n", ".obj"));
  expect_square(surface_of(v + "vt 0 0\nvn 0 0 1\nf 1/1 2/1 3/1 4/1\n", ".obj"));
  expect_square(surface_of(v + "vn 0 0 1\nf 1//1 2//1 3//1 4//1\n", ".obj"));
  expect_square(surface_of(v + "f -4/1/1 -3/1/1 -2/1/1 -1/1/1\n", ".obj"));
  expect_square(surface_of(v + "f 1 2 \\\n3 4 # a comment\n", ".obj"));
  expect_square(surface_of("mtllib x.mtl\r\no name\r\n" + v +
                               "g a b\r\nusemtl m\r\ns 1\r\nl 1 2\r\n"
                               "f 1 2 3\r\nf 1 3 4\r\n",
                           ".OBJ"));
}

TEST(Obj, LinesMayEndWithReturnsAlone) {
  std::string text = std::string(kObjVertices) + "# all of it\nf 1 2 3 4\n";
  std::ranges::replace(text, '\n', '\r');
  expect_square(surface_of(text, ".obj"));
}

TEST(Obj, CountsWhatItLeavesOut) {
  const SurfaceMesh mesh =
      surface_of(std::string("v 9 9 9\n") + kObjVertices + "f 2 3 4 5\nf 2 2 3\n", ".obj");
  expect_square(mesh);
  EXPECT_EQ(mesh.unused_vertices, 1U);
  EXPECT_EQ(mesh.dropped_faces, 1U);
}

TEST(Obj, DividesByTheWeightOfAVertex) {
  expect_square(surface_of("v 0 0 0 2\nv 2 0 0 2\nv 2 2 0 2\nv 0 -1 0 -1\nf 1 2 3 4\n", ".obj"));
  expect_square(
      surface_of("v 0 0 0 .1 .2 .3\nv 1 0 0 2 2 2\nv 1 1 0 0 0 0 1\nv 0 1 0\nf 1 2 3 4\n", ".obj"));
  expect_says(surface_error("v 0 0 0 1\nv 1 0 0 0\n", ".obj"),
              "2: ", {"vertex 2 has the weight w = 0"});
  expect_says(surface_error("v 0 0 0 inf\n", ".obj"), "1: ", {"w"});
  expect_says(surface_error("v 0 0 0 x\n", ".obj"), "1: ", {"weight w", "found 'x'"});
}

TEST(Obj, CutsConcavePolygonsWithTheirTexture) {
  const SurfaceMesh mesh = surface_of(
      "v 0 0 0\nv 2 1 0\nv 0 2 0\nv 1 1 0\nvt 0 0\nvt 1 .5\nvt 0 1\nvt .5 .5\nf 1/1 2/2 3/3 4/4\n",
      ".obj");
  EXPECT_EQ(surface_quality(mesh).area, 1);
  ASSERT_EQ(mesh.texture.size(), 2U);
  for (std::size_t t = 0; t < 2; ++t) {
    for (std::size_t c = 0; c < 3; ++c) {
      const auto& p = mesh.vertices[static_cast<std::size_t>(mesh.triangles[t][c])];
      EXPECT_EQ(mesh.texture[t][2 * c], static_cast<float>(p[0] / 2));
      EXPECT_EQ(mesh.texture[t][2 * c + 1], static_cast<float>(p[1] / 2));
    }
  }
  // Vertices may come after the polygon.
  EXPECT_EQ(
      surface_quality(surface_of("f 1 2 3 4\nv 0 0 0\nv 2 1 0\nv 0 2 0\nv 1 1 0\n", ".obj")).area,
      1);
}

TEST(Obj, PolygonsThatCannotBeCutAreNamed) {
  const std::string v = kObjVertices;
  expect_says(surface_error(v + "f 1 2 3\nf 1 3 2 4\n", ".obj"),
              "6: ", {"face 2 (4 corners) cuts itself"});
  expect_says(surface_error(v + "f 1 2 1 3\n", ".obj"), "5: ", {"lists a vertex twice"});
  EXPECT_EQ(surface_of(v + "f 1 2 2 3 3\nf 1 2 1 2\n", ".obj").dropped_faces, 1U);
}

TEST(Obj, SaysWhatIsWrong) {
  const std::string v = kObjVertices;
  expect_says(surface_error(v + "f 1 2 5\n", ".obj"),
              "5: ", {"vertex index 5 in face 1", "numbered 1 to 4"});
  expect_says(surface_error(v + "f 1 2 -5\n", ".obj"), "5: ", {"names vertex -5", "of 4 so far"});
  expect_says(surface_error(v + "f 1 2 0\n", ".obj"), "5: ", {"names vertex 0"});
  expect_says(surface_error(v + "f 1 2\n", ".obj"), "5: ", {"has 2 vertices", "3 or more"});
  expect_says(surface_error(v + "f 1 2 x\n", ".obj"), "5: ", {"found 'x'"});
  expect_says(surface_error("v 0 0\n", ".obj"), "1: ", {"z coordinate", "end of the file"});
  expect_says(surface_error("v 0 0 nan\nf 1 1 1\n", ".obj"), "1: ", {"must be finite"});
  expect_says(surface_error(v, ".obj"), " ", {"no triangles"});
}

const std::string kPlyHeader =
    "element vertex 4\nproperty float x\nproperty float y\nproperty float z\nproperty uchar red\n"
    "element other 1\nproperty list uint8 float32 stuff\nelement face 1\n"
    "property list uchar int vertex_indices\nproperty uchar flag\nend_header\n";

template <class T>
void put(std::string& out, T value, bool big) {
  std::string bytes(reinterpret_cast<const char*>(&value), sizeof value);
  if (big) std::ranges::reverse(bytes);
  out += bytes;
}

std::string ply_binary(bool big) {
  std::string out = std::string("ply\nformat binary_") + (big ? "big" : "little") +
                    "_endian 1.0\r\ncomment x\n" + kPlyHeader;
  for (const auto& p : kSquare) {
    for (const double x : p) put(out, static_cast<float>(x), big);
    out += '\x0a';
  }
  out += '\2';
  put(out, 1.5F, big);
  put(out, 2.5F, big);
  out += '\4';
  for (const int v : {0, 1, 2, 3}) put(out, v, big);
  return out + "z";
}

TEST(Ply, ReadsTextAndBothByteOrders) {
  expect_square(surface_of("ply\nformat ascii 1.0\nobj_info x\n" + kPlyHeader +
                               "0 0 0 255\n1 0 0 255\n1 1 0 1\n0 1 0 1\n2 1.5 2.5\n4 0 1 2 3 9\n",
                           ".ply"));
  expect_square(surface_of(ply_binary(false), ".ply"));
  expect_square(surface_of(ply_binary(true), ".ply"));
}

TEST(Ply, SaysWhatIsWrong) {
  const std::string good = ply_binary(false);
  expect_says(surface_error("plx\n", ".ply"), "1: ", {"'ply'", "found 'plx'"});
  expect_says(surface_error(good.substr(0, good.size() - 3), ".ply"), " byte ", {});
  expect_says(surface_error(replaced(good, "vertex 4", "vertex 4000000000"), ".ply"), " byte ",
              {"declares 4000000000 vertex elements", "cut short"});
  expect_says(surface_error(replaced(good, "property float z\n", ""), ".ply"), " ",
              {"no property 'z'"});
  expect_says(surface_error(replaced(good, "vertex_indices", "corners"), ".ply"), " ",
              {"no list 'vertex_indices'"});
  expect_says(surface_error(replaced(good, "uchar red", "rgb red"), ".ply"),
              "8: ", {"a type such as float", "found 'rgb'"});
  expect_says(surface_error(replaced(good, "binary_little", "binary_middle"), ".ply"),
              "2: ", {"binary_little_endian"});
  expect_says(surface_error(replaced(good, "end_header\n", ""), ".ply"), "", {"expected format"});
}

std::string stl_text() {
  std::string out = "solid a thing\n";
  for (const auto& t : kTwo) {
    out += "facet normal 0 0 1\n outer loop\n";
    for (const int v : t) {
      const auto& p = kSquare[static_cast<std::size_t>(v)];
      out += "  vertex " + std::to_string(p[0]) + " " + std::to_string(p[1]) +
             (t == kTwo[0] ? " -0.0\n" : " 0.0\n");
    }
    out += " endloop\nendfacet\n";
  }
  return out + "endsolid a thing\n";
}

std::string stl_binary(std::string header) {
  header.resize(80, '\0');
  put(header, std::uint32_t{2}, false);
  for (const auto& t : kTwo) {
    for (int i = 0; i < 3; ++i) put(header, 0.0F, false);
    for (const int v : t) {
      for (const double x : kSquare[static_cast<std::size_t>(v)]) {
        put(header, static_cast<float>(x), false);
      }
    }
    put(header, std::uint16_t{0}, false);
  }
  return header;
}

TEST(Stl, WeldsEqualPointsOfTextAndBinary) {
  expect_square(surface_of(stl_text(), ".stl"));
  expect_square(surface_of(stl_binary("whatever"), ".stl"));
  expect_square(surface_of(stl_binary("solid, or so it says"), ".stl"));
}

TEST(Stl, KeywordsMayBeInCapitals) {
  const std::string text =
      "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\n"
      "endloop\nendfacet\nendsolid a\n";
  std::string capitals = text;
  std::ranges::transform(capitals, capitals.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  EXPECT_EQ(surface_of(capitals, ".stl").vertices, surface_of(text, ".stl").vertices);
  EXPECT_EQ(surface_of(capitals, ".stl").triangles.size(), 1U);
}

TEST(Stl, SaysWhatIsWrong) {
  expect_says(surface_error(replaced(stl_text(), "endloop", "endlop"), ".stl"),
              "7: ", {"expected 'endloop'", "found 'endlop'"});
  expect_says(surface_error(replaced(stl_text(), "endsolid a thing\n", ""), ".stl"), "",
              {"'facet' or 'endsolid'", "end of the file"});
  const std::string binary = stl_binary("x");
  expect_says(surface_error(binary.substr(0, 150), ".stl"), " byte 80",
              {"declares 2 triangles", "only 66 bytes follow", "cut short"});
  // One that begins like text.
  const std::string solid = stl_binary("solid, or so it says");
  for (const std::size_t size : {150U, 100U, 84U}) {
    expect_says(surface_error(solid.substr(0, size), ".stl"), " byte 80",
                {"declares 2 triangles", "bytes follow", "cut short"});
  }
  expect_says(surface_error(solid.substr(0, 60), ".stl"), " byte 0",
              {"60 bytes", "at least 84", "cut short"});
  expect_says(surface_error(binary.substr(0, 60), ".stl"), " byte 0",
              {"60 bytes", "at least 84", "cut short"});
  std::string few = binary;
  few[80] = 1;
  expect_says(surface_error(few, ".stl"), " byte 80",
              {"declares 1 triangles", "which are 2 triangles"});
  expect_says(surface_error("solid x\nendsolid\n", ".stl"), " ", {"no vertices"});
}

TEST(Surface, OfGmshMeditAndVtkFilesIsTheSameCube) {
  const std::filesystem::path data = test::source_folder() / "tests/data/meshes";
  for (const char* file : {"cube_gmsh22_ascii.msh", "cube_gmsh22_binary.msh",
                           "cube_gmsh41_ascii.msh", "cube_gmsh41_binary.msh", "cube_medit.mesh"}) {
    const SurfaceQuality q = surface_quality(read_surface(data / file));
    EXPECT_TRUE(q.closed() && q.manifold()) << file;
    EXPECT_NEAR(q.area, 6, 1e-12) << file;
    EXPECT_EQ(q.components, 1U) << file;
  }
  const SurfaceMesh vtk = read_surface(data / "two_vtk_ascii.vtu");
  EXPECT_EQ(vtk.triangles.size(), 3U);  // a triangle and a quad
}

TEST(Surface, QuadsOfGmshAndMeditAreCut) {
  const std::string gmsh =
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n"
      "$EndNodes\n$Elements\n1\n1 3 2 1 1 1 2 3 4\n$EndElements\n";
  expect_square(surface_of(gmsh, ".msh"));
  const std::string medit =
      "MeshVersionFormatted 2\nDimension 3\nVertices 4\n0 0 0 0\n1 0 0 0\n1 1 0 0\n0 1 0 0\n"
      "Quadrilaterals 1\n1 2 3 4 0\nEnd\n";
  expect_square(surface_of(medit, ".mesh"));
  expect_says(surface_error(replaced(medit, "1 2 3 4 0", "1 2 3 7 0"), ".mesh"),
              "9: ", {"vertex index 7 in face 1"});
}

TEST(Surface, UnknownFormatIsNamed) {
  expect_says(surface_error("x", ".fbx"), " ", {"unknown surface format '.fbx'", ".obj"});
}

TEST(Surface, TetsFromASurfaceFormatAdviseTetrahedralize) {
  EXPECT_NE(mesh_error(kObjVertices, ".obj").find("lilyan mesh tetrahedralize"), std::string::npos);
}

}  // namespace
}  // namespace lilyan::test::surface_readers_test
