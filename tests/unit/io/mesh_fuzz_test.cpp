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
#include <random>
#include <string>
#include <vector>

#include "lilyan/core/error.hpp"
#include "lilyan/io/mesh.hpp"

namespace lilyan {
namespace {

constexpr int kMutationsPerFile = 2000;

std::string load(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A generator that gives the same sequence on every machine, which the standard's distributions
// do not.
class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return n == 0 ? 0 : engine_() % n; }

 private:
  std::mt19937_64 engine_;
};

void replace_digit(std::string& bytes, Dice& dice) {
  const std::size_t start = dice.below(bytes.size());
  const std::size_t at = bytes.find_first_of("0123456789", start);
  if (at != std::string::npos) bytes[at] = "0123456789-.e"[dice.below(13)];
}

void replace_word(std::string& bytes, Dice& dice) {
  static const std::vector<std::string> kWords = {"-1",
                                                  "0",
                                                  "nan",
                                                  "inf",
                                                  "1e999",
                                                  "18446744073709551615",
                                                  "18446744073709551616",
                                                  "1000000000000000",
                                                  "4294967296",
                                                  "2147483647",
                                                  "-9223372036854775808",
                                                  "$EndNodes",
                                                  "$Nodes",
                                                  "End",
                                                  "Vertices",
                                                  "#",
                                                  "\"",
                                                  "\n",
                                                  "",
                                                  "10",
                                                  "4711",
                                                  std::string(300, '9')};
  const std::size_t start = dice.below(bytes.size());
  const std::size_t from = bytes.find_first_of(" \n", start);
  if (from == std::string::npos) return;
  const std::size_t to = std::min(bytes.find_first_of(" \n", from + 1), bytes.size());
  bytes.replace(from + 1, to - from - 1, kWords[dice.below(kWords.size())]);
}

// Eight bytes that read as a large, negative or odd number of a binary file.
void replace_binary(std::string& bytes, Dice& dice) {
  static const std::vector<std::string> kNumbers = {std::string(8, '\xff'),
                                                    std::string(4, '\xff'),
                                                    std::string(8, '\0'),
                                                    std::string("\0\0\0\0\0\x80\x03\0", 8),
                                                    std::string("\xff\xff\xff\x7f", 4),
                                                    std::string("\0\0\0\0\0\0\xf0\x7f", 8),
                                                    std::string("\0\0\0\x10\0\0\0\0", 8)};
  const std::string& number = kNumbers[dice.below(kNumbers.size())];
  const std::size_t at = dice.below(bytes.size());
  bytes.replace(at, number.size(), number);
}

void mutate_once(std::string& bytes, Dice& dice) {
  if (bytes.empty()) return;
  const std::size_t at = dice.below(bytes.size());
  const std::size_t length = 1 + dice.below(dice.below(2) == 0 ? 8 : 200);
  switch (dice.below(8)) {
    case 0: bytes[at] = static_cast<char>(bytes[at] ^ (1 << dice.below(8))); break;
    case 1: bytes[at] = static_cast<char>(dice.below(256)); break;
    case 2: bytes.resize(at); break;
    case 3: bytes.erase(at, length); break;
    case 4: bytes.insert(dice.below(bytes.size()), bytes.substr(at, length)); break;
    case 5: replace_digit(bytes, dice); break;
    case 6: replace_word(bytes, dice); break;
    default: replace_binary(bytes, dice);
  }
}

std::string mutated(std::string bytes, Dice& dice) {
  const std::size_t times = 1 + (dice.below(3) == 0 ? dice.below(6) : 0);
  for (std::size_t i = 0; i < times; ++i) mutate_once(bytes, dice);
  return bytes;
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
    ASSERT_FALSE(error.complaint().empty());
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
      std::filesystem::path(LILYAN_SOURCE_DIR) / "tests" / "data" / "meshes" / GetParam();
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
                                         "cube_medit.mesh", "cube_tetgen.node", "cube_tetgen.ele"));

}  // namespace
}  // namespace lilyan
