// glTF files against the rules of the specification that a reader relies on.
#include "app/files/surface_writer.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include <cmath>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "lilyan/physics/meshes.hpp"
#include "support/mesh_text.hpp"

namespace lilyan::test::gltf_writer_test {
namespace {

using Json = nlohmann::json;

struct Glb {
  Json json;
  std::string data;

  [[nodiscard]] std::vector<float> floats(std::size_t accessor) const {
    const Json& a = json["accessors"][accessor];
    const Json& view = json["bufferViews"][a["bufferView"].get<std::size_t>()];
    const std::size_t start =
        view["byteOffset"].get<std::size_t>() + a.value("byteOffset", std::size_t{0});
    const std::string type = a["type"];
    const std::size_t width = type == "SCALAR" ? 1 : static_cast<std::size_t>(type.back() - '0');
    const std::size_t numbers = a["count"].get<std::size_t>() * width;
    std::vector<float> out(numbers);
    std::memcpy(out.data(), data.data() + start, numbers * sizeof(float));
    return out;
  }
};

std::uint32_t number_at(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// Takes a file apart, checking the container (section 4.4 of the specification).
Glb parse_glb(const std::filesystem::path& file) {
  const std::string bytes = read_text(file);
  EXPECT_EQ(bytes.substr(0, 4), "glTF");
  EXPECT_EQ(number_at(bytes, 4), 2U);
  EXPECT_EQ(number_at(bytes, 8), bytes.size());
  const std::uint32_t json_size = number_at(bytes, 12);
  EXPECT_EQ(json_size % 4, 0U);
  EXPECT_EQ(bytes.substr(16, 4), "JSON");
  Glb glb;
  glb.json = Json::parse(bytes.substr(20, json_size));
  const std::size_t bin = 20 + json_size;
  const std::uint32_t bin_size = number_at(bytes, bin);
  EXPECT_EQ(bin_size % 4, 0U);
  EXPECT_EQ(bytes.substr(bin + 4, 4), std::string("BIN\0", 4));
  EXPECT_EQ(bin + 8 + bin_size, bytes.size());
  glb.data = bytes.substr(bin + 8);
  return glb;
}

void check_views(const Glb& glb) {
  ASSERT_EQ(glb.json["buffers"].size(), 1U);
  EXPECT_EQ(glb.json["buffers"][0]["byteLength"].get<std::size_t>(), glb.data.size());
  std::size_t end = 0;
  for (const Json& view : glb.json["bufferViews"]) {
    EXPECT_EQ(view["buffer"], 0);
    EXPECT_EQ(view["byteOffset"].get<std::size_t>(), end);  // nothing overlaps, nothing is wasted
    EXPECT_EQ(view["byteOffset"].get<std::size_t>() % 4, 0U);
    EXPECT_GE(view["byteLength"].get<std::size_t>(), 1U);
    end += view["byteLength"].get<std::size_t>();
  }
  EXPECT_EQ(end, glb.data.size());
}

void check_accessors(const Glb& glb) {
  const std::map<std::string, std::size_t> components = {
      {"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}};
  for (const Json& a : glb.json["accessors"]) {
    const Json& view = glb.json["bufferViews"].at(a["bufferView"].get<std::size_t>());
    const auto offset = a["byteOffset"].get<std::size_t>();
    EXPECT_EQ(offset % 4, 0U);
    const auto count = a["count"].get<std::size_t>();
    EXPECT_GE(count, 1U);
    EXPECT_TRUE(a["componentType"] == 5126 || a["componentType"] == 5125);
    const std::size_t size = 4 * components.at(a["type"].get<std::string>());
    if (view.contains("byteStride")) {
      EXPECT_EQ(view["byteStride"].get<std::size_t>(), size);
      EXPECT_EQ(view["target"], 34962);
    }
    EXPECT_LE(offset + count * size, view["byteLength"].get<std::size_t>());
  }
}

// Bounds must be exactly those of the data.
void check_bounds(const Glb& glb, std::size_t accessor) {
  const Json& a = glb.json["accessors"][accessor];
  ASSERT_TRUE(a.contains("min") && a.contains("max"));
  const std::vector<float> all = glb.floats(accessor);
  const std::size_t n = a["type"] == "VEC3" ? 3 : 1;
  ASSERT_EQ(a["min"].size(), n);
  for (std::size_t c = 0; c < n; ++c) {
    float least = all[c];
    float most = all[c];
    for (std::size_t i = c; i < all.size(); i += n) {
      least = std::min(least, all[i]);
      most = std::max(most, all[i]);
    }
    EXPECT_EQ(a["min"][c].get<float>(), least);
    EXPECT_EQ(a["max"][c].get<float>(), most);
  }
}

void check_primitive(const Glb& glb, const Json& primitive, std::size_t targets) {
  const auto position = primitive["attributes"]["POSITION"].get<std::size_t>();
  const auto count = glb.json["accessors"][position]["count"].get<std::size_t>();
  check_bounds(glb, position);
  if (primitive["attributes"].contains("NORMAL")) {
    const auto normal = primitive["attributes"]["NORMAL"].get<std::size_t>();
    EXPECT_EQ(glb.json["accessors"][normal]["count"].get<std::size_t>(), count);
    const std::vector<float> n = glb.floats(normal);
    for (std::size_t i = 0; i < n.size(); i += 3) {
      EXPECT_NEAR(std::hypot(n[i], n[i + 1], n[i + 2]), 1, 1e-5);
    }
  }
  const Json& indices = glb.json["accessors"][primitive["indices"].get<std::size_t>()];
  EXPECT_EQ(indices["componentType"], 5125);
  const Json& view = glb.json["bufferViews"][indices["bufferView"].get<std::size_t>()];
  EXPECT_EQ(view["target"], 34963);
  EXPECT_FALSE(view.contains("byteStride"));
  EXPECT_EQ(indices["count"].get<std::size_t>() % (primitive["mode"] == 4 ? 3 : 2), 0U);
  for (std::size_t i = 0; i < indices["count"].get<std::size_t>(); ++i) {
    EXPECT_LT(number_at(glb.data, view["byteOffset"].get<std::size_t>() + 4 * i), count);
  }
  if (targets == 0) {
    EXPECT_FALSE(primitive.contains("targets"));
    return;
  }
  ASSERT_EQ(primitive["targets"].size(), targets);
  for (const Json& target : primitive["targets"]) {
    check_bounds(glb, target["POSITION"].get<std::size_t>());
    for (const auto& [name, accessor] : target.items()) {
      EXPECT_TRUE(primitive["attributes"].contains(name));
      EXPECT_EQ(glb.json["accessors"][accessor.get<std::size_t>()]["count"].get<std::size_t>(),
                count);
    }
  }
}

void check_glb(const Glb& glb, std::size_t frames) {
  EXPECT_EQ(glb.json["asset"]["version"], "2.0");
  check_views(glb);
  check_accessors(glb);
  for (const Json& mesh : glb.json["meshes"]) {
    EXPECT_GE(mesh["primitives"].size(), 1U);
    const bool rigid = !mesh.contains("weights");
    for (const Json& p : mesh["primitives"]) check_primitive(glb, p, rigid ? 0 : frames - 1);
    if (!rigid) {
      EXPECT_EQ(mesh["weights"].size(), frames - 1);
    }
  }
  const std::size_t scene = glb.json["scene"].get<std::size_t>();
  for (const Json& node : glb.json["scenes"][scene]["nodes"]) {
    EXPECT_LT(node.get<std::size_t>(), glb.json["nodes"].size());
  }
  if (frames == 1) {
    EXPECT_FALSE(glb.json.contains("animations"));
    return;
  }
  ASSERT_EQ(glb.json["animations"].size(), 1U);
  const Json& animation = glb.json["animations"][0];
  for (const Json& channel : animation["channels"]) {
    EXPECT_TRUE(glb.json["nodes"][channel["target"]["node"].get<std::size_t>()].contains("mesh"));
  }
  const Json& sampler = animation["samplers"][0];
  const auto input = sampler["input"].get<std::size_t>();
  check_bounds(glb, input);
  const std::vector<float> times = glb.floats(input);
  ASSERT_EQ(times.size(), frames);
  EXPECT_GE(times[0], 0);
  for (std::size_t k = 1; k < frames; ++k) EXPECT_GT(times[k], times[k - 1]);
  const std::vector<float> weights = glb.floats(sampler["output"].get<std::size_t>());
  ASSERT_EQ(weights.size(), frames * (frames - 1));
  for (std::size_t k = 0; k < frames; ++k) {
    for (std::size_t w = 0; w + 1 < frames; ++w) {
      EXPECT_EQ(weights[k * (frames - 1) + w], k == w + 1 ? 1 : 0);
    }
  }
}

// A bar of tets, a cloth of one triangle with an edge, and a rod of edges.
class Gltf : public testing::Test {
 protected:
  Gltf() : bar_(block({1, 1, 1}, {1, 1, 1})) {
    for (const auto& v : bar_.vertices) points_.insert(points_.end(), v.begin(), v.end());
    const int n = static_cast<int>(bar_.vertices.size());
    for (int i = 0; i < 5; ++i) points_.insert(points_.end(), {2.0 + i, 0.5 * i * i, -1.0});
    tet_body_.assign(bar_.tets.size(), 0);
    triangles_ = {{n, n + 1, n + 2}};
    triangle_body_ = {1};
    edges_ = {{n, n + 1}, {n + 3, n + 4}};
    edge_body_ = {1, 2};
    parts_ = surface_parts(
        {bar_.tets, tet_body_, triangles_, triangle_body_, edges_, edge_body_, names_});
  }

  [[nodiscard]] std::vector<double> moved(double t) const {
    std::vector<double> out = points_;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += t * std::cos(static_cast<double>(i));
    return out;
  }

  TetMesh bar_;
  std::vector<double> points_;
  std::vector<int> tet_body_;
  std::vector<std::array<int, 3>> triangles_;
  std::vector<int> triangle_body_;
  std::vector<std::array<int, 2>> edges_;
  std::vector<int> edge_body_;
  std::vector<std::string> names_ = {"bar", "cloth", "rod"};
  std::vector<SurfacePart> parts_;
  TempFolder folder_;
};

TEST_F(Gltf, AnimationFollowsTheRulesAndTheMotion) {
  FrameStore store(folder_.path() / "store", vertex_count(parts_));
  const std::vector<double> times = {0.5, 0.6, 0.85, 1.0};
  std::vector<float> points;
  for (const double t : times) {
    gather(parts_, moved(t), points);
    store.add(t, points);
  }
  // A frame at the same time as the one before cannot be a key.
  store.add(1.0, points);
  const auto file = folder_.path() / "run.glb";
  write_gltf(file, parts_, store);
  const Glb glb = parse_glb(file);
  check_glb(glb, times.size());
  ASSERT_EQ(glb.json["meshes"].size(), 3U);
  EXPECT_EQ(glb.json["animations"][0]["channels"].size(), 3U);
  EXPECT_EQ(glb.json["nodes"][1]["name"], "cloth");
  EXPECT_EQ(glb.json["meshes"][1]["primitives"].size(), 2U);
  EXPECT_EQ(glb.json["meshes"][2]["primitives"][0]["mode"], 1);

  // Base and target k add up to frame k.
  const Json& primitive = glb.json["meshes"][0]["primitives"][0];
  const std::vector<float> base =
      glb.floats(primitive["attributes"]["POSITION"].get<std::size_t>());
  for (std::size_t k = 1; k < times.size(); ++k) {
    gather(parts_, moved(times[k]), points);
    const std::vector<float> delta =
        glb.floats(primitive["targets"][k - 1]["POSITION"].get<std::size_t>());
    for (std::size_t i = 0; i < base.size(); ++i) {
      EXPECT_NEAR(base[i] + delta[i], points[i], 1e-6);
    }
  }
  const auto input = glb.json["animations"][0]["samplers"][0]["input"].get<std::size_t>();
  EXPECT_FLOAT_EQ(glb.floats(input)[2], 0.35F);
}

// A square that rests and a triangle that turns about a point and moves.
std::vector<Prop> two_props() {
  const RigidMotion motion({{0.5, Vec3(0, 0, 0), 0}, {1.0, Vec3(0, 2, 0), 3.0}}, Vec3::UnitZ(),
                           Vec3(1, 0, 0), Easing::linear, false);
  return {{.name = "square",
           .points = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0},
           .normals = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1},
           .triangles = {{0, 1, 2}, {0, 2, 3}}},
          {.name = "triangle",
           .points = {0, 0, 0, 1, 0, 0, 0, 1, 0},
           .normals = {0, 0, 1, 0, 0, 1, 0, 0, 1},
           .triangles = {{0, 1, 2}},
           .motion = motion}};
}

TEST_F(Gltf, PropsAreRigidNodesThatTurnAndMove) {
  FrameStore store(folder_.path() / "store", vertex_count(parts_));
  const std::vector<double> times = {0.5, 0.6, 0.85, 1.0};
  std::vector<float> points;
  for (const double t : times) {
    gather(parts_, moved(t), points);
    store.add(t, points);
  }
  const std::vector<Prop> props = two_props();
  const auto file = folder_.path() / "run.glb";
  write_gltf(file, parts_, store, {.up = UpAxis::z, .props = props});
  const Glb glb = parse_glb(file);
  check_glb(glb, times.size());
  ASSERT_EQ(glb.json["meshes"].size(), 5U);
  EXPECT_EQ(glb.json["nodes"][3]["name"], "square");
  EXPECT_FALSE(glb.json["nodes"][3].contains("translation"));
  EXPECT_EQ(glb.json["nodes"][5]["children"], (Json{0, 1, 2, 3, 4}));
  const Json& square = glb.json["meshes"][3]["primitives"][0];
  EXPECT_EQ(glb.floats(square["attributes"]["POSITION"].get<std::size_t>()), props[0].points);
  EXPECT_EQ(glb.floats(square["attributes"]["NORMAL"].get<std::size_t>()), props[0].normals);

  // Shift and turn take its corners where the motion does.
  const Json& animation = glb.json["animations"][0];
  ASSERT_EQ(animation["channels"].size(), 5U);
  const auto values = [&](std::size_t channel, const char* path) {
    EXPECT_EQ(animation["channels"][channel]["target"]["path"], path);
    EXPECT_EQ(animation["channels"][channel]["target"]["node"], 4);
    const auto sampler = animation["channels"][channel]["sampler"].get<std::size_t>();
    return glb.floats(animation["samplers"][sampler]["output"].get<std::size_t>());
  };
  const std::vector<float> shifts = values(3, "translation");
  const std::vector<float> turns = values(4, "rotation");
  ASSERT_EQ(turns.size(), 4 * times.size());
  for (std::size_t k = 0; k < times.size(); ++k) {
    const Eigen::Quaternionf turn(turns[4 * k + 3], turns[4 * k], turns[4 * k + 1],
                                  turns[4 * k + 2]);
    const Eigen::Vector3f shift(shifts[3 * k], shifts[3 * k + 1], shifts[3 * k + 2]);
    for (const Vec3& corner : {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)}) {
      const Eigen::Vector3f seen = turn * corner.cast<float>() + shift;
      EXPECT_LT((seen - props[1].motion.at(times[k]).apply(corner).cast<float>()).norm(), 1e-5);
    }
  }
}

TEST_F(Gltf, VerticesAreSplitAlongTheSeamsOfATexture) {
  const std::vector<double> square = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 1};
  const std::vector<std::array<int, 3>> triangles = {{0, 1, 2}, {0, 2, 3}};
  const std::vector<TriangleTexture> texture = {{0, 0, 0.5F, 0, 0.5F, 1}, {0, 0, 1, 1, 0.75F, 1}};
  const std::vector<SurfacePart> parts =
      surface_parts({.triangles = triangles, .texture = texture});
  const auto file = folder_.path() / "s.glb";
  write_surface(file, {.parts = parts, .points = square});
  const Glb glb = parse_glb(file);
  check_glb(glb, 1);
  const Json& primitive = glb.json["meshes"][0]["primitives"][0];
  const auto floats = [&](const char* name) {
    return glb.floats(primitive["attributes"][name].get<std::size_t>());
  };
  // Vertex 2 is at two places, so it is there twice, with the same normal; vertex 0 is not.
  EXPECT_EQ(floats("POSITION"), (std::vector<float>{0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 0}));
  EXPECT_EQ(floats("TEXCOORD_0"),
            (std::vector<float>{0, 1, 0.5F, 1, 0.5F, 0, 0.75F, 0, 1, 0}));  // from the top
  const std::vector<float> normals = floats("NORMAL");
  for (std::size_t a = 0; a < 3; ++a) EXPECT_EQ(normals[6 + a], normals[12 + a]);
  const Json& indices = glb.json["accessors"][primitive["indices"].get<std::size_t>()];
  const Json& view = glb.json["bufferViews"][indices["bufferView"].get<std::size_t>()];
  std::vector<std::uint32_t> corners(6);
  std::memcpy(corners.data(), &glb.data[view["byteOffset"].get<std::size_t>()], 24);
  EXPECT_EQ(corners, (std::vector<std::uint32_t>{0, 1, 2, 0, 4, 3}));
}

TEST_F(Gltf, SingleFrameHasNoAnimation) {
  const auto file = folder_.path() / "s.glb";
  write_surface(file, {.parts = parts_, .points = points_});
  check_glb(parse_glb(file), 1);
}

TEST_F(Gltf, ZUpIsTurnedByANode) {
  const auto file = folder_.path() / "s.glb";
  write_surface(file, {.parts = parts_, .points = points_, .up = UpAxis::z});
  const Glb glb = parse_glb(file);
  const auto root = glb.json["scenes"][0]["nodes"][0].get<std::size_t>();
  EXPECT_EQ(glb.json["nodes"][root]["children"], (Json{0, 1, 2}));
  // The quaternion (x, y, z, w) takes (0, 0, 1) to (0, 1, 0): y' = 2 (y z − x w).
  const Json q = glb.json["nodes"][root]["rotation"];
  EXPECT_NEAR(
      2 * (q[1].get<double>() * q[2].get<double>() - q[0].get<double>() * q[3].get<double>()), 1,
      1e-12);
}

TEST_F(Gltf, TextFormHoldsTheSameData) {
  write_surface(folder_.path() / "s.glb", {.parts = parts_, .points = points_});
  write_surface(folder_.path() / "s.gltf", {.parts = parts_, .points = points_});
  const Json json = Json::parse(read_text(folder_.path() / "s.gltf"));
  const std::string uri = json["buffers"][0]["uri"];
  const std::string start = "data:application/octet-stream;base64,";
  ASSERT_TRUE(uri.starts_with(start));
  const std::size_t bytes = json["buffers"][0]["byteLength"];
  EXPECT_EQ(uri.size() - start.size(), (bytes + 2) / 3 * 4);
  EXPECT_EQ(json["accessors"], parse_glb(folder_.path() / "s.glb").json["accessors"]);
}

class ManyFrames final : public FrameSource {
 public:
  [[nodiscard]] std::size_t frames() const override { return 1000000; }
  [[nodiscard]] double time(std::size_t frame) const override { return static_cast<double>(frame); }
  void read(std::size_t, std::vector<float>&) const override { FAIL() << "too late to refuse"; }
};

TEST_F(Gltf, MoreThanTwoGibibytesAreRefusedBeforeAnythingIsWritten) {
  const auto file = folder_.path() / "s.glb";
  try {
    write_gltf(file, parts_, ManyFrames());
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("output.every"), std::string::npos) << error.what();
  }
  EXPECT_FALSE(std::filesystem::exists(file));
}

}  // namespace
}  // namespace lilyan::test::gltf_writer_test
