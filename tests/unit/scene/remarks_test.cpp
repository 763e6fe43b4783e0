// The remark on a body that the scene's method turns too slowly.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "app/scene/scene.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test::remarks_test {
namespace {

struct Bar {
  double young = 1e7;
  std::string more = {};
  std::string method = "avf";
  double step = 1.0 / 60;
};

// What is said about sound; empty if nothing is.
std::string remark(const Bar& bar) {
  const TempFolder folder;
  const auto file = folder.write(
      "s.toml",
      fmt::format(
          "[integrator]\nmethod = \"{}\"\nstep = {}\nsteps = 1\n[[body]]\nname = \"rod\"\n"
          "shape = {{ kind = \"bar\", size = [0.3, 0.05, 0.05], cells = [3, 1, 1] }}\n"
          "density = 1100\nmaterial = {{ model = \"stvk\", young = {}, poisson = 0.3 }}\n{}",
          bar.method, bar.step, bar.young, bar.more));
  const Scene scene = load_scene(file);
  const auto found = std::ranges::find_if(
      scene.remarks, [](const std::string& r) { return r.find("sound") != std::string::npos; });
  return found == scene.remarks.end() ? "" : *found;
}

TEST(RemarkOnSound, IsMadeOfStiffBodiesThatCanTurn) {
  const std::string said = remark({});
  EXPECT_NE(said.find("sound crosses rod 6.1 times within a step"), std::string::npos) << said;
  EXPECT_NE(said.find("energy-momentum"), std::string::npos) << said;
  EXPECT_NE(
      remark(
          {.more = "[[body.fix]]\nball = { center = [-0.15, -0.025, -0.025], radius = 0.01 }\n"}),
      "");
  // Held at an axis, it turns.
  const std::string hinge = remark({.more = "[[constraint]]\nkind = \"hinge\"\nfrom = [-0.15, "
                                            "-0.025, -0.025]\nto = [-0.15, -0.025, 0.025]\n"});
  EXPECT_NE(hinge, "");
}

TEST(RemarkOnSound, IsNotMadeOfOthers) {
  EXPECT_EQ(remark({.young = 1e5}), "") << "sound needs longer than a step";
  EXPECT_EQ(remark({.step = 1e-3}), "");
  EXPECT_EQ(remark({.more = "[[body.fix]]\nslab = { axis = \"x\", from = 0, to = 0 }\n"}), "")
      << "cannot turn";
  for (const char* method : {"energy-momentum", "implicit-midpoint", "backward-euler", "bdf2"}) {
    EXPECT_EQ(remark({.method = method}), "") << method;
  }
  EXPECT_NE(remark({.method = "discrete-gradient"}), "");
}

}  // namespace
}  // namespace lilyan::test::remarks_test
