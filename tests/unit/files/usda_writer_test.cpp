// USDA files against the grammar that is used of it.
#include "app/files/surface_writer.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include <cmath>
#include <map>
#include <regex>
#include <string>

#include "support/mesh_text.hpp"

namespace lilyan::test::usda_writer_test {
namespace {

// A parser of the part of USDA that scenes are made of: header, prims, attributes with values, time
// samples and metadata. Values come out as the text of their numbers.
class Usda {
 public:
  struct Attribute {
    std::string type;
    std::map<double, std::vector<double>> samples;  // at time 0 where there are none
    std::string text;
    bool sampled = false;
    std::map<std::string, std::string> metadata;
  };
  struct Prim {
    std::string type;
    std::map<std::string, std::string> metadata;
    std::map<std::string, Attribute> attributes;
  };

  explicit Usda(const std::string& text) : text_(text) {
    expect("#usda 1.0");
    metadata(header);
    prim("");
    blanks();
    EXPECT_EQ(at_, text_.size());
  }

  std::map<std::string, std::string> header;
  std::map<std::string, Prim> prims;  // by path

 private:
  void blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool next_is(const std::string& word) {
    blanks();
    return text_.compare(at_, word.size(), word) == 0;
  }
  void expect(const std::string& word) {
    if (!next_is(word)) {
      throw std::runtime_error("expected " + word + " before " + text_.substr(at_, 30));
    }
    at_ += word.size();
  }
  std::string token() {
    blanks();
    const std::size_t start = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_' ||
            text_[at_] == '.' || text_[at_] == '-' || text_[at_] == '+')) {
      ++at_;
    }
    if (at_ == start) throw std::runtime_error("expected a word before " + text_.substr(at_, 30));
    return text_.substr(start, at_ - start);
  }
  std::string quoted_text() {
    expect("\"");
    const std::size_t end = text_.find('"', at_);
    const std::string found = text_.substr(at_, end - at_);
    at_ = end + 1;
    return found;
  }
  void metadata(std::map<std::string, std::string>& into) {
    expect("(");
    while (!next_is(")")) {
      const std::string key = token();
      expect("=");
      into[key] = next_is("\"") ? quoted_text() : token();
    }
    expect(")");
  }
  void numbers(std::vector<double>& out) {
    const bool list = next_is("[");
    if (!list && !next_is("(")) {
      std::size_t used = 0;
      const std::string word = token();
      out.push_back(std::stod(word, &used));
      EXPECT_EQ(used, word.size());
      return;
    }
    expect(list ? "[" : "(");
    const std::string end = list ? "]" : ")";
    while (!next_is(end)) {
      numbers(out);
      if (!next_is(end)) expect(",");
    }
    expect(end);
  }
  void attribute(Prim& prim) {
    std::string type = token();
    if (type == "uniform") type = token();
    if (next_is("[")) {
      expect("[");
      expect("]");
      type += "[]";
    }
    std::string name = token();
    while (next_is(":")) {
      expect(":");
      name += ":" + token();
    }
    const std::size_t dot = name.find(".timeSamples");
    const bool sampled = dot != std::string::npos;
    if (sampled) name.resize(dot);
    Attribute& a = prim.attributes[name];
    EXPECT_TRUE(a.type.empty() || a.type == type) << name;
    a.type = type;
    a.sampled = a.sampled || sampled;
    if (next_is("=")) {
      expect("=");
      if (sampled) {
        expect("{");
        while (!next_is("}")) {
          const double time = std::stod(token());
          EXPECT_TRUE(a.samples.empty() || a.samples.rbegin()->first < time) << "times ascend";
          expect(":");
          numbers(a.samples[time]);
          expect(",");
        }
        expect("}");
      } else if (next_is("\"")) {
        a.text = quoted_text();
      } else if (next_is("[\"")) {
        expect("[");
        a.text = quoted_text();
        expect("]");
      } else {
        numbers(a.samples[0]);
      }
    }
    if (next_is("(")) metadata(a.metadata);
  }
  void prim(const std::string& parent) {
    expect("def");
    const std::string type = token();
    const std::string name = quoted_text();
    EXPECT_TRUE(std::regex_match(name, std::regex("[A-Za-z_][A-Za-z0-9_]*"))) << name;
    const std::string path = parent + "/" + name;
    EXPECT_FALSE(prims.contains(path)) << path;
    prims[path].type = type;
    if (next_is("(")) metadata(prims[path].metadata);
    expect("{");
    while (!next_is("}")) {
      if (next_is("def ")) {
        this->prim(path);
      } else {
        attribute(prims[path]);
      }
    }
    expect("}");
  }

  std::string text_;
  std::size_t at_ = 0;
};

class UsdaFiles : public testing::Test {
 protected:
  UsdaFiles()
      : parts_(surface_parts({.tets = tets_,
                              .tet_body = tet_body_,
                              .triangles = triangles_,
                              .triangle_body = triangle_body_,
                              .edges = edges_,
                              .edge_body = edge_body_,
                              .body_names = names_})) {}
  const std::vector<std::array<int, 4>> tets_ = {{0, 1, 2, 3}};
  const std::vector<int> tet_body_ = {0};
  const std::vector<std::array<int, 3>> triangles_ = {{4, 5, 6}};
  const std::vector<int> triangle_body_ = {1};
  const std::vector<std::array<int, 2>> edges_ = {{4, 5}};
  const std::vector<int> edge_body_ = {1};
  const std::vector<std::string> names_ = {"1 bär", "1 b_r"};
  std::vector<SurfacePart> parts_;
  std::vector<double> points_ = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 2, 0, 0, 3, 0, 0, 2, 1, -1e-9};
  TempFolder folder_;
};

TEST_F(UsdaFiles, AnimationHasTimeSamplesOfEverythingThatMoves) {
  FrameStore store(folder_.path() / "store", vertex_count(parts_));
  std::vector<float> points;
  for (const double t : {0.0, 0.5, 0.75}) {
    std::vector<double> moved = points_;
    for (double& x : moved) x += t;
    gather(parts_, moved, points);
    store.add(t, points);
  }
  write_usda(folder_.path() / "run.usda", parts_, store, {.up = UpAxis::z});
  Usda usda(read_text(folder_.path() / "run.usda"));
  EXPECT_EQ(usda.header["upAxis"], "Z");
  EXPECT_EQ(usda.header["startTimeCode"], "0");
  EXPECT_EQ(usda.header["endTimeCode"], "18");
  EXPECT_EQ(usda.header["timeCodesPerSecond"], "24");
  EXPECT_EQ(usda.header["defaultPrim"], "run");
  ASSERT_EQ(usda.prims.size(), 4U);
  EXPECT_EQ(usda.prims["/run"].type, "Xform");
  std::size_t meshes = 0;
  for (auto& [path, prim] : usda.prims) {
    if (prim.type != "Mesh") continue;
    ++meshes;
    // Names that USD does not allow are kept beside it.
    EXPECT_TRUE(prim.metadata["displayName"] == names_[0] ||
                prim.metadata["displayName"] == names_[1])
        << path;
    auto& a = prim.attributes;
    EXPECT_EQ(a["points"].type, "point3f[]");
    EXPECT_EQ(a["normals"].type, "normal3f[]");
    EXPECT_EQ(a["normals"].metadata["interpolation"], "vertex");
    EXPECT_EQ(a["extent"].type, "float3[]");
    EXPECT_EQ(a["subdivisionScheme"].text, "none");
    const std::size_t faces = a["faceVertexCounts"].samples[0].size();
    ASSERT_EQ(a["faceVertexIndices"].samples[0].size(), 3 * faces);
    for (const char* name : {"points", "normals", "extent"}) {
      EXPECT_TRUE(a[name].sampled);
      ASSERT_EQ(a[name].samples.size(), 3U) << name;
      EXPECT_TRUE(a[name].samples.contains(12)) << name;
    }
    const std::vector<double>& at = a["points"].samples[12];
    for (const double i : a["faceVertexIndices"].samples[0]) {
      EXPECT_LT(3 * i, static_cast<double>(at.size()));
    }
    EXPECT_EQ(a["normals"].samples[12].size(), at.size());
    const std::vector<double>& extent = a["extent"].samples[12];
    ASSERT_EQ(extent.size(), 6U);
    for (std::size_t i = 0; i < at.size(); ++i) {
      EXPECT_GE(at[i], extent[i % 3]);
      EXPECT_LE(at[i], extent[3 + i % 3]);
    }
    EXPECT_NEAR(at[0], prim.attributes["points"].samples[0][0] + 0.5, 1e-6);
  }
  EXPECT_EQ(meshes, 2U);
}

TEST_F(UsdaFiles, PropsHaveTransformsAndTheRateIsAsAsked) {
  FrameStore store(folder_.path() / "store", vertex_count(parts_));
  std::vector<float> points;
  gather(parts_, points_, points);
  for (const double t : {0.0, 0.5}) store.add(t, points);
  const RigidMotion motion({{0, Vec3(0, 0, 0), 0}, {1, Vec3(0, 2, 0), std::numbers::pi}},
                           Vec3::UnitZ(), Vec3(1, 0, 0), Easing::linear, false);
  const std::vector<Prop> props = {{.name = "plane1",
                                    .points = {0, 0, 0, 1, 0, 0, 0, 1, 0},
                                    .normals = {0, 0, 1, 0, 0, 1, 0, 0, 1},
                                    .triangles = {{0, 1, 2}},
                                    .motion = motion}};
  write_usda(folder_.path() / "run.usda", parts_, store, {.props = props, .rate = 30});
  Usda usda(read_text(folder_.path() / "run.usda"));
  EXPECT_EQ(usda.header["timeCodesPerSecond"], "30");
  EXPECT_EQ(usda.header["endTimeCode"], "15");
  auto& a = usda.prims["/run/plane1"].attributes;
  EXPECT_EQ(a["points"].samples[0], (std::vector<double>{0, 0, 0, 1, 0, 0, 0, 1, 0}));
  EXPECT_EQ(a["faceVertexIndices"].samples[0], (std::vector<double>{0, 1, 2}));
  EXPECT_TRUE(a["xformOp:transform"].sampled);
  EXPECT_EQ(a["xformOpOrder"].text, "xformOp:transform");
  // A quarter turn about (1, 0, 0), and 1 up: (0, 0, 0) goes to (1, -1 + 1, 0). Points are rows.
  const std::vector<double> m = a["xformOp:transform"].samples[15];
  const std::vector<double> expected = {0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1};
  ASSERT_EQ(m.size(), expected.size());
  for (std::size_t i = 0; i < m.size(); ++i) EXPECT_NEAR(m[i], expected[i], 1e-12) << i;
}

TEST_F(UsdaFiles, SingleFrameHasPlainValues) {
  write_surface(folder_.path() / "s.usda", {.parts = parts_, .points = points_});
  Usda usda(read_text(folder_.path() / "s.usda"));
  EXPECT_EQ(usda.header["endTimeCode"], "0");
  std::size_t curves = 0;
  for (auto& [path, prim] : usda.prims) {
    EXPECT_FALSE(prim.attributes["points"].sampled);
    if (prim.type != "BasisCurves") continue;
    ++curves;
    EXPECT_EQ(prim.attributes["points"].samples[0], (std::vector<double>{2, 0, 0, 3, 0, 0}));
    EXPECT_EQ(prim.attributes["curveVertexCounts"].samples[0], std::vector<double>{2});
  }
  EXPECT_EQ(curves, 1U);
}

}  // namespace
}  // namespace lilyan::test::usda_writer_test
