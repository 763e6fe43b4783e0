// Damaged mesh files: whatever a file holds, read_mesh returns a mesh that is sound or throws
// InputError. Run under sanitizers this is also a search for reads out of bounds.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "app/files/mesh.hpp"
#include "lilyan/base/error.hpp"
#include "support/mutate.hpp"
#include "support/paths.hpp"

namespace lilyan::mesh_fuzz_test {
namespace {

using test::Dice;
using test::mutated;

constexpr int kMutationsPerFile = 2000;

std::string load(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// What read_mesh promises about every mesh that it returns.
void expect_sound(const TetMesh& mesh) {
  const int count = static_cast<int>(mesh.vertices.size());
  std::vector<bool> used(mesh.vertices.size(), false);
  ASSERT_FALSE(mesh.tets.empty());
  for (std::array<int, 4> tet : mesh.tets) {
    for (const int v : tet) {
      ASSERT_TRUE(v >= 0 && v < count);
      used[static_cast<std::size_t>(v)] = true;
    }
    std::ranges::sort(tet);
    ASSERT_EQ(std::ranges::adjacent_find(tet), tet.end());
  }
  ASSERT_EQ(std::ranges::count(used, false), 0);
  for (const auto& vertex : mesh.vertices) {
    for (const double x : vertex) ASSERT_TRUE(std::isfinite(x));
  }
}

struct Outcomes {
  int meshes = 0;
  int errors = 0;
};

void read_and_judge(const std::filesystem::path& path, Outcomes& outcomes) {
  try {
    const TetMesh mesh = read_mesh(path);
    ++outcomes.meshes;
    expect_sound(mesh);
  } catch (const InputError& error) {
    ++outcomes.errors;
    ASSERT_TRUE(std::string(error.what()).starts_with(path.parent_path().string()));
    ASSERT_FALSE(error.message().empty());
  } catch (const std::exception& error) {
    FAIL() << "not an InputError: " << error.what();
  }
}

long peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

class MeshFuzz : public testing::TestWithParam<const char*> {};

TEST_P(MeshFuzz, DamagedFilesAreReadOrRejected) {
  const std::filesystem::path original =
      test::source_folder() / "tests" / "data" / "meshes" / GetParam();
  const std::string good = load(original);
  ASSERT_FALSE(good.empty());
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("lilyan_fuzz_" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const std::filesystem::path damaged = folder / GetParam();
  const bool is_node = original.extension() == ".node";
  if (is_node || original.extension() == ".ele") {
    std::filesystem::path partner = original;
    partner.replace_extension(is_node ? ".ele" : ".node");
    std::filesystem::copy_file(partner, folder / partner.filename());
  }

  const long before = peak_megabytes();
  Outcomes outcomes;
  Dice dice(4711);
  for (int i = 0; i < kMutationsPerFile && !HasFatalFailure(); ++i) {
    const std::string bytes = mutated(good, dice);
    // Some file systems write a file to disk when it is cut and refilled, but not a new one.
    std::filesystem::remove(damaged);
    std::ofstream(damaged, std::ios::binary) << bytes;
    SCOPED_TRACE("mutation " + std::to_string(i));
    read_and_judge(damaged, outcomes);
  }
  std::filesystem::remove_all(folder);
  // A sanitizer holds on to freed memory for a while, hence the size.
  EXPECT_LT(peak_megabytes() - before, 400);
  // Damage that is never noticed, or always, would say that the mutations miss the data.
  EXPECT_GT(outcomes.meshes, kMutationsPerFile / 50);
  EXPECT_GT(outcomes.errors, kMutationsPerFile / 4);
}

INSTANTIATE_TEST_SUITE_P(Files, MeshFuzz,
                         testing::Values("cube_gmsh22_ascii.msh", "cube_gmsh22_binary.msh",
                                         "cube_gmsh22_parametric.msh", "cube_gmsh41_ascii.msh",
                                         "cube_gmsh41_binary.msh", "cube_gmsh41_parametric.msh",
                                         "cube_medit.mesh", "cube_tetgen.node", "cube_tetgen.ele",
                                         "two_vtk_raw.vtu"));

}  // namespace
}  // namespace lilyan::mesh_fuzz_test
