// Damaged files of every format, from memory: a reader returns something sound or throws
// InputError. LILYAN_FUZZ_SECONDS makes it go on for so long for each file, with new seeds, as for
// a night under sanitizers.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "support/mutate.hpp"
#include "support/paths.hpp"
#include "support/readers.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test::reader_fuzz_test {
namespace {

constexpr int kMutations = 1500;

struct Sample {
  std::string reader;
  std::string name;
  std::string bytes;
};

std::string data(const std::string& name) {
  return read_text(test::source_folder() / "tests/data/meshes" / name);
}

std::string raw(const std::vector<float>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float)};
}

std::string reversed(std::string bytes) { return {bytes.rbegin(), bytes.rend()}; }

std::vector<Sample> samples() {
  std::vector<Sample> all;
  for (const char* file : {"cube_gmsh22_ascii.msh", "cube_gmsh22_binary.msh",
                           "cube_gmsh41_ascii.msh", "cube_gmsh41_binary.msh"}) {
    all.push_back({"gmsh", file, data(file)});
    all.push_back({"gmsh_surface", file, data(file)});
  }
  all.push_back({"medit", "cube_medit.mesh", data("cube_medit.mesh")});
  all.push_back({"medit_surface", "cube_medit.mesh", data("cube_medit.mesh")});
  all.push_back({"tetgen_node", "node", std::string(kFuzzNode)});
  all.push_back({"tetgen_ele", "ele", std::string(kFuzzEle)});
  for (const char* file : {"two_vtk_ascii.vtu", "two_vtk_binary.vtu", "two_vtk_binary_zlib.vtu",
                           "two_vtk_raw.vtu", "two_vtk_base64.vtu", "two_vtk_base64_zlib_big.vtu",
                           "two_vtk_raw_zlib.vtu", "two_vtk_raw_big.vtu"}) {
    all.push_back({"vtu", file, data(file)});
  }
  all.push_back({"vtu_mesh", "two_vtk_ascii.vtu", data("two_vtk_ascii.vtu")});
  all.push_back({"vtu_surface", "two_vtk_raw.vtu", data("two_vtk_raw.vtu")});
  all.push_back({"obj", "obj",
                 "# a tet\no t\nv 0 0 0\nv 1 0 0 1\nv 0 1 0\nv 0 0 1\nvn 0 0 1\nvt 0 0\ns off\n"
                 "f 1/1/1 3/1/1 2/1/1\nf 1 2 \\\n 4\nf -4 -1 -2\nf 2//1 3//1 4//1\nl 1 2\n"});
  const std::string header =
      "element vertex 4\nproperty float x\nproperty float y\nproperty float z\nproperty uchar "
      "red\nelement face 3\nproperty list uchar int vertex_indices\nproperty short "
      "flag\nend_header\n";
  all.push_back({"ply", "ascii",
                 "ply\nformat ascii 1.0\ncomment hi\n" + header +
                     "0 0 0 1\n1 0 0 2\n0 1 0 3\n0 0 1 4\n3 0 2 1 7\n4 0 1 3 2 8\n3 1 2 3 9\n"});
  for (const bool big : {false, true}) {
    std::string body;
    const auto put = [&](const std::string& item) { body += big ? reversed(item) : item; };
    for (const std::vector<float>& p :
         {std::vector<float>{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}) {
      for (const float x : p) put(raw({x}));
      body += '\x11';
    }
    for (const std::vector<char>& face : {std::vector<char>{0, 2, 1}, {0, 1, 3, 2}, {1, 2, 3}}) {
      body += static_cast<char>(face.size());
      for (const char v : face) put(std::string{v, 0, 0, 0});
      put(std::string{7, 0});
    }
    all.push_back({"ply", big ? "big" : "little",
                   std::string("ply\nformat binary_") + (big ? "big" : "little") + "_endian 1.0\n" +
                       header + body});
  }
  std::string stl_text = "solid s\n";
  std::string stl_binary = std::string(80, ' ') + std::string("\2\0\0\0", 4);
  for (const std::vector<float>& t :
       {std::vector<float>{0, 0, 0, 0, 1, 0, 1, 0, 0}, {0, 0, 0, 1, 0, 0, 0, 0, 1}}) {
    stl_text += "facet normal 0 0 1\nouter loop\n";
    for (std::size_t c = 0; c < 9; c += 3) {
      stl_text += "vertex " + std::to_string(t[c]) + " " + std::to_string(t[c + 1]) + " " +
                  std::to_string(t[c + 2]) + "\n";
    }
    stl_text += "endloop\nendfacet\n";
    stl_binary += raw({0, 0, 1}) + raw(t) + std::string(2, '\0');
  }
  all.push_back({"stl", "ascii", stl_text + "endsolid s\n"});
  all.push_back({"stl", "binary", stl_binary});
  return all;
}

const Reader& reader_of(const std::string& name) {
  for (const Reader& r : readers()) {
    if (r.name == name) return r;
  }
  throw std::logic_error("no reader " + name);
}

long peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

class ReaderFuzz : public testing::TestWithParam<Sample> {};

TEST_P(ReaderFuzz, DamagedBytesAreReadOrRejected) {
  const Sample& sample = GetParam();
  const Reader& reader = reader_of(sample.reader);
  ASSERT_NO_THROW(reader.read(sample.bytes)) << "the file as it is";
  const char* seconds = std::getenv("LILYAN_FUZZ_SECONDS");
  const double limit = seconds ? std::atof(seconds) : 0;
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const long before = peak_megabytes();
  long read = 0;
  long refused = 0;
  unsigned seed = 1;
  do {
    Dice dice(seed);
    for (int i = 0; i < kMutations; ++i) {
      const std::string bytes = mutated(sample.bytes, dice);
      if (bytes.empty()) continue;
      try {
        reader.read(bytes);
        ++read;
      } catch (const InputError& error) {
        ++refused;
        ASSERT_FALSE(error.message().empty());
      } catch (const std::exception& error) {
        FAIL() << "seed " << seed << ", mutation " << i << ": not an InputError: " << error.what();
      }
    }
    ++seed;
  } while (elapsed() < limit);
  // A sanitizer holds on to freed memory for a while, hence the size.
  EXPECT_LT(peak_megabytes() - before, 400);
  // Damage that is never noticed, or always, would say that the mutations miss the data.
  EXPECT_GT(read, kMutations / 100);
  EXPECT_GT(refused, kMutations / 5);
  if (limit > 0) {
    std::cout << sample.reader << " " << sample.name << ": " << read << " read, " << refused
              << " refused\n";
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, ReaderFuzz, testing::ValuesIn(samples()),
                         [](const testing::TestParamInfo<Sample>& sample) {
                           std::string name = sample.param.reader + "_" + sample.param.name;
                           std::erase_if(name, [](char c) { return c == '.'; });
                           return name;
                         });

}  // namespace
}  // namespace lilyan::test::reader_fuzz_test
