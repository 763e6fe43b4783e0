// Names of files and folders that mean something to shells, to XML, to URLs or to other programs.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "app/files/process.hpp"
#include "app/files/vtu.hpp"
#include "app/report/picture/html.hpp"
#include "support/paths.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test::odd_names_test {
namespace {

namespace fs = std::filesystem;

const std::string kOdd = "a & (b) 'c' \"d\" <é> #%25 [0]; $x";

// A folder with such a name.
struct OddFolder {
  OddFolder() { fs::create_directories(path); }
  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(path / name, std::ios::binary) << text;
    return path / name;
  }
  [[nodiscard]] std::string run(const std::vector<std::string>& arguments) const {
    const ProcessResult result = run_process(test::program(), arguments, path);
    EXPECT_EQ(result.code, 0) << result.output;
    return result.output;
  }
  TempFolder folder;
  fs::path path = folder.path() / kOdd;
};

// The links of a page, which must lead somewhere.
std::vector<std::string> links(const std::string& page) {
  std::vector<std::string> all;
  const std::string mark = "href=\"./";
  for (std::size_t at = page.find(mark); at != std::string::npos; at = page.find(mark, at)) {
    at += mark.size();
    all.push_back(page.substr(at, page.find('"', at) - at));
  }
  return all;
}

TEST(OddNames, ScenesMeshesAndResults) {
  const OddFolder folder;
  folder.write("m & 'e'.mesh",
               "MeshVersionFormatted 2\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n"
               "0 0 1 0\nTetrahedra\n1\n1 2 3 4 0\nEnd\n");
  folder.write("s & (c) 'e' <n>.toml",
               "[integrator]\nstep = 0.01\nsteps = 2\n[[body]]\nmesh = \"m & 'e'.mesh\"\n"
               "name = \"b & <c>\"\nmaterial = { mu = 1, lambda = 1 }\nmass = 1\n");
  (void)folder.run({"run", "s & (c) 'e' <n>.toml"});
  const fs::path results = folder.path / "results/s & (c) 'e' <n>-avf";
  EXPECT_TRUE(fs::exists(results / "frames/000002.vtu"));
  const std::vector<std::string> files = links(read_text(results / "report.html"));
  EXPECT_FALSE(files.empty());
  for (const std::string& file : files) EXPECT_TRUE(fs::exists(results / file)) << file;
  // The scene as it was run names the mesh, and can be run again from anywhere.
  EXPECT_NE(folder.run({"check", (results / "scene.resolved.toml").string()}).find("1 tet"),
            std::string::npos);
  EXPECT_NE(folder.run({"mesh", "convert", "m & 'e'.mesh", "n & 'f'.vtu"}), "");
  EXPECT_TRUE(fs::exists(folder.path / "n & 'f'.vtu"));
}

TEST(OddNames, PicturesAreConverted) {
  if (!find_program("rsvg-convert")) GTEST_SKIP() << "rsvg-convert is not installed";
  const OddFolder folder;
  folder.write("p.toml",
               "title = \"a & <b>\"\n[integrator]\nstep = 0.1\nsteps = 3\n[system]\n"
               "kind = \"pendulum\"\n[output]\npictures = [\"svg\", \"png\"]\n");
  (void)folder.run({"run", "p.toml", "-o", "o & (u) 't' %d"});
  EXPECT_TRUE(fs::exists(folder.path / "o & (u) 't' %d/energy.png"));
}

TEST(OddNames, SurfacesAreFilled) {
  if (!find_program("tetgen")) GTEST_SKIP() << "tetgen is not installed";
  const OddFolder folder;
  folder.write("s & 'u'.obj",
               "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  (void)folder.run({"mesh", "tetrahedralize", "s & 'u'.obj", "t & (v).msh"});
  EXPECT_TRUE(fs::exists(folder.path / "t & (v).msh"));
}

TEST(OddNames, NamesInXmlAndInLinksAreEscaped) {
  const TempFolder folder;
  {
    PvdWriter pvd(folder.path() / "run.pvd", Opening::fresh);
    pvd.add(0.5, "a & \"b\" <c>.vtu");
  }
  EXPECT_NE(
      read_text(folder.path() / "run.pvd").find("file=\"a &amp; &quot;b&quot; &lt;c&gt;.vtu\""),
      std::string::npos);
  EXPECT_EQ(html::url_path("a & 'b'/c#%.csv"), "./a%20%26%20%27b%27/c%23%25.csv");
}

}  // namespace
}  // namespace lilyan::test::odd_names_test
