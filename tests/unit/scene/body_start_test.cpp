// What a scene says of a mesh that falls apart, of points far from a body, and of starts that no body can have.
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "app/scene/scene.hpp"
#include "lilyan/base/error.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test::body_start_test {
namespace {

const std::string kHead =
    "[integrator]\nstep = 0.01\nsteps = 1\n[[body]]\nname = \"a\"\nmass = 1\n";

std::string material(const std::string& model) {
  return "material = { model = \"" + model + "\", mu = 300, lambda = 300 }\n";
}

// The scene's remarks, or the error that reading it gives, one line each.
std::string said_of(const std::string& text,
                    const std::vector<std::array<std::string, 2>>& files = {}) {
  const TempFolder folder;
  for (const auto& [name, content] : files) folder.write(name, content);
  try {
    std::string all;
    for (const std::string& remark : load_scene(folder.write("s.toml", kHead + text)).remarks)
      all += remark + "\n";
    return all;
  } catch (const InputError& error) {
    return "error " + std::to_string(error.where().line) + ": " + error.message();
  }
}

void expect_said(const std::string& said, const std::string& pattern) {
  EXPECT_TRUE(std::regex_search(said, std::regex(pattern)))
      << said << "\n  should match: " << pattern;
}

const std::string kBox = "shape = { kind = \"box\", size = [1, 1, 1], cells = [1, 1, 1] }\n";

std::string stretched(const std::string& factors) {
  return "[[body.deform]]\nkind = \"stretch\"\nfactors = " + factors + "\n";
}

TEST(BodyStart, CollapsedOnesAreRefused) {
  for (const char* factors : {"[0, 0, 0]", "[1, 0, 1]", "[1, 1, 1e-14]", "[1, 1e-9, 1]",
                              "[1e9, 1e-7, 1]", "[1e-7, 1e-7, 1e-7]"}) {
    for (const char* model : {"stvk", "neo-hookean", "stable-neo-hookean"}) {
      expect_said(said_of(kBox + material(model) + stretched(factors)),
                  "^error 9: 'a' starts collapsed: all 6 of its tets have no volume");
    }
  }
  EXPECT_EQ(said_of(kBox + material("stvk") + stretched("[1, 0.01, 1]")), "");
}

TEST(BodyStart, MirroredOnesAreRefusedWhereTheEnergyIsInfinite) {
  expect_said(said_of(kBox + material("neo-hookean") + stretched("[-1, 1, 1]")),
              "^error 9: 'a' starts inside out: all 6 of its tets are inside out there, where the "
              "energy of "
              "'neo-hookean' is infinite");
  expect_said(said_of(kBox + material("stvk") + stretched("[-1, 1, 1]")),
              "^'a' starts mirrored: all 6 of its tets are inside out there; the energy of 'stvk' "
              "is finite");
  EXPECT_EQ(said_of(kBox + material("neo-hookean") + stretched("[-1, -1, 1]")), "")
      << "half a turn";
}

TEST(BodyStart, PositionsAreJudgedAsDeformationsAre) {
  const std::string tet =
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"
      "5 1 1 1\n$EndNodes\n$Elements\n2\n1 4 2 1 1 1 2 3 4\n2 4 2 1 1 2 3 4 5\n$EndElements\n";
  const auto said = [&](const std::string& model, const std::string& positions) {
    return said_of("mesh = \"m.msh\"\npositions = \"p.txt\"\n" + material(model),
                   {{{"m.msh", tet}, {"p.txt", positions}}});
  };
  const std::string rest = "0 0 0\n1 0 0\n0 1 0\n0 0 1\n";
  EXPECT_EQ(said("neo-hookean", rest + "1 1 1\n"), "");
  expect_said(said("neo-hookean", rest + "0.1 0.1 0.1\n"),
              "^error 8: 'a' starts inside out: 1 of its 2 tets are");
  expect_said(said("stvk", rest + "0.1 0.1 0.1\n"),
              "^'a' starts inside out in parts: 1 of its 2 tets");
  expect_said(said("stvk", rest + "0.5 0.5 0\n"),
              "^'a' starts flat in parts: 1 of its 2 tets have no volume");
  expect_said(said("mooney-rivlin", rest + "0.5 0.5 0\n"),
              "^error 8: 'a' starts flat: 1 of its 2 tets");
}

TEST(BodyStart, ClothAndRodsNeedAreaAndLength) {
  const std::string cloth =
      "shape = { kind = \"grid\", size = [1, 1], cells = [2, 2] }\nsprings = { stretch = 5 }\n";
  expect_said(said_of(cloth + stretched("[1, 0, 1]")),
              "^error 9: 'a' starts collapsed: all 8 of its triangles");
  EXPECT_EQ(said_of(cloth + stretched("[-1, 1, 1]")), "");
  const std::string rod =
      "shape = { kind = \"line\", length = 1, segments = 3 }\nsprings = { stretch = 5 }\n";
  expect_said(said_of(rod + stretched("[0, 1, 1]")),
              "^error 9: 'a' starts collapsed: all 3 of its segments");
}

TEST(BodyStart, NumbersThatAreNotFiniteAreRefused) {
  expect_said(
      said_of(kBox + material("stvk") + stretched("[1e308, 1, 1]") + stretched("[1e308, 1, 1]")),
      "^error .*not finite");
  expect_said(said_of(kBox + material("stvk") +
                      "velocity = [1e308, 0, 0]\nangular_velocity = [1e308, 1e308, 1e308]\n" +
                      stretched("[1e10, 1e10, 1e10]")),
              "^error .*velocities that are not finite");
}

// Two tets that touch in a face, whose vertices are listed twice.
const std::string kTorn =
    "MeshVersionFormatted 2\nDimension 3\nVertices 8\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n1 0 0 "
    "0\n0 1 0 0\n"
    "0 0 1 0\n1 1 1 0\nTetrahedra 2\n1 2 3 4 0\n5 6 7 8 0\nEnd\n";

TEST(BodyMesh, ThatFallsApartIsAnnouncedAndJoined) {
  const std::string body = "mesh = \"m.mesh\"\n" + material("stvk");
  const auto said = [&](const std::string& more) {
    return said_of(body + more, {{{"m.mesh", kTorn}}});
  };
  expect_said(
      said(""),
      "^a falls apart: its mesh has 2 parts that touch at 3 points, within 1e-06 of its size.*"
      "merge = true joins them");
  expect_said(said("merge = false\n"), "^a falls apart");
  expect_said(said("merge = true\n"),
              "^merge joined 3 vertices of a with another one within 1e-06");
  EXPECT_EQ(said("merge = true\n").find("falls apart"), std::string::npos);
  expect_said(said("merge = true\nmerge_within = 1e-3\n"),
              "^merge joined 3 vertices of a .* within 0.001");
  expect_said(said("merge = true\nmerge_within = 0.9\n"), "^error 10: .*two corners of element 0");
  expect_said(said("merge = true\nmerge_within = 2\n"), "^error 10: .*must be below 1");
  expect_said(said("merge_within = 0.1\n"), "^error 9: .*needs merge = true");
  expect_said(said_of(kBox + material("stvk") + "merge = true\n"),
              "^error .*a built-in shape has none to join");
}

// The same tet twice, each with vertices of its own: joined, they would be one tet that is listed twice.
TEST(BodyMesh, PartsThatCoincideAreNotToBeJoined) {
  const std::string mesh =
      "MeshVersionFormatted 2\nDimension 3\nVertices 8\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n"
      "0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\nTetrahedra 2\n1 2 3 4 0\n5 6 7 8 0\nEnd\n";
  const std::string said = said_of("mesh = \"m.mesh\"\n" + material("stvk"), {{{"m.mesh", mesh}}});
  expect_said(
      said,
      "^a falls apart: .*merge = true cannot join them, as 1 of its elements would be there twice");
  EXPECT_EQ(said.find("joins them"), std::string::npos) << said;
}

TEST(BodyMesh, TellsOfElementsThatItLeavesOut) {
  const std::string mesh =
      "MeshVersionFormatted 2\nDimension 3\nVertices 6\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n5 0 0 "
      "0\n5 1 0 0\n"
      "Tetrahedra 1\n1 2 3 4 0\nTriangles 2\n1 2 3 0\n1 5 6 0\nEnd\n";
  expect_said(said_of("mesh = \"m.mesh\"\n" + material("stvk"), {{{"m.mesh", mesh}}}),
              "^m.mesh has 1 triangle beside its tets; a leaves them out");
}

TEST(BodyMesh, ClothRefusesTrianglesThatAreThereTwice) {
  const std::string cloth = "springs = { stretch = 5 }\nmesh = \"m.obj\"\n";
  const std::string v = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\n";
  for (const char* twin : {"f 1 2 3\n", "f 2 1 3\n", "f 3 1 2\n"}) {
    expect_said(said_of(cloth, {{{"m.obj", v + "f 1 2 3\nf 2 4 3\n" + twin}}}),
                "^error 8: triangle 2 .* has the same vertices as triangle 0");
  }
  EXPECT_EQ(said_of(cloth, {{{"m.obj", v + "f 1 2 3\nf 2 4 3\n"}}}), "");
}

TEST(Joints, PointsFartherThanACellFromAnyVertexAreToldOf) {
  const std::string body = kBox + material("stvk");
  const auto hinge = [&](const std::string& from, const std::string& to) {
    return said_of(body + "[[constraint]]\nkind = \"hinge\"\nfrom = " + from + "\nto = " + to +
                   "\n");
  };
  EXPECT_EQ(hinge("[-0.5, -0.5, -0.5]", "[0.5, -0.5, -0.5]"), "");
  EXPECT_EQ(hinge("[-1, -0.5, -0.5]", "[1, -0.5, -0.5]"), "") << "within a cell";
  expect_said(hinge("[100, 100, 100]", "[-100, -100, 100]"),
              "'from' of a hinge is \\[100, 100, 100\\], 172 away from the nearest vertex of 'a' "
              "\\(vertex \\d+ at "
              "\\[0.5, 0.5, 0.5\\]\\), while the cells there are 1.[0-9]+ wide[^]*'to' of a hinge");
  const std::string spring = body + "[[spring]]\nstiffness = 3\nlength = 1\n";
  EXPECT_EQ(said_of(spring + "from = [-0.5, -0.5, -0.5]\nto = [0.5, -0.5, -0.5]\n"), "");
  expect_said(said_of(spring + "from = [-0.5, -0.5, -0.5]\nto = [0.5, -9, -0.5]\n"),
              "'to' of a spring is");
}

}  // namespace
}  // namespace lilyan::test::body_start_test
