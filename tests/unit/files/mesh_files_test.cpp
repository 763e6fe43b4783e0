// Mesh files that Gmsh and TetGen wrote (tests/data/meshes), and the choice of the reader.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "app/files/mesh.hpp"
#include "lilyan/base/error.hpp"
#include "support/paths.hpp"

namespace lilyan::mesh_files_test {
namespace {

using Point = std::array<double, 3>;

const std::filesystem::path kMeshes = test::source_folder() / "tests" / "data" / "meshes";

double volume(const TetMesh& mesh, const std::array<int, 4>& tet) {
  std::array<Point, 4> p{};
  for (std::size_t c = 0; c < 4; ++c) p[c] = mesh.vertices.at(static_cast<std::size_t>(tet[c]));
  std::array<Point, 3> e{};
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t axis = 0; axis < 3; ++axis) e[c][axis] = p[c + 1][axis] - p[0][axis];
  }
  return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
          e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
          e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
         6;
}

double volume(const TetMesh& mesh) {
  double sum = 0;
  for (const auto& tet : mesh.tets) sum += std::abs(volume(mesh, tet));
  return sum;
}

// The tets as corner points, in an order that does not depend on how the file numbers them.
std::vector<std::array<Point, 4>> shape(const TetMesh& mesh) {
  std::vector<std::array<Point, 4>> tets;
  for (const auto& tet : mesh.tets) {
    std::array<Point, 4> corners{};
    for (std::size_t c = 0; c < 4; ++c) {
      corners[c] = mesh.vertices.at(static_cast<std::size_t>(tet[c]));
    }
    std::ranges::sort(corners);
    tets.push_back(corners);
  }
  std::ranges::sort(tets);
  return tets;
}

std::string error_of(const std::filesystem::path& path) {
  try {
    static_cast<void>(read_mesh(path));
  } catch (const InputError& error) {
    return error.what();
  }
  return "(no error)";
}

TEST(MeshFiles, AllFormatsGiveTheSameMesh) {
  const TetMesh first = read_mesh(kMeshes / "cube_gmsh22_ascii.msh");
  ASSERT_EQ(first.vertices.size(), 15U);
  ASSERT_EQ(first.tets.size(), 29U);
  EXPECT_NEAR(volume(first), 1, 1e-14);
  for (const char* name :
       {"cube_gmsh22_binary.msh", "cube_gmsh22_parametric.msh", "cube_gmsh41_ascii.msh",
        "cube_gmsh41_binary.msh", "cube_gmsh41_parametric.msh", "cube_medit.mesh",
        "cube_tetgen_medit.mesh", "cube_tetgen.node", "cube_tetgen.ele", "cube_tetgen_zero.node",
        "cube_tetgen_zero.ele"}) {
    SCOPED_TRACE(name);
    const TetMesh mesh = read_mesh(kMeshes / name);
    EXPECT_EQ(mesh.vertices, first.vertices);
    EXPECT_NEAR(volume(mesh), 1, 1e-14);
    EXPECT_EQ(shape(mesh), shape(first));
  }
}

TEST(MeshFiles, KeepsTheFilesOrientation) {
  for (const char* name : {"cube_gmsh22_ascii.msh", "cube_gmsh41_binary.msh", "cube_medit.mesh"}) {
    const TetMesh mesh = read_mesh(kMeshes / name);
    for (const auto& tet : mesh.tets) EXPECT_GT(volume(mesh, tet), 0) << name;
  }
}

TEST(MeshFiles, RejectsAMeshOfSecondOrder) {
  const std::string error = error_of(kMeshes / "cube_gmsh41_order2.msh");
  EXPECT_NE(error.find("only linear tets"), std::string::npos) << error;
  EXPECT_NE(error.find("29 tetrahedra of order 2"), std::string::npos) << error;
}

class MeshChoice : public testing::Test {
 protected:
  MeshChoice()
      : folder_(std::filesystem::temp_directory_path() /
                ("lilyan_choice_" + std::to_string(getpid()))) {
    std::filesystem::create_directory(folder_);
  }
  ~MeshChoice() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path copy(const std::string& from, const std::string& to) const {
    std::filesystem::copy_file(kMeshes / from, folder_ / to);
    return folder_ / to;
  }
  std::filesystem::path write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

TEST_F(MeshChoice, TellsGmshAndMeditByContent) {
  EXPECT_EQ(read_mesh(copy("cube_gmsh41_binary.msh", "a.mesh")).tets.size(), 29U);
  EXPECT_EQ(read_mesh(copy("cube_medit.mesh", "b.msh")).tets.size(), 29U);
}

TEST_F(MeshChoice, TakesExtensionsOfEitherCase) {
  EXPECT_EQ(read_mesh(copy("cube_gmsh41_binary.msh", "a.MSH")).tets.size(), 29U);
  EXPECT_EQ(read_mesh(copy("cube_medit.mesh", "b.Mesh")).tets.size(), 29U);
}

TEST_F(MeshChoice, RejectsWhatIsNoMeshFile) {
  const std::vector<std::pair<std::filesystem::path, std::string>> cases = {
      {folder() / "absent.msh", "absent.msh: no such file"},
      {folder() / "absent.mesh", "absent.mesh: no such file"},
      {folder() / "absent.ele", "absent.ele: no such file"},
      {write("empty.msh", ""), "empty.msh: the file is empty"},
      {write("cube.vtk", "# vtk"), "cube.vtk: unknown mesh format '.vtk': expected .msh"},
      {write("cube", "$MeshFormat"), "cube: unknown mesh format (no extension)"},
      {write("cube.meshb", "\1"), "cube.meshb: binary Medit files are not read"},
  };
  for (const auto& [path, part] : cases) {
    EXPECT_NE(error_of(path).find(part), std::string::npos) << error_of(path);
  }
  for (const char* name : {"folder.msh", "folder.node"}) {
    std::filesystem::create_directory(folder() / name);
    write("folder.ele", "1 4 0\n");
    EXPECT_NE(error_of(folder() / name).find("not a regular file"), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace lilyan::mesh_files_test
