// The remark on a body that the scene's method turns too slowly.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "app/scene/scene.hpp"
#include "support/paths.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test::remarks_test {
namespace {

struct Bar {
  double young = 1e7;
  std::string more = {};
  std::string method = "avf";
  double step = 1.0 / 60;
};

// The first remark with these words; empty if there is none.
std::string remark_with(const std::string& words, const Scene& scene) {
  const auto found = std::ranges::find_if(
      scene.remarks, [&](const std::string& r) { return r.find(words) != std::string::npos; });
  return found == scene.remarks.end() ? "" : *found;
}

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
  return remark_with("sound", load_scene(file));
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

// A spring within a body that is soft otherwise.
TEST(RemarkOnSound, KnowsStiffSpringsWithinABody) {
  const auto with_spring = [](double stiffness) {
    return Bar{.young = 1e5,
               .more = fmt::format("[[spring]]\nfrom = [-0.15, -0.025, -0.025]\n"
                                   "to = [0.15, -0.025, -0.025]\nstiffness = {}\n",
                                   stiffness)};
  };
  EXPECT_EQ(remark(with_spring(1)), "");
  EXPECT_NE(remark(with_spring(1e9)), "");
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

// What is said about sound, or of what ties bodies, in a scene of these tables.
std::string said(const std::string& bodies, const std::string& method = "avf") {
  const TempFolder folder;
  const Scene scene = load_scene(
      folder.write("s.toml", "[integrator]\nmethod = \"" + method +
                                 "\"\nstep = 0.016666666666666666\nsteps = 1\n" + bodies));
  std::string all;
  for (const std::string& remark : scene.remarks) {
    if (remark.find("within a step") != std::string::npos) all += remark + "\n";
  }
  return all;
}

// Sheets of 1 m and 1 kg, and a rod.
std::string membrane(double young) {
  return fmt::format(
      "[[body]]\nname = \"sheet\"\nmass = 1\nshape = {{ kind = \"grid\", size = [1, 1], cells = "
      "[5, 5] "
      "}}\nmaterial = {{ model = \"membrane-stvk\", young = {}, poisson = 0.3, thickness = 1e-3 "
      "}}\n",
      young);
}
std::string spring_cloth(double stretch) {
  return fmt::format(
      "[[body]]\nname = \"sheet\"\nmass = 1\nshape = {{ kind = \"grid\", size = [1, 1], cells = "
      "[5, 5] "
      "}}\nsprings = {{ stretch = {} }}\n",
      stretch);
}
std::string rod(const std::string& kind, double stretch) {
  return fmt::format(
      "[[body]]\nname = \"rod\"\nmass = 1\nshape = {{ kind = \"line\", length = 1, segments = 10 "
      "}}\n"
      "springs = {{ kind = \"{}\", stretch = {} }}\nbending = 0.1\n",
      kind, stretch);
}
std::string tied(double stiffness, const std::string& more = "") {
  const std::string bar =
      "shape = { kind = \"bar\", size = [0.3, 0.05, 0.05], cells = [6, 2, 2] }\ndensity = 1100\n"
      "material = { model = \"neo-hookean\", young = 1e4, poisson = 0.3 }\n";
  return "[[body]]\nname = \"left\"\n" + bar + "[[body]]\nname = \"right\"\n" + bar +
         "translate = [0.6, 0, 0]\n" + more +
         fmt::format(
             "[[spring]]\nbodies = [\"left\", \"right\"]\nfrom = [0.15, 0, 0]\n"
             "to = [0.45, 0, 0]\nstiffness = {}\n",
             stiffness);
}

TEST(RemarkOnSound, IsMadeOfClothAndRods) {
  for (const std::string& body :
       {membrane(1e9), spring_cloth(1e6), rod("hookean", 1e8), rod("stvk", 1e8)}) {
    const std::string remark = said(body);
    EXPECT_NE(remark.find("sound crosses "), std::string::npos) << body;
    EXPECT_NE(remark.find("energy-momentum"), std::string::npos) << body;
    EXPECT_EQ(said(body, "energy-momentum"), "");
  }
  // c² = E/ρ(1−ν²) with ρ = 1000 kg/m³, where sound goes along the sheet: 1048 m/s.
  EXPECT_NE(said(membrane(1e9)).find("sound crosses sheet 1"), std::string::npos)
      << said(membrane(1e9));
}

TEST(RemarkOnSound, IsNotMadeOfSoftClothAndRods) {
  for (const std::string& body :
       {membrane(1e5), spring_cloth(100), rod("hookean", 100), rod("stvk", 100)}) {
    EXPECT_EQ(said(body), "") << body;
  }
}

TEST(RemarkOnSound, IsMadeOfSoftBodiesOnAStiffSpring) {
  for (const double stiffness : {1e6, 1e9}) {
    const std::string remark = said(tied(stiffness));
    EXPECT_NE(remark.find("left swings"), std::string::npos) << remark;
    EXPECT_NE(remark.find("right swings"), std::string::npos) << remark;
    EXPECT_NE(remark.find("energy-momentum"), std::string::npos) << remark;
    EXPECT_EQ(said(tied(stiffness), "energy-momentum"), "");
  }
  EXPECT_EQ(said(tied(1e3)), "");
}

// No shipped scene is so stiff.
TEST(RemarkOnSound, IsNotMadeOfShippedScenes) {
  for (const char* name : {"chain-links", "flag", "hanging-cloth", "rod", "chain", "bunny",
                           "strain-damped-rod", "sheet-wave", "colliding-blobs"}) {
    const Scene scene =
        load_scene(test::source_folder() / "scenes" / (std::string(name) + ".toml"));
    for (const std::string& remark : scene.remarks) {
      EXPECT_EQ(remark.find("within a step"), std::string::npos) << name << ": " << remark;
    }
  }
}

TEST(RemarkOnSpeed, IsMadeOfBodiesThatMayBeCrossedWithinAStep) {
  const auto said = [](double speed, double both) {
    const TempFolder folder;
    std::string text = "[integrator]\nmethod = \"avf\"\nstep = 0.02\nsteps = 1\n";
    for (const int side : {-1, 1}) {
      text += fmt::format(
          "[[body]]\nname = \"{}\"\nshape = {{ kind = \"ball\", radius = 0.5, cells = 3 }}\n"
          "density = 1\nmaterial = {{ model = \"stvk\", mu = 300, lambda = 300 }}\n"
          "translate = [{}, 0, 0]\nvelocity = [{}, 0, 0]\n",
          side < 0 ? "left" : "right", side * 0.7, both + (side < 0 ? speed : 0.0));
    }
    return remark_with("within a step",
                       load_scene(folder.write("s.toml", text + "[[contact]]\nstiffness = 1000\n"
                                                                "thickness = 0.1\n")));
  };
  EXPECT_EQ(
      said(100, 0),
      "left and right move by 2 m against each other within a step, and the smaller one is "
      "0.94 m long: they may go through each other, and a step in which they meet may take very "
      "long; an integrator.step below 0.0005 moves them by half the thickness of their "
      "contact");
  EXPECT_EQ(said(10, 0), "");
  EXPECT_EQ(said(0, 100), "") << "fast, but not against each other";
}

}  // namespace
}  // namespace lilyan::test::remarks_test
