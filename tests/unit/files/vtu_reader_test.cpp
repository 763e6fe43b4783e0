// VTK XML files: those that VTK writes in all its encodings, and our own frames.
#include "app/files/mesh.hpp"
#include "app/files/vtu.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <string>

#include "app/files/vtu.hpp"
#include "support/mesh_text.hpp"
#include "support/paths.hpp"

namespace lilyan::test::vtu_reader_test {
namespace {

const std::filesystem::path kData = test::source_folder() / "tests/data/meshes";

class VtkFiles : public testing::TestWithParam<const char*> {};

TEST_P(VtkFiles, AreReadInEveryEncoding) {
  const VtuContent c = read_vtu(kData / GetParam());
  const std::vector<std::array<double, 3>> points = {
      {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
  EXPECT_EQ(c.points, points);
  EXPECT_EQ(c.tets, (std::vector<std::array<int, 4>>{{0, 1, 2, 3}, {1, 2, 3, 4}}));
  EXPECT_EQ(c.triangles, (std::vector<std::array<int, 3>>{{0, 2, 1}, {1, 2, 4}, {1, 4, 3}}));
  EXPECT_EQ(c.edges, (std::vector<std::array<int, 2>>{{0, 4}}));
  EXPECT_EQ(c.tet_body, (std::vector<int>{0, 0}));
  EXPECT_EQ(c.triangle_body, (std::vector<int>{1, 1, 1}));
  EXPECT_EQ(c.edge_body, (std::vector<int>{2}));
  ASSERT_EQ(c.velocity.size(), 5U);
  const bool ascii = std::string(GetParam()).find("ascii") != std::string::npos;
  for (int i = 0; i < 5; ++i) {
    const std::array<double, 3> v = {i + 0.1, 0.5, -i / 3.0};
    for (std::size_t a = 0; a < 3; ++a) {
      // VTK writes fewer digits as text.
      EXPECT_NEAR(c.velocity[static_cast<std::size_t>(i)][a], v[a], ascii ? 1e-10 : 0);
    }
  }
  expect_two_tets(read_mesh(kData / GetParam()));
}

INSTANTIATE_TEST_SUITE_P(All, VtkFiles,
                         testing::Values("two_vtk_ascii.vtu", "two_vtk_binary.vtu",
                                         "two_vtk_binary_zlib.vtu", "two_vtk_raw.vtu",
                                         "two_vtk_base64.vtu", "two_vtk_base64_zlib_big.vtu",
                                         "two_vtk_raw_zlib.vtu", "two_vtk_raw_big.vtu"));

TEST(Vtu, OwnFramesReadBackBitForBit) {
  std::mt19937_64 random(1);
  std::vector<double> x;
  std::vector<double> v;
  for (int i = 0; i < 30; ++i) {
    x.push_back(std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 100) - 90));
    v.push_back(-std::ldexp(static_cast<double>(random()), -300));
  }
  const std::vector<std::array<int, 4>> tets = {{0, 1, 2, 3}, {4, 2, 1, 9}};
  const std::vector<int> tet_body = {3, 1};
  const std::vector<std::array<int, 3>> triangles = {{5, 6, 7}};
  const std::vector<int> triangle_body = {0};
  const std::vector<std::array<int, 2>> edges = {{8, 9}, {9, 0}};
  const std::vector<int> edge_body = {7, 7};
  const FrameGeometry geometry{.tets = tets,
                               .tet_body = tet_body,
                               .triangles = triangles,
                               .triangle_body = triangle_body,
                               .edges = edges,
                               .edge_body = edge_body};
  const TempFolder folder;
  for (const bool float64 : {true, false}) {
    const auto file = folder.path() / "f.vtu";
    write_vtu(file, {.x = x, .v = v, .geometry = geometry, .float64 = float64});
    const VtuContent c = read_vtu(file);
    EXPECT_EQ(c.tets, tets);
    EXPECT_EQ(c.tet_body, tet_body);
    EXPECT_EQ(c.triangles, triangles);
    EXPECT_EQ(c.triangle_body, triangle_body);
    EXPECT_EQ(c.edges, edges);
    EXPECT_EQ(c.edge_body, edge_body);
    ASSERT_EQ(c.points.size(), 10U);
    ASSERT_EQ(c.velocity.size(), 10U);
    const auto stored = [&](double value) { return float64 ? value : static_cast<float>(value); };
    for (std::size_t i = 0; i < 30; ++i) {
      EXPECT_EQ(std::bit_cast<std::uint64_t>(c.points[i / 3][i % 3]),
                std::bit_cast<std::uint64_t>(stored(x[i])));
      EXPECT_EQ(std::bit_cast<std::uint64_t>(c.velocity[i / 3][i % 3]),
                std::bit_cast<std::uint64_t>(stored(v[i])));
    }
  }
}

std::string ascii() { return read_text(kData / "two_vtk_ascii.vtu"); }

TEST(Vtu, SaysWhatIsWrongAndWhere) {
  const std::string good = ascii();
  expect_says(mesh_error(replaced(good, "UnstructuredGrid\"", "PolyData\""), ".vtu"),
              "1: ", {"holds 'PolyData'", "only UnstructuredGrid"});
  expect_says(mesh_error(replaced(good, "NumberOfPoints=\"5\"", "NumberOfPoints=\"6\""), ".vtu"),
              "", {"expected 18 numbers, found 15"});
  expect_says(mesh_error(replaced(good, "NumberOfPoints=\"5\"", "NumberOfPoints=\"-5\""), ".vtu"),
              "3: ", {"NumberOfPoints=\"a whole number\"", "found '-5'"});
  expect_says(
      mesh_error(replaced(good, "NumberOfCells=\"5\"", "NumberOfCells=\"5000000000000\""), ".vtu"),
      "", {"declares 5000000000000 numbers", "more than a file of its size"});
  expect_says(mesh_error(replaced(good, "</Piece>", "</Pieces>"), ".vtu"), "",
              {"expected '</Piece>', found '</Pieces>'"});
  expect_says(mesh_error(replaced(good, "Name=\"offsets\"", "Name=\"offset\""), ".vtu"),
              "3: ", {"no DataArray 'offsets'"});
  expect_says(mesh_error(good.substr(0, good.size() - 30), ".vtu"), "", {"the end of the file"});
  expect_says(mesh_error(replaced(good, "<VTKFile", "<!DOCTYPE x>\n<VTKFile"), ".vtu"),
              "1: ", {"document types"});
  expect_says(mesh_error(replaced(good, "format=\"ascii\"", "format=\"hex\""), ".vtu"), "",
              {"unknown format 'hex'"});
  expect_says(
      mesh_error(replaced(read_text(kData / "two_vtk_raw_zlib.vtu"), "vtkZLib", "vtkLZ4"), ".vtu"),
      "1: ", {"vtkLZ4DataCompressor", "save the file with zlib"});
}

// A tet and a polyline that the tests change.
std::string grid(const std::string& points, const std::string& connectivity,
                 const std::string& offsets, const std::string& types) {
  return "<VTKFile type=\"UnstructuredGrid\">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"4\" "
         "NumberOfCells=\"1\">\n<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\">\n" +
         points + "</DataArray></Points>\n<Cells><DataArray type=\"Int32\" Name=\"connectivity\">" +
         connectivity + "</DataArray>\n<DataArray type=\"Int32\" Name=\"offsets\">" + offsets +
         "</DataArray>\n<DataArray type=\"UInt8\" Name=\"types\">" + types +
         "</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>";
}
const std::string kPoints = "0 0 0  1 0 0\n0 1 0  0 0 1";

TEST(Vtu, ChecksCells) {
  EXPECT_EQ(mesh_of(grid(kPoints, "0 1 2 3", "4", "10"), ".vtu").tets.size(), 1U);
  expect_says(mesh_error(grid(kPoints, "0 1 2 4", "4", "10"), ".vtu"), "7: ", {"names point 4 of"});
  expect_says(mesh_error(grid(kPoints, "0 1 2", "3", "10"), ".vtu"),
              "7: ", {"VTK type 10 has 3 points"});
  expect_says(mesh_error(grid(kPoints, "0 1 2 2", "4", "10"), ".vtu"), "",
              {"lists vertex 2 twice"});
  expect_says(mesh_error(grid(kPoints, "0 1 2 3", "-4", "10"), ".vtu"), "", {"not ascending"});
  expect_says(mesh_error(grid("0 0 0 1 0 0 0 x 0 0 0 1", "0 1 2 3", "4", "10"), ".vtu"), "",
              {"found 'x'"});
  expect_says(mesh_error(grid("0 0 0 1 0 0 0 inf 0 0 0 1", "0 1 2 3", "4", "10"), ".vtu"),
              "4: ", {"point 2 are not finite"});
  expect_says(mesh_error(grid(kPoints, "0 1 2 3", "4", "9"), ".vtu"), " ",
              {"no tetrahedra, but 2 triangles"});
}

}  // namespace
}  // namespace lilyan::test::vtu_reader_test
